"""What happened to each fact: a journal beside the file, by which changes are undone.

JSON lines. A change's row is on the disk before the file is replaced, a second row says that it
was (`done`) or that it wasn't (`void`); after a crash between the two the file itself tells. Only
the holder of the file's lock writes here. Whoever reads ignores rows it doesn't know.
"""

import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Literal, cast, get_args

from app.memory.facts import instant, read_instant
from app.memory.json_text import dump
from app.storage import StorageError, open_private, write_atomic
from app.storage.files import write_all

Operation = Literal[
    "save", "keep_both", "replace", "verify", "edit", "pin", "delete", "restore", "clear", "undo",
    "use", "choice",
]  # fmt: skip

OPERATIONS: tuple[Operation, ...] = get_args(Operation)

Choice = Literal["replace", "keep_both"]
"""What the user decided about a new text and an existing fact."""


@dataclass(frozen=True, slots=True)
class Past:
    """An entry as it stood in the file.

    Attributes:
        id: the fact's.
        raw: the entry's text.
        after: what names the entry before it, a fact's id as a rule; "" for the first.
    """

    id: str
    raw: str
    after: str = ""


@dataclass(frozen=True, slots=True)
class JournalRow:
    """One change, or one note.

    Attributes:
        change: its own id.
        operation: what was done.
        at: when, UTC.
        by: who did it.
        writer: which store of which process.
        removed, added: entries that left the file and that came in; a changed one is in both.
        undoes: the change this one took back.
        spent: recorded choices that this change used up.
        ids: the facts that were used, or the existing one of a choice.
        count: how often each of them was used; `at` was the last time.
        text: of a choice: a digest of the new text, never the text.
        choice: which.
    """

    change: str
    operation: Operation
    at: datetime
    by: str = ""
    writer: str = ""
    removed: tuple[Past, ...] = ()
    added: tuple[Past, ...] = ()
    undoes: str = ""
    spent: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    text: str = ""
    choice: str = ""
    count: int = 1


