"""What happens to the history before every call to the model: measure, clear, measure, guard.

DESIGN 3.3. Clearing begins at its mark, all that is due at once, and only where it frees enough.
The guard is the last resort, near the end of the window. Where nothing is due, a call costs what
is new.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace

from app.archive.originals import Original
from app.archive.recorder import Recorder
from app.archive.unbroken import unbroken
from app.compaction.clear import EXCLUDED, Clearing, plan_clear, unseen_results
from app.compaction.clearable import Clearable
from app.compaction.guard import plan_guard
from app.compaction.too_large import RequestTooLarge
from app.compaction.undo import Undo
from app.config import CompactionSettings
from app.conversation.history import History
from app.conversation.measured import Measure
from app.conversation.messages import Message
from app.conversation.meter import Meter
from app.conversation.standing import PLAIN, MessageState
from app.conversation.window import RULES, Rules, Thresholds, guard_mark
from app.events import Cleared, Notice, Paused, Restored
from app.memory.name_index import NameIndex
from app.memory.name_score import Ranking
from app.ports import Publish
from app.text import Words

FindOriginal = Callable[[str], Awaitable[Original | None]]
"""Gives a message as it first came, by its id."""

_ROUNDS = 4
"""Times the guard cuts and measures: by an edit the meter's figure becomes an estimate."""

_LARGEST = 3
"""Messages that are named where nothing helps."""


