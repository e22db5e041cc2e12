"""Finds words in what was said and returned in a chain, for the agent's own look back."""

import sqlite3
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from app.archive.live import stored_message
from app.archive.rows import Row
from app.archive.schema import storable
from app.conversation.encoding import message_from_json
from app.conversation.messages import Message, Role
from app.errors import HaimaError

MOST = 20
"""Messages that are found."""

_LOOKED_AT = 4_000
"""Messages that are looked at, the newest: about 0.2 s."""

_AROUND = 60
"""Characters that are shown on each side of what was found."""


_ITSELF = "read_history"
"""What an earlier search found, and asked, isn't found again."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that holds what was looked for.

    Attributes:
        id: of the message.
        role: who said it.
        tool: whose result it is; "" for none.
        at: when, ISO 8601 UTC.
        text: what stands around it, in one line.
    """

    id: str
    role: Role
    tool: str
    at: str
    text: str


def search_messages(connection: sqlite3.Connection, chain: str, query: str) -> tuple[Hit, ...]:
    """Messages that hold all words of a query, in any case of letters; the newest first.

    Args:
        connection: of the archive.
        chain: the chain's id.
        query: words; in quotes they are one text.

    Raises:
        sqlite3.Error: the database can't be read.
    """
    wanted = words_of(query)
    found = []
    for message, at in _newest(connection, chain):
        hit = hit_in(message, at, wanted)
        if hit is not None:
            found.append(hit)
            if len(found) >= MOST:
                break
    return tuple(found)


def search_rows(rows: Iterable[Row], query: str) -> tuple[Hit, ...]:
    """The same out of the rows of ledgers, oldest first; for when there is no database.

    Args:
        rows: of the chain's ledgers.
        query: as for `search_messages`.
    """
    wanted, found = words_of(query), deque[Hit](maxlen=MOST)
    for row in rows:
        if row.kind != "message":
            continue
        value = row.data.get("message")
        if not isinstance(value, dict):
            continue
        try:
            hit = hit_in(message_from_json(value), row.at, wanted)
        except HaimaError:
            continue
        if hit is not None:
            found.append(hit)
    return tuple(reversed(found))


def words_of(query: str) -> tuple[str, ...]:
    """What has to stand in a message, folded."""
    text = query.strip().casefold()
    if len(text) > 2 and text[0] == text[-1] and text[0] in "\"'`":
        return (text[1:-1],)
    return tuple(dict.fromkeys(text.split()))


def hit_in(message: Message, at: str, wanted: tuple[str, ...]) -> Hit | None:
    """The message as a hit; None where a word is missing."""
    if message.tool == _ITSELF or message.role == "system":
        return None
    calls = [f"{call.name} {call.arguments}" for call in message.calls if call.name != _ITSELF]
    text = "\n".join([message.text, *calls])
    folded = text.casefold()
    if not wanted or not all(word in folded for word in wanted):
        return None
    place = folded.find(max(wanted, key=len)) if len(folded) == len(text) else 0
    start, end = max(0, place - _AROUND), place + len(wanted[0]) + _AROUND
    shown = " ".join(text[start:end].split())
    shown = f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}"
    return Hit(message.id, message.role, message.tool or "", at, shown)


def _newest(connection: sqlite3.Connection, chain: str) -> Iterator[tuple[Message, str]]:
    rows = connection.execute(
        """SELECT content, at FROM messages WHERE chain = ? AND role <> 'system'
        ORDER BY at DESC, ledger DESC, seq DESC, part DESC LIMIT ?""",
        (storable(chain), _LOOKED_AT),
    )
    for content, at in rows:
        try:
            yield stored_message(content), str(at)
        except (HaimaError, ValueError):
            continue
