"""What the terminal can do, asked before the app takes it: widths of glyphs, its background.

STYLE 5 and 12: a terminal set to "ambiguous = wide" draws box lines two cells wide, and no setting
tells; so a few signs are printed and the cursor's place is asked for. A terminal that doesn't
answer costs a tenth of a second.
"""

import contextlib
import os
import re
import select
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TextIO

PATIENCE = 0.1
"""Seconds until the first answer; one that doesn't answer by then isn't waited for."""

_REST = 0.4
"""Seconds for the rest, once something came (a slow line)."""

SIGNS = ("─", "≈", "●", "海")
"""Three of ambiguous width that Haima draws, and one that takes two cells anywhere."""

_POSITION = re.compile(rb"\x1b\[\d+;(\d+)R")
_COLOUR = re.compile(rb"\x1b\]11;rgba?:([0-9a-fA-F]+)/([0-9a-fA-F]+)/([0-9a-fA-F]+)")
_ATTRIBUTES = re.compile(rb"\x1b\[\?[\d;]*c")
"""Every terminal answers what it is (DA1); asked last, it ends the answers."""


@dataclass(frozen=True, slots=True)
class TerminalAnswers:
    """What it said.

    Attributes:
        widths: cells that each sign took; empty where it didn't say.
        dark: whether its background is dark; None where it didn't say.
        late: answers may still come: they must not be taken for keys.
    """

    widths: Mapping[str, int]
    dark: bool | None = None
    late: bool = False

    @property
    def ambiguous_wide(self) -> bool:
        """Whether glyphs of ambiguous width take two cells."""
        return any(self.widths.get(sign, 1) > 1 for sign in SIGNS[:3])


SILENT = TerminalAnswers({})


def question() -> bytes:
    """Prints each sign at the line's start and asks where that left the cursor; then the colour."""
    measured = "".join(f"\r{sign}\x1b[6n" for sign in SIGNS)
    return f"{measured}\r\x1b[K\x1b]11;?\x1b\\\x1b[c".encode()


def read_answers(raw: bytes) -> TerminalAnswers:
    """What the terminal's answers mean."""
    places = [int(column) for column in _POSITION.findall(raw)]
    widths = {}
    if len(places) == len(SIGNS):
        widths = {sign: place - 1 for sign, place in zip(SIGNS, places, strict=True)}
    dark = None
    if found := _COLOUR.search(raw):
        red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in found.groups())
        dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.5
    return TerminalAnswers(widths, dark, late=not _ATTRIBUTES.search(raw))


def ask_terminal(source: TextIO | None = None, target: TextIO | None = None) -> TerminalAnswers:
    """Asks; silent where there is no terminal, or none that can be asked.

    Args:
        source: where answers come from; standard input.
        target: where questions go; standard output.
    """
    source, target = source or sys.__stdin__, target or sys.__stdout__
    try:
        if source is None or target is None or not (source.isatty() and target.isatty()):
            return SILENT
        with _unechoed(source.fileno()):
            os.write(target.fileno(), question())
            return read_answers(_collect(source.fileno()))
    except (OSError, ValueError, ImportError):
        return SILENT


def _collect(fd: int) -> bytes:
    """What comes until the last answer, or until the time is over."""
    raw = b""
    end = time.monotonic() + PATIENCE
    while (left := end - time.monotonic()) > 0 and not _ATTRIBUTES.search(raw):
        ready, _, _ = select.select([fd], [], [], left)
        if not ready:
            break
        piece = os.read(fd, 1024)
        if not piece:
            break
        if not raw:
            end += _REST
        raw += piece
    return raw


def drop_late(source: TextIO | None = None) -> None:
    """Throws away answers that came too late, before the app would take them for keys."""
    source = source or sys.__stdin__
    with contextlib.suppress(OSError, ValueError, ImportError):
        if source is not None and source.isatty():
            import termios  # noqa: PLC0415 - not on Windows

            termios.tcflush(source.fileno(), termios.TCIFLUSH)


@contextlib.contextmanager
def _unechoed(fd: int) -> Iterator[None]:
    """Answers are neither shown nor held back until Enter."""
    import termios  # noqa: PLC0415 - not on Windows
    import tty  # noqa: PLC0415

    before = termios.tcgetattr(fd)
    try:
        tty.setcbreak(fd, termios.TCSANOW)
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSANOW, before)
