"""Where a conversation begins: anew, where an earlier one was left, or beside one.

A node that nothing came out of goes on as it is, in its own ledger. One with children, or whose
beginning was undone, stays as it is: going on makes a new child of it, a fork in a ledger of its
own, as `/fork` does from any message. The fork's first row is written with its first message, so
that looking makes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from app.archive.automatic import automatic_summaries
from app.archive.database import Connection, Database
from app.archive.load import LastUsage, LoadedNode, load_node
from app.archive.nodes import LedgerEnd, Relation
from app.archive.places import find_message
from app.archive.sessions import (
    AmbiguousNode,
    chain_nodes,
    find_node,
    get_node,
    newest_node,
)
from app.archive.titles import title_shown
from app.archive.turns import turn_of, turn_spans
from app.archive.work import Unbegun, load_work
from app.compaction.breaker import AN_HOUR
from app.conversation.history import History
from app.conversation.messages import IdFactory, Message
from app.conversation.offloaded import Offloaded
from app.conversation.standing import Standing, Tier
from app.conversation.summary_mark import SummaryMark
from app.conversation.work_state import NO_WORK, LoadedWork
from app.errors import HaimaError
from app.session.launch import StartRequest
from app.text import Words


@dataclass(frozen=True, slots=True)
class Begin:
    """A new conversation.

    Attributes:
        parent: the node that `/clear` left for it, if something was said there.
    """

    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Resume:
    """Goes on where a node was left; its whole id."""

    node: str


@dataclass(frozen=True, slots=True)
class Fork:
    """Another branch of a node.

    Attributes:
        node: its whole id.
        message: the last message that is shared, with the rest of its step; None: all are.
    """

    node: str
    message: str | None = None


Start = Begin | Resume | Fork


class OtherProject(HaimaError):  # noqa: N818
    """The session belongs to another folder."""

    code = "other_project"


@dataclass(frozen=True, slots=True)
class Origin:
    """What a chain needs to be opened.

    Attributes:
        chain: the chain's id.
        node: the node's id.
        ledger: the name of the ledger it is written to.
        begun: whether the node has its first row.
        history: what goes to the model next.
        waiting: results whose turn hasn't come.
        standings: how its messages stand.
        files: where contents are that were moved to files, by message.
        paused: the tiers that don't work by themselves.
        parent: the node it comes out of; None for a root.
        relation: how.
        fork_at: the last message a fork shares with its parent.
        fork_turn: the number of that message's turn.
        after: how far the parent's ledger went, for a fork.
        title: its own; "" for none.
        called: what it is called until it has one of its own: as its parent, for a fork.
        model: who answered last; "" for a new one.
        branch: the git branch the model was told of last; None: the system message will tell it.
        tools: the mark of the tools it was begun with; "" for a new one.
        last_usage: of its last answer, where that still counts.
        last_seq: the number of its ledger's last row.
        skipped: rows and messages that were passed over, as they can't be read.
        lost: how many results are lost.
        way_back: the node to which its beginning can still be undone.
        summary: what is known of the summary it begins with.
        summarised: when the chain's last summaries that began by themselves did.
        work: what is known of its work.
    """

    chain: str
    node: str
    ledger: str
    begun: bool = False
    history: History | None = None
    waiting: tuple[Message, ...] = ()
    standings: Mapping[str, Standing] | None = None
    files: Mapping[str, Offloaded] = field(default_factory=dict)
    paused: frozenset[Tier] = frozenset()
    parent: str | None = None
    relation: Relation | None = None
    fork_at: str | None = None
    fork_turn: int | None = None
    after: LedgerEnd | None = None
    title: str = ""
    called: str = ""
    model: str = ""
    branch: str | None = None
    tools: str = ""
    last_usage: LastUsage | None = None
    last_seq: int = 0
    skipped: int = 0
    lost: int = 0
    way_back: str | None = None
    summary: SummaryMark | None = None
    summarised: tuple[datetime, ...] = ()
    work: LoadedWork = NO_WORK


async def resolve(request: StartRequest, database: Database, project: Path) -> Start | None:
    """What the command line asks for; None: `--continue`, and this project has no session yet.

    Args:
        request: what was asked for.
        database: caught up.
        project: the project's folder.

    Raises:
        NodeNotFound, AmbiguousNode: no session, or more than one, has an id that begins so.
        NoMessage: the same of a message.
        OtherProject: the session belongs to another folder.
        DatabaseTrouble: the database can't be used.
    """
    if request.kind == "begin":
        return Begin()
    return await database.run(lambda connection: _resolve(connection, request, str(project)))


async def find_origin(
    start: Start, database: Database | None, words: Words, new_id: IdFactory
) -> Origin:
    """What the chain that is asked for is opened with.

    Args:
        start: where it begins.
        database: caught up; None: only a new one can be had.
        words: for results that are lost.
        new_id: ids of new nodes.

    Raises:
        NodeNotFound: there is no such node.
        DatabaseTrouble: the database can't be used.
    """
    if isinstance(start, Begin) or database is None:
        id_ = new_id()
        parent = start.parent if isinstance(start, Begin) else None
        return Origin(id_, id_, id_, parent=parent, relation="clear" if parent else None)
    return await database.run(lambda connection: _origin(connection, start, words, new_id))


def until(history: History, message: str) -> History:
    """The history up to a message, with all of its step.

    Raises:
        InvalidHistory: it isn't there.
    """
    end = history.index(message) + 1
    while end < len(history) and history[end].role == "tool":
        end += 1
    kept = history[:end]
    slot = history.recovery
    if slot is not None and all(one.id != slot.message_id for one in kept):
        slot = None
    return History(kept, slot)


def is_answered(history: History) -> bool:
    """Whether the model came to the end of its answer, or nothing was asked yet."""
    sent = [message for message in history if not message.discarded]
    if not sent or sent[-1].role == "system":
        return True
    return sent[-1].role == "assistant" and not sent[-1].calls


def _resolve(connection: Connection, request: StartRequest, project: str) -> Start | None:
    if request.kind == "continue":
        newest = newest_node(connection, project)
        return None if newest is None else Resume(newest.id)
    try:
        node = find_node(connection, request.node_prefix, project)
    except AmbiguousNode:
        raise
    except HaimaError:
        node = find_node(connection, request.node_prefix)  # says what is wrong with it
        raise OtherProject(
            "session.other_project", node=node.id[:4], project=node.project
        ) from None
    if request.kind == "resume":
        return Resume(node.id)
    if not request.message:
        return Fork(node.id)
    return Fork(*find_message(connection, node, request.message))


def _origin(
    connection: Connection, start: Resume | Fork, words: Words, new_id: IdFactory
) -> Origin:
    if isinstance(start, Fork) and start.message is not None:
        node = get_node(connection, start.node)
        if node is not None:
            start = Fork(*find_message(connection, node, start.message))
    loaded = load_node(connection, start.node, words)
    if isinstance(start, Fork):
        return _forked(connection, loaded, start.message, new_id())
    node = loaded.node
    if loaded.children or node.undone is not None:
        return _forked(connection, loaded, None, new_id())
    return Origin(
        chain=node.chain,
        node=node.id,
        ledger=loaded.ledger,
        begun=True,
        history=loaded.history,
        waiting=loaded.waiting,
        standings=loaded.standings,
        files=loaded.files,
        paused=loaded.paused,
        title=node.title,
        model=node.model,
        branch=node.branch,
        tools=node.tools,
        last_usage=_counted(loaded, loaded.history),
        last_seq=loaded.last_seq,
        skipped=loaded.skipped,
        lost=len(loaded.lost),
        way_back=loaded.way_back,
        summary=node.summary,
        summarised=automatic_summaries(connection, node.chain, AN_HOUR),
        called=title_shown(connection, node),
        work=load_work(connection, node.chain, node.id),
    )


def _forked(connection: Connection, loaded: LoadedNode, message: str | None, id_: str) -> Origin:
    """A fork; results that still wait for others of an open step stay behind with it."""
    node, history = loaded.node, loaded.history
    shared = history if message is None else until(history, message)
    last = shared[-1].id if shared else None
    spans = turn_spans(chain_nodes(connection, node.chain))
    turn = None if last is None else turn_of(connection, spans, last)
    return Origin(
        chain=node.chain,
        node=id_,
        ledger=id_,
        history=shared,
        standings={
            key: standing
            for key, standing in loaded.standings.items()
            if shared.get(key) is not None
        },
        files={key: file for key, file in loaded.files.items() if shared.get(key) is not None},
        paused=loaded.paused,
        parent=node.id,
        relation="fork",
        fork_at=last,
        fork_turn=turn,
        after=LedgerEnd(loaded.ledger, loaded.last_seq),
        called=title_shown(connection, node),
        model=node.model,
        branch=node.branch,
        tools=node.tools,
        last_usage=_counted(loaded, shared),
        skipped=loaded.skipped,
        lost=len(loaded.lost),
        summarised=automatic_summaries(connection, node.chain, AN_HOUR),
        work=load_work(connection, node.chain, id_, Unbegun(node.id, last, turn)),
    )


def _counted(loaded: LoadedNode, history: History) -> LastUsage | None:
    """The last answer's figures, where they say something of this history."""
    usage = loaded.last_usage
    return usage if usage is not None and usage.counts(history, loaded.standings) else None
