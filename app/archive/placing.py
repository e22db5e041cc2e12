"""Where results of parallel calls go: they come in any order and stand in that of the calls."""

from collections.abc import Mapping

from app.conversation.history import History, InvalidHistory
from app.conversation.messages import Message, ToolCall


def waits(history: History, message: Message) -> bool:
    """Whether it is the result of an open call whose turn hasn't come."""
    return message.role == "tool" and any(
        call.id == message.call_id for call in history.open_calls[1:]
    )


def check_place(history: History, waiting: Mapping[str, Message], message: Message) -> None:
    """Raises where `place` would end in an invalid history, now or when the message's turn comes.

    Raises:
        InvalidHistory: it doesn't fit.
    """
    if message.id in {held.id for held in waiting.values()}:
        raise InvalidHistory("history.duplicate_message", id=message.id)
    if not waits(history, message):
        history.check_append(message)
        return
    if message.call_id in waiting:
        raise InvalidHistory("history.unexpected_result", id=message.id, call=message.call_id)
    if history.get(message.id) is not None:
        raise InvalidHistory("history.duplicate_message", id=message.id)
    call = ToolCall(str(message.call_id), str(message.tool), "")
    History.check((Message(f"{message.id}-asked", "assistant", calls=(call,)), message))


def place(history: History, waiting: dict[str, Message], message: Message) -> None:
    """Appends a message, or keeps it in `waiting`; then appends what no longer has to wait.

    Args:
        history: gets the message.
        waiting: results by the id of their call; changed.
        message: the message.

    Raises:
        InvalidHistory: it doesn't fit; nothing changed.
    """
    if waits(history, message):
        waiting[str(message.call_id)] = message
        return
    history.append(message)
    while history.open_calls and (held := waiting.pop(history.open_calls[0].id, None)):
        history.append(held)
