"""Tokens by turn as columns of cells (STYLE 9, Plot rules)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from app.text.numbers import rounded

EventKind = Literal["summary", "clear", "offload"]
"""What happened to the history in a turn; in one column the first of these is shown."""

EVENT_ORDER: tuple[EventKind, ...] = ("summary", "clear", "offload")

EIGHTHS = 8
_TICK_CELLS = 8
"""Cells between two numbers on the axis, at least."""


@dataclass(frozen=True, slots=True)
class TurnEvent:
    """Something happened to the history in this turn, counted from 1."""

    turn: int
    kind: EventKind


def column_of(turn: int, turns: int, columns: int) -> int:
    """The column in which a turn, counted from 0, begins."""
    return turn * columns // turns


def heights(values: Sequence[int], whole: int, columns: int, rows: int) -> list[int]:
    """The height of each column in eighths of a cell: the largest of its turns.

    Args:
        values: tokens by turn, oldest first.
        whole: tokens at the top.
        columns: cells across; with fewer turns each has several.
        rows: cells up.
    """
    if not values:
        return [0] * columns
    turns = len(values)
    result: list[int] = []
    for column in range(columns):
        last = -(-(column + 1) * turns // columns)
        first = min(-(-column * turns // columns), last - 1)
        most = max(values[first:last])
        height = min(rows * EIGHTHS, rounded(most * rows * EIGHTHS, whole))
        result.append(max(1, height) if most > 0 else 0)
    return result


def row_of(mark: int, whole: int, rows: int) -> int:
    """The row of a mark, counted from the top."""
    return rows - 1 - min(rows - 1, mark * rows // whole)


def event_row(events: Sequence[TurnEvent], turns: int, columns: int) -> dict[int, EventKind]:
    """What stands under which column."""
    shown: dict[int, EventKind] = {}
    for event in events:
        if not 1 <= event.turn <= turns:
            continue
        column = column_of(event.turn - 1, turns, columns)
        before = shown.get(column, event.kind)
        shown[column] = min(before, event.kind, key=EVENT_ORDER.index)
    return shown


def ticks(turns: int, columns: int) -> dict[int, int]:
    """Which turn's end is written under which column."""
    if turns <= 0:
        return {}
    step = 1
    while step * columns < _TICK_CELLS * turns:
        step *= 2
    return {
        column: turn
        for turn in range(0, turns, step)
        if (column := column_of(turn, turns, columns)) + len(str(turn)) <= columns
    }
