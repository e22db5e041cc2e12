"""In which order ledgers are taken in: what others build on first; and the way through them all."""

import contextlib
import itertools
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from app.archive.intake import Taken, forget_chain, stand_of, take_piece
from app.archive.nodes import NodeStart
from app.archive.rows import parse_row
from app.archive.schema import storable, transaction
from app.archive.trouble import DatabaseTrouble
from app.errors import HaimaError
from app.storage import StorageError

_LOOKED_AT: Final = 20
"""Lines that are looked at for a first row that can be read."""


@dataclass(slots=True)
class CaughtUp:
    """What catching up came to.

    Attributes:
        ledgers: how many had something new.
        taken: counts of rows.
        again: ledgers that were taken in from their start, because one was shrunk or exchanged, or
            one came that others build on.
        faults: ledgers that couldn't be read, each told once.
    """

    ledgers: int = 0
    taken: Taken = field(default_factory=Taken)
    again: tuple[str, ...] = ()
    faults: tuple[HaimaError, ...] = ()

    def notices(self) -> list[HaimaError]:
        """What the user should know of it."""
        found = list(self.faults)
        if self.taken.unreadable:
            found.append(DatabaseTrouble("database.unreadable", n=self.taken.unreadable))
        if self.taken.passed_over:
            found.append(DatabaseTrouble("database.passed_over", n=self.taken.passed_over))
        if self.taken.unknown:
            found.append(DatabaseTrouble("database.unknown_rows", n=self.taken.unknown))
        if self.again:
            found.append(DatabaseTrouble("database.again", n=len(self.again), name=self.again[0]))
        return found


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A ledger that has rows the database lacks.

    Attributes:
        begun: whether the database has rows of it.
        chain: whose child it begins with; "" where with none.
        parent: the node that must be known before; None: none.
        broken: whether its first rows can't be read, so that it may be a child nevertheless.
    """

    path: Path
    begun: bool
    chain: str = ""
    parent: str | None = None
    broken: bool = False


def catch_up(connection: sqlite3.Connection, folder: Path) -> Iterator[CaughtUp]:
    """Takes in all that the ledgers of a folder have and the database lacks.

    Each step is one transaction, so that others may come between; what one gives counts up to
    there, the last one all. The connection must stay in its thread.

    Args:
        connection: in autocommit mode.
        folder: of the ledgers; one that isn't there has none.

    Raises:
        StorageError: the folder can't be read.
        sqlite3.Error: the database failed; what was taken in before stays.
    """
    done, failed = CaughtUp(), set[str]()
    waiting = _waiting(connection, _ledgers(folder))
    new = {name for name, one in waiting.items() if not one.begun}
    moved = set(waiting)
    retaken: set[str] = set()
    while waiting:
        one = _next(connection, waiting)
        name = one.path.stem
        try:
            piece = take_piece(connection, one.path)
        except OSError as error:
            done.faults += (StorageError.from_os(one.path, error),)
            failed.add(name)
            del waiting[name]
            continue
        done.taken.add(piece.taken)
        if piece.more:
            # Its forks must not come before the rest of it.
            waiting[name] = _Waiting(one.path, True)
        else:
            done.ledgers += 1
            del waiting[name]
        paths = (folder / f"{other}.jsonl" for other in piece.again if other not in failed)
        waiting |= _waiting(connection, [path for path in paths if path.exists()])
        done.again += tuple(other for other in piece.again if other not in done.again)
        if not waiting:
            again = _bereft(connection, new, moved, retaken)
            retaken.update(again)
            done.again += tuple(again)
            waiting = _waiting(connection, [folder / f"{other}.jsonl" for other in again])
        yield done
    yield done


def _ledgers(folder: Path) -> list[Path]:
    try:
        return sorted(folder.glob("*.jsonl"))
    except OSError as error:
        raise StorageError.from_os(folder, error) from error


def _waiting(connection: sqlite3.Connection, paths: list[Path]) -> dict[str, _Waiting]:
    """Those of the ledgers that aren't as the database knows them."""
    found: dict[str, _Waiting] = {}
    for path in paths:
        stand = stand_of(connection, path.stem)
        try:
            size = path.stat().st_size
        except OSError:
            size = -1
        if stand is None:
            found[path.stem] = _first(path)
        elif size != stand.size:
            found[path.stem] = _Waiting(path, True)
    return found


def _first(path: Path) -> _Waiting:
    """What a ledger that isn't known begins with."""
    broken = False
    try:
        with path.open("rb") as file:
            for line in itertools.islice(file, _LOOKED_AT):
                with contextlib.suppress(ValueError):
                    row = parse_row(line)
                    break
                broken = True
            else:
                return _Waiting(path, False, broken=True)
    except OSError:
        return _Waiting(path, False, broken=True)
    start = NodeStart.from_data(row.data) if row.kind == "node" else None
    if start is None or start.relation in {None, "clear"}:
        return _Waiting(path, False, broken=broken)
    return _Waiting(path, False, start.chain, start.parent, broken)


def _next(connection: sqlite3.Connection, waiting: dict[str, _Waiting]) -> _Waiting:
    """One whose parent and whose chain's root are known; where all lack one, the first by name."""
    order = sorted(waiting.values(), key=lambda one: (not one.begun, one.broken, one.path.stem))
    for one in order:
        root = waiting.get(one.chain, one)
        known = (
            one.parent is None
            or connection.execute(
                "SELECT 1 FROM nodes WHERE id = ?", (storable(one.parent),)
            ).fetchone()
        )
        if known and root is one:
            return one
    return order[0]


def _bereft(
    connection: sqlite3.Connection, new: set[str], moved: set[str], retaken: set[str]
) -> list[str]:
    """Forgets chains that lacked messages before another ledger of theirs came or went on.

    Args:
        connection: of the archive.
        new: ledgers that weren't known before; what their nodes lack is lost.
        moved: these, and those that went on.
        retaken: ledgers that were taken in again already.

    Returns:
        The names of the chains' ledgers.
    """
    lacking = connection.execute(
        """SELECT DISTINCT n.chain, n.ledger FROM nodes n JOIN ledgers l ON l.chain = n.chain
        WHERE n.lost > 0 ORDER BY n.chain"""
    ).fetchall()
    chains = {
        chain
        for chain, ledger in lacking
        if ledger not in new | retaken and _has_any(connection, chain, moved - {ledger})
    }
    again: list[str] = []
    if chains:
        with transaction(connection):
            for chain in sorted(chains):
                again += forget_chain(connection, chain)
    return again


def _has_any(connection: sqlite3.Connection, chain: str, ledgers: set[str]) -> bool:
    names = connection.execute("SELECT name FROM ledgers WHERE chain = ?", (chain,))
    return any(str(name) in ledgers for (name,) in names)
