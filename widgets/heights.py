"""Where each item of a long list begins: heights in lines, summed in blocks of 64."""

from collections.abc import Iterable
from itertools import accumulate

BLOCK = 64
"""Items in a block: finding a line looks at N / 64 sums, then at 64 heights (TUI, architecture)."""


class Heights:
    """Heights of items, and the sums that answer which line belongs to which item."""

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._heights = list(heights)
        self._sums: list[int] = []
        self._total = 0
        self._sum_from(0)

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    @property
    def total(self) -> int:
        """All heights together."""
        return self._total

    def set(self, index: int, height: int) -> None:
        """Corrects one height."""
        change = height - self._heights[index]
        if change:
            self._heights[index] = height
            self._sums[index // BLOCK] += change
            self._total += change

    def splice(self, start: int, removed: int, heights: Iterable[int]) -> None:
        """Puts heights in the place of others; cheap near the end."""
        self._heights[start : start + removed] = heights
        self._sum_from(start // BLOCK)

    def offset(self, index: int) -> int:
        """The first line of an item: the heights before it together."""
        block = index // BLOCK
        return sum(self._sums[:block]) + sum(self._heights[block * BLOCK : index])

    def locate(self, line: int) -> tuple[int, int]:
        """The item a line belongs to, and the line within it; lines beyond the end: the last."""
        if not self._heights:
            return 0, 0
        line = max(0, min(line, self._total - 1))
        index = before = 0
        for block, end in enumerate(accumulate(self._sums)):
            if line < end:
                index = block * BLOCK
                break
            before = end
        for height in self._heights[index:]:
            if line < before + height:
                break
            before += height
            index += 1
        return index, line - before

    def _sum_from(self, block: int) -> None:
        """Sums the blocks from one on anew."""
        heights = self._heights
        self._total -= sum(self._sums[block:])
        fresh = [
            sum(heights[start : start + BLOCK])
            for start in range(block * BLOCK, len(heights), BLOCK)
        ]
        self._sums[block:] = fresh
        self._total += sum(fresh)
