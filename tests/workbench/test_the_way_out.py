"""The real program in a real terminal: it starts, and however it ends it ends cleanly."""

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.session.support import alive
from tests.stem.grown import ROOT, Terminal


@pytest.fixture
def haima(tmp_path: Path) -> Iterator["Demo"]:
    """The demo, started."""
    demo = Demo(tmp_path)
    yield demo
    demo.process.end()


class Demo:
    """`haima --demo` on a pty."""

    def __init__(self, tmp_path: Path) -> None:
        self.home = tmp_path / "home"
        project = tmp_path / "project"
        project.mkdir()
        editor = tmp_path / "editor"
        editor.write_text('#!/bin/sh\nprintf "edited elsewhere" >> "$1"\n')
        editor.chmod(0o755)
        environ = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "TEXTUAL_ANIMATIONS": "none",
            "EDITOR": str(editor),
        }
        self.process = Terminal.start(["--demo", "--project", str(project)], cwd=ROOT, env=environ)
        self.process.expect("This is the demo")
        self.process.expect("#[0-9a-f]{4}")

    def end(self) -> tuple[int | None, str]:
        """The exit code, and what was printed after the screen was given back."""
        rest = self.process.read()
        self.process.wait()
        tail = rest.rpartition("\x1b[?1049l")[2]
        return self.process.exitstatus, re.sub(r"\x1b\[[0-9;?<>=]*[a-zA-Z]", "", tail).strip()

    def ledgers_are_free(self) -> bool:
        """Whether nobody holds a ledger any more."""
        from app.archive.ledger import Ledger

        for path in (self.home / ".haima/history/raw").glob("*.jsonl"):
            Ledger.open(path).close()
        return True


def test_a_draft_is_written_in_the_users_editor(haima: Demo) -> None:
    haima.process.send("draft ")
    haima.process.expect("draft")
    haima.process.send("\x07v")
    haima.process.expect("edited elsewhere")
    haima.process.send("\x15/quit\r")
    assert haima.end() == (0, "")


def test_a_file_in_the_viewer_is_opened_in_the_users_editor(haima: Demo) -> None:
    (haima.home / ".haima/haima.log").write_text("WARNING app: something\n")
    haima.process.send("\x1bOP")
    haima.process.expect("type to find")
    haima.process.send("l")
    haima.process.expect("app: something")
    haima.process.send("o")
    haima.process.expect("edited elsewhere")
    haima.process.send("\x1b")
    haima.process.expect("type to find")
    haima.process.send("\x1b")
    haima.process.expect("This is the demo")
    haima.process.send("/quit\r")
    assert haima.end() == (0, "")


def test_quit(haima: Demo) -> None:
    haima.process.send("/quit\r")
    assert haima.end() == (0, "")


def test_ctrl_c_twice(haima: Demo) -> None:
    haima.process.send("\x03")
    haima.process.expect("again to quit")
    haima.process.send("\x03")
    assert haima.end() == (0, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_end_it_cleanly(haima: Demo, number: signal.Signals) -> None:
    haima.process.send("1\r")
    haima.process.expect("Approve")
    haima.process.kill(number)
    assert haima.end() == (130, "")
    assert haima.ledgers_are_free()


def test_a_closed_terminal_ends_it(haima: Demo) -> None:
    haima.process.send("1\r")
    haima.process.expect("Approve")
    pid = haima.process.pid
    haima.process.hang_up()
    end = time.monotonic() + 60
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert not alive(pid)
    assert haima.ledgers_are_free()
