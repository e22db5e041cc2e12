"""What the Work tab and the Work view show: just what the agent would be told now."""

from dataclasses import dataclass
from typing import Literal

from app.conversation.work import NO_PROGRESS, Action, EntityKind, Goal, Progress, Rule

ToldAs = Literal["full", "name", "not"]
"""With what was done to it; by its name alone; there is no room for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityShown:
    """An entity as it is told.

    Attributes:
        kind: what it is.
        name: in full.
        note: what was last done to it, in the words the agent reads.
        short: the same for a narrow column: `edited`, `exit 1`.
        at: when that was, ISO 8601 UTC.
        ok: it went well.
        changed: what was last done that changed it; None: nothing did.
        outside: somebody else changed it since.
        told: how it is told.
        kept: the name as the worklog keeps it, where that can't be shown as it is; "": it can.
    """

    kind: EntityKind
    name: str
    note: str = ""
    short: str = ""
    at: str = ""
    ok: bool = True
    changed: Action | None = None
    outside: bool = False
    told: ToldAs = "full"
    kept: str = ""

    @property
    def real(self) -> str:
        """The name by which the worklog, and the disk, know it."""
        return self.kept or self.name


@dataclass(frozen=True, slots=True)
class NameShown:
    """What is told by its name alone.

    Attributes:
        kind: what it is.
        text: the name.
    """

    kind: EntityKind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkShown:
    """What is known of the work, as it would be told if a tier rewrote the history now.

    Attributes:
        goal: what the user wants; told where it stands nowhere else in the request.
        first: what was asked first, where that is something else.
        rules: standing rules and what must be so in the end, oldest first.
        revoked: rules that don't hold any longer, the last one revoked last.
        new_rules: ids of rules that the newest turns of the user brought; their undo is offered.
        untold_rules: ids of rules that have no room.
        changed: all changed files, newest first.
        nearest: of all else what is told with what was done to it, best first.
        names: what is told by name alone, best first.
        more: entities that are known and not told.
        progress: what is done and what is left.
        told_progress: what of that there is room for.
        written: when the worklog was last written, ISO 8601 UTC; "" for never.
        slot: the block that stands in the request now; "" for none.
    """

    goal: Goal | None = None
    first: Goal | None = None
    rules: tuple[Rule, ...] = ()
    revoked: tuple[Rule, ...] = ()
    new_rules: frozenset[str] = frozenset()
    untold_rules: frozenset[str] = frozenset()
    changed: tuple[EntityShown, ...] = ()
    nearest: tuple[EntityShown, ...] = ()
    names: tuple[NameShown, ...] = ()
    more: int = 0
    progress: Progress = NO_PROGRESS
    told_progress: Progress | None = None
    written: str = ""
    slot: str = ""

    @property
    def empty(self) -> bool:
        """Whether nothing is known yet."""
        known = self.goal, self.rules, self.revoked, self.changed, self.nearest, self.names
        return not any(known) and self.progress == NO_PROGRESS

    @property
    def untold(self) -> frozenset[str]:
        """Pieces of the work that there is no room for."""
        told, all_ = self.told_progress, self.progress
        if told is None or told == all_:
            return frozenset()
        left = {*all_.todo, *(one.text for one in all_.done)}
        return frozenset(left - {*told.todo, *(one.text for one in told.done)})

    @property
    def full(self) -> int:
        """Entities that are told with what was done to them."""
        return len(self.nearest) + sum(one.told == "full" for one in self.changed)

    @property
    def named(self) -> int:
        """Entities that are told by name alone."""
        return len(self.names) + sum(one.told == "name" for one in self.changed)


NO_WORK_SHOWN = WorkShown()
"""Nothing is known yet."""
