"""What the terminal says before the app takes it, asked of one we play ourselves."""

import os
import pty
import select
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.session import terminal as asking_module
from app.session.terminal import (
    SIGNS,
    SILENT,
    TerminalAnswers,
    TerminalQuestion,
    question,
    read_answers,
)

NARROW = b"\x1b[1;2R" * 3 + b"\x1b[1;3R"
WIDE = b"\x1b[1;3R" * 4
DARK = b"\x1b]11;rgb:1010/1515/1a1a\x1b\\"
LIGHT = b"\x1b]11;rgb:fb/fc/fc\x07"
END = b"\x1b[?62;4c"

LONG = 60.0
"""Seconds that no machine takes for an answer that is on its way."""


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, the rest of an answer comes in time."""
    monkeypatch.setattr(asking_module, "_REST", LONG)


@contextmanager
def terminal(*answers: bytes, pause: float = 0.0) -> Iterator[int]:
    """A terminal that gives these answers to the question; the program's side of it."""
    ours, theirs = pty.openpty()

    def play() -> None:
        heard = b""
        while not heard.endswith(b"\x1b[c"):
            heard += os.read(ours, 1024)
        for answer in answers:
            time.sleep(pause)
            os.write(ours, answer)

    thread = threading.Thread(target=play, daemon=True)
    thread.start()
    try:
        yield theirs
    finally:
        thread.join(5)
        os.close(ours)
        os.close(theirs)


def asked(*answers: bytes, pause: float = 0.0) -> tuple[TerminalAnswers, bytes]:
    """What was understood, and what is left to be read as keys."""
    with terminal(*answers, pause=pause) as fd:
        with (
            os.fdopen(os.dup(fd), "r", closefd=True) as source,
            os.fdopen(os.dup(fd), "w", closefd=True) as target,
            TerminalQuestion(source, target) as asking,
        ):
            if answers:  # the first is there, as it is where the screen's modules are loaded
                select.select([fd], [], [], LONG)
            understood = asking.answers()
        os.set_blocking(fd, False)
        try:
            left = os.read(fd, 1024)
        except BlockingIOError:
            left = b""
        return understood, left


def test_a_usual_terminal() -> None:
    understood, left = asked(NARROW + DARK + END)
    assert understood == read_answers(NARROW + DARK + END)
    answers = read_answers(NARROW + DARK + END)
    assert answers.widths == {"─": 1, "≈": 1, "●": 1, "海": 2}
    assert answers.dark is True and not answers.late and not answers.ambiguous_wide
    assert left == b""


def test_a_terminal_with_wide_ambiguous_characters_and_a_light_background() -> None:
    answers = read_answers(WIDE + LIGHT + END)
    assert answers.ambiguous_wide
    assert answers.dark is False


def test_a_slow_line_is_waited_for_once_it_began(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking_module, "PATIENCE", 0.0)
    understood, left = asked(NARROW, DARK, END, pause=0.02)
    assert understood == read_answers(NARROW + DARK + END)
    assert left == b""


def test_a_silent_terminal_costs_little_and_may_answer_late() -> None:
    begun = time.monotonic()
    understood, _ = asked()
    assert time.monotonic() - begun < LONG, "not as long as one that began to answer"
    assert understood == read_answers(b"")
    assert read_answers(b"").late and read_answers(b"").dark is None


@pytest.mark.parametrize(
    "raw", [b"\x1b[1;2R", b"\x1b]11;nonsense\x07", b"\xff\xfe", b"\x1b[999;999R" * 9]
)
def test_strange_answers_mean_nothing(raw: bytes) -> None:
    answers = read_answers(raw)
    assert answers.widths == {} and answers.dark is None


def test_without_a_terminal_nothing_is_asked() -> None:
    nowhere = Path(os.devnull)
    with (
        nowhere.open() as source,
        nowhere.open("w") as target,
        TerminalQuestion(source, target) as asking,
    ):
        assert asking.answers() == SILENT


def test_the_question_cleans_up_behind_itself() -> None:
    asked_for = question().decode()
    assert asked_for.count("\x1b[6n") == len(SIGNS)
    assert asked_for.index("\x1b[K") > asked_for.index(SIGNS[-1])


def test_what_was_typed_meanwhile_is_kept_apart() -> None:
    understood, left = asked(b"ls" + NARROW + "好\r".encode() + DARK + END)
    assert understood.typed == "ls好\n"
    assert understood.widths["海"] == 2 and left == b""
