"""From ledger files into the database: the next row, or all rows that are lacking, in pieces.

Each piece is one transaction that also stores how far its ledger is taken in: where its last row
ends, and that row's number. So nothing is taken in twice, by whichever process, however often.
"""

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.archive.apply import take
from app.archive.lines import ends_there, lines, mark
from app.archive.nodes import NodeStart
from app.archive.rows import Row
from app.archive.schema import refuse_newer, storable, transaction
from app.storage.faults import fault_point

PIECE: Final = 1 << 22
"""Bytes of a ledger that are taken in at once; a longer row is taken in alone."""


@dataclass(slots=True)
class Taken:
    """What became of rows; counts.

    Attributes:
        rows: taken in.
        passed_over: not taken in, because what they build on is lost or they can't be read.
        unknown: of a kind another version knows.
        unreadable: lines that are no rows.
    """

    rows: int = 0
    passed_over: int = 0
    unknown: int = 0
    unreadable: int = 0

    def add(self, other: "Taken") -> None:
        """Adds what another piece came to."""
        self.rows += other.rows
        self.passed_over += other.passed_over
        self.unknown += other.unknown
        self.unreadable += other.unreadable


@dataclass(frozen=True, slots=True)
class Piece:
    """What one piece came to.

    Attributes:
        taken: counts.
        more: the ledger goes on behind it.
        again: ledgers that must be taken in from their start, because this one was shrunk or
            exchanged and what they build on was forgotten with it.
    """

    taken: Taken
    more: bool = False
    again: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stand:
    """How far a ledger is taken in.

    Attributes:
        chain: whose it is; "" while it has no node.
        seq: the highest number of its rows.
        size: where the last row that was taken in ends, bytes.
        last: that row's number and time: what must still stand there.
        told: where the last line behind it ends that is no row and was counted; 0 for none.
    """

    chain: str
    seq: int
    size: int
    last: str
    told: int


def stand_of(connection: sqlite3.Connection, ledger: str) -> Stand | None:
    """How far a ledger is taken in; None: not at all."""
    found = connection.execute(
        "SELECT chain, seq, size, last, told FROM ledgers WHERE name = ?", (storable(ledger),)
    ).fetchone()
    return Stand(*found) if found else None


def take_next(connection: sqlite3.Connection, ledger: str, row: Row, size: int) -> bool:
    """Takes in the row a ledger was just given, if it is the next one.

    Args:
        connection: in autocommit mode.
        ledger: the ledger's name.
        row: as it was written.
        size: bytes of the ledger with this row.

    Returns:
        Whether it was taken in. If not, others before it are lacking, or another file lay there, or
        it is in already: `take_piece` finds out.

    Raises:
        NewerDatabase: a newer Haima has changed the file; untouched.
        sqlite3.Error: the database failed; it is as before.
    """
    with transaction(connection):
        refuse_newer(connection)
        stand = stand_of(connection, ledger)
        known = stand or _NOWHERE
        next_one = row.seq == known.seq + 1 and size > known.size
        if not next_one or (row.kind == "node" and not _has_kept(connection, row)):
            return False
        if stand is None:
            _begin(connection, ledger)
        take(connection, ledger, row)
        _stood(connection, ledger, row.seq, size, row)
        fault_point("database_transaction")
    return True


def take_piece(connection: sqlite3.Connection, path: Path, budget: int = PIECE) -> Piece:
    """Takes in the rows a ledger has beyond what is known of it, up to some bytes.

    Another process may be writing to it: a last line without its end isn't there yet.

    Args:
        connection: in autocommit mode.
        path: the ledger; one that is gone has no rows.
        budget: bytes after which it stops; at least one row is taken in.

    Raises:
        OSError: the ledger can't be read; the database is as before.
        NewerDatabase: a newer Haima has changed the file; untouched.
        sqlite3.Error: the database failed; it is as before.
    """
    ledger, taken = path.stem, Taken()
    again: tuple[str, ...] = ()
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return Piece(taken)
    with file, transaction(connection):
        refuse_newer(connection)
        stand = stand_of(connection, ledger)
        if stand is not None and not ends_there(file, stand.size, stand.last):
            again = forget_ledger(connection, ledger, stand.chain)
            stand = None
        known = stand or _NOWHERE
        seq, start, told, more = known.seq, known.size, known.told, False
        for row, end in lines(file, start, ledger):
            if row is None:
                if end > told:
                    taken.unreadable += 1
                    told = end
                continue
            if seq == 0:
                _begin(connection, ledger)
            if row.seq > seq or _is_news(connection, ledger, row):
                _count(taken, take(connection, ledger, row, counted=row.seq > seq))
            seq = max(seq, row.seq)
            _stood(connection, ledger, seq, end, row)
            if more := end - start >= budget:
                break
        else:
            # Only a row says how far it was read: what comes behind it is met again each time.
            if told > known.told:
                _told(connection, ledger, told)
    return Piece(taken, more, again)


