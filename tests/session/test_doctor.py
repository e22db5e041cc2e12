"""The doctor: finds what is wrong, says what to do, survives its own faults, shows no secret."""

import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest
from rich.cells import cell_len

from app.archive.ledger import Ledger
from app.config import ConfigError, Settings
from app.llm.probe import ProbeResult
from app.paths import Paths, project_config
from app.ports import Usage
from app.project import Project
from app.session.doctor import Finding, Report, TerminalFacts, kept, run_checks, terminal
from app.session.doctor.endpoint import Probe
from app.session.learned import LearnedLimits
from app.storage import Lock
from app.text import Words
from tests.endpoint import Call, Endpoint, Say, Status, Tokens

EN, ZH = Words("en"), Words("zh")
KEY = "sk-0123456789abcdef"
WHOLE = ProbeResult(seconds=0.81, streams=True, usage=Usage(10, completion=2), calls_tools=True)
SCREEN = TerminalFacts(120, 36, {"─": 1, "≈": 1, "●": 1, "海": 2})


class Patient:
    """Someone the doctor looks at."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.paths = Paths(self.home / ".haima")
        self.root = folder / "project"
        self.root.mkdir()
        self.environ = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "TERM": "xterm-256color",
        }
        self.asked: list[Settings] = []

    def config(self, text: str, mode: int = 0o600) -> None:
        self.paths.home.mkdir(mode=0o700, exist_ok=True)
        self.paths.config_file.write_text(text)
        self.paths.config_file.chmod(mode)

    def ledger(self, chain: str = "7f3a9c01d2e4", rows: int = 3) -> Path:
        with Ledger.open(self.paths.ledger(chain)) as ledger:
            for _ in range(rows):
                ledger.append("message", {"text": "x"}, node=chain)
        return self.paths.ledger(chain)

    def answering(self, result: ProbeResult | Exception) -> Probe:
        async def probe(settings: Settings, _: Words) -> ProbeResult:
            self.asked.append(settings)
            if isinstance(result, Exception):
                raise result
            return result

        return probe

    async def report(
        self,
        words: Words = EN,
        *,
        facts: TerminalFacts | None = SCREEN,
        probe: Probe | None = None,
        environ: Mapping[str, str] | None = None,
        flags: Mapping[str, str | None] | None = None,
    ) -> Report:
        times = iter([100.0, 101.4])
        return await run_checks(
            environ=self.environ | dict(environ or {}),
            paths=self.paths,
            project=Project(self.root),
            words=words,
            flags=flags,
            facts=facts,
            probe=probe or self.answering(WHOLE),
            monotonic=lambda: next(times),
        )

    async def finding(self, check: str, **options: object) -> Finding:
        report = await self.report(**options)  # type: ignore[arg-type]
        (found,) = [finding for finding in report.findings if finding.check == check]
        return found


@pytest.fixture
def patient(tmp_path: Path) -> Patient:
    return Patient(tmp_path)


MODEL = "[model]\nname = 'm'\nbase_url = 'http://127.0.0.1:1/v1'\n"


async def test_a_healthy_set_up_has_nothing_to_look_at(patient: Patient) -> None:
    patient.config(MODEL)
    patient.ledger()
    (patient.root / "AGENTS.md").write_text("Be brief.")
    await anyio.run_process(["git", "init", "-q", "-b", "main", str(patient.root)])
    report = await patient.report(environ={"COLORTERM": "truecolor"})
    assert [finding for finding in report.findings if finding.state != "ok"] == []
    assert report.counts(EN) == ("", "", f"{len(report.findings)} fine")
    assert report.about(EN).startswith("haima ")
    assert report.about(EN).endswith(" · checked in 1.4 s")
    assert not report.failed
    shown = {finding.check: (finding.value, finding.note) for finding in report.findings}
    assert shown["endpoint"] == ("http://127.0.0.1:1/v1", "answers in 0.8 s")
    assert shown["abilities"] == ("reported, called, whole", "m")
    assert shown["home"] == ("~/.haima", "0700")
    assert shown["settings"] == ("~/.haima/config.toml", "0600")
    assert shown["ledger"] == ("1 ledger", "3 rows · 0.0 MB")
    assert shown["locks"] == ("free, none left behind", "")
    assert shown["colours"] == ("120×36, 24 bit", "TERM=xterm-256color")
    assert shown["widths"] == ("one cell each: ─ ≈ ●", "ambiguous = narrow")
    assert shown["git"] == ("main, 1 change", "")
    assert shown["documents"] == ("AGENTS.md", "9 characters")
    assert [group.id for group in report.groups] == ["model", "kept", "terminal", "project"]


async def test_looking_changes_nothing(patient: Patient) -> None:
    await patient.report()
    assert list(patient.home.iterdir()) == []
    assert list(patient.root.iterdir()) == []
    patient.config(MODEL)
    patient.ledger()
    before = sorted(path for path in patient.home.rglob("*"))
    await patient.report()
    assert sorted(path for path in patient.home.rglob("*")) == before


# The model


async def test_a_learned_limit_is_shown_with_how_to_forget_it(patient: Patient) -> None:
    patient.config(MODEL)
    limits = LearnedLimits(
        patient.paths.limits_file, lambda: datetime(2026, 11, 30, 12, tzinfo=UTC)
    )
    limits.keep("http://127.0.0.1:1/v1", "another", 4_096, "stated")
    report = await patient.report()
    assert "limit" not in {finding.check for finding in report.findings}
    limits.keep("http://127.0.0.1:1/v1", "m", 65_536, "stated")
    found = await patient.finding("limit")
    assert (found.state, found.note) == ("ok", "m")
    assert found.value == "65,536 tokens, as the endpoint said on 2026-11-30"
    assert "/window auto" in found.cure
    limits.keep("http://127.0.0.1:1/v1", "m", 65_536, "guessed")
    assert (await patient.finding("limit")).value.startswith("about 65,536 tokens")
    limits.path.write_text("{")
    found = await patient.finding("limit")
    assert (found.state, found.value) == ("warn", str(limits.path))


async def test_without_an_endpoint_nothing_is_asked_and_the_cure_is_said(patient: Patient) -> None:
    found = await patient.finding("endpoint")
    assert (found.state, found.value, patient.asked) == ("warn", "none is set", [])
    assert found.cure
    patient.config("[model]\nbase_url = 'http://127.0.0.1:1/v1'\n")
    found = await patient.finding("endpoint")
    assert (found.state, patient.asked) == ("warn", [])


async def test_an_endpoint_that_fails_is_a_failure_with_its_cure(patient: Patient) -> None:
    patient.config(MODEL)
    wrong = ConfigError("config.unreadable", path="x", reason="why")
    report = await patient.report(probe=patient.answering(wrong))
    (found,) = [finding for finding in report.findings if finding.check == "endpoint"]
    assert (found.state, found.cure) == ("fail", str(wrong))
    assert report.failed
    assert "abilities" not in {finding.check for finding in report.findings}


@pytest.mark.parametrize(
    ("result", "value", "cure"),
    [
        (replace(WHOLE, usage=None), "not reported, called, whole", "estimates"),
        (replace(WHOLE, calls_tools=False), "reported, not called, whole", "take one that calls"),
        (replace(WHOLE, streams=False), "reported, called, all at once", ""),
    ],
)
async def test_what_an_endpoint_did_not_show_is_unsure(
    patient: Patient, result: ProbeResult, value: str, cure: str
) -> None:
    patient.config(MODEL)
    found = await patient.finding("abilities", probe=patient.answering(result))
    assert (found.state, found.value) == ("unsure", value)
    assert cure in found.cure


async def test_a_real_request_is_sent_over_http(patient: Patient) -> None:
    script = [Say("", calls=(Call("ready", {}),), usage=Tokens(20, 4))]
    async with Endpoint(script, api_key=KEY) as endpoint:
        environ = {"OPENAI_BASE_URL": endpoint.base_url, "HAIMA_MODEL": "m", "OPENAI_API_KEY": KEY}
        report = await run_checks(
            environ=patient.environ | environ,
            paths=patient.paths,
            project=Project(patient.root),
            words=EN,
        )
        assert endpoint.violations == []
        assert len(endpoint.requests) == 1
    found = {finding.check: finding for finding in report.findings}
    assert found["endpoint"].state == "ok"
    assert re.fullmatch(r"answers in \d\.\d s", found["endpoint"].note)
    assert found["abilities"].value == "reported, called, whole"


async def test_a_refused_request_is_sent_once_and_says_why(patient: Patient) -> None:
    script = [Status(500, {"error": {"message": "broken"}})] * 4
    async with Endpoint(script) as endpoint:
        environ = {"OPENAI_BASE_URL": endpoint.base_url, "HAIMA_MODEL": "m", "OPENAI_API_KEY": KEY}
        report = await run_checks(
            environ=patient.environ | environ,
            paths=patient.paths,
            project=Project(patient.root),
            words=EN,
        )
        assert len(endpoint.requests) == 1
    assert report.findings[0].state == "fail"
    assert report.findings[0].cure


# What is kept


async def test_the_home_is_looked_at(patient: Patient) -> None:
    found = await patient.finding("home")
    assert (found.state, found.note) == ("ok", "comes with the first session")
    patient.paths.home.mkdir(mode=0o755)
    patient.paths.home.chmod(0o755)
    found = await patient.finding("home")
    assert (found.state, found.note, found.cure) == ("warn", "0755", "chmod 700 ~/.haima")
    patient.paths.home.rmdir()
    patient.paths.home.write_text("a file")
    found = await patient.finding("home")
    assert found.state == "fail"
    assert "something else lies in the way" in found.cure


async def test_a_home_that_cannot_be_written_is_a_failure(
    patient: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(30, "Read-only file system")

    patient.paths.home.mkdir()
    monkeypatch.setattr(kept, "open_private", refuse)
    found = await patient.finding("home")
    assert found.state == "fail"
    assert "can't be written" in found.cure


async def test_a_nearly_full_disk_is_told(
    patient: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient.paths.home.mkdir(mode=0o700)
    monkeypatch.setattr(kept, "_LITTLE", 1 << 62)
    found = await patient.finding("home")
    assert found.state == "warn"
    assert re.fullmatch(r"only \d+ MB are free; make room", found.cure)


async def test_wrong_settings_are_a_failure_and_the_model_is_not_asked(patient: Patient) -> None:
    patient.config(MODEL + "[ui]\ntheme = 'pink'\n")
    report = await patient.report()
    found = {finding.check: finding for finding in report.findings}
    assert found["settings"].state == "fail"
    assert "ui.theme is 'pink'" in found["settings"].cure
    assert (found["endpoint"].state, patient.asked) == ("unsure", [])


async def test_a_wrong_variable_is_a_failure_of_the_settings(patient: Patient) -> None:
    found = await patient.finding("settings", environ={"HAIMA_MODEL__TRIES": "x"})
    assert found.state == "fail"
    assert found.cure.startswith("HAIMA_MODEL__TRIES: model.tries is 'x'")


async def test_settings_others_can_read_are_told(patient: Patient) -> None:
    patient.config(MODEL, mode=0o644)
    found = await patient.finding("settings")
    assert (found.state, found.cure) == ("warn", "chmod 600 ~/.haima/config.toml")


async def test_a_key_variable_that_is_not_set_is_told(patient: Patient) -> None:
    patient.config(MODEL + "api_key_env = 'DEEPSEEK_API_KEY'\n")
    found = await patient.finding("settings")
    assert found.state == "warn"
    assert "DEEPSEEK_API_KEY, which is not set" in found.cure


async def test_a_bad_line_of_a_ledger_is_named(patient: Patient) -> None:
    path = patient.ledger()
    patient.ledger("b00000000002", rows=1)
    with path.open("ab") as file:
        file.write(b"garbage\n")
    path.with_name(path.name + ".torn-20261129T152200Z-ab12").write_text("x")
    found = await patient.finding("ledger")
    assert (found.state, found.value) == ("warn", "1 bad line in raw/7f3a9c01d2e4.jsonl:4")
    assert found.note == "skipped, the rest is read"
    assert found.cure.startswith("nothing to do")
    assert found.details == ("1 file in ~/.haima/history/raw holds what was put aside",)
    with path.open("ab") as file:
        file.write(b"more\n" * 9)
    found = await patient.finding("ledger")
    assert found.value == "10 bad lines, the first in raw/7f3a9c01d2e4.jsonl:4"
    assert len(found.details) == 6


async def test_ledgers_others_can_read_are_told(patient: Patient) -> None:
    patient.ledger().chmod(0o644)
    found = await patient.finding("ledger")
    assert (found.state, found.cure) == ("warn", "chmod 600 ~/.haima/history/raw/*.jsonl")


async def test_only_so_much_of_the_ledgers_is_read(
    patient: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        patient.ledger(f"{number:012x}")
    size = patient.paths.ledger(f"{0:012x}").stat().st_size
    monkeypatch.setattr(kept, "_MOST", 2 * size)
    found = await patient.finding("ledger")
    assert (found.value, found.note[:6]) == ("3 ledgers", "6 rows")
    assert found.details == ("1 older ledger was too large to read here",)


async def test_locks_are_told_and_stay(patient: Patient) -> None:
    patient.ledger()
    left = patient.paths.ledgers / "dead.jsonl.lock"
    left.touch()
    (patient.paths.home / ".haima-0123456789abcdef.tmp").touch()
    with Lock(patient.paths.ledgers / "alive.jsonl.lock") as lock:
        found = await patient.finding("locks")
        assert lock.held
    assert found.state == "ok"
    assert found.value == "1 in use, 1 left by a crash, 1 temporary file left"
    assert found.note == "harmless"
    assert left.exists()


# The terminal


@pytest.mark.parametrize(
    ("environ", "depth"),
    [
        ({"COLORTERM": "truecolor"}, "24 bit"),
        ({"TERM": "xterm-direct"}, "24 bit"),
        ({}, "256 colours"),
        ({"TERM": "xterm"}, "16 colours"),
        ({"COLORTERM": "truecolor", "NO_COLOR": "1"}, "no colours (NO_COLOR)"),
    ],
)
async def test_colours_are_told(patient: Patient, environ: dict[str, str], depth: str) -> None:
    found = await patient.finding("colours", environ=environ)
    assert (found.state, found.value) == ("ok", f"120×36, {depth}")


async def test_a_terminal_that_will_not_do_is_told(patient: Patient) -> None:
    found = await patient.finding("colours", facts=TerminalFacts(79, 24))
    assert (found.state, found.cure) == ("warn", "make the window at least 80×24")
    found = await patient.finding("colours", environ={"TERM": "dumb"})
    assert found.state == "warn"
    found = await patient.finding("colours", facts=None)
    assert (found.state, found.value) == ("unsure", "not a terminal, 256 colours")


@pytest.mark.parametrize(
    ("measured", "state", "value"),
    [
        (None, "unsure", "measured only on the screen"),
        ({"─": 2, "≈": 2, "●": 1, "海": 2}, "warn", "two cells: ─ ≈"),
        ({"─": 1, "海": 1}, "warn", "not two cells: 海"),
    ],
)
async def test_widths_are_told(
    patient: Patient, measured: dict[str, int] | None, state: str, value: str
) -> None:
    found = await patient.finding("widths", facts=TerminalFacts(120, 36, measured))
    assert (found.state, found.value) == (state, value)
    assert bool(found.cure) == (state == "warn")


def fake_tmux(folder: Path, script: str) -> dict[str, str]:
    folder.mkdir()
    program = folder / "tmux"
    program.write_text(f'#!/bin/sh\nif [ "$1" = -V ]; then echo tmux 3.3a; exit; fi\n{script}\n')
    program.chmod(stat.S_IRWXU)
    return {"TMUX": "/tmp/tmux-0/default,1,0", "PATH": f"{folder}:{os.environ['PATH']}"}


@pytest.mark.parametrize(
    ("script", "state", "value"),
    [
        ("echo 500", "warn", "500 ms: Esc feels slow"),
        ("echo 10", "ok", "10 ms"),
        ("exit 1", "unsure", "tmux doesn't answer"),
        ("echo unknown option", "unsure", "tmux doesn't answer"),
    ],
)
async def test_tmux_is_asked_how_long_it_holds_back_an_esc(
    patient: Patient, tmp_path: Path, script: str, state: str, value: str
) -> None:
    environ = fake_tmux(tmp_path / "bin", script)
    found = await patient.finding("tmux", environ=environ)
    assert (found.state, found.value, found.note) == (state, value, "tmux 3.3a")
    assert found.cure == ("set -sg escape-time 10" if state == "warn" else "")


async def test_outside_tmux_nothing_is_said_of_it(patient: Patient) -> None:
    assert "tmux" not in {finding.check for finding in (await patient.report()).findings}


async def test_a_program_that_never_answers_is_given_up(
    patient: Patient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.session.doctor.asking._PATIENCE", 0.05)
    environ = fake_tmux(tmp_path / "bin", "exec sleep 60")
    found = await patient.finding("tmux", environ=environ)
    assert found.state == "unsure"


# The project


async def test_a_root_that_opens_too_much_is_told(patient: Patient) -> None:
    patient.root = patient.home
    found = await patient.finding("root")
    assert (found.state, found.value) == ("warn", "~")
    patient.root = Path("/")
    assert (await patient.finding("root")).state == "warn"
    patient.root = patient.home / "gone"
    assert (await patient.finding("root")).state == "fail"


async def test_git_and_documents_may_be_missing(patient: Patient, tmp_path: Path) -> None:
    found = await patient.finding("git")
    assert (found.state, found.value) == ("ok", "not a repository")
    found = await patient.finding("git", environ={"PATH": str(tmp_path / "nothing")})
    assert (found.state, found.value) == ("unsure", "not installed")
    found = await patient.finding("documents")
    assert (found.state, found.value, found.note) == ("ok", "none", "")


async def test_a_document_that_is_cut_is_told(patient: Patient) -> None:
    (patient.root / "AGENTS.md").write_text("x" * 30_000)
    found = await patient.finding("documents")
    assert (found.state, found.note) == ("warn", "24,000 characters")
    assert "AGENTS.md" in found.cure


async def test_the_projects_settings_are_looked_at(patient: Patient) -> None:
    found = await patient.finding("project_settings")
    assert (found.state, found.value) == ("ok", "none")
    path = project_config(patient.root)
    path.parent.mkdir()
    path.write_text("[ui]\ntheme = 'dark'\n[tools]\nexclude = []\n")
    found = await patient.finding("project_settings")
    assert (found.value, found.note) == (".haima/config.toml: tools, ui", "allowed keys only")
    path.write_text("[model]\nname = 'x'\n")
    report = await patient.report()
    found = {finding.check: finding for finding in report.findings}["project_settings"]
    assert found.state == "warn"
    assert "model.name is not applied" in found.cure
    assert {finding.check: finding for finding in report.findings}["settings"].state == "ok"
    path.write_text("[ui]\ntheme = 'pink'\n")
    found = await patient.finding("project_settings")
    assert found.state == "fail"


async def test_search_says_what_it_uses(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    found = await patient.finding("search")
    assert found.value.startswith("ripgrep ") or found.value == "built in, without ripgrep"
    monkeypatch.setattr("app.session.doctor.place.find_ripgrep", lambda _: None)
    found = await patient.finding("search")
    assert (found.state, found.value) == ("ok", "built in, without ripgrep")
    assert found.note == "slower in large projects"


# The report


async def test_a_check_that_breaks_is_a_finding_and_the_others_go_on(
    patient: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> list[Finding]:
        raise RuntimeError(f"key {KEY}")

    monkeypatch.setattr(terminal, "python", broken)
    report = await patient.report(environ={"OPENAI_API_KEY": KEY})
    found = {finding.check: finding for finding in report.findings}
    assert found["python"].state == "unsure"
    assert found["python"].value == "this check failed: RuntimeError: key ‹key›"
    assert found["root"].state == "ok"


async def test_a_check_without_end_is_given_up(
    patient: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.session.doctor.run._LONGEST", 0.05)

    async def endless(*_: object) -> ProbeResult:
        await anyio.sleep_forever()
        raise AssertionError

    patient.config(MODEL)
    found = await patient.finding("endpoint", probe=endless)
    assert (found.state, found.value) == ("unsure", "this check had no end within 0 s")


async def test_no_secret_and_no_escape_sequence_is_shown(patient: Patient) -> None:
    address = "http://me:hunter2hunter2@127.0.0.1:1/v1"
    patient.config(f"[model]\nname = 'm'\nbase_url = '{address}'\napi_key = '{KEY}'\n")
    path = project_config(patient.root)
    path.parent.mkdir()
    path.write_text('["\\u001b[31m"]\nx = 1\n')
    wrong = ConfigError("config.unreadable", path="x", reason=f"\x1b[31m {KEY}")
    report = await patient.report(probe=patient.answering(wrong))
    said = report.text(EN) + json.dumps(list(report.records()), ensure_ascii=False)
    assert KEY not in said
    assert "hunter2" not in said
    assert "\x1b" not in said
    assert "‹key›" in said
    assert "\\x1b[31m" in said


async def test_the_text_is_laid_out_in_both_languages(patient: Patient) -> None:
    for words, label, count in ((EN, "endpoint", "1 thing to look at"), (ZH, "接口", "有 1 项")):
        report = await patient.report(words)
        lines = report.text(words, width=120).splitlines()
        assert lines[0].startswith(count)
        assert cell_len(lines[0]) == 120
        (line,) = [line for line in lines if line.startswith(f"  ! {label}")]
        value = lines[lines.index(line) + 1]
        assert value.lstrip().startswith("→ ")
        notes = [line for line in lines if "Python  " in line]
        assert [cell_len(line) for line in notes] == [120]
        columns = {
            cell_len(line[: line.index(finding.value)])
            for finding in report.findings
            for line in lines[1:]
            if finding.value in line and f" {finding.label} " in line
        }
        assert columns == {28}


async def test_the_text_can_be_ascii_in_its_marks(patient: Patient) -> None:
    text = (await patient.report()).text(EN, ascii_only=True)
    assert "  + Python" in text
    assert "-> " in text
    assert not set(text) & set("✓✗→")


async def test_records_are_json_with_a_summary_last(patient: Patient) -> None:
    report = await patient.report()
    records = [json.loads(json.dumps(record)) for record in report.records()]
    assert {record["type"] for record in records[:-1]} == {"finding"}
    assert {"group", "check", "state", "label", "value", "note", "cure"} <= set(records[0])
    assert records[-1]["type"] == "doctor"
    assert records[-1]["to_look_at"] == 1
    assert (
        records[-1]["to_look_at"] + records[-1]["unsure"] + records[-1]["fine"] == len(records) - 1
    )


# The memories


def _remember(patient: Patient, facts: str, inbox: str = "[]") -> None:
    patient.paths.home.mkdir(mode=0o700, exist_ok=True)
    patient.paths.memory.mkdir(mode=0o700, exist_ok=True)
    for path, text in ((patient.paths.facts_file, facts), (patient.paths.inbox_file, inbox)):
        path.write_text(text)
        path.chmod(0o600)


def _fact(name: str, content: str, project: str) -> str:
    metadata = {"scope": "project", "project": project}
    return json.dumps({"id": name, "content": content, "metadata": metadata})


async def test_the_memories_are_counted(patient: Patient) -> None:
    found = await patient.finding("memory")
    assert (found.state, found.value, found.note) == ("ok", "nothing remembered yet", "")
    here = _fact("f1", "JDK 17", str(patient.root))
    waits = {
        "id": "ask-1",
        "content": "JDK 21",
        "scope": "project",
        "project": str(patient.root),
        "author": "you",
        "existing": ["f1"],
        "at": "2026-11-29T12:00:00Z",
    }
    _remember(patient, f"[{here}, {_fact('f2', 'x', '/elsewhere')}]", json.dumps([waits]))
    found = await patient.finding("memory")
    assert (found.state, found.value) == ("ok", "2 memories")
    assert (found.note, found.cure) == ("1 for this project", "haima memory inbox")
    assert found.details == ("1 contradiction waits for your decision",)


async def test_damaged_memories_are_told_and_left_alone(patient: Patient) -> None:
    broken = f"[{_fact('f1', 'JDK 17', str(patient.root))}, {{"
    _remember(patient, broken, "{")
    (patient.paths.memory / "long_term_memory.json.corrupt-1").write_text("[")
    patient.paths.facts_file.chmod(0o644)
    before = {path: path.read_bytes() for path in patient.paths.memory.iterdir()}
    found = await patient.finding("memory")
    assert (found.state, found.value) == ("warn", "1 memory")
    assert found.cure.startswith("the next change writes it whole again")
    assert found.details[0] == "damaged: it is no valid JSON"
    assert "inbox.json is damaged" in found.details[1]
    assert found.details[2].startswith("1 file in ~/.haima/memory")
    assert found.details[3].startswith("chmod 600 ~/.haima/memory/long_term_memory.json")
    assert {path: path.read_bytes() for path in patient.paths.memory.iterdir()} == before


async def test_memories_that_cannot_be_read_are_a_failure(patient: Patient) -> None:
    patient.paths.facts_file.mkdir(parents=True)
    found = await patient.finding("memory")
    assert (found.state, found.value) == ("fail", "nothing remembered yet")
    assert found.cure
