"""What was said in a chain up to one of its nodes: the path from the root, in pages or whole.

A child by a summary or an expansion follows all of its parent; a fork follows its parent's messages
up to the one it was forked at. A row of a node stands at `(seq, part)`, the mark the node begins
with at `(0, 0)`. Pages are read backwards along an index, so their cost doesn't grow with the
chain.
"""

import heapq
import itertools
import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, get_args

from app.archive.sessions import NodeRecord, get_node
from app.archive.stepping import UNDOABLE
from app.conversation.encoding import message_from_json
from app.conversation.messages import Message
from app.conversation.offloaded import Offloaded
from app.conversation.outcome import ToolOutcome
from app.conversation.past import (
    Cursor,
    MarkKind,
    Past,
    PastFailure,
    PastMark,
    PastMessage,
    PastPage,
)
from app.conversation.standing import BodyRef, MessageState, Standing
from app.errors import HaimaError

Place = tuple[int, int]
"""Where an entry stands in its node: the row's number, the index within the row."""

_Placed = tuple[Place, Past]

_BEGINNING: Place = (0, 0)
_END: Place = (1 << 62, 0)
_STATES: tuple[MessageState, ...] = get_args(MessageState)

MESSAGES = """
SELECT m.seq, m.part, m.content, m.outcome, m.at, m.node, e.message IS NOT NULL,
  coalesce(e.state, o.state, 'live'), coalesce(e.pinned, o.pinned, 0),
  CASE WHEN e.message IS NULL THEN o.body_ledger ELSE e.body_ledger END,
  CASE WHEN e.message IS NULL THEN o.body_seq ELSE e.body_seq END,
  coalesce(b.offloaded, m.offloaded)
FROM messages m
LEFT JOIN entries e ON e.node = :viewed AND e.message = m.id
LEFT JOIN entries o ON o.node = m.node AND o.message = m.id
LEFT JOIN bodies b ON b.message = m.id
  AND b.ledger = CASE WHEN e.message IS NULL THEN o.body_ledger ELSE e.body_ledger END
  AND b.seq = CASE WHEN e.message IS NULL THEN o.body_seq ELSE e.body_seq END
WHERE m.node = :node AND m.role <> 'system' AND m.seq > :after AND (m.seq, m.part) < (:seq, :part)
ORDER BY m.seq {order}, m.part {order}"""

FAILURES = """
SELECT f.seq, f.code, f.text, f.at, f.node FROM failures f
WHERE f.node = :node AND f.seq < :seq ORDER BY f.seq {order}"""

_COUNT = """
SELECT count(*) FROM messages m
WHERE m.node = :node AND m.seq > :after AND (m.seq, m.part) < (:seq, :part)
  AND m.role <> 'system'"""

_ONLY_IN = """
SELECT (SELECT count(*) FROM entries WHERE node = :one)
- (SELECT count(*) FROM entries c JOIN entries p ON p.node = :one AND p.message = c.message
  WHERE c.node = :other)
- (SELECT count(*) FROM (SELECT * FROM entries WHERE node = :one ORDER BY place LIMIT 1) f
  JOIN messages m ON m.chain = f.chain AND m.id = f.message
  WHERE m.role = 'system'
    AND NOT EXISTS (SELECT 1 FROM entries c WHERE c.node = :other AND c.message = f.message))"""
"""What one node's history held in the end and another's hasn't, its system message apart.

Counted so that it costs what the other holds: the one may be of any length.
"""

_SAID_IN = """
SELECT count(*) FROM messages m
  JOIN entries e ON e.node = m.node AND e.message = m.id AND e.chain = m.chain
WHERE m.node = ? AND m.role <> 'system'"""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """What of one node belongs to the path.

    Attributes:
        node: which node.
        parent: the one it came out of; None where that is lost.
        after: the number of its own first row where that holds what nobody said; else 0.
        end: entries from here on are apart.
    """

    node: NodeRecord
    parent: NodeRecord | None
    after: int
    end: Place


def past_page(
    connection: sqlite3.Connection, node: str, before: Cursor | None, limit: int
) -> PastPage:
    """The last entries before a place, the oldest first.

    Args:
        connection: of the archive.
        node: whose past; unknown: it is empty.
        before: where the page ends, from `PastPage.earlier`; None: at the end.
        limit: how many entries; some more where the page would begin between a call and its result.
    """
    path = _path(connection, node)
    if before is not None:
        path = _up_to(path, before)
    taken: list[_Placed] = []
    where = ""
    inside = False
    for stretch in reversed(path):
        for placed in _entries(connection, node, stretch, backwards=True):
            if len(taken) >= max(1, limit) and not inside:
                place = taken[-1][0]
                items = tuple(item for _, item in reversed(taken))
                count = _count(connection, path) if before is None else before.count
                count = max(0, count - sum(isinstance(item, PastMessage) for item in items))
                return PastPage(
                    tuple(_in_order_of_calls(items)), Cursor(where, *place, count), count
                )
            taken.append(placed)
            where, inside = stretch.node.id, _inside(placed[1], inside)
    return PastPage(tuple(_in_order_of_calls(item for _, item in reversed(taken))))


