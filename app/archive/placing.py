"""Where results of parallel calls go: they come in any order and stand in that of the calls."""

from app.conversation.history import History
from app.conversation.messages import Message


def waits(history: History, message: Message) -> bool:
    """Whether it is the result of an open call whose turn hasn't come."""
    return message.role == "tool" and any(
        call.id == message.call_id for call in history.open_calls[1:]
    )


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
