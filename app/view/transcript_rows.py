"""What the conversation pane lists: the store's items, bursts of successful cards folded.

A row is an item with the blank rows above it. More than six successful cards in a row fold; of many
cleared ones in a row three stay (STYLE 7 and 14). A failed, waiting, running or opened card stands
between folds, and one whose result just went to a file. Only the neighbourhood of what changed is
looked at, so a change costs the same in a list of ten thousand.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from app.view.bursts import CLEARED_SHOWN, Burst, BurstKind
from app.view.item_list import Change, ItemList
from app.view.items import (
    AnswerItem,
    CardItem,
    FoldItem,
    Item,
    MoreClearedItem,
    QueuedItem,
    SummaryMarkItem,
    UserItem,
)

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
        self._groups: list[Burst] = []
        self._group_firsts: list[int] = []
        self._kept: set[str] = set()
        self._revisions = 0
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
        if group is None or not isinstance(self._rows[index].item, FoldItem | MoreClearedItem):
            return False
        group.open = not group.open
        self._revise(group)
        hidden = group.count - group.shown
        self._show(group, index, index + 1 + (0 if group.open else hidden), shown=False)
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
            case "update" if change.stop - change.start > 1 or self._leaves(change.start):
                self._update_stretch(change.start, change.stop)
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
        return self._reach(index, 1) + 1 if self._kind(index) else index

    def _update(self, index: int) -> None:
        item = self._store[index]
        if index >= self._store.settled:
            row = self._below(index)
            self._replace(row, row + 1, [item], [])
            return
        group = self._group_at(index)
        if group is None or group.open or index < group.first + group.shown:
            row = bisect_right(self._firsts, index) - 1
            self._replace(row, row + 1, [item], [index])
        self._fold(index)

    def _leaves(self, index: int) -> bool:
        """Whether a changed item no longer belongs to the burst it is folded in."""
        group = self._group_at(index) if index < self._store.settled else None
        return group is not None and self._kind(index) != group.kind

    def _update_stretch(self, start: int, stop: int) -> None:
        """Neighbours changed at once: they and the bursts they touch are listed anew.

        Told as one splice, bursts already folded; those that were open stay so.
        """
        if group := self._group_at(start):
            start = group.first
        if group := self._group_at(stop - 1):
            stop = group.first + group.count
        at, end = bisect_left(self._group_firsts, start), bisect_left(self._group_firsts, stop)
        opened = {group.first for group in self._groups[at:end] if group.open}
        del self._groups[at:end], self._group_firsts[at:end]
        first, last = bisect_left(self._firsts, start), bisect_left(self._firsts, stop)
        # A burst beside the stretch may join what is in it.
        before, after = self._group_at(start - 1), self._group_at(stop)
        above = bisect_left(self._firsts, before.first) if before else first
        end = bisect_left(self._firsts, after.first + after.count) if after else last
        if not before:
            above = bisect_left(self._firsts, self._reach_out(start, -1))
        if not after:
            end = bisect_left(self._firsts, self._reach_out(stop - 1, 1) + 1)
        below = len(self._rows) - end
        under = self._rows[end] if below else None
        listeners, self.listeners = self.listeners, []
        items = [self._store[index] for index in range(start, stop)]
        self._replace(first, last, items, list(range(start, stop)))
        for index in range(start, stop):
            self._fold(index, opened=bool(opened))
        self.listeners = listeners
        now = len(self._rows) - below
        self._tell(Splice(above, end - above, now - above))
        if below and self._rows[now] is not under:
            self._tell(Splice(now, 1, 1))

    def _reach_out(self, index: int, step: int) -> int:
        """How far a burst could reach from an item on, whatever it is now."""
        beside = index + step
        return self._reach(beside, step) if self._kind(beside) else index

    def _fold(self, index: int, *, opened: bool = False) -> None:
        """Folds the burst around an item, if there is one; `opened`: a new one is open."""
        kind = self._kind(index)
        if kind is None or self._group_at(index):
            return
        before = self._group_like(index - 1, kind)
        first = before.first if before else self._reach(index, -1)
        after = self._group_like(index + 1, kind)
        end = after.first + after.count if after else self._reach(index, 1) + 1
        if end - first <= (CLEARED_SHOWN + 1 if kind == "cleared" else FOLD_OVER):
            return
        start = bisect_left(self._firsts, first)
        stop = bisect_left(self._firsts, end)
        group = before or Burst(first, kind, open=opened or bool(after and after.open))
        for added in range(first + group.count, end):
            card = self._store[added]
            if isinstance(card, CardItem):
                group.tools[card.tool] += 1
                group.seconds += card.seconds
        group.count = end - first
        self._revise(group)
        if after:
            self._forget(after)
        if not before:
            at = bisect_left(self._group_firsts, first)
            self._groups.insert(at, group)
            self._group_firsts.insert(at, first)
        if before and before.open and not after:
            row = start + group.shown
            self._replace(row, row + 1, [self._header(group)], [first + group.shown])
        else:
            self._show(group, start, stop)

    def _show(self, group: Burst, start: int, stop: int, *, shown: bool = True) -> None:
        """Puts a burst's rows in the place of the rows `start` to `stop`.

        Args:
            group: the burst.
            start: first row; its own one where `shown` is false.
            stop: behind the last row.
            shown: with the cards that always stand above its row.
        """
        first = group.first + group.shown
        above = range(group.first, first) if shown else ()
        cards = range(first, group.first + group.count) if group.open else ()
        items = [*(self._store[card] for card in above), self._header(group)]
        items += [self._store[card] for card in cards]
        self._replace(start, stop, items, [*above, first, *cards])

    def _revise(self, group: Burst) -> None:
        """Its row looks different; no two looks have one number, also after it was dissolved."""
        self._revisions += 1
        group.revision = self._revisions

    def _header(self, group: Burst) -> Item:
        return group.item(self._store[group.first].id)

    def _forget(self, group: Burst) -> None:
        at = bisect_left(self._group_firsts, group.first)
        del self._groups[at], self._group_firsts[at]

    def _group_at(self, index: int) -> Burst | None:
        """The burst an item is folded in."""
        at = bisect_right(self._group_firsts, index) - 1
        group = self._groups[at] if at >= 0 else None
        return group if group and index < group.first + group.count else None

    def _group_like(self, index: int, kind: BurstKind) -> Burst | None:
        """The burst of that kind an item is folded in."""
        group = self._group_at(index) if index >= 0 else None
        return group if group is not None and group.kind == kind else None

    def _kind(self, index: int) -> BurstKind | None:
        """What burst an item could be in; None: it never folds."""
        if not 0 <= index < self._store.settled:
            return None
        item = self._store[index]
        if not isinstance(item, CardItem) or item.id in self._kept or item.fresh or item.cut:
            return None
        if item.status not in ("ok", "unknown"):
            return None
        if item.state == "cleared":
            return "cleared"
        return "done" if item.status == "ok" else None

    def _reach(self, index: int, step: int) -> int:
        """The last of the cards of one kind without a burst that follow an item in a direction."""
        kind = self._kind(index)
        while kind and self._kind(index + step) == kind and not self._group_at(index + step):
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
            said = item.status in ("failed", "waiting", "refused") or item.state == "offloaded"
            return Row(item, gap, gap + 1 + said + bool(item.cut), 0)
        case SummaryMarkItem(kept=kept):
            return Row(item, gap, gap + 1 + bool(kept.recovery_tokens) + bool(kept.said_tokens), 0)
        case _:
            return Row(item, gap, gap + 1, 0)


def _gap(item: Item, above: Item | None) -> int:
    """Blank rows above an item: one between blocks, none inside a burst or a list (STYLE 3)."""
    if above is None:
        return 0
    match item:
        case AnswerItem():
            return 0 if item.joined else 1
        case CardItem() | FoldItem() | MoreClearedItem():
            return 0 if isinstance(above, CardItem | FoldItem | MoreClearedItem) else 1
        case QueuedItem():
            return 0 if isinstance(above, QueuedItem) else 1
        case _:
            return 1
