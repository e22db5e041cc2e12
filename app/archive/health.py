"""What the doctor wants to know about the database; nothing is changed."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from app.archive.schema import VERSION, version_of
from app.archive.trouble import DatabaseTrouble, is_damage
from app.errors import HaimaError


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    """How the database is.

    Attributes:
        path: the file.
        exists: whether it is there; if not, it is made at the next start.
        size: bytes, with what SQLite keeps beside it.
        version: `user_version`; None where it can't be read.
        known: the version this program knows.
        journal: the journal mode, `wal` as a rule; "" where it can't be read.
        sound: what SQLite's own quick check says; None where it wasn't possible.
        fts5: whether SQLite has full-text search.
        sqlite: SQLite's version.
        ledgers: how many there are.
        behind: of these, how many have rows that aren't taken in.
        aside: damaged files that were put aside.
        fault: why it can't be read.
    """

    path: Path
    exists: bool
    size: int
    version: int | None
    known: int
    journal: str
    sound: bool | None
    fts5: bool
    sqlite: str
    ledgers: int
    behind: int
    aside: tuple[Path, ...]
    fault: HaimaError | None

    @property
    def newer(self) -> bool:
        """Whether a newer Haima wrote it."""
        return self.version is not None and self.version > self.known


def check(path: Path, ledgers: Path) -> DatabaseFacts:
    """Looks at the database; takes as long as reading it once. In a thread.

    Args:
        path: the file.
        ledgers: the folder of the ledgers.
    """
    sizes = _sizes(ledgers)
    version: int | None = None
    journal, behind = "", len(sizes)
    sound: bool | None = None
    fault: HaimaError | None = None
    exists = path.is_file()
    if exists:
        try:
            with closing(_connect(path)) as connection:
                version = version_of(connection)
                journal = str(connection.execute("PRAGMA journal_mode").fetchone()[0])
                behind = _behind(connection, sizes)
                sound = connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
        except sqlite3.Error as error:
            fault = DatabaseTrouble.of(path, error)
            sound = False if is_damage(error) else sound
    return DatabaseFacts(
        path=path,
        exists=exists,
        size=sum(_size(Path(f"{path}{suffix}")) for suffix in ("", "-wal", "-shm")),
        version=version,
        known=VERSION,
        journal=journal,
        sound=sound,
        fts5=has_fts5(),
        sqlite=sqlite3.sqlite_version,
        ledgers=len(sizes),
        behind=behind,
        aside=tuple(sorted(path.parent.glob(f"{path.name}.corrupt-*[0-9a-f]"))),
        fault=fault,
    )


def has_fts5() -> bool:
    """Whether this SQLite has full-text search."""
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute("CREATE VIRTUAL TABLE probe USING fts5 (text)")
        except sqlite3.Error:
            return False
    return True


def _connect(path: Path) -> sqlite3.Connection:
    """Reads only; where nobody has it open, without the files that SQLite makes beside it."""
    quiet = not path.with_name(path.name + "-wal").exists()
    how = "immutable=1" if quiet else "mode=ro"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=1)


def _sizes(ledgers: Path) -> dict[str, int]:
    try:
        return {file.stem: _size(file) for file in ledgers.glob("*.jsonl")}
    except OSError:
        return {}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _behind(connection: sqlite3.Connection, sizes: dict[str, int]) -> int:
    """How many ledgers have rows the database lacks."""
    known = dict(connection.execute("SELECT name, size FROM ledgers").fetchall())
    return sum(known.get(name, 0) != size for name, size in sizes.items())
