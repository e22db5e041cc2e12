"""Takes one ledger row into the database: each kind has one way, the same at every time.

A row is taken in as a whole or passed over, never half; passing one over costs that row only. What
comes of it depends on the rows before it alone, so that any way of catching up gives the same
tables. Nothing here commits.
"""

import json
import math
import sqlite3
from collections.abc import Callable, Mapping
from typing import Final, Literal

from app.archive import live
from app.archive.nodes import NodeStart, slot_to_data, tier_from_data
from app.archive.rows import Row
from app.archive.schema import storable
from app.archive.stepping import CHANGING, UNDOABLE
from app.archive.taking import NodeOf, PassedOver, Taking, own_text, stored_json
from app.archive.titles import title_from
from app.archive.usage import purpose_from_data
from app.archive.work_tables import keep_work
from app.conversation.secret_words import without_secrets
from app.errors import HaimaError

Outcome = Literal["taken", "passed_over", "unknown"]
"""What became of a row: it is in; it couldn't be; its kind is of another version."""

_MOST: Final = (1 << 53) - 1
"""Counts above this aren't believed: no sum of them would fit."""

_UNFIT: Final = (
    PassedOver,
    HaimaError,
    sqlite3.IntegrityError,
    sqlite3.DataError,
    OverflowError,
    RecursionError,
    ValueError,
)
"""What says that a row can't be taken in, not that the database failed."""

_SILENT: Final = frozenset({"title", "delete"})
"""Kinds that don't count as a use of the session."""


def take(connection: sqlite3.Connection, ledger: str, row: Row, *, counted: bool = True) -> Outcome:
    """Takes in a row that is the next one of its ledger.

    Args:
        connection: in a transaction, with the ledger in its table.
        ledger: the ledger's name.
        row: the row.
        counted: whether its node counts it if it is passed over.

    Raises:
        sqlite3.Error: the database failed; the row isn't in.
    """
    do = _KINDS.get(row.kind)
    if do is None:
        return "unknown"
    connection.execute("SAVEPOINT one_row")
    try:
        _take(connection, storable(ledger), row, do)
    except _UNFIT:
        connection.execute("ROLLBACK TO one_row")
        connection.execute("RELEASE one_row")
        if counted:
            connection.execute(
                "UPDATE nodes SET skipped = skipped + 1 WHERE id = ? AND ledger = ?",
                (storable(row.node), storable(ledger)),
            )
        return "passed_over"
    connection.execute("RELEASE one_row")
    return "taken"


def _take(
    connection: sqlite3.Connection, ledger: str, row: Row, do: Callable[[Taking], None]
) -> None:
    at = storable(row.at)
    if row.kind == "node":
        _begin(connection, ledger, row)
        return
    node = _known(connection, row) or _unannounced(connection, ledger, row)
    if node.ledger != ledger:
        raise PassedOver
    do(Taking(connection, ledger, row, node))
    if row.kind not in _SILENT:
        connection.execute(
            "UPDATE nodes SET used = max(used, ?), touched = max(touched, ?) WHERE id = ?",
            (at, row.kind in CHANGING, node.id),
        )


def _known(connection: sqlite3.Connection, row: Row) -> NodeOf | None:
    found = connection.execute(
        "SELECT id, chain, ledger, conversation FROM nodes WHERE id = ?", (storable(row.node),)
    ).fetchone()
    return NodeOf(*found) if found else None


def _unannounced(connection: sqlite3.Connection, ledger: str, row: Row) -> NodeOf:
    """A node whose first row is missing: of an older ledger, or unreadable. It begins empty."""
    if not row.node:
        raise PassedOver
    chain = _chain_of(connection, ledger) or ledger
    # An older ledger told project and model once, before `/clear` began another node in it.
    known = connection.execute(
        "SELECT project, mode, model, version, branch FROM nodes WHERE id = ? AND ledger = ?",
        (chain, ledger),
    ).fetchone() or ("", "react", "", "", "")
    start = NodeStart(chain, None, None, *known)
    return _insert(connection, ledger, row, start)


