"""A connection of one's own that only reads, for what takes long: the database's thread goes on."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from app.archive.opening import PATIENCE
from app.archive.trouble import DatabaseTrouble


@contextlib.contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Gives a connection that sees the database as it is now, for one thread, for `with`.

    Args:
        path: of a database that `Database` has opened and caught up before.

    Raises:
        DatabaseTrouble: it can't be read, at the beginning or inside the block.
    """
    try:
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with contextlib.closing(
            sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None)
        ) as connection:
            connection.execute("BEGIN")
            yield connection
    except sqlite3.Error as error:
        raise DatabaseTrouble.of(path, error) from error
