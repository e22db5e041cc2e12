"""The journal of the facts, shortened: how often a fact was used is told in one row of it.

All else stays line by line as it was written: what was saved, confirmed, replaced and deleted, what
the user chose, rows of a newer Haima. Only remains of a crash and changes that never took place
go with it.
"""

import json
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import replace
from typing import Final

from app.memory.fact_journal import FactJournal, JournalRow, read_row, row_line
from app.storage import StorageError, write_atomic

LONGEST: Final = 4_000_000
"""Bytes from which a journal is looked at: reading so many takes 0.17 s, and each start does."""

_NEEDED: Final = 200
"""Bytes that a row of uses needs, without the ids in it."""


def is_too_long(journal: FactJournal) -> bool:
    """Whether it is long, and most of it are uses that could be counted."""
    if journal.size <= LONGEST:
        return False
    counted = sum(_NEEDED + len(name.encode("utf-8", "replace")) for name in journal.used)
    return journal.size > 2 * (journal.size - journal.uses + counted)


def shorten(journal: FactJournal) -> None:
    """Writes the journal anew as a whole; the caller holds the facts' lock.

    Where that fails it stays as it is, and the next row tries again.
    """
    with suppress(StorageError):
        try:
            raw = journal.path.read_bytes()
        except OSError as error:
            raise StorageError.from_os(journal.path, error) from error
        write_atomic(journal.path, shortened(raw), expected=raw)
        journal.load()


def shortened(raw: bytes) -> bytes:
    """The journal's bytes with the uses of each fact counted, where it was used last."""
    lines = [(line, _read(line)) for line in raw.split(b"\n") if line.strip()]
    void = {str(found["void"]) for _, found in lines if found.get("void")}
    uses = {at: row for at, (_, found) in enumerate(lines) if (row := _use(found))}
    count: Counter[str] = Counter()
    last: dict[str, int] = {}
    for at, row in uses.items():
        for name in row.ids:
            count[name] += row.count
            last[name] = at
    together: defaultdict[int, defaultdict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, at in last.items():
        together[at][count[name]].append(name)
    kept: list[bytes] = []
    for at, (line, found) in enumerate(lines):
        if at in uses:
            for often, names in together[at].items():
                row = replace(uses[at], ids=tuple(names), count=often)
                kept.append(row_line(row).encode())
        elif found and not {str(found.get("void")), str(found.get("change"))} & void:
            kept.append(line)
    return b"".join(line + b"\n" for line in kept)


def _read(line: bytes) -> dict[str, object]:
    """A line, parsed; empty for what a crash left."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _use(found: dict[str, object]) -> JournalRow | None:
    if found.get("operation") != "use":
        return None
    try:
        return read_row(found)
    except (KeyError, TypeError, ValueError):
        return None
