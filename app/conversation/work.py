"""What one row of a ledger adds to the worklog of its chain (DESIGN 4, "Worklog and recovery").

Pure data. `memory.worklog` makes it of what was said and done and folds it up again; the archive
keeps it with the message it comes from, so it is written down before a result joins the history.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Self, TypeGuard, TypeVar, cast, get_args

from app.conversation.by_hand import NOT_BY_HAND, ByHand

T = TypeVar("T")

EntityKind = Literal["file", "symbol", "table", "command", "identifier"]
"""What an entity is; a `table` may be a table or a column, an `identifier` an error code, an id, a
port, an environment variable, a branch."""

Action = Literal["created", "edited", "deleted", "renamed", "read", "ran", "searched", "named"]
"""What was done; `named`: by the agent or the user, nothing more."""

RuleKind = Literal["rule", "acceptance"]
"""A standing rule of the user, or what must be so for the work to be done."""

KINDS: tuple[EntityKind, ...] = get_args(EntityKind)
ACTIONS: tuple[Action, ...] = get_args(Action)
CHANGING: frozenset[Action] = frozenset({"created", "edited", "deleted", "renamed"})
"""The actions that change a file."""

_RULE_KINDS: tuple[RuleKind, ...] = get_args(RuleKind)
_MOST = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Stamp:
    """A file as it was left: what tells whether somebody else changed it since.

    Attributes:
        mtime: nanoseconds since 1970.
        size: bytes; -1: it wasn't there.
    """

    mtime: int
    size: int


@dataclass(frozen=True, slots=True)
class Touch:
    """What one call did to one entity.

    Attributes:
        kind: of the entity.
        name: in full; of a file: its path from the project's root with `/`, or whole outside it.
        action: what was done.
        detail: more of it, in no language: `1–200` (lines read), `exit 1`, a searched pattern.
        ok: it went well.
        file: the file in which a symbol or a table stands; a renamed file's old path; else "".
        stamp: of a file that was changed, or of a changed one that was read whole; None: not known.
    """

    kind: EntityKind
    name: str
    action: Action
    detail: str = ""
    ok: bool = True
    file: str = ""
    stamp: Stamp | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A sentence of the user that holds until it is revoked, word for word.

    Attributes:
        id: of the rule.
        text: at most 300 characters.
        kind: of what sort.
        message: id of the user's message; "" where it was added by hand.
        turn: of that message, counted from 1; 0 where it was added by hand.
    """

    id: str
    text: str
    kind: RuleKind = "rule"
    message: str = ""
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Goal:
    """What the user wants.

    Attributes:
        text: word for word.
        message: id of the user's message; "" where it was edited.
        turn: of that message, counted from 1; 0 where it was edited.
    """

    text: str
    message: str = ""
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Done:
    """A finished piece of the work.

    Attributes:
        text: what the agent calls it.
        by: the command that showed it; "" for none.
    """

    text: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the work is.

    Attributes:
        todo: what is left, in order; the first is being worked on.
        done: what is done, in order.
    """

    todo: tuple[str, ...] = ()
    done: tuple[Done, ...] = ()


NO_PROGRESS = Progress()
"""Nothing was planned yet."""


@dataclass(frozen=True, slots=True)
class EntityKey:
    """Which entity."""

    kind: EntityKind
    name: str


@dataclass(frozen=True, slots=True)
class Work:
    """What one row adds; a message's, or an edit of the user's.

    Attributes:
        touches: what was done to entities.
        rules: rules that are new, or that take the place of those with their ids.
        revoked: ids of rules that don't hold any longer.
        restored: ids of revoked rules that hold again.
        goal: the new goal.
        progress: the new progress, whole.
        forgotten: entities that aren't told any longer, until they are touched again.
        by_hand: what of it the user changed by hand, which the agent isn't told yet.
        told: what was changed by hand before this row is told with it.
        heard: what turns outside this conversation changed until then is told with it, ISO 8601
            UTC; "" for nothing.
    """

    touches: tuple[Touch, ...] = ()
    rules: tuple[Rule, ...] = ()
    revoked: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    goal: Goal | None = None
    progress: Progress | None = None
    forgotten: tuple[EntityKey, ...] = ()
    by_hand: ByHand = NOT_BY_HAND
    told: bool = False
    heard: str = ""

    def __bool__(self) -> bool:
        return self != NOTHING

    def to_data(self) -> dict[str, object]:
        """As it stands in rows; what is empty is left out."""
        data: dict[str, object] = {}
        if self.touches:
            data["touches"] = [_touch_data(one) for one in self.touches]
        if self.rules:
            data["rules"] = [[r.id, r.text, r.kind, r.message, r.turn] for r in self.rules]
        if self.revoked:
            data["revoked"] = list(self.revoked)
        if self.restored:
            data["restored"] = list(self.restored)
        if self.goal is not None:
            data["goal"] = [self.goal.text, self.goal.message, self.goal.turn]
        if self.progress is not None:
            done = [[one.text, one.by] for one in self.progress.done]
            data["progress"] = {"todo": list(self.progress.todo), "done": done}
        if self.forgotten:
            data["forgotten"] = [[one.kind, one.name] for one in self.forgotten]
        if self.by_hand:
            data["by_hand"] = self.by_hand.to_data()
        if self.told:
            data["told"] = True
        if self.heard:
            data["heard"] = self.heard
        return data

    @classmethod
    def from_data(cls, data: object) -> Self:
        """What `to_data` gave; what can't be read of it is left out."""
        if not isinstance(data, Mapping):
            return cls()
        told = cast("Mapping[str, object]", data)
        heard = told.get("heard")
        return cls(
            touches=_all(told, "touches", _touch),
            rules=_all(told, "rules", _rule),
            revoked=_texts(told.get("revoked")),
            restored=_texts(told.get("restored")),
            goal=_goal(told.get("goal")),
            progress=_progress(told.get("progress")),
            forgotten=_all(told, "forgotten", _key),
            by_hand=ByHand.from_data(told.get("by_hand")),
            told=told.get("told") is True,
            heard=heard if isinstance(heard, str) else "",
        )


