"""Reads a history back from the ledgers' rows: pure, and as tolerant as it can be."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import cast

from app.archive.assemble import assemble, close_lost, ends_step
from app.archive.nodes import (
    LayoutEntry,
    NodeStart,
    slot_from_data,
    state_from_data,
    tier_from_data,
)
from app.archive.placing import place
from app.archive.rows import Row
from app.archive.stands import Stands
from app.conversation.encoding import EncodingError, message_from_json
from app.conversation.history import History
from app.conversation.messages import Message, ToolCall
from app.conversation.offloaded import Offloaded
from app.conversation.standing import BodyRef, Standing, Tier
from app.errors import HaimaError
from app.text import Words


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What the rows of a node come to.

    Attributes:
        history: as it was after the last row; its last step may still be open.
        waiting: results that were written down before their turn came (for `Recorder`).
        skipped: rows that no longer fit, because one they build on can't be read; a node's first
            row, where not all of its messages are to be had.
        lost: calls whose result can't be read; the history holds one that says so.
        standings: how messages stand, those left out that nothing was done to.
        files: where contents are that were moved to files, by message.
        paused: the tiers that don't work by themselves.
    """

    history: History
    waiting: tuple[Message, ...] = ()
    skipped: tuple[Row, ...] = ()
    lost: tuple[ToolCall, ...] = ()
    standings: Mapping[str, Standing] = field(default_factory=dict)
    files: Mapping[str, Offloaded] = field(default_factory=dict)
    paused: frozenset[Tier] = frozenset()


def rebuild(rows: Iterable[Row], node: str, words: Words, conversation: str = "main") -> Rebuilt:
    """The history of one agent in one node, as `Recorder` wrote it.

    Results of a step come into the order of its calls. What a lost row leaves open is closed, what
    no longer fits is passed over: the outcome is a valid history always.

    Args:
        rows: of all ledgers of the chain, in any order; a node without a `node` row (of an older
            ledger) begins empty.
        node: which session.
        words: for results that are lost.
        conversation: which agent.
    """
    known = sorted(rows, key=attrgetter("seq"))
    replay = _Replay(known, words)
    for row in known:
        if row.kind == "undo" and row.data.get("parent") == node:
            replay.undone(row)
        if row.node != node or row.conversation != conversation:
            continue
        try:
            replay.take(row)
        except (HaimaError, _UnreadableError):
            replay.skipped.append(row)
    return Rebuilt(
        replay.history,
        tuple(replay.waiting.values()),
        tuple(replay.skipped),
        tuple(replay.lost),
        replay.stands.view,
        replay.stands.files,
        replay.stands.paused,
    )


class _UnreadableError(Exception):
    """The data of a row lacks what its kind needs."""


