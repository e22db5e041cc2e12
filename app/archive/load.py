"""A node's live history as the database has it, with all a session needs to go on with it."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import get_args

from app.archive.assemble import assemble
from app.archive.intake import stand_of
from app.archive.live import stored_message
from app.archive.nodes import slot_from_data, tiers_from_data
from app.archive.sessions import NodeNotFound, NodeRecord, get_node
from app.archive.stands import Stands
from app.archive.stepping import UNDOABLE, LiveNode
from app.conversation.history import History, InvalidHistory
from app.conversation.messages import Message, ToolCall
from app.conversation.offloaded import Offloaded
from app.conversation.standing import PLAIN, BodyRef, MessageState, Standing, Tier
from app.errors import HaimaError
from app.text import Words

_STATES: tuple[MessageState, ...] = get_args(MessageState)

_LIVE = """
SELECT e.message, coalesce(b.content, m.content), e.state, e.pinned, e.body_ledger, e.body_seq,
  coalesce(b.offloaded, m.offloaded)
FROM entries e JOIN messages m ON m.chain = e.chain AND m.id = e.message
LEFT JOIN bodies b
  ON b.ledger = e.body_ledger AND b.seq = e.body_seq AND b.message = e.message
WHERE e.node = ? ORDER BY e.place"""


@dataclass(frozen=True, slots=True)
class LastUsage:
    """The figures of a node's last answer, for the meter.

    Attributes:
        message: the id of the answer; None where it isn't known.
        model: who answered.
        prompt: tokens of the request.
        cached: of these, tokens from the provider's cache.
        completion: tokens of the answer.
        row: the ledger row that tells it.
    """

    message: str | None
    model: str
    prompt: int
    cached: int
    completion: int
    row: BodyRef | None = None

    def counts(self, history: History, standings: Mapping[str, Standing]) -> bool:
        """Whether what it counted stands in the history as it was counted.

        Args:
            history: with the answer, or it doesn't count.
            standings: how its messages stand.
        """
        if self.message is None or history.get(self.message) is None:
            return False
        counted = history[: history.index(self.message)]
        bodies = (standings.get(one.id, PLAIN).body for one in counted)
        return not any(body is not None and self._before(body) for body in bodies)

    def _before(self, body: BodyRef) -> bool:
        """Whether it was told before a body changed; other ledgers' rows are from before a fork."""
        row = self.row
        return row is None or (row.ledger == body.ledger and row.seq < body.seq)


@dataclass(frozen=True, slots=True)
class LoadedNode:
    """A node as it was left.

    Attributes:
        node: what it is.
        history: what goes to the model next; its last step may be open.
        waiting: results whose turn hasn't come (for `Recorder`).
        standings: how messages stand, those left out that nothing was done to.
        files: where contents are that were moved to files, by message.
        paused: the tiers that don't work by themselves.
        skipped: how many rows or messages were passed over, because they, or what they build on,
            can't be read.
        lost: calls whose result can't be read; the history holds one that says so.
        last_usage: of its last answer; None before the first.
        ledger: the name of the ledger it goes on in.
        last_seq: the number of that ledger's last row, as far as it is taken in.
        children: the nodes that go on from it (summaries, forks, expansions), in order of their
            beginning; agents, what `/clear` began and what was undone don't count.
        way_back: the node to which its beginning can still be undone (for `Recorder`).
    """

    node: NodeRecord
    history: History
    waiting: tuple[Message, ...]
    standings: Mapping[str, Standing]
    files: Mapping[str, Offloaded]
    paused: frozenset[Tier]
    skipped: int
    lost: tuple[ToolCall, ...]
    last_usage: LastUsage | None
    ledger: str
    last_seq: int
    children: tuple[str, ...]
    way_back: str | None = None


def load_node(connection: sqlite3.Connection, node: str, words: Words) -> LoadedNode:
    """Reads a node's live history; of the rest of its chain, nothing.

    Args:
        connection: of the archive, caught up with the ledgers.
        node: the whole id.
        words: for results that are lost.

    Raises:
        NodeNotFound: there is no such node.
        sqlite3.Error: the database can't be read.
    """
    connection.execute("BEGIN")
    try:
        return _load(connection, node, words)
    finally:
        connection.execute("ROLLBACK")