def whole_past(connection: sqlite3.Connection, node: str) -> Iterator[Past]:
    """All of a node's past, the oldest first; never more than a step of it in memory.

    Args:
        connection: of the archive; to be left in its thread until the end.
        node: whose past; unknown: it is empty.
    """
    path = _path(connection, node)
    entries = (
        item for stretch in path for _, item in _entries(connection, node, stretch, backwards=False)
    )
    return _in_order_of_calls(entries)


def system_message(connection: sqlite3.Connection, node: str) -> Message | None:
    """The system message of a node's requests; where its history has none, the path's last one."""
    row = connection.execute(
        """SELECT m.content FROM entries e JOIN messages m ON m.chain = e.chain AND m.id = e.message
        WHERE e.node = ? AND m.role = 'system' ORDER BY e.place LIMIT 1""",
        [node],
    ).fetchone()
    for stretch in reversed(_path(connection, node)):
        row = (
            row
            or connection.execute(
                """SELECT content FROM messages WHERE node = ? AND role = 'system'
            ORDER BY seq DESC, part DESC LIMIT 1""",
                [stretch.node.id],
            ).fetchone()
        )
    return _decode(row[0]) if row else None


def _path(connection: sqlite3.Connection, node: str) -> list[_Stretch]:
    """From the chain's root to the node; a parent that is lost or comes again ends it."""
    path: list[_Stretch] = []
    seen: set[str] = set()
    record, end = get_node(connection, node), _END
    while record is not None:
        seen.add(record.id)
        parent = get_node(connection, record.parent) if record.parent else None
        if parent is not None and parent.id in seen:
            parent = None
        path.append(_Stretch(record, parent, _after(connection, record), end))
        if parent is None or record.relation in {"agent", "clear"}:
            break
        if record.relation == "fork":
            record, end = fork_place(connection, record, parent)
        else:
            record, end = parent, _END
    return path[::-1]


def _up_to(path: list[_Stretch], before: Cursor) -> list[_Stretch]:
    """The path before a place on it; nothing where the place isn't on it."""
    for index, stretch in enumerate(path):
        if stretch.node.id == before.node:
            end = min(stretch.end, (before.seq, before.part))
            kept = [replace(stretch, end=end)] if end > _BEGINNING else []
            return path[:index] + kept
    return []


def fork_place(
    connection: sqlite3.Connection, fork: NodeRecord, parent: NodeRecord
) -> tuple[NodeRecord, Place]:
    """Which node a fork was made of, and where in it what they share ends.

    It may have been forked at a message its parent has from an older node: then that one counts.
    A fork that doesn't say where shares what its parent had when it began.
    """
    at = connection.execute(
        "SELECT node, seq, part, role FROM messages WHERE chain = ? AND id = ?",
        [fork.chain, fork.fork_at],
    ).fetchone()
    owner: NodeRecord | None = parent
    seen = {fork.id}
    while at and owner is not None and owner.id not in seen:
        if owner.id == at[0]:
            return owner, _step_end(connection, *at)
        seen.add(owner.id)
        owner = get_node(connection, owner.parent) if owner.parent else None
    last = connection.execute(
        "SELECT max(seq) FROM messages WHERE node = ? AND at <= ?", [parent.id, fork.created]
    ).fetchone()[0]
    return parent, ((last or 0) + 1, 0)


def _step_end(connection: sqlite3.Connection, node: str, seq: int, part: int, role: str) -> Place:
    """The place behind a message; behind all results of its step, which come in any order."""
    end = (seq, part + 1)
    if role == "tool":
        rows = connection.execute(
            """SELECT seq, part, role FROM messages WHERE node = ? AND (seq, part) > (?, ?)
            ORDER BY seq, part""",
            [node, seq, part],
        )
        for later in itertools.takewhile(lambda row: row[2] == "tool", rows):
            end = (later[0], later[1] + 1)
    return end


def _after(connection: sqlite3.Connection, node: NodeRecord) -> int:
    """The number of the row a child begins with by a summary: what that holds nobody said."""
    if node.relation not in UNDOABLE:
        return 0
    (seq,) = connection.execute("SELECT seq FROM nodes WHERE id = ?", [node.id]).fetchone()
    return int(seq)


