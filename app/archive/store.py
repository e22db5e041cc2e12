"""The database in its own thread: one connection, opened when it is needed, kept while it works."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeVar

from app.archive.intake import take_next
from app.archive.opening import PATIENCE, open_database
from app.archive.order import CaughtUp, catch_up
from app.archive.rebuilding import rebuild
from app.archive.rows import Row
from app.archive.trouble import DatabaseTrouble, is_busy, is_full
from app.errors import HaimaError

T = TypeVar("T")

_IMPATIENCE: Final = 0.1
"""Seconds to wait for another writer once one took too long: a turn isn't held up each time."""


class Store:
    """Holds the connection; every method is called in one and the same thread.

    Attributes:
        path: of the database.
        ledgers: the folder of the ledgers.
        repairs: what was put right, to be told once.
    """

    def __init__(self, path: Path, ledgers: Path, stamp: Callable[[], str]) -> None:
        """Opens nothing yet.

        Args:
            path: of the database.
            ledgers: the folder of the ledgers.
            stamp: gives what makes the name of a file put aside unique.
        """
        self.path = path
        self.ledgers = ledgers
        self.repairs: list[HaimaError] = []
        self._stamp = stamp
        self._connection: sqlite3.Connection | None = None
        self._lacking = False
        self._hurried = False

    def open(self) -> None:
        """Opens the file, where it isn't.

        Raises:
            NewerDatabase: a newer Haima wrote it; untouched.
            DatabaseTrouble: it can't be opened.
            StorageError: likewise.
        """
        self.use(lambda _: None)

    def use(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Gives the connection to somebody, and sees what becomes of it.

        Raises:
            NewerDatabase, DatabaseTrouble, StorageError: as `open`; or the work failed.
        """
        try:
            connection = self._ready()
            try:
                result = work(connection)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        except (sqlite3.Error, OSError) as error:
            self._failed(error)
            raise DatabaseTrouble.of(self.path, error) from error
        if self._hurried:
            self._wait(connection, PATIENCE)
        return result

    def commit(self, ledger: str, row: Row, size: int) -> None:
        """Takes in a row, and where others are lacking, those.

        Raises:
            HaimaError: as `use`; the row is taken in later.
        """
        try:
            there = self.use(lambda connection: take_next(connection, ledger, row, size))
            if self._lacking or not there:
                for _ in self.steps():
                    pass
        except HaimaError:
            self._lacking = True
            raise

    def steps(self) -> Iterator[CaughtUp]:
        """Takes in all that the ledgers have (`order.catch_up`), a transaction at each step.

        Raises:
            HaimaError: as `use`.
        """
        found = self.use(lambda connection: catch_up(connection, self.ledgers))
        while (done := self.use(lambda _: next(found, None))) is not None:
            yield done
        self._lacking = False

    def rebuild(self) -> CaughtUp:
        """Makes all tables anew from the ledgers (`rebuilding.rebuild`).

        Raises:
            HaimaError: as `use`.
        """
        return self.use(lambda connection: rebuild(connection, self.path, self.ledgers))

    def close(self) -> None:
        """Closes the connection; again is harmless."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _ready(self) -> sqlite3.Connection:
        if self._connection is None:
            opened = open_database(self.path, self._stamp())
            self._connection = opened.connection
            if opened.aside is not None:
                self._lacking = True
                self.repairs.append(
                    DatabaseTrouble("database.damaged", path=self.path, aside=opened.aside.name)
                )
        return self._connection

    def _failed(self, error: sqlite3.Error | OSError) -> None:
        """Closes the connection unless it is as good as before: the next use opens the file."""
        if self._connection is None:
            return
        if is_busy(error):
            self._wait(self._connection, _IMPATIENCE)
        elif not is_full(error):
            self.close()

    def _wait(self, connection: sqlite3.Connection, seconds: float) -> None:
        """From now on it waits this long for others."""
        self._hurried = seconds < PATIENCE
        connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
