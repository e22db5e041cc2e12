"""The command line: what is imported when, help in both languages, errors in one sentence."""

import logging
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import main
from app.session.about import haima_version
from tests.cli.support import ROOT, haima, imported


def test_version() -> None:
    ran = haima("--version", python=["-B"])
    assert (ran.returncode, ran.stdout) == (0, f"haima {haima_version()}\n")


@pytest.mark.parametrize(
    "arguments", [("--version",), ("--help",), ("run", "--allow", "much", "x")]
)
def test_what_needs_no_session_imports_next_to_nothing(arguments: tuple[str, ...]) -> None:
    heavy = {"textual", "rich", "openai", "httpx2", "pydantic", "asyncio", "jieba", "filelock"}
    assert imported(*arguments) & heavy == set()


def test_the_sessions_import_no_client_and_no_screen() -> None:
    assert imported("sessions", "list") & {"textual", "openai", "httpx2"} == set()


def test_the_screen_comes_before_what_it_is_about() -> None:
    program = """
import sys
import app.workbench
from app.cli import main
class Terminal:
    isatty = staticmethod(lambda: True)
    flush = staticmethod(lambda: None)
def run_workbench(prepare, **_):
    heavy = {"pydantic", "sqlite3", "openai", "filelock"} & set(sys.modules)
    sys.stderr.write(f"{sorted(heavy)} {prepare().start}")
    return 0
app.workbench.run_workbench = run_workbench
sys.stdin = sys.stdout = Terminal()
sys.exit(main(["--resume", "7f3a"]))
"""
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.stderr == ("[] StartRequest(kind='resume', node_prefix='7f3a', message='')"), (
        "what the settings need is loaded behind the first paint"
    )


def test_a_run_imports_no_screen() -> None:
    # Nothing listens on the discard port: openai is imported for the request, textual never.
    address = ("--base-url", "http://127.0.0.1:9/v1", "--model", "m")
    assert "textual" not in imported("run", *address, "hi", HAIMA_MODEL__TRIES="1")


def test_a_run_that_lacks_an_endpoint_says_what_and_imports_no_client() -> None:
    assert imported("run", "hi") & {"textual", "openai", "httpx2"} == set()


@pytest.mark.parametrize(
    ("environ", "words"),
    [({}, "usage:"), ({"HAIMA_LANG": "zh"}, "用法："), ({"LANG": "zh_CN.UTF-8"}, "用法：")],
)
def test_help_is_in_the_users_language(environ: dict[str, str], words: str) -> None:
    ran = haima("--help", python=(), **environ)
    assert ran.returncode == 0
    assert ran.stdout.startswith(words)
    assert "doctor" in ran.stdout


def test_the_language_of_the_user_file_counts_for_help_and_errors() -> None:
    folder = Path(os.environ["HOME"]) / ".haima"
    folder.mkdir()
    (folder / "config.toml").write_text('[ui]\nlanguage = "zh"\n')
    assert haima("--help").stdout.startswith("用法：")
    assert "提示词" in haima("run").stderr
    assert haima("--lang", "en", "--help").stdout.startswith("usage:")


@pytest.mark.parametrize(
    "arguments",
    [
        ("frobnicate",),
        ("--frob",),
        ("--model",),
        ("run",),
        ("run", ""),
        ("run", "a", "b"),
        ("run", "--lines", "a"),
        ("run", "--allow", "much", "a"),
        ("run", "--json=yes", "a"),
        ("run", "/help"),
        ("--project", "/no/such/folder", "run", "a"),
        ("--lang", "xx", "run", "a"),
        ("--theme", "pink", "run", "a"),
        ("--window", "0", "run", "a"),
        ("--window", "-1", "thresholds"),
        ("thresholds", "--window", "many"),
        ("thresholds", "--window"),
        ("thresholds", "--json", "128k"),
        ("--base-url", "nonsense", "run", "a"),
        ("run", "a"),
        (),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_mistake_is_one_sentence_and_exit_code_2(
    arguments: tuple[str, ...], language: str
) -> None:
    ran = haima(*arguments, HAIMA_LANG=language)
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert ran.stderr.startswith("haima: ")
    assert ran.stderr.count("\n") == 1
    assert "Traceback" not in ran.stderr


def test_a_wrong_setting_names_its_file_and_key() -> None:
    folder = Path(os.environ["HOME"]) / ".haima"
    folder.mkdir()
    (folder / "config.toml").write_text('[model]\ntries = "many"\n')
    ran = haima("run", "a")
    assert ran.returncode == 2
    assert "config.toml" in ran.stderr
    assert "model.tries" in ran.stderr


def test_options_count_before_and_behind_the_command() -> None:
    for arguments in (("--lang", "zh", "run"), ("run", "--lang", "zh")):
        assert "提示词" in haima(*arguments).stderr


def test_a_fault_goes_to_the_log_and_a_sentence_to_the_user(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import app.headless

    key = "sk-0123456789abcdef"
    monkeypatch.setenv("OPENAI_API_KEY", key)

    def broken(*_: object) -> int:
        raise ZeroDivisionError(f"by nought with {key}")

    monkeypatch.setattr(app.headless, "run_headless", broken)
    assert main(["run", "hi"]) == 1
    said = capfd.readouterr()
    assert said.err.count("\n") == 1
    assert "ZeroDivisionError" in said.err
    assert key not in said.err
    log = Path(os.environ["HOME"]) / ".haima" / "haima.log"
    assert "Traceback" in log.read_text()
    assert key not in log.read_text()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_fault_before_the_settings_are_read_goes_to_the_log_too(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import app.cli.figures

    def broken(*_: object) -> int:
        raise ZeroDivisionError("by nought")

    logger = logging.getLogger("app")
    monkeypatch.setattr(logger, "handlers", [])
    monkeypatch.setattr(app.cli.figures, "thresholds", broken)
    assert main(["thresholds"]) == 1
    said = capfd.readouterr()
    assert said.err.count("\n") == 1
    log = Path(os.environ["HOME"]) / ".haima" / "haima.log"
    assert str(log) in said.err
    assert "Traceback" in log.read_text()


def test_an_interrupt_while_starting_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    import app.headless

    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(app.headless, "run_headless", interrupted)
    assert main(["run", "hi"]) == 130
