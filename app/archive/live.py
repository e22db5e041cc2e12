"""The rows that change a node's live history, done on the table of its entries.

Entries name messages; what is removed from a history stays in `messages`. Whether all of it makes a
valid history is seen when it is loaded (`assemble`), as it is when it is rebuilt from rows.
"""

import base64
import binascii
import json
import sqlite3
from typing import Final, cast

from app.archive.nodes import (
    NodeStart,
    slot_from_data,
    slot_to_data,
    state_from_data,
    tier_from_data,
    tiers_from_data,
)
from app.archive.schema import storable
from app.archive.taking import PassedOver, Taking, stored_json
from app.conversation.encoding import EncodingError, message_from_json, message_to_json
from app.conversation.messages import Message
from app.conversation.offloaded import Offloaded
from app.conversation.standing import MessageState, Tier

_PIECE: Final = 1 << 18
"""Characters of base64 that are decoded at once; a multiple of 4."""


def begin(taking: Taking, start: NodeStart) -> None:
    """The history a node begins with: kept messages of its chain, and its own new ones."""
    connection, node = taking.connection, taking.node
    for part, one in enumerate(start.messages):
        _keep(taking, one, part)
    lost = 0
    for place, entry in enumerate(start.layout, start=1):
        standing, body = entry.standing, entry.standing.body
        added = connection.execute(
            """INSERT OR IGNORE INTO entries
            SELECT ?1, id, chain, ?2, ?3, ?4, ?5, ?6 FROM messages WHERE chain = ?7 AND id = ?8
              AND (?5 IS NULL OR EXISTS (SELECT 1 FROM bodies b
                WHERE b.ledger = ?5 AND b.seq = ?6 AND b.message = ?8))""",
            (
                node.id,
                place,
                standing.state,
                standing.pinned,
                body and storable(body.ledger),
                body and body.seq,
                node.chain,
                storable(entry.id),
            ),
        ).rowcount
        lost += not added
    connection.execute("UPDATE nodes SET lost = ? WHERE id = ?", (lost, node.id))
    _set_system(taking)


def message(taking: Taking) -> Message:
    """A message joins at the end; a result only where its call is open.

    Returns:
        The message.
    """
    check_own(taking)
    row = taking.row
    one = _message(row.data.get("message"))
    if one.role == "tool" and one.call_id not in _open_calls(taking):
        raise PassedOver
    file = Offloaded.from_data(row.data.get("offloaded"))
    _keep(taking, one, 0, row.data.get("outcome"), row.data.get("raw"), file)
    last = taking.connection.execute(
        "SELECT coalesce(max(place), 0) FROM entries WHERE node = ?", (taking.node.id,)
    ).fetchone()[0]
    _enter(taking, one, int(last) + 1, "live" if file is None else "offloaded")
    if one.role == "system":
        _set_system(taking)
    return one


def replace(taking: Taking) -> None:
    """Another body for an entry, another state, or both."""
    check_own(taking)
    row, connection = taking.row, taking.connection
    told = row.data.get("message")
    changed = None if told is None else _message(told)
    target = storable(str(row.data.get("id")) if changed is None else changed.id)
    entry = (taking.node.id, target)
    state = state_from_data(row.data.get("state"))
    found = connection.execute(
        "UPDATE entries SET state = coalesce(?, state) WHERE node = ? AND message = ?",
        (state, *entry),
    ).rowcount
    if not found:
        raise PassedOver
    if changed is not None:
        _embody(taking, changed)


def pin(taking: Taking) -> None:
    """Pins messages, or lets them go."""
    check_own(taking)
    pinned = taking.row.data.get("pinned") is True
    for one in _texts(taking.row.data.get("ids")):
        taking.connection.execute(
            "UPDATE entries SET pinned = ? WHERE node = ? AND message = ?",
            (pinned, taking.node.id, one),
        )


def paused(taking: Taking) -> None:
    """A tier waits, or works by itself again."""
    check_own(taking)
    tier = tier_from_data(taking.row.data.get("tier"))
    if tier is None:
        raise PassedOver
    pause(taking, taking.node.id, tier, on=taking.row.data.get("on") is True)


def pause(taking: Taking, node: str, tier: Tier, *, on: bool) -> None:
    """Notes it of a node of the row's ledger; of another one nothing."""
    found = taking.connection.execute(
        "SELECT paused FROM nodes WHERE id = ? AND ledger = ?", (node, taking.ledger)
    ).fetchone()
    if found is None:
        return
    others = tiers_from_data(json.loads(found[0])) - {tier}
    now = others | {tier} if on else others
    taking.connection.execute(
        "UPDATE nodes SET paused = ? WHERE id = ?", (json.dumps(sorted(now)), node)
    )