class _Replay:
    """Does what the rows say."""

    def __init__(self, chain: list[Row], words: Words) -> None:
        self.history = History()
        self.waiting: dict[str, Message] = {}
        self.skipped: list[Row] = []
        self.lost: list[ToolCall] = []
        self.stands = Stands()
        self._chain = chain
        self._words = words

    def take(self, row: Row) -> None:
        """Does what one row says; kinds that don't touch the history do nothing."""
        match row.kind:
            case "node":
                self._begin(NodeStart.from_data(row.data))
            case "message":
                self._append(_message(row.data.get("message")), _file(row))
            case "replace" | "state":
                self._replace(row)
            case "pin":
                self._pin(row.data)
            case "paused":
                self._pause(row.data)
            case "splice":
                self._splice(row.data)
            case "recovery":
                slot = slot_from_data(row.data.get("slot"))
                if slot is None and row.data.get("slot") is not None:
                    raise _UnreadableError
                self.history.set_recovery(slot)
            case _:
                pass

    def undone(self, row: Row) -> None:
        """The beginning of a child was undone: a tier may pause since."""
        tier = tier_from_data(row.data.get("paused"))
        if tier is not None:
            self.stands.pause(tier, on=True)

    def _begin(self, start: NodeStart) -> None:
        """The history a node begins with: kept messages of the chain, and its own."""
        own = {message.id: message for message in start.messages}
        found = [
            message
            for entry in start.layout
            if (message := own.get(entry.id) or self._kept(entry)) is not None
        ]
        made = assemble(found, start.recovery, self._words)
        self.history, self.waiting = made.history, {str(m.call_id): m for m in made.waiting}
        self.lost += made.lost
        there = [entry for entry in start.layout if self.history.get(entry.id) is not None]
        files = {entry.id: file for entry in there if (file := self._file_of(entry)) is not None}
        self.stands = Stands({entry.id: entry.standing for entry in there}, files, start.paused)
        if made.left_out or len(found) < len(start.layout):
            raise _UnreadableError

    def _kept(self, entry: LayoutEntry) -> Message | None:
        """A message of the chain, with the body its entry names."""
        original = next((m for m in self._originals() if m.id == entry.id), None)
        body = entry.standing.body
        if body is None or original is None:
            return original
        rows = (row for row in self._chain if (row.ledger, row.seq) == (body.ledger, body.seq))
        changed = next((m for row in rows for m in _told(row.data.get("message"))), None)
        return changed if changed is not None and changed.id == entry.id else None

    def _file_of(self, entry: LayoutEntry) -> Offloaded | None:
        """Where the content of a kept message is: told with its body, or when it came."""
        body = entry.standing.body
        found: Offloaded | None = None
        for row in self._chain:
            if (file := _file(row)) is None:
                continue
            if body is not None and (row.ledger, row.seq) == (body.ledger, body.seq):
                return file
            if row.kind == "message" and any(
                m.id == entry.id for m in _told(row.data.get("message"))
            ):
                found = file
        return found

    def _originals(self) -> Iterator[Message]:
        """All messages of the chain, each as it first came."""
        for row in self._chain:
            if row.kind == "message":
                yield from _told(row.data.get("message"))
            elif row.kind in ("node", "splice"):
                values = row.data.get("messages")
                for value in values if isinstance(values, list) else ():
                    yield from _told(value)

    def _append(self, message: Message, file: Offloaded | None) -> None:
        if ends_step(message):
            self.lost += close_lost(self.history, self.waiting, self._words)
        place(self.history, self.waiting, message)
        if file is not None:
            self.stands.change(message.id, None, "offloaded", file)

    def _replace(self, row: Row) -> None:
        """Another body, another state, or both."""
        told = row.data.get("message")
        changed = None if told is None else _message(told)
        target = str(row.data.get("id")) if changed is None else changed.id
        self.history.index(target)
        body = None
        if changed is not None:
            self.history.replace(target, changed.parts, changed.calls)
            body = BodyRef(row.ledger, row.seq)
        self.stands.change(target, body, state_from_data(row.data.get("state")), _file(row))

    def _pin(self, data: Mapping[str, object]) -> None:
        there = [key for key in _texts(data.get("ids")) if self.history.get(key) is not None]
        self.stands.pin(there, data.get("pinned") is True)

    def _pause(self, data: Mapping[str, object]) -> None:
        tier = tier_from_data(data.get("tier"))
        if tier is None:
            raise _UnreadableError
        self.stands.pause(tier, on=data.get("on") is True)

    def _splice(self, data: Mapping[str, object]) -> None:
        start, end = self._range(data)
        new = _messages(data.get("messages"))
        self.stands.forget(self.history.splice(start, end, new))

    def _range(self, data: Mapping[str, object]) -> tuple[int, int]:
        """Where the messages taken out stand now: by their ids, should the numbers have moved."""
        if "removed" in data:
            return self._removed(_texts(data["removed"]), data.get("before"))
        first, last = data.get("first"), data.get("last")
        if isinstance(first, str) and isinstance(last, str):
            return self.history.index(first), self.history.index(last) + 1
        start, end = data.get("start"), data.get("end")
        if not isinstance(start, int) or not isinstance(end, int):
            raise _UnreadableError
        return start, end

    def _removed(self, ids: list[str], before: object) -> tuple[int, int]:
        """The range of what is left of them; where nothing is, the place before the next one."""
        places = [self.history.index(key) for key in ids if self.history.get(key) is not None]
        if places:
            return places[0], places[-1] + 1
        at = len(self.history) if before is None else self.history.index(str(before))
        return at, at


def _file(row: Row) -> Offloaded | None:
    return Offloaded.from_data(row.data.get("offloaded"))


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _UnreadableError
    return cast("dict[str, object]", value)


def _message(value: object) -> Message:
    return message_from_json(_object(value))


def _told(value: object) -> Iterator[Message]:
    """The message in a value, if there is one."""
    try:
        yield _message(value)
    except (EncodingError, _UnreadableError):
        return


def _messages(value: object) -> tuple[Message, ...]:
    if not isinstance(value, list):
        raise _UnreadableError
    return tuple(map(_message, value))


def _texts(value: object) -> list[str]:
    if not isinstance(value, list):
        raise _UnreadableError
    return [text for text in value if isinstance(text, str)]
