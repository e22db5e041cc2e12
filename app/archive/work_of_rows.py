"""The work of a chain as its ledgers alone tell it: what the tables are held against."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from app.archive.nodes import NodeStart
from app.archive.rows import Row
from app.archive.work import (
    changed_file,
    merged,
    newest_first,
    newest_keys,
)
from app.archive.work_elsewhere import elsewhere
from app.archive.work_past import END, PastNode, Said, past_of
from app.archive.work_tables import EntityState, forget, storable_touch
from app.conversation.work import EntityKey, Work
from app.conversation.work_state import LoadedWork, touched

Place = tuple[int, int]
"""Where a message stands in its node: the row's number, the index within the row."""


def work_in(read: Callable[[], Iterable[Row]], node: str) -> LoadedWork:
    """The same as `work.load_work`, but for rows that build on lost ones: those count here.

    Args:
        read: gives the rows of all ledgers of the chain, each ledger's in order.
        node: which of the chain's nodes.

    Raises:
        HaimaError: of `read`.
    """
    facts = _Rows()
    for row in read():
        facts.take(row)
    steps = {name: ledger.steps for name, ledger in facts.ledgers.items()}
    states = tuple(facts.states())
    entities, total = merged(states, facts.nodes, steps, node)
    past = past_of(facts, node)
    older = not facts.has_work
    others = elsewhere(states, facts, node)
    return LoadedWork(entities, past.marks, past.turns, total, older, others)


@dataclass(slots=True)
class _Ledger:
    """What one ledger came to by now."""

    seq: int = 0
    steps: int = 0
    stepped: int = 0
    states: dict[EntityKey, EntityState] = field(default_factory=dict)


@dataclass(slots=True)
class _Node:
    """What was said in a node: each message's place, who said it, and when, in order."""

    places: list[Place] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    asked: int = 0
    said: list[Said] = field(default_factory=list)


