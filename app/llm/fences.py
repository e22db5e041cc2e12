"""Which lines of an answer are code, in fences. Pure.

A little wider than Markdown: a fence may stand at any depth, in a list or a quotation. Haima looks
for faults in what the model says itself; what it quotes is never one.
"""

import re

_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})(.*)")


class Fence:
    """Follows a text line by line."""

    def __init__(self) -> None:
        self._open = ""

    @property
    def inside(self) -> bool:
        """Whether what comes next is code."""
        return bool(self._open)

    def feed(self, line: str) -> bool:
        """Takes the next line, without its end; whether it is code or the edge of some."""
        marks = _FENCE.match(line)
        if self._open:
            if marks and marks[1].startswith(self._open) and not marks[2].strip():
                self._open = ""
            return True
        if marks and not (marks[1][0] == "`" and "`" in marks[2]):
            self._open = marks[1]
        return self.inside
