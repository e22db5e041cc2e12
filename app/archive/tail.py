"""The end of a ledger: what a crash left there, and the last sequence number."""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.archive.rows import parse_row
from app.storage import open_private, sync_folder
from app.storage.files import write_all
from app.text import Key, Words

_CHUNK = 1 << 16
_TAIL = 1 << 20
"""Bytes from the end that are looked at for the highest number; a ledger may have gigabytes."""


@dataclass(frozen=True, slots=True)
class Repair:
    """What was put right in a ledger; told to the user once.

    Attributes:
        path: the ledger.
        fault: `torn`: bytes of an unfinished last row were moved aside; `unended`: the last row
            was whole but for its line end; `changed`: another program wrote to it; `removed`,
            `replaced`: it was taken away or exchanged while open, and what was written is kept.
        aside: the file that now holds what was moved, if any.
        count: bytes moved aside.
    """

    path: Path
    fault: Literal["torn", "unended", "changed", "removed", "replaced"]
    aside: Path | None = None
    count: int = 0

    def sentence(self, words: Words) -> str:
        """What the user reads about it."""
        keys: dict[str, Key] = {
            "torn": "ledger.torn",
            "unended": "ledger.unended",
            "changed": "ledger.changed",
            "removed": "ledger.removed",
            "replaced": "ledger.replaced",
        }
        aside = self.aside.name if self.aside else ""
        return words(keys[self.fault], name=self.path.name, aside=aside, n=self.count)


def mend_end(descriptor: int, path: Path, stamp: str) -> Repair | None:
    """Sees that the ledger ends with a whole row and its line end; None where it did.

    Nothing is lost: torn bytes are copied to `<ledger>.torn-<stamp>` and on the disk before they
    are cut off here.

    Args:
        descriptor: the ledger, open for reading and writing.
        path: the ledger.
        stamp: makes the other file's name unique.

    Raises:
        OSError: it can't be mended; the ledger is as it was.
    """
    size = os.fstat(descriptor).st_size
    start = _last_line(descriptor, size)
    if start == size:
        return None
    try:
        parse_row(_read(descriptor, start, size))
    except ValueError:
        aside = copy_aside(descriptor, path, f"torn-{stamp}", start, size)
        os.ftruncate(descriptor, start)
        os.fsync(descriptor)
        return Repair(path, "torn", aside, size - start)
    os.lseek(descriptor, 0, os.SEEK_END)
    write_all(descriptor, b"\n")
    os.fsync(descriptor)
    return Repair(path, "unended")


def last_number(descriptor: int) -> int:
    """The highest sequence number near the end; 0 where there is no row at all.

    Reads the last megabyte, and further towards the start only while no row was found.

    Raises:
        OSError: it can't be read.
    """
    end = size = os.fstat(descriptor).st_size
    highest, rest, chunk = 0, b"", _CHUNK
    while end > 0 and (size - end < _TAIL or not highest):
        start = max(0, end - chunk)
        lines = (_read(descriptor, start, end) + rest).split(b"\n")
        rest = lines.pop(0) if start else b""
        for line in lines:
            with contextlib.suppress(ValueError):
                highest = max(highest, parse_row(line).seq)
        # Doubled, so that a row of many megabytes is not joined over and over.
        end, chunk = start, chunk * 2
    return highest


def copy_aside(descriptor: int, path: Path, suffix: str, start: int, end: int) -> Path:
    """Copies a stretch of an open file to `<path>.<suffix>`, 0600, on the disk.

    Raises:
        OSError: it can't be written; a part that was is taken away again.
    """
    aside = path.with_name(f"{path.name}.{suffix}")
    copy = open_private(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        for position in range(start, end, _CHUNK):
            write_all(copy, _read(descriptor, position, min(end, position + _CHUNK)))
        os.fsync(copy)
    except BaseException:
        aside.unlink()
        raise
    finally:
        os.close(copy)
    sync_folder(aside.parent)
    return aside


def _last_line(descriptor: int, size: int) -> int:
    """Where the bytes after the last line end begin; `size` where there are none."""
    end = size
    while end > 0:
        start = max(0, end - _CHUNK)
        found = _read(descriptor, start, end).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _read(descriptor: int, start: int, end: int) -> bytes:
    os.lseek(descriptor, start, os.SEEK_SET)
    pieces = []
    while start < end and (piece := os.read(descriptor, end - start)):
        pieces.append(piece)
        start += len(piece)
    return b"".join(pieces)