def load_live(connection: sqlite3.Connection, node: str, words: Words) -> LiveNode:
    """A node as `Recorder.step_back` and `Recorder.begin` take it, read where `live` wasn't kept.

    Args:
        connection: of the archive, caught up with the ledgers.
        node: the whole id.
        words: for results that are lost.

    Raises:
        NodeNotFound: there is no such node.
        InvalidHistory: something of it is lost, so that it can't come back as it was.
        sqlite3.Error: the database can't be read.
    """
    loaded = load_node(connection, node, words)
    if loaded.skipped or loaded.lost or loaded.waiting:
        raise InvalidHistory("history.not_whole", node=node[:4])
    stands = Stands(loaded.standings, loaded.files, loaded.paused)
    return LiveNode(node, loaded.history, stands, way_back=loaded.way_back)


def _load(connection: sqlite3.Connection, node: str, words: Words) -> LoadedNode:
    record = get_node(connection, node)
    if record is None:
        raise NodeNotFound(node)
    recovery, paused, passed_over = connection.execute(
        "SELECT recovery, paused, skipped + lost FROM nodes WHERE id = ?", (node,)
    ).fetchone()
    live = _Live(connection, node)
    slot = None if recovery is None else slot_from_data(json.loads(recovery))
    made = assemble(live, slot, words)
    kept = {message.id for message in (*made.history, *made.waiting)}
    stand = stand_of(connection, record.ledger)
    return LoadedNode(
        node=record,
        history=made.history,
        waiting=made.waiting,
        standings={key: live.standings[key] for key in live.standings if key in kept},
        files={key: live.files[key] for key in live.files if key in kept},
        paused=tiers_from_data(json.loads(paused)),
        skipped=passed_over + live.unreadable + len(made.left_out),
        lost=made.lost,
        last_usage=_last_usage(connection, node),
        ledger=record.ledger,
        last_seq=stand.seq if stand else 0,
        children=_children(connection, node),
        way_back=_way_back(connection, record),
    )


class _Live:
    """The messages of the live history, one after the other; notes how each stands."""

    def __init__(self, connection: sqlite3.Connection, node: str) -> None:
        self.standings: dict[str, Standing] = {}
        self.files: dict[str, Offloaded] = {}
        self.unreadable = 0
        self._rows = connection.execute(_LIVE, (node,))

    def __iter__(self) -> Iterator[Message]:
        for _, content, state, pinned, ledger, seq, file in self._rows:
            try:
                message = stored_message(content)
            except (HaimaError, ValueError):
                self.unreadable += 1
                continue
            standing = Standing(
                state if state in _STATES else "live",
                bool(pinned),
                None if ledger is None else BodyRef(ledger, seq),
            )
            if standing != PLAIN:
                self.standings[message.id] = standing
            found = None if file is None else Offloaded.from_data(json.loads(file))
            if found is not None:
                self.files[message.id] = found
            yield message


def _last_usage(connection: sqlite3.Connection, node: str) -> LastUsage | None:
    found = connection.execute(
        """SELECT message, model, prompt, cached, completion, ledger, seq FROM usage
        WHERE node = ? AND purpose = 'answer' ORDER BY seq DESC LIMIT 1""",
        (node,),
    ).fetchone()
    if found is None:
        return None
    message, model, prompt, cached, completion, ledger, seq = found
    return LastUsage(message, model, prompt, cached, completion, BodyRef(ledger, seq))


def _children(connection: sqlite3.Connection, node: str) -> tuple[str, ...]:
    rows = connection.execute(
        """SELECT id FROM nodes
        WHERE parent = ? AND relation IN ('summary', 'fork', 'expand') AND undone IS NULL
        ORDER BY created, id""",
        (node,),
    )
    return tuple(str(child) for (child,) in rows)


def _way_back(connection: sqlite3.Connection, node: NodeRecord) -> str | None:
    """The parent, where nothing changed the node's history since it began, nor is anything lost."""
    if node.relation not in UNDOABLE:
        return None
    found = connection.execute(
        """SELECT p.id FROM nodes c JOIN nodes p ON p.id = c.parent AND p.ledger = c.ledger
        WHERE c.id = ? AND c.undone IS NULL AND c.touched = 0 AND c.skipped = 0""",
        (node.id,),
    ).fetchone()
    return str(found[0]) if found else None
