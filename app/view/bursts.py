"""Cards in a row that are shown by fewer rows: successful ones, cleared ones (STYLE 7 and 14)."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from app.view.items import FoldItem, Item, MoreClearedItem

CLEARED_SHOWN = 3
"""So many of a row of cleared cards are always shown (STYLE 14)."""

BurstKind = Literal["done", "cleared"]
"""What a burst is of: successful cards, or cleared ones."""


@dataclass(slots=True)
class Burst:
    """A burst: the store's items `first` to `first + count`, all cards of one kind."""

    first: int
    kind: BurstKind = "done"
    count: int = 0
    revision: int = 0
    seconds: float = 0.0
    tools: Counter[str] = field(default_factory=Counter)
    open: bool = False

    @property
    def shown(self) -> int:
        """Cards that stand above its row, whether it is open or not."""
        return CLEARED_SHOWN if self.kind == "cleared" else 0

    def item(self, id: str) -> Item:
        """The row that stands for those that are folded away."""
        if self.kind == "cleared":
            return MoreClearedItem(
                id=f"more:{id}",
                revision=self.revision,
                count=self.count - self.shown,
                open=self.open,
            )
        tools = tuple(self.tools.most_common())
        return FoldItem(
            id=f"fold:{id}",
            revision=self.revision,
            count=self.count,
            tools=tools,
            seconds=self.seconds,
            open=self.open,
        )
