"""Messages as they first were, whatever stands in their place now; and what was held back.

The database gives them, or, where that can't be used, the chain's ledgers do.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, cast

from app.archive.live import stored_message
from app.archive.rows import Row, decode_bytes
from app.archive.schema import storable
from app.conversation.encoding import message_from_json
from app.conversation.messages import Message
from app.conversation.offloaded import Offloaded
from app.conversation.outcome import ToolOutcome
from app.errors import HaimaError

HeldAs = Literal["offloaded", "cleared"]
"""In a file; as a pointer. One that went to a file and was cleared later is both."""

_BY_CALL = "SELECT id FROM messages WHERE chain = ? AND call = ? AND role = 'tool' ORDER BY seq"

_ORIGINAL = """
SELECT m.content, m.raw, m.at, coalesce(m.offloaded, (
    SELECT b.offloaded FROM bodies b
    WHERE b.chain = m.chain AND b.message = m.id AND b.offloaded IS NOT NULL
    ORDER BY b.ledger, b.seq LIMIT 1))
FROM messages m WHERE m.chain = ? AND m.id = ?"""

_HELD_BACK = """
SELECT m.id, m.call, m.content, m.outcome, m.at, coalesce(b.offloaded, m.offloaded)
FROM entries e JOIN messages m ON m.chain = e.chain AND m.id = e.message
LEFT JOIN bodies b
  ON b.ledger = e.body_ledger AND b.seq = e.body_seq AND b.message = e.message
WHERE e.node = ? AND m.role = 'tool' AND {held} ORDER BY e.place DESC"""

_HELD: Mapping[HeldAs, str] = {
    # The file is there whatever became of the note since: so is the result in this list.
    "offloaded": "e.state <> 'live' AND coalesce(b.offloaded, m.offloaded) IS NOT NULL",
    "cleared": "e.state = 'cleared'",
}

_ASKED = """
SELECT m.content FROM entries e JOIN messages m ON m.chain = e.chain AND m.id = e.message
WHERE e.node = ? AND m.role = 'assistant' ORDER BY e.place DESC"""


@dataclass(frozen=True, slots=True)
class Original:
    """A message as it first came.

    Attributes:
        message: with the body it had; of a result that went to a file at once, the note.
        raw: a result's bare content, where it was kept; of 64 MB perhaps.
        file: where its content was moved to, at once or later.
        at: when it was written down, ISO 8601 UTC.
    """

    message: Message
    raw: bytes | None
    file: Offloaded | None
    at: str


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A result whose content isn't in the context any more.

    Attributes:
        id: of its message.
        call_id: of the call it answers.
        tool: the call's tool.
        arguments: the call's, as JSON text; "" where it isn't known.
        characters: of its content.
        at: when it came, ISO 8601 UTC.
        file: where its content is, if it went to a file.
    """

    id: str
    call_id: str
    tool: str
    arguments: str
    characters: int
    at: str
    file: Offloaded | None


def find_original(connection: sqlite3.Connection, chain: str, ref: str) -> Original | None:
    """A message of a chain; None where there is none, or it can't be read.

    Args:
        connection: of the archive.
        chain: the chain's id.
        ref: the message's id, or that of the call it answers.

    Raises:
        sqlite3.Error: the database can't be read.
    """
    place = (storable(chain), storable(ref))
    found = connection.execute(_ORIGINAL, place).fetchone()
    if found is None:
        answer = connection.execute(_BY_CALL, place).fetchone()
        found = answer and connection.execute(_ORIGINAL, (place[0], answer[0])).fetchone()
    if not found:
        return None
    content, raw, at, file = found
    try:
        message = stored_message(content)
    except (HaimaError, ValueError):
        return None
    return Original(message, raw, _file(file), at)


def original_in(rows: Iterable[Row], ref: str) -> Original | None:
    """The same out of the rows of a chain's ledgers; for when there is no database.

    Args:
        rows: in order, streamed: only what is asked for is kept.
        ref: the message's id, or that of the call it answers.
    """
    found: Original | None = None
    for row in rows:
        file = Offloaded.from_data(row.data.get("offloaded"))
        if row.kind == "replace":
            if found is not None and found.file is None and row.data.get("id") == found.message.id:
                found = replace(found, file=file)
            continue
        if found is not None or row.kind not in {"message", "node", "splice"}:
            continue
        values = row.data.get("messages")
        told = values if isinstance(values, list) else [row.data.get("message")]
        asked = (value for value in told if _names(value, ref))
        if (value := next(asked, None)) is not None:
            found = _original(row, value, file)
    return found


def find_texts(connection: sqlite3.Connection, chain: str, refs: Iterable[str]) -> dict[str, str]:
    """What messages of a chain said when they first came, by their ids; those that can be read.

    Raises:
        sqlite3.Error: the database can't be read.
    """
    found = ((ref, find_original(connection, chain, ref)) for ref in refs)
    return {ref: one.message.text for ref, one in found if one is not None}


def texts_in(rows: Iterable[Row], refs: Iterable[str]) -> dict[str, str]:
    """The same out of the rows of a chain's ledgers, which are read once."""
    wanted, found = set(refs), dict[str, str]()
    for row in rows:
        if row.kind not in {"message", "node", "splice"}:
            continue
        values = row.data.get("messages")
        for value in values if isinstance(values, list) else [row.data.get("message")]:
            key = str(value.get("id")) if isinstance(value, dict) else ""
            if key in wanted and key not in found:
                original = _original(row, value, None)
                found |= {} if original is None else {key: original.message.text}
    return found


def held_back(connection: sqlite3.Connection, node: str, held: HeldAs) -> tuple[HeldBack, ...]:
    """The results of a node's live history that are held back so, the newest first.

    Args:
        connection: of the archive.
        node: the node's id.
        held: in files, or cleared; some are both.

    Raises:
        sqlite3.Error: the database can't be read.
    """
    query = _HELD_BACK.format(held=_HELD[held])
    rows = connection.execute(query, (storable(node),)).fetchall()
    arguments = _arguments(connection, node, {str(call) for _, call, *_ in rows})
    found = []
    for id_, call, content, outcome, at, told in rows:
        try:
            message = stored_message(content)
        except (HaimaError, ValueError):
            continue
        file = _file(told)
        ended = None if outcome is None else ToolOutcome.from_data(json.loads(outcome))
        size = file.characters if file else ended.characters if ended else len(message.text)
        tool = message.tool or ""
        found.append(HeldBack(id_, call, tool, arguments.get(call, ""), size, at, file))
    return tuple(found)


def _arguments(connection: sqlite3.Connection, node: str, wanted: set[str]) -> dict[str, str]:
    """What these calls were asked with; goes back in the history no further than it must."""
    found: dict[str, str] = {}
    rows = connection.execute(_ASKED, (storable(node),)) if wanted else ()
    for (content,) in rows:
        try:
            calls = stored_message(content).calls
        except (HaimaError, ValueError):
            continue
        found |= {key: call.arguments for call in calls if (key := storable(call.id)) in wanted}
        if len(found) == len(wanted):
            break
    return found


def _names(value: object, ref: str) -> bool:
    return isinstance(value, dict) and ref in (value.get("id"), value.get("call_id"))


def _original(row: Row, value: object, file: Offloaded | None) -> Original | None:
    try:
        message = message_from_json(cast("dict[str, object]", value))
    except HaimaError:
        return None
    try:
        raw = decode_bytes(row.data["raw"]) if "raw" in row.data else None
    except ValueError:
        raw = None
    return Original(message, raw, file, row.at)


def _file(text: str | None) -> Offloaded | None:
    return None if text is None else Offloaded.from_data(json.loads(text))
