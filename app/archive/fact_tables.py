"""The tables of the recall index, and what is done with them; each inside the caller's transaction.

- `facts`: what is indexed, by id; `mark` changes with the content and the scope.
- `words`: FTS5 over the terms of each fact; nothing is cut or folded here any more.
- `scopes`: a number for each; it stands in the upper half of a fact's row id, so that the words of
  other scopes are never even looked at.
- `counts`: how many facts of a scope have a term; "" counts them all.
- `state`: changes whenever anything else does.
"""

import contextlib
import heapq
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate
from typing import Final

from app.archive.schema import storable

_LAYOUT: Final = 1
"""Raised when the tables change."""

_TABLES: Final = ("state", "scopes", "facts", "counts", "words")

_STATEMENTS: Final = (
    "CREATE TABLE state (mark TEXT NOT NULL)",
    "INSERT INTO state VALUES ('')",
    "CREATE TABLE scopes (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    "CREATE TABLE facts (row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, mark BLOB NOT NULL)",
    """
    CREATE TABLE counts (
        scope INTEGER NOT NULL,
        term TEXT NOT NULL,
        n INTEGER NOT NULL,
        PRIMARY KEY (scope, term)
    ) WITHOUT ROWID
    """,
    """
    CREATE VIRTUAL TABLE words
        USING fts5 (terms, padding, tokenize = "ascii tokenchars '.+#_-'")
    """,
)

_SCOPE_BITS: Final = 32
"""Lower bits of a row id: which fact of its scope it is."""

_PADDING: Final = " ".join("_" * 64)
"""As many terms more in each fact: BM25 takes a fact of two words for much nearer than one of
twenty, and SQLite has no switch for that. Facts are all short; with this their length counts a
quarter as much, about (MRR: LoCoMo facts .50 → .56, MADial zh .28 → .33, AGENTS.md .35 → .37;
chosen on the same dev half)."""

_EVERY: Final = ""
"""The term that each fact counts as having."""

COMMON_SHARE: Final = 0.25
"""A term that more of the visible facts have says too little (RECALL 6.1) …"""

COMMON_FROM: Final = 50
"""… but not where these are few: below this many facts a term is never too common."""

_ALWAYS: Final = 4
"""Rarest terms that count however many facts have them: fewer tell too little apart."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A fact as the index knows it.

    Attributes:
        id: the fact's.
        content: what its terms are cut from.
        scope: who sees it: a name that is only compared.
    """

    id: str
    content: str
    scope: str


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for.

    Attributes:
        terms: cut as those of the facts; any of them will do.
        scopes: where; facts of other scopes are never found.
        limit: how many facts at most, apart from ties.
        most_terms: how many terms count: the rarest of those that some visible fact has.
        most_facts: terms count until this many facts have been looked at for them, but the rarest
            four always do; a query costs as much as facts have its terms. None: all count.
    """

    terms: tuple[str, ...]
    scopes: tuple[str, ...]
    limit: int
    most_terms: int = 32
    most_facts: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A fact that was found.

    Attributes:
        id: the fact's.
        score: the larger the nearer (BM25); comparable within one search only.
    """

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search gives.

    Attributes:
        nearest: the nearest first; as many as asked for, and those level with the last.
        all: how many facts have any of the terms that counted.
    """

    nearest: tuple[Hit, ...] = ()
    all: int = 0


def create(connection: sqlite3.Connection, version: int) -> None:
    """Makes the tables empty, whatever there was.

    Args:
        connection: in a transaction that writes.
        version: of the segmentation.
    """
    for name in _TABLES:
        connection.execute(f"DROP TABLE IF EXISTS {name}")
    for statement in _STATEMENTS:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {_number(version)}")


def version_of(connection: sqlite3.Connection) -> tuple[int, int]:
    """The layout's version and the segmentation's; zeros for an empty file."""
    number = int(connection.execute("PRAGMA user_version").fetchone()[0])
    return divmod(number, 1_000)


def is_current(connection: sqlite3.Connection, version: int) -> bool:
    """Whether the tables are of this layout and segmentation."""
    return version_of(connection) == divmod(_number(version), 1_000)


def is_newer(connection: sqlite3.Connection, version: int) -> bool:
    """Whether a newer Haima made the tables."""
    return version_of(connection) > divmod(_number(version), 1_000)


def _number(version: int) -> int:
    return _LAYOUT * 1_000 + version


@contextlib.contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """All that is read inside is of one moment."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def state_of(connection: sqlite3.Connection) -> str:
    """What changes whenever the index does; "" before the first fact."""
    return str(connection.execute("SELECT mark FROM state").fetchone()[0])


