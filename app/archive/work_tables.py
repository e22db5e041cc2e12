"""What a row adds to the worklog, taken into the tables `entities` and `work`.

An entity's row is what one ledger tells of it, folded in the order of that ledger: so any way of
catching up gives the same, whichever ledger of a chain comes first. Touches wait in `touches` until
there are some rows of them; whoever reads the entities folds these up himself (`fold`).
"""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from app.archive.schema import storable
from app.archive.taking import Taking, stored_json
from app.conversation.work import EntityKey, Stamp, Touch, Work
from app.conversation.work_state import Entity, touched

_COLUMNS: Final = """action, detail, ok, file, mtime, size, at, step, times, changed, changed_at,
  failed, forgotten"""

STATES: Final = f"SELECT kind, name, ledger, seq, part, {_COLUMNS} FROM entities"  # noqa: S608 - names of ours
"""What `state_of` reads."""

_KNOWN: Final = f"""SELECT kind, name, ledger, seq, part, {_COLUMNS} FROM entities
WHERE chain = ? AND kind = ? AND name = ? AND ledger = ?"""  # noqa: S608 - names of ours

_PUT: Final = f"""INSERT OR REPLACE INTO entities (chain, kind, name, ledger, seq, part, {_COLUMNS})
VALUES ({", ".join("?" * 19)})"""  # noqa: S608

_ASKED: Final = """SELECT seq FROM messages WHERE node = ? AND role = 'assistant' AND seq < ?
ORDER BY seq DESC, part DESC LIMIT 1"""


_WAITING: Final = """SELECT t.seq, t.node, t.at, t.work, m.role IS 'tool' FROM touches t
LEFT JOIN messages m ON m.chain = ?1 AND m.id = t.message
WHERE t.ledger = ?2 ORDER BY t.rowid"""

TOGETHER: Final = 32
"""Rows that are folded up at once; with another number the tables are those of another version."""

_TOUCHING: Final = frozenset({"touches", "forgotten"})


@dataclass(frozen=True, slots=True)
class EntityState:
    """What one ledger tells of an entity.

    Attributes:
        ledger: its name.
        seq: the row of the last touch.
        part: which of that row's touches.
        entity: what it comes to; `times` is 0 where it was only forgotten here.
    """

    ledger: str
    seq: int
    part: int
    entity: Entity


def state_of(row: tuple[Any, ...]) -> EntityState:
    """A row of `STATES`."""
    kind, name, ledger, seq, part, action, detail, ok, file, mtime, size, *rest = row
    at, step, times, changed, changed_at, failed, forgotten = rest
    entity = Entity(
        kind=kind,
        name=name,
        action=action,
        detail=detail,
        ok=bool(ok),
        file=file,
        stamp=None if mtime is None else Stamp(mtime, size),
        at=at,
        step=step,
        times=times,
        changed=changed,
        changed_at=changed_at,
        failed=failed,
        forgotten=bool(forgotten),
    )
    return EntityState(ledger, seq, part, entity)


def forget(entity: Entity | None, key: EntityKey) -> Entity:
    """The entity, not told any longer; one that isn't known is kept as forgotten alone."""
    known = entity or Entity(key.kind, key.name, "named", times=0)
    return replace(known, forgotten=True)


