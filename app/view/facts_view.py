"""The memory browser: which facts are listed in which order, the rail's counts, the selection.

Nothing here touches files or the screen: a model of ten thousand facts is made in a thread.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, cast

from app.view.facts_filter import FactFilter, Kind, folded, only, parse_filter, toggled
from app.view.facts_record import SOURCES, STATES, FactItem

RailKind = Literal["inbox", "head", "gap", "radio", "state", "source", "pinned"]

_FIRST = {"conflicting": 0, "contradicted": 1}
"""These stand first, whenever they were used (STYLE 14, "To 9")."""

_NEVER = float("-inf")


@dataclass(frozen=True, slots=True)
class RailRow:
    """A row of the rail.

    Attributes:
        kind: what it is.
        name: a state, a source, a scope, a group's name.
        count: facts of it; of the inbox: what waits.
        on: it is asked for.
    """

    kind: RailKind
    name: str = ""
    count: int = 0
    on: bool = False

    @property
    def can_choose(self) -> bool:
        """Whether the cursor stops there."""
        return self.kind not in ("head", "gap")


class FactsModel:
    """Some facts, sorted and filtered.

    Args:
        items: all that are visible here, in any order.
        query: what is asked for, as it was typed.
        selected: ids of those that are marked; others than `items` are dropped.

    Attributes:
        items: all of them, conflicting ones first, then contradicted, then by their last use.
        query: as given.
        asked: what it means.
        rows: those that are listed.
        selected: marked ones, whether they are listed or not.
        waiting: how many texts wait in the inbox.
    """

    def __init__(
        self,
        items: Iterable[FactItem] = (),
        query: str = "",
        selected: Iterable[str] = (),
        waiting: int | None = None,
    ) -> None:
        self.items = tuple(sorted(items, key=_order))
        self._folded = [folded(item.content) for item in self.items]
        self._places = {item.id: place for place, item in enumerate(self.items)}
        own = {one.id for item in self.items for one in item.waits}
        self.waiting = len(own) if waiting is None else waiting
        self.selected = {id for id in selected if id in self._places}
        self._list(query)

    def under(self, query: str) -> "FactsModel":
        """The same facts under another query."""
        other = object.__new__(FactsModel)
        other.items, other.waiting = self.items, self.waiting
        other._folded, other._places = self._folded, self._places
        other.selected = set(self.selected)
        other._list(query)
        return other

    def _list(self, query: str) -> None:
        self.query = query
        self.asked: FactFilter = parse_filter(query)
        rows: Sequence[FactItem] = self.items
        if asked := self.asked:
            pairs = zip(self.items, self._folded, strict=True)
            rows = tuple(item for item, content in pairs if asked.takes(item, content))
        self.rows: Sequence[FactItem] = rows
        self._rows = {item.id: index for index, item in enumerate(rows)}

    def get(self, id: str) -> FactItem | None:
        """The fact of that id, listed or not."""
        place = self._places.get(id)
        return None if place is None else self.items[place]

    def row(self, index: int | None) -> FactItem | None:
        """The fact of a row; None: there is no such row."""
        return self.rows[index] if index is not None and 0 <= index < len(self.rows) else None

    def find(self, id: str) -> int | None:
        """The row of a fact; None: it isn't listed."""
        return self._rows.get(id)

    def place_after(self, other: "FactsModel", index: int | None) -> int | None:
        """Where the cursor goes that stood on a row of an older model.

        On the same fact; where that is no longer listed, on the next one that still is, else on the
        last row.
        """
        if not self.rows:
            return None
        if index is None:
            return 0
        for item in other.rows[index:]:
            if (row := self.find(item.id)) is not None:
                return row
        return min(index, len(self.rows) - 1)

    def toggle(self, id: str) -> None:
        """Marks a fact, or no longer."""
        (self.selected.discard if id in self.selected else self.selected.add)(id)

    def meant(self, index: int | None) -> tuple[FactItem, ...]:
        """The marked facts, in order; where none is, the one of a row."""
        if self.selected:
            return tuple(item for item in self.items if item.id in self.selected)
        item = self.row(index)
        return () if item is None else (item,)

    @property
    def oldest_waiting(self) -> str:
        """The id of what waits longest for the user; "": nothing does."""
        waits = [one for item in self.items for one in item.waits]
        return min(waits, key=lambda one: (one.at, one.id)).id if waits else ""

    def rail(self) -> tuple[RailRow, ...]:
        """The rail; each group adds up to all facts."""
        states = Counter(item.state for item in self.items)
        sources = Counter(item.source for item in self.items)
        scopes = Counter(item.scope for item in self.items)
        pinned = sum(item.pinned for item in self.items)
        asked, gap = self.asked, RailRow("gap")
        in_scope = asked.wanted.get("in", frozenset())
        return (
            RailRow("inbox", "inbox", self.waiting),
            gap,
            RailRow("head", "scope"),
            RailRow("radio", "all", len(self.items), not in_scope),
            RailRow("radio", "project", scopes["project"], "project" in in_scope),
            RailRow("radio", "global", scopes["global"], "global" in in_scope),
            gap,
            RailRow("head", "state"),
            *(RailRow("state", one, states[one], asked.has("is", one)) for one in STATES),
            gap,
            RailRow("head", "source"),
            *(RailRow("source", one, sources[one], asked.has("by", one)) for one in SOURCES),
            gap,
            RailRow("pinned", "pinned", pinned, asked.pinned),
        )

    def chosen(self, row: RailRow) -> str:
        """The query after a row of the rail was chosen: scopes one at a time, others on and off."""
        if row.kind == "radio":
            return only(self.query, "in", None if row.name == "all" or row.on else row.name)
        kinds = {"state": "is", "source": "by", "pinned": "is"}
        return toggled(self.query, cast("Kind", kinds[row.kind]), row.name)


def _order(item: FactItem) -> tuple[int, float, float, str]:
    return (
        _FIRST.get(item.state, len(_FIRST)),
        -_seconds(item.used),
        -_seconds(item.verified or item.written),
        item.id,
    )


def _seconds(at: datetime | None) -> float:
    return _NEVER if at is None else at.timestamp()
