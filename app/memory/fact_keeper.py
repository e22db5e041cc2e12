"""Changes of the file of facts as they reach the disk: lock, read, journal, compare, replace.

Blocking: `FactStore` calls this in a thread, one call at a time.
"""

import contextlib
import random
import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from app.memory.fact_changes import Plan, Planner
from app.memory.fact_disk import Stamp, holding, read, read_settled, set_aside
from app.memory.fact_file import FactFile, Flaw, as_bytes, as_text, parse, with_known
from app.memory.fact_history import pasts
from app.memory.fact_journal import FactJournal, JournalRow, Operation, chain_of, happened
from app.memory.fact_outcomes import Compare, FactReport, Failed, Outcome
from app.memory.facts import Fact, Tokens
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


@dataclass(frozen=True, slots=True)
class Held:
    """What was read last: bytes, when, what they say, and a number that grows with each change."""

    raw: bytes | None
    stamp: Stamp
    file: FactFile
    version: int


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

    def refresh(self) -> bool:
        """Reads the file if it may have changed; whether it did.

        Raises:
            StorageError: it can't be read.
        """
        version = self.held.version
        if not self.held.stamp.holds(self._path):
            self._read()
        return self.held.version != version

    def change(self, plan: Callable[[Planner], Plan | Outcome]) -> Outcome:
        """Plans a change of what lies there now, and makes it."""
        try:
            with self._lock():
                for attempt in range(_TRIES):
                    planned = self._planned(plan)
                    if not isinstance(planned, Plan):
                        return planned
                    try:
                        return self._write(planned)
                    except ForeignWrite:
                        if attempt == _TRIES - 1:
                            raise
                        time.sleep(_PAUSE * random.random())  # noqa: S311
        except StorageError as error:
            return Failed(error)
        raise AssertionError("the last try returns or raises")

    def note(self, row: JournalRow) -> None:
        """Writes a row that changes no fact.

        Raises:
            StorageError: it can't be written.
        """
        with self._lock():
            self._journal.append(row)

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

    def _planned(self, plan: Callable[[Planner], Plan | Outcome]) -> Plan | Outcome:
        self._read()
        self._journal.load()
        if self._journal.open_rows():
            shown = self._shown()
            self._journal.settle(lambda row: happened(row, shown))
        return plan(
            Planner(
                self.held.file,
                self._journal.rows,
                self._project,
                self._clock.now(),
                self._compare,
                self._tokens,
            )
        )

    def _write(self, plan: Plan) -> Outcome:
        held = self.held
        if held.file.broken and held.raw is not None:
            set_aside(self._path, held.raw, self._milliseconds())
        file = held.file.with_entries(plan.entries)
        removed, added = pasts(held.file, file, plan.changed)
        row = replace(
            self.row(plan.operation, plan.by),
            removed=removed,
            added=added,
            undoes=plan.undoes,
            spent=plan.spent,
        )
        fault_point("fact_before")
        try:
            # Row and new file go to the disk at one time: each sync waits for the disk as long.
            with ThreadPoolExecutor(1, "haima-facts") as beside:
                row_there = beside.submit(self._journal.append, row)
                data = file.to_bytes((held.file, held.raw))
                write_atomic(
                    self._path, data, expected=held.raw, first=lambda: _journaled(row_there)
                )
        except ForeignWrite:
            self._close(row, done=False)
            raise
        fault_point("fact_written")
        self._close(row, done=True)
        # The next look reads it: nothing says what time the new file got.
        self.held = Held(data, Stamp(None, 0), file, held.version + 1)
        return plan.outcome(row.change)

    def _close(self, row: JournalRow, *, done: bool) -> None:
        """Not being able to is no failure of the change: the next one decides by the file."""
        with contextlib.suppress(StorageError):
            self._journal.close(row.change, done=done)

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


def _journaled(row: Future[None]) -> None:
    """Waits until the journal has the row; raises what kept it from that."""
    row.result()
    fault_point("fact_journaled")
