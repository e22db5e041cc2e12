"""What messages say on the wire: what a name must not stand in, to be told once more."""

from collections.abc import Iterable

from app.conversation.messages import Message, WireMessage
from app.conversation.wire import to_wire


def sent_texts(messages: Iterable[Message]) -> Iterable[str]:
    """Contents and arguments of messages as they go out; no pictures, no recovery block."""
    for wire in to_wire(messages):
        yield from _texts(wire)


def _texts(wire: WireMessage) -> Iterable[str]:
    for key, value in wire.items():
        if key == "tool_calls" and isinstance(value, list):
            for call in value:
                yield f"{call['function']['name']} {call['function']['arguments']}"
        elif key not in {"role", "tool_call_id", "reasoning_details"}:
            pieces = value if isinstance(value, list) else [{"text": value}]
            yield from (str(piece["text"]) for piece in pieces if "text" in piece)
