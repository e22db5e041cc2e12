"""The sessions of a project as a list of trees: what the Sessions screen shows (mock 05).

A chain is one conversation over all its summaries and forks; a node is one of its sessions. Nodes
come as plain records; which rows they make, folded or not, is decided here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Literal

from app.conversation.window import thresholds, window_label

Relation = Literal["summary", "fork", "agent", "clear", "expand"]
"""How a node came out of its parent."""

Group = Literal["today", "yesterday", "this_week", "last_week", "earlier"]
"""When a chain was last used."""

LEVELS = 6
"""Levels of a tree that are indented; a conversation may be summarised a hundred times."""


@dataclass(frozen=True, slots=True)
class Summarised:
    """A summary that ended a node: how many messages it stands for, and its size in tokens.

    A cut without a summary has the size of the line that stands there.
    """

    count: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionNode:
    """One session.

    Attributes:
        id: the node's.
        chain: id of the chain's root.
        parent: the node it came out of; None for a root whose chain stands by itself.
        relation: how.
        title: as given, or the first words of the user; "" where it has none of its own.
        model: whose answers are in it.
        mode: `react`, `plan`, `team`.
        turns_from: number of its first turn, counted from the chain's beginning, from 1.
        turns_to: number of its last turn; under `turns_from` where nothing was sent.
        messages: how many it has.
        tokens: of all its calls together.
        peak: of its largest request, in tokens; 0: not known.
        window: the window it was used with, in tokens; 0: not known.
        created: when, with a zone.
        used: when it was last used, with a zone.
        current: it is the one that is open here.
        live: another process has it open.
        summarised: the summary that ended it.
        fork_turn: the parent's turn a fork begins after.
        passed: a fork of it was used later, whatever the clock said.
    """

    id: str
    chain: str
    parent: str | None = None
    relation: Relation | None = None
    title: str = ""
    model: str = ""
    mode: str = "react"
    turns_from: int = 1
    turns_to: int = 0
    messages: int = 0
    tokens: int = 0
    peak: int = 0
    window: int = 0
    created: datetime
    used: datetime
    current: bool = False
    live: bool = False
    summarised: Summarised | None = None
    fork_turn: int | None = None
    passed: bool = False

    @property
    def turns(self) -> int:
        """How many turns it has."""
        return max(0, self.turns_to - self.turns_from + 1)

    @property
    def past_warn(self) -> bool:
        """Whether its largest request was past the warning's mark of its window."""
        return self.window > 0 and self.peak >= thresholds(self.window).warn

    @property
    def window_label(self) -> str:
        """Its window in few cells: `256k`."""
        return window_label(self.window)


@dataclass(frozen=True, slots=True)
class HeadRow:
    """`Today`."""

    group: Group
    gap: int


@dataclass(frozen=True, slots=True)
class ChainRow:
    """A chain: its title, and how many sessions it has; `gap` blank rows above it."""

    chain: "Chain"
    open: bool
    gap: int


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A session in its tree.

    Attributes:
        node: the session.
        chain: its chain.
        letter: what it is called within the chain.
        rails: for each indented level above it, whether a line goes on down; the last one is its
            own, which goes on where a sibling follows.
    """

    node: SessionNode
    chain: "Chain"
    letter: str
    rails: tuple[bool, ...]


Row = HeadRow | ChainRow | NodeRow


@dataclass(frozen=True, slots=True)
class Chain:
    """A conversation.

    Attributes:
        id: of its root.
        nodes: its sessions with their letters and rails, in the order of the tree.
        used: when any of them was last used.
        newest: the one that was used last; going on with the chain means this one.
    """

    id: str
    nodes: tuple[tuple[SessionNode, str, tuple[bool, ...]], ...]
    used: datetime
    newest: SessionNode

    @property
    def title(self) -> str:
        """The root's."""
        return self.nodes[0][0].title

    @property
    def current(self) -> bool:
        """Whether the open session is one of its."""
        return any(node.current for node, _, _ in self.nodes)

    def letter(self, node: str) -> str:
        """What a node is called; "" where it isn't one of these."""
        return next((letter for one, letter, _ in self.nodes if one.id == node), "")

    def child(self, parent: str, relation: Relation) -> SessionNode | None:
        """The first node that came out of one in this way."""
        return next(
            (n for n, _, _ in self.nodes if n.parent == parent and n.relation == relation), None
        )

    def titled(self, node: SessionNode) -> SessionNode:
        """The node that holds this one's title: a fork has its own, a summary the former's."""
        by_id = {one.id: one for one, _, _ in self.nodes}
        for _ in self.nodes:
            if node.relation not in {"summary", "expand"} or node.parent not in by_id:
                break
            node = by_id[node.parent]
        return node

    def title_of(self, node: SessionNode) -> str:
        """What a node is called; a fork without a title of its own is called as its parent is."""
        by_id = {one.id: one for one, _, _ in self.nodes}
        for _ in self.nodes:
            own = "" if node.relation in {"summary", "expand"} else node.title
            if own or node.parent not in by_id:
                break
            node = by_id[node.parent]
        return node.title or self.title


@dataclass(frozen=True, slots=True)
class RowsChanged:
    """At `start`, `removed` rows went and `added` came."""

    start: int
    removed: int
    added: int


