"""The four marks of a window: where they stand, what they will cost in turns (STYLE 6 and 14)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

MarkNumber = Literal[1, 2, 3, 4]
"""Fixed: 1 clear, 2 summary in the background, 3 warn, 4 summarise."""

MOST_TURNS = 99
"""Forecasts beyond are shown as `99+`."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The marks of one window, in tokens.

    Attributes:
        clear: results are cleared from here on.
        precompute: a summary is prepared in the background; None: that is off.
        warn: the user is warned.
        summary: the history is summarised.
        min_gain: what a clear must free.
    """

    clear: int
    precompute: int | None
    warn: int
    summary: int
    min_gain: int = 0


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark as it stands now.

    Attributes:
        number: which.
        tokens: where.
        passed: the present use is at or beyond it.
        next: it is the first that is not passed.
        turns: turns until it is reached; None: not known, or it is passed.
    """

    number: MarkNumber
    tokens: int
    passed: bool = False
    next: bool = False
    turns: int | None = None


def marks_of(limits: Limits, used: int, growth: int | None) -> tuple[Mark, ...]:
    """The marks by number.

    Args:
        limits: where they are.
        used: tokens now.
        growth: tokens a turn; None: not known yet.
    """
    places: list[tuple[MarkNumber, int]] = [(1, limits.clear)]
    if limits.precompute is not None:
        places.append((2, limits.precompute))
    places += [(3, limits.warn), (4, limits.summary)]
    ahead = min((tokens for _, tokens in places if tokens > used), default=None)
    first = next((number for number, tokens in places if tokens == ahead), None)
    return tuple(
        Mark(number, tokens, used >= tokens, number == first, turns_to(tokens, used, growth))
        for number, tokens in places
    )


def turns_to(mark: int, used: int, growth: int | None) -> int | None:
    """Turns until a mark is reached, at least 1; None where nothing can be said."""
    if used >= mark or growth is None or growth <= 0:
        return None
    return -(-(mark - used) // growth)


def mark_columns(marks: Sequence[Mark], window: int, width: int) -> dict[MarkNumber, int]:
    """In which cell under the bar each digit stands; each has its own.

    Two that fall into one cell stand side by side, the later one right of the earlier.
    """
    ordered = sorted(marks, key=lambda mark: (mark.tokens, mark.number))
    columns: list[int] = []
    for mark in ordered:
        column = min(width - 1, mark.tokens * width // window)
        columns.append(max(column, columns[-1] + 1) if columns else column)
    most = width - 1
    for index in range(len(columns) - 1, -1, -1):
        columns[index] = min(columns[index], most)
        most = columns[index] - 1
    return {mark.number: column for mark, column in zip(ordered, columns, strict=True)}
