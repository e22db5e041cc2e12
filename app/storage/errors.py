"""What can go wrong with a file, one sentence each, with what to do."""

import errno
from pathlib import Path
from typing import Self

from app.errors import HaimaError
from app.text import Key

_FULL = frozenset({errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG})
_DENIED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_IN_THE_WAY = frozenset({errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ELOOP, errno.ENOTEMPTY})


class StorageError(HaimaError):
    """A file or folder can't be read or written; what lay there before is still whole.

    Attributes:
        path: which one.
    """

    code = "storage"

    def __init__(self, key: Key, /, *, path: Path, **values: object) -> None:
        super().__init__(key, path=path, **values)
        self.path = path

    @classmethod
    def from_os(cls, path: Path, error: OSError | ValueError) -> Self:
        """The error of the operating system as a sentence."""
        number = error.errno if isinstance(error, OSError) else None
        if number in _FULL:
            return cls("storage.full", path=path)
        if number in _DENIED:
            return cls("storage.denied", path=path)
        if number in _IN_THE_WAY:
            return cls("storage.in_the_way", path=path)
        reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
        return cls("storage.failed", path=path, reason=reason)


class Conflict(StorageError):  # noqa: N818
    """The file changed since it was read; nothing was written."""

    code = "storage_conflict"

    def __init__(self, path: Path) -> None:
        super().__init__("storage.conflict", path=path)


class Locked(StorageError):  # noqa: N818
    """Another process, or another part of this one, holds the lock."""

    code = "locked"

    def __init__(self, path: Path) -> None:
        super().__init__("storage.locked", path=path)
