"""Reads a history back from the ledger's rows: pure, and as tolerant as it can be."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import cast

from app.archive.placing import place
from app.archive.rows import Row
from app.conversation.encoding import message_from_json
from app.conversation.history import History, RecoverySlot
from app.conversation.messages import Message, TextPart, ToolCall
from app.errors import HaimaError
from app.text import Words


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What the rows of a node come to.

    Attributes:
        history: as it was after the last row; its last step may still be open.
        waiting: results that were written down before their turn came (for `Recorder`).
        skipped: rows that no longer fit, because one they build on can't be read.
        lost: calls whose result can't be read; the history holds one that says so.
    """

    history: History
    waiting: tuple[Message, ...] = ()
    skipped: tuple[Row, ...] = ()
    lost: tuple[ToolCall, ...] = ()


def rebuild(rows: Iterable[Row], node: str, words: Words, conversation: str = "main") -> Rebuilt:
    """The history of one agent in one node, as `Recorder` wrote it.

    Results of a step come into the order of its calls. What a lost row leaves open is closed, what
    no longer fits is passed over: the outcome is a valid history always.

    Args:
        rows: of the chain's ledger, in any order; those of others are passed over.
        node: which session.
        words: for results that are lost.
        conversation: which agent.
    """
    replay = _Replay(words)
    mine = (row for row in rows if row.node == node and row.conversation == conversation)
    for row in sorted(mine, key=attrgetter("seq")):
        try:
            replay.take(row)
        except (HaimaError, _UnreadableError):
            replay.skipped.append(row)
    return Rebuilt(
        replay.history,
        tuple(replay.waiting.values()),
        tuple(replay.skipped),
        tuple(replay.lost),
    )


class _UnreadableError(Exception):
    """The data of a row lacks what its kind needs."""


class _Replay:
    """Does what the rows say."""

    def __init__(self, words: Words) -> None:
        self.history = History()
        self.waiting: dict[str, Message] = {}
        self.skipped: list[Row] = []
        self.lost: list[ToolCall] = []
        self._words = words

    def take(self, row: Row) -> None:
        """Does what one row says; kinds that don't touch the history do nothing."""
        match row.kind:
            case "message":
                self._append(_message(row.data.get("message")))
            case "replace":
                changed = _message(row.data.get("message"))
                self.history.replace(changed.id, changed.parts)
            case "splice":
                start, end = self._range(row.data)
                self.history.splice(start, end, _messages(row.data.get("messages")))
            case "recovery":
                self.history.set_recovery(_slot(row.data.get("slot")))
            case _:
                pass

    def _append(self, message: Message) -> None:
        if message.role != "tool" and not message.discarded:
            self._close_step()
        place(self.history, self.waiting, message)

    def _close_step(self) -> None:
        """Answers calls whose result is lost: there was one, for something else followed."""
        while self.history.open_calls:
            call = self.history.open_calls[0]
            made_id = hashlib.sha256(call.id.encode("utf-8", "surrogatepass")).hexdigest()[:12]
            body = (TextPart(self._words("ledger.result_lost")),)
            result = Message(made_id, "tool", body, call_id=call.id, tool=call.name)
            place(self.history, self.waiting, result)
            self.lost.append(call)

    def _range(self, data: Mapping[str, object]) -> tuple[int, int]:
        """Where the messages taken out stand now: by their ids, should the numbers have moved."""
        first, last = data.get("first"), data.get("last")
        if isinstance(first, str) and isinstance(last, str):
            return self.history.index(first), self.history.index(last) + 1
        start, end = data.get("start"), data.get("end")
        if not isinstance(start, int) or not isinstance(end, int):
            raise _UnreadableError
        return start, end


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _UnreadableError
    return cast("dict[str, object]", value)


def _message(value: object) -> Message:
    return message_from_json(_object(value))


def _messages(value: object) -> tuple[Message, ...]:
    if not isinstance(value, list):
        raise _UnreadableError
    return tuple(map(_message, value))


def _slot(value: object) -> RecoverySlot | None:
    if value is None:
        return None
    slot = _object(value)
    return RecoverySlot(str(slot.get("message")), str(slot.get("text")), slot.get("first") is True)
