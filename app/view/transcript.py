"""The conversation pane as data: events in, ordered items out."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import cast

from app.boundary import visible
from app.conversation.past import Cursor, PastMessage, PastPage
from app.events import (
    ApprovalAnswered,
    ApprovalRequested,
    Cancelled,
    Event,
    Failed,
    HistoryCleared,
    MessageFinished,
    Notice,
    Reasoning,
    Retry,
    SessionStarted,
    Summarised,
    SummaryFailed,
    SummaryProgress,
    SummaryStarted,
    Text,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnResumed,
    TurnStarted,
)
from app.view.blocks import Block, LiveText
from app.view.item_list import ItemList
from app.view.items import (
    AnswerItem,
    CardItem,
    CardStatus,
    ClearedItem,
    EarlierItem,
    ErrorItem,
    NoticeItem,
    QueuedItem,
    ReasoningItem,
    RetryItem,
    StoppedItem,
    UserItem,
    WaitingItem,
)
from app.view.past import ending, past_items
from app.view.transcript_context import ContextChanges
from app.view.transcript_queue import QueuedMessages
from app.view.transcript_rows import TranscriptRows
from app.view.transcript_summaries import SummaryChanges

QUIET_SECONDS = 1.0
"""Silence of the model before a line says so; for less it would only flicker."""

_SUMMARY = (SummaryStarted, SummaryProgress, Summarised, SummaryFailed)
_TRIED = (Text, Reasoning, ToolStarted, Failed, Cancelled, TurnFinished, *_SUMMARY)
"""What comes once a call was tried again; what the user does meanwhile is none of it."""

_AS_BEFORE = frozenset({"too_large", "context_overflow", "content_filtered"})
"""Errors that come again where the turn just goes on."""


class TranscriptStore(ItemList):
    """The items of one agent's conversation.

    Args:
        clock: seconds that only go forward; timers of running things count by it.
        conversation: whose events count.
        tokens: estimates the tokens of a text, for what the archive doesn't tell.

    Attributes:
        clock: the same.
        busy: a turn is running.
        rows: what the conversation pane lists of the items.
        earlier: where the past goes on above what is shown; None: nothing is missing.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        conversation: str = "main",
        tokens: Callable[[str], int] = lambda _: 0,
    ) -> None:
        super().__init__()
        self.rows = TranscriptRows(self)
        self.clock = clock
        self.busy = False
        self.earlier: Cursor | None = None
        self._conversation = conversation
        self._tokens = tokens
        self._live: LiveText | None = None
        self._live_message = ""
        self._running: set[str] = set()
        self._quiet_since: float | None = None
        self._stopped = ""
        self._context = ContextChanges(self)
        self._summaries = SummaryChanges(self, clock)
        self._queue = QueuedMessages(self, lambda: self._summaries.running and not self.busy)

    def apply(self, event: Event) -> None:
        """Takes in an event; those of other conversations and those without a place are ignored."""
        if event.conversation != self._conversation:
            return
        if isinstance(event, _TRIED):
            self._retried()
        match event:
            case Text():
                self._text(event)
            case Reasoning():
                self._reasoning(event)
            case ToolStarted():
                self._tool_started(event)
            case ToolFinished():
                self._tool_finished(event)
            case ApprovalRequested():
                self._set_status(event.id, "waiting")
            case ApprovalAnswered() if event.verdict != "refuse":
                self._set_status(event.id, "running")
            case TurnStarted():
                self._turn_started(event)
            case TurnResumed():
                self._begin_turn()
                self._expect_model()
            case MessageFinished():
                self._close_live()
                self._expect_model()
            case Retry():
                self._retry(event)
            case Notice():
                text = visible(event.text)
                self.settle(NoticeItem(id=self.name("notice"), text=text, severity=event.severity))
            case Failed():
                self._close_live()
                self._stopped, again = self.name("error"), event.code not in _AS_BEFORE
                text = visible(event.text)
                self.settle(ErrorItem(id=self._stopped, text=text, resumable=again))
            case Cancelled():
                self._end_turn()
                self._stopped = self.name("stopped")
                self.settle(StoppedItem(id=self._stopped))
            case SessionStarted(unfinished=True):
                self._stopped = self.name("stopped")
                self.settle(StoppedItem(id=self._stopped, by_user=False))
            case TurnFinished():
                self._end_turn()
            case SummaryStarted():
                self._hush()
            case Summarised() | SummaryFailed():
                self._expect_model()
            case HistoryCleared():
                self._clear()
            case _:
                pass
        self._context.apply(event)
        self._summaries.apply(event)
        self._queue.apply(event)

    def pin(self, messages: Iterable[str], *, on: bool) -> None:
        """Some messages are pinned now, or no longer."""
        self._context.pin(frozenset(messages), on=on)

    def quote(self, messages: Iterable[str]) -> None:
        """These results, and no others, go along with the user's next message."""
        self._context.quote(frozenset(messages))

    def show_early(self, lines: Sequence[str]) -> None:
        """What was sent before the session is open, and waits; no others."""
        self._queue.show_early(lines)

    def show_past(self, page: PastPage, *, undoable: bool = False) -> None:
        """Shows the end of the past of a session that was just opened (`HistoryCleared`).

        What was told since it was opened stays below it: a notice, a first message that was sent
        at once. The page may hold that message already; it isn't shown twice.

        Args:
            page: that end.
            undoable: it ends in a summary, or the expansion of one, that can be taken back.
        """
        shown = {getattr(item, "message", item.id) for item in self}
        new = takewhile(
            lambda entry: not (isinstance(entry, PastMessage) and entry.message.id in shown),
            page.items,
        )
        self._lead(replace(page, items=tuple(new)), undoable=undoable)

    def prepend(self, page: PastPage) -> None:
        """Puts an earlier page above what is shown; the line that stood for it goes."""
        self._lead(page)

    def _lead(self, page: PastPage, *, undoable: bool = False) -> None:
        """A page above everything, and over it the line that stands for what is still earlier."""
        first = self[0] if self.settled else None
        self.earlier = page.earlier
        items = past_items(page.items, self.name, self._tokens)
        if page.earlier is not None:
            items.insert(0, EarlierItem(id=self.name("earlier"), count=page.earlier_count))
        self.lead(items, removed=int(isinstance(first, EarlierItem | ClearedItem)))
        self._summaries.take_up(undoable=undoable)

    def tick(self) -> None:
        """Shows that the model is silent once it has been for a while; called now and then."""
        since = self._quiet_since
        if since is None or self._waiting or self.clock() - since < QUIET_SECONDS:
            return
        self.hang(WaitingItem(id=self.name("waiting"), started=since), first=True)

    def _text(self, event: Text) -> None:
        self._hush()
        if self._live is None or self._live_message != event.message:
            self._close_live()
            self._live, self._live_message = LiveText(), event.message
        for block in self._live.append(visible(event.text)):
            self._answer(block, live=False)
        if self._live.tail.text.strip():
            self._answer(self._live.tail, live=True)

    def _answer(self, block: Block, *, live: bool) -> None:
        """Puts a block in the place of the live one, or behind everything."""
        last = self.last
        if isinstance(last, AnswerItem) and last.live and last.message == self._live_message:
            self.put(
                self.settled - 1,
                replace(
                    last, text=block.text, joined=block.joined, ordinal=block.ordinal, live=live
                ),
            )
            return
        self.settle(
            AnswerItem(
                id=self.name("answer"),
                message=self._live_message,
                text=block.text,
                joined=block.joined,
                ordinal=block.ordinal,
                live=live,
            )
        )

    def _reasoning(self, event: Reasoning) -> None:
        self._hush()
        text, last = visible(event.text), self.last
        if isinstance(last, ReasoningItem) and last.message == event.message and last.live:
            self.put(self.settled - 1, replace(last, text=last.text + text))
            return
        self._close_live()
        self.settle(
            ReasoningItem(
                id=self.name("reasoning"), message=event.message, text=text, started=self.clock()
            )
        )

    def _close_live(self) -> None:
        """Nothing more comes for what streams now."""
        if self._live is not None:
            for block in self._live.finish():
                self._answer(block, live=False)
            self._live = None
        last = self.last
        if isinstance(last, ReasoningItem) and last.live:
            self.put(self.settled - 1, replace(last, seconds=self.clock() - last.started))

    def _retry(self, event: Retry) -> None:
        self._close_live()
        if event.message:
            self._discard(event.message)
        item = last if isinstance(last := self.last, RetryItem) else None
        name, reason = item.id if item else self.name("retry"), visible(event.reason)
        retry = RetryItem(id=name, reason=reason, attempt=event.attempt, wait=event.wait)
        if item:
            self.put(self.settled - 1, retry)
        else:
            self.settle(retry)
        if not self._summaries.running:  # it has a line of its own, which says for how long
            self._expect_model()

    def _retried(self) -> None:
        """What was tried again is answered, or failed for good: nothing is to come any more."""
        for index in range(self.settled - 1, -1, -1):
            item = self[index]
            if isinstance(item, RetryItem) and item.wait is not None:
                self.put(index, replace(item, wait=None))
            elif not isinstance(item, NoticeItem):
                return

    def _discard(self, message: str) -> None:
        """Marks what was shown of a message; it stands at the end."""
        for index in range(self.settled - 1, -1, -1):
            item = self[index]
            if isinstance(item, AnswerItem | ReasoningItem):
                if item.message == message and not item.discarded:
                    self.put(index, replace(item, discarded=True))
            elif not isinstance(item, RetryItem | NoticeItem):
                return

    def _tool_started(self, event: ToolStarted) -> None:
        self._hush()
        self._close_live()
        self._running.add(event.id)
        self.settle(
            CardItem(
                id=event.id,
                tool=visible(event.tool),
                subject=visible(_subject(event)),
                status="running",
                started=self.clock(),
            )
        )

    def _set_status(self, id: str, status: CardStatus) -> None:
        index = self.where(id)
        card = None if index is None else self[index]
        if index is not None and isinstance(card, CardItem) and card.status != status:
            self.put(index, replace(card, status=status, started=self.clock()))

    def _tool_finished(self, event: ToolFinished) -> None:
        if self.where(event.id) is None:
            self._tool_started(ToolStarted(id=event.id, tool=event.tool, arguments={}))
        self._running.discard(event.id)
        index = cast("int", self.where(event.id))
        card = cast("CardItem", self[index])
        self.put(
            index,
            replace(
                card,
                status=ending(event),
                seconds=event.seconds,
                characters=event.characters,
                reason=" ".join(visible(event.reason).split("\n")),
                added=event.added,
                removed=event.removed,
                diff=tuple(
                    line.model_copy(update={"text": visible(line.text)}) for line in event.diff
                ),
                body=visible(event.body.replace("\r\n", "\n")),
                message=event.message or card.message,
            ),
        )
        self._expect_model()

    def _turn_started(self, event: TurnStarted) -> None:
        self._begin_turn()
        images = tuple(map(visible, event.images))
        self.settle(UserItem(id=event.message, text=visible(event.text), images=images))
        self._expect_model()

    def _begin_turn(self) -> None:
        self._close_live()
        if (index := self.where(self._stopped)) is not None:
            item = cast("StoppedItem | ErrorItem", self[index])
            self.put(index, replace(item, resumable=False))
        self._stopped = ""
        self.busy = True

    def _end_turn(self) -> None:
        self.busy = False
        self._hush()
        self._close_live()
        for id in tuple(self._running):
            self._set_status(id, "stopped")
        self._running.clear()

    def _clear(self) -> None:
        self._live, self._quiet_since, self._stopped, self.busy = None, None, "", False
        self._running.clear()
        self.earlier = None
        below = [item for item in self.below if isinstance(item, QueuedItem)]
        self.start_again([ClearedItem(id=self.name("cleared"))], below)

    @property
    def _waiting(self) -> bool:
        return bool(self.below) and isinstance(self.below[0], WaitingItem)

    def _expect_model(self) -> None:
        """The model has to say something next, unless tools still run."""
        if self.busy and not self._running and self._quiet_since is None:
            self._quiet_since = self.clock()

    def _hush(self) -> None:
        """Something else happens: the waiting line goes."""
        self._quiet_since = None
        if self._waiting:
            self.unhang(0)


def _subject(event: ToolStarted) -> str:
    """What a card shows of a call: what the core chose, else its first word."""
    if event.subject:
        return event.subject
    return next((value for value in event.arguments.values() if isinstance(value, str)), "")
