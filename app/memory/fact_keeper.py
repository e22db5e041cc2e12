"""Changes of the file of facts as they reach the disk: lock, read, journal, compare, replace.

Blocking: `FactStore` calls this in a thread, one call at a time.
"""

import contextlib
import random
import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from app.memory.fact_changes import Planner
from app.memory.fact_disk import Stamp, holding, read, read_settled, set_aside
from app.memory.fact_file import FactFile, Flaw, as_bytes, as_text, parse, with_known
from app.memory.fact_history import pasts
from app.memory.fact_journal import FactJournal, JournalRow, Operation, chain_of, happened
from app.memory.fact_outcomes import Compare, FactReport, Failed, Foreseeing, Outcome
from app.memory.fact_plan import Plan
from app.memory.fact_shortening import is_too_long, shorten
from app.memory.facts import Draft, Fact, Tokens
from app.memory.json_text import dump
from app.ports import Clock
from app.storage import Conflict as ForeignWrite
from app.storage import StorageError, write_atomic
from app.storage.faults import fault_point
from app.storage.shared_lock import SharedLock

_TRIES = 50
"""How often a change is made anew because a program without our lock wrote in between."""

_PAUSE = 0.01
"""Seconds at most before that."""

Step: TypeAlias = Callable[[Planner], Plan | Outcome]
"""Plans one change, or says why there is none."""


@dataclass(frozen=True, slots=True)
class Held:
    """What was read last: bytes, when, what they say, and a number that grows with each change."""

    raw: bytes | None
    stamp: Stamp
    file: FactFile
    version: int


@dataclass(frozen=True, slots=True)
class _Planned:
    """What several changes lead to: the file, their rows, what is answered when it is written."""

    file: FactFile
    rows: tuple[JournalRow, ...]
    outcomes: tuple[Outcome, ...]


def lock_of(path: Path) -> Path:
    """The lock's name beside the file, the same as other programs' (FACTS 1.9)."""
    return path.with_name(f"{path.name}.lock")


def journal_of(path: Path) -> Path:
    """The journal beside the file."""
    return path.with_name(f"{path.stem}.journal.jsonl")


