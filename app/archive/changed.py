"""The files that a chain's tools wrote, told by its own rows (DESIGN 4, "Worklog and recovery")."""

import json
import sqlite3
from collections.abc import Iterable

from app.archive.live import stored_message
from app.archive.rows import Row
from app.archive.schema import storable
from app.conversation.arguments import arguments_of
from app.conversation.encoding import message_from_json
from app.conversation.messages import Message
from app.conversation.outcome import ToolOutcome
from app.errors import HaimaError

WRITING = frozenset({"write_file", "edit_file"})
"""The tools that change files; what a command does to them isn't known."""

_LIKE = " OR ".join(f"content LIKE '%\"{name}\"%'" for name in sorted(WRITING))

_TOLD = f"""
SELECT content, outcome FROM messages
WHERE chain = ? AND role IN ('assistant', 'tool') AND ({_LIKE}) ORDER BY at, ledger, seq, part"""  # noqa: S608 - names of ours

Told = tuple[Message, ToolOutcome | None]
"""A message, and how its call ended."""


def changed_files(connection: sqlite3.Connection, chain: str) -> tuple[str, ...]:
    """Paths as the model gave them, the one changed last first.

    Args:
        connection: of the archive.
        chain: the chain's id.

    Raises:
        sqlite3.Error: the database can't be read.
    """
    told: list[Told] = []
    for content, outcome in connection.execute(_TOLD, (storable(chain),)):
        try:
            message = stored_message(content)
        except (HaimaError, ValueError):
            continue
        told.append((message, outcome and ToolOutcome.from_data(json.loads(outcome))))
    return changed_by(told)


def changed_in(rows: Iterable[Row]) -> tuple[str, ...]:
    """The same out of the rows of ledgers, in order; for when there is no database."""
    told: list[Told] = []
    for row in rows:
        value = row.data.get("message")
        if row.kind != "message" or not isinstance(value, dict):
            continue
        try:
            message = message_from_json(value)
        except HaimaError:
            continue
        told.append((message, ToolOutcome.from_data(row.data.get("outcome"))))
    return changed_by(told)


def changed_by(told: Iterable[Told]) -> tuple[str, ...]:
    """The same out of messages, oldest first."""
    asked: dict[str, str] = {}
    changed: dict[str, None] = {}
    for message, outcome in told:
        for call in message.calls:
            if call.name in WRITING and (path := _path(call.arguments)):
                asked[call.id] = path
        path = asked.get(message.call_id or "", "")
        if path and outcome is not None and outcome.ok:
            changed.pop(path, None)
            changed[path] = None
    return tuple(reversed(changed))


def _path(arguments: str) -> str:
    path = arguments_of(arguments).get("path")
    return path.strip() if isinstance(path, str) else ""
