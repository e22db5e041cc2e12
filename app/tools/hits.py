"""What a search looks for and what it finds, whichever program searches."""

from dataclasses import dataclass
from pathlib import Path

from app.tools.glob import Glob

MOST_HITS = 200
"""Hits shown (issue 2, "Edits")."""

LONGEST_HIT = 300
"""Characters of a line shown (issue 2, "Edits")."""


@dataclass(frozen=True, slots=True)
class Query:
    """A search.

    Attributes:
        pattern: a regular expression, searched line by line.
        root: the project's root.
        target: the folder or file that is searched, resolved.
        folder: `target` relative to the root, "" for the root itself.
        glob: which files, or None: all.
        whole_folder: `target` is itself ignored, so rules above it don't count.
    """

    pattern: str
    root: Path
    target: Path
    folder: str
    glob: Glob | None
    whole_folder: bool

    def wants(self, path: str) -> bool:
        """Whether a file (relative to the root) is to be searched."""
        return self.glob is None or self.glob.matches(path, self.folder)


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that matches.

    Attributes:
        path: relative to the root.
        line: number, from 1.
        text: the line, invalid bytes as escapes.
        start: where the first match begins in `text`.
    """

    path: str
    line: int
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Found:
    """What a search gave.

    Attributes:
        hits: by path and line, at most `MOST_HITS`.
        more: there are more.
        timed_out: it was stopped before it had seen everything.
        problem: why the pattern can't be searched for, in the words of the program; else "".
    """

    hits: tuple[Hit, ...] = ()
    more: bool = False
    timed_out: bool = False
    problem: str = ""
