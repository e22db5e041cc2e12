"""What is known of a chain's work: the worklog's own state, as the archive keeps and loads it."""

from dataclasses import dataclass, replace

from app.conversation.work import (
    CHANGING,
    Action,
    EntityKey,
    EntityKind,
    Stamp,
    Touch,
    Work,
)


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing the agents of a chain worked with; one however it is spelt.

    Attributes:
        kind: what it is.
        name: in full; of a file: its path from the project's root with `/`, or whole outside it.
        action: what was last done to it.
        detail: more of it, as in `Touch`.
        ok: that went well.
        file: the file in which a symbol or a table stands; a renamed file's old path; else "".
        stamp: of a changed file, as the agent left it or saw all of it last; None: not known.
        at: when it was last touched, ISO 8601 UTC.
        step: in which of the chain's steps it was last touched.
        times: how often it was touched.
        changed: what was last done that changed it; None: nothing did.
        changed_at: when; "" for never.
        failed: how often in a row a command failed by now.
        forgotten: the user doesn't want it told; until it is touched again.
    """

    kind: EntityKind
    name: str
    action: Action
    detail: str = ""
    ok: bool = True
    file: str = ""
    stamp: Stamp | None = None
    at: str = ""
    step: int = 0
    times: int = 1
    changed: Action | None = None
    changed_at: str = ""
    failed: int = 0
    forgotten: bool = False

    @property
    def key(self) -> EntityKey:
        """Which one it is."""
        return EntityKey(self.kind, self.name)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What turns that aren't in a conversation's past did last to a file or with a command.

    They stand in a child that the conversation doesn't go through, or in another branch. Nothing
    in its own past did more to it since.

    Attributes:
        entity: as those turns left it.
        at: when they changed the file, or ran the command, ISO 8601 UTC.
        since: nothing of the shared past is later, ISO 8601 UTC.
    """

    entity: Entity
    at: str
    since: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A row that said something about goal, rules, progress, or what is told.

    Attributes:
        at: when, ISO 8601 UTC.
        work: what it said, without its touches and what it forgot: `Entity` tells these.
    """

    at: str
    work: Work


@dataclass(frozen=True, slots=True)
class LoadedWork:
    """The work of a chain, as far as one of its nodes knows it.

    Attributes:
        entities: of the whole chain (files were changed whichever branch did it), oldest touch
            first; the newest 1,500, and every changed file. What other branches did comes before
            what the node's own ledger tells.
        marks: of the node's own past alone, oldest first; of progress the newest only.
        turns: the user's messages in that past.
        steps: the steps of the chain whose calls touched something.
        older: no row tells work, as an older Haima wrote them: what it changed stands in the
            messages (`archive.work.older_work`), to be kept when the chain goes on.
        elsewhere: changed files, and commands, with which turns outside the node's past had to do
            last; newest first.
    """

    entities: tuple[Entity, ...] = ()
    marks: tuple[Mark, ...] = ()
    turns: int = 0
    steps: int = 0
    older: bool = False
    elsewhere: tuple[Elsewhere, ...] = ()


NO_WORK = LoadedWork()
"""Of a new chain."""


def touched(entity: Entity | None, touch: Touch, *, at: str, step: int) -> Entity:
    """The entity after a touch: the one rule by which worklog and archive fold touches up.

    Args:
        entity: as it was; None: it is new.
        touch: what was done.
        at: when, ISO 8601 UTC.
        step: in which step of the chain.
    """
    old = entity or Entity(touch.kind, touch.name, touch.action, times=0)
    # To name it again doesn't hide what was done. Of what was only ever named the newest detail
    # counts: a port or a variable may have another value now.
    telling = (
        touch.action != "named" or old.times == 0 or (old.action == "named" and touch.detail != "")
    )
    changing = touch.action in CHANGING and touch.ok
    return Entity(
        kind=old.kind,
        name=old.name,
        action=touch.action if telling else old.action,
        detail=touch.detail if telling else old.detail,
        ok=touch.ok if telling else old.ok,
        file=touch.file or old.file,
        stamp=touch.stamp if changing or _seen(touch) else old.stamp,
        at=at,
        step=step,
        times=old.times + 1,
        changed=touch.action if changing else old.changed,
        changed_at=at if changing else old.changed_at,
        failed=0 if touch.ok else old.failed + 1,
    )


def _seen(touch: Touch) -> bool:
    """Whether a file was read again as it lies there: who changed it before is no matter now."""
    return touch.ok and touch.stamp is not None


def joined(earlier: Entity, later: Entity) -> Entity:
    """One entity of what two branches tell: as if all touches of the one had come first.

    That is exactly what `touched` makes of them in this order; `forgotten` holds until a touch.
    """
    if later.times == 0:
        return replace(earlier, forgotten=earlier.forgotten or later.forgotten)
    if earlier.times == 0:
        return later
    only_named = earlier.action == "named" and later.detail != ""
    telling = earlier if later.action == "named" and not only_named else later
    changing = earlier if later.changed is None else later
    return replace(
        later,
        action=telling.action,
        detail=telling.detail,
        ok=telling.ok,
        file=later.file or earlier.file,
        stamp=later.stamp if later.stamp is not None else changing.stamp,
        changed=changing.changed,
        changed_at=changing.changed_at,
        times=earlier.times + later.times,
        # A success in between ends the row of failures.
        failed=later.failed + (earlier.failed if later.failed == later.times else 0),
    )
