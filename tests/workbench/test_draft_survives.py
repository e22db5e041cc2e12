"""The real program in a real terminal: the draft outlives signals and a pulled plug."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.archive.ledger import Ledger
from app.project import Project
from tests.session.support import alive
from tests.stem.grown import ROOT, Terminal

TEXT = "half a thought"


class Terminals:
    """`haima` on ptys, all in one project, connected to a port where nobody is."""

    def __init__(self, tmp_path: Path) -> None:
        self.home = tmp_path / "home"
        self.project = tmp_path / "project"
        self.project.mkdir()
        self.open: list[Terminal] = []

    @property
    def draft(self) -> Path:
        return self.home / ".haima" / "projects" / Project(self.project).slug / "draft.md"

    def start(self) -> Terminal:
        process = Terminal.start(
            ["--project", str(self.project), "--lang", "en"],
            cwd=ROOT,
            env={
                "HOME": str(self.home),
                "PATH": os.environ["PATH"],
                "TERM": "xterm-256color",
                "COLORTERM": "truecolor",
                "LANG": "C.UTF-8",
                "TEXTUAL_ANIMATIONS": "none",
                "HAIMA_MODEL": "nobody",
                "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
                "OPENAI_API_KEY": "sk-none",
            },
        )
        self.open.append(process)
        process.expect("Nothing has been said")
        process.expect("#[0-9a-f]{4}")
        return process

    def ends(self, process: Terminal) -> None:
        """Reads what comes until it is over."""
        process.read()
        process.wait()


@pytest.fixture
def terminals(tmp_path: Path) -> Iterator[Terminals]:
    terminals = Terminals(tmp_path)
    yield terminals
    for process in terminals.open:
        process.end()


def come_true(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_signal_keeps_the_draft(terminals: Terminals, number: signal.Signals) -> None:
    first = terminals.start()
    first.send(TEXT)
    first.expect("thought")
    first.kill(number)
    terminals.ends(first)
    assert first.exitstatus == 130
    assert terminals.draft.read_text() == TEXT
    for ledger in (terminals.home / ".haima/history/raw").glob("*.jsonl"):
        Ledger.open(ledger).close()
    second = terminals.start()
    second.expect(TEXT)


def test_a_closed_terminal_keeps_the_draft(terminals: Terminals) -> None:
    first = terminals.start()
    first.send(TEXT)
    first.expect("thought")
    pid = first.pid
    first.hang_up()
    come_true(lambda: not alive(pid))
    assert terminals.draft.read_text() == TEXT


def test_a_kill_loses_what_was_typed_in_the_last_half_second_only(terminals: Terminals) -> None:
    first = terminals.start()
    first.send(TEXT)
    come_true(terminals.draft.exists)
    first.kill(signal.SIGKILL)
    terminals.ends(first)
    second = terminals.start()
    second.expect(TEXT)
    third = terminals.start()
    third.send("another")
    come_true(lambda: terminals.draft.with_name("draft-2.md").exists())
    assert terminals.draft.read_text() == TEXT
