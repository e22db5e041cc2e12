"""Opens the database's file, makes it where there is none, and puts a damaged one aside."""

import contextlib
import os
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.archive.schema import TABLES, VERSION, NewerDatabase, migrate
from app.archive.trouble import DatabaseTrouble, is_damage
from app.storage import Lock, open_private, private_folder, sync_folder

PATIENCE: Final = 5.0
"""Seconds to wait for another writer, or for one who sets the file up."""

_BESIDE: Final = ("-wal", "-shm")
"""What SQLite keeps beside a file in WAL mode."""

_SHARED_BYTES: Final = (0x40000002, 510)
"""Where SQLite holds a lock as long as it has a file in WAL mode open: start and length."""

_VERSION_AT: Final = 60
"""Where `user_version` stands in the file, four bytes, big-endian."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An open database.

    Attributes:
        connection: in autocommit mode, of the thread that opened it.
        made: whether it was empty and lacks what the ledgers hold.
        aside: where a damaged file lies now, if there was one.
    """

    connection: sqlite3.Connection
    made: bool
    aside: Path | None = None


def open_database(path: Path, stamp: str) -> Opened:
    """Opens the file, 0600 as what lies beside it; a damaged one goes to `<name>.corrupt-<stamp>`.

    Args:
        path: the file; its folder is made.
        stamp: makes the other name unique.

    Raises:
        NewerDatabase: a newer Haima wrote it; untouched.
        DatabaseTrouble: it is damaged, and another process has it open.
        StorageError: the folder can't be made, or the file not be locked.
        OSError: the file can't be made or moved.
        sqlite3.Error: it can't be opened now.
    """
    private_folder(path.parent)
    with contextlib.suppress(_DamagedError):
        return _open(path)
    with setup_lock(path):
        with contextlib.suppress(_DamagedError):  # another process may have been here before
            return _open(path, locked=True)
        aside = _move_aside(path, stamp)
        opened = _open(path, locked=True)
    return Opened(opened.connection, opened.made, aside)


def setup_lock(path: Path) -> Lock:
    """What is held while the file is set up, moved or made anew."""
    return Lock(path.with_name(path.name + ".lock"), timeout=PATIENCE)


def remove(path: Path) -> None:
    """Takes a database away with what lies beside it; nothing happens where there is none.

    Raises:
        OSError: it can't be removed.
    """
    for suffix in ("", *_BESIDE, "-journal"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


class _DamagedError(Exception):
    """The file isn't a database of ours any more."""


def _open(path: Path, *, locked: bool = False) -> Opened:
    """Opens it as it is; makes it and brings it to this version.

    Raises:
        _DamagedError: there is no use in it.
    """
    with contextlib.suppress(FileExistsError):
        os.close(open_private(path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
    if path.stat().st_mode & 0o077 and os.name == "posix":
        path.chmod(0o600)
    _check_version(path)
    connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    try:
        made = _set_up(connection, path, locked=locked)
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.Error) and is_damage(error):
            raise _DamagedError from error
        raise
    return Opened(connection, made)


def _check_version(path: Path) -> None:
    """Looks before SQLite opens it: even to read, that may write beside the file."""
    with path.open("rb") as file:
        file.seek(_VERSION_AT)
        version = int.from_bytes(file.read(4), "big")
        file.seek(0)
        ours = file.read(16) == b"SQLite format 3\0"
    if ours and version > VERSION:
        raise NewerDatabase("database.newer", path=path, version=version, known=VERSION)


def _set_up(connection: sqlite3.Connection, path: Path, *, locked: bool) -> bool:
    """WAL mode, this version, all tables; whether the file was empty."""
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        # Changing it wants the file alone and doesn't wait for that as a transaction does.
        with contextlib.nullcontext() if locked else setup_lock(path):
            connection.execute("PRAGMA journal_mode = WAL")
    migrate(connection)
    found = {
        str(name)
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    if not found.issuperset(TABLES):
        raise _DamagedError
    return connection.execute("SELECT 1 FROM ledgers LIMIT 1").fetchone() is None


def _move_aside(path: Path, stamp: str) -> Path:
    aside = path.with_name(f"{path.name}.corrupt-{stamp}")
    with _alone(path):
        for suffix in _BESIDE:
            with contextlib.suppress(FileNotFoundError):
                Path(f"{path}{suffix}").replace(Path(f"{aside}{suffix}"))
        path.replace(aside)
    sync_folder(path.parent)
    return aside


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Sees that no other process has the file open, and keeps it so.

    One that had would, when it ends, remove what lies beside the new file under the old name.

    Raises:
        DatabaseTrouble: another one has it open.
    """
    if sys.platform == "win32":  # there a file that is open can't be moved
        try:
            yield
        except PermissionError as error:
            raise DatabaseTrouble("database.damaged_in_use", path=path) from error
        return
    import fcntl  # noqa: PLC0415 - isn't everywhere

    start, length = _SHARED_BYTES
    with path.open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, length, start)
        except OSError as error:
            raise DatabaseTrouble("database.damaged_in_use", path=path) from error
        yield