def update(
    connection: sqlite3.Connection,
    entries: Mapping[str, Entry],
    segment: Callable[[str], Sequence[str]],
) -> bool:
    """Brings the index to these facts; those whose mark is the same aren't looked at again.

    Args:
        connection: in a transaction that writes.
        entries: all facts by id.
        segment: cuts a content into terms.

    Returns:
        Whether anything changed.
    """
    lacking = {storable(entry.id): entry for entry in entries.values()}
    gone: list[int] = []
    for row, name, mark in connection.execute("SELECT row, id, mark FROM facts"):
        entry = lacking.get(name)
        if entry is not None and _mark(entry) == mark:
            del lacking[name]
        else:
            gone.append(row)
    changes: Counter[tuple[int, str]] = Counter()
    for row in gone:
        _remove(connection, row, changes)
    _add(connection, lacking, segment, changes)
    _count(connection, changes)
    return bool(gone or lacking)


def count_terms(
    connection: sqlite3.Connection, terms: Sequence[str], scopes: Sequence[str]
) -> dict[str, int]:
    """How many facts of these scopes have each term; without terms that none has."""
    wanted = json.dumps(terms)
    found: Counter[str] = Counter()
    for number in _numbers(connection, scopes):
        rows = connection.execute(
            "SELECT term, n FROM counts WHERE scope = ?"
            " AND term IN (SELECT value FROM json_each(?))",
            (number, wanted),
        )
        found.update(dict(rows.fetchall()))
    return dict(found)


def find(connection: sqlite3.Connection, query: Query) -> Hits:
    """The facts that have any of the terms that count, BM25 says how near they are."""
    terms = _telling(connection, query)
    if not terms:
        return Hits()
    match = " OR ".join(f'"{term}"' for term in terms)
    rows: list[tuple[int, float]] = []
    for number in _numbers(connection, query.scopes):
        rows += connection.execute(
            "SELECT rowid, bm25(words) FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?",
            (match, number << _SCOPE_BITS, ((number + 1) << _SCOPE_BITS) - 1),
        ).fetchall()
    every = len(rows)
    if every > query.limit:
        last = heapq.nsmallest(query.limit, (score for _, score in rows))[-1]
        rows = [row for row in rows if row[1] <= last]
    rows.sort(key=lambda row: row[1])
    ids = _ids(connection, [row for row, _ in rows])
    return Hits(tuple(Hit(ids[row], -score) for row, score in rows), every)


def nearest(connection: sqlite3.Connection, query: Query) -> tuple[Hit, ...]:
    """As `find`, without counting: of equally near ones any, and no more than asked for."""
    terms = _telling(connection, query)
    if not terms:
        return ()
    match = " OR ".join(f'"{term}"' for term in terms)
    rows: list[tuple[int, float]] = []
    for number in _numbers(connection, query.scopes):
        rows += connection.execute(
            "SELECT rowid, bm25(words) AS score FROM words"
            " WHERE words MATCH ? AND rowid BETWEEN ? AND ? ORDER BY score LIMIT ?",
            (
                match,
                number << _SCOPE_BITS,
                ((number + 1) << _SCOPE_BITS) - 1,
                query.limit,
            ),
        ).fetchall()
    rows = sorted(rows, key=lambda row: row[1])[: query.limit]
    ids = _ids(connection, [row for row, _ in rows])
    return tuple(Hit(ids[row], -score) for row, score in rows)


