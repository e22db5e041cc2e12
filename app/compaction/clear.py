"""Tier 2: the bodies of older tool results become pointers (DESIGN 4, "Tier 2").

Pure: a plan is made here, whoever owns the history carries it out. Everything that is due goes at
once or nothing does; what was cleared is never touched again; of a message nothing but its body
changes. What stays: the newest results, all that the model hasn't seen yet, short ones, pinned
ones, those of excluded tools, and bodies of which a pointer would be more than half.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from app.boundary import visible
from app.compaction.pointer import asked, pointer
from app.compaction.sent_texts import sent_texts
from app.conversation.history import History
from app.conversation.messages import Message, Part, TextPart, ToolCall
from app.conversation.meter import Meter
from app.conversation.offloaded import Offloaded
from app.conversation.standing import PLAIN, Standing
from app.conversation.window import RULES, Rules, Thresholds
from app.memory.name_calls import names_in_call
from app.memory.name_lists import Standing as StandingNames
from app.memory.name_lists import best_names, in_order, listed
from app.memory.name_score import Ranking
from app.text import Words

EXCLUDED = ("save_memory", "note", "update_todo", "read_history")
"""Tools whose results are never cleared, beside those of the settings (DESIGN 4, tier 2)."""

_OF_FILES = ("read", "edit")
"""What a call did whose result shows a file as it was."""


@dataclass(frozen=True, slots=True)
class Clearing:
    """A result that is to be cleared.

    Attributes:
        id: of its message.
        parts: the body that takes the old one's place.
        before: tokens of the message as it is.
        after: tokens of it with the pointer.
    """

    id: str
    parts: tuple[Part, ...]
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class ClearPlan:
    """What is to be cleared, all of it or nothing.

    Attributes:
        clearings: in the order of the history; empty: nothing is due, or it isn't worth it.
        standing: all that is sent afterwards, without the recovery block; None: nobody asked.
    """

    clearings: tuple[Clearing, ...] = ()
    standing: StandingNames | None = field(default=None, compare=False, repr=False)

    def __bool__(self) -> bool:
        return bool(self.clearings)

    @property
    def freed(self) -> int:
        """Tokens that it frees."""
        return sum(one.before - one.after for one in self.clearings)


def unseen_results(history: History) -> frozenset[str]:
    """The results that the model hasn't seen: no answer of its follows them.

    However the last request ended: a call is made again with them in it.
    """
    unseen = set()
    for message in reversed(history.messages):
        if message.discarded:
            continue
        if message.role == "assistant":
            break
        if message.role == "tool":
            unseen.add(message.id)
    return frozenset(unseen)


def plan_clear(
    history: History,
    standings: Mapping[str, Standing],
    meter: Meter,
    marks: Thresholds,
    *,
    unseen: Collection[str],
    words: Words,
    excluded: Iterable[str] = EXCLUDED,
    files: Mapping[str, Offloaded] | None = None,
    names: Ranking | None = None,
    force: bool = False,
    rules: Rules = RULES,
) -> ClearPlan:
    """Plans a clear; whether one is due is for the caller to measure.

    It takes milliseconds where nothing is due, and up to 0.1 s for a history of 100,000 tokens.

    Args:
        history: as it would be sent.
        standings: how its messages stand; those left out are live and not pinned.
        meter: estimates messages.
        marks: of the window.
        unseen: results of the newest step that the model hasn't seen (`unseen_results`).
        words: the language of results.
        excluded: tools whose results stay, in any case of letters.
        files: where the contents of offloaded results are, by message; from state, not from text.
        names: scores names, made now; None: pointers list none.
        force: a summary is due: whatever it frees is worth it.
        rules: the numbers.
    """
    never = excluded_names(excluded)
    results = [message for message in history if message.role == "tool"]
    kept = {message.id for message in results[max(0, len(results) - rules.keep) :]} | set(unseen)
    due = [
        message
        for message in results
        if message.id not in kept
        and may_be_cleared(message, standings.get(message.id, PLAIN), never, rules)
    ]
    if not due:
        return ClearPlan()
    calls = {call.id: call for message in history for call in message.calls}
    root = "" if names is None else names.index.root
    maker = _Maker(meter, words, calls, files or {}, rules, root)
    clearings = [one for one in map(maker.bare, due) if one is not None]
    if not _worth(clearings, marks, force=force):
        return ClearPlan()
    standing = None
    if names is not None:
        going = {one.id: history[history.index(one.id)] for one in clearings}
        standing = StandingNames(
            sent_texts(message for message in history if message.id not in going)
        )
        for one in clearings:
            standing.add(maker.text(going[one.id]))
        newest_first = [
            maker.named(going[one.id], one, names, standing) for one in reversed(clearings)
        ]
        clearings = newest_first[::-1]
        if not _worth(clearings, marks, force=force):
            return ClearPlan()
    return ClearPlan(tuple(clearings), standing)


class _Maker:
    """Makes pointers for one plan."""

    def __init__(
        self,
        meter: Meter,
        words: Words,
        calls: Mapping[str, ToolCall],
        files: Mapping[str, Offloaded],
        rules: Rules,
        root: str,
    ) -> None:
        self._meter = meter
        self._words = words
        self._calls = calls
        self._files = files
        self._rules = rules
        self._root = root

    def bare(self, message: Message) -> Clearing | None:
        """A clearing without names; None where the body stays: a pointer isn't half of it."""
        return self._clearing(message, self.text(message))

    def named(
        self, message: Message, bare: Clearing, ranking: Ranking, standing: StandingNames
    ) -> Clearing:
        """The clearing with the best names that stand nowhere else, as many as fit."""
        text = self.text(message)
        room = len(message.text) // self._rules.half - len(text)
        room = min(self._rules.pointer_names, room - self._around)
        found = best_names(
            message.text, ranking=ranking, standing=standing, characters=room, by_room=True
        )
        if not found:
            return bare
        shown = [visible(name.text) for name in in_order(found)]
        clearing = self._clearing(message, self.text(message, shown))
        if clearing is None:
            return bare
        standing.add(listed(found))
        return clearing

    @property
    def _around(self) -> int:
        """Characters around the names in a pointer."""
        return len(self._words("tool_result.pointer_names", names=""))

    def text(self, message: Message, names: Iterable[str] = ()) -> str:
        """A message's pointer."""
        call, file = self._calls.get(message.call_id or ""), self._files.get(message.id)
        return pointer_for(
            message, call, file, self._words, names=names, rules=self._rules, root=self._root
        )

    def _clearing(self, message: Message, text: str) -> Clearing | None:
        """A clearing, where the pointer is at most half the body and no dearer."""
        if not worth_a_pointer(message, text, self._rules):
            return None
        parts = (TextPart(text),)
        before = self._meter.message_tokens(message)
        after = self._meter.message_tokens(replace(message, parts=parts))
        return Clearing(message.id, parts, before, after) if after < before else None


