"""Ledgers written line by line, and databases compared as a whole."""

import itertools
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from app.archive.compare import compare
from app.archive.intake import take_piece
from app.archive.order import CaughtUp, catch_up
from app.archive.rebuilding import build
from app.archive.rows import Row, dump_row
from app.archive.schema import migrate
from app.conversation.encoding import message_to_json
from app.conversation.messages import Message

ROOT = "aaaaaaaaaaaa"


def stamp(minute: int) -> str:
    return f"2026-11-29T{minute // 60 % 24:02}:{minute % 60:02}:00.000Z"


class File:
    """A ledger that is written as a test wants it.

    Attributes:
        path: the file.
        seq: of the last row.
    """

    def __init__(self, folder: Path, name: str = ROOT) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{name}.jsonl"
        self.name = name
        self.seq = 0

    def row(
        self,
        kind: str,
        data: Mapping[str, object],
        *,
        node: str = "",
        conversation: str = "main",
        seq: int | None = None,
        at: str | None = None,
    ) -> Row:
        """A row, written."""
        self.seq = self.seq + 1 if seq is None else seq
        row = Row(
            self.seq,
            stamp(self.seq) if at is None else at,
            kind,
            node or self.name,
            conversation,
            data,
            self.name,
        )
        self.raw(dump_row(row))
        return row

    def raw(self, data: bytes) -> None:
        """Bytes, as they are."""
        with self.path.open("ab") as file:
            file.write(data)

    def say(self, *messages: Message, node: str = "", **more: object) -> None:
        """A row for each message."""
        for message in messages:
            self.row("message", {"message": message_to_json(message), **more}, node=node)

    @property
    def size(self) -> int:
        """Bytes."""
        return self.path.stat().st_size


def connect(path: Path | str = ":memory:") -> sqlite3.Connection:
    """A database of this version."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = OFF")
    migrate(connection)
    return connection


def caught_up(connection: sqlite3.Connection, folder: Path) -> CaughtUp:
    """What catching up came to."""
    done = CaughtUp()
    for done in catch_up(connection, folder):  # noqa: B007
        pass
    return done


def in_pieces(connection: sqlite3.Connection, path: Path, budget: int = 1) -> None:
    """Takes in a ledger, so many bytes at a time."""
    while take_piece(connection, path, budget).more:
        pass


_numbers = itertools.count()


def assert_same_as_built(path: Path, folder: Path) -> None:
    """The database holds what one made of the ledgers alone holds."""
    new = path.with_name(f"built-{next(_numbers)}.db")
    build(new, folder)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert compare(path, new) == ()
    assert compare(new, path) == ()


def table(
    connection: sqlite3.Connection, name: str, columns: str = "*"
) -> list[tuple[object, ...]]:
    """The rows of a table, sorted."""
    return sorted(connection.execute(f"SELECT {columns} FROM {name}").fetchall(), key=repr)


def one(connection: sqlite3.Connection, statement: str, *values: object) -> Iterator[object]:
    """The columns of the one row there is."""
    found = connection.execute(statement, values).fetchall()
    assert len(found) == 1
    return iter(found[0])
