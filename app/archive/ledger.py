"""The ledger of one chain: append-only JSONL, the truth from which all else can be rebuilt."""

import asyncio
import contextlib
import os
import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from app.archive.rows import Row, dump_row
from app.archive.tail import Repair, copy_aside, last_number, mend_end
from app.storage import Lock, StorageError, open_private, private_folder, sync_folder
from app.storage.faults import armed, fault_point
from app.storage.files import PRIVATE_FILE, write_all

_PATIENCE = 0.3
"""Seconds to wait for the writer's lock: the doctor may hold it for a moment."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Ledger:
    """The one writer of a chain's rows; from one thread, all but `sync`'s disk work.

    A row is on its way to the disk when `append` returns and survives a killed process; after
    `sync` it survives a failing machine too. The file comes with the first row.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path, lock: Lock, now: Callable[[], datetime]) -> None:
        """For `open`, which also takes the lock and looks at what lies there."""
        self.path = path
        self._lock = lock
        self._now = now
        self._descriptor: int | None = None
        self._repairs: list[Repair] = []
        self._seq = 0
        self._size = 0
        self._synced = 0
        self._new = False
        self._syncing: asyncio.Task[None] | None = None

    @classmethod
    def open(cls, path: Path, *, now: Callable[[], datetime] = _utc_now) -> Self:
        """Takes the writer's lock, mends the end of the file, finds the last number.

        Args:
            path: the ledger; it need not exist yet.
            now: the present, UTC.

        Raises:
            Locked: another process, or this one, has it open.
            StorageError: it can't be read, mended or locked.
        """
        lock = Lock(path.with_name(path.name + ".lock"), timeout=_PATIENCE)
        lock.acquire()
        ledger = cls(path, lock, now)
        try:
            ledger._open_existing()
        except BaseException:
            ledger.close()
            raise
        return ledger

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """What was put right, at opening and since; to be told to the user."""
        return tuple(self._repairs)

    @property
    def name(self) -> str:
        """What rows elsewhere call it: the stem of its file."""
        return self.path.stem

    @property
    def seq(self) -> int:
        """The number of the last row; 0 before the first."""
        return self._seq

    @property
    def size(self) -> int:
        """Bytes up to the end of the last row."""
        return self._size

    def append(
        self, kind: str, data: Mapping[str, object], *, node: str, conversation: str = "main"
    ) -> int:
        """Adds a row and gives its number; else as `write`."""
        return self.write(kind, data, node=node, conversation=conversation).seq

    def write(
        self, kind: str, data: Mapping[str, object], *, node: str, conversation: str = "main"
    ) -> Row:
        """Adds a row, in one write, and gives it back.

        Raises:
            StorageError: it can't be written, the disk is full perhaps; the ledger is as before.
            ValueError: the ledger is closed (a fault of the program).
        """
        if not self._lock.held:
            raise ValueError("the ledger is closed")
        fault_point("row_before")
        try:
            descriptor = self._ready()
            at = stamped(self._now())
            row = Row(self._seq + 1, at, kind, node, conversation, data, self.name)
            line = dump_row(row)
            try:
                _write_line(descriptor, line)
            except BaseException:
                # What got through of the row would spoil the next one. Should the cut fail too,
                # `_ready` sees that the size is not as expected and ends the line first.
                with contextlib.suppress(OSError):
                    os.ftruncate(descriptor, self._size)
                raise
        except OSError as error:
            raise StorageError.from_os(self.path, error) from error
        self._size += len(line)
        self._seq = row.seq
        fault_point("row_after")
        return row

    async def sync(self) -> None:
        """Returns when every row appended before is on the disk; off the loop.

        Calls that come while one runs share the next.

        Raises:
            StorageError: the disk failed; the rows are written but not safe.
        """
        wanted = self._seq
        while self._synced < wanted:
            if self._syncing is None:
                self._syncing = asyncio.get_running_loop().create_task(self._sync_once())
                self._syncing.add_done_callback(self._sync_ended)
            # A cancelled caller doesn't take the others' sync away.
            await asyncio.shield(self._syncing)

    def close(self) -> None:
        """Puts the last rows on the disk and gives the lock back; again is harmless.

        Raises:
            StorageError: the disk failed; the ledger is closed nevertheless.
        """
        descriptor, self._descriptor = self._descriptor, None
        try:
            if descriptor is not None:
                try:
                    if self._synced < self._seq:
                        self._flush(descriptor)
                        self._synced = self._seq
                finally:
                    os.close(descriptor)
        except OSError as error:
            raise StorageError.from_os(self.path, error) from error
        finally:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _open_existing(self) -> None:
        """Opens the file if it is there, mends its end and counts on from it."""
        try:
            self._descriptor = open_private(self.path, os.O_RDWR | os.O_APPEND)
        except FileNotFoundError:
            return
        except OSError as error:
            raise StorageError.from_os(self.path, error) from error
        try:
            if hasattr(os, "fchmod"):
                os.fchmod(self._descriptor, PRIVATE_FILE)
            if repair := mend_end(self._descriptor, self.path, self._suffix()):
                self._repairs.append(repair)
            self._size = os.fstat(self._descriptor).st_size
            self._seq = self._synced = max(self._seq, last_number(self._descriptor))
        except OSError as error:
            raise StorageError.from_os(self.path, error) from error

    def _ready(self) -> int:
        """The descriptor, at the end of a whole line of the file that lies at the path."""
        if self._descriptor is None:
            return self._create()
        here = os.fstat(self._descriptor)
        try:
            there = os.stat(self.path)  # noqa: PTH116
        except FileNotFoundError:
            there = None
        if there is None or not os.path.samestat(here, there):
            return self._recover(self._descriptor, gone=there is None)
        if here.st_size != self._size:
            if repair := mend_end(self._descriptor, self.path, self._suffix()):
                self._repairs.append(repair)
            else:
                self._repairs.append(Repair(self.path, "changed"))
            self._size = os.fstat(self._descriptor).st_size
            self._seq = max(self._seq, last_number(self._descriptor))
        return self._descriptor

    def _create(self) -> int:
        private_folder(self.path.parent)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL
        self._descriptor = open_private(self.path, flags)
        self._size, self._new = 0, True
        return self._descriptor

    def _recover(self, descriptor: int, *, gone: bool) -> int:
        """The file was removed or exchanged while open; its rows are still to be had here."""
        if gone:
            private_folder(self.path.parent)
            moved = copy_aside(descriptor, self.path, self._suffix(), 0, self._size)
            moved.replace(self.path)
            sync_folder(self.path.parent)
            self._repairs.append(Repair(self.path, "removed"))
        else:
            aside = copy_aside(descriptor, self.path, f"replaced-{self._suffix()}", 0, self._size)
            self._repairs.append(Repair(self.path, "replaced", aside, self._size))
        synced = self._synced
        self._open_existing()
        os.close(descriptor)
        self._synced = synced
        assert self._descriptor is not None  # noqa: S101
        return self._descriptor

    async def _sync_once(self) -> None:
        """One sync of all that is written now, in a thread, on a descriptor of its own."""
        if self._descriptor is None:
            self._synced = self._seq
            return
        reached, descriptor = self._seq, os.dup(self._descriptor)
        try:
            await asyncio.to_thread(self._flush, descriptor, close=True)
        except OSError as error:
            raise StorageError.from_os(self.path, error) from error
        self._synced = max(self._synced, reached)

    def _sync_ended(self, task: asyncio.Task[None]) -> None:
        self._syncing = None
        if not task.cancelled():
            task.exception()

    def _flush(self, descriptor: int, *, close: bool = False) -> None:
        """Puts file and name on the disk; runs in a thread, which then closes what it was given."""
        try:
            fault_point("sync_before")
            os.fsync(descriptor)
            if self._new:
                sync_folder(self.path.parent)
                self._new = False
            fault_point("sync_after")
        finally:
            if close:
                os.close(descriptor)

    def _suffix(self) -> str:
        """For files put aside: the time, and four digits against a second one at that time."""
        return f"{self._now():%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}"


def _write_line(descriptor: int, line: bytes) -> None:
    """One write; two where a test wants to see it torn."""
    half = len(line) // 2 if armed() else 0
    if half:
        write_all(descriptor, line[:half])
        fault_point("row_torn")
    write_all(descriptor, line[half:])


def stamped(moment: datetime) -> str:
    """A moment as rows have it: UTC, to the millisecond."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
