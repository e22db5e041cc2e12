"""Messages as they go over the wire; the only place that renders parts for a model.

Pure and byte-stable: the same messages give the same dicts with keys in the same order, so the
provider's prefix cache keeps working (DESIGN 1.6). What every provider takes (PROVIDERS 1.7):

- the system message first; an assistant message with calls and no text has the content "";
- a user message without pictures is one string, else a list of parts; a result is one string, its
  pictures follow in a user message after all results of the step;
- arguments are always one JSON object, names of tools always `[A-Za-z0-9_-]{1,64}`: what a model
  made up must not make every later request fail.

Successive user messages become one, a blank line between: some templates want user and assistant
to alternate. It breaks nothing that is cached: only where a request that ended with a user message
got no answer (else the answer stands between) can another user message follow it, and then only
that last message differs. A request that was answered is always a prefix of the later ones.
"""

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby

from app.boundary import USER_TAGS, block, neutralise, tool_result, visible
from app.conversation.arguments import sendable_arguments, sendable_json
from app.conversation.history import RecoverySlot
from app.conversation.images import is_data, pictures, told
from app.conversation.messages import (
    CorrectionPart,
    ImagePart,
    MemoryPart,
    Message,
    Part,
    Reasoning,
    RestoredPart,
    SummaryPart,
    TextPart,
    ToolCall,
    WireMessage,
    WordsPart,
    WorkPart,
)

_Piece = str | WireMessage
"""A piece of a user message: a text, or a picture's address."""

_BETWEEN = "\n\n"
"""What stands between a message's own text, its blocks, and user messages sent as one."""


def to_wire(
    messages: Iterable[Message], recovery: RecoverySlot | None = None
) -> tuple[WireMessage, ...]:
    """Renders messages for the model.

    Args:
        messages: a history or a part of one; discarded messages are left out.
        recovery: the history's recovery slot, told at its message; ignored if that isn't there.
    """
    sent = (message for message in messages if not message.discarded)
    wire: list[WireMessage] = []
    given: list[_Piece] = []
    for role, group in groupby(sent, key=lambda message: message.role):
        if role == "user":
            own = (piece for message in group for piece in _pieces(message, recovery))
            wire.append(_user([*given, *own]))
            given = []
            continue
        if given:
            wire.append(_user(given))
            given = []
        for message in group:
            wire.append(_other(message, recovery))
            if role == "tool":
                given.extend(_given(message))
    if given:
        wire.append(_user(given))
    return tuple(wire)


def _other(message: Message, recovery: RecoverySlot | None) -> WireMessage:
    """A system, assistant or tool message: a dict of its own, made of what was rendered before."""
    kept = _rendered.get(id(message))
    if kept is not None and kept[0] is message:
        wire = kept[1].copy()
    else:
        wire = _result(message) if message.role == "tool" else _spoken(message)
        size = len(str(wire["content"])) + sum([len(call.arguments) for call in message.calls])
        if size <= _SHORT:
            if len(_rendered) >= _KEPT:
                _rendered.clear()
            _rendered[id(message)] = message, wire.copy()
    if message.role == "tool" and recovery is not None and recovery.message_id == message.id:
        wire["content"] = f"{wire['content']}{_BETWEEN}{block('recovery', recovery.text)}"
    return wire


_SHORT = 8_192
"""Characters of a message that is kept, arguments included: most are shorter."""

_KEPT = 2_048
"""Messages that are kept: more than a window holds."""

_rendered: dict[int, tuple[Message, WireMessage]] = {}
"""Messages never change, and each request holds those of the one before, the very same objects.

By identity: a message's hash costs as much as rendering it. The message itself is kept too, so that
no other gets its id.
"""


def _result(message: Message) -> WireMessage:
    content = tool_result(message.tool or "", message.text)
    return {"role": "tool", "tool_call_id": message.call_id, "content": content}


