"""What comes of a change to the facts: one type each, never an exception, nor silence."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from app.memory.fact_file import Flaw
from app.memory.facts import Draft, Fact
from app.storage import StorageError


@dataclass(frozen=True, slots=True)
class Clash:
    """A fact that a new text contradicts, and the rule that says so (`values`, `negation`, …)."""

    fact: Fact
    kind: str


@dataclass(frozen=True, slots=True)
class Likeness:
    """What a text has in common with others: the fact it repeats, those it contradicts."""

    duplicate: Fact | None = None
    conflicts: tuple[Clash, ...] = ()


class Compare(Protocol):
    """Compares a new text with facts of its domain; runs in a thread, while the lock is held."""

    def __call__(self, content: str, others: Sequence[Fact]) -> Likeness:
        """What it repeats and contradicts."""
        ...


@runtime_checkable
class Foreseeing(Compare, Protocol):
    """One that can begin to look before the lock is held and the facts are read."""

    def ahead(self, draft: Draft) -> None:
        """Is told what will be compared in a moment; in the same thread, returns at once."""
        ...


@dataclass(frozen=True, slots=True)
class Stored:
    """It stands in the file.

    Attributes:
        fact: as it stands there.
        change: by which it came.
        near: facts that it may repeat or replace, though no rule says so: worth asking about, and
            nothing more (RECALL 3). Looked for by `Memories.with_near`.
    """

    fact: Fact
    change: str
    near: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Replaced:
    """It stands in the file in the place of these; an edited fact keeps its id."""

    fact: Fact
    old: tuple[Fact, ...]
    change: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """An equal fact is there already.

    Attributes:
        fact: that one, as it stands now.
        verified: whether saving it again confirmed it; only an explicit save does.
        change: the change that confirmed it, "" if none.
    """

    fact: Fact
    verified: bool
    change: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Nothing was written: the user has to choose. `existing` is oldest first."""

    content: str
    existing: tuple[Clash, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """Nothing was written: the user was asked, and keeps what is there (the session's answer)."""

    content: str
    existing: Fact


@dataclass(frozen=True, slots=True)
class NotFound:
    """Nothing was written: these facts, or the change to undo, aren't there or aren't visible."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Failed:
    """Nothing was written: the file is whole and as it was; `error` says why."""

    error: StorageError


@dataclass(frozen=True, slots=True)
class Verified:
    """The user confirmed these; `missing` aren't there."""

    facts: tuple[Fact, ...]
    change: str
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pinned:
    """These stand in every prompt from now on (`on`), or no longer do; `missing` aren't there."""

    facts: tuple[Fact, ...]
    on: bool
    change: str
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Deleted:
    """These are gone.

    Attributes:
        facts: as they were.
        change: by which they come back; "" when they were deleted everywhere.
        missing: ids that weren't there.
        remains: copies of a broken file in which their text still stands (deleted everywhere).
    """

    facts: tuple[Fact, ...]
    change: str
    missing: tuple[str, ...] = ()
    remains: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Restored:
    """A change was taken back, or deleted facts returned.

    Attributes:
        facts: those that stand in the file again as they were before.
        gone: those that the change had brought.
        change: by which this is undone in turn.
    """

    facts: tuple[Fact, ...]
    gone: tuple[Fact, ...]
    change: str


@dataclass(frozen=True, slots=True)
class ChangedSince:
    """Nothing was written: these facts were changed or deleted after the change to undo."""

    ids: tuple[str, ...]


Outcome = (
    Stored
    | Replaced
    | Duplicate
    | Conflict
    | Kept
    | NotFound
    | Failed
    | Verified
    | Pinned
    | Deleted
    | Restored
    | ChangedSince
)


@dataclass(frozen=True, slots=True)
class FactReport:
    """What was wrong with the file when it was read; told once for each content.

    Attributes:
        flaws: what.
        facts: how many could be read.
        from_memory: of these, how many only this process still had.
        backup: where the broken file was copied to.
        failure: why it could not be copied; then nothing is written either.
    """

    flaws: tuple[Flaw, ...]
    facts: int
    from_memory: int = 0
    backup: Path | None = None
    failure: StorageError | None = None
