"""Running sums over a history: what is appended is added, what was edited is exchanged.

A message is counted once. As long as a history is only appended to, following it costs what the new
messages cost; after a replace or a splice it is gone through once, and only messages that weren't
there before are counted.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.conversation.classes import NOTHING, Coefficients, Counts
from app.conversation.estimate import KINDS, Kind, Load, message_loads, recovery_load, tools_load
from app.conversation.history import History, RecoverySlot
from app.conversation.messages import Message, Part


@dataclass(slots=True)
class _Sum:
    """Loads of one kind together; whole numbers, so that order and history leave no trace."""

    counts: Counts = NOTHING
    fixed: int = 0
    items: int = 0
    tokens: float | None = None
    """With the present coefficients; None: to be worked out."""

    def add(self, load: Load, sign: int) -> None:
        self.counts = Counts._make(
            a + sign * b for a, b in zip(self.counts, load.counts, strict=True)
        )
        self.fixed += sign * load.fixed
        self.items += sign * load.items
        self.tokens = None


@dataclass(frozen=True, slots=True)
class _Counted:
    """A message with its loads; holding it keeps its identity from being used again."""

    message: Message
    loads: tuple[Load, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """What following a history found.

    Attributes:
        edited: the first position that was replaced or spliced, None if none.
        by: by how many tokens that, and a change of the recovery slot, changed the estimate.
        recovery: where the slot is or was, if it changed.
        tools: the tools are others.
        other: it is another history, or its system message is another.
    """

    edited: int | None = None
    by: float = 0.0
    recovery: int | None = None
    tools: bool = False
    other: bool = False


class Tally:
    """The sums by kind over one history, its recovery slot and the tools on offer."""

    def __init__(self, coefficients: Coefficients, beside: "Tally | None" = None) -> None:
        """Counts nothing yet.

        Args:
            coefficients: what the counts come to.
            beside: knows messages of another history that may stand in this one too.
        """
        self._beside = beside
        self._coefficients = coefficients
        self._sums: Mapping[Kind, _Sum] = {kind: _Sum() for kind in KINDS}
        self._history: History | None = None
        self._edits = 0
        self._counted: list[_Counted] = []
        self._known: dict[int, _Counted] = {}
        self._recovery: tuple[RecoverySlot, Load, int] | None = None
        self._tools = ""
        self._tools_load: Load | None = None

    def use(self, coefficients: Coefficients) -> None:
        """From now on the counts come to tokens by these; nothing is counted again."""
        self._coefficients = coefficients
        for one in self._sums.values():
            one.tokens = None

    @property
    def tokens(self) -> float:
        """The estimate of the whole request."""
        return sum(map(self.of, KINDS))

    @property
    def length(self) -> int:
        """How many messages were counted, discarded ones included."""
        return len(self._counted)

    def of(self, kind: Kind) -> float:
        """The estimate of one kind."""
        one = self._sums[kind]
        if one.tokens is None:
            one.tokens = one.fixed + one.counts.tokens(self._coefficients)
        return one.tokens

    def items(self, kind: Kind) -> int:
        """How many there are of a kind."""
        return self._sums[kind].items

    def loads(self, message: Message) -> tuple[Load, ...]:
        """What a message comes to; not counted again where it stands in the history."""
        return self._count(message).loads

    def follow(self, history: History, tools_text: str) -> Change:
        """Brings the sums up to date.

        Returns:
            What changed besides appended messages.
        """
        other = history is not self._history
        tools = self._follow_tools(tools_text)
        if other:
            self._forget()
        system = self._system
        edited, by = None, 0.0
        if not other and self._edits != history.edits:
            edited, by = self._exchange(history)
            other = other or self._system != system
        self._history, self._edits = history, history.edits
        for position in range(len(self._counted), len(history)):
            self._append(history[position])
        recovery, more = self._follow_recovery(history)
        return Change(edited, by + more, recovery, tools, other)

    @property
    def _system(self) -> tuple[Part, ...]:
        """What the system message says."""
        first = self._counted[0].message if self._counted else None
        return first.parts if first is not None and first.role == "system" else ()

    def _append(self, message: Message) -> None:
        counted = self._count(message)
        self._counted.append(counted)
        self._known[id(message)] = counted
        self._add(counted.loads, 1)

    def _count(self, message: Message) -> _Counted:
        known = self._known.get(id(message))
        if known is None and self._beside is not None:
            known = self._beside._known.get(id(message))
        return known or _Counted(message, message_loads(message))

    def _add(self, loads: Iterable[Load], sign: int) -> float:
        """Adds or takes away; returns the tokens."""
        total = 0.0
        for load in loads:
            self._sums[load.kind].add(load, sign)
            total += sign * load.tokens(self._coefficients)
        return total

    def _exchange(self, history: History) -> tuple[int | None, float]:
        """Takes over what was replaced or spliced; what was appended meanwhile is left to `follow`.

        Returns:
            The first changed position, and by how many tokens the estimate changed.
        """
        old, new = self._counted, history.messages
        first = 0
        while first < min(len(old), len(new)) and old[first].message is new[first]:
            first += 1
        if first == len(old):
            return None, 0.0
        end, kept = self._tail(new, first)
        by = self._add((load for one in old[first:kept] for load in one.loads), -1)
        exchanged = list(map(self._count, new[first:end]))
        by += self._add((load for one in exchanged for load in one.loads), 1)
        self._counted = [*old[:first], *exchanged, *old[kept:]]
        self._known = {id(one.message): one for one in self._counted}
        return first, by

    def _tail(self, new: tuple[Message, ...], first: int) -> tuple[int, int]:
        """Where the changed part ends: in the new messages, and in the counted ones.

        Behind it stand, in both, the same messages: those after the edit that were there before.
        """
        old = self._counted
        places = {id(message): position for position, message in enumerate(new)}
        last = places.get(id(old[-1].message))
        if last is None:
            return self._appended_from(new, first), len(old)
        end, kept = last + 1, len(old)
        while end > first and kept > first and new[end - 1] is old[kept - 1].message:
            end, kept = end - 1, kept - 1
        return end, kept

    def _appended_from(self, new: tuple[Message, ...], first: int) -> int:
        """Where what was appended begins, when the last counted message itself was changed."""
        ids = {one.message.id for one in self._counted}
        for position in range(len(new) - 1, first - 1, -1):
            if new[position].id in ids:
                return position + 1
        return len(new)

    def _follow_recovery(self, history: History) -> tuple[int | None, float]:
        """Exchanges the slot; returns the earlier of its places and the change in tokens."""
        slot = history.recovery
        old = self._recovery
        if slot is None and old is None:
            return None, 0.0
        place = -1 if slot is None else history.index(slot.message_id)
        if slot is not None and old is not None and (slot is old[0] or slot == old[0]):
            self._recovery = (slot, old[1], place)
            return None, 0.0
        by = 0.0
        places = []
        if old is not None:
            by += self._add((old[1],), -1)
            places.append(old[2])
        self._recovery = None
        if slot is not None:
            load = recovery_load(slot)
            by += self._add((load,), 1)
            places.append(place)
            self._recovery = (slot, load, place)
        return min(places), by

    def _follow_tools(self, text: str) -> bool:
        """Exchanges the tools; returns whether they are others."""
        if text is self._tools or text == self._tools:
            return False
        if self._tools_load is not None:
            self._add((self._tools_load,), -1)
        self._tools = text
        self._tools_load = tools_load(text, _how_many(text)) if text else None
        if self._tools_load is not None:
            self._add((self._tools_load,), 1)
        return True

    def _forget(self) -> None:
        """Begins afresh, for another history."""
        self._add((load for one in self._counted for load in one.loads), -1)
        if self._recovery is not None:
            self._add((self._recovery[1],), -1)
        self._counted, self._known, self._recovery = [], {}, None
        self._edits = 0


def _how_many(tools_text: str) -> int:
    """How many tools a JSON list of them holds; 0 if it is none."""
    try:
        tools = json.loads(tools_text)
    except ValueError:
        return 0
    return len(tools) if isinstance(tools, list) else 0