class Compactor:
    """Keeps the requests of one history within the window, in every mode."""

    def __init__(
        self,
        *,
        recorder: Recorder,
        meter: Meter,
        marks: Callable[[], Thresholds],
        tools: Callable[[], str],
        publish: Publish,
        words: Words,
        index: NameIndex,
        settings: Callable[[], CompactionSettings],
        rules: Rules = RULES,
    ) -> None:
        """Changes nothing yet.

        Args:
            recorder: writes down each change of the history.
            meter: measures it.
            marks: of the window as it is now.
            tools: the tools on offer, as they go out.
            publish: gets `cleared`, `restored`, `paused`, and the warning.
            words: the language of results.
            index: the names that the conversation held.
            settings: `[compaction]` as it is now.
            rules: the numbers.
        """
        self._recorder = recorder
        self._meter = meter
        self._marks = marks
        self._tools = tools
        self._publish = publish
        self._words = words
        self._index = index
        self._settings = settings
        self._rules = rules
        self._clearable = Clearable(meter, words, self._excluded, rules)
        self._not_worth: tuple[History, int, float] | None = None
        self._undo: Undo | None = None
        self._warned = False
        self._lock = asyncio.Lock()

    async def take_up(self, find: FindOriginal) -> None:
        """A session is resumed: the names of its messages as they first were are taken up.

        Args:
            find: gives a message as it first came.
        """
        for message in self._history.messages:
            standing = self._recorder.standings.get(message.id, PLAIN)
            original = None if standing.body is None else await find(message.id)
            self._index.add(message if original is None else original.message)

    async def before_call(self, _: History) -> None:
        """Brings the history under its marks, as far as it has to and can.

        Raises:
            RequestTooLarge: nothing brings it under the window; it is valid.
            StorageError: a change can't be written down; what was changed is valid.
        """
        async with self._lock:
            self._index.follow(self._history)
            measure = self._measure()
            if self._clear_is_due(measure):
                await self._clear(measure)
                measure = self._measure()
            if self._is_full(measure) and self._settings().auto != "off":
                measure = await self._guard(measure)
            if measure.at_most > self._window:
                items = self._meter.largest(self._history, _LARGEST)
                raise RequestTooLarge(measure, self._window, items, self._history)
            self._warn(measure.tokens)

    @property
    def clearable(self) -> int | None:
        """Tokens that a clear would free now; None: nothing is cleared by itself."""
        if self._settings().auto == "off":
            return None
        recorder = self._recorder
        return self._clearable.tokens(recorder.history, recorder.standings, recorder.files)

    @property
    def cleared(self) -> tuple[str, ...]:
        """The results of which only a pointer is sent."""
        standings = self._recorder.standings
        return tuple(key for key, one in standings.items() if one.state == "cleared")

    @property
    def paused(self) -> bool:
        """Whether clearing waits, as it was undone, until the user acts or nothing else fits."""
        return "clear" in self._recorder.paused

    def file_of(self, message_id: str) -> str:
        """The file a result's content was moved to, from the project's root; "" for none."""
        file = self._recorder.files.get(message_id)
        return file.path if file is not None else ""

    @property
    def can_undo(self) -> bool:
        """Whether nothing was said since the last clear."""
        return self._undo is not None and self._undo.valid(self._history)

    async def undo(self) -> bool:
        """Takes back what was done before the last call: the request is as it was, byte for byte.

        Clearing then pauses for this chain.

        Returns:
            Whether there was something to take back.

        Raises:
            StorageError: it can't be written down; part of it may be back.
        """
        async with self._lock:
            undo = self._undo
            if undo is None or not undo.valid(self._history):
                return False
            await unbroken(self._put_back(undo))
            return True

    async def go_on(self) -> None:
        """The user acts: clearing doesn't pause any longer.

        Raises:
            StorageError: it can't be written down; it still does.
        """
        await self._pause(on=False)

    async def pin(self, ids: Iterable[str], pinned: bool) -> None:
        """Pins messages, which are never cleared from then on, or takes their pins away.

        Raises:
            InvalidHistory: one isn't in the history; nothing changed.
            StorageError: it can't be written down; nothing changed.
        """
        await self._recorder.pin(ids, pinned)
        self._clearable.forget()
        self._not_worth = None

    @property
    def _history(self) -> History:
        return self._recorder.history

    @property
    def _window(self) -> int:
        return self._marks().window

    def _measure(self) -> Measure:
        return self._meter.measure(self._history, self._tools())

    def _excluded(self) -> tuple[str, ...]:
        return (*EXCLUDED, *self._settings().keep_tools)

    def _is_full(self, measure: Measure) -> bool:
        """Whether the guard is due: near the end of the window, or over it by the margin."""
        mark = guard_mark(self._window, self._rules)
        return measure.tokens >= mark or measure.at_most > self._window

    def _clear_is_due(self, measure: Measure) -> bool:
        """The mark is reached, and enough would be freed; asks the same figure as the gauge."""
        marks, freed = self._marks(), self.clearable
        if not freed or measure.tokens < marks.clear:
            return False
        if self.paused and not self._is_full(measure):
            return False
        return freed >= marks.min_gain or measure.tokens >= marks.summary

    async def _clear(self, measure: Measure) -> None:
        recorder, marks, history = self._recorder, self._marks(), self._history
        weight = self._clearable.weigh(history, recorder.standings, recorder.files)
        if self._not_worth == (history, history.edits, weight):
            return
        plan = plan_clear(
            history,
            recorder.standings,
            self._meter,
            marks,
            unseen=unseen_results(history),
            words=self._words,
            excluded=self._excluded(),
            files=recorder.files,
            names=Ranking(self._index),
            force=measure.tokens >= marks.summary,
            rules=self._rules,
        )
        if not plan:
            self._not_worth = (history, history.edits, weight)
            return
        await self._pause(on=False)
        await unbroken(self._carry_out(plan.clearings, measure))

    async def _carry_out(self, clearings: Sequence[Clearing], measure: Measure) -> None:
        """Clears them, and tells which; also where the disk gives out half way."""
        done: list[Message] = []
        try:
            for one in clearings:
                message = self._history[self._history.index(one.id)]
                await self._change(replace(message, parts=one.parts), "cleared")
                done.append(message)
        finally:
            if done:
                self._publish(
                    Cleared(
                        messages=tuple(message.id for message in done),
                        calls=tuple(message.call_id or "" for message in done),
                        count=len(done),
                        tokens_before=measure.tokens,
                        tokens_after=self._measure().tokens,
                    )
                )

    async def _guard(self, measure: Measure) -> Measure:
        """Cuts what is newest and biggest until it fits; ends where nothing is left to cut."""
        for _ in range(_ROUNDS):
            if not self._is_full(measure):
                break
            most = min(
                guard_mark(self._window, self._rules) - 1,
                self._window * measure.tokens // max(1, measure.at_most),
            )
            cuts = plan_guard(
                self._history,
                self._recorder.standings,
                self._meter,
                measure.tokens - most,
                words=self._words,
                names=Ranking(self._index),
                rules=self._rules,
            )
            if not cuts:
                break
            await unbroken(self._cut([one.message for one in cuts]))
            measure = self._measure()
        return measure

    async def _cut(self, messages: Sequence[Message]) -> None:
        for message in messages:
            await self._change(message, "cut")

    async def _change(self, message: Message, state: MessageState) -> None:
        """Puts a message in the place of the one with its id, so that it can be taken back."""
        history = self._history
        if self._undo is None or not self._undo.valid(history):
            self._undo = Undo(history)
        before = history[history.index(message.id)]
        standing = self._recorder.standings.get(message.id, PLAIN)
        calls = None if message.calls == before.calls else message.calls
        await self._recorder.replace(message.id, message.parts, calls=calls, state=state)
        self._undo.note(before, standing.state)

    async def _put_back(self, undo: Undo) -> None:
        tokens = self._measure().tokens
        for one in undo.changes:
            before = one.message
            now = self._history[self._history.index(before.id)]
            calls = None if before.calls == now.calls else before.calls
            await self._recorder.replace(before.id, before.parts, calls=calls, state=one.state)
        if self._history.recovery != undo.recovery:
            await self._recorder.set_recovery(undo.recovery)
        self._undo = None
        results = [one.message for one in undo.changes if one.message.role == "tool"]
        self._publish(
            Restored(
                how="undo",
                messages=tuple(message.id for message in results),
                calls=tuple(message.call_id or "" for message in results),
                tokens=max(0, self._measure().tokens - tokens),
            )
        )
        await self._pause(on=True)

    def _warn(self, tokens: int) -> None:
        """Says once that it gets full, and again after it was less (FIELD 44)."""
        full = tokens >= self._marks().warn
        if full and not self._warned:
            text = self._words(
                "compaction.near_summary",
                tokens=f"{tokens:,}",
                window=f"{self._window:,}",
                left=f"{max(0, self._window - tokens):,}",
            )
            self._publish(Notice(code="near_summary", text=text, severity="warn"))
        self._warned = full

    async def _pause(self, *, on: bool) -> None:
        if on != self.paused:
            await self._recorder.pause("clear", on=on)
            self._publish(Paused(tier="clear", on=on))
