"""The database made anew from the ledgers alone."""

import os
import secrets
import sqlite3
from pathlib import Path
from typing import Final

from app.archive.opening import remove, setup_lock
from app.archive.order import CaughtUp, catch_up
from app.archive.schema import migrate
from app.storage import open_private

_TRIES: Final = 1
"""How often one who holds the file is waited for once more; each time for `opening.PATIENCE`."""


def build(path: Path, ledgers: Path) -> CaughtUp:
    """Makes a database of the ledgers, in a new file, 0600, not in WAL mode.

    Args:
        path: the file; must not be there.
        ledgers: the folder of the ledgers.

    Raises:
        StorageError: the ledgers' folder can't be read.
        OSError, sqlite3.Error: it can't be made; what was begun is removed.
    """
    os.close(open_private(path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
    done = CaughtUp()
    try:
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            # Should the machine fail now, the file is of no use anyway.
            connection.execute("PRAGMA journal_mode = MEMORY")
            connection.execute("PRAGMA synchronous = OFF")
            migrate(connection)
            for done in catch_up(connection, ledgers):  # noqa: B007
                pass
        finally:
            connection.close()
    except BaseException:
        remove(path)
        raise
    return done


def rebuild(connection: sqlite3.Connection, path: Path, ledgers: Path) -> CaughtUp:
    """Makes a new database beside the file, then its content takes the place of the old one.

    That is one transaction: whoever has the file open sees all of it or nothing. Rows that come
    meanwhile are taken in at the next commit or catch-up.

    Args:
        connection: of the file.
        path: the file.
        ledgers: the folder of the ledgers.

    Raises:
        Locked: another process sets the file up.
        StorageError: the ledgers' folder can't be read.
        OSError, sqlite3.Error: it failed; the file is as before.
    """
    new = path.with_name(f"{path.name}.rebuild-{secrets.token_hex(4)}")
    with setup_lock(path):
        try:
            done = build(new, ledgers)
            source = sqlite3.connect(new, isolation_level=None)
            try:
                _copy(source, connection)
            finally:
                source.close()
        finally:
            remove(new)
    return done


def _copy(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    tries = 0

    def seen(status: int, _remaining: int, _total: int) -> None:
        nonlocal tries
        tries += status in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
        if tries > _TRIES:
            # What waits would wait for ever otherwise.
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise error

    # All pages in one step: nobody sees some of them.
    source.backup(target, pages=-1, progress=seen)
