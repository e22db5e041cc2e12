"""Makes the database anew from the ledgers and says whether that changed anything."""

import secrets
import sqlite3
from contextlib import closing
from dataclasses import dataclass

from app.archive.compare import Difference, compare
from app.archive.database import Database
from app.archive.opening import remove
from app.archive.order import CaughtUp
from app.archive.schema import TABLES
from app.archive.trouble import DatabaseTrouble


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What came of it.

    Attributes:
        done: what was taken in, and what was passed over.
        rows: how many rows each table has now.
        differences: the tables in which the old database, once it had caught up, was another.
    """

    done: CaughtUp
    rows: dict[str, int]
    differences: tuple[Difference, ...]


async def rebuild_and_compare(database: Database) -> Rebuilt:
    """Rebuilds the database; it needs the room of two more meanwhile.

    Other processes may go on: the tables are exchanged in one transaction. What one of them writes
    between the copy and the exchange counts as a difference.

    Args:
        database: open, and with all that lies in the ledgers.

    Raises:
        HaimaError: it failed, or another process didn't let go of the file; all is as before.
    """
    old = database.path.with_name(f"{database.path.name}.before-{secrets.token_hex(4)}")

    def copy(connection: sqlite3.Connection) -> None:
        with closing(sqlite3.connect(old)) as target:
            old.chmod(0o600)
            connection.backup(target)

    def look(connection: sqlite3.Connection) -> Rebuilt:
        counts = {
            table: int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608
            for table in TABLES
        }
        return Rebuilt(done, counts, compare(old, database.path))

    try:
        await database.run(copy)
        done = await database.rebuild()
        return await database.run(look)
    except (sqlite3.Error, OSError) as error:
        raise DatabaseTrouble.of(database.path, error) from error
    finally:
        remove(old)
