"""What the conversation pane lists: the store's items, bursts of successful cards folded.

A row is an item with the blank rows above it. More than six successful cards in a row fold (STYLE
7); a failed, waiting, running or opened card stands between folds. Only the neighbourhood of what
changed is looked at, so a change costs the same in a list of ten thousand.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from app.view.item_list import Change, ItemList
from app.view.items import AnswerItem, CardItem, FoldItem, Item, QueuedItem, UserItem

MOST_LINES = 200
"""A text with more lines is likely folded code; its height is estimated no higher."""

FOLD_OVER = 6
"""So many successful cards in a row stay as they are (STYLE 7)."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the list.

    Attributes:
        item: what it shows.
        gap: blank rows above it.
        lines: about how many lines it takes, gap included, were the list endlessly wide.
        characters: of its text, which wrap; both for a fast estimate of its height.
    """

    item: Item
    gap: int
    lines: int
    characters: int


@dataclass(frozen=True, slots=True)
class Splice:
    """At `start`, `removed` rows went and `added` rows came; equal numbers: they only changed."""

    start: int
    removed: int
    added: int


@dataclass(slots=True)
class _Group:
    """A burst: the store's items `first` to `first + count`, all successful cards."""

    first: int
    count: int = 0
    revision: int = 0
    seconds: float = 0.0
    tools: Counter[str] = field(default_factory=Counter)
    open: bool = False

    def item(self, id: str) -> FoldItem:
        tools = tuple(self.tools.most_common())
        return FoldItem(
            id=f"fold:{id}",
            revision=self.revision,
            count=self.count,
            tools=tools,
            seconds=self.seconds,
            open=self.open,
        )