def pointer_for(
    message: Message,
    call: ToolCall | None,
    file: Offloaded | None,
    words: Words,
    *,
    names: Iterable[str] = (),
    rules: Rules = RULES,
    root: str = "",
) -> str:
    """The pointer of a result: of what its call asked, and where its content is.

    Args:
        message: the result.
        call: the call it answers.
        file: where its content is, of one that was offloaded.
        words: the language of results.
        names: what it named that stands nowhere else.
        rules: the numbers.
        root: the project's folder (`asked`).
    """
    return pointer(
        words,
        tool=message.tool or "",
        asked=asked(call, rules.pointer_asked, root),
        characters=len(message.text) if file is None else file.characters,
        ref=message.id,
        file=file,
        names=tuple(names),
        of_file=call is None or names_in_call(call.name, call.arguments).work in _OF_FILES,
    )


def worth_a_pointer(message: Message, text: str, rules: Rules = RULES) -> bool:
    """Whether a pointer is at most half the body it would replace."""
    return len(text) <= len(message.text) // rules.half


def may_be_cleared(
    message: Message, standing: Standing, never: Collection[str], rules: Rules = RULES
) -> bool:
    """Whether a result may be cleared once it is old enough.

    Args:
        message: a result.
        standing: how it stands.
        never: names of excluded tools, as `excluded_names` gives them.
        rules: the numbers.
    """
    return (
        len(message.text) >= rules.clear_smallest
        and standing.state != "cleared"
        and not standing.pinned
        and (message.tool or "").strip().casefold() not in never
    )


def excluded_names(excluded: Iterable[str]) -> frozenset[str]:
    """Names of tools as they are compared."""
    return frozenset(name.strip().casefold() for name in excluded)


def _worth(clearings: Iterable[Clearing], marks: Thresholds, *, force: bool) -> bool:
    """Whether so many tokens are worth the prefix cache."""
    freed = sum(one.before - one.after for one in clearings)
    return freed > 0 if force else freed >= marks.min_gain
