"""The store of long-term memory: every change is lock, read again, change, write as a whole.

One file for all projects, which other programs write too (FACTS 1.9, DESIGN 4 "Facts"). Nothing is
written that isn't compared with what lies there; what fails is an outcome, and the old file whole.
All of it happens in a thread, one change at a time.
"""

import asyncio
from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from app.memory.fact_changes import Planner, digest
from app.memory.fact_history import Happening, Use, heir_of, history, lost, undoable, uses
from app.memory.fact_journal import Choice, JournalRow, chain_of
from app.memory.fact_keeper import FactKeeper
from app.memory.fact_outcomes import Compare, Deleted, FactReport, Failed, Outcome
from app.memory.fact_plan import Plan
from app.memory.facts import Draft, Fact, FactScope, Tokens
from app.ports import Clock
from app.storage import StorageError
from app.storage.off_loop import to_the_end

LOCK_TIMEOUT = 10.0
"""Seconds a change waits for the lock."""


class FactStore:
    """The facts of one file.

    Attributes:
        path: the file.
        project: the key of the project whose facts may be changed beside global ones; None: all.
    """

    def __init__(
        self,
        path: Path,
        *,
        project: str | None,
        clock: Clock,
        compare: Compare,
        tokens: Tokens,
        lock_timeout: float = LOCK_TIMEOUT,
    ) -> None:
        self.path = path
        self.project = project
        self._tokens = tokens
        self._keeper = FactKeeper(
            path,
            project=project,
            clock=clock,
            compare=compare,
            tokens=tokens,
            lock_timeout=lock_timeout,
        )
        self._turn = asyncio.Lock()

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All facts as last read, every project's, in the file's order."""
        return self._keeper.held.file.facts

    @property
    def version(self) -> int:
        """Grows with every change of the content, whoever made it."""
        return self._keeper.held.version

    def get(self, fact_id: str) -> Fact | None:
        """The fact of that id as last read, whatever its project."""
        entry = self._keeper.held.file.get(fact_id)
        return entry.fact if entry else None

    def take_reports(self) -> tuple[FactReport, ...]:
        """What was wrong with the file since the last time this was asked."""
        reports = tuple(self._keeper.reports)
        del self._keeper.reports[: len(reports)]
        return reports

    async def refresh(self) -> bool:
        """Reads the file if it may have changed; whether it did.

        Raises:
            StorageError: it can't be read; `facts` are the old ones.
        """
        async with self._turn:
            return await to_the_end(self._keeper.refresh)

    async def save(self, draft: Draft, *, explicit: bool = True) -> Outcome:
        """Saves a fact: `Stored`, `Duplicate`, `Conflict` or `Failed`.

        Args:
            draft: the fact.
            explicit: the user asked for it: an equal one is confirmed by it.
        """
        return await self._change(lambda plan: plan.save(draft, explicit=explicit), draft)

    async def save_all(self, drafts: Sequence[Draft]) -> tuple[Outcome, ...]:
        """Saves facts that nobody asked for one by one, with a single write: all or none.

        Each is compared with those before it too.

        Returns:
            For each what `save(explicit=False)` returns; `Failed` for all if it can't be written.
        """
        plans = [partial(Planner.save, draft=draft, explicit=False) for draft in drafts]
        async with self._turn:
            return await to_the_end(lambda: self._keeper.change_all(plans))

    async def refill(self, entries: Sequence[str]) -> Outcome:
        """Entries of an export, JSON each, come into a file without facts, as they are.

        Returns:
            `Restored`; `NotFound` where there are facts: nothing was written.
        """
        return await self._change(lambda plan: plan.refill(entries))

    async def keep_both(self, draft: Draft, *, by_choice: bool = False) -> Outcome:
        """Saves a fact beside those it contradicts.

        Args:
            draft: the fact.
            by_choice: the model says that the user chose so: it counts for pairs with a recorded
                choice, once; else the answer is `Conflict`.
        """
        return await self._change(lambda plan: plan.keep_both(draft, chosen=not by_choice), draft)

    async def replace(
        self,
        draft: Draft,
        *targets: str,
        keep: Collection[str] = (),
        by_choice: bool = False,
    ) -> Outcome:
        """Puts a fact in the place of others: `Replaced`, `Conflict` with others, `NotFound`.

        Args:
            draft: the fact; it takes the first target's scope, and a new id.
            targets: whom it replaces.
            keep: conflicting facts that the user keeps beside it.
            by_choice: as in `keep_both`.
        """
        if not targets:
            raise ValueError("nothing to replace")
        return await self._change(
            lambda plan: plan.replace(draft, targets, keep=keep, chosen=not by_choice), draft
        )

    async def edit(self, fact_id: str, content: str, *, force: bool = False) -> Outcome:
        """Another text for a fact, by the user: `Replaced`; `Duplicate` and `Conflict` unforced."""
        if not content.strip():
            raise ValueError("a fact can't be blank")
        return await self._change(lambda plan: plan.edit(fact_id, content, force=force))

    async def verify(self, ids: Sequence[str]) -> Outcome:
        """The user confirms these: `Verified` or `NotFound`."""
        return await self._change(lambda plan: plan.verify(ids))

    async def pin(self, ids: Sequence[str], on: bool) -> Outcome:
        """These stand in every prompt, or no longer do: `Pinned` or `NotFound`."""
        return await self._change(lambda plan: plan.pin(ids, on=on))

    async def delete(self, ids: Sequence[str]) -> Outcome:
        """These go, and can come back: `Deleted` or `NotFound`."""
        return await self._change(lambda plan: plan.delete(ids))

    async def clear(self, scope: FactScope | None = None) -> Outcome:
        """All facts that may be changed go, or those of a scope; they can come back."""
        return await self._change(lambda plan: plan.clear(scope))

    async def delete_everywhere(self, ids: Sequence[str]) -> Outcome:
        """These go for good, with all that the journal has of them and of what they replaced.

        Also takes facts that are gone already out of the journal. Their text may stand in copies of
        a broken file: the outcome's `remains`.
        """
        deleted = await self._change(lambda plan: plan.delete(ids))
        if isinstance(deleted, Failed):
            return deleted
        facts = deleted.facts if isinstance(deleted, Deleted) else ()
        try:
            async with self._turn:
                remains = await to_the_end(lambda: self._keeper.purge(ids, facts))
        except StorageError as error:
            return Failed(error)
        if isinstance(deleted, Deleted):
            return replace(deleted, change="", remains=remains)
        return deleted

    async def undo(self, change: str | None = None) -> Outcome:
        """Takes a change back, by default this store's last; what else happened since stays.

        Returns:
            `Restored`; `ChangedSince`, `NotFound`: nothing was written.
        """
        return await self._change(lambda plan: plan.undo(change, self._keeper.writer))

    async def can_undo(self) -> bool:
        """Whether `undo` has a change of this store to take back.

        Raises:
            StorageError: the journal can't be read.
        """
        return undoable(await self._rows(), None, self._keeper.writer) is not None

    async def restore(self, fact_id: str) -> Outcome:
        """Brings back a fact that is gone, as it was last: `Restored`, `Duplicate`, `NotFound`."""
        return await self._change(lambda plan: plan.restore(fact_id))

    async def record_choice(self, content: str, fact_id: str, choice: Choice) -> Failed | None:
        """The user decided about a new text and a fact: `by_choice` may act on it, once."""
        row = self._keeper.row("choice")
        return await self._note(replace(row, ids=(fact_id,), text=digest(content), choice=choice))

    async def used(self, ids: Sequence[str]) -> Failed | None:
        """These went into a prompt; goes to the journal, never into the file."""
        return await self._note(replace(self._keeper.row("use"), ids=tuple(ids)))

    async def history(self, fact_id: str) -> tuple[Happening, ...]:
        """What happened to a fact and to those it took the place of, oldest first.

        Raises:
            StorageError: the journal can't be read.
        """
        return history(await self._rows(), fact_id, self._tokens)

    async def uses(self) -> Mapping[str, Use]:
        """How often each fact went into a prompt, by id.

        Raises:
            StorageError: the journal can't be read.
        """
        return uses(await self._rows())

    async def gone(self) -> tuple[Fact, ...]:
        """The facts that `restore` can bring back, every project's; the last to go first.

        Raises:
            StorageError: the journal can't be read.
        """
        rows = await self._rows()
        return lost(rows, self._keeper.held.file, self._tokens)

    async def successors(self, ids: Collection[str]) -> Mapping[str, str]:
        """The facts that took the places of these, by id; without those in whose place none is.

        Raises:
            StorageError: the journal can't be read.
        """
        rows = await self._rows()
        return {one: heir for one in ids if (heir := heir_of(rows, one))}

    async def ancestry(self, ids: Collection[str]) -> frozenset[str]:
        """These, and all whose places they took.

        Raises:
            StorageError: the journal can't be read.
        """
        rows = await self._rows()
        return frozenset(ids).union(*(chain_of(rows, one) for one in ids))

    def exported(self, ids: Collection[str] | None = None) -> bytes:
        """A file of its own with these facts, each as its bytes stand in this one.

        Args:
            ids: which; None: all that was read, entries that are no facts included.
        """
        file = self._keeper.held.file
        entries = [
            one for one in file.entries if ids is None or (one.fact is not None and one.id in ids)
        ]
        return file.with_entries(entries).to_bytes().removeprefix(BOM_UTF8)

    async def _rows(self) -> list[JournalRow]:
        async with self._turn:
            return await to_the_end(self._keeper.rows)

    async def _note(self, row: JournalRow) -> Failed | None:
        try:
            async with self._turn:
                await to_the_end(lambda: self._keeper.note(row))
        except StorageError as error:
            return Failed(error)
        return None

    async def _change(
        self, plan: Callable[[Planner], Plan | Outcome], draft: Draft | None = None
    ) -> Outcome:
        async with self._turn:
            return await to_the_end(lambda: self._keeper.change(plan, draft))