def _telling(connection: sqlite3.Connection, query: Query) -> list[str]:
    """The rarest terms that visible facts have.

    Those without any are dropped first, or they would take the places (RECALL 1, "Capping").
    """
    terms = list(dict.fromkeys(query.terms))
    counts = count_terms(connection, [*terms, _EVERY], query.scopes)
    most = max(counts.get(_EVERY, 0) * COMMON_SHARE, COMMON_FROM)
    known = [term for term in terms if term in counts and term != _EVERY]
    rare = [term for term in known if counts[term] <= most]
    rarest = sorted(rare or known, key=lambda term: counts[term])[: query.most_terms]
    if query.most_facts is None:
        return rarest
    looked_at = accumulate(counts[term] for term in rarest)
    return [
        term
        for place, (term, facts) in enumerate(zip(rarest, looked_at, strict=True))
        if place < _ALWAYS or facts <= query.most_facts
    ]


def _numbers(connection: sqlite3.Connection, scopes: Sequence[str]) -> list[int]:
    """The numbers of the scopes that have ever had a fact."""
    found: list[int] = []
    for scope in dict.fromkeys(map(storable, scopes)):
        row = connection.execute("SELECT number FROM scopes WHERE name = ?", (scope,)).fetchone()
        if row is not None:
            found.append(int(row[0]))
    return found


def _ids(connection: sqlite3.Connection, rows: Sequence[int]) -> dict[int, str]:
    found = connection.execute(
        "SELECT row, id FROM facts WHERE row IN (SELECT value FROM json_each(?))",
        (json.dumps(rows),),
    )
    return dict(found.fetchall())


def _mark(entry: Entry) -> bytes:
    content = entry.content.encode("utf-8", "surrogatepass")
    scope = entry.scope.encode("utf-8", "surrogatepass")
    return blake2b(content, digest_size=16, key=blake2b(scope, digest_size=16).digest()).digest()


def _remove(connection: sqlite3.Connection, row: int, changes: Counter[tuple[int, str]]) -> None:
    found = connection.execute("SELECT terms FROM words WHERE rowid = ?", (row,)).fetchone()
    connection.execute("DELETE FROM words WHERE rowid = ?", (row,))
    connection.execute("DELETE FROM facts WHERE row = ?", (row,))
    scope = row >> _SCOPE_BITS
    changes.subtract((scope, term) for term in {_EVERY, *str(found[0]).split(" ")})


def _add(
    connection: sqlite3.Connection,
    entries: Mapping[str, Entry],
    segment: Callable[[str], Sequence[str]],
    changes: Counter[tuple[int, str]],
) -> None:
    free: dict[str, int] = {}
    facts: list[tuple[int, str, bytes]] = []
    words: list[tuple[int, str, str]] = []
    for name, entry in entries.items():
        if entry.scope not in free:
            free[entry.scope] = _free_row(connection, storable(entry.scope))
        row = free[entry.scope]
        free[entry.scope] += 1
        terms = segment(entry.content)
        facts.append((row, name, _mark(entry)))
        words.append((row, " ".join(terms), _PADDING))
        changes.update((row >> _SCOPE_BITS, term) for term in {_EVERY, *terms})
    connection.executemany("INSERT INTO facts (row, id, mark) VALUES (?, ?, ?)", facts)
    connection.executemany("INSERT INTO words (rowid, terms, padding) VALUES (?, ?, ?)", words)


def _free_row(connection: sqlite3.Connection, scope: str) -> int:
    """The row id behind the last one of a scope, which gets a number where it has none."""
    connection.execute("INSERT OR IGNORE INTO scopes (name) VALUES (?)", (scope,))
    (number,) = connection.execute("SELECT number FROM scopes WHERE name = ?", (scope,)).fetchone()
    first = int(number) << _SCOPE_BITS
    (last,) = connection.execute(
        "SELECT max(row) FROM facts WHERE row BETWEEN ? AND ?", (first, first + (1 << 32) - 1)
    ).fetchone()
    return first if last is None else int(last) + 1


def _count(connection: sqlite3.Connection, changes: Counter[tuple[int, str]]) -> None:
    connection.executemany(
        "INSERT INTO counts (scope, term, n) VALUES (?, ?, ?)"
        " ON CONFLICT (scope, term) DO UPDATE SET n = n + excluded.n",
        [(scope, term, n) for (scope, term), n in sorted(changes.items()) if n],
    )
    connection.executemany(
        "DELETE FROM counts WHERE scope = ? AND term = ? AND n <= 0",
        [key for key, n in changes.items() if n < 0],
    )
