"""Which lines of a long list are in view, and how its reader's place is kept.

The place is an item and a line within it, never a number of lines from the top: heights of items
not yet seen are estimates, and correcting one must not move what is read. Items are drawn when they
come into view, and their heights are exact from then on.
"""

from typing import NamedTuple

from textual.cache import LRUCache
from textual.strip import Strip

from widgets.heights import Heights
from widgets.list_source import Lines, ListSource

CACHED = 400
"""Drawn items kept (TUI, architecture)."""


class Place(NamedTuple):
    """A line of an item."""

    item: int
    line: int


class ShownLine(NamedTuple):
    """A line in view, and whose it is."""

    strip: Strip
    item: int
    line: int
    live: bool


class Viewport:
    """A window of `height` lines on the items of a source.

    Attributes:
        width: cells of a line; 0 before the first layout.
        height: lines in view.
        top: the first line in view.
        following: the end stays in view as items come.
        current: the item under the cursor, to be drawn so; None: none.
    """

    def __init__(self, source: ListSource) -> None:
        self.source = source
        self.width = 0
        self.height = 0
        self.top = Place(0, 0)
        self.following = True
        self.current: int | None = None
        self._heights = Heights()
        self._drawn: LRUCache[object, Lines] = LRUCache(CACHED)
        self._seen = range(0)

    @property
    def total(self) -> int:
        """Lines of all items, as far as known."""
        return self._heights.total

    @property
    def top_line(self) -> int:
        """The first line in view, counted from the first item's."""
        return self._heights.offset(self.top.item) + self.top.line if self._heights else 0

    @property
    def seen(self) -> range:
        """The items in view when `show` last ran."""
        return self._seen

    def resize(self, width: int, height: int) -> None:
        """Takes another size; the item on top stays there, at about the same line."""
        self.height = height
        if width == self.width and self._heights:
            return
        self.width = width
        index, line = self.top
        before = self._heights[index] if index < len(self._heights) else 1
        self.restart()
        if line and index < len(self.source):
            line = line * self._measure(index) // max(1, before)
        self.top = Place(index, line)

    def restart(self) -> None:
        """Items look different now (theme, words, width): all heights are estimates again."""
        self._drawn.clear()
        self._seen = range(0)
        count = len(self.source)
        self._heights = Heights(self.source.estimate(0, count, self.width) if self.width else ())
        if self.top.item >= count:
            self.top = Place(max(0, count - 1), 0)

    def forget_drawn(self) -> None:
        """Items have other colours but the same heights."""
        self._drawn.clear()

    def splice(self, start: int, removed: int, added: int) -> None:
        """The source's items changed: see `moved`; equal numbers: they look different."""
        if not self.width:
            return
        if removed == added:
            for index in range(start, start + added):
                if index not in self._seen:
                    (height,) = self.source.estimate(index, index + 1, self.width)
                    self._heights.set(index, height)
            return
        stays = start + removed
        kept = not start <= self.top.item < stays
        above = None if kept or stays not in self._seen else self._lines_above(stays)
        estimates = self.source.estimate(start, start + added, self.width)
        self._heights.splice(start, removed, estimates)
        index = moved(self.top.item, start, removed, added)
        self.top = Place(max(0, min(index, len(self._heights) - 1)), self.top.line if kept else 0)
        self._seen = range(0)
        if above is not None and not self.following:
            self.top = Place(start + added, 0)
            self.scroll(-above)

    def scroll(self, lines: int) -> None:
        """Moves by exactly so many lines, whatever the heights of the items passed turn out."""
        if lines < 0:
            self.following = False
        index, line = self.top
        line += lines
        while line < 0 and index > 0:
            index -= 1
            line += self._measure(index)
        last = len(self._heights) - 1
        while index < last and line >= (height := self._measure(index)):
            line -= height
            index += 1
        self.top = Place(index, max(0, line))

    def jump(self, line: int) -> None:
        """Goes to a line counted from the first item's, as far as heights are known."""
        self.following = False
        self.top = Place(*self._heights.locate(line))

    def reveal(self, index: int) -> None:
        """Moves as little as possible so that an item is wholly in view, its top at least."""
        height = self._measure(index)
        if index < self.top.item or (index == self.top.item and self.top.line):
            self.top = Place(index, 0)
            return
        above = -self.top.line
        for other in range(self.top.item, index):
            above += self._measure(other)
            if above >= self.height:
                break
        if above + height <= self.height:
            return
        self.top = Place(index, 0)
        if height < self.height:
            room = self.height - height
            following, self.following = self.following, False
            self.scroll(-room)
            self.following = following

    def show(self, *, reach_end: bool = False) -> list[ShownLine]:
        """The lines in view, after correcting what was estimated.

        Args:
            reach_end: the reader moves down: following begins where the end comes into view.
        """
        count = len(self._heights)
        if not count or not self.width or self.height <= 0:
            self.top, self._seen = Place(0, 0), range(0)
            return []
        if self.following:
            self.top = self._bottom()
        else:
            index, line = self.top
            self.top = Place(index, max(0, min(line, self._measure(index) - 1)))
            if self._fill() <= self.height:
                bottom = self._bottom()
                self.top = min(self.top, bottom)
                self.following = reach_end
        lines: list[ShownLine] = []
        index, skip = self.top
        while index < count and len(lines) < self.height:
            drawn = self._draw(index)
            stop = min(len(drawn.strips), skip + self.height - len(lines))
            lines.extend(
                ShownLine(drawn.strips[line], index, line, line in drawn.live)
                for line in range(skip, stop)
            )
            index, skip = index + 1, 0
        self._seen = range(self.top.item, index)
        return lines

    def lines(self, index: int) -> Lines:
        """An item as it is drawn."""
        return self._draw(index)

    def hidden_lines(self, index: int, step: int) -> int:
        """How many lines of an item on an edge of the view lie beyond that edge."""
        before = sum(self._measure(other) for other in range(self.top.item, index))
        first = before - self.top.line
        return max(0, -first if step < 0 else first + self._measure(index) - self.height)

    def _lines_above(self, index: int) -> int:
        """Lines between the top of the view and an item in it."""
        return sum(self._heights[item] for item in range(self.top.item, index)) - self.top.line

    def _bottom(self) -> Place:
        """The top of the last screenful; the very top where all fits."""
        room = self.height
        for index in range(len(self._heights) - 1, -1, -1):
            room -= self._measure(index)
            if room <= 0:
                return Place(index, -room)
        return Place(0, 0)

    def _fill(self) -> int:
        """Lines from the top to the end, counted no further than the window reaches."""
        filled = -self.top.line
        for index in range(self.top.item, len(self._heights)):
            filled += self._measure(index)
            if filled > self.height:
                break
        return filled

    def _measure(self, index: int) -> int:
        """The exact height of an item."""
        height = len(self._draw(index).strips)
        self._heights.set(index, height)
        return height

    def _draw(self, index: int) -> Lines:
        current = index == self.current
        key = (self.source.key(index), self.width, current)
        drawn = self._drawn.get(key)
        if drawn is None:
            drawn = self.source.render(index, self.width, current=current)
            self._drawn[key] = drawn
        return drawn


def differing(before: list[ShownLine], now: list[ShownLine]) -> list[int]:
    """The lines of a view that are not the very same strip as before."""
    same = min(len(before), len(now))
    changed = [y for y in range(same) if before[y].strip is not now[y].strip]
    return [*changed, *range(same, max(len(before), len(now)))]


def moved(index: int, start: int, removed: int, added: int) -> int:
    """Where an item is after `removed` items at `start` gave way to `added`.

    What came in at an item's own place came before it; an item that went leaves its place.
    """
    if index < start:
        return index
    if index >= start + removed:
        return index + added - removed
    return min(index, start + max(0, added - 1))
