"""Whole writes: what lies at a path is the old content or the new one, never half of it."""

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Final

from app.storage.errors import Conflict, StorageError

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700

TEMPORARY = ".haima-*.tmp"
"""What the temporary files are called; one that stays is left from a crash."""


class _Anything(Enum):
    ANYTHING = "anything"


ANYTHING: Final = _Anything.ANYTHING
"""For `write_atomic`: whatever lies there may be replaced."""

_PIECE = 1 << 17
"""Bytes that are read at a time to be compared: they stay in the processor's cache."""

_UNSUPPORTED = frozenset({errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EBADF, errno.EACCES})
"""How file systems and Windows say that a folder can't be synced."""


def write_atomic(
    path: Path,
    data: bytes,
    mode: int | None = None,
    *,
    expected: bytes | _Anything | None = ANYTHING,
    beside: Callable[[], object] | None = None,
    first: Callable[[], object] | None = None,
) -> None:
    """Puts `data` at `path` as a whole, on the disk before it returns.

    A temporary file in the same folder is written and synced, then takes the place of the old one.
    A symbolic link stays one: what it points to is replaced.

    Args:
        path: where; its folder must exist.
        data: the whole content.
        mode: permissions; None keeps those of the file that lies there, 0600 for a new one.
        expected: what must still lie there, as it was read; None: nothing must.
        beside: begins what may wait for the disk at the same time; called when the new file is
            written and not yet synced.
        first: what must be over before the old file goes; called when the new one is on the disk.

    Raises:
        Conflict: something else lies there; nothing was changed.
        StorageError: it can't be written; what lay there is still whole.
    """
    try:
        target = Path(os.path.realpath(path))
        temporary = target.with_name(f".haima-{secrets.token_hex(8)}.tmp")
        present = _mode_of(target)
        mode = present if mode is None else mode
        try:
            descriptor = open_private(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            try:
                write_all(descriptor, data)
                if hasattr(os, "fchmod"):
                    os.fchmod(descriptor, mode)
                if beside is not None:
                    beside()
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            if first is not None:
                first()
            if not isinstance(expected, _Anything) and not holds(target, expected):
                raise Conflict(path)
            temporary.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        sync_folder(target.parent)
    except (OSError, ValueError) as error:
        raise StorageError.from_os(path, error) from error


def open_private(path: Path, flags: int) -> int:
    """Opens a file that is made 0600 and not inherited by commands; the descriptor.

    Raises:
        OSError: as `os.open`.
    """
    extra = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    return os.open(path, flags | extra, PRIVATE_FILE)


def write_all(descriptor: int, data: bytes) -> None:
    """Writes all of `data`, however little the system takes at once.

    Raises:
        OSError: as `os.write`; part of it may have been written.
    """
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def private_folder(path: Path) -> Path:
    """Makes the folder and those above it that are missing, 0700 each; gives it back.

    One that exists stays as it is: it may be the user's own (`HAIMA_HOME`).

    Raises:
        StorageError: it can't be made, or a file lies in its place.
    """
    missing: list[Path] = []
    try:
        step = path
        while not step.is_dir():
            if os.path.lexists(step) and not step.is_dir():  # else: made just now by another
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(step))
            missing.append(step)
            step = step.parent
        for folder in reversed(missing):
            folder.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
            sync_folder(folder.parent)
    except (OSError, ValueError) as error:
        raise StorageError.from_os(path, error) from error
    return path


def sync_folder(folder: Path) -> None:
    """Puts a folder's entries on the disk, where the system can do that.

    Raises:
        OSError: the disk failed.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    except OSError as error:
        if error.errno in _UNSUPPORTED:
            return
        raise
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
    finally:
        os.close(descriptor)


def _mode_of(path: Path) -> int:
    """The permissions of a file that may be written; a protected one stays protected."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return PRIVATE_FILE
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return stat.S_IMODE(found.st_mode)


def holds(path: Path, content: bytes | None) -> bool:
    """Whether exactly this lies there, None: nothing; read piece by piece, to no second copy.

    Raises:
        OSError: it can't be read.
    """
    try:
        with path.open("rb", buffering=0) as file:
            if content is None or os.fstat(file.fileno()).st_size != len(content):
                return False
            at = 0
            while piece := file.read(_PIECE):
                if not content.startswith(piece, at):
                    return False
                at += len(piece)
            return at == len(content)
    except FileNotFoundError:
        return content is None
