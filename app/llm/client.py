"""The one client for every OpenAI-compatible endpoint: it streams, retries and can be stopped.

openai is imported by the first request, or earlier by `warm`, never by importing this module.
"""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from pydantic import SecretStr

from app.conversation.images import Sight
from app.llm import late
from app.llm.alternation import alternating
from app.llm.answer import AnswerReader
from app.llm.assemble import Assembler
from app.llm.dialects import Dialect, MaxTokensField, dialect_for
from app.llm.errors import (
    BadRequest,
    CallError,
    HistoryRefused,
    MaxTokensRefused,
    RateLimited,
    TruncatedCall,
)
from app.llm.late import warm
from app.llm.pictures import Left, sendable
from app.llm.place import Place
from app.llm.sent_reasoning import fitting_reasoning
from app.llm.sight import Images, sight_for
from app.llm.waits import LONGEST_WAIT, Timeouts, backoff
from app.ports import (
    Clock,
    ModelChunk,
    ModelRequest,
    Retrying,
    ToolSchema,
)
from app.text import Words

if TYPE_CHECKING:
    from app.llm.transport import Transport

__all__ = ["OpenAIModel", "warm"]

_PATIENT = Timeouts()

_TRUNCATED_TRIES = 2
"""A step with a truncated call is tried once more (DESIGN 5, Details)."""

_LOWERED = 2
"""Times the limit that a request wishes for is lowered to what was named; then it has none."""

_LIMITS = ("max_tokens", "max_completion_tokens")


