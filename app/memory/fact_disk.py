"""The file of facts on the disk: read whole, noticed when it changed, copied aside when broken."""

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.storage import StorageError, write_atomic
from app.storage.files import holds

_TICK = 2_100_000_000
"""Nanoseconds within which a file system may give two writes the same time (FAT: two seconds)."""

_NO_FILE = (-1, -1, -1, -1)
"""What no file looks like, not even a missing one."""

_TORN_TRIES = 5
_TORN_WAIT = 0.02
"""How often, and after how many seconds, a file that changes under the read is read again."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """By what a changed file is told without reading it.

    Attributes:
        file: inode, size, time of change and of status change; None: there was none.
        taken: when it was read, nanoseconds since 1970.
    """

    file: tuple[int, int, int, int] | None
    taken: int

    def holds(self, path: Path) -> bool:
        """Whether the content is surely still the one that was read.

        A file that had just been written when it was read may have been written again within the
        same tick and with the same size: then only reading it tells.
        """
        now = _file(path)
        return now == self.file and (now is None or max(now[2:]) < self.taken - _TICK)

    def seems_to_hold(self, path: Path) -> bool:
        """Whether nothing tells of another content; the same tick may hide one of the same size.

        Raises:
            StorageError: it can't be looked at.
        """
        try:
            return _file(path) == self.file
        except OSError as error:
            raise StorageError.from_os(path, error) from error

    @classmethod
    def written(cls, path: Path) -> "Stamp":
        """Of a file that was written just now: until it is read, nothing is sure of it."""
        with suppress(OSError):
            return cls(_file(path) or _NO_FILE, 0)
        return cls(_NO_FILE, 0)


def read(path: Path, seen: bytes | None = None) -> tuple[bytes | None, Stamp]:
    """The file's bytes, None where there is none; not while someone writes into it, if possible.

    Args:
        path: the file.
        seen: what lay there the last time; given back, the same object, if it still does.

    Raises:
        StorageError: it can't be read.
    """
    try:
        for _ in range(_TORN_TRIES):
            taken = time.time_ns()
            before = _file(path)
            try:
                raw = seen if seen and holds(path, seen) else path.read_bytes()
            except FileNotFoundError:
                raw = None
            if before == _file(path):
                break
            time.sleep(_TORN_WAIT)
    except OSError as error:
        raise StorageError.from_os(path, error) from error
    return raw, Stamp(before, taken)


def read_settled(path: Path, seen: bytes | None) -> tuple[bytes | None, Stamp]:
    """Reads again until two reads agree: a program may write into the file in place.

    Raises:
        StorageError: it can't be read.
    """
    for _ in range(_TORN_TRIES):
        time.sleep(_TORN_WAIT)
        raw, stamp = read(path)
        if raw == seen:
            break
        seen = raw
    return raw, stamp


def set_aside(path: Path, raw: bytes, milliseconds: int) -> Path:
    """Copies broken content beside the file as `.corrupt-<milliseconds>`; once each content.

    Returns:
        Where the copy lies.

    Raises:
        StorageError: it can't be copied; then the file must not be written.
    """
    for earlier in sorted(path.parent.glob(f"{path.name}.corrupt-*")):
        with suppress(OSError):
            if earlier.stat().st_size == len(raw) and earlier.read_bytes() == raw:
                return earlier
    while os.path.lexists(copy := path.with_name(f"{path.name}.corrupt-{milliseconds}")):
        milliseconds += 1
    write_atomic(copy, raw, 0o600, expected=None)
    return copy


def holding(path: Path, piece: bytes) -> tuple[Path, ...]:
    """The copies set aside in which these bytes stand."""
    found: list[Path] = []
    for copy in sorted(path.parent.glob(f"{path.name}.corrupt-*")):
        with suppress(OSError):
            if piece in copy.read_bytes():
                found.append(copy)
    return tuple(found)


def _file(path: Path) -> tuple[int, int, int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
