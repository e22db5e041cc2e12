"""The tables of the archive database, and how an older file becomes one of this version.

The database is a projection of the ledgers: what stands in it can be made again from them. Sequence
numbers order everything, whatever the clock said. Text that no UTF-8 has is kept escaped
(`storable`); message bodies are ASCII JSON (`conversation.encoding`).

- `ledgers`: how far each is taken in: the highest number of its rows, where the last one ends
  (bytes), and which one that is. `told`: where the last line behind it ends that is no row and was
  counted; 0 for none.
- `nodes`: the tree; `system` is the id of the system message, `skipped` counts rows that were
  passed over, `lost` messages of the layout that weren't found, `paused` names the tiers that don't
  work by themselves (a JSON list). `parent` may name a lost node.
  `seq` is the number of its first row, `touched` whether messages came or went since, `undone`
  when its beginning was taken back; `summary` is the `SummaryMark` of the one it begins with.
  `after_ledger`, `after_seq`: how far the parent's ledger went when a fork began.
- `messages`: originals, whatever became of them; `part`: which of several in one row; `call`: which
  call a result answers; `offloaded`: the file its content went to before it was written down
  (`Offloaded` as JSON).
- `bodies`: what stands in a message's place somewhere, by the row that told it; `offloaded`: the
  file its content is in since.
- `entities`: what the agents worked with, as the rows of one ledger tell it: two ledgers of a chain
  may be taken in in any order, so they are joined when they are read (`work`). `seq`, `part`: the
  row of the last touch, and its place there.
- `touches`: the touches of a ledger's last rows that aren't in `entities` yet (`work_tables`).
- `work`: rows that say more of the work than touches: `said` (rules, goal, as JSON), `progress`
  (whole), `taken_from`; `message`: of which message, "" for an edit by hand.
- `ledgers.steps`: how many of its steps touched something, as far as `entities` goes; `stepped`:
  the row of the last one.
- `entries`: the live history of each node, in order of `place`; results of parallel calls stand in
  the order they came in (`placing` puts them in that of the calls).
"""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from typing import Final

from app.archive.title_words import mask_titles
from app.errors import HaimaError

TABLES: Final = (
    *("ledgers", "nodes", "messages", "bodies", "entries", "usage", "failures"),
    *("entities", "touches", "work"),
)
"""Every table, those first that others refer to."""

