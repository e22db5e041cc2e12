"""What the conversation shows of messages that wait: below everything, the hint under the last."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from app.boundary import visible
from app.events import (
    Cancelled,
    Event,
    Failed,
    Queued,
    SummaryFailed,
    SummaryStarted,
    TurnResumed,
    TurnStarted,
    Unqueued,
)
from app.view.item_list import ItemList
from app.view.items import QueuedItem, QueuedUntil


class QueuedMessages:
    """Keeps them as the events say.

    Args:
        items: the conversation's.
        summarising: whether a summary runs that no turn waits for.
    """

    def __init__(self, items: ItemList, summarising: Callable[[], bool]) -> None:
        self._items = items
        self._summarising = summarising
        self._held = False

    def apply(self, event: Event) -> None:
        """Takes in an event; those without meaning here are ignored."""
        match event:
            case Queued():
                self._mark_last(last=False)
                text = visible(event.text)
                self._items.hang(QueuedItem(id=event.id, text=text, until=self._until))
            case Unqueued():
                self._unqueued(event.id)
            case Cancelled() | Failed() | SummaryFailed(code="cancelled"):
                self._held = True
                self._mark_last(last=True)
            case TurnStarted() | TurnResumed() | SummaryStarted():
                self._held = False
                self._mark_last(last=True)
            case _:
                pass

    def show_early(self, lines: Sequence[str]) -> None:
        """These wait until the session is open, and no others.

        Args:
            lines: what was sent, oldest first.
        """
        for position in reversed(range(len(self._items.below))):
            item = self._items.below[position]
            if isinstance(item, QueuedItem) and item.until == "open":
                self._items.unhang(position)
        for number, line in enumerate(lines, 1):
            last = number == len(lines)
            text = visible(line)
            item = QueuedItem(id=self._items.name("early"), text=text, last=last, until="open")
            self._items.hang(item)

    @property
    def _until(self) -> QueuedUntil:
        """What they wait for; after a stop or an error nothing is sent by itself."""
        if self._held:
            return "asked"
        return "summary" if self._summarising() else "turn"

    def _unqueued(self, id: str) -> None:
        for position, item in enumerate(self._items.below):
            if item.id == id and isinstance(item, QueuedItem):
                self._items.unhang(position)
                self._mark_last(last=True)
                return

    def _mark_last(self, *, last: bool) -> None:
        """The last queued message carries the hint."""
        below, until = self._items.below, self._until
        item = below[-1] if below else None
        if isinstance(item, QueuedItem) and (item.last, item.until) != (last, until):
            self._items.rehang(len(below) - 1, replace(item, last=last, until=until))
