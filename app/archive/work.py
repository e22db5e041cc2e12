"""The work of a chain as one of its nodes knows it, loaded when a session opens."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Final

from app.archive.changed import changed_files
from app.archive.lineage import fork_place
from app.archive.schema import storable
from app.archive.sessions import get_node, newest_in_chain
from app.archive.titles import title_at
from app.archive.work_elsewhere import elsewhere
from app.archive.work_past import END, LATEST, PastNode, Said, past_of
from app.archive.work_tables import STATES, EntityState, Folded, fold, state_of, stored_work
from app.conversation.work import EntityKey, Progress, Touch, Work
from app.conversation.work_state import Entity, LoadedWork, Mark, joined

MOST: Final = 1_500
"""Entities that are loaded, beside changed files: older ones are hardly told (20 µs each)."""

_CHAINS: Final = 50
"""Chains that are looked at for unfinished work, the last used first."""

_CANDIDATES: Final = """
SELECT n.chain FROM nodes n
WHERE n.project = ?1 AND n.chain <> ?2
GROUP BY n.chain
HAVING (SELECT max(w.at) FROM work w WHERE w.chain = n.chain AND w.progress IS NOT NULL)
    > coalesce((SELECT max(t.at) FROM work t WHERE t.taken_from = n.chain), '')
  AND NOT EXISTS (SELECT 1 FROM nodes d WHERE d.chain = n.chain AND d.deleted IS NOT NULL)