def splice(taking: Taking) -> None:
    """Messages leave the history, others stand in their place."""
    check_own(taking)
    connection, node, data = taking.connection, taking.node, taking.row.data
    values = data.get("messages")
    if not isinstance(values, list):
        raise PassedOver
    new = [_message(value) for value in values]
    removed = _removed(taking)
    places = [place for _, place in removed]
    start = min(places) if places else _before(taking)
    connection.executemany(
        "DELETE FROM entries WHERE node = ? AND message = ?",
        [(node.id, one) for one, _ in removed],
    )
    connection.execute(
        "UPDATE entries SET place = place + ? WHERE node = ? AND place >= ?",
        (len(new), node.id, start),
    )
    for part, one in enumerate(new):
        original = connection.execute(
            "SELECT content FROM messages WHERE chain = ? AND id = ?",
            (node.chain, storable(one.id)),
        ).fetchone()
        if original is None:
            _keep(taking, one, part)
        _enter(taking, one, start + part)
        if original is not None and stored_message(original[0]) != one:
            _embody(taking, one)
    slot = connection.execute("SELECT recovery FROM nodes WHERE id = ?", (node.id,)).fetchone()[0]
    if slot is not None and not _entered(taking, json.loads(slot)["message"]):
        connection.execute("UPDATE nodes SET recovery = NULL WHERE id = ?", (node.id,))
    _set_system(taking)


def recovery(taking: Taking) -> None:
    """Fills or empties the one recovery slot; what it names may be a result that is lost."""
    check_own(taking)
    told = taking.row.data.get("slot")
    slot = slot_to_data(slot_from_data(told))
    if slot is None and told is not None:
        raise PassedOver
    taking.connection.execute(
        "UPDATE nodes SET recovery = ? WHERE id = ?", (slot and stored_json(slot), taking.node.id)
    )


def stored_message(content: str) -> Message:
    """A message as it was stored.

    Raises:
        EncodingError: it can't be read.
    """
    return message_from_json(json.loads(content))


def check_own(taking: Taking) -> None:
    """Another agent's rows don't belong to this node's history."""
    if storable(taking.row.conversation) != taking.node.conversation:
        raise PassedOver


def _message(value: object) -> Message:
    if not isinstance(value, dict):
        raise PassedOver
    try:
        return message_from_json(cast("dict[str, object]", value))
    except EncodingError as error:
        raise PassedOver from error


def _texts(value: object) -> list[str]:
    if not isinstance(value, list):
        raise PassedOver
    return [storable(text) for text in value if isinstance(text, str)]


