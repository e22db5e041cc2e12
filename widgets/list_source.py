"""What a long list shows: the protocol between `VirtualList` and whoever knows the items."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol

from textual.strip import Strip


@dataclass(frozen=True, slots=True)
class Lines:
    """A drawn item: at least one line.

    Attributes:
        strips: its lines, each as wide as the list.
        live: numbers of the lines that move by themselves (spinner, timer, caret).
    """

    strips: tuple[Strip, ...]
    live: tuple[int, ...] = ()


class ListSource(Protocol):
    """Items in order, drawn on demand."""

    def __len__(self) -> int:
        """How many items there are."""
        ...

    def key(self, index: int) -> Hashable:
        """Names what an item looks like, apart from width and cursor: equal keys, equal lines."""
        ...

    def estimate(self, start: int, stop: int, width: int) -> list[int]:
        """About how many lines the items `start` to `stop` take; fast, at least 1 each."""
        ...

    def render(self, index: int, width: int, *, current: bool) -> Lines:
        """Draws an item; `current`: the cursor is on it."""
        ...

    def render_live(self, index: int, strip: Strip, *, current: bool) -> Strip:
        """An item's moving line as it looks right now; `strip` is how it was drawn."""
        ...

    def selectable(self, index: int) -> bool:
        """Whether the cursor stops at an item."""
        ...

    def text(self, index: int) -> str:
        """An item's own text, for copying."""
        ...