class OpenAIModel:
    """A chat model behind an OpenAI-compatible endpoint; implements `ports.ChatModel`.

    What an endpoint refuses is learned once and remembered: `stream_options`, which of the two
    fields limits the answer, a user message right after a result (PROVIDERS 1.5, 1.7).

    Attributes:
        streamed: whether the last answer came as a stream; None before the first. For `doctor`.
        sight: what it takes of pictures; none, once the endpoint refused some.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        clock: Clock,
        words: Words,
        api_key: SecretStr | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        tries: int = 4,
        timeouts: Timeouts = _PATIENT,
        dialect: Dialect | None = None,
        images: Images = "auto",
        chance: Callable[[], float] = random.random,
    ) -> None:
        """Makes the client; connects to nothing.

        Args:
            name: the model, as the endpoint calls it.
            base_url: up to and without `/chat/completions`.
            clock: for waits between tries.
            words: for the reasons in `Retrying`.
            api_key: None sends none.
            temperature: sent only when set.
            max_tokens: longest answer; sent only when set.
            tries: how often a call is tried in all.
            timeouts: how long to wait for what.
            dialect: None looks it up by address and name.
            images: whether it is shown pictures.
            chance: random numbers from 0 to 1, for the jitter.
        """
        key = api_key.get_secret_value() if api_key else ""
        self._place = Place(base_url, name, key)
        self._clock = clock
        self._words = words
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._tries = tries
        self._timeouts = timeouts
        self._chance = chance
        self._dialect = dialect or dialect_for(base_url, name)
        self.sight = sight_for(name, self._dialect, images)
        self._max_tokens_field: MaxTokensField = self._dialect.max_tokens
        self._may_swap = True
        self._stream_options = True
        self._alternates = self._dialect.alternates
        self._transport: Transport | None = None
        self._connecting = asyncio.Lock()
        self.streamed: bool | None = None

    @property
    def name(self) -> str:
        """The model's name."""
        return self._place.model

    @property
    def base_url(self) -> str:
        """The endpoint, without user and password."""
        return self._place.address

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """Streams one answer; ends with exactly one `Reply`.

        After a `Retrying` the answer begins afresh. Closing the generator, or cancelling whoever
        waits for it, hangs up at once.

        Raises:
            CallError: for good.
        """
        attempt = truncated = lowered = 0
        while True:
            attempt += 1
            body = self._body(request)
            try:
                async with aclosing(self._attempt(body, request)) as chunks:
                    async for chunk in chunks:
                        yield chunk
                return
            except CallError as error:
                if self._learn(error, body):
                    attempt -= 1
                    continue
                if isinstance(error, MaxTokensRefused) and _sent_limit(body) == request.max_tokens:
                    request = _lowered(request, error, named=lowered < _LOWERED)
                    lowered += 1
                    attempt -= 1
                    continue
                truncated += isinstance(error, TruncatedCall)
                again = error.retryable and truncated < _TRUNCATED_TRIES
                wait = self._wait(error, attempt) if again else 0.0
                if not again or attempt >= self._tries:
                    raise
                retrying = Retrying(attempt + 1, error.reason(self._words), wait)
            yield retrying
            await self._clock.sleep(wait)

    async def close(self) -> None:
        """Closes the connections; a later request opens new ones."""
        transport, self._transport = self._transport, None
        if transport is not None:
            await transport.close()

    def _wait(self, error: CallError, failures: int) -> float:
        """Seconds until the next try.

        Raises:
            RateLimited: the provider wants more than the client waits by itself.
        """
        if error.wait is None:
            return backoff(failures, self._chance())
        if error.wait > LONGEST_WAIT:
            raise RateLimited.for_long(
                error.wait, host=self._place.host, detail=error.detail
            ) from None
        return error.wait

    def _learn(self, error: CallError, body: Mapping[str, object]) -> bool:
        """Whether the request can be sent again at once, without what the endpoint refused.

        It goes by what was sent: another request of this client may have learned it meanwhile.
        """
        if isinstance(error, BadRequest) and error.names_stream_options:
            self._stream_options = False
            return "stream_options" in body
        if isinstance(error, BadRequest) and error.names_images and self.sight.user:
            self.sight = Sight(known=True, body=self.sight.body)
            return True
        if isinstance(error, HistoryRefused) and _user_after_result(body):
            self._alternates = True
            return True
        if isinstance(error, MaxTokensRefused) and error.unsupported and _sent_limit(body):
            if self._max_tokens_field not in body:
                return True
            if self._may_swap:
                self._may_swap = False
                other = self._max_tokens_field == "max_tokens"
                self._max_tokens_field = "max_completion_tokens" if other else "max_tokens"
                return True
        return False

    def _body(self, request: ModelRequest) -> dict[str, object]:
        """The request as JSON; fields that aren't needed are left out: some endpoints refuse them.

        An empty list of tools is one of them (PROVIDERS 1.7).
        """
        body: dict[str, object] = {
            "model": self._place.model,
            "messages": [],
            "stream": True,
        }
        if self._stream_options:
            body["stream_options"] = {"include_usage": True}
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
            body.update(self._dialect.with_tools or {})
        if self._temperature is not None:
            body["temperature"] = self._temperature
        limits = [one for one in (self._max_tokens, request.max_tokens) if one is not None]
        if limits:
            body[self._max_tokens_field] = min(limits)
        left = Left(
            blind=self._words("tool_result.image_left_blind"),
            body=self._words("tool_result.image_left_body"),
        )
        messages = alternating(request.messages) if self._alternates else request.messages
        messages = fitting_reasoning(messages, self._dialect)
        body["messages"] = sendable(messages, self.sight, left, others=body)
        return body

    async def _connected(self) -> "Transport":
        """The connections; the first time with openai's import, if nobody called `warm`."""
        async with self._connecting:
            if self._transport is None:
                self._transport = await late.transport(self._place, self._timeouts, self._clock.now)
            return self._transport

    async def _attempt(
        self, body: dict[str, object], request: ModelRequest
    ) -> AsyncGenerator[ModelChunk, None]:
        """One try: the answer's pieces, then the reply."""
        transport = await self._connected()
        names = tuple(tool.name for tool in request.tools)
        in_turn = _in_tool_turn(request)
        assembler = Assembler(self._dialect, in_tool_turn=in_turn, tools=names)
        answer = AnswerReader(assembler, self._place, self._timeouts, self._clock)
        async with (
            aclosing(transport.send(body)) as pieces,
            aclosing(answer.read(pieces)) as deltas,
        ):
            async for delta in deltas:
                yield delta
        self.streamed = answer.streamed
        yield assembler.finish()


def _tool(tool: ToolSchema) -> dict[str, object]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}


def _sent_limit(body: Mapping[str, object]) -> object:
    """The limit of the answer that was sent; 0 where none was."""
    return next((body[field] for field in _LIMITS if field in body), 0)


def _user_after_result(body: Mapping[str, object]) -> bool:
    """Whether a user message that was sent follows a result."""
    messages = body["messages"]
    roles = [message.get("role") for message in messages] if isinstance(messages, list) else []
    return ("tool", "user") in pairwise(roles)


def _lowered(request: ModelRequest, error: MaxTokensRefused, *, named: bool) -> ModelRequest:
    """The request with the limit that the endpoint names, or with none."""
    limit = error.limit if named and error.limit and not error.unsupported else 0
    wish = limit if 0 < limit < (request.max_tokens or 0) else None
    return replace(request, max_tokens=wish)


def _in_tool_turn(request: ModelRequest) -> bool:
    """Whether a tool result stands after the last user message."""
    for message in reversed(request.messages):
        if message.get("role") in {"tool", "user"}:
            return message["role"] == "tool"
    return False
