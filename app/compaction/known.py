"""What code knows of the work when a tier rewrites the history, and what of it is told."""

from dataclasses import dataclass

from app.conversation.work import NO_PROGRESS, Goal, Progress, Rule
from app.conversation.work_state import Entity
from app.memory.name_score import Ranking
from app.memory.names import Name


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the work (DESIGN 4, "Worklog and recovery").

    Attributes:
        goal: what the user wants now; None: nothing is known.
        first: what was asked first, where that is something else.
        rules: the user's standing rules and what must be so in the end, oldest first.
        ended: what the user said as a rule and that holds no longer, the newest taken back last.
        changed: the changed files, newest first.
        outside: paths of those that somebody else changed since.
        nearest: of all else what is nearest to the task, best first.
        forgotten: names of what the user doesn't want told.
        progress: what is done and what is left.
        ranking: scores the names that the conversation held; None: none is told.
        now: ISO 8601, with the user's zone; "" leaves times out.
    """

    goal: Goal | None = None
    first: Goal | None = None
    rules: tuple[Rule, ...] = ()
    ended: tuple[str, ...] = ()
    changed: tuple[Entity, ...] = ()
    outside: frozenset[str] = frozenset()
    nearest: tuple[Entity, ...] = ()
    forgotten: frozenset[str] = frozenset()
    progress: Progress = NO_PROGRESS
    ranking: Ranking | None = None
    now: str = ""


NOTHING_KNOWN = Known()
"""Of a conversation that nobody follows."""


@dataclass(frozen=True, slots=True)
class Told:
    """What of it is told, in a recovery block.

    Attributes:
        text: the block, without its tag; "": nothing is told.
        goals: in full or their beginnings.
        rules: word for word.
        rules_left: how many rules had no room.
        changed: files that changed, with what was last done.
        changed_names: older ones, named alone.
        changed_left: how many had no room even for that.
        nearest: with what was last done.
        names: named alone: commands, paths, symbols.
        progress: what of it is told.
        outside: changed files that somebody else changed since.
        tokens: of the text.
    """

    text: str = ""
    goals: tuple[Goal, ...] = ()
    rules: tuple[Rule, ...] = ()
    rules_left: int = 0
    changed: tuple[Entity, ...] = ()
    changed_names: tuple[Entity, ...] = ()
    changed_left: int = 0
    nearest: tuple[Entity, ...] = ()
    names: tuple[Name, ...] = ()
    progress: Progress = NO_PROGRESS
    outside: frozenset[str] = frozenset()
    tokens: int = 0

    @property
    def files(self) -> int:
        """How many changed files are named."""
        return len(self.changed) + len(self.changed_names)


NOTHING_TOLD = Told()
"""An empty block."""


@dataclass(frozen=True, slots=True)
class BlockShares:
    """Tokens that the sections of a recovery block may have, each.

    Attributes:
        rules: the user's standing rules.
        goal: the goal.
        files: the changed files.
        progress: done and todo.
        entities: the nearest entities, and names.
    """

    rules: int
    goal: int
    files: int
    progress: int
    entities: int

    @property
    def total(self) -> int:
        """What all of them may have."""
        return self.rules + self.goal + self.files + self.progress + self.entities