def _keep(
    taking: Taking,
    one: Message,
    part: int,
    outcome: object = None,
    raw: object = None,
    file: Offloaded | None = None,
) -> None:
    """Puts an original into `messages`; one of this id that is there already breaks a rule."""
    row = taking.row
    cursor = taking.connection.execute(
        """INSERT INTO messages (chain, id, node, ledger, seq, part, role, call, at, content,
          outcome, offloaded)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            taking.node.chain,
            storable(one.id),
            taking.node.id,
            taking.ledger,
            row.seq,
            part,
            one.role,
            one.call_id and storable(one.call_id),
            storable(row.at),
            stored_json(message_to_json(one)),
            stored_json(outcome) if isinstance(outcome, dict) else None,
            file and stored_json(file.to_data()),
        ),
    )
    text = raw.get("$bytes") if isinstance(raw, dict) else None
    if isinstance(text, str) and cursor.lastrowid is not None:
        _keep_raw(taking.connection, cursor.lastrowid, text)


def _keep_raw(connection: sqlite3.Connection, rowid: int, text: str) -> None:
    """Writes base64 as a blob, piece by piece: it may be 64 MB. What isn't base64 is left out."""
    size = max(0, len(text) // 4 * 3 - text[-2:].count("="))
    connection.execute("UPDATE messages SET raw = zeroblob(?) WHERE rowid = ?", (size, rowid))
    try:
        with connection.blobopen("messages", "raw", rowid) as blob:
            for start in range(0, len(text), _PIECE):
                blob.write(base64.b64decode(text[start : start + _PIECE], validate=True))
            whole = blob.tell() == size
    except (binascii.Error, ValueError):
        whole = False
    if not whole:
        connection.execute("UPDATE messages SET raw = NULL WHERE rowid = ?", (rowid,))


def _enter(taking: Taking, one: Message, place: int, state: MessageState = "live") -> None:
    """Makes a message an entry, as it came."""
    taking.connection.execute(
        "INSERT INTO entries (node, message, chain, place, state) VALUES (?, ?, ?, ?, ?)",
        (taking.node.id, storable(one.id), taking.node.chain, place, state),
    )


def _embody(taking: Taking, changed: Message) -> None:
    """Gives an entry the body this row tells."""
    connection, node, target = taking.connection, taking.node, storable(changed.id)
    body = (taking.ledger, taking.row.seq)
    file = Offloaded.from_data(taking.row.data.get("offloaded"))
    connection.execute(
        """INSERT INTO bodies (ledger, seq, message, chain, content, offloaded)
        VALUES (?, ?, ?, ?, ?, ?)""",
        (
            *(*body, target, node.chain, stored_json(message_to_json(changed))),
            file and stored_json(file.to_data()),
        ),
    )
    connection.execute(
        "UPDATE entries SET body_ledger = ?, body_seq = ? WHERE node = ? AND message = ?",
        (*body, node.id, target),
    )


def _open_calls(taking: Taking) -> set[str]:
    """The calls of the last step that have no result yet."""
    answered: set[str] = set()
    rows = taking.connection.execute(
        """SELECT m.role, m.call, m.rowid FROM entries e
        JOIN messages m ON m.chain = e.chain AND m.id = e.message
        WHERE e.node = ? ORDER BY e.place DESC""",
        (taking.node.id,),
    )
    for role, call, rowid in rows:
        if role == "tool":
            answered.add(call)
            continue
        if role != "assistant":
            break
        content = taking.connection.execute(
            "SELECT content FROM messages WHERE rowid = ?", (rowid,)
        ).fetchone()[0]
        step = stored_message(content)
        if not step.discarded:
            return {call.id for call in step.calls if storable(call.id) not in answered}
    return set()


def _removed(taking: Taking) -> list[tuple[str, int]]:
    """The entries a splice takes out: id and place; those that are lost left out."""
    connection, node, data = taking.connection, taking.node, taking.row.data
    if "removed" in data:
        found = [(one, _place(taking, one)) for one in _texts(data["removed"])]
        return [(one, place) for one, place in found if place is not None]
    # Older rows name the outermost ones only.
    first, last = data.get("first"), data.get("last")
    if not isinstance(first, str) or not isinstance(last, str):
        return []
    start, end = _place(taking, storable(first)), _place(taking, storable(last))
    if start is None or end is None:
        raise PassedOver
    rows = connection.execute(
        """SELECT e.message, e.place, m.role FROM entries e
        JOIN messages m ON m.chain = e.chain AND m.id = e.message
        WHERE e.node = ? AND e.place >= ? ORDER BY e.place""",
        (node.id, start),
    )
    taken: list[tuple[str, int]] = []
    for one, place, role in rows:
        # A step leaves as a whole, whatever order its results came in.
        if place > end and role != "tool":
            break
        taken.append((one, place))
    return taken


def _before(taking: Taking) -> int:
    """Where a splice that takes nothing out puts what is new."""
    connection, node, data = taking.connection, taking.node, taking.row.data
    end = connection.execute(
        "SELECT coalesce(max(place), 0) + 1 FROM entries WHERE node = ?", (node.id,)
    ).fetchone()[0]
    if "removed" in data:
        before = data.get("before")
        place = int(end) if before is None else _place(taking, storable(str(before)))
        if place is None:
            raise PassedOver
        return place
    start = data.get("start")
    if not isinstance(start, int) or start < 0:
        raise PassedOver
    found = connection.execute(
        "SELECT place FROM entries WHERE node = ? ORDER BY place LIMIT 1 OFFSET ?",
        (node.id, start),
    ).fetchone()
    return int(found[0] if found else end)


def _place(taking: Taking, one: str) -> int | None:
    found = taking.connection.execute(
        "SELECT place FROM entries WHERE node = ? AND message = ?", (taking.node.id, one)
    ).fetchone()
    return found and int(found[0])


def _entered(taking: Taking, one: str) -> bool:
    return _place(taking, storable(one)) is not None


def _set_system(taking: Taking) -> None:
    """Notes which message is the system message: the first, where it is one."""
    taking.connection.execute(
        """UPDATE nodes SET system = (SELECT id FROM (SELECT m.id, m.role FROM entries e
          JOIN messages m ON m.chain = e.chain AND m.id = e.message
          WHERE e.node = ?1 ORDER BY e.place LIMIT 1) WHERE role = 'system') WHERE id = ?1""",
        (taking.node.id,),
    )
