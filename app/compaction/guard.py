"""The guard: what is cut when a request nearly fills the window and nothing else is left to go.

DESIGN 4, tier 2, and NAMES 4.9: the newest step's results, the biggest first, down to what fits:
two thirds beginning, a quarter end, between them the names that only the middle held. Then the
other results, then long arguments, the newest step's first and however deep the text stands in
them, then long texts of the assistant. The user's words and the system message are never cut, nor
what is pinned.

Pure: it says what messages would become.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from app.boundary import visible
from app.compaction.clear import unseen_results
from app.compaction.guard_arguments import GUARD_PARTS, LINE_ENDS, shorter_calls
from app.compaction.pointer import history_call
from app.conversation.history import History
from app.conversation.messages import Message, TextPart
from app.conversation.meter import Meter
from app.conversation.standing import PLAIN, Standing
from app.conversation.truncate import cut
from app.conversation.window import RULES, Rules
from app.memory.name_lists import NOTE_SCANNED, best_names, in_order, listed
from app.memory.name_lists import Standing as StandingNames
from app.memory.name_score import Ranking
from app.text import Words

_TRIES = 8
"""Times a cut is made smaller until it fits: characters of one text differ in tokens."""


@dataclass(frozen=True, slots=True)
class Shortened:
    """A message that is to be cut.

    Attributes:
        message: as it will be.
        shed: tokens it has less.
    """

    message: Message
    shed: int


def plan_guard(
    history: History,
    standings: Mapping[str, Standing],
    meter: Meter,
    excess: int,
    *,
    words: Words,
    names: Ranking | None = None,
    rules: Rules = RULES,
    spare: int = 0,
) -> tuple[Shortened, ...]:
    """What to cut, until so many tokens are gone or nothing is left that may be cut.

    A step that was never sent breaks nothing that is cached where it is cut; where that doesn't do,
    `spare` tokens more go at once, so that older messages aren't cut every time.

    Args:
        history: as it would be sent.
        standings: how its messages stand.
        meter: estimates messages.
        excess: tokens too many.
        words: the language of results.
        names: scores names; None: none are listed.
        rules: the numbers.
        spare: tokens that are to be free beyond, once what was sent already is cut.
    """
    cutter = _Cutter(meter, words, names, rules)
    cuts: dict[str, Shortened] = {}
    unsent, wanted = _unsent(history), excess
    for shorten, message in _candidates(history, standings, meter, cutter):
        shed_by_now = sum(one.shed for one in cuts.values())
        if shed_by_now >= wanted:
            break
        if message.id not in unsent:
            wanted = excess + spare
        left = wanted - shed_by_now
        known = cuts.get(message.id)
        current = known.message if known is not None else message
        tokens = meter.message_tokens(current)
        shorter = shorten(current, tokens - left)
        shed = tokens - meter.message_tokens(shorter)
        if shed > 0:
            cuts[message.id] = Shortened(shorter, shed + (known.shed if known else 0))
    return tuple(sorted(cuts.values(), key=lambda one: history.index(one.message.id)))


def _unsent(history: History) -> frozenset[str]:
    """The newest step, if the model hasn't seen its results: neither was its answer sent yet."""
    results = unseen_results(history)
    calls = {history[history.index(key)].call_id for key in results}
    asked = (one.id for one in history if any(call.id in calls for call in one.calls))
    return results.union(asked)


_Shorten = Callable[[Message, int], Message]


def _candidates(
    history: History, standings: Mapping[str, Standing], meter: Meter, cutter: "_Cutter"
) -> Iterator[tuple[_Shorten, Message]]:
    """What may be cut, in this order, and how."""
    free = [
        message
        for message in history
        if not message.discarded and _may_be_cut(standings.get(message.id, PLAIN))
    ]
    step = next((place for place in reversed(range(len(free))) if free[place].calls), len(free))
    newest = free[step:]

    def biggest(messages: list[Message], role: str) -> list[Message]:
        found = (message for message in messages if message.role == role)
        return sorted(found, key=lambda message: -meter.message_tokens(message))

    for message in (*biggest(newest, "tool"), *biggest(free[:step], "tool")):
        yield cutter.text, message
    for message in (*newest[:1], *biggest(free[:step], "assistant")):
        yield cutter.arguments, message
    for message in (*biggest(newest, "assistant"), *biggest(free[:step], "assistant")):
        yield cutter.text, message


def _may_be_cut(standing: Standing) -> bool:
    return not standing.pinned and standing.state != "cleared"


class _Cutter:
    """Cuts messages down to a number of tokens, as far as they may be cut."""

    def __init__(self, meter: Meter, words: Words, names: Ranking | None, rules: Rules) -> None:
        self._meter = meter
        self._words = words
        self._names = names
        self._rules = rules

    def text(self, message: Message, tokens: int) -> Message:
        """Cuts the text of a result or an answer."""
        text, least = message.text, self._rules.guard_least
        if len(text) <= least:
            return message
        others = [part for part in message.parts if not isinstance(part, TextPart)]
        now = max(1, self._meter.message_tokens(message))
        limit = max(least, min(len(text) - 1, len(text) * max(0, tokens) // now))
        shorter = message
        for _ in range(_TRIES):
            shorter = replace(message, parts=(TextPart(self._cut(message, limit)), *others))
            size = self._meter.message_tokens(shorter)
            if size <= tokens or limit == least:
                break
            limit = max(least, limit * max(1, tokens) * 49 // (50 * size))
        return shorter

    def arguments(self, message: Message, tokens: int) -> Message:
        """Cuts what is longest in the arguments of a step's calls, until it fits."""
        shorter = message
        for calls in shorter_calls(message.calls, self._words, self._rules):
            if self._meter.message_tokens(shorter) <= tokens:
                break
            shorter = replace(message, calls=calls)
        return shorter

    def _cut(self, message: Message, limit: int) -> str:
        """A text with so many characters: beginning, what was left out and its names, end."""
        text, call = message.text, history_call(message.id)
        around = len(self._words("tool_result.guarded", **_blanks(text), call=call))
        room = max(0, limit - around - LINE_ENDS)
        head, tail = (
            room * parts // GUARD_PARTS
            for parts in (self._rules.guard_head, self._rules.guard_tail)
        )
        piece = cut(text, head + tail, head)
        if piece is None:
            return text
        middle = text[len(piece.head) : len(text) - len(piece.tail)]
        left_out = self._words(
            "tool_result.guarded",
            characters=f"{piece.characters:,}",
            total=f"{piece.total:,}",
            first=f"{piece.first:,}",
            last=f"{piece.last:,}",
            call=call,
        )
        left_out += self._named(middle, f"{piece.head}\n{piece.tail}", room - head - tail)
        return "\n".join(part for part in (piece.head, left_out, piece.tail) if part)

    def _named(self, middle: str, stays: str, characters: int) -> str:
        if self._names is None or characters <= 0:
            return ""
        room = characters - len(self._words("tool_result.guarded_names", names=""))
        found = best_names(
            middle,
            ranking=self._names,
            standing=StandingNames((stays,)),
            characters=room,
            limit=NOTE_SCANNED,
        )
        if not found:
            return ""
        return self._words("tool_result.guarded_names", names=visible(listed(in_order(found))))


def _blanks(text: str) -> dict[str, str]:
    """The longest that the figures of a cut can be."""
    size = f"{len(text):,}"
    lines = f"{text.count(chr(10)) + 1:,}"
    return {"characters": size, "total": size, "first": lines, "last": lines}
