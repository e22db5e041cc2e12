"""The bar of the gauge in eighths of a cell (STYLE 6, "Bar, exactly").

A terminal cell shows two colours at most, so two boundaries never fall into one cell; where they
would, they move by less than a cell. The numbers stand in the legend.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from app.text.numbers import rounded

PartName = Literal["system", "memory", "history", "results", "free", "reserve", "over"]
"""What a stretch of the bar stands for; `over` marks that the history is larger than the window."""

EIGHTHS = 8
LEAST = 2
"""Eighths of the smallest part that is there at all."""

_WIDENED = 3
"""Eighths of a part whose left neighbour gave its share of a cell away."""


@dataclass(frozen=True, slots=True)
class GaugeParts:
    """What the history is made of, in tokens.

    Attributes:
        system: system message and tools.
        memory: remembered facts.
        history: messages, answers, calls, summary, recovery.
        results: tool results.
    """

    system: int = 0
    memory: int = 0
    history: int = 0
    results: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.system + self.memory + self.history + self.results

    def named(self) -> tuple[tuple[PartName, int], ...]:
        """Each part with its tokens, as they stand in the bar."""
        return (
            ("system", self.system),
            ("memory", self.memory),
            ("history", self.history),
            ("results", self.results),
        )

    def fitted(self, total: int) -> "GaugeParts":
        """The same proportions with another sum; the rest of rounding goes to the history."""
        if self.total == total:
            return self
        if self.total <= 0:
            return GaugeParts(history=total)
        system = self.system * total // self.total
        memory = self.memory * total // self.total
        results = self.results * total // self.total
        return GaugeParts(system, memory, total - system - memory - results, results)


@dataclass(frozen=True, slots=True)
class BarCell:
    """One cell.

    Attributes:
        left: the part at its left, or in all of it.
        right: the part at its right; None: there is none.
        eighths: how much of the cell is `left`: 8, or 1 to 7 where there is a right part.
    """

    left: PartName
    right: PartName | None = None
    eighths: int = EIGHTHS


@dataclass(frozen=True, slots=True)
class Stretch:
    """One part of the bar: it ends `end` eighths from the left edge."""

    part: PartName
    end: int


def bar(parts: GaugeParts, window: int, reserve: int, width: int) -> list[BarCell]:
    """The bar's cells, exactly `width`.

    Args:
        parts: what is used.
        window: tokens of the window, above 0.
        reserve: tokens kept free at the right end, as the legend shows them.
        width: cells, at least 12 (STYLE 6).
    """
    cells: list[BarCell] = []
    stretches = stretched(parts, window, reserve, width)
    start = 0
    for index in range(width):
        first, last = index * EIGHTHS, (index + 1) * EIGHTHS
        while stretches[start].end <= first:
            start += 1
        here = stretches[start]
        if here.end >= last:
            cells.append(BarCell(here.part))
        else:
            cells.append(BarCell(here.part, stretches[start + 1].part, here.end - first))
    return cells


def letters(parts: GaugeParts, window: int, reserve: int, width: int) -> list[PartName]:
    """The bar for terminals that can't draw eighths: the part of each cell, none left out."""
    row: list[PartName] = []
    stretches = stretched(parts, window, reserve, width)
    for index, stretch in enumerate(stretches):
        after = len(stretches) - 1 - index
        end = max(len(row) + 1, -(-stretch.end // EIGHTHS))
        row += [stretch.part] * (min(end, width - after) - len(row))
    return row


def stretched(parts: GaugeParts, window: int, reserve: int, width: int) -> list[Stretch]:
    """The parts that are there, from left to right; the last one ends at the right edge."""
    over = parts.total > window
    tail = 1 if over else reserve_cells(reserve, window, width)
    room = (width - tail) * EIGHTHS
    scale, whole = (room, parts.total) if over else (width * EIGHTHS, window)
    names: list[PartName] = []
    wanted: list[int] = []
    done = 0
    for name, size in parts.named():
        if size > 0:
            done += size
            names.append(name)
            wanted.append(rounded(done * scale, whole))
    free = not over and done + reserve < window
    ends = _placed(wanted, room, last=free)
    stretches = [Stretch(name, end) for name, end in zip(names, ends, strict=True)]
    if not stretches or stretches[-1].end < room:
        if over:
            stretches[-1] = Stretch(stretches[-1].part, room)
        else:
            stretches.append(Stretch("free", room))
    if tail:
        stretches.append(Stretch("over" if over else "reserve", width * EIGHTHS))
    return stretches


def reserve_cells(reserve: int, window: int, width: int) -> int:
    """Whole cells of the reserve; at least one where there is any."""
    return max(1, rounded(reserve * width, window)) if reserve > 0 else 0


def _placed(wanted: Sequence[int], room: int, *, last: bool) -> list[int]:
    """The ends of parts, near to where they are wanted, so that each can be drawn.

    Each part is at least `LEAST` wide and no cell holds two ends, but at its edges.

    Args:
        wanted: the ends by proportion, ascending.
        room: eighths there are.
        last: another part follows, so the last end leaves room for it.
    """
    latest = _latest(len(wanted), room, last=last)
    ends: list[int] = []
    for want, most in zip(wanted, latest, strict=True):
        before = ends[-1] if ends else 0
        end = min(max(want, before + LEAST), most)
        if _share_cell(before, end):
            cell = before - before % EIGHTHS
            start = ends[-2] if len(ends) > 1 else 0
            if cell - start >= LEAST:
                ends[-1] = cell
                end = max(end, cell + _WIDENED)
            else:
                end = cell + EIGHTHS
        ends.append(end)
    return ends


def _latest(count: int, room: int, *, last: bool) -> list[int]:
    """The furthest right that each end may lie and all that follow still be drawn."""
    latest = [room]
    while len(latest) < count + last:
        after = latest[-1]
        whole = after % EIGHTHS == 0
        latest.append(after - LEAST if whole else after - after % EIGHTHS)
    return latest[::-1][:count]


def _share_cell(first: int, second: int) -> bool:
    """Whether two ends lie inside one cell."""
    inside = first % EIGHTHS and second % EIGHTHS
    return bool(inside) and first // EIGHTHS == second // EIGHTHS
