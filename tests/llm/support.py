"""What the tests of the client share: a clock that doesn't wait, and ways to run a request."""

import asyncio
from collections.abc import Iterable
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from pydantic import SecretStr

from app.llm.client import OpenAIModel
from app.llm.dialects import Dialect
from app.llm.waits import Timeouts
from app.ports import ModelChunk, ModelRequest, ReasoningDelta, Reply, Retrying, TextDelta
from app.text import Words

EN = Words("en")
NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
KEY = "sk-secret-0123456789"

QUICK = Timeouts(connect=10.0, idle=10.0, after_finish=10.0, drain=10.0)
"""Nothing waits so long where all is well; a test that waits in vain takes shorter ones."""

MADE: list[OpenAIModel] = []
"""Clients made by the running test; the fixture `closing` closes them."""

ASK = ModelRequest(messages=({"role": "user", "content": "Hi"},))


class FakeClock:
    """Time that passes only by `sleep` and `advance`."""

    def __init__(self) -> None:
        self.elapsed = 0.0
        self.slept: list[float] = []
        self.asleep = asyncio.Event()
        self.held = False

    def now(self) -> datetime:
        return NOON + timedelta(seconds=self.elapsed)

    def monotonic(self) -> float:
        return self.elapsed

    def advance(self, seconds: float) -> None:
        self.elapsed += seconds

    async def sleep(self, seconds: float) -> None:
        """Passes at once, or, when `held`, never."""
        self.slept.append(seconds)
        self.asleep.set()
        if self.held:
            await asyncio.Event().wait()
        self.elapsed += seconds


def model_at(
    base_url: str,
    *,
    name: str = "scripted",
    clock: FakeClock | None = None,
    key: str | None = KEY,
    tries: int = 4,
    timeouts: Timeouts = QUICK,
    temperature: float | None = None,
    max_tokens: int | None = None,
    dialect: Dialect | None = None,
) -> OpenAIModel:
    """A client without jitter."""
    model = OpenAIModel(
        name,
        base_url,
        clock=clock or FakeClock(),
        words=EN,
        api_key=SecretStr(key) if key else None,
        tries=tries,
        timeouts=timeouts,
        temperature=temperature,
        max_tokens=max_tokens,
        dialect=dialect,
        chance=lambda: 0.5,
    )
    MADE.append(model)
    return model


async def run(model: OpenAIModel, request: ModelRequest = ASK) -> list[ModelChunk]:
    """Everything one request gives."""
    async with aclosing(model.stream(request)) as chunks:
        return [chunk async for chunk in chunks]


async def ask(model: OpenAIModel, request: ModelRequest = ASK) -> Reply:
    """The reply to one request, after checking that it is the last thing and the only one."""
    chunks = await run(model, request)
    replies = [chunk for chunk in chunks if isinstance(chunk, Reply)]
    assert replies == [chunks[-1]]
    assert shown(chunks) == replies[0].text
    return replies[0]


def shown(chunks: list[ModelChunk]) -> str:
    """The text a reader has before their eyes at the end: what came after the last retry."""
    text = ""
    for chunk in chunks:
        if isinstance(chunk, Retrying):
            text = ""
        elif isinstance(chunk, TextDelta):
            text += chunk.text
    return text


def thought(chunks: list[ModelChunk]) -> str:
    """The reasoning a reader has before their eyes at the end."""
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, ReasoningDelta))


def retries(chunks: list[ModelChunk]) -> list[Retrying]:
    """The retries, in order."""
    return [chunk for chunk in chunks if isinstance(chunk, Retrying)]


def cut_at(text: str, cuts: Iterable[int]) -> list[str]:
    """A text in the pieces in which it may arrive; places beyond its end don't count."""
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    return [text[start:end] for start, end in pairwise(edges)]