def forget_ledger(connection: sqlite3.Connection, ledger: str, chain: str) -> tuple[str, ...]:
    """Takes a ledger out of the tables, with all that builds on it: its whole chain.

    Returns:
        The names of the chain's ledgers.

    Raises:
        sqlite3.Error: the database failed.
    """
    names = forget_chain(connection, chain) if chain else ()
    connection.execute("DELETE FROM ledgers WHERE name = ?", (storable(ledger),))
    return (*names, ledger) if ledger not in names else names


def forget_chain(connection: sqlite3.Connection, chain: str) -> tuple[str, ...]:
    """Takes all nodes of a chain, and what they hold, out of the tables; the files stay.

    Args:
        connection: in a transaction.
        chain: its id.

    Returns:
        The names of its ledgers.

    Raises:
        sqlite3.Error: the database failed.
    """
    of_chain = storable(chain)
    names = connection.execute("SELECT name FROM ledgers WHERE chain = ?", (of_chain,)).fetchall()
    for statement in _FORGET:
        connection.execute(statement, (of_chain,))
    return tuple(sorted(str(name) for (name,) in names))


_NOWHERE: Final = Stand("", 0, 0, "", 0)

_FORGET: Final = (
    "DELETE FROM entries WHERE chain = ?",
    "DELETE FROM touches WHERE ledger IN (SELECT name FROM ledgers WHERE chain = ?)",
    "DELETE FROM entities WHERE chain = ?",
    "DELETE FROM work WHERE chain = ?",
    "DELETE FROM usage WHERE node IN (SELECT id FROM nodes WHERE chain = ?)",
    "DELETE FROM failures WHERE node IN (SELECT id FROM nodes WHERE chain = ?)",
    "DELETE FROM bodies WHERE chain = ?",
    "DELETE FROM messages WHERE chain = ?",
    "DELETE FROM nodes WHERE chain = ?",
    "DELETE FROM ledgers WHERE chain = ?",
)


def _begin(connection: sqlite3.Connection, ledger: str) -> None:
    connection.execute(
        "INSERT INTO ledgers (name, chain, seq, size, last) VALUES (?, '', 0, 0, '')",
        (storable(ledger),),
    )


def _stood(connection: sqlite3.Connection, ledger: str, seq: int, size: int, row: Row) -> None:
    connection.execute(
        "UPDATE ledgers SET seq = ?, size = ?, last = ?, told = 0 WHERE name = ?",
        (seq, size, mark(row.seq, row.at), storable(ledger)),
    )


def _told(connection: sqlite3.Connection, ledger: str, told: int) -> None:
    connection.execute(
        "UPDATE ledgers SET told = ? WHERE name = ? AND size < ?", (told, storable(ledger), told)
    )


def _count(taken: Taken, outcome: str) -> None:
    taken.rows += outcome == "taken"
    taken.passed_over += outcome == "passed_over"
    taken.unknown += outcome == "unknown"


def _is_news(connection: sqlite3.Connection, ledger: str, row: Row) -> bool:
    """Whether a row under a number that was used is a message nobody has, not a copy.

    Two writers, where locks don't work, both count on: no message may be lost by that.
    """
    if row.kind != "message":
        return False
    message = row.data.get("message")
    one = message.get("id") if isinstance(message, dict) else None
    stand = stand_of(connection, ledger)
    known = connection.execute(
        "SELECT 1 FROM messages WHERE chain = ? AND id = ?",
        (stand.chain if stand else "", storable(str(one))),
    ).fetchone()
    return known is None


def _has_kept(connection: sqlite3.Connection, row: Row) -> bool:
    """Whether all messages are known that a node's first row takes over from its chain."""
    start = NodeStart.from_data(row.data)
    own = {message.id for message in start.messages}
    return all(
        connection.execute(
            "SELECT 1 FROM messages WHERE chain = ? AND id = ?",
            (storable(start.chain), storable(entry.id)),
        ).fetchone()
        for entry in start.layout
        if entry.id not in own
    )
