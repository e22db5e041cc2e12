"""Finds words in what was said and returned in a chain, for the agent's own look back.

The database leaves out what can't hold them by the stored text alone, 10 µs a message;
only what is left is decoded, the newest first, until there are enough.
"""

import json
import re
import sqlite3
import unicodedata
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

_DECODED = 20_000
"""Messages that are decoded, the newest of those that may hold the words: at most 3 s."""

_AROUND = 60
"""Characters that are shown on each side of what was found."""


_NEEDLES = 8
"""Pieces of words that the stored text is looked through for, the longest."""

_LONGEST = 200
"""Characters of such a piece."""

_ENDS = re.compile(r"[\0\s]+")

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
    wanted, found = words_of(query), list[Hit]()
    if not wanted:
        return ()
    for message, at in _newest(connection, chain, _needles(query)):
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
    return tuple(dict.fromkeys(map(_folded, _words(query))))


def hit_in(message: Message, at: str, wanted: tuple[str, ...]) -> Hit | None:
    """The message as a hit; None where a word is missing."""
    if message.tool == _ITSELF or message.role == "system":
        return None
    calls = [f"{call.name} {call.arguments}" for call in message.calls if call.name != _ITSELF]
    text = "\n".join([message.text, *calls])
    folded = _folded(text)
    if not wanted or not all(word in folded for word in wanted):
        return None
    longest = max(wanted, key=len)
    place = folded.find(longest)
    if len(folded) != len(text):
        there = re.search(re.escape(longest), text, re.IGNORECASE)
        place = there.start() if there else 0
    start, end = max(0, place - _AROUND), place + len(longest) + _AROUND
    shown = " ".join(text[start:end].split())
    shown = f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}"
    return Hit(message.id, message.role, message.tool or "", at, shown)


def _words(query: str) -> list[str]:
    text = query.strip()
    if len(text) > 2 and text[0] == text[-1] and text[0] in "\"'`":
        return [text[1:-1]]
    return text.split()


def _folded(text: str) -> str:
    """Without case; letters with accents are one character each, as other systems have them two."""
    folded = text.casefold()
    return folded if folded.isascii() else unicodedata.normalize("NFC", folded)


def _needles(query: str) -> list[str]:
    """Pieces of the words that stand in the stored text (ASCII JSON) wherever the words do.

    What has case, or another spelling, ends a piece; `ß` for `ss` and the like aren't found.
    """
    words = (_one_way(unicodedata.normalize("NFC", word)) for word in _words(query))
    pieces = {
        json.dumps(one[:_LONGEST])[1:-1] for word in words for one in _ENDS.split(word) if one
    }
    return sorted(pieces, key=lambda piece: (-len(piece), piece))[:_NEEDLES]


def _pattern(needle: str) -> str:
    return "%" + re.sub("[!%_]", r"!\g<0>", needle) + "%"


def _one_way(word: str) -> str:
    """The word with a NUL for each letter that can be stored in several ways."""
    return "".join(one if one.isascii() or _is_plain(one) else "\0" for one in word)


def _is_plain(letter: str) -> bool:
    cased = letter.casefold() != letter or letter.upper() != letter or letter.lower() != letter
    return not cased and unicodedata.normalize("NFD", letter) == letter


def _newest(
    connection: sqlite3.Connection, chain: str, needles: list[str]
) -> Iterator[tuple[Message, str]]:
    holding = " AND content LIKE ? ESCAPE '!'" * len(needles)  # in any case of ASCII letters
    numbers = connection.execute(
        f"""SELECT rowid FROM messages WHERE chain = ? AND role <> 'system'{holding}
        ORDER BY at DESC, ledger DESC, seq DESC, part DESC LIMIT ?""",  # noqa: S608 - ours
        (storable(chain), *map(_pattern, needles), _DECODED),
    )
    for number in numbers.fetchall():
        content, at = connection.execute(
            "SELECT content, at FROM messages WHERE rowid = ?", number
        ).fetchone()
        try:
            yield stored_message(content), str(at)
        except (HaimaError, ValueError):
            continue
