"""What the conversation shows of summaries: they run, are done, fail, are undone, are expanded.

The conversation itself stays whole: a divider says where the model's view of it begins anew. What a
clear in the same check hardly freed isn't said beside it (DESIGN 1.7: said once).
"""

from collections.abc import Callable
from dataclasses import replace

from app.boundary import visible
from app.events import (
    Event,
    Expanded,
    HistoryCleared,
    MessageFinished,
    Paused,
    Summarised,
    SummaryFailed,
    SummaryProgress,
    SummaryStarted,
    SummaryUndone,
    TurnStarted,
)
from app.view.item_list import ItemList
from app.view.items import (
    ClearMarkItem,
    ExpandedItem,
    Item,
    SummarisingItem,
    SummaryFailedItem,
    SummaryMarkItem,
    UndoneItem,
)

_HARDLY = 20
"""A clear that freed less than 1 of so many of the request was made only as a summary was due: else
it has to free `min_gain`, which is about that (DESIGN 4)."""


class SummaryChanges:
    """Keeps the dividers as the events say.

    Args:
        items: the conversation's.
        clock: seconds that only go forward.
    """

    def __init__(self, items: ItemList, clock: Callable[[], float]) -> None:
        self._items = items
        self._clock = clock
        self._running = ""
        self._last = ""
        self._taken_back = ""
        self._gave_way: ClearMarkItem | None = None

    @property
    def running(self) -> bool:
        """Whether a summary is being made."""
        return bool(self._running)

    def apply(self, event: Event) -> None:
        """Takes in an event; those without meaning here are ignored."""
        match event:
            case SummaryStarted():
                self._started(event)
            case SummaryProgress():
                self._progress(event)
            case Summarised():
                self._summarised(event)
            case SummaryFailed():
                self._clear_stands()
                reason = " ".join(visible(event.reason).split())
                stopped = event.code == "cancelled"
                self._end(SummaryFailedItem(id=self._running, reason=reason, stopped=stopped))
            case SummaryUndone():
                self._undone(event)
            case Expanded():
                self._expanded(event)
            case Paused(tier="summary", on=on):
                self._paused(on=on)
            case MessageFinished() | TurnStarted():
                self._close()
            case HistoryCleared():
                self._running = self._last = self._taken_back = ""
                self._gave_way = None
            case _:
                pass

    def take_up(self, *, undoable: bool) -> None:
        """Items came from the archive.

        Args:
            undoable: the last thing that happened is a summary, or its expansion.
        """
        for index in range(self._items.settled - 1, -1, -1) if undoable else ():
            item = self._items[index]
            if isinstance(item, SummaryMarkItem | ExpandedItem):
                self._last = item.id
                self._items.put(index, replace(item, undoable=True))
                break
        self._see_what_stands()

    def _started(self, event: SummaryStarted) -> None:
        """It runs; in the place of a clear just before it that hardly freed anything."""
        last, count, began = self._items.last, event.messages, self._clock()
        clear = last if event.by != "user" and isinstance(last, ClearMarkItem) else None
        if clear is not None and clear.freed * _HARDLY < event.tokens:
            self._gave_way, self._running = clear, clear.id
            item = SummarisingItem(id=clear.id, count=count, started=began)
            self._items.put(self._items.settled - 1, item)
            return
        self._running = self._items.name("summary")
        self._items.settle(SummarisingItem(id=self._running, count=count, started=began))

    def _clear_stands(self) -> None:
        """No summary came of it: the clear before it is all that happened, and has its divider."""
        index, clear, self._gave_way = self._items.where(self._running), self._gave_way, None
        if index is not None and clear is not None:
            self._items.put(index, replace(clear, undoable=True))
            self._running = ""

    def _progress(self, event: SummaryProgress) -> None:
        index = self._items.where(self._running)
        if index is not None and isinstance(item := self._items[index], SummarisingItem):
            self._items.put(index, replace(item, done=event.done, pieces=event.pieces))

    def _summarised(self, event: Summarised) -> None:
        self._close()
        self._gave_way = None
        self._last = self._end(
            SummaryMarkItem(
                id=self._running or self._items.name("summary"),
                node=event.node,
                parent=event.parent,
                summary=event.summary,
                count=len(event.messages),
                tokens=event.tokens,
                freed=max(0, event.tokens_before - event.tokens_after),
                cut=event.how == "cut",
                kept=event.kept,
                undoable=True,
            )
        )
        self._see_what_stands()

    def _end(self, item: Item) -> str:
        """What came of the one that ran, in its place; its id."""
        item = replace(item, id=item.id or self._items.name("summary"))
        index, self._running = self._items.where(self._running), ""
        if index is None:
            self._items.settle(item)
        else:
            self._items.put(index, item)
        return item.id

    def _undone(self, event: SummaryUndone) -> None:
        """The divider says so, in its place."""
        index = self._items.where(self._last)
        before = None if index is None else self._items[index]
        self._taken_back = self._last or self._items.name("undone")
        self._last = ""
        item = UndoneItem(
            id=self._taken_back, count=event.messages, tokens=event.tokens, what="messages"
        )
        if isinstance(before, ExpandedItem):
            item = replace(item, count=before.count, tokens=before.tokens, what="expansion")
        if index is None:
            self._items.settle(item)
        else:
            self._items.put(index, item)
        self._see_what_stands()

    def _expanded(self, event: Expanded) -> None:
        self._close()
        self._last = self._taken_back = self._items.name("expanded")
        self._items.settle(
            ExpandedItem(
                id=self._last,
                summary=event.summary,
                count=event.messages,
                tokens=event.tokens,
                undoable=True,
            )
        )
        self._see_what_stands()

    def _paused(self, *, on: bool) -> None:
        index = self._items.where(self._taken_back)
        item = None if index is None else self._items[index]
        if index is not None and isinstance(item, UndoneItem | ExpandedItem):
            self._items.put(index, replace(item, paused=on))

    def _close(self) -> None:
        """Something followed: the last one can't be undone any more."""
        index = self._items.where(self._last)
        item = None if index is None else self._items[index]
        if index is not None and isinstance(item, SummaryMarkItem | ExpandedItem):
            self._items.put(index, replace(item, undoable=False))
        self._last = ""

    def _see_what_stands(self) -> None:
        """Of the summaries only the newest that wasn't expanded is still in the context.

        What an expansion brought back holds the summary before it again. One from the archive
        doesn't say itself whether it was expanded: an `ExpandedItem` below it does, and where that
        doesn't know which, it was the newest.
        """
        named: set[str] = set()
        nameless = 0
        found = False
        changed: dict[int, Item] = {}
        for index in range(self._items.settled - 1, -1, -1):
            item = self._items[index]
            if isinstance(item, ExpandedItem):
                named.add(item.summary)
                nameless += not item.summary
            if not isinstance(item, SummaryMarkItem):
                continue
            gone = bool(item.summary) and item.summary in named
            if not gone and nameless:
                gone, nameless = True, nameless - 1
            stands = not found and not gone
            found = found or stands
            if (item.stands, item.expanded) != (stands, gone):
                changed[index] = replace(item, stands=stands, expanded=gone)
        self._items.put_all(changed)