class SessionsModel:
    """The rows of some nodes.

    Agents' sessions hide under the one that started them. The chain that is open here and those of
    today are unfolded.

    Args:
        nodes: in any order.
        now: the present time; its zone is the user's.

    Attributes:
        now: the same.
        chains: those used last first.
        rows: what is listed.
    """

    def __init__(self, nodes: Iterable[SessionNode], now: datetime) -> None:
        self.now = now
        by_chain: dict[str, list[SessionNode]] = {}
        for node in nodes:
            if node.relation != "agent":
                by_chain.setdefault(node.chain, []).append(node)
        chains = [_chain(id, members) for id, members in by_chain.items()]
        self.chains: tuple[Chain, ...] = tuple(
            sorted(chains, key=lambda chain: (chain.used, chain.id), reverse=True)
        )
        today = now.date()
        self._open = {
            chain.id for chain in self.chains if chain.current or self.day(chain.used) == today
        }
        self.rows: list[Row] = []
        self._list()

    def day(self, at: datetime) -> date:
        """The user's date then."""
        return self.local(at).date()

    def local(self, at: datetime) -> datetime:
        """The user's clock then."""
        return at.astimezone(self.now.tzinfo)

    def group(self, at: datetime) -> Group:
        """How long ago, by the user's calendar; weeks begin on Monday."""
        day, today = self.day(at), self.now.date()
        monday = today - timedelta(days=today.weekday())
        if day >= today:
            return "today"
        if day == today - timedelta(days=1):
            return "yesterday"
        if day >= monday:
            return "this_week"
        return "last_week" if day >= monday - timedelta(days=7) else "earlier"

    def node(self, index: int) -> SessionNode | None:
        """The session a row stands for: a chain's newest one; None for other rows."""
        row = self.rows[index] if 0 <= index < len(self.rows) else None
        match row:
            case NodeRow():
                return row.node
            case ChainRow():
                return row.chain.newest
            case _:
                return None

    def chain_at(self, index: int) -> Chain | None:
        """The chain a row belongs to."""
        row = self.rows[index] if 0 <= index < len(self.rows) else None
        return row.chain if isinstance(row, ChainRow | NodeRow) else None

    def find(self, node: str) -> int | None:
        """The row of a node, or its chain's where that is folded."""
        for index, row in enumerate(self.rows):
            if isinstance(row, NodeRow) and row.node.id == node:
                return index
            if isinstance(row, ChainRow) and not row.open and row.chain.letter(node):
                return index
        return None

    def is_open(self, chain: str) -> bool:
        """Whether a chain's sessions are listed."""
        return chain in self._open

    def keep_open(self, other: "SessionsModel") -> None:
        """Folds and unfolds what was so in an older model."""
        known = {chain.id for chain in other.chains}
        mine = {chain.id for chain in self.chains}
        self._open = {id for id in self._open if id not in known} | (other._open & mine)
        self._list()

    def fold(self, index: int, *, open: bool) -> RowsChanged | None:
        """Folds or unfolds the chain of a row; None: it is so already."""
        chain = self.chain_at(index)
        if chain is None or self.is_open(chain.id) == open:
            return None
        start = index
        while not isinstance(self.rows[start], ChainRow):
            start -= 1
        stop = start + 1 + (0 if open else len(chain.nodes))
        (self._open.add if open else self._open.discard)(chain.id)
        head = self.rows[start]
        above = self.rows[start - 1] if start else None
        fresh = self._chain_rows(chain, above)
        if stop < len(self.rows) and isinstance(below := self.rows[stop], ChainRow):
            fresh.append(replace(below, gap=_gap(fresh[-1], open=below.open)))
            stop += 1
        assert isinstance(head, ChainRow)  # noqa: S101 - the loop above ends at one
        self.rows[start:stop] = fresh
        return RowsChanged(start, stop - start, len(fresh))

    def _list(self) -> None:
        rows: list[Row] = []
        group: Group | None = None
        for chain in self.chains:
            if (now := self.group(chain.used)) != group:
                rows.append(HeadRow(now, 1 if rows else 0))
                group = now
            rows += self._chain_rows(chain, rows[-1])
        self.rows = rows

    def _chain_rows(self, chain: Chain, above: Row | None) -> list[Row]:
        open = self.is_open(chain.id)
        rows: list[Row] = [ChainRow(chain, open, _gap(above, open=open))]
        if open:
            rows += [NodeRow(node, chain, letter, rails) for node, letter, rails in chain.nodes]
        return rows


def _gap(above: Row | None, *, open: bool) -> int:
    """Blank rows above a chain: folded ones stand close together."""
    if above is None or isinstance(above, HeadRow):
        return 0
    return 1 if open or isinstance(above, NodeRow) else 0


def _chain(id: str, members: Sequence[SessionNode]) -> Chain:
    """The tree of a chain, written down from top to bottom; a node without its parent is a root."""
    ids = {node.id for node in members}
    children: dict[str, list[SessionNode]] = {}
    for node in sorted(members, key=lambda node: (node.created, node.id)):
        parent = node.parent if node.parent in ids and node.id != id else ""
        children.setdefault(parent or "", []).append(node)
    listed: list[tuple[SessionNode, str, tuple[bool, ...]]] = []
    roots = sorted(children.get("", ()), key=lambda node: node.id != id)
    stack: list[tuple[SessionNode, tuple[bool, ...]]] = [(root, ()) for root in reversed(roots)]
    while stack:
        node, rails = stack.pop()
        listed.append((node, letter(len(listed)), rails[-LEVELS:]))
        below = children.get(node.id, ())
        last = len(below) - 1
        stack += [(one, (*rails[-LEVELS:], n < last)) for n, one in reversed([*enumerate(below)])]
    seen = {node.id for node, _, _ in listed}
    for node in members:  # parents that name each other: a damaged file hides no session
        if node.id not in seen:
            listed.append((node, letter(len(listed)), ()))
    newest = max(members, key=lambda node: (not node.passed, node.used, node.created, node.id))
    return Chain(id, tuple(listed), max(node.used for node in members), newest)


def letter(number: int) -> str:
    """What the node of a number is called: A to Z, then AA, AB and so on."""
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("A") + rest) + name
    return name
