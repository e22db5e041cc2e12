"""Which turns of a conversation belong to which node: counted from the chain's beginning."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from app.archive.sessions import NodeRecord


@dataclass(frozen=True, slots=True)
class TurnSpan:
    """A node's turns, numbered from 1.

    Attributes:
        first: the number of its first turn.
        last: that of its last one; below `first` where the user said nothing in it.
    """

    first: int
    last: int


def turn_spans(nodes: Iterable[NodeRecord]) -> dict[str, TurnSpan]:
    """The turns of each node, by id; a lost parent, or parents in a circle, count for nothing.

    Args:
        nodes: of one chain or of many, in any order.
    """
    by_id = {node.id: node for node in nodes}
    spans: dict[str, TurnSpan] = {}
    for node in by_id.values():
        path = [node]
        while path[-1].id not in spans:
            parent = _parent(path[-1], by_id)
            if parent is None or parent in path:
                break
            path.append(parent)
        for one in reversed(path):
            if one.id not in spans:
                before = _before(one, spans)
                spans[one.id] = TurnSpan(before + 1, before + one.turns)
    return spans


def turn_of(connection: sqlite3.Connection, spans: dict[str, TurnSpan], message: str) -> int | None:
    """The number of the turn a message belongs to; None: it isn't known.

    Args:
        connection: of the archive.
        spans: of the chain's nodes.
        message: its id.
    """
    found = connection.execute(
        """SELECT m.node, count(u.id) FROM messages m
        LEFT JOIN messages u ON u.node = m.node AND u.role = 'user'
          AND (u.seq, u.part) <= (m.seq, m.part)
        WHERE m.id = ? GROUP BY m.node""",
        (message,),
    ).fetchall()
    for node, count in found:
        if node in spans:
            return spans[node].first - 1 + int(count)
    return None


def _parent(node: NodeRecord, by_id: dict[str, NodeRecord]) -> NodeRecord | None:
    """Whose turns come before a node's; those before a `/clear` don't."""
    if node.parent is None or node.relation == "clear":
        return None
    return by_id.get(node.parent)


def _before(node: NodeRecord, spans: dict[str, TurnSpan]) -> int:
    if node.relation == "clear" or node.parent is None:
        return 0
    if node.relation == "fork" and node.fork_turn is not None:
        return node.fork_turn
    parent = spans.get(node.parent)
    return parent.last if parent else 0
