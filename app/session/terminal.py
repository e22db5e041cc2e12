"""What the terminal can do, asked before the app takes it: widths of glyphs, its background.

STYLE 5 and 12: a terminal set to "ambiguous = wide" draws box lines two cells wide, and no setting
tells; so a few signs are printed and the cursor's place is asked for. The answers come while the
screen's modules are loaded, so asking costs nothing; a terminal that doesn't answer costs little.
"""

import contextlib
import os
import re
import select
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TextIO

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

_SEQUENCE = re.compile(rb"\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b.?")


@dataclass(frozen=True, slots=True)
class TerminalAnswers:
    """What it said.

    Attributes:
        widths: cells that each sign took; empty where it didn't say.
        dark: whether its background is dark; None where it didn't say.
        late: answers may still come: they must not be taken for keys.
        typed: what the user typed meanwhile.
    """

    widths: Mapping[str, int]
    dark: bool | None = None
    late: bool = False
    typed: str = ""

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
    """What the terminal's answers mean; the rest was typed."""
    places = [int(column) for column in _POSITION.findall(raw)]
    widths = {}
    if len(places) == len(SIGNS):
        widths = {sign: place - 1 for sign, place in zip(SIGNS, places, strict=True)}
    dark = None
    if found := _COLOUR.search(raw):
        red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in found.groups())
        dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.5
    typed = _SEQUENCE.sub(b"", raw).decode("utf-8", "ignore")
    return TerminalAnswers(widths, dark, late=not _ATTRIBUTES.search(raw), typed=typed)


class TerminalQuestion:
    """Asks on entering, without waiting; `answers` collects what came.

    Args:
        source: where answers come from; standard input.
        target: where questions go; standard output.
    """

    def __init__(self, source: TextIO | None = None, target: TextIO | None = None) -> None:
        self._source = source or sys.__stdin__
        self._target = target or sys.__stdout__
        self._before: list[Any] | None = None
        self._asked_at = 0.0

    def __enter__(self) -> Self:
        """Asks; silent where there is no terminal, or none that can be asked."""
        source, target = self._source, self._target
        with contextlib.suppress(OSError, ValueError, ImportError):
            if source and target and source.isatty() and target.isatty():
                import termios  # noqa: PLC0415 - not on Windows
                import tty  # noqa: PLC0415

                before = termios.tcgetattr(source.fileno())
                tty.setcbreak(source.fileno(), termios.TCSANOW)
                self._before = before
                os.write(target.fileno(), question())
                self._asked_at = time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Gives the terminal back as it was."""
        if self._before is not None and self._source is not None:
            import termios  # noqa: PLC0415 - not on Windows

            with contextlib.suppress(OSError, ValueError):
                termios.tcsetattr(self._source.fileno(), termios.TCSANOW, self._before)

    def answers(self) -> TerminalAnswers:
        """What came; waits only for what may still come in time."""
        if self._before is None or self._source is None:
            return SILENT
        with contextlib.suppress(OSError, ValueError):
            return read_answers(self._collect(self._source.fileno()))
        return SILENT

    def _collect(self, fd: int) -> bytes:
        """What comes until the last answer, or until the time is over."""
        raw = b""
        end = self._asked_at + PATIENCE
        while not _ATTRIBUTES.search(raw):
            ready, _, _ = select.select([fd], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                break
            piece = os.read(fd, 1024)
            if not piece:
                break
            if not raw:
                end = time.monotonic() + _REST
            raw += piece
        return raw


def drop_late(source: TextIO | None = None) -> None:
    """Throws away answers that came too late, before the app would take them for keys."""
    source = source or sys.__stdin__
    with contextlib.suppress(OSError, ValueError, ImportError):
        if source is not None and source.isatty():
            import termios  # noqa: PLC0415 - not on Windows

            termios.tcflush(source.fileno(), termios.TCIFLUSH)
