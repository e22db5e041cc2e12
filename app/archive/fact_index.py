"""The index that facts are recalled by: SQLite FTS5 over terms that the caller cuts (`recall.db`).

Everything in it is derived from the facts' own file: it is brought to what the caller says the
facts are, by id and mark of content; a damaged one is made anew; where the file can't be used, the
index lies in memory. So it can never say more, or for longer, than the facts do. One thread of its
own; several processes may have the file open.
"""

import asyncio
import contextlib
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self, TypeVar

from app.archive.fact_tables import (
    Entry,
    Hit,
    Hits,
    Query,
    count_terms,
    create,
    find,
    is_current,
    is_newer,
    nearest,
    snapshot,
    state_of,
    update,
)
from app.archive.opening import remove, setup_lock
from app.archive.schema import transaction
from app.archive.trouble import is_busy, is_full
from app.errors import HaimaError
from app.storage import open_private, private_folder
from app.text import Words

__all__ = ["Entry", "FactIndex", "Hit", "Hits", "IndexTrouble", "Nearest", "Query"]

T = TypeVar("T")

_PATIENCE: Final = 2.0
"""Seconds to wait for another process that writes; then this one goes on in memory."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """What `FactIndex.nearest` finds.

    Attributes:
        entries: the facts among which was looked; the same object as long as nothing is put.
        hits: for each query.
    """

    entries: Mapping[str, Entry]
    hits: tuple[tuple[Hit, ...], ...]


class IndexTrouble(HaimaError):  # noqa: N818
    """The file can't be used; the index lies in memory, and nothing is missing from it."""

    code = "recall_index"