class _Rows:
    """What rows tell of a chain (`work_past.Facts`)."""

    def __init__(self) -> None:
        self.nodes: dict[str, PastNode] = {}
        self.ledgers: dict[str, _Ledger] = defaultdict(_Ledger)
        self.has_work = False
        self._told: dict[str, _Node] = defaultdict(_Node)
        self._where: dict[str, tuple[str, Place]] = {}

    def take(self, row: Row) -> None:
        """Takes in a row."""
        ledger = self.ledgers[row.ledger]
        if row.seq <= ledger.seq and not (row.kind == "message" and _id(row) not in self._where):
            return
        ledger.seq = max(ledger.seq, row.seq)
        if row.kind == "node":
            self._begin(row)
            return
        if row.node and row.node not in self.nodes:
            self.nodes[row.node] = _plain(row)
        node = self.nodes.get(row.node)
        if node is None or node.ledger != row.ledger:
            return
        match row.kind:
            case "message":
                self._message(row, node)
            case "work":
                self._work(row)
            case "splice":
                values = row.data.get("messages")
                for part, value in enumerate(values if isinstance(values, list) else ()):
                    self._say(row, part, value)
            case "undo" if not node.undone and node.parent == row.data.get("parent"):
                self.nodes[row.node] = replace(node, undone=True)
            case _:
                pass

    def states(self) -> Iterator[EntityState]:
        """What the ledgers tell of the newest entities, and of every changed file."""
        every = [state for one in self.ledgers.values() for state in one.states.values()]
        keys = newest_keys(newest_first(every))
        keys |= {state.entity.key for state in every if changed_file(state)}
        return (state for state in every if state.entity.key in keys)

    def fork_end(self, fork: PastNode, parent: PastNode) -> tuple[str, int]:
        """Where a fork was made, and the next message there."""
        owner: PastNode | None = parent
        found = self._where.get(fork.fork_at or "")
        seen = {fork.id}
        while found and owner is not None and owner.id not in seen:
            if owner.id == found[0]:
                return owner.id, self._next(owner.id, found[1])
            seen.add(owner.id)
            owner = self.nodes.get(owner.parent or "")
        told = self._told[parent.id]
        shared = [
            place for place, at in zip(told.places, told.times, strict=True) if at <= fork.created
        ]
        place = (max(shared)[0] + 1, 0) if shared else (1, 0)
        return parent.id, self._at(told, bisect_left(told.places, place))

    def said(self, node: str, end: int, until: str) -> Iterator[Said]:
        """What its rows say but for progress."""
        for one in self._before(node, end, until):
            if work := replace(one.work, progress=None):
                yield replace(one, work=work)

    def progress(self, node: str, end: int, until: str) -> Said | None:
        """The last progress they tell."""
        told = [one for one in self._before(node, end, until) if one.work.progress is not None]
        last = max(told, key=lambda one: one.seq, default=None)
        return last and replace(last, work=Work(progress=last.work.progress))

    def when(self, node: str, seq: int) -> str:
        """When the messages of a row were written."""
        told = self._told.get(node, _Node())
        places = zip(told.places, told.times, strict=True)
        return min((at for place, at in places if place[0] == seq), default="")

    def _before(self, node: str, end: int, until: str) -> Iterator[Said]:
        told = self._told[node].said if node in self._told else []
        return (one for one in told if one.seq < end and one.at <= until)

    def _begin(self, row: Row) -> None:
        if not row.node or row.node in self.nodes:
            return
        start = NodeStart.from_data(row.data)
        self.nodes[row.node] = replace(
            _plain(row),
            parent=start.parent,
            relation=start.relation,
            fork_at=start.fork_at,
            fork_turn=start.fork_turn,
        )
        values = row.data.get("messages")
        for part, value in enumerate(values if isinstance(values, list) else ()):
            self._say(row, part, value)

    def _message(self, row: Row, node: PastNode) -> None:
        message = row.data.get("message")
        if _id(row) in self._where or not isinstance(message, Mapping):
            return
        self._say(row, 0, message)
        if message.get("role") == "user":
            self.nodes[row.node] = replace(node, turns=node.turns + 1)
        self._work(row)

    def _say(self, row: Row, part: int, message: object) -> None:
        """Notes where a message stands."""
        if not isinstance(message, Mapping) or str(message.get("id")) in self._where:
            return
        told, place = self._told[row.node], (row.seq, part)
        self._where[str(message.get("id"))] = (row.node, place)
        index = bisect_left(told.places, place)
        told.places.insert(index, place)
        told.roles.insert(index, str(message.get("role")))
        told.times.insert(index, row.at)
        if message.get("role") == "assistant":
            told.asked = max(told.asked, row.seq)

    def _work(self, row: Row) -> None:
        """Notes what a row adds."""
        work = Work.from_data(row.data.get("work"))
        self.has_work = self.has_work or bool(row.data.get("work")) or "taken_from" in row.data
        ledger, told = self.ledgers[row.ledger], self._told[row.node]
        if work.touches and _is_result(row) and told.asked > ledger.stepped:
            ledger.steps, ledger.stepped = ledger.steps + 1, told.asked
        for part, touch in enumerate(map(storable_touch, work.touches)):
            key = EntityKey(touch.kind, touch.name)
            old = ledger.states.get(key)
            entity = touched(old.entity if old else None, touch, at=row.at, step=ledger.steps)
            ledger.states[key] = EntityState(row.ledger, row.seq, part, entity)
        for key in work.forgotten:
            old = ledger.states.get(key)
            entity = forget(old.entity if old else None, key)
            ledger.states[key] = EntityState(
                row.ledger, old.seq if old else 0, old.part if old else 0, entity
            )
        if said := replace(work, touches=(), forgotten=()):
            told.said.append(Said(row.seq, row.at, said))

    def _next(self, node: str, place: Place) -> int:
        """The row of the first message behind a place, and behind all results of its step."""
        told = self._told[node]
        index = bisect_left(told.places, place)
        if told.roles[index] == "tool":
            while index + 1 < len(told.roles) and told.roles[index + 1] == "tool":
                index += 1
        return self._at(told, index + 1)

    @staticmethod
    def _at(told: _Node, index: int) -> int:
        return told.places[index][0] if index < len(told.places) else END


def _plain(row: Row) -> PastNode:
    """A node that begins with a row and comes from nowhere."""
    return PastNode(row.node, None, None, row.ledger, row.seq, row.at, None, None, 0, undone=False)


def _is_result(row: Row) -> bool:
    message = row.data.get("message")
    return row.kind == "message" and isinstance(message, Mapping) and message.get("role") == "tool"


def _id(row: Row) -> str:
    message = row.data.get("message")
    return str(message.get("id")) if isinstance(message, Mapping) else ""