_VERSION_1: Final = (
    """
    CREATE TABLE ledgers (
        name TEXT PRIMARY KEY,
        chain TEXT NOT NULL,
        seq INTEGER NOT NULL,
        size INTEGER NOT NULL,
        last TEXT NOT NULL DEFAULT ''
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE nodes (
        id TEXT PRIMARY KEY,
        chain TEXT NOT NULL,
        parent TEXT,
        relation TEXT,
        ledger TEXT NOT NULL REFERENCES ledgers (name),
        conversation TEXT NOT NULL,
        project TEXT NOT NULL,
        mode TEXT NOT NULL,
        model TEXT NOT NULL,
        version TEXT NOT NULL,
        branch TEXT NOT NULL,
        title TEXT NOT NULL DEFAULT '',
        tools TEXT NOT NULL DEFAULT '',
        system TEXT,
        fork_at TEXT,
        fork_turn INTEGER,
        recovery TEXT,
        created TEXT NOT NULL,
        used TEXT NOT NULL,
        deleted TEXT,
        messages INTEGER NOT NULL DEFAULT 0,
        turns INTEGER NOT NULL DEFAULT 0,
        prompt INTEGER NOT NULL DEFAULT 0,
        cached INTEGER NOT NULL DEFAULT 0,
        completion INTEGER NOT NULL DEFAULT 0,
        reasoning INTEGER NOT NULL DEFAULT 0,
        cost REAL,
        peak INTEGER NOT NULL DEFAULT 0,
        skipped INTEGER NOT NULL DEFAULT 0,
        lost INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID
    """,
    "CREATE INDEX nodes_chain ON nodes (chain)",
    "CREATE INDEX nodes_parent ON nodes (parent)",
    "CREATE INDEX nodes_ledger ON nodes (ledger)",
    "CREATE INDEX nodes_project ON nodes (project, used)",
    """
    CREATE TABLE messages (
        chain TEXT NOT NULL,
        id TEXT NOT NULL,
        node TEXT NOT NULL REFERENCES nodes (id),
        ledger TEXT NOT NULL,
        seq INTEGER NOT NULL,
        part INTEGER NOT NULL,
        role TEXT NOT NULL,
        call TEXT,
        at TEXT NOT NULL,
        content TEXT NOT NULL,
        raw BLOB,
        outcome TEXT,
        PRIMARY KEY (chain, id)
    )
    """,
    "CREATE INDEX messages_node ON messages (node, seq, part)",
    """
    CREATE TABLE bodies (
        ledger TEXT NOT NULL,
        seq INTEGER NOT NULL,
        message TEXT NOT NULL,
        chain TEXT NOT NULL,
        content TEXT NOT NULL,
        PRIMARY KEY (ledger, seq, message)
    )
    """,
    "CREATE INDEX bodies_chain ON bodies (chain, message)",
    """
    CREATE TABLE entries (
        node TEXT NOT NULL REFERENCES nodes (id),
        message TEXT NOT NULL,
        chain TEXT NOT NULL,
        place INTEGER NOT NULL,
        state TEXT NOT NULL DEFAULT 'live',
        pinned INTEGER NOT NULL DEFAULT 0,
        body_ledger TEXT,
        body_seq INTEGER,
        PRIMARY KEY (node, message),
        FOREIGN KEY (chain, message) REFERENCES messages (chain, id)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX entries_place ON entries (node, place)",
    "CREATE INDEX entries_message ON entries (chain, message)",
    """
    CREATE TABLE usage (
        ledger TEXT NOT NULL,
        seq INTEGER NOT NULL,
        node TEXT NOT NULL REFERENCES nodes (id),
        conversation TEXT NOT NULL,
        at TEXT NOT NULL,
        model TEXT NOT NULL,
        message TEXT,
        prompt INTEGER NOT NULL,
        cached INTEGER NOT NULL,
        completion INTEGER NOT NULL,
        reasoning INTEGER NOT NULL,
        cost REAL,
        PRIMARY KEY (ledger, seq)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX usage_node ON usage (node, seq)",
    """
    CREATE TABLE failures (
        ledger TEXT NOT NULL,
        seq INTEGER NOT NULL,
        node TEXT NOT NULL REFERENCES nodes (id),
        at TEXT NOT NULL,
        code TEXT NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (ledger, seq)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX failures_node ON failures (node, seq)",
)


def _first(connection: sqlite3.Connection) -> None:
    for statement in _VERSION_1:
        connection.execute(statement)


def _offloaded(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE messages ADD COLUMN offloaded TEXT")
    connection.execute("ALTER TABLE bodies ADD COLUMN offloaded TEXT")


def _paused(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE nodes ADD COLUMN paused TEXT NOT NULL DEFAULT '[]'")


def _summaries(connection: sqlite3.Connection) -> None:
    for column in (
        "summary TEXT",
        "undone TEXT",
        "seq INTEGER NOT NULL DEFAULT 0",
        "touched INTEGER NOT NULL DEFAULT 0",
    ):
        connection.execute(f"ALTER TABLE nodes ADD COLUMN {column}")
    connection.execute("ALTER TABLE usage ADD COLUMN purpose TEXT NOT NULL DEFAULT 'answer'")
    # A fork begins its ledger, others hold messages of their first row.
    connection.execute(
        """UPDATE nodes SET seq = CASE WHEN relation = 'fork' THEN 1 ELSE coalesce(
          (SELECT min(m.seq) FROM messages m WHERE m.node = nodes.id AND m.at = created), 0) END"""
    )
    connection.execute(
        """UPDATE nodes SET touched = EXISTS (
          SELECT 1 FROM messages m WHERE m.node = nodes.id AND m.seq > nodes.seq)"""
    )


_WORK: Final = (
    "ALTER TABLE ledgers ADD COLUMN steps INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE ledgers ADD COLUMN stepped INTEGER NOT NULL DEFAULT 0",
    """
    CREATE TABLE entities (
        chain TEXT NOT NULL,
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        ledger TEXT NOT NULL,
        seq INTEGER NOT NULL,
        part INTEGER NOT NULL,
        action TEXT NOT NULL,
        detail TEXT NOT NULL,
        ok INTEGER NOT NULL,
        file TEXT NOT NULL,
        mtime INTEGER,
        size INTEGER,
        at TEXT NOT NULL,
        step INTEGER NOT NULL,
        times INTEGER NOT NULL,
        changed TEXT,
        changed_at TEXT NOT NULL,
        failed INTEGER NOT NULL,
        forgotten INTEGER NOT NULL,
        PRIMARY KEY (chain, kind, name, ledger)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX entities_at ON entities (chain, at DESC, kind, name)",
    "CREATE INDEX entities_changed ON entities (chain, kind) WHERE changed IS NOT NULL",
    """
    CREATE TABLE touches (
        ledger TEXT NOT NULL,
        seq INTEGER NOT NULL,
        message TEXT NOT NULL,
        node TEXT NOT NULL REFERENCES nodes (id),
        at TEXT NOT NULL,
        work TEXT NOT NULL,
        PRIMARY KEY (ledger, seq, message)
    )
    """,
    """
    CREATE TABLE work (
        ledger TEXT NOT NULL,
        seq INTEGER NOT NULL,
        message TEXT NOT NULL,
        chain TEXT NOT NULL,
        node TEXT NOT NULL REFERENCES nodes (id),
        at TEXT NOT NULL,
        said TEXT,
        progress TEXT,
        taken_from TEXT,
        PRIMARY KEY (ledger, seq, message)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX work_said ON work (node, seq) WHERE said IS NOT NULL",
    "CREATE INDEX work_progress ON work (node, seq) WHERE progress IS NOT NULL",
    "CREATE INDEX work_chain ON work (chain)",
    "CREATE INDEX work_taken ON work (taken_from) WHERE taken_from IS NOT NULL",
)


def _worklog(connection: sqlite3.Connection) -> None:
    # No row of an older version tells work: there is nothing to fill in.
    for statement in _WORK:
        connection.execute(statement)


def _sixth(connection: sqlite3.Connection) -> None:
    # Forks of an older version tell nothing of it.
    connection.execute("ALTER TABLE nodes ADD COLUMN after_ledger TEXT")
    connection.execute("ALTER TABLE nodes ADD COLUMN after_seq INTEGER")
    connection.execute(
        """CREATE INDEX nodes_after ON nodes (after_ledger, after_seq)
        WHERE after_ledger IS NOT NULL"""
    )
    connection.execute("ALTER TABLE ledgers ADD COLUMN told INTEGER NOT NULL DEFAULT 0")
    mask_titles(connection, storable)


MIGRATIONS: Final[tuple[Callable[[sqlite3.Connection], None], ...]] = (
    _first,
    _offloaded,
    _paused,
    _summaries,
    _worklog,
    _sixth,
)
"""What makes version n + 1 of version n (`user_version`); each runs in one transaction."""

VERSION: Final = len(MIGRATIONS)
"""The version this program reads and writes."""


class NewerDatabase(HaimaError):  # noqa: N818
    """A newer Haima wrote the file; it stays untouched."""

    code = "newer_database"


def version_of(connection: sqlite3.Connection) -> int:
    """The file's version; 0 for an empty one.

    Raises:
        sqlite3.Error: it can't be read.
    """
    row = connection.execute("PRAGMA user_version").fetchone()
    return int(row[0])


def migrate(
    connection: sqlite3.Connection,
    migrations: tuple[Callable[[sqlite3.Connection], None], ...] = MIGRATIONS,
) -> None:
    """Brings the file to this version, each step as a whole or not at all.

    Two processes may do so at once: each step looks again when it has the file to itself.

    Args:
        connection: in autocommit mode.
        migrations: for tests.

    Raises:
        NewerDatabase: it is of a later version; untouched.
        sqlite3.Error: it can't be changed; it is of the version it was.
    """
    while (version := version_of(connection)) < len(migrations):
        with transaction(connection):
            if version_of(connection) == version:
                migrations[version](connection)
                connection.execute(f"PRAGMA user_version = {version + 1}")
    refuse_newer(connection, len(migrations))


def refuse_newer(connection: sqlite3.Connection, known: int = VERSION) -> None:
    """Sees that no newer Haima has changed the file.

    Raises:
        NewerDatabase: one has.
        sqlite3.Error: the file can't be read.
    """
    version = version_of(connection)
    if version > known:
        path = connection.execute("PRAGMA database_list").fetchone()[2]
        raise NewerDatabase("database.newer", path=path, version=version, known=known)


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All that is done inside, or nothing; waits for other writers first.

    Raises:
        sqlite3.Error: as the statements inside; and if another writer takes longer than the busy
            timeout, before anything was done.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # SQLite may have rolled back already (a full disk).
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def storable(text: str) -> str:
    """The text as it can be stored: lone surrogates, which no UTF-8 has, stand escaped."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
