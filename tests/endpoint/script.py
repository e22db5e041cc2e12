"""What a test lets the server do: one step for each request it gets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Body = dict[str, Any]
"""A JSON object as it came over the wire."""


class Waitable(Protocol):
    """An `asyncio.Event`, an `anyio.Event`, or whatever can be waited for."""

    async def wait(self) -> object:
        """Returns once it is set."""
        ...


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing is sent for so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Reset:
    """The connection is cut hard (RST); what the client hadn't read yet may be lost with it.

    For a sure order put a `Gate` before it, opened when the client has seen the last piece.
    """


@dataclass(frozen=True, slots=True)
class Close:
    """The connection ends (FIN) without the end of the body."""


@dataclass(frozen=True, slots=True)
class Gate:
    """Nothing is sent until the test sets the event."""

    event: Waitable


Piece = bytes | Pause | Reset | Close | Gate


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of an answer.

    Attributes:
        name: the tool.
        arguments: an object, or the text itself, which needn't be valid JSON.
        id: None: a new one, unique in this server.
    """

    name: str
    arguments: Mapping[str, object] | str = "{}"
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Tokens:
    """Usage as a provider counts it: `cached` within `prompt`, `reasoning` within `completion`."""

    prompt: int
    completion: int
    cached: int = 0
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class Say:
    """A regular answer, streamed or whole, as the request asked.

    Attributes:
        text: the answer; streamed in pieces of `chunk` characters.
        calls: tools it calls; arguments are streamed in fragments of `chunk` characters.
        reasoning: streamed before the text, under `reasoning_field`.
        usage: sent in a last chunk with `choices: []`, if the request asked for it; None: the
            provider sends none.
        finish: the finish_reason; None: `tool_calls` or `stop`, as it should be.
        chunk: characters of a piece; None: 8, and more where that made more than 40 of them.
        pause: seconds between pieces.
        hold: the stream stops after `hold_after` pieces of content until this event is set.
        hold_after: pieces of reasoning, text and arguments sent before `hold`.
    """

    text: str = ""
    calls: Sequence[Call] = ()
    reasoning: str = ""
    reasoning_field: str = "reasoning_content"
    usage: Tokens | None = None
    finish: str | None = None
    chunk: int | None = None
    pause: float = 0.0
    hold: Waitable | None = None
    hold_after: int = 1


@dataclass(frozen=True, slots=True)
class Status:
    """An answer with a status and a body: an object goes as JSON, text and bytes as they are."""

    code: int
    body: Mapping[str, object] | Sequence[object] | str | bytes = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Raw:
    """An answer byte for byte; each bytes piece is one HTTP chunk (and one TCP write).

    Attributes:
        pieces: what is done, in order. After the last one the body ends properly and the
            connection is kept, unless `Close` or `Reset` came.
        head: send `200` with `headers` first, at once; False: the pieces are all there is, and
            the connection is closed after them.
    """

    pieces: Sequence[Piece]
    head: bool = True
    code: int = 200
    headers: Mapping[str, str] = field(
        default_factory=lambda: {"content-type": "text/event-stream; charset=utf-8"}
    )


Step = Say | Status | Raw
Answer = Callable[[Body], Step]
Script = Sequence[Step | Answer] | Answer
"""A step for each request, or a function from a request's body to a step."""
