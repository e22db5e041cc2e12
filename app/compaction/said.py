"""The user's own messages of a history, also those that a summary stands for."""

from collections.abc import Iterable

from app.conversation.messages import Message, Said, WordsPart, is_injected
from app.memory.small_talk import asks_nothing


def said_in(messages: Iterable[Message]) -> tuple[Said, ...]:
    """What the user said, each message once, oldest first.

    Text is "" where the words left the context before (they stand in the goal, or had no room):
    whoever has the originals fills it in, by the id. Messages that are only a picture say nothing.

    Args:
        messages: a history or a part of one.
    """
    found: dict[str, str] = {}
    for message in messages:
        if message.role != "user":
            continue
        for part in message.parts:
            if isinstance(part, WordsPart):
                for one in part.said:
                    found[one.id] = found.get(one.id) or one.text
        if is_injected(message) or not message.text.strip():
            continue
        key = said_id(message)
        found[key] = found.get(key) or message.text
    return tuple(Said(key, text) for key, text in found.items())


def said_id(message: Message) -> str:
    """The id under which the user first said what stands in a message."""
    summary = message.summary
    return message.id if summary is None or summary.request is None else summary.request


def goal_of(said: Iterable[Said]) -> Said | None:
    """What the user asked for first; a greeting asks for nothing, a text that left may."""
    return next((one for one in said if not one.text or not asks_nothing(one.text)), None)
