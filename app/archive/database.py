"""The archive database: what follows the ledgers row by row, for lists, look-ups and resuming.

It is a projection: the ledgers are the truth, whatever fails here is told once and made good at the
next commit or start. One thread of its own works through an ordered queue; several processes may
have the file open.
"""

import asyncio
import secrets
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Self, TypeVar

from app.archive.order import CaughtUp
from app.archive.rows import Row
from app.archive.schema import NewerDatabase
from app.archive.store import Store
from app.errors import HaimaError

T = TypeVar("T")

Connection = sqlite3.Connection
"""What functions given to `run` get; for those who don't import sqlite3."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Database:
    """An open database; a `Projection` for recorders.

    Attributes:
        path: the file.
        ledgers: the folder of the ledgers.
    """

    def __init__(self, store: Store, report: Callable[[HaimaError], None] | None) -> None:
        """For `open`."""
        self.path = store.path
        self.ledgers = store.ledgers
        self._store = store
        self._report = report
        self._told_repairs = 0
        self._trouble: HaimaError | None = None
        self._closed = False
        self._thread = ThreadPoolExecutor(1, "haima-archive")

    @classmethod
    async def open(
        cls,
        path: Path,
        ledgers: Path,
        *,
        report: Callable[[HaimaError], None] | None = None,
        now: Callable[[], datetime] = _utc_now,
    ) -> Self:
        """Opens the file, makes it where there is none; `catch_up` takes in what it lacks.

        A file that can't be opened now is `trouble`, and tried again at each commit. A damaged one
        is put aside (`repairs`), and made anew from the ledgers by `catch_up`.

        Args:
            path: the file.
            ledgers: the folder of the ledgers.
            report: told about trouble when it begins, and about repairs; in the loop's thread.
            now: the present, UTC; for names of files put aside.

        Raises:
            NewerDatabase: a newer Haima wrote the file; it stays untouched.
        """

        def stamp() -> str:
            return f"{now():%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}"

        database = cls(Store(path, ledgers, stamp), report)
        try:
            await database._work(database._store.open)
            database._tell_repairs()
        except NewerDatabase:
            await database.close()
            raise
        except HaimaError as error:
            database._failed(error)
        return database

    @property
    def repairs(self) -> tuple[HaimaError, ...]:
        """What was put right, and what could not be taken in; to be told to the user once."""
        return tuple(self._store.repairs)

    @property
    def trouble(self) -> HaimaError | None:
        """Why the database lacks rows now; None while it has them all."""
        return self._trouble

    async def commit(self, ledger: str, row: Row, size: int) -> None:
        """Takes in a row that was just written; exactly once, however often it is told.

        Rows before it that are lacking are taken in first, from the ledgers. Trouble is reported
        and made good later: it never raises for it.

        Args:
            ledger: the ledger's name.
            row: as it was written.
            size: bytes of the ledger with this row.
        """
        if not self._closed:
            await self._safely(lambda: self._store.commit(ledger, row, size))

    async def catch_up(self) -> CaughtUp:
        """Takes in all that the ledgers have and the database lacks; commits may come between.

        Trouble is reported as with `commit`; what could not be taken in joins `repairs`.

        Returns:
            What was done.
        """
        found, done = self._store.steps(), CaughtUp()
        while (step := await self._safely(lambda: next(found, None))) is not None:
            done = step
        self._store.repairs += done.notices()
        self._tell_repairs()
        return done

    async def rebuild(self) -> CaughtUp:
        """Makes all tables anew from the ledgers, beside the file, then exchanges them at once.

        Raises:
            HaimaError: it failed; the tables are as before.
        """
        done = await self._work(self._store.rebuild)
        self._store.repairs += done.notices()
        self._tell_repairs()
        return done

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Calls a function in the database's thread and gives what it gives.

        Args:
            work: gets the connection, which is in autocommit mode and must not leave the thread;
                several statements that belong together stand in `schema.transaction`.

        Raises:
            DatabaseTrouble: the database can't be used.
            HaimaError: of the function.
        """
        return await self._work(lambda: self._store.use(work))

    async def close(self) -> None:
        """Ends after what was asked for before; again is harmless."""
        if self._closed:
            return
        self._closed = True
        try:
            await self._work(self._store.close)
        finally:
            self._thread.shutdown(wait=False)

    async def _work(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def _safely(self, work: Callable[[], T]) -> T | None:
        """Does it, or tells why it can't be done."""
        try:
            result = await self._work(work)
        except HaimaError as error:
            self._failed(error)
            return None
        self._trouble = None
        self._tell_repairs()
        return result

    def _failed(self, error: HaimaError) -> None:
        """Tells trouble when it begins."""
        if self._trouble is None and self._report is not None:
            self._report(error)
        self._trouble = error

    def _tell_repairs(self) -> None:
        repairs = self._store.repairs
        while self._told_repairs < len(repairs):
            self._told_repairs += 1
            if self._report is not None:
                self._report(repairs[self._told_repairs - 1])