ORDER BY max(n.used) DESC, n.chain DESC LIMIT ?3"""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """Work of another chain that isn't done.

    Attributes:
        chain: its id.
        node: where it would go on.
        title: what the user knows it by; "" for nothing.
        goal: its goal; "" where none is known.
        taken: it was itself taken up from another one: its first words say little.
        named: the title is what the user called it.
        todo: how many things are left.
        done: how many are done.
        at: when its progress was last told, ISO 8601 UTC.
    """

    chain: str
    node: str
    title: str
    goal: str
    todo: int
    done: int
    at: str
    taken: bool = False
    named: bool = False


@dataclass(frozen=True, slots=True)
class Unbegun:
    """A fork that has no row yet.

    Attributes:
        parent: the node it comes out of.
        at: the last message that it shares; None: all are.
        turn: how many turns it shares.
    """

    parent: str
    at: str | None
    turn: int | None


def load_work(
    connection: sqlite3.Connection, chain: str, node: str, fork: Unbegun | None = None
) -> LoadedWork:
    """What is known of a chain's work; its cost doesn't grow with what was said.

    Where no row of the chain tells work, an older Haima wrote it (`LoadedWork.older`).

    Args:
        connection: of the archive, caught up with the ledgers.
        chain: the chain's id.
        node: which of its nodes; unknown: only the entities are.
        fork: where the node comes from, if it isn't written down yet.

    Raises:
        sqlite3.Error: the database can't be read.
    """
    connection.execute("BEGIN")
    try:
        return _load(connection, storable(chain), storable(node), fork)
    finally:
        connection.execute("ROLLBACK")


def unfinished(connection: sqlite3.Connection, project: str, *, but: str = "") -> Unfinished | None:
    """The work of a project's chain used last among those that have something left to do.

    Deleted chains don't count, nor those whose work was taken over (`RowWriter.work`) and hasn't
    gone on since. Of a chain its newest node counts.

    Args:
        connection: of the archive.
        project: the project's folder.
        but: the chain that doesn't count: the present one.

    Raises:
        sqlite3.Error: the database can't be read.
    """
    chains = connection.execute(_CANDIDATES, (storable(project), storable(but), _CHAINS))
    for (chain,) in chains.fetchall():
        node = newest_in_chain(connection, chain)
        if node is None:
            continue
        marks = past_of(_Tables(connection, chain), node.id).marks
        told = _newest_progress(marks)
        if told is None or not told[1].todo:
            continue
        at, progress = told
        title = title_at(connection, node)
        return Unfinished(
            chain=chain,
            node=node.id,
            title=title.text,
            goal=next((m.work.goal.text for m in reversed(marks) if m.work.goal), ""),
            todo=len(progress.todo),
            done=len(progress.done),
            at=at,
            taken=_took_up(connection, chain),
            named=title.given,
        )
    return None


def merged(
    states: Iterable[EntityState],
    nodes: Mapping[str, PastNode],
    steps: Mapping[str, int],
    node: str,
) -> tuple[tuple[Entity, ...], int]:
    """The entities of all ledgers of a chain, seen from one node: what its own tells comes last.

    Args:
        states: what each ledger tells.
        nodes: of the chain, by id.
        steps: how many steps each ledger has that touched something.
        node: which.

    Returns:
        The entities, oldest touch first, and the steps in all.
    """
    own = nodes[node].ledger if node in nodes else ""
    begun: dict[str, str] = {}
    for one in nodes.values():
        begun[one.ledger] = min(begun.get(one.ledger, one.created), one.created)
    order = sorted({*begun, *steps}, key=lambda name: (name == own, begun.get(name, ""), name))
    place: dict[str, tuple[int, int]] = {}
    total = 0
    for number, ledger in enumerate(order):
        place[ledger] = (number, total)
        total += steps.get(ledger, 0)
    found: dict[EntityKey, list[EntityState]] = defaultdict(list)
    for state in states:
        found[state.entity.key].append(state)
    placed: list[tuple[tuple[int, int, int], Entity]] = []
    for several in found.values():
        if len(several) > 1:
            several.sort(key=lambda state: place[state.ledger][0])
        touches = [state for state in several if state.entity.times]
        if touches:
            last = touches[-1]
            where = (place[last.ledger][0], last.seq, last.part)
            shifted = (_later(state.entity, place[state.ledger][1]) for state in several)
            placed.append((where, reduce(joined, shifted)))
    placed.sort(key=lambda one: one[0])
    return tuple(entity for _, entity in placed), total


def _later(entity: Entity, steps: int) -> Entity:
    """The entity as if so many steps had come before those of its ledger."""
    return replace(entity, step=entity.step + steps) if steps and entity.times else entity


def newest_first(states: Iterable[EntityState]) -> list[EntityState]:
    """The states by their last touch."""
    order = sorted(states, key=lambda state: (state.entity.kind, state.entity.name))
    return sorted(order, key=lambda state: state.entity.at, reverse=True)


def changed_file(state: EntityState) -> bool:
    """Whether it is a file that was changed: such a one is always loaded."""
    return state.entity.kind == "file" and state.entity.changed is not None


def newest_keys(states: Iterable[EntityState]) -> set[EntityKey]:
    """The entities that are loaded of states that come newest first."""
    keys: set[EntityKey] = set()
    for state in states:
        keys.add(state.entity.key)
        if len(keys) == MOST:
            break
    return keys


def _load(
    connection: sqlite3.Connection, chain: str, node: str, fork: Unbegun | None
) -> LoadedWork:
    facts = _Tables(connection, chain, node, fork)
    names = connection.execute("SELECT name FROM ledgers WHERE chain = ?", (chain,)).fetchall()
    folded = {str(name): fold(connection, chain, name) for (name,) in names}
    steps = {name: one.steps for name, one in folded.items()}
    states = tuple(_states(connection, chain, folded))
    entities, total = merged(states, facts.nodes, steps, node)
    past = past_of(facts, node)
    older = not entities and not past.marks and not _has_work(connection, chain)
    others = elsewhere(states, facts, node)
    return LoadedWork(entities, past.marks, past.turns, total, older, others)


def older_work(connection: sqlite3.Connection, chain: str) -> Work:
    """What the messages of a chain tell where no row tells work: the files that were changed.

    All of them are looked through: 0.1 s for 20,000 turns.

    Args:
        connection: of the archive.
        chain: the chain's id.

    Raises:
        sqlite3.Error: the database can't be read.
    """
    changed = changed_files(connection, chain)
    return Work(touches=tuple(Touch("file", path, "edited") for path in reversed(changed)))


def _states(
    connection: sqlite3.Connection, chain: str, folded: Mapping[str, Folded]
) -> Iterator[EntityState]:
    """What the ledgers tell of the newest entities, and of every changed file."""
    known: dict[tuple[str, EntityKey], EntityState] = {}

    def read(states: Iterable[EntityState]) -> Iterator[EntityState]:
        for state in states:
            known[state.ledger, state.entity.key] = state
            yield state

    newest = connection.execute(f"{STATES} WHERE chain = ? ORDER BY at DESC, kind, name", (chain,))
    newest_keys(read(map(state_of, newest)))
    newest.close()
    waiting = {
        (name, key): state for name, one in folded.items() for key, state in one.states.items()
    }
    known |= waiting
    keys = newest_keys(newest_first(known.values()))
    changed = f"{STATES} WHERE chain = ? AND kind = 'file' AND changed IS NOT NULL"
    for state in read(map(state_of, connection.execute(changed, (chain,)))):
        keys.add(state.entity.key)
    keys |= {state.entity.key for state in waiting.values() if changed_file(state)}
    known |= waiting
    if len(folded) > 1:
        of_one = f"{STATES} WHERE chain = ? AND kind = ? AND name = ?"
        for key in keys:
            rows = connection.execute(of_one, (chain, key.kind, key.name))
            known.update(((one.ledger, key), one) for one in map(state_of, rows))
        known |= waiting
    return (state for state in known.values() if state.entity.key in keys)


def _has_work(connection: sqlite3.Connection, chain: str) -> bool:
    found = connection.execute(
        """SELECT EXISTS (SELECT 1 FROM entities WHERE chain = ?1)
        OR EXISTS (SELECT 1 FROM work WHERE chain = ?1) OR EXISTS (SELECT 1 FROM touches t
          JOIN ledgers l ON l.name = t.ledger WHERE l.chain = ?1)""",
        (chain,),
    ).fetchone()
    return bool(found[0])


def _took_up(connection: sqlite3.Connection, chain: str) -> bool:
    """Whether a chain goes on with the work of another; to leave that aside adds nothing."""
    found = connection.execute(
        """SELECT EXISTS (SELECT 1 FROM work WHERE chain = ? AND taken_from IS NOT NULL
        AND progress IS NOT NULL)""",
        (chain,),
    ).fetchone()
    return bool(found[0])


def _newest_progress(marks: Sequence[Mark]) -> tuple[str, Progress] | None:
    for mark in reversed(marks):
        if mark.work.progress is not None:
            return mark.at, mark.work.progress
    return None


class _Tables:
    """What the tables know of a chain (`work_past.Facts`)."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        chain: str,
        node: str = "",
        fork: Unbegun | None = None,
    ) -> None:
        self._connection = connection
        self._chain = chain
        self._node = node
        self._fork = fork

    @cached_property
    def nodes(self) -> Mapping[str, PastNode]:
        """Its nodes, by id."""
        rows = self._connection.execute(
            """SELECT id, parent, relation, ledger, seq, created, fork_at, fork_turn, turns,
              undone IS NOT NULL FROM nodes WHERE chain = ?""",
            (self._chain,),
        )
        known = {row[0]: PastNode(*row) for row in rows}
        fork, node = self._fork, self._node
        if fork is not None and node not in known:
            known[node] = PastNode(
                id=node,
                parent=storable(fork.parent),
                relation="fork",
                ledger=node,
                seq=1,
                created=LATEST,
                fork_at=fork.at and storable(fork.at),
                fork_turn=fork.turn,
                turns=0,
                undone=False,
            )
        return known

    def fork_end(self, fork: PastNode, parent: PastNode) -> tuple[str, int]:
        """Where a fork was made, and the next message there."""
        connection = self._connection
        record, above = get_node(connection, fork.id), get_node(connection, parent.id)
        if record is None and above is not None:
            record = replace(above, id=fork.id, fork_at=fork.fork_at, created=fork.created)
        if record is None or above is None:
            return parent.id, END
        owner, place = fork_place(connection, record, above)
        (seq,) = connection.execute(
            "SELECT min(seq) FROM messages WHERE node = ? AND (seq, part) >= (?, ?)",
            (owner.id, *place),
        ).fetchone()
        return owner.id, END if seq is None else int(seq)

    def said(self, node: str, end: int, until: str) -> Iterator[Said]:
        """What its rows say but for progress."""
        rows = self._connection.execute(
            """SELECT seq, at, said FROM work
            WHERE node = ? AND seq < ? AND at <= ? AND said IS NOT NULL ORDER BY seq""",
            (node, end, until),
        )
        for seq, at, said in rows:
            yield Said(seq, at, stored_work(said))

    def progress(self, node: str, end: int, until: str) -> Said | None:
        """The last progress they tell."""
        row = self._connection.execute(
            """SELECT seq, at, progress FROM work
            WHERE node = ? AND seq < ? AND at <= ? AND progress IS NOT NULL
            ORDER BY seq DESC LIMIT 1""",
            (node, end, until),
        ).fetchone()
        return None if row is None else Said(row[0], row[1], stored_work(row[2]))

    def when(self, node: str, seq: int) -> str:
        """When the messages of a row were written."""
        row = self._connection.execute(
            "SELECT min(at) FROM messages WHERE node = ? AND seq = ?", (node, seq)
        ).fetchone()
        return str(row[0] or "")
