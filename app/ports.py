"""The protocols through which the core meets the outside: model, decisions, listeners, clock."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from app.conversation.messages import Message, Reasoning, WireMessage
from app.errors import HaimaError
from app.events import (
    ApprovalAnswer,
    ApprovalQuestion,
    ConflictAnswer,
    ConflictQuestion,
    Event,
)


class ModelError(HaimaError):
    """A call to the model failed for good; subclasses stand in `llm/errors.py`."""

    code = "model"


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool as the model sees it; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: dict[str, object]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request: messages as they go over the wire, and the tools on offer.

    Attributes:
        messages: as they go over the wire.
        tools: on offer.
        max_tokens: longest answer this time, in tokens; it can only be less than what is set. None:
            as it is set. A wish: where the endpoint allows less, the client asks for that.
    """

    messages: tuple[WireMessage, ...]
    tools: tuple[ToolSchema, ...] = ()
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call as the provider counted them.

    Attributes:
        prompt: tokens of the request, those from the cache included.
        cached: of these, how many came from the provider's prefix cache.
        completion: tokens of the answer, reasoning included.
        reasoning: of these, how many were reasoning.
        cost: US dollars where the provider said so.
    """

    prompt: int
    cached: int = 0
    completion: int = 0
    reasoning: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class RequestedCall:
    """A tool call of a reply. `arguments` is the model's text, perhaps not valid JSON."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class Retrying:
    """The call failed and is tried again; what was streamed of it no longer counts.

    Attributes:
        attempt: which try comes next, from 2.
        reason: one short sentence.
        wait: seconds until then.
    """

    attempt: int
    reason: str
    wait: float


@dataclass(frozen=True, slots=True)
class Reply:
    """The whole answer; always the last thing of a stream that didn't raise.

    Attributes:
        text: the answer, "" when there are only calls.
        calls: tools to run, in order; only whole ones (a truncated call never gets here).
        reasoning: with the dialect's decision whether it is sent back.
        usage: None where the provider sent none.
        truncated: the answer ended at the token limit.
        stopped: the provider's reason when it withheld the rest (`content_filter`), else "".
    """

    text: str
    calls: tuple[RequestedCall, ...] = ()
    reasoning: Reasoning | None = None
    usage: Usage | None = None
    truncated: bool = False
    stopped: str = ""


ModelChunk = TextDelta | ReasoningDelta | Retrying | Reply


class ChatModel(Protocol):
    """A chat model that streams and owns its retries; cancelling the reader hangs up."""

    @property
    def name(self) -> str:
        """The model's name, as shown in the header."""
        ...

    @property
    def base_url(self) -> str:
        """Where it is; "" for the demo."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelChunk]:
        """Streams one answer; ends with exactly one `Reply`.

        Raises:
            ModelError: for good, one sentence with what to do.
        """
        ...


async def hang_up(stream: AsyncIterator[ModelChunk]) -> None:
    """Closes the connection of a stream that isn't read to its end."""
    if close := getattr(stream, "aclose", None):
        await close()


class Decisions(Protocol):
    """Whoever can answer a question: the screen, `haima run` (by its allowance), a test."""

    async def approve(self, question: ApprovalQuestion) -> ApprovalAnswer:
        """Whether a call may run. A cancelled wait takes the question off the screen."""
        ...

    async def resolve_conflict(self, question: ConflictQuestion) -> ConflictAnswer | None:
        """Which of two facts holds; None: nobody can answer, or nobody wants to now."""
        ...


class Publish(Protocol):
    """Tells whoever listens. Never blocks, never raises."""

    def __call__(self, event: Event) -> None:
        """Publishes one event."""
        ...


class ContextWatch(Protocol):
    """Follows how full the window is, by what goes out and what the provider counts."""

    def sent(self) -> None:
        """A request with the present history goes out."""
        ...

    def answered(self, message: Message | None, usage: Usage | None) -> None:
        """That request was answered, or failed.

        Args:
            message: the answer as it joined the history, None if it didn't.
            usage: as the provider counted, None if it didn't.
        """
        ...


class Clock(Protocol):
    """Time, so that tests can set it."""

    def now(self) -> datetime:
        """The present, UTC, aware."""
        ...

    def monotonic(self) -> float:
        """Seconds that only go forward."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Waits."""
        ...


@dataclass(slots=True)
class Listeners:
    """Publishes to everyone who subscribed, in order."""

    listeners: list[Publish] = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        """Passes the event on; listeners don't raise (see `Publish`)."""
        for listener in tuple(self.listeners):
            listener(event)
