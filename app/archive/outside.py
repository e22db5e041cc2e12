"""Rows written to a chain by whoever doesn't have it open: its deletion, a node's title.

The ledger is opened for just that, so the row is in the truth and on the disk; then the database
takes it in (`Projection.commit`). Nothing is written to a chain that is open anywhere.
"""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app.archive.ledger import Ledger
from app.archive.rows import Kind, Row
from app.archive.sessions import NodeRecord, chain_nodes
from app.errors import HaimaError
from app.storage import Locked, is_held

TITLE = 80
"""Characters of a title."""


class ChainOpen(HaimaError):  # noqa: N818
    """The chain is open, here or in another process; nothing was changed."""

    code = "session_open"


class LedgerGone(HaimaError):  # noqa: N818
    """The file that must tell it isn't there any more; nothing was changed."""

    code = "ledger_gone"


@dataclass(frozen=True, slots=True)
class Written:
    """A row that is in its ledger, as `Projection.commit` takes it.

    Attributes:
        ledger: the ledger's name.
        row: the row.
        size: bytes of the ledger with it.
    """

    ledger: str
    row: Row
    size: int


def delete_chain(connection: sqlite3.Connection, ledgers: Path, chain: str) -> Written:
    """Marks a whole chain as deleted; all of it stays where it is until it is pruned.

    Args:
        connection: of the archive; only read.
        ledgers: the folder of the ledgers.
        chain: which one.

    Raises:
        ChainOpen: a session of it is open.
        LedgerGone: there is no ledger of the root.
        StorageError: it can't be written down.
    """
    return _mark_deleted(connection, ledgers, chain, deleted=True)


def undelete_chain(connection: sqlite3.Connection, ledgers: Path, chain: str) -> Written:
    """Takes the mark away again; else as `delete_chain`."""
    return _mark_deleted(connection, ledgers, chain, deleted=False)


def set_title(ledgers: Path, node: NodeRecord, title: str) -> Written:
    """Gives a node that isn't open a title; who has it open uses `Recorder.title`.

    Args:
        ledgers: the folder of the ledgers.
        node: which one.
        title: becomes one line of 80 characters at most; credentials masked by the caller.

    Raises:
        ChainOpen: it is open.
        LedgerGone: its ledger isn't there.
        StorageError: it can't be written down.
    """
    line = " ".join(title.split())[:TITLE]
    return _write(ledgers, node.ledger, "title", {"title": line}, node.id)


def held_ledgers(ledgers: Path, names: Iterable[str]) -> tuple[str, ...]:
    """Those ledgers that are open, here or in another process.

    Raises:
        StorageError: it can't be tried.
    """
    held = []
    for name in names:
        lock = lock_of(ledgers / f"{name}.jsonl")
        if lock.exists() and is_held(lock):
            held.append(name)
    return tuple(held)


def lock_of(ledger: Path) -> Path:
    """The file that names a ledger's lock."""
    return ledger.with_name(ledger.name + ".lock")


def _mark_deleted(
    connection: sqlite3.Connection, ledgers: Path, chain: str, *, deleted: bool
) -> Written:
    names = sorted({node.ledger for node in chain_nodes(connection, chain)})
    if held_ledgers(ledgers, names):
        raise ChainOpen("sessions.open", id=chain)
    return _write(ledgers, chain, "delete", {"deleted": deleted}, chain)


def _write(ledgers: Path, name: str, kind: Kind, data: dict[str, object], node: str) -> Written:
    path = ledgers / f"{name}.jsonl"
    if not path.is_file():
        raise LedgerGone("sessions.no_ledger", id=node)
    try:
        with Ledger.open(path) as ledger:
            row = ledger.write(kind, data, node=node)
            return Written(name, row, ledger.size)
    except Locked as error:
        raise ChainOpen("sessions.open", id=node) from error
