"""Notices a model that writes the same lines over and over (PROVIDERS 4, fault 17). Pure.

Rather too late than wrongly: equal lines are right where the user asked for them, in a table of
zeros, a log, a test vector. Arguments of calls aren't looked at: files may hold anything.
"""

import re
from collections import deque

from app.llm.fences import Fence

_TIMES = 400
"""So often in a row no answer says a thing; what runs away says it until its limit."""

_TIMES_OF_DATA = 4_000
"""The same for data and code: it is shorter to say how often than to write it."""

_BLOCK = 4
"""Lines of the longest piece that is looked for: a sentence, a blank line, another sentence."""

_LETTER = re.compile(r"[^\W\d_]")
_PUT_TOGETHER = re.compile(r"[,;|=(){}<>\[\]\"]")
_ROW = ("    ", "\t", "|")
"""How lines of code and rows of tables begin."""


class Repetition:
    """Follows one text as it streams, line by line."""

    def __init__(self) -> None:
        self._begun: list[str] = []
        self._last: deque[str] = deque(maxlen=_BLOCK)
        self._runs = [0] * _BLOCK
        self._fence = Fence()

    def feed(self, text: str) -> bool:
        """Takes in a piece; whether the same few lines have come too often by now.

        Only whole lines count, so that one endless line costs nothing but its memory.
        """
        first, *others = text.split("\n")
        self._begun.append(first)
        if not others:
            return False
        *whole, rest = "".join(self._begun), *others
        self._begun = [rest]
        return any(self._again(line) for line in whole)

    def _again(self, line: str) -> bool:
        for before in range(1, _BLOCK + 1):
            same = len(self._last) >= before and self._last[-before] == line
            self._runs[before - 1] = self._runs[before - 1] + 1 if same else 0
        self._last.append(line)
        fenced = self._fence.feed(line)
        return any(
            run >= _TIMES * lines and self._too_often(run, lines, fenced=fenced)
            for lines, run in enumerate(self._runs, 1)
        )

    def _too_often(self, run: int, lines: int, *, fenced: bool) -> bool:
        """Whether what its last lines say came too often; blank lines say nothing."""
        piece = [line for line in list(self._last)[-lines:] if line.strip()]
        if fenced or all(map(_is_data, piece)):
            return bool(piece) and run >= _TIMES_OF_DATA * lines
        return True


def _is_data(line: str) -> bool:
    """Whether a line is a value or a row, as `0x00,` and `| - | - |` are, and no sentence."""
    if line.startswith(_ROW) or not _LETTER.search(line):
        return True
    return len(line.split(maxsplit=1)) == 1 and _PUT_TOGETHER.search(line) is not None
