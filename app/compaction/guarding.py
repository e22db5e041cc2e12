"""The guard at work: what it plans (`guard`) goes into the history, and what was cut is told."""

from collections.abc import Callable, Sequence

from app.archive.recorder import Recorder
from app.archive.unbroken import unbroken
from app.compaction.guard import plan_guard
from app.compaction.undo import Changes
from app.conversation.measured import Measure
from app.conversation.messages import Message
from app.conversation.meter import Meter
from app.conversation.window import RULES, Rules, Thresholds, guard_mark
from app.events import Guarded
from app.memory.name_index import NameIndex
from app.memory.name_score import Ranking
from app.ports import Publish
from app.text import Words

_ROUNDS = 4
"""Times the guard cuts and measures: by an edit the meter's figure becomes an estimate."""


def nearly_full(measure: Measure, window: int, rules: Rules = RULES) -> bool:
    """Whether a request is near the end of the window, or over it by the margin."""
    return measure.tokens >= guard_mark(window, rules) or measure.at_most > window


class Guard:
    """Cuts what is newest and biggest where a request nearly fills the window, or is over it."""

    def __init__(
        self,
        *,
        recorder: Recorder,
        changes: Changes,
        meter: Meter,
        marks: Callable[[], Thresholds],
        measure: Callable[[], Measure],
        publish: Publish,
        words: Words,
        index: NameIndex,
        rules: Rules = RULES,
    ) -> None:
        """Changes nothing yet.

        Args:
            recorder: whose history it is.
            changes: makes each cut, so that it can be taken back.
            meter: estimates messages.
            marks: of the window as it is now; where messages are cut that were sent already,
                a cut is worth as much as a clear.
            measure: measures the next request.
            publish: gets `guarded`.
            words: the language of results.
            index: the names that the conversation held.
            rules: the numbers.
        """
        self._recorder = recorder
        self._changes = changes
        self._meter = meter
        self._marks = marks
        self._measure = measure
        self._publish = publish
        self._words = words
        self._index = index
        self._rules = rules

    def due(self, measure: Measure) -> bool:
        """Whether a request is near the end of the window, or over it by the margin."""
        return nearly_full(measure, self._marks().window, self._rules)

    async def cut(self, measure: Measure) -> Measure:
        """Cuts until it fits, or nothing is left to cut; tells what was, in one event.

        Args:
            measure: of the next request.

        Returns:
            Its measure now.

        Raises:
            StorageError: a cut can't be written down; those before it stand, and are told.
        """
        before, cut = measure.tokens, set[str]()
        try:
            for _ in range(_ROUNDS):
                messages = self._plan(measure) if self.due(measure) else ()
                if not messages:
                    break
                await unbroken(self._replace(messages, cut))
                measure = self._measure()
        finally:
            if cut:
                place = self._recorder.history.index
                self._publish(
                    Guarded(
                        messages=tuple(sorted(cut, key=place)),
                        count=len(cut),
                        tokens_before=before,
                        tokens_after=self._measure().tokens,
                    )
                )
        return measure

    def _plan(self, measure: Measure) -> tuple[Message, ...]:
        """What messages become; none where nothing may be cut."""
        window = self._marks().window
        most = min(
            guard_mark(window, self._rules) - 1,
            window * measure.tokens // max(1, measure.at_most),
        )
        cuts = plan_guard(
            self._recorder.history,
            self._recorder.standings,
            self._meter,
            measure.tokens - most,
            words=self._words,
            names=Ranking(self._index),
            rules=self._rules,
            spare=self._marks().min_gain,
        )
        return tuple(one.message for one in cuts)

    async def _replace(self, messages: Sequence[Message], cut: set[str]) -> None:
        """Puts them into the history one by one; names each that is."""
        for message in messages:
            await self._changes.change(message, "cut")
            cut.add(message.id)