NOTHING = Work()
"""A row that adds nothing."""


def _touch_data(touch: Touch) -> list[object]:
    stamp = touch.stamp and [touch.stamp.mtime, touch.stamp.size]
    return [touch.kind, touch.name, touch.action, touch.detail, touch.ok, touch.file, stamp]


def _touch(data: object) -> Touch | None:
    match data:
        case [kind, str() as name, action, str() as detail, bool() as ok, str() as file, stamp] if (
            _is_kind(kind) and _is_action(action) and name
        ):
            return Touch(kind, name, action, detail, ok, file, _stamp(stamp))
        case _:
            return None


def _stamp(data: object) -> Stamp | None:
    match data:
        case [int() as mtime, int() as size] if 0 <= mtime <= _MOST and -1 <= size <= _MOST:
            return Stamp(mtime, size)
        case _:
            return None


def _rule(data: object) -> Rule | None:
    match data:
        case [str() as id_, str() as text, kind, str() as message, int() as turn] if (
            kind in _RULE_KINDS and text and 0 <= turn <= _MOST
        ):
            return Rule(id_, text, kind, message, turn)
        case _:
            return None


def _goal(data: object) -> Goal | None:
    match data:
        case [str() as text, str() as message, int() as turn] if 0 <= turn <= _MOST:
            return Goal(text, message, turn)
        case _:
            return None


def _progress(data: object) -> Progress | None:
    match data:
        case {"todo": todo, "done": list() as done}:
            return Progress(_texts(todo), tuple(filter(None, map(_done, done))))
        case _:
            return None


def _done(data: object) -> Done | None:
    match data:
        case [str() as text, str() as by] if text:
            return Done(text, by)
        case _:
            return None


def _key(data: object) -> EntityKey | None:
    match data:
        case [kind, str() as name] if _is_kind(kind):
            return EntityKey(kind, name)
        case _:
            return None


def _is_kind(value: object) -> TypeGuard[EntityKind]:
    return value in KINDS


def _is_action(value: object) -> TypeGuard[Action]:
    return value in ACTIONS


def _texts(data: object) -> tuple[str, ...]:
    return tuple(one for one in data if isinstance(one, str)) if isinstance(data, list) else ()


def _all(
    data: Mapping[str, object], name: str, read: Callable[[object], T | None]
) -> tuple[T, ...]:
    values = data.get(name)
    found = map(read, values) if isinstance(values, list) else ()
    return tuple(one for one in found if one is not None)