@dataclass(slots=True)
class FactJournal:
    """The journal of one file.

    Attributes:
        path: where it lies.
        rows: those that took place or may have, in order.
        torn: lines that are no rows, left from a crash.
        size: how many bytes of it are taken in.
        uses: how many of these say what was used, and how often.
        used: ids of facts that were.
    """

    path: Path
    rows: list[JournalRow] = field(default_factory=list)
    torn: int = 0
    size: int = 0
    uses: int = 0
    used: set[str] = field(default_factory=set)
    _open: set[str] = field(default_factory=set)
    _inode: int = -1
    _end: bytes = b""

    def load(self) -> None:
        """Reads what came in since the last time.

        Raises:
            StorageError: it can't be read.
        """
        try:
            with self.path.open("rb") as file:
                found = os.fstat(file.fileno())
                if found.st_ino != self._inode or not self._goes_on(file.fileno(), found.st_size):
                    self._forget(found.st_ino)
                file.seek(self.size)
                new = file.read()
        except FileNotFoundError:
            self._forget(-1)
            return
        except OSError as error:
            raise StorageError.from_os(self.path, error) from error
        whole = new[: new.rfind(b"\n") + 1]
        self._grow(whole)
        for line in whole.split(b"\n"):
            self._take(line)

    def open_rows(self) -> list[JournalRow]:
        """Changes of which it isn't known whether they took place."""
        return [row for row in self.rows if row.change in self._open] if self._open else []

    def settle(self, happened: Callable[[JournalRow], bool]) -> None:
        """Decides the open rows: whoever wrote them has died.

        Raises:
            StorageError: it can't be written.
        """
        for row in self.open_rows():
            self.close([row.change], done=happened(row))

    def append(self, *rows: JournalRow) -> None:
        """Writes rows; on the disk when it returns.

        Raises:
            StorageError: they can't be written; nothing of them is left.
        """
        lines = [row_line(row) for row in rows]

        def take() -> None:
            for row, line in zip(rows, lines, strict=True):
                self._add(row, len(line.encode()) + 1 if row.operation == "use" else 0)

        self._write(lines, take, sync=True)

    def close(self, changes: Sequence[str], *, done: bool) -> None:
        """Says whether changes took place.

        Raises:
            StorageError: it can't be written.
        """

        def take() -> None:
            for change in changes:
                self._close(change, done=done)

        word = "done" if done else "void"
        self._write([dump({word: change}) for change in changes], take, sync=False)

    def purge(self, ids: Collection[str]) -> None:
        """Takes all that was ever said of these facts out of the journal.

        Raises:
            StorageError: it can't be written; nothing was taken out.
        """
        self.load()
        left: list[JournalRow] = []
        for row in self.rows:
            removed = tuple(past for past in row.removed if past.id not in ids)
            added = tuple(past for past in row.added if past.id not in ids)
            named = tuple(name for name in row.ids if name not in ids)
            if removed or added or named:
                left.append(replace(row, removed=removed, added=added, ids=named))
        lines: list[str] = []
        for row in left:
            lines.append(row_line(row))
            if row.operation in _CHANGES and row.change not in self._open:
                lines.append(dump({"done": row.change}))
        write_atomic(self.path, "\n".join((*lines, "")).encode())
        self.load()

    def _forget(self, inode: int) -> None:
        self.rows.clear()
        self.used.clear()
        self._open.clear()
        self._inode, self._end = inode, b""
        self.size = self.uses = self.torn = 0

    def _goes_on(self, descriptor: int, size: int) -> bool:
        """Whether what was taken in still lies there: a number of a file may be given again."""
        if size < self.size:
            return False
        if not self._end or not hasattr(os, "pread"):
            return True
        return os.pread(descriptor, len(self._end), self.size - len(self._end)) == self._end

    def _grow(self, data: bytes) -> None:
        self.size += len(data)
        self._end = (self._end + data[-_END:])[-_END:]

    def _take(self, line: bytes) -> None:
        try:
            found = json.loads(line)
            if change := found.get("done"):
                self._close(change, done=True)
            elif change := found.get("void"):
                self._close(change, done=False)
            elif found.get("operation") in OPERATIONS:
                self._add(read_row(found), len(line) + 1)
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
            self.torn += bool(line.strip())

    def _add(self, row: JournalRow, size: int) -> None:
        """Takes a row in; `size`: the bytes of its line, where it says what was used."""
        self.rows.append(row)
        if row.operation in _CHANGES:
            self._open.add(row.change)
        elif row.operation == "use":
            self.uses += size
            self.used.update(row.ids)

    def _close(self, change: str, *, done: bool) -> None:
        self._open.discard(change)
        if not done:
            self.rows = [row for row in self.rows if row.change != change]

    def _write(self, lines: Sequence[str], take: Callable[[], None], *, sync: bool) -> None:
        """Appends lines; `take` does what reading them would do."""
        try:
            descriptor = open_private(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            try:
                found = os.fstat(descriptor)
                size = found.st_size
                torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
                try:
                    data = b"\n" * torn + "\n".join((*lines, "")).encode()
                    write_all(descriptor, data)
                    if sync:
                        os.fsync(descriptor)
                except BaseException:
                    os.ftruncate(descriptor, size)
                    raise
            finally:
                os.close(descriptor)
        except OSError as error:
            raise StorageError.from_os(self.path, error) from error
        if size == 0 and self._inode == -1:
            self._inode = found.st_ino
        if (found.st_ino, size) == (self._inode, self.size):
            self._grow(data)
            take()
        else:
            self.load()


_END = 64
"""Bytes by which a journal that was shortened meanwhile is told from one that went on."""

_CHANGES = frozenset(OPERATIONS) - {"use", "choice"}


def happened(row: JournalRow, entries: Mapping[str, str]) -> bool:
    """Whether the file shows that a change took place.

    Args:
        row: the change.
        entries: the file's facts: id, and the entry's text.
    """
    added = {past.id: past.raw for past in row.added}
    gone = all(past.id in added or past.id not in entries for past in row.removed)
    return gone and all(entries.get(name) == raw for name, raw in added.items())


def chain_of(rows: Iterable[JournalRow], fact_id: str) -> frozenset[str]:
    """The fact's id with those of the facts it took the place of."""
    ids = {fact_id}
    for row in reversed(list(rows)):
        if row.operation == "replace" and any(past.id in ids for past in row.added):
            ids.update(past.id for past in row.removed)
    return frozenset(ids)


def read_row(found: dict[str, object]) -> JournalRow:
    """A row of its line, parsed.

    Raises:
        KeyError, TypeError, ValueError: it is none.
    """
    at = read_instant(found["at"])
    if at is None:
        raise ValueError("no instant")
    return JournalRow(
        change=str(found["change"]),
        operation=cast("Operation", found["operation"]),
        at=at,
        by=str(found.get("by", "")),
        writer=str(found.get("writer", "")),
        removed=_pasts(found, "removed"),
        added=_pasts(found, "added"),
        undoes=str(found.get("undoes", "")),
        spent=_names(found, "spent"),
        ids=_names(found, "ids"),
        text=str(found.get("text", "")),
        choice=str(found.get("choice", "")),
        count=max(1, int(str(found.get("count", 1)))),
    )


def _pasts(found: dict[str, object], name: str) -> tuple[Past, ...]:
    given = cast("list[dict[str, str]]", found.get(name, []))
    return tuple(Past(one["id"], one["raw"], one.get("after", "")) for one in given)


def _names(found: dict[str, object], name: str) -> tuple[str, ...]:
    return tuple(cast("list[str]", found.get(name, [])))


def row_line(row: JournalRow) -> str:
    """A row as a line; piece by piece, for a large one would hold up every other thread."""
    fields: dict[str, object] = {
        "change": row.change,
        "operation": row.operation,
        "at": instant(row.at),
        "by": row.by,
        "writer": row.writer,
    }
    fields |= {name: value for name in _MORE if (value := getattr(row, name))}
    if row.count > 1:
        fields["count"] = row.count
    pieces = [dump(fields)[:-1]]
    for name, pasts in (("removed", row.removed), ("added", row.added)):
        if pasts:
            every = [dump({"id": p.id, "raw": p.raw, "after": p.after}) for p in pasts]
            pieces.append(f', "{name}": [{", ".join(every)}]')
    return "".join(pieces) + "}"


_MORE = ("undoes", "spent", "ids", "text", "choice")