class TranscriptRows:
    """The rows of a store.

    Args:
        store: whose items are shown.

    Attributes:
        listeners: called with each splice, in order, after it happened.
    """

    def __init__(self, store: ItemList) -> None:
        self.listeners: list[Callable[[Splice], None]] = []
        self._store = store
        self._rows: list[Row] = []
        self._firsts: list[int] = []
        self._groups: list[_Group] = []
        self._group_firsts: list[int] = []
        self._kept: set[str] = set()
        store.listeners.append(self._changed)
        self._rebuild()

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Row:
        return self._rows[index]

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def between(self, start: int, stop: int) -> list[Row]:
        """The rows `start` to `stop`."""
        return self._rows[start:stop]

    def keep(self, id: str) -> None:
        """Never folds a card away again: its reader has opened it."""
        self._kept.add(id)

    def toggle(self, index: int) -> bool:
        """Opens or closes a folded burst.

        Returns:
            Whether the row stands for one.
        """
        group = self._group_at(self._firsts[index]) if index < len(self._firsts) else None
        if group is None or not isinstance(self._rows[index].item, FoldItem):
            return False
        group.open = not group.open
        group.revision += 1
        self._show(group, index, index + 1 + (0 if group.open else group.count))
        return True

    def _rebuild(self) -> None:
        """Lists the whole store anew, telling nobody."""
        listeners, self.listeners = self.listeners, []
        self._groups, self._group_firsts = [], []
        self._firsts = list(range(self._store.settled))
        above: Item | None = None
        self._rows = []
        for item in self._store:
            self._rows.append(_row(item, above))
            above = item
        for index in range(self._store.settled):
            if isinstance(self._store[index], CardItem):
                self._fold(index)
        self.listeners = listeners

    def _changed(self, change: Change) -> None:
        match change.kind:
            case "reset":
                removed = len(self._rows)
                self._rebuild()
                self._tell(Splice(0, removed, len(self._rows)))
            case "lead":
                self._lead(change.stop, change.removed)
            case "insert":
                self._insert(change.start)
            case "remove":
                row = self._below(change.start) - 1
                self._replace(row, row + 1, [], [])
            case "update":
                self._update(change.start)

    def _below(self, index: int) -> int:
        """The row of a hanging item: those are the last rows, one each.

        One less, or more, while the store already lacks, or has, an item that the rows don't.
        """
        return len(self._rows) - (len(self._store) - index)

    def _insert(self, index: int) -> None:
        row = self._below(index) + 1
        settled = index < self._store.settled
        self._replace(row, row, [self._store[index]], [index] if settled else [])
        if settled:
            self._fold(index)

    def _lead(self, added: int, removed: int) -> None:
        """Items came above all others; told as one splice, bursts already folded.

        The burst that stood first may join one that came, so it belongs to what changed.
        """
        for group in self._groups:
            group.first += added - removed
        self._firsts = [first + added - removed for first in self._firsts]
        self._group_firsts = [group.first for group in self._groups]
        stop = bisect_left(self._firsts, self._burst_end(added))
        below = self._rows[stop:]
        listeners, self.listeners = self.listeners, []
        items = [self._store[index] for index in range(added)]
        self._replace(0, removed, items, list(range(added)))
        for index in range(added):
            self._fold(index)
        self.listeners = listeners
        end = len(self._rows) - len(below)
        self._tell(Splice(0, stop, end))
        if below and self._rows[end] is not below[0]:
            self._tell(Splice(end, 1, 1))

    def _burst_end(self, index: int) -> int:
        """The first item behind the burst an item is in, whether that is folded or not."""
        if group := self._group_at(index):
            return group.first + group.count
        return self._reach(index, 1) + 1 if self._foldable(index) else index

    def _update(self, index: int) -> None:
        item = self._store[index]
        if index >= self._store.settled:
            row = self._below(index)
            self._replace(row, row + 1, [item], [])
            return
        group = self._group_at(index)
        if group is None or group.open:
            row = bisect_right(self._firsts, index) - 1
            self._replace(row, row + 1, [item], [index])
        self._fold(index)

    def _fold(self, index: int) -> None:
        """Folds the burst around an item, if there is one."""
        if not self._foldable(index) or self._group_at(index):
            return
        before = self._group_at(index - 1) if index else None
        first = before.first if before else self._reach(index, -1)
        after = self._group_at(index + 1)
        end = after.first + after.count if after else self._reach(index, 1) + 1
        if end - first <= FOLD_OVER:
            return
        start = bisect_left(self._firsts, first)
        stop = bisect_left(self._firsts, end)
        group = before or _Group(first, open=bool(after and after.open))
        for added in range(first + group.count, end):
            card = self._store[added]
            if isinstance(card, CardItem):
                group.tools[card.tool] += 1
                group.seconds += card.seconds
        group.count = end - first
        group.revision += 1
        if after:
            self._forget(after)
        if not before:
            at = bisect_left(self._group_firsts, first)
            self._groups.insert(at, group)
            self._group_firsts.insert(at, first)
        if before and before.open and not after:
            self._replace(start, start + 1, [self._header(group)], [first])
        else:
            self._show(group, start, stop)

    def _show(self, group: _Group, start: int, stop: int) -> None:
        """Puts a burst's rows in the place of the rows `start` to `stop`."""
        cards = range(group.first, group.first + group.count) if group.open else ()
        items = [self._header(group), *(self._store[card] for card in cards)]
        self._replace(start, stop, items, [group.first, *cards])

    def _header(self, group: _Group) -> Item:
        return group.item(self._store[group.first].id)

    def _forget(self, group: _Group) -> None:
        at = bisect_left(self._group_firsts, group.first)
        del self._groups[at], self._group_firsts[at]

    def _group_at(self, index: int) -> _Group | None:
        """The burst an item is folded in."""
        at = bisect_right(self._group_firsts, index) - 1
        group = self._groups[at] if at >= 0 else None
        return group if group and index < group.first + group.count else None

    def _foldable(self, index: int) -> bool:
        if not 0 <= index < self._store.settled:
            return False
        item = self._store[index]
        return isinstance(item, CardItem) and item.status == "ok" and item.id not in self._kept

    def _reach(self, index: int, step: int) -> int:
        """The last of the foldable cards without a burst that follow an item in a direction."""
        while self._foldable(index + step) and not self._group_at(index + step):
            index += step
        return index

    def _replace(self, start: int, stop: int, items: list[Item], firsts: list[int]) -> None:
        """Puts items in the place of rows, sees to the gap below them and tells."""
        above = self._rows[start - 1].item if start else None
        rows: list[Row] = []
        for item in items:
            rows.append(_row(item, above))
            above = item
        self._rows[start:stop] = rows
        self._firsts[start : min(stop, len(self._firsts))] = firsts
        self._tell(Splice(start, stop - start, len(items)))
        end = start + len(items)
        if end < len(self._rows):
            below = _row(self._rows[end].item, above)
            if below.gap != self._rows[end].gap:
                self._rows[end] = below
                self._tell(Splice(end, 1, 1))

    def _tell(self, splice: Splice) -> None:
        for listener in self.listeners:
            listener(splice)


def _row(item: Item, above: Item | None) -> Row:
    """The row of an item below another."""
    gap = _gap(item, above)
    match item:
        case AnswerItem(text=text) | UserItem(text=text) | QueuedItem(text=text):
            return Row(item, gap, gap + 1 + min(text.count("\n"), MOST_LINES), len(text))
        case CardItem():
            said = item.status in ("failed", "waiting", "refused")
            return Row(item, gap, gap + 1 + said, 0)
        case _:
            return Row(item, gap, gap + 1, 0)


def _gap(item: Item, above: Item | None) -> int:
    """Blank rows above an item: one between blocks, none inside a burst or a list (STYLE 3)."""
    if above is None:
        return 0
    match item:
        case AnswerItem():
            return 0 if item.joined else 1
        case CardItem() | FoldItem():
            return 0 if isinstance(above, CardItem | FoldItem) else 1
        case QueuedItem():
            return 0 if isinstance(above, QueuedItem) else 1
        case _:
            return 1