def _spoken(message: Message) -> WireMessage:
    """A system or assistant message."""
    wire: WireMessage = {"role": message.role, "content": visible(message.text)}
    if message.calls and not message.text.strip():
        wire["content"] = ""
    if message.reasoning is not None and message.reasoning.send:
        wire.update(_reasoning(message.reasoning))
    if message.calls:
        wire["tool_calls"] = [_call(call) for call in message.calls]
    return wire


def _reasoning(reasoning: Reasoning) -> WireMessage:
    """Reasoning under the key it came under; "" too, which some demand (PROVIDERS 1.6)."""
    wire: WireMessage = {}
    if reasoning.field != "reasoning_details":
        wire[reasoning.field] = visible(reasoning.text)
    details = sendable_json(reasoning.details)
    if details is not None:
        wire["reasoning_details"] = json.loads(details)
    return wire


def _call(call: ToolCall) -> WireMessage:
    """A call, as it was made or as it could have been made."""
    arguments = sendable_arguments(call.arguments)
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": _function_name(call.name), "arguments": arguments},
    }


@lru_cache(256)
def _function_name(name: str) -> str:
    """A name as it may be sent, perhaps invented by the model."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "unknown"


def _user(pieces: Iterable[_Piece]) -> WireMessage:
    """One user message: texts that follow each other are one."""
    content: list[WireMessage] = []
    for is_text, group in groupby(pieces, key=lambda piece: isinstance(piece, str)):
        if is_text:
            content.append({"type": "text", "text": _BETWEEN.join(map(str, group))})
        else:
            content.extend({"type": "image_url", "image_url": piece} for piece in group)
    if len(content) == 1 and "text" in content[0]:
        return {"role": "user", "content": content[0]["text"]}
    return {"role": "user", "content": content}


def _given(message: Message) -> Iterable[_Piece]:
    """The pictures of a result, each after a block that names it: they aren't the user's."""
    for part in pictures(message.parts):
        yield tool_result(message.tool or "", f"[image {told(part)}]")
        yield {"url": _address(part.url)}


def _address(url: str) -> str:
    """A picture's address; the megabytes of a data URL aren't gone through for what can't be."""
    return url if is_data(url) else visible(url)


def _pieces(message: Message, recovery: RecoverySlot | None) -> list[_Piece]:
    """A user message in pieces: its text and blocks (strings), then its pictures.

    What a summary brings stands before the words of the user, in whose message it may be.
    """
    front = message.front
    texts = [text for part in front for text in part_blocks(part)]
    # The user's own words may hold a paste: it must not pass for what we say we know.
    own = neutralise(visible(message.text), names=USER_TAGS)
    texts += [own] if own.strip() else []
    texts += [text for part in message.parts[len(front) :] for text in part_blocks(part)]
    seen: list[WireMessage] = [
        {"url": _address(part.url)} for part in message.parts if isinstance(part, ImagePart)
    ]
    if recovery is not None and recovery.message_id == message.id:
        known = block("recovery", recovery.text)
        texts = [known, *texts] if recovery.first else [*texts, known]
    return [*texts, *seen]


def part_blocks(part: Part) -> tuple[str, ...]:
    """A part of a user message in blocks, as they go out; none for its own text and pictures."""
    match part:
        case TextPart() | ImagePart():
            return ()
        case MemoryPart(text=text):
            return (block("memory", text),)
        case CorrectionPart(text=text):
            return (block("memory", text, kind="correction"),)
        case RestoredPart(ref=ref, text=text):
            return (block("restored", text, ref=ref),)
        case WorkPart(text=text):
            return (block("recovery", text, kind="change"),)
        case SummaryPart(text=text, references=references):
            return (block("summary", _BETWEEN.join(filter(None, (text, "\n".join(references))))),)
        case WordsPart(said=said):
            # A block each: what was pasted into one message must not pass for another. The same
            # tags are neutralised as where the message stood before.
            return tuple(
                block("earlier_messages", one.text, USER_TAGS, ref=one.id)
                for one in said
                if one.text.strip()
            )
