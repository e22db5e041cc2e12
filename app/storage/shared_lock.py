"""A lock for a file that programs of others write too: our lock and theirs, on one name.

`filelock` uses `flock`, Java and most editors `fcntl` (POSIX) locks, and on Linux the two don't see
each other: both are taken. The name is never removed, for a program that waits on it would be left
with a file nobody else opens (`Lock`, which is ours alone, does remove it).
"""

import contextlib
import os
import sys
import threading
import time
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

from app.storage.errors import Locked, StorageError
from app.storage.files import PRIVATE_FILE, open_private, private_folder

_POLL = 0.01
"""Seconds between two tries."""

_MOUNTS = Path("/proc/self/mounts")

_gates: dict[str, threading.Lock] = {}
_gates_lock = threading.Lock()


def _gate(path: Path) -> threading.Lock:
    """One lock a file and process: closing a second descriptor would drop the POSIX lock."""
    with _gates_lock:
        return _gates.setdefault(os.path.realpath(path), threading.Lock())


class SharedLock:
    """For `with`; waits in its thread, across threads and processes.

    Attributes:
        path: the file that names the lock; it stays.
        timeout: seconds to wait.
    """

    def __init__(self, path: Path, timeout: float) -> None:
        self.path = path
        self.timeout = timeout
        self._gate = _gate(path)
        self._ours = FileLock(path, mode=PRIVATE_FILE, thread_local=False)
        self._theirs: int | None = None

    def acquire(self) -> None:
        """Takes both.

        Raises:
            Locked: someone else held it all the time.
            StorageError: there can be no lock file here.
        """
        until = time.monotonic() + self.timeout
        if not self._gate.acquire(timeout=self.timeout):
            raise Locked(self.path)
        try:
            private_folder(self.path.parent)
            self._take_ours(until)
            self._take_theirs(until)
        except BaseException:
            self._drop()
            raise

    def release(self) -> None:
        """Gives both back."""
        self._drop()

    def _take_ours(self, until: float) -> None:
        try:
            self._ours.acquire(timeout=max(0.0, until - time.monotonic()), poll_interval=_POLL)
        except Timeout as error:
            raise Locked(self.path) from error
        except OSError as error:
            raise StorageError.from_os(self.path, error) from error
        except NotImplementedError as error:
            raise StorageError("storage.no_locks", path=self.path) from error

    def _take_theirs(self, until: float) -> None:
        if sys.platform != "linux" or _flock_is_posix(self.path):
            return
        import fcntl  # noqa: PLC0415

        try:
            self._theirs = open_private(self.path, os.O_RDWR | os.O_CREAT)
            while True:
                try:
                    fcntl.lockf(self._theirs, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except (BlockingIOError, PermissionError) as error:
                    if time.monotonic() >= until:
                        raise Locked(self.path) from error
                    time.sleep(_POLL)
                else:
                    return
        except OSError as error:
            raise StorageError.from_os(self.path, error) from error

    def _drop(self) -> None:
        if self._theirs is not None:
            with contextlib.suppress(OSError):
                os.close(self._theirs)  # closing drops a POSIX lock
            self._theirs = None
        self._ours.release()
        self._gate.release()

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def _flock_is_posix(path: Path) -> bool:
    """Whether the path lies on NFS, where `flock` is a POSIX lock already and bars our second."""
    return _on_nfs(os.path.realpath(path.parent))


@lru_cache(256)
def _on_nfs(folder: str) -> bool:
    found, kind = "", ""
    with contextlib.suppress(OSError):
        for line in _MOUNTS.read_text("utf-8", "replace").splitlines():
            _, point, name, *_ = line.split(" ")
            within = folder == point or folder.startswith(point.rstrip("/") + "/")
            if within and len(point) >= len(found):
                found, kind = point, name
    return kind.startswith("nfs")
