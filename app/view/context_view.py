"""What stands in `/context`, as plain data from whoever knows the history."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from app.view.gauge_bar import PartName
from app.view.plot import TurnEvent

CompositionKind = Literal[
    "system_prompt",
    "tools",
    "documents",
    "memory",
    "summary",
    "messages",
    "answers",
    "calls",
    "pointers",
    "results",
    "reserve",
    "free",
]
"""A row of the composition, in the order they are shown."""

ItemKind = Literal["system", "tools", "memory", "summary", "you", "answer", "call", "result"]
"""What one of the largest items is."""

COMPOSITION_PARTS: Mapping[CompositionKind, PartName] = {
    "system_prompt": "system",
    "tools": "system",
    "documents": "system",
    "memory": "memory",
    "summary": "history",
    "messages": "history",
    "answers": "history",
    "calls": "history",
    "pointers": "history",
    "results": "results",
    "reserve": "reserve",
    "free": "free",
}
"""Which part of the bar a row belongs to."""

ITEM_PARTS: Mapping[ItemKind, PartName] = {
    "system": "system",
    "tools": "system",
    "memory": "memory",
    "summary": "history",
    "you": "history",
    "answer": "history",
    "call": "history",
    "result": "results",
}
"""Which part of the bar an item belongs to."""


@dataclass(frozen=True, slots=True)
class CompositionRow:
    """One kind of content.

    Attributes:
        kind: which.
        items: how many.
        tokens: of all of them.
    """

    kind: CompositionKind
    items: int
    tokens: int


@dataclass(frozen=True, slots=True)
class LargestItem:
    """One of the largest items.

    Attributes:
        kind: what it is.
        tokens: its size.
        turn: in which turn it came, from 1; None: in none.
        tool: of a call or a result, its name.
        subject: what it is about: a path, the beginning of a text.
        count: for tools, how many there are.
        message: id of the message, to go to it.
        path: the file it is in, or is about, relative to the project; "": none.
    """

    kind: ItemKind
    tokens: int
    turn: int | None = None
    tool: str = ""
    subject: str = ""
    count: int = 0
    message: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class MeterReport:
    """How good the number is.

    Attributes:
        anchored: it counts on from the provider's own number.
        since: tokens added since then, estimated.
        calls: how many calls the error is of.
        median: of the estimate's error, 0.008 for 0.8%.
        worst: the largest error.
        ratio: real tokens for each estimated one.
    """

    anchored: bool = False
    since: int = 0
    calls: int = 0
    median: float = 0.0
    worst: float = 0.0
    ratio: float = 1.0


@dataclass(frozen=True, slots=True)
class ContextReport:
    """What `/context` shows beside the gauge.

    Attributes:
        composition: kinds of content, without reserve and free; empty ones may be missing.
        largest: the largest items, largest first.
        turns: tokens at the end of each turn, oldest first, the present one last.
        begins: for each turn the id of the message it begins with; "": none that is still sent.
        events: what happened to the history, and when.
        clearable: tokens that clearing old results would free now; None: nothing is cleared.
        meter: how good the number is.
    """

    composition: tuple[CompositionRow, ...] = ()
    largest: tuple[LargestItem, ...] = ()
    turns: tuple[int, ...] = ()
    begins: tuple[str, ...] = ()
    events: tuple[TurnEvent, ...] = ()
    clearable: int | None = None
    meter: MeterReport = field(default_factory=MeterReport)

    @property
    def peak(self) -> tuple[int, int] | None:
        """The most tokens, and in which turn, counted from 1; None before the first."""
        if not self.turns:
            return None
        most = max(self.turns)
        return most, self.turns.index(most) + 1
