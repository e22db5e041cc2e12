"""What changed between two texts, as lines for a card."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice
from typing import Literal

from app.boundary import visible
from app.events import DiffLine

CONTEXT = 3
"""Unchanged lines shown around a change."""

MOST_COMPARED = 5_000
"""Changed lines that are compared one by one: SequenceMatcher is quadratic (LIBRARIES, "Diffs")."""

MOST_SHOWN = 1_000
"""Lines of a diff that are kept for a card."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A change in lines.

    Attributes:
        added, removed: how many.
        lines: with context; cut at `MOST_SHOWN`.
    """

    added: int
    removed: int
    lines: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class _Change:
    """Lines of the old text, and the lines of the new one in their place (from 0, end excluded)."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def difference(before: str, after: str) -> Difference:
    """Compares two texts line by line; a line's end belongs to it.

    Where both begin and end alike nothing is searched, so a small change of a big file is cheap;
    call it in a thread nevertheless.
    """
    old, new = _lines(before), _lines(after)
    changes = _changes(old, new)
    return Difference(
        added=sum(change.new_end - change.new_start for change in changes),
        removed=sum(change.old_end - change.old_start for change in changes),
        lines=tuple(islice(_shown(old, new, changes), MOST_SHOWN)),
    )


def _lines(text: str) -> list[str]:
    """The lines with their ends; only LF ends one (`splitlines` knows nine more)."""
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def _changes(old: list[str], new: list[str]) -> list[_Change]:
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    if len(middle_old) + len(middle_new) > MOST_COMPARED:
        return [_Change(start, len(old) - end, start, len(new) - end)]
    matcher = SequenceMatcher(None, middle_old, middle_new, autojunk=False)
    return [
        _Change(start + old_start, start + old_end, start + new_start, start + new_end)
        for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes()
        if tag != "equal"
    ]


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    """How many lines both begin with."""
    same = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        same += 1
    return same


def _shown(
    old: Sequence[str], new: Sequence[str], changes: Sequence[_Change]
) -> Iterator[DiffLine]:
    """The changed lines with those around them, each once."""
    seen = 0
    for number, change in enumerate(changes):
        yield from _signed(new, max(seen, change.new_start - CONTEXT), change.new_start, " ")
        yield from _signed(old, change.old_start, change.old_end, "-")
        yield from _signed(new, change.new_start, change.new_end, "+")
        following = changes[number + 1].new_start if number + 1 < len(changes) else len(new)
        seen = min(change.new_end + CONTEXT, following)
        yield from _signed(new, change.new_end, seen, " ")


def _signed(
    lines: Sequence[str], start: int, end: int, sign: Literal["+", "-", " "]
) -> Iterator[DiffLine]:
    for place in range(start, end):
        text = lines[place].removesuffix("\n").removesuffix("\r")
        yield DiffLine(number=place + 1, sign=sign, text=visible(text))