def _entries(
    connection: sqlite3.Connection, viewed: str, stretch: _Stretch, *, backwards: bool
) -> Iterator[_Placed]:
    """A stretch's messages and failures by the numbers of their rows, and its mark."""
    if not backwards and (mark := _mark(connection, stretch)):
        yield _BEGINNING, mark
    values = _bounds(stretch) | {"viewed": viewed}
    order = "DESC" if backwards else "ASC"
    messages = connection.execute(MESSAGES.format(order=order), values)
    failures = connection.execute(FAILURES.format(order=order), values)
    yield from heapq.merge(
        map(_message, messages),
        (((row[0], 0), PastFailure(*map(str, row[1:]))) for row in failures),
        key=itemgetter(0),
        reverse=backwards,
    )
    if backwards and (mark := _mark(connection, stretch)):
        yield _BEGINNING, mark


def _bounds(stretch: _Stretch) -> dict[str, str | int]:
    """What limits a stretch, for the queries."""
    return {
        "node": stretch.node.id,
        "after": stretch.after,
        "seq": stretch.end[0],
        "part": stretch.end[1],
    }


def _count(connection: sqlite3.Connection, path: list[_Stretch]) -> int:
    """How many messages a path has; only where a node was forked inside they are counted."""
    return sum(
        stretch.node.messages
        if stretch.end == _END
        else int(connection.execute(_COUNT, _bounds(stretch)).fetchone()[0])
        for stretch in path
    )


def _kind(stretch: _Stretch) -> MarkKind | None:
    """What a stretch begins with, None for nothing: a first node, an agent, a lost parent."""
    relation = stretch.node.relation
    if stretch.parent is None or relation is None or relation == "agent":
        return None
    return relation


def _mark(connection: sqlite3.Connection, stretch: _Stretch) -> PastMark | None:
    """The mark a stretch begins with."""
    kind, node = _kind(stretch), stretch.node
    if kind is None or stretch.parent is None:
        return None
    count, parent = 0, stretch.parent.id
    if node.summary is not None:
        count = node.summary.messages
    elif kind == "summary":
        count = _only_in(connection, parent, node.id)
    elif kind == "expand":
        count = _only_in(connection, node.id, parent) - _said_in(connection, node.id)
    return PastMark(kind, node.id, parent, node.created, count, node.fork_turn, node.summary)


def _only_in(connection: sqlite3.Connection, node: str, other: str) -> int:
    """How many messages one node's history held in the end that another's hasn't."""
    row = connection.execute(_ONLY_IN, {"one": node, "other": other}).fetchone()
    return int(row[0])


def _said_in(connection: sqlite3.Connection, node: str) -> int:
    """How many messages of a node's history were said in it, its system message apart."""
    row = connection.execute(_SAID_IN, (node,)).fetchone()
    return int(row[0])


def _message(row: tuple[Any, ...]) -> _Placed:
    """A message as it was said; one that can't be read is told as a failure."""
    seq, part, content, outcome, at, node, present, state, pinned, ledger, body, file = row
    try:
        message = _decode(content)
    except (HaimaError, ValueError, RecursionError) as error:
        return (seq, part), PastFailure("encoding", str(error), at, node)
    standing = Standing(
        state if state in _STATES else "live",
        bool(pinned),
        None if ledger is None or body is None else BodyRef(ledger, body),
    )
    ended = None if outcome is None else ToolOutcome.from_data(json.loads(outcome))
    moved = None if file is None else Offloaded.from_data(json.loads(file))
    return (seq, part), PastMessage(message, standing, ended, at, node, bool(present), moved)


def _decode(content: str) -> Message:
    return message_from_json(json.loads(content))


def _inside(item: Past, inside: bool) -> bool:
    """Whether, read backwards, the call to a result that was met is still to come."""
    if isinstance(item, PastFailure):
        return inside
    return isinstance(item, PastMessage) and item.message.role == "tool"


def _in_order_of_calls(items: Iterable[Past]) -> Iterator[Past]:
    """Results in the order of their calls; they were written down as each came."""
    order: dict[str | None, int] = {}
    results: list[PastMessage] = []
    for item in items:
        if isinstance(item, PastMessage) and item.message.role == "tool":
            results.append(item)
            continue
        yield from sorted(results, key=lambda one: order.get(one.message.call_id, len(order)))
        results = []
        if isinstance(item, PastMessage):
            order = {call.id: place for place, call in enumerate(item.message.calls)}
        yield item
    yield from sorted(results, key=lambda one: order.get(one.message.call_id, len(order)))
