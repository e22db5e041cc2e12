"""What messages come to, by kind, as they go over the wire.

A message is rendered once by `to_wire` (tags, neutralised text, arguments and names as they are
sent, reasoning that is sent back) and its characters are counted by class. The counts are kept, not
the tokens: with another model's coefficients nothing is counted again.
"""

import dataclasses
from dataclasses import dataclass
from typing import Literal, get_args

from app.boundary import block
from app.conversation.classes import NOTHING, Coefficients, Counts, count_classes
from app.conversation.history import RecoverySlot
from app.conversation.images import image_tokens, pictures
from app.conversation.messages import (
    CorrectionPart,
    MemoryPart,
    Message,
    Part,
    RestoredPart,
    SummaryPart,
    TextPart,
    WireMessage,
    WordsPart,
    WorkPart,
    is_injected,
)
from app.conversation.wire import to_wire

PER_MESSAGE = 5
"""Tokens around a message: role and separators of the template (PROVIDERS 2.3)."""

PER_CALL = 8
"""Tokens around a tool call besides name and arguments, its id included (PROVIDERS 2.3)."""

Kind = Literal[
    "prompt",
    "tools",
    "documents",
    "memory",
    "summary",
    "user",
    "answers",
    "calls",
    "pointers",
    "results",
]
"""What a request is made of, in the order of STYLE 14 (`/context`): the system prompt, the tools,
project documents, recalled memory, summary and recovery, the user's messages, answers with the
reasoning that goes back, tool calls, pointers in the place of results, results."""

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Load:
    """A number of things of one kind.

    Attributes:
        kind: what they are.
        counts: their characters by class.
        fixed: tokens that don't depend on characters.
        items: how many.
    """

    kind: Kind
    counts: Counts = NOTHING
    fixed: int = 0
    items: int = 1

    def tokens(self, coefficients: Coefficients) -> float:
        """The estimate."""
        return self.fixed + self.counts.tokens(coefficients)


def message_loads(message: Message) -> tuple[Load, ...]:
    """What a message comes to; nothing for a discarded one, which is never sent.

    The first part of a system message is the prompt, each further one a document. Recalled facts
    and corrections are memory; what was brought back counts with summary and recovery, as do the
    user's earlier words beside a summary.
    """
    if message.discarded:
        return ()
    match message.role:
        case "system":
            prompt, *documents = message.parts or (TextPart(""),)
            loads = [Load("prompt", _rendered(message, prompt), PER_MESSAGE)]
            if documents:
                counts = _rendered(message, *documents)
                loads.append(Load("documents", counts, items=len(documents)))
            return tuple(loads)
        case "user":
            return _user_loads(message)
        case "assistant":
            return _assistant_loads(message)
        case "tool":
            around = PER_MESSAGE + _images(message)
            return (Load("results", _rendered(message, *_only(message, TextPart)), around),)


def recovery_load(slot: RecoverySlot) -> Load:
    """What the recovery slot adds to its message."""
    return Load("summary", count_classes(block("recovery", slot.text)))


def tools_load(tools_text: str, tools: int) -> Load:
    """What the tools on offer come to.

    Args:
        tools_text: their schemas as the JSON that is sent; "" for none.
        tools: how many they are.
    """
    return Load("tools", count_classes(tools_text), items=tools)


def _user_loads(message: Message) -> tuple[Load, ...]:
    around = PER_MESSAGE + _images(message)
    brought = _only(message, RestoredPart, SummaryPart, WordsPart, WorkPart)
    memory = _only(message, MemoryPart, CorrectionPart)
    if is_injected(message):
        rest = tuple(part for part in message.parts if part not in memory)
        loads, brought = [Load("summary", _rendered(message, *rest), around, len(brought))], ()
    else:
        loads = [Load("user", _rendered(message, *_only(message, TextPart)), around)]
    if memory:
        loads.append(Load("memory", _rendered(message, *memory), items=len(memory)))
    if brought:
        loads.append(Load("summary", _rendered(message, *brought), items=len(brought)))
    return tuple(loads)


def _assistant_loads(message: Message) -> tuple[Load, ...]:
    wire = to_wire((message,))[0]
    calls = wire.pop("tool_calls", None)
    details = wire.pop("reasoning_details", None)
    counts = _counted(wire)
    if details is not None and message.reasoning is not None:
        # The structure quotes the text; what is encrypted in it stands for about as much.
        counts = counts.plus(count_classes(message.reasoning.text or message.reasoning.details))
    loads = []
    if counts != NOTHING or calls is None:
        loads.append(Load("answers", counts, PER_MESSAGE))
    if isinstance(calls, list):
        made = NOTHING
        for call in calls:
            function = call["function"]
            made = made.plus(count_classes(f"{function['name']} {function['arguments']}"))
        around = 0 if loads else PER_MESSAGE
        loads.append(Load("calls", made, around + PER_CALL * len(calls), len(calls)))
    return tuple(loads)


def _only(message: Message, *types: type[Part]) -> tuple[Part, ...]:
    return tuple(part for part in message.parts if isinstance(part, types))


def _rendered(message: Message, *parts: Part) -> Counts:
    """The text of these parts of a message as they are sent; pictures are counted apart."""
    shown = message if parts == message.parts else dataclasses.replace(message, parts=parts)
    return _counted(to_wire((shown,))[0])


def _images(message: Message) -> int:
    """Tokens of a message's pictures; those of a result go out in a message of their own."""
    shown = pictures(message.parts)
    around = PER_MESSAGE if shown and message.role == "tool" else 0
    return around + sum(map(image_tokens, shown))


def _counted(wire: WireMessage) -> Counts:
    """The text of a message on the wire."""
    total = NOTHING
    for key, value in wire.items():
        if key in {"role", "tool_call_id"}:
            continue
        if isinstance(value, str):
            total = total.plus(count_classes(value))
        elif isinstance(value, list):
            texts = [piece["text"] for piece in value if piece.get("type") == "text"]
            total = total.plus(count_classes("\n\n".join(texts)))
    return total
