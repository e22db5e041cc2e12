"""An ordered list of items that tells its listeners what changed.

Items that belong to the history (settled) grow at their end and change in place; pages of the past
come in above them (`lead`), which moves their indices. What hangs below them (a waiting line,
queued messages) is kept apart. Every operation but `lead` costs the same, however long the list is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.view.items import Item


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to the items.

    Attributes:
        kind: `insert`: `start` to `stop` are new; `update`: they changed; `remove`: they are gone;
            `lead`: they are new and stand above all others, where `removed` items went;
            `reset`: everything may be different.
        start: first index.
        stop: index behind the last.
        removed: how many went from the top.
    """

    kind: Literal["insert", "update", "remove", "lead", "reset"]
    start: int = 0
    stop: int = 0
    removed: int = 0


class ItemList:
    """Settled items, and those that hang below them.

    Attributes:
        listeners: called with each change, in order, after it happened.
    """

    def __init__(self) -> None:
        self.listeners: list[Callable[[Change], None]] = []
        self._settled: list[Item] = []
        self._below: list[Item] = []
        self._where: dict[str, int] = {}  # counted from the item that was first in the beginning
        self._above = 0
        self._made = 0

    def __len__(self) -> int:
        return len(self._settled) + len(self._below)

    def __getitem__(self, index: int) -> Item:
        settled = len(self._settled)
        return self._settled[index] if index < settled else self._below[index - settled]

    def __iter__(self) -> Iterator[Item]:
        yield from self._settled
        yield from self._below

    @property
    def settled(self) -> int:
        """How many items stay where they are."""
        return len(self._settled)

    @property
    def below(self) -> tuple[Item, ...]:
        """What hangs below the settled items."""
        return tuple(self._below)

    @property
    def last(self) -> Item | None:
        """The last settled item."""
        return self._settled[-1] if self._settled else None

    def where(self, id: str) -> int | None:
        """The index of a settled item."""
        position = self._where.get(id)
        return None if position is None else position + self._above

    def name(self, kind: str) -> str:
        """A new id for an item that no event names."""
        self._made += 1
        return f"{kind}:{self._made}"

    def settle(self, item: Item) -> None:
        """Puts an item behind all settled ones."""
        index = len(self._settled)
        self._where[item.id] = index - self._above
        self._settled.append(item)
        self._tell("insert", index)

    def put(self, index: int, item: Item) -> None:
        """Puts the next revision of a settled item in its place."""
        self._settled[index] = replace(item, revision=self._settled[index].revision + 1)
        self._tell("update", index)

    def put_all(self, items: Mapping[int, Item]) -> None:
        """Puts the next revisions of settled items in place; told by stretches of neighbours."""
        for index, item in items.items():
            self._settled[index] = replace(item, revision=self._settled[index].revision + 1)
        start = stop = -1
        for index in sorted(items):
            if index != stop:
                if stop > start:
                    self._pass_on(Change("update", start, stop))
                start = index
            stop = index + 1
        if stop > start:
            self._pass_on(Change("update", start, stop))

    def hang(self, item: Item, *, first: bool = False) -> None:
        """Hangs an item below all others, or above those that hang."""
        position = 0 if first else len(self._below)
        self._below.insert(position, item)
        self._tell("insert", len(self._settled) + position)

    def rehang(self, position: int, item: Item) -> None:
        """Puts the next revision of a hanging item in its place."""
        self._below[position] = replace(item, revision=self._below[position].revision + 1)
        self._tell("update", len(self._settled) + position)

    def unhang(self, position: int) -> None:
        """Takes a hanging item away."""
        del self._below[position]
        self._tell("remove", len(self._settled) + position)

    def lead(self, items: Sequence[Item], removed: int) -> None:
        """Puts items above all others, in place of the first `removed`; costs more the longer."""
        for item in self._settled[:removed]:
            del self._where[item.id]
        self._settled[:removed] = items
        self._above += len(items) - removed
        for index, item in enumerate(items):
            self._where[item.id] = index - self._above
        self._pass_on(Change("lead", 0, len(items), removed))

    def start_again(self, items: Sequence[Item], below: Sequence[Item] = ()) -> None:
        """Drops all items but these."""
        self._settled, self._below = list(items), list(below)
        self._where = {item.id: index for index, item in enumerate(items)}
        self._above = 0
        self._pass_on(Change("reset"))

    def _tell(self, kind: Literal["insert", "update", "remove"], index: int) -> None:
        self._pass_on(Change(kind, index, index + 1))

    def _pass_on(self, change: Change) -> None:
        for listener in self.listeners:
            listener(change)
