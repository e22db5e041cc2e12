"""`haima sessions delete`, `restore`, `prune`: conversations go, come back, and go for good."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from app.archive.database import Connection
from app.archive.outside import Written, delete_chain, undelete_chain
from app.archive.prune import OldChain, plan_prune, prune
from app.archive.sessions import (
    AmbiguousNode,
    NodeNotFound,
    NodeRecord,
    chain_nodes,
    list_nodes,
)
from app.boundary import one_line
from app.cli.session_list import SessionList
from app.cli.table import Column, table_lines
from app.text.ages import age

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.archive.database import Database
    from app.text import Words

    Change = Callable[[Connection, Path, str], Written]
    Find = Callable[[Connection, str], NodeRecord]


async def delete(
    database: "Database", ledgers: Path, prefix: str, find: "Find"
) -> tuple[NodeRecord, ...]:
    """Deletes the chain of a session; its sessions, as they stand then.

    Args:
        database: the archive.
        ledgers: the folder of the ledgers.
        prefix: the beginning of the session's id.
        find: finds it.

    Raises:
        NodeNotFound, AmbiguousNode: there is no such session, or more than one.
        HaimaError: it is open somewhere, or it can't be written down.
    """
    return await _change(database, ledgers, prefix, find, delete_chain)


async def restore(database: "Database", ledgers: Path, prefix: str) -> tuple[NodeRecord, ...]:
    """Takes the deletion of a chain back; else as `delete`."""
    return await _change(database, ledgers, prefix, find_deleted, undelete_chain)


def find_deleted(connection: Connection, prefix: str) -> NodeRecord:
    """The deleted session that is meant; upper and lower case are the same.

    Raises:
        NodeNotFound: no deleted one has an id that begins like this.
        AmbiguousNode: sessions of several chains have.
    """
    wanted = prefix.lower()
    gone = [node for node in list_nodes(connection, None, deleted=True) if node.deleted]
    found = [node for node in gone if node.id.lower().startswith(wanted)]
    whole = [node for node in found if node.id.lower() == wanted]
    if not found:
        raise NodeNotFound(prefix)
    if not whole and len({node.chain for node in found}) > 1:
        raise AmbiguousNode(prefix, found)
    return (whole or found)[0]


async def _change(
    database: "Database", ledgers: Path, prefix: str, find: "Find", change: "Change"
) -> tuple[NodeRecord, ...]:
    def write(connection: Connection) -> tuple[str, Written]:
        chain = find(connection, prefix).chain
        return chain, change(connection, ledgers, chain)

    chain, written = await database.run(write)
    await database.commit(written.ledger, written.row, written.size)
    return await database.run(lambda connection: chain_nodes(connection, chain))


async def prune_old(
    database: "Database", ledgers: Path, older_than: timedelta, *, now: datetime, dry_run: bool
) -> tuple[OldChain, ...]:
    """Removes the chains unused for this long; those that went, or would go.

    Raises:
        HaimaError: a file can't be removed; the next run goes on with it.
    """

    def work(connection: Connection) -> tuple[OldChain, ...]:
        plan = plan_prune(connection, ledgers, older_than, now)
        return plan if dry_run else prune(connection, ledgers, plan)

    return await database.run(work)


def pruned_record(old: OldChain, *, removed: bool) -> dict[str, object]:
    """A conversation that went or would go, for `--json`."""
    return {"id": old.chain, **asdict(old), "removed": removed}


def pruned_text(table: SessionList, found: Sequence[OldChain], *, dry_run: bool) -> str:
    """What went or would go, and how much that is."""
    words = table.words
    if not found:
        return words("session_list.prune_none") + "\n"
    columns = (
        Column(words("session_list.conversation")),
        Column(words("session_list.title"), least=16, keep=4),
        Column(words("session_list.count"), right=True, keep=1),
        Column(words("session_list.used"), right=True, keep=3),
        Column(words("session_list.size_on_disk"), right=True, keep=2),
    )
    rows = [
        (
            old.chain,
            one_line(old.title) or "—",
            f"{old.nodes:,}",
            age(old.used, table.now, words),
            _size(old.size),
        )
        for old in found
    ]
    total = words(
        "session_list.would_go" if dry_run else "session_list.removed",
        n=len(found),
        size=_size(sum(old.size for old in found)),
    )
    lines = table_lines(columns, rows, width=table.columns, ascii_only=table.ascii_only)
    return "\n".join((*lines, "", total)) + "\n"


def changed_text(words: "Words", nodes: Sequence[NodeRecord], *, deleted: bool) -> str:
    """What is said after `delete` and `restore`."""
    root = nodes[0]
    return (
        words(
            "session_list.gone" if deleted else "session_list.back",
            title=one_line(root.title) or root.id,
            sessions=words("session_list.sessions", n=len(nodes)),
            id=root.id,
        )
        + "\n"
    )


def _size(size: int) -> str:
    """`12 kB`, `1.2 MB`."""
    return f"{size / 1_000_000:,.1f} MB" if size >= 100_000 else f"{-(-size // 1_000)} kB"