def _begin(connection: sqlite3.Connection, ledger: str, row: Row) -> None:
    """A node's first row: what it is, and the history it begins with."""
    start = NodeStart.from_data(row.data)
    of_ledger = _chain_of(connection, ledger)
    chain = storable(start.chain) or of_ledger or ledger
    if not row.node or (of_ledger and chain != of_ledger):
        raise PassedOver
    node = _insert(connection, ledger, row, start, chain)
    live.begin(Taking(connection, ledger, row, node), start)


def _insert(
    connection: sqlite3.Connection, ledger: str, row: Row, start: NodeStart, chain: str = ""
) -> NodeOf:
    node = NodeOf(
        storable(row.node), chain or storable(start.chain), ledger, storable(row.conversation)
    )
    at = storable(row.at)
    slot = slot_to_data(start.recovery)
    deleted = connection.execute(
        "SELECT max(deleted) FROM nodes WHERE chain = ?", (node.chain,)
    ).fetchone()[0]
    connection.execute(
        """INSERT INTO nodes (id, chain, parent, relation, ledger, conversation, project, mode,
          model, version, branch, title, tools, fork_at, fork_turn, recovery, created, used,
          deleted, summary, seq, paused, after_ledger, after_seq)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            node.id,
            node.chain,
            start.parent and storable(start.parent),
            start.relation,
            ledger,
            node.conversation,
            storable(start.project),
            storable(start.mode),
            storable(start.model),
            storable(start.version),
            storable(start.branch),
            _inherited_title(connection, ledger, start),
            storable(start.tools),
            start.fork_at and storable(start.fork_at),
            start.fork_turn,
            slot and stored_json(slot),
            at,
            at,
            deleted,
            start.summary and stored_json(start.summary.to_data()),
            row.seq,
            json.dumps(sorted(start.paused)),
            start.after and storable(start.after.ledger),
            start.after and start.after.seq,
        ),
    )
    connection.execute(
        "UPDATE ledgers SET chain = ? WHERE name = ? AND chain = ''", (node.chain, ledger)
    )
    return node


def _chain_of(connection: sqlite3.Connection, ledger: str) -> str:
    """The chain a ledger belongs to; "" while it has no node."""
    found = connection.execute("SELECT chain FROM ledgers WHERE name = ?", (ledger,)).fetchone()
    return str(found[0]) if found else ""


def _inherited_title(connection: sqlite3.Connection, ledger: str, start: NodeStart) -> str:
    """What a summary's child is called; a fork is called by its own first message."""
    if start.relation not in UNDOABLE or start.parent is None:
        return ""
    # Only within one ledger: what another one told by now depends on when this is read.
    found = connection.execute(
        "SELECT title FROM nodes WHERE id = ? AND ledger = ?", (storable(start.parent), ledger)
    ).fetchone()
    return str(found[0]) if found else ""


def _session(taking: Taking) -> None:
    """It was opened, or goes on otherwise; what isn't told stays as it was."""
    for column in ("project", "model", "version", "branch", "tools"):
        value = taking.row.data.get(column)
        if isinstance(value, str):
            taking.connection.execute(
                f"UPDATE nodes SET {column} = ? WHERE id = ?",  # noqa: S608
                (storable(value), taking.node.id),
            )


def _message(taking: Taking) -> None:
    message = live.message(taking)
    taking.connection.execute(
        """UPDATE nodes SET messages = messages + ?, turns = turns + ?,
          title = CASE WHEN title = '' THEN ? ELSE title END WHERE id = ?""",
        (
            message.role != "system",
            message.role == "user",
            title_from(message),
            taking.node.id,
        ),
    )
    keep_work(taking, taking.row.data.get("work"), message.id)


def _work(taking: Taking) -> None:
    """The worklog, changed by hand."""
    live.check_own(taking)
    taken_from = own_text(taking.row.data, "taken_from")
    keep_work(taking, taking.row.data.get("work", {}), taken_from=taken_from)


def _usage(taking: Taking) -> None:
    data = taking.row.data
    prompt, cached = _count(data, "prompt"), _count(data, "cached")
    completion, reasoning = _count(data, "completion"), _count(data, "reasoning")
    cost, purpose = _cost(data.get("cost")), purpose_from_data(data.get("purpose"))
    peak = prompt if purpose == "answer" else 0  # a summary's request isn't the conversation's
    connection, row = taking.connection, taking.row
    connection.execute(
        """INSERT INTO usage (ledger, seq, node, conversation, at, model, message, prompt, cached,
          completion, reasoning, cost, purpose)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            taking.ledger,
            row.seq,
            taking.node.id,
            storable(row.conversation),
            storable(row.at),
            own_text(data, "model") or "",
            own_text(data, "message"),
            prompt,
            cached,
            completion,
            reasoning,
            cost,
            purpose,
        ),
    )
    connection.execute(
        """UPDATE nodes SET prompt = prompt + ?, cached = cached + ?, completion = completion + ?,
          reasoning = reasoning + ?, peak = max(peak, ?),
          cost = CASE WHEN ? IS NULL THEN cost ELSE coalesce(cost, 0) + ? END WHERE id = ?""",
        (prompt, cached, completion, reasoning, peak, cost, cost, taking.node.id),
    )


def _error(taking: Taking) -> None:
    taking.connection.execute(
        "INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?)",
        (
            taking.ledger,
            taking.row.seq,
            taking.node.id,
            storable(taking.row.at),
            own_text(taking.row.data, "code") or "error",
            own_text(taking.row.data, "text") or "",
        ),
    )


def _undo(taking: Taking) -> None:
    """The node goes on nowhere, its parent does."""
    connection, row, node = taking.connection, taking.row, taking.node
    parent = own_text(row.data, "parent")
    found = connection.execute(
        "SELECT parent FROM nodes WHERE id = ? AND undone IS NULL", (node.id,)
    ).fetchone()
    if found is None or found[0] != parent:
        raise PassedOver
    at = storable(row.at)
    connection.execute("UPDATE nodes SET undone = ? WHERE id = ?", (at, node.id))
    # Only within one ledger, as with titles.
    connection.execute(
        "UPDATE nodes SET used = max(used, ?) WHERE id = ? AND ledger = ?",
        (at, parent, taking.ledger),
    )
    tier = tier_from_data(row.data.get("paused"))
    if tier is not None:
        live.pause(taking, str(parent), tier, on=True)


def _call_it(taking: Taking) -> None:
    title = own_text(taking.row.data, "title")
    if title is None:
        raise PassedOver
    taking.connection.execute(
        "UPDATE nodes SET title = ? WHERE id = ?",
        (without_secrets(" ".join(title.split())), taking.node.id),
    )


def _delete(taking: Taking) -> None:
    """Marks the whole chain; nodes that are read later take the mark over (`_insert`)."""
    deleted = taking.row.data.get("deleted")
    if not isinstance(deleted, bool):
        raise PassedOver
    taking.connection.execute(
        "UPDATE nodes SET deleted = ? WHERE chain = ?",
        (storable(taking.row.at) if deleted else None, taking.node.chain),
    )


def _nothing(_: Taking) -> None:
    """The row tells nothing the tables hold."""


def _count(data: Mapping[str, object], name: str) -> int:
    value = data.get(name)
    whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST
    return value if whole and isinstance(value, int) else 0


def _cost(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        cost = float(value)
    except OverflowError:
        return None
    return cost if math.isfinite(cost) and cost >= 0 else None


_KINDS: Final[Mapping[str, Callable[[Taking], None]]] = {
    "node": _nothing,
    "session": _session,
    "message": _message,
    "work": _work,
    "replace": live.replace,
    "state": live.replace,
    "pin": live.pin,
    "paused": live.paused,
    "splice": live.splice,
    "recovery": live.recovery,
    "usage": _usage,
    "error": _error,
    "clear": _nothing,
    "undo": _undo,
    "title": _call_it,
    "delete": _delete,
}