class FactKeeper:
    """The file, its journal and its lock.

    Attributes:
        held: what was read last.
        reports: what was wrong with the file, newest last.
        writer: names this keeper in the journal.
    """

    def __init__(
        self,
        path: Path,
        *,
        project: str | None,
        clock: Clock,
        compare: Compare,
        tokens: Tokens,
        lock_timeout: float,
    ) -> None:
        self.held = Held(None, Stamp((0, 0, 0, 0), 0), FactFile(), 0)
        self.reports: list[FactReport] = []
        self.writer = secrets.token_hex(4)
        self._path = path
        self._project = project
        self._clock = clock
        self._compare = compare
        self._tokens = tokens
        self._lock_timeout = lock_timeout
        self._journal = FactJournal(journal_of(path))
        self._told: tuple[Flaw, ...] = ()
        self._beside = ThreadPoolExecutor(1, "haima-facts")  # no thread before it is used

    def refresh(self) -> bool:
        """Reads the file if it may have changed; whether it did.

        Raises:
            StorageError: it can't be read.
        """
        version = self.held.version
        if not self.held.stamp.holds(self._path):
            self._read()
        return self.held.version != version

    def change(self, plan: Step, draft: Draft | None = None) -> Outcome:
        """Plans a change of what lies there now, and makes it.

        Args:
            plan: what to do.
            draft: what it will compare: whoever compares may begin with it now.
        """
        if draft is not None and isinstance(self._compare, Foreseeing):
            self._compare.ahead(draft)
        return self.change_all([plan])[0]

    def change_all(self, plans: Sequence[Step]) -> tuple[Outcome, ...]:
        """Makes several changes with one write: all of them, or none.

        Each is planned on what those before it leave, has its own row in the journal and can be
        taken back alone.

        Args:
            plans: what to do; no two of them to one fact, for after a crash each row is judged by
                the file as it then is.

        Returns:
            The outcome of each; where it can't be written, `Failed` for all.
        """
        try:
            with self._lock():
                for attempt in range(_TRIES):
                    # What is written is compared with what lies there then: to plan it, a file
                    # that seems to be as it was needn't be read. An answer alone is of a read file.
                    unread = not attempt and self._seems_known()
                    planned, version = self._planned(plans, unread=unread), self.held.version
                    if unread and not planned.rows:
                        self._read()
                        if self.held.version != version:
                            planned = self._planned(plans, unread=True)
                    if not planned.rows:
                        return planned.outcomes
                    try:
                        self._write(planned)
                    except ForeignWrite:
                        if attempt == _TRIES - 1:
                            raise
                        time.sleep(_PAUSE * random.random())  # noqa: S311
                    else:
                        return planned.outcomes
        except StorageError as error:
            return (Failed(error),) * len(plans)
        raise AssertionError("the last try returns or raises")

    def note(self, row: JournalRow) -> None:
        """Writes a row that changes no fact.

        Raises:
            StorageError: it can't be written.
        """
        with self._lock():
            self._journal.append(row)
            if is_too_long(self._journal):
                shorten(self._journal)

    def rows(self) -> list[JournalRow]:
        """What took place, oldest first.

        Raises:
            StorageError: journal or file can't be read.
        """
        self._journal.load()
        rows = self._journal.rows
        if not (unsure := self._journal.open_rows()):
            return list(rows)
        self.refresh()
        shown = self._shown()
        left = {row.change for row in unsure if not happened(row, shown)}
        return [row for row in rows if row.change not in left]

    def purge(self, ids: Sequence[str], facts: Sequence[Fact]) -> tuple[Path, ...]:
        """Takes facts that are gone out of the journal, with those they replaced.

        Returns:
            Copies of a broken file in which their text still stands.

        Raises:
            StorageError: the journal can't be written.
        """
        with self._lock():
            self._read()
            self._journal.load()
            gone = [name for name in ids if not self.held.file.get(name)]
            chains = frozenset[str]().union(*(chain_of(self._journal.rows, one) for one in gone))
            if self._journal.rows and chains:
                self._journal.purge(chains)
        texts = [as_bytes(dump(fact.content)[1:-1]) for fact in facts]
        return tuple(dict.fromkeys(copy for text in texts for copy in holding(self._path, text)))

    def row(self, operation: Operation, by: str = "you") -> JournalRow:
        """A new row of this moment."""
        return JournalRow(secrets.token_hex(6), operation, self._clock.now(), by, self.writer)

    def _lock(self) -> SharedLock:
        return SharedLock(lock_of(self._path), self._lock_timeout)

    def _seems_known(self) -> bool:
        return self.held.version > 0 and self.held.stamp.seems_to_hold(self._path)

    def _planned(self, plans: Sequence[Step], *, unread: bool = False) -> "_Planned":
        if not unread:
            self._read()
        self._journal.load()
        if self._journal.open_rows():
            shown = self._shown()
            self._journal.settle(lambda row: happened(row, shown))
        file = self.held.file
        rows = list(self._journal.rows) if len(plans) > 1 else self._journal.rows
        new: list[JournalRow] = []
        outcomes: list[Outcome] = []
        for plan in plans:
            now = self._clock.now()
            planned = plan(Planner(file, rows, self._project, now, self._compare, self._tokens))
            if isinstance(planned, Plan):
                row = self._row_of(planned, file)
                new.append(row)
                if len(plans) > 1:
                    rows.append(row)
                file = planned.file
                planned = planned.outcome(row.change)
            outcomes.append(planned)
        return _Planned(file, tuple(new), tuple(outcomes))

    def _row_of(self, plan: Plan, before: FactFile) -> JournalRow:
        removed, added = pasts(before, plan.file, plan.changed)
        return replace(
            self.row(plan.operation, plan.by),
            removed=removed,
            added=added,
            undoes=plan.undoes,
            spent=plan.spent,
        )

    def _write(self, planned: "_Planned") -> None:
        held, file, rows = self.held, planned.file, planned.rows
        if held.file.broken and held.raw is not None:
            set_aside(self._path, held.raw, self._milliseconds())
        fault_point("fact_before")
        data = file.to_bytes((held.file, held.raw))
        # Rows and new file go to the disk at one time: each sync waits for the disk as long.
        begun: list[Future[None]] = []
        try:
            write_atomic(
                self._path,
                data,
                expected=held.raw,
                beside=lambda: begun.append(self._beside.submit(self._journal.append, *rows)),
                first=lambda: _journaled(*begun),
            )
        except ForeignWrite:
            self._close(rows, done=False)
            raise
        finally:
            wait(begun)
        fault_point("fact_written")
        self._close(rows, done=True)
        # The next look reads it: nothing says what time the new file got.
        self.held = Held(data, Stamp.written(self._path), file, held.version + 1)

    def _close(self, rows: Sequence[JournalRow], *, done: bool) -> None:
        """Not being able to is no failure of the change: the next one decides by the file."""
        with contextlib.suppress(StorageError):
            self._journal.close([row.change for row in rows], done=done)

    def _read(self) -> None:
        """Takes in what lies there; the lock isn't needed."""
        held = self.held
        raw, stamp = read(self._path, held.raw)
        if raw == held.raw and held.version:
            self.held = replace(held, stamp=stamp)
            return
        file = parse(raw, self._tokens)
        if file.damaged:
            raw, stamp = read_settled(self._path, raw)
            file = parse(raw, self._tokens)
        salvaged = len(file.facts)
        if file.damaged:
            file = with_known(file, held.file.entries)
        if file.flaws and (file.broken or file.flaws != self._told):
            self._report(raw, file, len(file.facts) - salvaged)
        self._told = file.flaws
        self.held = Held(raw, stamp, file, held.version + 1)

    def _report(self, raw: bytes | None, file: FactFile, from_memory: int) -> None:
        backup, failure = None, None
        if file.broken and raw is not None:
            try:
                backup = set_aside(self._path, raw, self._milliseconds())
            except StorageError as error:
                failure = error
        self.reports.append(FactReport(file.flaws, len(file.facts), from_memory, backup, failure))

    def _shown(self) -> dict[str, str]:
        entries = self.held.file.entries
        return {entry.id: as_text(entry.raw) for entry in entries if entry.fact}

    def _milliseconds(self) -> int:
        return int(self._clock.now().timestamp() * 1_000)


def _journaled(rows: Future[None]) -> None:
    """Waits until the journal has the rows; raises what kept it from that."""
    rows.result()
    fault_point("fact_journaled")
