"""What the commands of `haima memory` work with: the memories, and how is told what became."""

import re
from argparse import Namespace
from datetime import UTC, datetime
from math import ceil
from typing import TYPE_CHECKING

from app.cli.codes import CONFLICT, FAILED, NOT_FOUND, OK
from app.cli.memory_list import MemoryList, fact_record, pending_record, record
from app.conversation.classes import estimate_text
from app.llm.families import coefficients_for
from app.memory.fact_outcomes import (
    ChangedSince,
    Conflict,
    Deleted,
    Duplicate,
    Failed,
    NotFound,
    Replaced,
    Restored,
    Stored,
    Verified,
)
from app.memory.facts import Provenance
from app.memory.memories import Memories
from app.session.clock import SystemClock
from app.session.fact_said import fact_said

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.cli.console import Console
    from app.memory.fact_outcomes import Outcome
    from app.memory.facts import Draft, Fact, FactScope, FactState
    from app.memory.inbox import Pending
    from app.session.launch import Launch
    from app.text import Words

_CHANGE = re.compile("[0-9a-f]{12}")


class MemoryDesk:
    """One run of `haima memory`.

    Attributes:
        console: what is written with.
        launch: settings, project, home.
        options: what was asked for.
        memories: those of the project.
    """

    def __init__(self, console: "Console", launch: "Launch", options: Namespace) -> None:
        self.console = console
        self.launch = launch
        self.options = options
        self.memories = _memories(launch)

    @property
    def words(self) -> "Words":
        """The user's language."""
        return self.console.words

    @property
    def now(self) -> datetime:
        """The present, in the user's zone."""
        return datetime.now(UTC).astimezone()

    @property
    def table(self) -> MemoryList:
        """Makes the lists."""
        return MemoryList(
            self.words,
            now=self.now,
            columns=self.console.columns,
            ascii_only=self.console.ascii_only,
            project=self.memories.key,
        )

    def draft(self, text: str, scope: "FactScope") -> "Draft":
        """A memory that the user writes."""
        return self.memories.draft(text, scope, Provenance("you"))

    async def waiting(self, *, every: bool = False) -> "tuple[Pending, ...]":
        """The conflicts that wait for a decision, the oldest first."""
        return await self.memories.inbox.waiting(None if every else self.memories.key)

    async def gone(self) -> "tuple[Fact, ...]":
        """The facts this project may see that are gone and can come back."""
        gone = await self.memories.store.gone()
        return tuple(fact for fact in gone if fact.visible_in(self.memories.key))

    def is_change(self, name: str) -> bool:
        """Whether it looks like the id of a change."""
        return _CHANGE.fullmatch(name) is not None

    async def to_inbox(self, draft: "Draft", conflict: "Conflict", *before: "Fact") -> int:
        """A text that contradicts memories waits for the user; the exit code.

        Args:
            draft: with the text.
            conflict: what came of saving it.
            before: facts it shall replace in any case.
        """
        ids = dict.fromkeys(fact.id for fact in before)
        ids |= dict.fromkeys(clash.fact.id for clash in conflict.existing)
        pending = await self.memories.inbox.add(draft, tuple(ids))
        self.told(conflict, CONFLICT)
        self.console.say(self.words("memory_list.inbox_waits", id=pending.id))
        if self.options.json:
            self.console.print_records([pending_record(pending)])
        return CONFLICT

    async def changed(
        self, outcome: "Outcome", before: "Mapping[str, FactState] | None" = None
    ) -> int:
        """Says what came of a change; the exit code.

        Args:
            outcome: of the change.
            before: the states of facts that are gone by it.
        """
        code = exit_code_of(outcome)
        self.told(outcome, code)
        if self.options.json:
            facts = _facts(outcome)
            if before is not None:
                # What brings it back, for a script too: `memory restore` takes it.
                undo = outcome.change if isinstance(outcome, Deleted) else ""
                change = {"change": undo} if undo else {}
                records = [fact_record(fact, before[fact.id]) | change for fact in facts]
            else:
                await self.memories.refresh()
                records = [record(known) for known in await self.memories.known(facts)]
            self.console.print_records(records)
        elif isinstance(outcome, Deleted) and outcome.change:
            self.console.print(self.words("memory_list.undo", change=outcome.change) + "\n")
        return code

    def told(self, outcome: "Outcome", code: int) -> None:
        """Says what came of a change: on stdout where it was done, unless records go there."""
        said = fact_said(outcome, self.words)
        if code == OK and not self.options.json:
            self.console.print(f"{said.sentence}\n")
        else:
            self.console.say(said.sentence)


def _memories(launch: "Launch") -> Memories:
    coefficients = coefficients_for(launch.settings.model.name or "")
    return Memories(
        launch.paths,
        launch.project,
        SystemClock(),
        words=lambda: launch.words,
        tokens=lambda text: ceil(estimate_text(text, coefficients)),
        settings=launch.settings.memory,
        mask=launch.settings.mask,
    )


def exit_code_of(outcome: "Outcome") -> int:
    """The exit code of what came of a change (DESIGN 5)."""
    match outcome:
        case Conflict():
            return CONFLICT
        case NotFound():
            return NOT_FOUND
        case Verified(missing=missing) | Deleted(missing=missing) if missing:
            return NOT_FOUND
        case Failed() | ChangedSince():
            return FAILED
        case _:
            return OK


def _facts(outcome: "Outcome") -> "Sequence[Fact]":
    """The facts a change was about, as they stand after it; deleted ones as they were."""
    match outcome:
        case Stored(fact=fact) | Replaced(fact=fact) | Duplicate(fact=fact):
            return (fact,)
        case Verified(facts=facts) | Deleted(facts=facts) | Restored(facts=facts):
            return facts
        case _:
            return ()