def keep_work(
    taking: Taking, data: object, message: str = "", taken_from: str | None = None
) -> None:
    """Takes in what a row adds.

    Args:
        taking: the row.
        data: what it adds, as it stands in the row.
        message: the id of its message; "" for an edit by hand.
        taken_from: the chain that is taken over with it.
    """
    if not isinstance(data, dict) or not (data or taken_from):
        return
    row = (taking.ledger, taking.row.seq, storable(message))
    at = storable(taking.row.at)
    if touching := {key: value for key, value in data.items() if key in _TOUCHING}:
        taking.connection.execute(
            """INSERT OR REPLACE INTO touches (ledger, seq, message, node, at, work)
            VALUES (?, ?, ?, ?, ?, ?)""",
            (*row, taking.node.id, at, stored_json(touching)),
        )
        _fold_when_due(taking)
    if len(touching) == len(data) and not taken_from:
        return
    work = Work.from_data(data)
    said = replace(work, touches=(), forgotten=(), progress=None)
    progress = Work(progress=work.progress)
    if said or progress or taken_from:
        taking.connection.execute(
            """INSERT OR REPLACE INTO work
              (ledger, seq, message, chain, node, at, said, progress, taken_from)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                *row,
                taking.node.chain,
                taking.node.id,
                at,
                stored_json(said.to_data()) if said else None,
                stored_json(progress.to_data()) if progress else None,
                taken_from or None,
            ),
        )


@dataclass(frozen=True, slots=True)
class Folded:
    """What the rows of a ledger come to that aren't folded up in the tables yet.

    Attributes:
        states: of the entities they touched or forgot, all told.
        steps: the ledger's steps that touched something, all told.
        stepped: the row of the last one.
    """

    states: Mapping[EntityKey, EntityState]
    steps: int
    stepped: int


def fold(connection: sqlite3.Connection, chain: str, ledger: str) -> Folded:
    """Folds up the rows of a ledger that wait for it; changes nothing.

    A step is known by the row of its assistant message, and counts once a result of it touched
    something (`Worklog.next_step`): what the user's messages name, or change by hand, is no step.
    Agents that work side by side have theirs in turns: one that comes again counts no more.
    """
    steps, stepped = connection.execute(
        "SELECT steps, stepped FROM ledgers WHERE name = ?", (ledger,)
    ).fetchone()
    states: dict[EntityKey, EntityState] = {}

    def known(key: EntityKey) -> EntityState | None:
        if key not in states:
            row = connection.execute(_KNOWN, (chain, key.kind, key.name, ledger)).fetchone()
            return state_of(row) if row else None
        return states[key]

    waiting = connection.execute(_WAITING, (chain, ledger)).fetchall()
    for seq, node, at, told, is_result in waiting:
        work = Work.from_data(json.loads(told))
        steps_on = is_result and work.touches
        asked = connection.execute(_ASKED, (node, seq)).fetchone() if steps_on else None
        if asked is not None and asked[0] > stepped:
            steps, stepped = steps + 1, asked[0]
        for part, touch in enumerate(map(storable_touch, work.touches)):
            key = EntityKey(touch.kind, touch.name)
            old = known(key)
            entity = touched(old.entity if old else None, touch, at=at, step=steps)
            states[key] = EntityState(ledger, seq, part, entity)
        for one in work.forgotten:
            key = EntityKey(one.kind, storable(one.name))
            old = known(key) or EntityState(ledger, 0, 0, forget(None, key))
            states[key] = replace(old, entity=forget(old.entity, key))
    return Folded(states, steps, stepped)


def _fold_when_due(taking: Taking) -> None:
    """Folds up the ledger's rows, so many at once: one by one each would write as many pages."""
    connection, chain, ledger = taking.connection, taking.node.chain, taking.ledger
    (waiting,) = connection.execute(
        "SELECT count(*) FROM touches WHERE ledger = ?", (ledger,)
    ).fetchone()
    if waiting < TOGETHER:
        return
    folded = fold(connection, chain, ledger)
    connection.executemany(_PUT, [_row(chain, one) for one in folded.states.values()])
    connection.execute(
        "UPDATE ledgers SET steps = ?, stepped = ? WHERE name = ?",
        (folded.steps, folded.stepped, ledger),
    )
    connection.execute("DELETE FROM touches WHERE ledger = ?", (ledger,))


def storable_touch(touch: Touch) -> Touch:
    """The touch as it can be stored."""
    if touch.name.isascii() and touch.detail.isascii() and touch.file.isascii():
        return touch
    name, detail, file = map(storable, (touch.name, touch.detail, touch.file))
    return replace(touch, name=name, detail=detail, file=file)


def _row(chain: str, state: EntityState) -> tuple[object, ...]:
    one = state.entity
    return (
        *(chain, one.kind, one.name, state.ledger, state.seq, state.part),
        *(one.action, one.detail, one.ok, one.file),
        *((None, None) if one.stamp is None else (one.stamp.mtime, one.stamp.size)),
        *(one.at, one.step, one.times, one.changed, one.changed_at, one.failed, one.forgotten),
    )


def stored_work(column: str) -> Work:
    """What a column of `work` says."""
    return Work.from_data(json.loads(column))
