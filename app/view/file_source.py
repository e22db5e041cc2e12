"""What a file viewer reads: a file on disk, or a text in memory, by bytes and never whole.

A source is read from threads; nothing here waits for anything but the disk. A file may grow,
shrink, be replaced or deleted while it is open: `look` says so once, reading never fails.
"""

import os
import stat
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

Change = Literal["grew", "shrank", "changed", "replaced", "deleted", "unreadable"]
"""What happened to an open file; after all but the first it is to be read anew, as far as it is."""


class Source(Protocol):
    """Bytes with a name."""

    @property
    def title(self) -> str:
        """What is shown as its name; foreign."""
        ...

    @property
    def path(self) -> Path | None:
        """The file; None: a text in memory."""
        ...

    @property
    def size(self) -> int:
        """Bytes, when it was last looked at."""
        ...

    def read(self, start: int, length: int) -> bytes:
        """Bytes from `start` on; fewer at the end, none where they can't be read any more."""
        ...

    def look(self) -> Change | None:
        """Looks whether the file is as it was; says a change once."""
        ...

    def close(self) -> None:
        """Lets the file go; afterwards nothing can be read."""
        ...


class TextSource:
    """A text in memory, such as a cleared result's original.

    Args:
        title: its name.
        text: lone surrogates in it become visible escapes.
    """

    def __init__(self, title: str, text: str) -> None:
        self.title = title
        self.path: Path | None = None
        self._bytes = text.encode("utf-8", "backslashreplace")
        self.size = len(self._bytes)

    def read(self, start: int, length: int) -> bytes:
        """Bytes from `start` on."""
        return self._bytes[start : start + length]

    def look(self) -> Change | None:
        """A text stays as it is."""
        return None

    def close(self) -> None:
        """Nothing to let go."""


@dataclass(frozen=True, slots=True)
class _State:
    """What a file is told apart by."""

    identity: tuple[int, int]
    size: int
    modified: int

    @classmethod
    def of(cls, status: os.stat_result) -> "_State":
        return cls((status.st_dev, status.st_ino), status.st_size, status.st_mtime_ns)


class FileSource:
    """A plain file, kept open: what was there stays readable when it is deleted.

    Args:
        path: the file.
        title: its name; None: the path.

    Raises:
        OSError: it can't be opened, or isn't a plain file.
    """

    def __init__(self, path: Path, title: str | None = None) -> None:
        self.path: Path | None = path
        self.title = title if title is not None else str(path)
        self._path = path
        self._lock = threading.Lock()
        self._gone: Change | None = None
        self._descriptor, self._state = _open(path)

    @property
    def size(self) -> int:
        """Bytes, when it was last looked at."""
        return self._state.size

    def read(self, start: int, length: int) -> bytes:
        """Bytes from `start` on; none where the disk says no."""
        with self._lock:
            if self._descriptor < 0:
                return b""
            try:
                os.lseek(self._descriptor, start, os.SEEK_SET)
                return _read_all(self._descriptor, length)
            except OSError:
                return b""

    def look(self) -> Change | None:
        """Looks at the path; a file that was replaced is opened in place of the old one."""
        try:
            now = _State.of(self._path.stat())
        except FileNotFoundError:
            return self._say_gone("deleted")
        except OSError:
            return self._say_gone("unreadable")
        if now.identity != self._state.identity or self._gone is not None:
            return self._open_again()
        before, self._state = self._state, now
        if now.size != before.size:
            return "grew" if now.size > before.size else "shrank"
        return "changed" if now.modified != before.modified else None

    def close(self) -> None:
        """Lets the file go."""
        with self._lock:
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1

    def _say_gone(self, how: Change) -> Change | None:
        """The file can't be had at its path any more; what is open is all there is."""
        if self._gone == how:
            return None
        self._gone = how
        return how

    def _open_again(self) -> Change | None:
        try:
            descriptor, state = _open(self._path)
        except OSError:
            return self._say_gone("unreadable")
        with self._lock:
            if self._descriptor < 0:
                os.close(descriptor)
                return None
            os.close(self._descriptor)
            self._descriptor = descriptor
        self._state, self._gone = state, None
        return "replaced"


def _open(path: Path) -> tuple[int, _State]:
    """Opens a plain file without waiting for a pipe's other end."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0))
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise OSError(0, "not a plain file", str(path))
    return descriptor, _State.of(status)


def _read_all(descriptor: int, length: int) -> bytes:
    """All of `length` bytes, as far as the file reaches."""
    parts = []
    while length > 0 and (part := os.read(descriptor, length)):
        parts.append(part)
        length -= len(part)
    return b"".join(parts) if len(parts) != 1 else parts[0]
