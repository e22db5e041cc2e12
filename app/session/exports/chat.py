"""The past as chat messages in wire form, one a line, for programs that take OpenAI's format.

Originals, over all summaries; the system message first. Discarded text and results without a call
are left out, a call without a result gets one that says so, and results stand in the order of their
calls: any endpoint takes the outcome.
"""

import json
from collections.abc import Callable, Iterable, Iterator

from app.conversation.messages import Message, TextPart, WireMessage
from app.conversation.past import Past, PastMessage
from app.conversation.wire import to_wire
from app.session.exports.masking import masked
from app.text import Words


def chat_lines(
    past: Iterable[Past],
    system: Message | None,
    *,
    words: Words,
    mask: Callable[[str], str],
) -> Iterator[str]:
    """One line a message, its line end included.

    Args:
        past: oldest first.
        system: `archive.lineage.system_message`.
        words: for results that are lost.
        mask: applied to every string.
    """
    for wire in _wire(past, system, words("ledger.result_lost")):
        yield json.dumps(masked(wire, mask), separators=(",", ":")) + "\n"


def _wire(past: Iterable[Past], system: Message | None, lost: str) -> Iterator[WireMessage]:
    """Wire messages, step by step: no more than one step, or run of user messages, is held."""
    held: list[Message] = []
    first = [system] if system else []
    for message in _sent(past):
        if message.role == "tool":
            if held and held[0].role == "assistant":
                held.append(message)
            continue
        if held and not (message.role == held[0].role == "user"):
            yield from to_wire([*first, *_complete(held, lost)])
            held, first = [], []
        held.append(message)
    if held:
        yield from to_wire([*first, *_complete(held, lost)])


def _sent(past: Iterable[Past]) -> Iterator[Message]:
    for item in past:
        if isinstance(item, PastMessage):
            message = item.message
            if not message.discarded and message.role != "system":
                yield message


def _complete(held: list[Message], lost: str) -> list[Message]:
    """A step with one result for each of its calls, in their order; others as they are."""
    if not held or held[0].role != "assistant":
        return held
    results: dict[str | None, Message] = {}
    for result in held[1:]:
        results.setdefault(result.call_id, result)
    return [
        held[0],
        *(
            results.get(call.id)
            or Message(call.id, "tool", (TextPart(lost),), call_id=call.id, tool=call.name)
            for call in held[0].calls
        ),
    ]
