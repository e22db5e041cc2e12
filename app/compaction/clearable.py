"""How many tokens a clear would free now, kept up to date as the history grows.

The compactor asks it before every call, the gauge after every change: it costs what is new. After
an edit, a pin or a change of the model the history is gone through once.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from app.compaction.clear import excluded_names, may_be_cleared, pointer_for, worth_a_pointer
from app.conversation.history import History
from app.conversation.messages import Message, TextPart, ToolCall
from app.conversation.meter import Meter
from app.conversation.offloaded import Offloaded
from app.conversation.standing import PLAIN, Standing
from app.conversation.window import RULES, Rules
from app.text import Words


class Clearable:
    """Sums what the results of one history would free; pointers are counted without names."""

    def __init__(
        self,
        meter: Meter,
        words: Words,
        excluded: Callable[[], Iterable[str]],
        rules: Rules = RULES,
        root: str = "",
    ) -> None:
        """Counts nothing yet.

        Args:
            meter: estimates messages.
            words: the language of results.
            excluded: tools whose results stay.
            rules: the numbers.
            root: the project's folder.
        """
        self._meter = meter
        self._words = words
        self._excluded = excluded
        self._rules = rules
        self._root = root
        self._key: tuple[History, int, object, frozenset[str]] | None = None
        self._length, self._sum = 0, 0.0
        self._begin()

    def forget(self) -> None:
        """Something changed that a history doesn't show: a pin."""
        self._key = None

    def weigh(
        self,
        history: History,
        standings: Mapping[str, Standing],
        files: Mapping[str, Offloaded],
    ) -> float:
        """What a clear would free, on the scale of `Meter.weight`; 0.0 where nothing is due.

        Args:
            history: as it would be sent.
            standings: how its messages stand.
            files: where offloaded contents are, by message.
        """
        never = excluded_names(self._excluded())
        key = (history, history.edits, self._meter.endpoint, never)
        if self._key is None or self._key[0] is not history or self._key[1:] != key[1:]:
            self._begin()
        self._key = key
        for position in range(self._length, len(history)):
            message = history[position]
            standing = standings.get(message.id, PLAIN)
            self._take(message, standing, files.get(message.id), never)
        self._length = len(history)
        kept = {*self._results[-self._rules.keep :], *self._unseen}
        stays = [self._gains[one] for one in kept if one in self._gains]
        return self._sum - sum(stays) if len(stays) < len(self._gains) else 0.0

    def tokens(
        self,
        history: History,
        standings: Mapping[str, Standing],
        files: Mapping[str, Offloaded],
    ) -> int:
        """The same in tokens."""
        return max(0, round(self.weigh(history, standings, files) * self._meter.scale))

    def _begin(self) -> None:
        self._length, self._sum = 0, 0.0
        self._results: list[str] = []
        self._unseen: list[str] = []
        self._calls: dict[str, ToolCall] = {}
        self._gains: dict[str, float] = {}

    def _take(
        self, message: Message, standing: Standing, file: Offloaded | None, never: frozenset[str]
    ) -> None:
        if message.role == "assistant" and not message.discarded:
            self._unseen.clear()
            self._calls = {call.id: call for call in message.calls}
        if message.role != "tool":
            return
        self._results.append(message.id)
        self._unseen.append(message.id)
        if may_be_cleared(message, standing, never, self._rules):
            gain = self._gain(message, file)
            if gain > 0:
                self._gains[message.id] = gain
                self._sum += gain

    def _gain(self, message: Message, file: Offloaded | None) -> float:
        call = self._calls.get(message.call_id or "")
        text = pointer_for(message, call, file, self._words, rules=self._rules, root=self._root)
        if not worth_a_pointer(message, text, self._rules):
            return 0.0
        after = replace(message, parts=(TextPart(text),))
        return self._meter.weight(message) - self._meter.weight(after)
