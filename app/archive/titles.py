"""What a session is called: after the user's first message, or as the user called it."""

import sqlite3
from dataclasses import dataclass
from typing import Final

from app.archive.live import stored_message
from app.archive.schema import storable
from app.archive.sessions import NodeRecord, get_node
from app.archive.stepping import UNDOABLE
from app.archive.title_words import title_in
from app.conversation.messages import Message

_CALLED_AS_PARENT: Final = UNDOABLE | {"fork"}
"""How a node began that goes on under its parent's title until it has one."""

_SAID: Final = "SELECT content FROM messages WHERE node = ? AND role = 'user' ORDER BY seq, part"


@dataclass(frozen=True, slots=True)
class Title:
    """What the user knows a chain by.

    Attributes:
        text: "" for nothing.
        given: the user gave it; else it is the beginning of what they said first.
    """

    text: str
    given: bool = False


def title_from(message: Message) -> str:
    """What a session is called after a message; "" where that says nothing of it."""
    if message.role != "user":
        return ""
    return storable(title_in(message.text))


def title_shown(connection: sqlite3.Connection, node: NodeRecord) -> str:
    """What a node is called: a fork that has no title yet as its parent is; "" for nothing.

    Args:
        connection: of the archive.
        node: of it.

    Raises:
        sqlite3.Error: the database can't be read.
    """
    seen = {node.id}
    while not node.title and node.relation in _CALLED_AS_PARENT and node.parent not in seen:
        parent = get_node(connection, node.parent) if node.parent else None
        if parent is None:
            break
        seen.add(parent.id)
        node = parent
    return node.title


def title_at(connection: sqlite3.Connection, node: NodeRecord) -> Title:
    """What a chain is called, seen from one of its nodes.

    What the user called the fork that the node belongs to counts before what they called the chain,
    and either before their first words.

    Args:
        connection: of the archive.
        node: where the chain would go on.

    Raises:
        sqlite3.Error: the database can't be read.
    """
    own, root = _titled(connection, node), get_node(connection, node.chain)
    for one in (own, root):
        if one is not None and _is_given(connection, one):
            return Title(one.title, given=True)
    return Title((root and root.title) or node.title)


def _titled(connection: sqlite3.Connection, node: NodeRecord) -> NodeRecord:
    """The node whose title a summary's child took over; a fork has its own."""
    seen = {node.id}
    while node.relation in UNDOABLE and node.parent and node.parent not in seen:
        parent = get_node(connection, node.parent)
        if parent is None:
            break
        seen.add(parent.id)
        node = parent
    return node


def _is_given(connection: sqlite3.Connection, node: NodeRecord) -> bool:
    """Whether a node's title isn't that of the first message which gave it one."""
    if not node.title:
        return False
    with_titles = (
        title
        for (content,) in connection.execute(_SAID, (node.id,))
        if (title := title_from(stored_message(content)))
    )
    return node.title != next(with_titles, "")
