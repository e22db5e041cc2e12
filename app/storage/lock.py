"""One holder at a time, across processes; a killed holder leaves nothing that blocks."""

import contextlib
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

from app.storage.errors import Locked, StorageError
from app.storage.files import PRIVATE_FILE, private_folder


class Lock:
    """A lock named by a file, for `with` or `acquire` and `release`.

    The system drops it when its process ends, however it ends; the file that then stays is an
    empty name, told by the doctor and taken again by the next holder.

    Attributes:
        path: the file that names the lock.
        timeout: seconds to wait in `acquire`; 0 tries once. Waiting blocks the thread.
    """

    def __init__(self, path: Path, timeout: float = 0) -> None:
        self.path = path
        self.timeout = timeout
        self._lock = FileLock(path, mode=PRIVATE_FILE, thread_local=False)

    @property
    def held(self) -> bool:
        """Whether this object holds it."""
        return self._lock.is_locked

    def acquire(self) -> None:
        """Takes the lock.

        Raises:
            Locked: someone else holds it, or this object does.
            StorageError: there can be no lock file here.
        """
        if self.held:
            raise Locked(self.path)
        private_folder(self.path.parent)
        try:
            self._lock.acquire(timeout=self.timeout)
        except Timeout as error:
            raise Locked(self.path) from error
        except (OSError, NotImplementedError) as error:
            if isinstance(error, OSError):
                raise StorageError.from_os(self.path, error) from error
            raise StorageError("storage.no_locks", path=self.path) from error

    def release(self) -> None:
        """Gives it back and takes the file away; nothing happens when it isn't held."""
        if not self.held:
            return
        # Safe while held: a waiter that has the old file open sees that its name is gone and
        # opens the new one (filelock checks the link count). Windows refuses; the file stays.
        with contextlib.suppress(OSError):
            os.unlink(self.path)  # noqa: PTH108
        self._lock.release()

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


def is_held(path: Path) -> bool:
    """Whether someone holds the lock of that name now; takes nothing away.

    Raises:
        StorageError: it can't be tried.
    """
    lock = FileLock(path, mode=PRIVATE_FILE, thread_local=False)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    except OSError as error:
        raise StorageError.from_os(path, error) from error
    lock.release()
    return False
