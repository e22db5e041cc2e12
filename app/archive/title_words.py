"""What of a text becomes a title: one line, without secrets (DESIGN 4, Trust)."""

import json
import sqlite3
from collections.abc import Callable
from typing import Final

from app.conversation.encoding import message_from_json
from app.conversation.secret_words import without_secrets
from app.errors import HaimaError

LONGEST: Final = 80
"""Characters of a title that comes from a message."""

_READ: Final = 4_000
"""Characters of a line that are searched for secrets: one that a title's end would cut, whole."""

_REST: Final = f"{'A0' * 24}.eyJ{'A0' * 8}.{'A0' * 8}@"
"""Makes a whole secret of the beginning of any form of one."""


def title_in(text: str) -> str:
    """The beginning of the first line that isn't blank, its secrets masked; "" where none is.

    They are masked first: of one that is cut nothing would tell that it is one.
    """
    return without_secrets(_first_line(text)[:_READ])[:LONGEST]


def mask_titles(connection: sqlite3.Connection, storable: Callable[[str], str]) -> None:
    """Masks the titles of nodes that were written down before secrets were masked in them.

    What a title that was cut had of a secret is told by the message it came from; where no message
    gave it, the user did.

    Args:
        connection: of the archive; in a transaction.
        storable: `schema.storable`, which this module is below.

    Raises:
        sqlite3.Error: it can't be read or changed.
    """
    titles = connection.execute("SELECT id, chain, title FROM nodes WHERE title <> ''").fetchall()
    for node, chain, title in titles:
        if without_secrets(title + _REST) != title + _REST:
            new = _said_again(connection, chain, title, storable)
            connection.execute("UPDATE nodes SET title = ? WHERE id = ?", (new, node))


def _said_again(
    connection: sqlite3.Connection, chain: str, title: str, storable: Callable[[str], str]
) -> str:
    said = "SELECT content FROM messages WHERE chain = ? AND role = 'user' ORDER BY rowid"
    for (content,) in connection.execute(said, (chain,)):
        try:
            text = message_from_json(json.loads(content)).text
        except (HaimaError, ValueError):
            continue
        if storable(_first_line(text)[:LONGEST]) == title:
            return storable(title_in(text))
    return without_secrets(title)


def _first_line(text: str) -> str:
    return next(filter(None, (" ".join(line.split()) for line in text.splitlines())), "")