class FactIndex:
    """An open index.

    Attributes:
        path: the file.
        trouble: why it lies in memory instead of in the file; None while it lies there.
    """

    def __init__(
        self,
        path: Path,
        segment: Callable[[str], Sequence[str]],
        version: int,
        report: Callable[[HaimaError], None] | None = None,
    ) -> None:
        """Opens nothing before it is used; `open` does at once, and says what the arguments are."""
        self.path = path
        self.trouble: HaimaError | None = None
        self._segment = segment
        self._version = version
        self._report = report
        self._connection: sqlite3.Connection | None = None
        self._entries: dict[str, Entry] = {}
        self._state: str | None = None  # of the tables when they were as our facts
        self._closed = False
        self._thread = ThreadPoolExecutor(1, "haima-recall")

    @classmethod
    async def open(
        cls,
        path: Path,
        segment: Callable[[str], Sequence[str]],
        version: int,
        *,
        report: Callable[[HaimaError], None] | None = None,
    ) -> Self:
        """Opens the file, makes it where there is none; `put` says what is in it.

        Args:
            path: the file, 0600; its folder is made.
            segment: cuts a fact's content into terms, without spaces or quotes.
            version: of `segment`; a file of another one is made anew.
            report: told once if the index has to lie in memory; in the loop's thread.
        """
        index = cls(path, segment, version, report)
        await index._work(lambda _: None)
        return index

    @property
    def entries(self) -> Mapping[str, Entry]:
        """What was put last, by id; not to be changed."""
        return self._entries

    async def put(self, entries: Iterable[Entry]) -> None:
        """Says what the facts are now; what differs is taken in, the rest stays.

        Args:
            entries: all facts; of several with one id the first counts.
        """
        found = _by_id(entries)
        await self._work(lambda connection: self._put(connection, found))

    def put_now(self, entries: Iterable[Entry]) -> None:
        """As `put`, for a worker's thread, which waits; trouble is in `trouble` only."""
        found = _by_id(entries)
        self._thread.submit(lambda: self._do(lambda one: self._put(one, found))).result()

    async def search(self, query: Query) -> Hits:
        """The nearest facts.

        Args:
            query: what is looked for, and where; nothing is found before the first `put`.
        """
        if not self._can_find(query):
            return Hits()
        return await self._work(lambda connection: self._find(connection, query, find))

    def nearest(self, *queries: Query) -> "Future[Nearest]":
        """The nearest facts for each query, for a worker's thread, which goes on meanwhile.

        Of equally near ones any, no more than asked for. Trouble is in `trouble` only.
        """

        def work(connection: sqlite3.Connection) -> Nearest:
            found = [
                self._find(connection, query, nearest) if self._can_find(query) else ()
                for query in queries
            ]
            return Nearest(self._entries, tuple(found))

        return self._thread.submit(lambda: self._do(work))

    async def counts(self, terms: Sequence[str], scopes: Sequence[str]) -> dict[str, int]:
        """How many facts of these scopes have each of these terms; without those that none has."""
        return await self._work(lambda connection: count_terms(connection, terms, scopes))

    async def purge(self) -> None:
        """Makes the file anew, so that no byte of what was deleted stays in it."""

        def purge(connection: sqlite3.Connection) -> None:
            self._state = None
            with transaction(connection):
                create(connection, self._version)
                self._take_in(connection)
            connection.execute("VACUUM")

        await self._work(purge)

    async def close(self) -> None:
        """Ends after what was asked for before; again is harmless."""
        if self._closed:
            return
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(self._thread, self._drop)
        self._thread.shutdown(wait=False)

    def _can_find(self, query: Query) -> bool:
        return bool(self._entries and query.terms and query.limit > 0)

    def _put(self, connection: sqlite3.Connection, found: dict[str, Entry]) -> None:
        self._entries = found
        self._state = None
        with transaction(connection):
            self._take_in(connection)

    def _find(
        self,
        connection: sqlite3.Connection,
        query: Query,
        how: Callable[[sqlite3.Connection, Query], T],
    ) -> T:
        with snapshot(connection):
            if state_of(connection) == self._state:
                return how(connection, query)
        # Another process has the file as it sees the facts, or had them before us.
        with transaction(connection):
            self._take_in(connection)
            return how(connection, query)

    async def _work(self, work: Callable[[sqlite3.Connection], T]) -> T:
        before = self.trouble
        loop = asyncio.get_running_loop()
        result = await loop.run_in_executor(self._thread, lambda: self._do(work))
        if self.trouble is not None and before is None and self._report is not None:
            self._report(self.trouble)
        return result

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Does it; a damaged file is made anew once, then memory has to do."""
        try:
            return work(self._ready())
        except (sqlite3.Error, OSError, HaimaError) as error:
            trouble = error
        if self.trouble is None and _may_be_damage(trouble):
            try:
                self._make_anew()
                return work(self._ready())
            except (sqlite3.Error, OSError, HaimaError) as error:
                trouble = error
        self._drop()
        self.trouble = _told(self.path, trouble)
        return work(self._ready())

    def _ready(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._open()
        return self._connection

    def _open(self) -> sqlite3.Connection:
        where = ":memory:" if self.trouble is not None else self._file()
        connection = sqlite3.connect(where, timeout=_PATIENCE, isolation_level=None)
        try:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA synchronous = NORMAL")
            self._set_up(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _set_up(self, connection: sqlite3.Connection) -> None:
        """Tables of this version; another process may be about to make them as well."""
        if is_current(connection, self._version):
            return
        with transaction(connection):
            if is_newer(connection, self._version):
                raise IndexTrouble("recall.newer", path=self.path)
            if not is_current(connection, self._version):
                create(connection, self._version)

    def _file(self) -> Path:
        private_folder(self.path.parent)
        with contextlib.suppress(FileExistsError):
            os.close(open_private(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
        return self.path

    def _make_anew(self) -> None:
        self._drop()
        with setup_lock(self.path):
            remove(self.path)

    def _drop(self) -> None:
        self._state = None
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _take_in(self, connection: sqlite3.Connection) -> None:
        """Brings the tables to our facts, inside a transaction."""
        if update(connection, self._entries, self._segment) or not state_of(connection):
            connection.execute("UPDATE state SET mark = ?", (secrets.token_hex(8),))
        self._state = state_of(connection)


def _by_id(entries: Iterable[Entry]) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for entry in entries:
        found.setdefault(entry.id, entry)
    return found


def _may_be_damage(error: Exception) -> bool:
    """Whether a new file could help: not where SQLite had to wait, or has no room."""
    return isinstance(error, sqlite3.Error) and not (is_busy(error) or is_full(error))


def _told(path: Path, error: Exception) -> HaimaError:
    """Why the index lies in memory, as a sentence."""
    if isinstance(error, IndexTrouble):
        return error
    if isinstance(error, HaimaError):
        reason = error.sentence(Words("en"))
    else:
        reason = getattr(error, "strerror", None) or str(error)
    return IndexTrouble("recall.in_memory", path=path, reason=reason)
