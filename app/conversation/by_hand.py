"""What the user changed by hand in goal, rules or list, until the agent has been told of it.

Pure data. Of each thing it is kept how it was when the agent last heard of it, so what was changed
and changed back is nothing, and what is told is how things stand when they are told.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Self, TypeGuard, TypeVar, cast, get_args

T = TypeVar("T")

EntryState = Literal["", "todo", "done"]
"""Where an entry stands: on neither list, to be done, done."""

_STATES: tuple[EntryState, ...] = get_args(EntryState)


@dataclass(frozen=True, slots=True)
class ByHand:
    """What was changed, and how it was before.

    Attributes:
        goal: what it was; "" where there was none; None: it is the same.
        rules: ids of rules with what each said; "": it didn't hold.
        entries: things of the list, each with where it stood.
        taken: unfinished work of another conversation goes on here: all of it is to be told.
    """

    goal: str | None = None
    rules: tuple[tuple[str, str], ...] = ()
    entries: tuple[tuple[str, EntryState], ...] = ()
    taken: bool = False

    def __bool__(self) -> bool:
        return self != NOT_BY_HAND

    def then(self, later: "ByHand") -> "ByHand":
        """Both, one after the other: of each thing the first account counts."""
        return ByHand(
            goal=later.goal if self.goal is None else self.goal,
            rules=_folded(self.rules, later.rules),
            entries=_folded(self.entries, later.entries),
            taken=self.taken or later.taken,
        )

    def to_data(self) -> dict[str, object]:
        """As it stands in rows; what is empty is left out."""
        data: dict[str, object] = {}
        if self.goal is not None:
            data["goal"] = self.goal
        if self.rules:
            data["rules"] = [list(one) for one in self.rules]
        if self.entries:
            data["entries"] = [list(one) for one in self.entries]
        if self.taken:
            data["taken"] = True
        return data

    @classmethod
    def from_data(cls, data: object) -> Self:
        """What `to_data` gave; what can't be read of it is left out."""
        if not isinstance(data, Mapping):
            return cls()
        told = cast("Mapping[str, object]", data)
        goal = told.get("goal")
        return cls(
            goal=goal if isinstance(goal, str) else None,
            rules=tuple(_pairs(told.get("rules"))),
            entries=tuple((name, was) for name, was in _pairs(told.get("entries")) if _is(was)),
            taken=told.get("taken") is True,
        )


NOT_BY_HAND = ByHand()
"""Nothing was changed by hand."""


def _folded(
    earlier: tuple[tuple[str, T], ...], later: tuple[tuple[str, T], ...]
) -> tuple[tuple[str, T], ...]:
    known = {name for name, _ in earlier}
    return (*earlier, *(one for one in later if one[0] not in known))


def _pairs(data: object) -> list[tuple[str, str]]:
    values = data if isinstance(data, list) else []
    found: list[tuple[str, str]] = []
    for one in values:
        match one:
            case [str() as name, str() as was]:
                found.append((name, was))
    return found


def _is(value: str) -> TypeGuard[EntryState]:
    return value in _STATES
