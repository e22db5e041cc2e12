"""Reads ledgers from a place on, while others may write to them."""

import os
import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from app.archive.rows import Row, parse_row
from app.archive.schema import storable

_HEAD: Final = re.compile(rb'\{"seq":(\d{1,18}),"at":"([^"\\]{0,64})",')
"""How a row begins, as `rows.dump_row` writes it."""

_BACK: Final = 1 << 16
"""Bytes that are read at once where a line's beginning is looked for."""

_HIGHEST: Final = (1 << 62) - 1
"""Numbers above it are no numbers of rows: SQLite couldn't count on."""


def mark(seq: int, at: str) -> str:
    """What tells a row from others that might end at the same place: its number and time."""
    return storable(f"{seq} {at}")


def lines(file: BinaryIO, start: int, ledger: str) -> Iterator[tuple[Row | None, int]]:
    """The rows of whole lines from a place on, and where each ends; None for what is no row.

    Another process may be writing: a last line without its end isn't there yet.

    Raises:
        OSError: the file can't be read.
    """
    file.seek(start)
    end = start
    while (line := file.readline()).endswith(b"\n"):
        end += len(line)
        if not line.strip():
            continue
        try:
            row = parse_row(line, ledger)
        except ValueError:
            row = None
        if row is not None and row.seq > _HIGHEST:
            row = None
        # Not kept while the row is worked on: either may have 64 MB.
        del line
        yield row, end
        del row


def ends_there(file: BinaryIO, size: int, last: str) -> bool:
    """Whether the row of this mark still ends at this place.

    Raises:
        OSError: the file can't be read.
    """
    if os.fstat(file.fileno()).st_size < size:
        return False
    start = _line_start(file, size)
    if start is None:
        return False
    file.seek(start)
    found = _HEAD.match(file.read(min(_BACK, size - start)))
    if found:
        return mark(int(found[1]), found[2].decode("ascii", "replace")) == last
    file.seek(start)
    try:
        row = parse_row(file.read(size - start))
    except ValueError:
        return False
    return mark(row.seq, row.at) == last


def _line_start(file: BinaryIO, end: int) -> int | None:
    """Where the line begins that ends at `end`; None where none does."""
    file.seek(end - 1)
    if file.read(1) != b"\n":
        return None
    stop = end - 1
    while stop > 0:
        start = max(0, stop - _BACK)
        file.seek(start)
        found = file.read(stop - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        stop = start
    return 0
