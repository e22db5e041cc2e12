"""The command line: what is imported when, help in both languages, errors in one sentence."""

import json
import logging
import os
import stat
import subprocess
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from app.cli import main
from app.session.about import haima_version

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def restored_log() -> Iterator[None]:
    """The package's logger as it was: the command line sends it to a file."""
    logger = logging.getLogger("app")
    handlers, level, propagate = logger.handlers[:], logger.level, logger.propagate
    yield
    logger.handlers[:], logger.level, logger.propagate = handlers, level, propagate


def haima(
    *arguments: str, python: Sequence[str] = (), **environ: str
) -> subprocess.CompletedProcess[str]:
    """Runs `haima` in the test's empty home, outside any project."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TZ")}
    return subprocess.run(
        [sys.executable, *python, "-m", "app", *arguments],
        cwd=os.environ["HOME"],
        env={**kept, "PYTHONPATH": str(ROOT), **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def imported(*arguments: str, **environ: str) -> set[str]:
    """The packages a command imports."""
    ran = haima(*arguments, python=("-X", "importtime"), **environ)
    lines = [line for line in ran.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


def test_version() -> None:
    ran = haima("--version")
    assert (ran.returncode, ran.stdout) == (0, f"haima {haima_version()}\n")


@pytest.mark.parametrize(
    "arguments", [("--version",), ("--help",), ("run", "--allow", "much", "x")]
)
def test_what_needs_no_session_imports_next_to_nothing(arguments: tuple[str, ...]) -> None:
    heavy = {"textual", "rich", "openai", "httpx2", "pydantic", "asyncio", "jieba", "filelock"}
    assert imported(*arguments) & heavy == set()


def test_the_doctor_without_an_endpoint_imports_no_client_and_no_screen() -> None:
    assert imported("doctor", "--json") & {"textual", "openai", "httpx2"} == set()


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


@pytest.mark.parametrize("command", [(), ("run",), ("doctor",), ("thresholds",)])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_help_fits_eighty_columns(command: tuple[str, ...], language: str) -> None:
    ran = haima(*command, "--help", "--lang", language, COLUMNS="80")
    for line in ran.stdout.splitlines():
        width = sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in line)
        assert width <= 80, line


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


def test_an_interrupt_while_starting_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    import app.headless

    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(app.headless, "run_headless", interrupted)
    assert main(["run", "hi"]) == 130


def test_the_doctor_reports_as_text_and_as_records() -> None:
    text = haima("doctor")
    assert "Python" in text.stdout
    records = [json.loads(line) for line in haima("doctor", "--json").stdout.splitlines()]
    assert records[-1]["type"] == "doctor"
    assert text.returncode in {0, 1}


def test_the_doctor_runs_with_wrong_settings_too() -> None:
    folder = Path(os.environ["HOME"]) / ".haima"
    folder.mkdir()
    (folder / "config.toml").write_text("nonsense = \n")
    ran = haima("doctor")
    assert ran.returncode == 1
    assert "config.toml" in ran.stdout


def marks(*arguments: str, **environ: str) -> list[dict[str, object]]:
    ran = haima("thresholds", "--json", *arguments, **environ)
    assert (ran.returncode, ran.stderr) == (0, "")
    return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.mark.parametrize("written", ["200k", "200K", "200000", "200,000", "0.2m"])
def test_the_marks_of_one_window(written: str) -> None:
    (record,) = marks("--window", written)
    assert record == {
        "type": "thresholds",
        "window": 200_000,
        "safe": 200_000,
        "reserve": 20_000,
        "buffer": 13_000,
        "clear": 100_000,
        "precompute": 100_200,
        "warn": 140_000,
        "summary": 167_000,
        "min_gain": 10_000,
        "memory": 1_000,
        "offload": 32_000,
        "offload_shell": 8_000,
        "entities": 3_000,
        "pins": 20_000,
        "system": 14_000,
        "in_use": True,
        "source": "flag",
    }


def test_the_window_asked_for_counts_whatever_the_model() -> None:
    (record,) = marks("--window", "1m", "--model", "gpt-5.2", HAIMA_WINDOW="64k")
    assert record["window"] == 1_000_000


@pytest.mark.parametrize(
    ("arguments", "environ", "window", "source"),
    [
        ((), {}, 128_000, "default"),
        (("--base-url", "localhost:8000", "--model", "m"), {}, 32_768, "default"),
        (("--base-url", "https://api.example.com/v1", "--model", "m"), {}, 128_000, "default"),
        (("--model", "openai/gpt-5.2"), {}, 272_000, "table"),
        (("--model", "kimi-k2.6"), {"HAIMA_WINDOW": "64k"}, 64_000, "environment"),
    ],
)
def test_the_marks_of_the_window_in_use_and_of_the_four(
    arguments: tuple[str, ...], environ: dict[str, str], window: int, source: str
) -> None:
    first, *others = marks(*arguments, **environ)
    assert (first["window"], first["in_use"], first["source"]) == (window, True, source)
    usual = [size for size in (128_000, 200_000, 256_000, 1_000_000) if size != window]
    assert [other["window"] for other in others] == usual
    assert not any(other["in_use"] for other in others)


def test_a_window_of_the_settings_is_in_use() -> None:
    folder = Path(os.environ["HOME"]) / ".haima"
    folder.mkdir()
    (folder / "config.toml").write_text("[model]\nwindow = '8k'\n")
    first = marks()[0]
    assert (first["window"], first["summary"], first["source"]) == (8_000, 5_000, "config")


@pytest.mark.parametrize(("language", "words"), [("en", "summarise"), ("zh", "做摘要")])
def test_the_marks_as_a_table(language: str, words: str) -> None:
    ran = haima("thresholds", "--lang", language, "--model", "gpt-5.2")
    assert ran.returncode == 0
    about, longest, empty, head, *rows = ran.stdout.splitlines()
    assert ("400,000" in about, "272,000" in longest, empty) == (True, True, "")
    assert words in head
    figures = [" ".join(row.split()) for row in rows]
    assert figures[0] == "272,000 100,000 143,400 190,400 239,000 13,600 1,360"
    assert figures[1] == "128,000 57,000 57,000 89,600 95,000 6,400 640"
    assert len(rows) == 5
    widths = {sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in r) for r in (head, *rows)}
    assert len(widths) == 1


def test_the_marks_import_no_client_and_no_screen() -> None:
    assert imported("thresholds") & {"textual", "openai", "httpx2"} == set()
