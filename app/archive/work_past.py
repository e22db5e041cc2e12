"""What a node knows of the work by its own past: rules, goal and progress, and how many turns.

The past is the path from the chain's root. A child by a summary follows its parent up to where it
began, a fork up to the message it was forked at, with what the user changed by hand before the next
one. Of a node whose beginning was undone the parent keeps what was changed by hand meanwhile.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from app.conversation.work import Work
from app.conversation.work_state import Mark

END: Final = 1 << 62
"""Behind every row."""


@dataclass(frozen=True, slots=True)
class PastNode:
    """A node as far as its past needs it.

    Attributes:
        id: which.
        parent: the node it came out of; None without one.
        relation: how.
        ledger: the name of its ledger.
        seq: the number of its first row.
        created: when it began, ISO 8601 UTC.
        fork_at: the last message that a fork shares.
        fork_turn: how many turns it shares.
        turns: the user's messages in it.
        undone: its beginning was undone.
    """

    id: str
    parent: str | None
    relation: str | None
    ledger: str
    seq: int
    created: str
    fork_at: str | None
    fork_turn: int | None
    turns: int
    undone: bool


@dataclass(frozen=True, slots=True)
class Said:
    """A row that said something of the work.

    Attributes:
        seq: its number.
        at: when, ISO 8601 UTC.
        work: what it said.
    """

    seq: int
    at: str
    work: Work


class Facts(Protocol):
    """What is known of a chain: by its tables, or by its rows."""

    @property
    def nodes(self) -> Mapping[str, PastNode]:
        """Its nodes, by id."""

    def fork_end(self, fork: PastNode, parent: PastNode) -> tuple[str, int]:
        """Which node a fork was made of, and the first message of it that isn't shared."""

    def said(self, node: str, end: int, until: str) -> Iterable[Said]:
        """What a node's rows before a number, and not after a time, say but for progress."""

    def progress(self, node: str, end: int, until: str) -> Said | None:
        """The last progress they tell."""

    def when(self, node: str, seq: int) -> str:
        """When the messages of a node's row were written; "" where there are none."""


@dataclass(frozen=True, slots=True)
class Past:
    """What a node knows by its past.

    Attributes:
        marks: what was said, oldest first; of progress the newest only.
        turns: the user's messages.
    """

    marks: tuple[Mark, ...]
    turns: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """What of a node belongs to a path: rows before `end`, not after `until`."""

    node: PastNode
    end: int
    until: str


LATEST: Final = "\U0010ffff"
"""After every time."""


def past_of(facts: Facts, node: str) -> Past:
    """What a node knows; nothing where it isn't known."""
    path = path_of(facts, node)
    on_path = {stretch.node.id for stretch in path}
    undone = _undone(facts.nodes.values(), on_path)
    marks: list[Mark] = []
    newest: Said | None = None
    for stretch in path:
        ids = [stretch.node.id, *_with_children(undone, stretch.node)]
        bounds = (stretch.end, stretch.until)
        progress = [one for id_ in ids if (one := facts.progress(id_, *bounds)) is not None]
        newest = max(progress, key=lambda one: one.seq, default=newest)
        said = [one for id_ in ids for one in facts.said(id_, *bounds)]
        marks += (Mark(one.at, one.work) for one in sorted(said, key=lambda one: one.seq))
    if newest is not None:
        marks = [*marks, Mark(newest.at, newest.work)]
    return Past(tuple(marks), _turns(path))


def path_of(facts: Facts, node: str) -> list[Stretch]:
    """From the root to the node; nothing where it isn't known."""
    path: list[Stretch] = []
    seen: set[str] = set()
    one, end, until = facts.nodes.get(node), END, LATEST
    while one is not None and one.id not in seen:
        seen.add(one.id)
        path.append(Stretch(one, end, until))
        parent = facts.nodes.get(one.parent or "")
        if parent is None or one.relation in {"agent", "clear"}:
            break
        if one.relation == "fork":
            owner, end = facts.fork_end(one, parent)
            until = one.created
            one = facts.nodes.get(owner)
        else:
            end = one.seq if one.ledger == parent.ledger else END
            one, until = parent, LATEST
    return path[::-1]


def _undone(nodes: Iterable[PastNode], but: set[str]) -> dict[str, list[PastNode]]:
    """Nodes whose beginning was undone, by their parents."""
    found: dict[str, list[PastNode]] = {}
    for node in nodes:
        if node.undone and node.parent is not None and node.id not in but:
            found.setdefault(node.parent, []).append(node)
    return found


def _with_children(undone: Mapping[str, Sequence[PastNode]], node: PastNode) -> Iterator[str]:
    """Those that came out of a node, or of one of these, in its ledger."""
    left, seen = [node.id], {node.id}
    while left:
        for child in undone.get(left.pop(), ()):
            if child.id not in seen and child.ledger == node.ledger:
                seen.add(child.id)
                left.append(child.id)
                yield child.id


def _turns(path: Sequence[Stretch]) -> int:
    """The user's messages on a path, counted as `turns.turn_spans` does."""
    turns = 0
    for stretch in path:
        node = stretch.node
        shared = node.fork_turn if node.relation == "fork" else None
        turns = node.turns + (turns if shared is None else shared)
    return turns
