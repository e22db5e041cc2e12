"""Puts kept messages together to a history that is valid, whatever of them is lost."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from app.archive.placing import place
from app.conversation.history import History, InvalidHistory, RecoverySlot
from app.conversation.messages import Message, TextPart, ToolCall
from app.text import Words


@dataclass(frozen=True, slots=True)
class Assembled:
    """What messages come to.

    Attributes:
        history: its last step may be open.
        waiting: results whose turn hasn't come (for `Recorder`).
        lost: calls whose result can't be had; the history holds one that says so.
        left_out: messages that don't fit, because one before them is lost.
    """

    history: History
    waiting: tuple[Message, ...] = ()
    lost: tuple[ToolCall, ...] = ()
    left_out: tuple[Message, ...] = ()


def assemble(messages: Iterable[Message], recovery: RecoverySlot | None, words: Words) -> Assembled:
    """A history of messages, results in the order of their calls.

    Args:
        messages: in order; the results of a step in any order after it.
        recovery: the slot; none where its message isn't there.
        words: for results that are lost.
    """
    history = History()
    waiting: dict[str, Message] = {}
    lost: list[ToolCall] = []
    left_out: list[Message] = []
    for message in messages:
        try:
            if ends_step(message):
                lost += close_lost(history, waiting, words)
            place(history, waiting, message)
        except InvalidHistory:
            left_out.append(message)
    try:
        history.set_recovery(recovery)
    except InvalidHistory:
        history.set_recovery(None)
    return Assembled(history, tuple(waiting.values()), tuple(lost), tuple(left_out))


def ends_step(message: Message) -> bool:
    """Whether all calls before it were answered when it was written."""
    return message.role != "tool" and not message.discarded


def close_lost(history: History, waiting: dict[str, Message], words: Words) -> tuple[ToolCall, ...]:
    """Answers the open calls that have no result by one that says it can't be read.

    Its id is made of the call's, so it is the same at each reading.

    Returns:
        The calls.
    """
    lost: list[ToolCall] = []
    while history.open_calls:
        call = history.open_calls[0]
        made_id = hashlib.sha256(call.id.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        body = (TextPart(words("ledger.result_lost")),)
        result = Message(made_id, "tool", body, call_id=call.id, tool=call.name)
        place(history, waiting, result)
        lost.append(call)
    return tuple(lost)
