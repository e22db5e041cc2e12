"""Finds messages in nodes: where a fork is to begin."""

import sqlite3

from app.archive.sessions import NodeRecord, get_node
from app.errors import HaimaError


class NoMessage(HaimaError):  # noqa: N818
    """No message of the session, or more than one, has an id that begins like this."""

    code = "not_found"


def find_message(connection: sqlite3.Connection, node: NodeRecord, prefix: str) -> tuple[str, str]:
    """A message in a node's live history, else in that of the nearest node above it.

    So a message that a summary stands for is found where it is still whole.

    Args:
        connection: of the archive.
        node: where to look first.
        prefix: the message's id or its first digits.

    Returns:
        The node's id and the message's.

    Raises:
        NoMessage: there is none, or there are several in one node.
    """
    one: NodeRecord | None = node
    seen: set[str] = set()
    pattern = prefix.strip().removeprefix("#").replace("%", "").replace("_", r"\_") + "%"
    while one is not None and one.id not in seen:
        seen.add(one.id)
        found = connection.execute(
            r"SELECT message FROM entries WHERE node = ? AND message LIKE ? ESCAPE '\' LIMIT 2",
            (one.id, pattern),
        ).fetchall()
        if len(found) > 1:
            raise NoMessage("session.many_messages", id=prefix, node=one.id[:4])
        if found:
            return one.id, str(found[0][0])
        above = one.parent if one.relation != "clear" else None
        one = get_node(connection, above) if above else None
    raise NoMessage("session.no_message", id=prefix, node=node.id[:4])
