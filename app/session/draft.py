"""What stood in the prompt, unsent, so that it is there again after a quit, a signal or a crash.

Two windows on one project never touch each other's draft: a window holds the lock of the file it
uses for as long as it is open. The first draft that no living window holds is taken at the start,
`draft.md` before `draft-2.md` and so on; a window that found none takes the first free name once it
has something to write. So a draft comes back in exactly one window, and looking makes no file.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from app.storage import Lock, Locked, StorageError, private_folder, write_atomic

MOST = 20
"""Drafts of one project at most; beyond that a window's draft isn't kept."""

_LONGEST = 4_000_000
"""Bytes of a draft that are read back; more is no draft of ours."""


class Draft:
    """One window's draft; to be used from one thread at a time.

    Attributes:
        path: of the first draft of the project (`Paths.project_folder` / `draft.md`).
        mine: the file this window uses; None: none yet.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.mine: Path | None = None
        self._lock: Lock | None = None
        self._written = ""

    def load(self) -> str:
        """The draft that was left, and is this window's from now on; "" where there is none.

        One that can't be read stays where it is.
        """
        for path in self._names():
            if path.is_file() and self._take(path):
                with contextlib.suppress(OSError):
                    if path.is_file() and path.stat().st_size <= _LONGEST:
                        self._written = path.read_text(encoding="utf-8", errors="replace")
                        return self._written
                self._let_go()
        return ""

    def save(self, text: str) -> None:
        """Writes it down, whole or not at all, 0600; blank text removes it.

        Raises:
            StorageError: it can't be written; what was written before is still there.
        """
        if not text.strip():
            self.remove()
            return
        if text == self._written and self.mine is not None:
            return
        if self.mine is None and not self._take_a_free_one():
            return
        assert self.mine is not None  # noqa: S101 - just taken
        private_folder(self.mine.parent)
        data = text.encode("utf-8", "replace")
        write_atomic(self.mine, data, 0o600)
        self._written = text

    def remove(self) -> None:
        """It was sent, or is empty now: the file goes.

        Raises:
            StorageError: it can't be removed.
        """
        if self.mine is None or not self._written:
            return
        try:
            self.mine.unlink(missing_ok=True)
        except OSError as error:
            raise StorageError.from_os(self.mine, error) from error
        self._written = ""

    def close(self) -> None:
        """Leaves the draft to the next window."""
        self._let_go()

    def _names(self) -> Iterator[Path]:
        yield self.path
        for number in range(2, MOST + 1):
            yield self.path.with_name(f"{self.path.stem}-{number}{self.path.suffix}")

    def _take_a_free_one(self) -> bool:
        for path in self._names():
            if not path.exists() and self._take(path):
                if not path.exists():
                    return True
                self._let_go()  # another window wrote one and ended just now
        return False

    def _take(self, path: Path) -> bool:
        """Locks a name; where there are no locks, the first name is everybody's."""
        lock = Lock(path.with_name(f"{path.name}.lock"))
        try:
            lock.acquire()
        except Locked:
            return False
        except StorageError:
            if path != self.path:
                return False
        else:
            self._lock = lock
        self.mine = path
        return True

    def _let_go(self) -> None:
        if self._lock is not None:
            self._lock.release()
        self.mine = self._lock = None
        self._written = ""
