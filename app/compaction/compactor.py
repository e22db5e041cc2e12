"""What happens to a history before every call: measure, clear, measure, summarise, measure, guard.

DESIGN 3.3. Clearing begins at its mark, all that is due at once, and only where it frees enough;
the summary at its own (`summary_tier`). The guard is the last resort, near the end of the window.
Where nothing is due, a call costs what is new.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from app.archive.recorder import Recorder
from app.archive.unbroken import unbroken
from app.compaction.clear import EXCLUDED, Clearing, plan_clear, unseen_results
from app.compaction.clearable import Clearable
from app.compaction.guarding import Guard
from app.compaction.known import NOTHING_TOLD, Told
from app.compaction.means import FindOriginal
from app.compaction.recovery import Recovery, recovery_events
from app.compaction.summary_tier import By, SummaryTier
from app.compaction.too_large import RequestTooLarge
from app.compaction.undo import Changes, Undo
from app.config import CompactionSettings
from app.conversation.history import History
from app.conversation.measured import Measure
from app.conversation.messages import Message
from app.conversation.meter import Meter
from app.conversation.standing import PLAIN
from app.conversation.window import RULES, Rules, Thresholds, guard_mark
from app.events import Cleared, Notice, Paused, Restored
from app.memory.name_index import NameIndex
from app.memory.name_score import Ranking
from app.ports import Publish
from app.text import Words

T = TypeVar("T")

_LARGEST = 3
"""Messages that are named where nothing helps."""


class Compactor:
    """Keeps the requests of one history within the window, in every mode.

    Attributes:
        tier: summarises; what changes the history is asked of the compactor, one at a time.
    """

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
        tier: SummaryTier | None = None,
        recovery: Recovery | None = None,
        rules: Rules = RULES,
    ) -> None:
        """Changes nothing yet.

        Args:
            recorder: writes down each change of the history.
            meter: measures it.
            marks: of the window as it is now.
            tools: the tools on offer, as they go out.
            publish: gets `cleared`, `guarded`, `restored`, `paused`, and the warning.
            words: the language of results.
            index: the names that the conversation held.
            settings: `[compaction]` as it is now.
            tier: summarises; None: nothing does.
            recovery: says what is known after a clear; None: nothing is.
            rules: the numbers.
        """
        self.tier = tier
        self._recovery = recovery
        self._recorder = recorder
        self._meter = meter
        self._marks = marks
        self._tools = tools
        self._publish = publish
        self._words = words
        self._index = index
        self._settings = settings
        self._rules = rules
        self._clearable = Clearable(meter, words, self._excluded, rules, index.root)
        self._not_worth: tuple[History, int, float, int] | None = None
        self._changes = Changes(recorder)
        self._guard = Guard(
            recorder=recorder,
            changes=self._changes,
            meter=meter,
            marks=marks,
            measure=self._measure,
            publish=publish,
            words=words,
            index=index,
            rules=rules,
        )
        self._warned = False
        self._lock = asyncio.Lock()

    async def take_up(self, find: FindOriginal, earlier: Sequence[Message] = ()) -> None:
        """A session is resumed: the names of its messages as they first were are taken up.

        Args:
            find: gives a message as it first came.
            earlier: messages of its past as they first came, oldest first.
        """
        if earlier:
            await asyncio.to_thread(self._take_up_all, earlier)
        for message in self._history.messages:
            standing = self._recorder.standings.get(message.id, PLAIN)
            original = None if standing.body is None else await find(message.id)
            self._index.add(message if original is None else original.message)

    def _take_up_all(self, messages: Sequence[Message]) -> None:
        for message in messages:
            self._index.add(message)

    async def before_call(self, _: History) -> None:
        """Brings the history under its marks, as far as it has to and can.

        Raises:
            RequestTooLarge: nothing brings it under the window; it is valid.
            StorageError: a change can't be written down; what was changed is valid.
        """
        async with self._lock:
            self._changes.begin_round()
            self._index.follow(self._history)
            measure = self._measure()
            if self._clear_is_due(measure):
                await self._clear(measure)
                measure = self._measure()
            if self.tier is not None and self.tier.due(measure, full=self._guard.due(measure)):
                measure = await self._summarise("mark")
            if self._settings().auto != "off":
                measure = await self._last_resorts(measure)
            if measure.at_most > self._window:
                items = self._meter.largest(self._history, _LARGEST)
                held = None if self.tier is None else self.tier.withheld
                raise RequestTooLarge(measure, self._window, items, self._history, held)
            self._warn(measure.tokens)

    async def force(self) -> bool:
        """The endpoint refused the request as too long: all is done that makes it smaller.

        Not asked for with `compaction.auto = "off"`.

        Returns:
            Whether it is smaller now.

        Raises:
            StorageError: a change can't be written down; what was changed is valid.
        """
        async with self._lock:
            self._changes.begin_round()
            edits = self._history.edits
            before, measure = self._forecast(), self._measure()
            if self.clearable:
                await self._clear(measure, force=True)
                measure = self._measure()
            if self._history.edits == edits or measure.tokens >= self._marks().summary:
                measure = await self._summarise("overflow")
            await self._last_resorts(measure, before)
            return self._forecast() < before

    async def by_hand(self, work: Callable[[], Awaitable[T]]) -> T:
        """Does what the user asks of the summary tier, and nothing else meanwhile."""
        async with self._lock:
            self._changes.begin_round()
            return await work()

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
        """Whether nothing was said since something was cleared, or summarised."""
        return self.can_undo_summary or self._changes.last is not None

    @property
    def can_undo_summary(self) -> bool:
        """Whether a summary, or its expansion, is the last thing that happened."""
        return self.tier is not None and self.tier.can_undo

    async def undo(self) -> bool:
        """Takes back what was done before the last call: the request is as it was, byte for byte.

        The newest first; a summary goes with what was cleared or cut before the same call. What
        was taken back pauses for this chain.

        Returns:
            Whether there was something to take back.

        Raises:
            HaimaError: it can't be written down, or not be read; part of it may be back.
        """
        async with self._lock:
            changes, node, summarised = self._changes, self._recorder.node, False
            if self.tier is not None and (changes.last is None or changes.of_round(node)):
                summarised = await self.tier.undo()
            undo = changes.last
            if undo is None or (summarised and not changes.of_round(node)):
                return summarised
            await unbroken(self._put_back(undo))
            return True

    async def go_on(self) -> None:
        """The user acts: clearing doesn't pause any longer.

        Raises:
            StorageError: it can't be written down; it still does.
        """
        await self._pause(on=False)

    def user_acts(self) -> None:
        """Another window or model: what failed before may go well now."""
        if self.tier is not None:
            self.tier.user_acts()

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

    def _forecast(self) -> int:
        """Tokens by our estimate alone: the same scale before and after a summary."""
        return self._meter.forecast(self._history, self._tools())

    def _excluded(self) -> tuple[str, ...]:
        return (*EXCLUDED, *self._settings().keep_tools)

    def _clear_is_due(self, measure: Measure) -> bool:
        """The mark is reached, and enough would be freed; asks the same figure as the gauge."""
        marks, freed = self._marks(), self.clearable
        if not freed or measure.tokens < marks.clear:
            return False
        if self.paused and not self._guard.due(measure):
            return False
        return freed >= marks.min_gain or measure.tokens >= marks.summary

    async def _summarise(self, by: By) -> Measure:
        """Summarises, perhaps in vain."""
        if self.tier is not None and await self.tier.summarise(by):
            self._changes.node_begun()
            self._index.follow(self._history)
        return self._measure()

    async def _last_resorts(self, measure: Measure, refused: int | None = None) -> Measure:
        """The guard, then the cut without a summary, each where nothing else fits."""
        if self._guard.due(measure):
            measure = await self._guard.cut(measure)
        # What the endpoint refused, and nothing made smaller, doesn't fit by its own count.
        still = refused is not None and self._forecast() >= refused
        over = still or measure.at_most > self._window
        if over and self.tier is not None and await self.tier.cut_by_itself():
            self._changes.node_begun()
        return self._measure() if over else measure

    async def _clear(self, measure: Measure, *, force: bool = False) -> None:
        recorder, marks, history = self._recorder, self._marks(), self._history
        weight = self._clearable.weigh(history, recorder.standings, recorder.files)
        force = force or measure.tokens >= marks.summary
        asked = (history, history.edits, weight, 0 if force else marks.min_gain)
        if self._not_worth == asked:
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
            force=force,
            rules=self._rules,
        )
        if not plan:
            self._not_worth = asked
            return
        told = NOTHING_TOLD
        if self._recovery is not None:
            free = guard_mark(marks.window, self._rules) - measure.tokens + plan.freed
            told = await self._recovery.told(history, plan.standing, free)
            grown = told.tokens - self._recovery.tokens(history.recovery)
            if plan.freed <= grown and not force:
                self._not_worth = asked
                return
        await self._pause(on=False)
        await unbroken(self._carry_out(plan.clearings, measure, told))

    async def _carry_out(self, clearings: Sequence[Clearing], measure: Measure, told: Told) -> None:
        """Clears them, and tells which; also where the disk gives out half way.

        What is known is told first: a process that dies between the two told it once too often.
        """
        done: list[Message] = []
        slot = None if self._recovery is None else self._recovery.slot(self._history, told)
        if self._recovery is not None and slot != self._history.recovery:
            await self._changes.recover(slot)
        try:
            for one in clearings:
                message = self._history[self._history.index(one.id)]
                await self._changes.change(replace(message, parts=one.parts), "cleared")
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
        if slot is not None:
            for event in recovery_events(told, slot.message_id, self._words):
                self._publish(event)

    async def _put_back(self, undo: Undo) -> None:
        tokens = self._measure().tokens
        if pausing := not self.paused:
            await self._recorder.pause("clear", on=True)  # first: a process may die half way
        back = await self._changes.put_back(undo)
        results = [message for message in back if message.role == "tool"]
        self._publish(
            Restored(
                how="undo",
                messages=tuple(message.id for message in results),
                calls=tuple(message.call_id or "" for message in results),
                tokens=max(0, self._measure().tokens - tokens),
            )
        )
        if pausing:
            self._publish(Paused(tier="clear", on=True))

    def _warn(self, tokens: int) -> None:
        """Says once that it gets full, and again after it was less (FIELD 44)."""
        full = tokens >= self._marks().warn
        if full and not self._warned:
            left = max(0, self._window - tokens)
            sizes = {"tokens": f"{tokens:,}", "window": f"{self._window:,}", "left": f"{left:,}"}
            text = self._words("compaction.near_summary", **sizes)
            self._publish(Notice(code="near_summary", text=text, severity="warn"))
        self._warned = full

    async def _pause(self, *, on: bool) -> None:
        if on != self.paused:
            await self._recorder.pause("clear", on=on)
            self._publish(Paused(tier="clear", on=on))
