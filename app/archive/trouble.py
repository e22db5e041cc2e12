"""What can go wrong with the database, in one sentence each; nothing said is lost by any of it."""

import errno
import sqlite3
from pathlib import Path
from typing import Final

from app.errors import HaimaError
from app.text import Key

_DAMAGE: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_DENIED: Final = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM})
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


class DatabaseTrouble(HaimaError):  # noqa: N818
    """The database can't be used now, or could not: what it lacks is taken in later."""

    code = "database"

    @classmethod
    def of(cls, path: Path, error: sqlite3.Error | OSError) -> "DatabaseTrouble":
        """The error as a sentence.

        Args:
            path: of the database.
            error: what SQLite or the system said.
        """
        if isinstance(error, OSError):
            told: dict[int | None, Key] = {
                errno.EACCES: "database.denied",
                errno.EPERM: "database.denied",
                errno.EROFS: "database.denied",
                errno.ENOSPC: "database.full",
            }
            reason = error.strerror or str(error)
            return cls(told.get(error.errno, "database.failed"), path=path, reason=reason)
        code = _code(error)
        if is_damage(error):
            return cls("database.damaged_now", path=path)
        keys: dict[frozenset[int], Key] = {
            _BUSY: "database.busy",
            _DENIED: "database.denied",
            frozenset({sqlite3.SQLITE_FULL}): "database.full",
        }
        for codes, key in keys.items():
            if code in codes:
                return cls(key, path=path)
        return cls("database.failed", path=path, reason=str(error))


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file is no use any more."""
    short = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_IOERR_SHORT_READ
    return short or _code(error) in _DAMAGE


def is_busy(error: BaseException) -> bool:
    """Whether another process took too long."""
    return isinstance(error, sqlite3.Error) and _code(error) in _BUSY


def is_full(error: BaseException) -> bool:
    """Whether the disk, or the file by its limit, is full; SQLite undid what it had begun."""
    return isinstance(error, sqlite3.Error) and _code(error) == sqlite3.SQLITE_FULL


def _code(error: sqlite3.Error) -> int | None:
    """SQLite's primary code."""
    code = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else None
