"""Puts one answer together from the chunks of a stream. Pure: no network, no clock.

Decides what the end of a stream means (PROVIDERS 0, 1.4, 1.8): whether the answer calls tools is
told by the calls, never by `finish_reason`; a call that isn't whole never leaves here.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from app.boundary import joined, visible
from app.llm.calls import CallAssembler
from app.llm.dialects import Dialect
from app.llm.errors import (
    BrokenStream,
    CallError,
    ContentFiltered,
    ContextOverflow,
    EmptyReply,
    LeakedCall,
    NoRoomToAnswer,
    RunsAway,
    TruncatedCall,
)
from app.llm.leaks import Thoughts, leaked_call
from app.llm.reasoning import ReasoningDetails, reasoning_of
from app.llm.runaway import Repetition
from app.llm.usage import read_usage
from app.ports import ReasoningDelta, Reply, RequestedCall, TextDelta, Usage

_FAILED = frozenset({"error", "network_error"})
"""The provider gave up (OpenRouter, GLM): worth another try."""
_WITHHELD = frozenset({"content_filter", "sensitive"})
_AT_LIMIT = frozenset({"length", "max_tokens"})
_OVER_WINDOW = "model_context_window_exceeded"
"""GLM says so instead of an error (PROVIDERS 1.3)."""

_LONE = re.compile("[\ud800-\udfff]")


class Surrogates:
    """Joins halves of a character that came in two deltas; a half without its other is shown."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """The text, less a first half at its end that may still find its other."""
        text, self._held = self._held + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        return whole_characters(text)

    def finish(self) -> str:
        """What was held back, as a visible escape."""
        held, self._held = self._held, ""
        return visible(held)


def whole_characters(text: str) -> str:
    """Surrogate pairs as characters, lone halves as visible escapes."""
    return _LONE.sub(lambda match: visible(match[0]), joined(text))


class Assembler:
    """One answer while it streams.

    Attributes:
        begun: something of an answer came: reasoning, text or a call.
    """

    def __init__(
        self, dialect: Dialect, *, in_tool_turn: bool = False, tools: Sequence[str] = ()
    ) -> None:
        """Nothing came yet.

        Args:
            dialect: decides what becomes of the reasoning.
            in_tool_turn: a tool result stands after the last user message.
            tools: the names on offer.
        """
        self._dialect = dialect
        self._in_tool_turn = in_tool_turn
        self._tools = tools
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._field = ""
        self._details = ReasoningDetails()
        self._calls = CallAssembler()
        self._text_halves = Surrogates()
        self._reasoning_halves = Surrogates()
        self._thoughts = Thoughts()
        self._repeats = Repetition(), Repetition()
        self._usage: Usage | None = None
        self._finish = ""
        self.begun = False

    @property
    def finished(self) -> bool:
        """Whether the provider said that the answer is over; what follows is usage at most."""
        return bool(self._finish)

    @property
    def has_usage(self) -> bool:
        """Whether token counts came."""
        return self._usage is not None

    def feed(self, chunk: Mapping[str, object]) -> Iterator[TextDelta | ReasoningDelta]:
        """Takes one chunk, or a whole answer of a server that doesn't stream.

        Raises:
            RunsAway: the same lines came again and again.
        """
        self._usage = read_usage(chunk) or self._usage
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
            return
        choice = choices[0]
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, Mapping):
            yield from self._feed_delta(delta)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason and not self._finish:
            self._finish = reason

    def _feed_delta(self, delta: Mapping[str, object]) -> Iterator[TextDelta | ReasoningDelta]:
        self._details.feed(delta)
        field, thought = reasoning_of(delta)
        if thought:
            self._field = self._field or field
            if thought.strip():
                self._thoughts.skip()
            yield from self._think(self._reasoning_halves.feed(thought))
        # A refusal is what the model says, in a field of its own.
        if said := _text_of(delta.get("content")) or _text_of(delta.get("refusal")):
            yield from self._say(self._text_halves.feed(said))
        self._calls.feed(delta)
        self.begun = self.begun or bool(thought or said) or self._calls.any

    def _think(self, piece: str) -> Iterator[ReasoningDelta]:
        if piece:
            self._reasoning.append(piece)
            yield ReasoningDelta(piece)
            if self._repeats[0].feed(piece):
                raise RunsAway()

    def _say(self, piece: str) -> Iterator[TextDelta | ReasoningDelta]:
        yield from self._sort(self._thoughts.feed(piece) if piece else ())

    def _sort(self, pieces: Iterable[tuple[bool, str]]) -> Iterator[TextDelta | ReasoningDelta]:
        for thought, piece in pieces:
            if thought:
                yield from self._think(piece)
                continue
            self._text.append(piece)
            yield TextDelta(piece)
            if self._repeats[1].feed(piece):
                raise RunsAway()

    def rest(self) -> Iterator[TextDelta | ReasoningDelta]:
        """What was held back in case its other half came; before `finish`."""
        yield from self._think(self._reasoning_halves.finish())
        yield from self._say(self._text_halves.finish())
        yield from self._sort(self._thoughts.finish())

    def broken(self) -> CallError:
        """The error for a stream that ended before its answer did."""
        if self._calls.any:
            return TruncatedCall()
        return BrokenStream() if self.begun or self._finish else EmptyReply()

    def finish(self) -> Reply:
        """The whole answer.

        Raises:
            BrokenStream: no `finish_reason` came, or one that says the provider failed.
            EmptyReply: neither text nor calls came.
            TruncatedCall: a call isn't whole, or stands in the text.
            ContextOverflow: the provider says that the window is full.
            ContentFiltered: it withheld everything, or may have withheld calls.
            NoRoomToAnswer: the token limit came before the answer.
        """
        if not self._finish or self._finish in _FAILED:
            raise self.broken()
        if self._finish == _OVER_WINDOW:
            raise ContextOverflow()
        text = "".join(self._text)
        at_limit = self._finish in _AT_LIMIT
        withheld = self._finish in _WITHHELD
        if withheld and (self._calls.any or not text.strip()):
            raise ContentFiltered(detail=self._finish)
        if self._calls.cut(at_limit=at_limit):
            raise TruncatedCall()
        calls = tuple(
            RequestedCall(call.name, whole_characters(call.arguments))
            for call in self._calls.finish()
        )
        if not calls and not text.strip():
            raise NoRoomToAnswer() if at_limit else EmptyReply()
        if not calls and leaked_call(text, self._tools):
            raise LeakedCall()
        return Reply(
            text=text,
            calls=calls,
            reasoning=self._dialect.reasoning(
                text="".join(self._reasoning),
                field=self._field,
                details=self._details.text,
                has_calls=bool(calls),
                in_tool_turn=self._in_tool_turn,
            ),
            usage=self._usage,
            truncated=at_limit,
            stopped=self._finish if withheld else "",
        )


def _text_of(content: object) -> str:
    """A delta's text, which a few send as a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, Mapping))
        return "".join(part for part in parts if isinstance(part, str))
    return ""
