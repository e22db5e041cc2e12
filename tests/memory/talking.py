"""Short ways to make the messages of a conversation."""

import json

from app.conversation.messages import Message, TextPart, ToolCall
from app.memory.names import Name


def user(id: str, text: str) -> Message:
    return Message(id, "user", (TextPart(text),))


def step(id: str, tool: str, text: str = "", **arguments: object) -> Message:
    """An assistant message with one call, whose id is that of the message."""
    parts = (TextPart(text),) if text else ()
    return Message(id, "assistant", parts, calls=(ToolCall(id, tool, json.dumps(arguments)),))


def result(id: str, call: str, text: str, tool: str = "read_file") -> Message:
    return Message(id, "tool", (TextPart(text),), call_id=call, tool=tool)


def path(text: str) -> Name:
    return Name("path", text)


def symbol(text: str) -> Name:
    return Name("symbol", text)


def command(text: str) -> Name:
    return Name("command", text)
