"""What a conversation is made of: frozen messages with stable ids and typed parts.

A message never changes; an operation of `History` puts another in its place. Text in parts is kept
as it came; `wire.to_wire` alone renders parts for a model and makes control characters visible.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Role = Literal["system", "user", "assistant", "tool"]

WireMessage = dict[str, object]
"""One message as a provider takes it (a JSON object)."""

IdFactory = Callable[[], str]
"""Gives a new id: 12 hex digits (random; counted in tests)."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """Plain words: the user's own, the model's answer, or the body of a tool result."""

    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A picture, as a data URL or an address (see `images`).

    Attributes:
        url: the data URL, or where it is.
        characters: length of what the user referred to, for messages about it (0: unknown).
        name: the file it came from, relative to the project's root; "" where there is none.
    """

    url: str
    characters: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class MemoryPart:
    """Facts recalled for this message; rendered as a `<memory>` block after the user's own text."""

    text: str
    facts: tuple[str, ...] = ()
    """Ids of the facts in it."""


@dataclass(frozen=True, slots=True)
class CorrectionPart:
    """Says that a fact shown earlier was replaced or deleted, or that something else changed."""

    text: str
    facts: tuple[str, ...] = ()
    """Ids of the facts it speaks of: first the one that was shown, then the one in its place."""


@dataclass(frozen=True, slots=True)
class RestoredPart:
    """The original of something that had left the context, quoted as `<restored ref>`."""

    ref: str
    text: str


@dataclass(frozen=True, slots=True)
class WorkPart:
    """What the user changed by hand of goal, rules or list; in a `<recovery kind="change">`.

    Unlike the recovery slot it stays where it is: what was sent isn't changed by a later one.
    """

    text: str


@dataclass(frozen=True, slots=True)
class SummaryPart:
    """What stands for messages that left the context; rendered as a `<summary>` block.

    What comes before it and a `WordsPart` in its message are originals that were pinned; what comes
    after them is the request of the turn that the cut fell into, as the user made it, and the facts
    that a request which waits for its answer still needs (`compaction.means.Means.recalled`).

    Attributes:
        text: the summary, or one line that says that there is none.
        references: one line each, on what left and how to ask for it; kept by code.
        generation: how many summaries were made of one another, from 1.
        request: id of the user's message whose words stand verbatim at this message's end, after a
            cut inside its turn.
    """

    text: str
    references: tuple[str, ...] = ()
    generation: int = 1
    request: str | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """What the user said in one message, word for word.

    Attributes:
        id: of the message it was said in.
        text: the words; "" where they stand elsewhere, or had no room.
    """

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class WordsPart:
    """The user's messages that left the context; rendered as `<earlier_messages>` blocks.

    Attributes:
        said: each of them, oldest first; without text where it isn't quoted here: in the goal,
            among the pins, or left out.
        left_out: ids of those that had no room; a reference stands for them.
    """

    said: tuple[Said, ...]
    left_out: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The words that are quoted."""
        return "\n\n".join(one.text for one in self.said if one.text)


Part = (
    TextPart
    | ImagePart
    | MemoryPart
    | CorrectionPart
    | RestoredPart
    | WorkPart
    | SummaryPart
    | WordsPart
)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool, as the model asked for it.

    Attributes:
        id: ours, unique in the conversation. Providers repeat theirs (PROVIDERS 1.7), so those are
            remapped when the reply is taken in.
        name: the tool's name, as the model spelt it.
        arguments: a JSON object as text. What the model sent broken is kept apart, in the result.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """The model's reasoning of one message.

    Whether it is sent back is decided once, when the message is appended, and never changes for it:
    bytes already sent stay the same (DESIGN 3.4, PROVIDERS 1.6).

    Attributes:
        text: what was streamed; may be empty where a dialect wants the field nevertheless.
        field: the key it came under, and goes back under (`reasoning_content`, `reasoning`).
        send: whether it goes back to the model.
        details: the provider's own structure as JSON text (`reasoning_details`), or "".
    """

    text: str
    field: str = "reasoning_content"
    send: bool = False
    details: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the history.

    Attributes:
        id: 12 hex digits, unique in the conversation.
        role: who speaks.
        parts: what is said, in order.
        calls: the tools an assistant message calls, in the model's order.
        call_id: which call a tool message answers.
        reasoning: an assistant message's reasoning.
        tool: the tool's name, on a tool message.
        discarded: partial text of a step that was cut and began afresh; shown, never sent.
    """

    id: str
    role: Role
    parts: tuple[Part, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None
    reasoning: Reasoning | None = None
    tool: str | None = None
    discarded: bool = False

    @property
    def text(self) -> str:
        """The text parts joined: what was said, without recalled or restored blocks."""
        if len(self.parts) == 1 and isinstance(self.parts[0], TextPart):  # nearly always
            return self.parts[0].text
        return "".join([part.text for part in self.parts if isinstance(part, TextPart)])

    @property
    def summary(self) -> SummaryPart | None:
        """The summary that this message brings."""
        return next((part for part in self.parts if isinstance(part, SummaryPart)), None)

    @property
    def front(self) -> tuple[Part, ...]:
        """The parts that a summary brought; what the user's message has itself follows them."""
        length = len(self.parts)
        while length and not isinstance(self.parts[length - 1], SummaryPart | WordsPart):
            length -= 1
        return self.parts[:length]


def is_injected(message: Message) -> bool:
    """Whether nobody said this user message: it brings a summary and no request of the user's."""
    return message.summary is not None and message.summary.request is None


def result_of(call: ToolCall, message_id: str, text: str) -> Message:
    """The result of a call.

    Args:
        call: the call.
        message_id: of the message.
        text: its body.
    """
    return Message(message_id, "tool", (TextPart(text),), call_id=call.id, tool=call.name)


def random_id() -> str:
    """A new id: 12 random hex digits (messages, nodes, chains)."""
    return secrets.token_hex(6)
