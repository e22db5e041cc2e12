"""Reads one answer: from the bytes of a body to deltas and a filled assembler."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing, suppress

from app.llm.assemble import Assembler
from app.llm.classify import classify
from app.llm.errors import BrokenStream, CallError, NotAnEndpoint, TimedOut, TruncatedCall, said
from app.llm.place import Place
from app.llm.sse import EventParser, ServerEvent
from app.llm.waits import Timeouts
from app.ports import Clock, ReasoningDelta, TextDelta

Delta = TextDelta | ReasoningDelta

_DONE = "[DONE]"
_NOTHING = object()


class AnswerReader:
    """Reads the body of one answer, which needn't be the stream that was asked for."""

    def __init__(
        self, assembler: Assembler, place: Place, timeouts: Timeouts, clock: Clock
    ) -> None:
        self._assembler = assembler
        self._place = place
        self._timeouts = timeouts
        self._clock = clock
        self._parser = EventParser()

    @property
    def streamed(self) -> bool:
        """Whether it was a stream."""
        return self._parser.other is None

    async def read(self, pieces: AsyncGenerator[bytes, None]) -> AsyncGenerator[Delta, None]:
        """Gives the deltas as they arrive; afterwards the assembler can `finish`.

        Once the answer is over, whatever still goes wrong doesn't matter.

        Raises:
            CallError: the body breaks off or falls silent, is an error, or no answer at all.
        """
        try:
            async with aclosing(self._arriving(pieces)) as arriving:
                async for events in arriving:
                    for delta in _merged(self._take(events)):
                        yield delta
            if self._parser.other is not None:
                for delta in _merged(self._take_whole(bytes(self._parser.other))):
                    yield delta
        except (BrokenStream, TimedOut) as error:
            if not self._assembler.finished:
                cut = self._assembler.broken()
                raise (cut if isinstance(cut, TruncatedCall) else error) from None
        for delta in self._assembler.rest():
            yield delta

    async def _arriving(
        self, pieces: AsyncGenerator[bytes, None]
    ) -> AsyncGenerator[tuple[ServerEvent, ...], None]:
        """The events of each read, up to `[DONE]`, the end, or the end of patience."""
        heard = self._clock.monotonic()
        while raw := await _next(pieces, self._patience()):
            events = tuple(self._parser.feed(raw))
            yield events
            if any(event.data.strip() == _DONE for event in events):
                await self._drain(pieces)
                return
            now = self._clock.monotonic()
            if events or self._parser.other is not None:
                heard = now
            elif now - heard > self._timeouts.keep_alive:
                raise TimedOut(host=self._place.host, seconds=f"{self._timeouts.keep_alive:g}")
        yield tuple(self._parser.finish())

    def _patience(self) -> float | None:
        """Seconds to wait for more; None: as long as the connection's idle time."""
        if not self._assembler.finished:
            return None
        has_usage = self._assembler.has_usage
        return self._timeouts.drain if has_usage else self._timeouts.after_finish

    async def _drain(self, pieces: AsyncGenerator[bytes, None]) -> None:
        """Reads the end of the body, so that the connection can be used again."""
        with suppress(TimeoutError, CallError):
            async with asyncio.timeout(self._timeouts.drain):
                async for _ in pieces:
                    pass

    def _take(self, events: Iterable[ServerEvent]) -> Iterator[Delta]:
        """Feeds events to the assembler.

        Raises:
            CallError: an error inside the stream, or data that is no JSON.
        """
        for event in events:
            data = event.data.strip()
            if data == _DONE:
                return
            if not data:
                continue
            chunk = _json(data)
            if chunk is _NOTHING:
                raise BrokenStream(detail=said(data, self._place.key))
            if not isinstance(chunk, dict):
                continue
            if _is_error(event.name, chunk):
                if self._assembler.finished:
                    return
                raise classify(None, chunk, place=self._place)
            yield from self._assembler.feed(chunk)

    def _take_whole(self, raw: bytes) -> Iterator[Delta]:
        """Reads a body that is no stream: an error with status 200, or a whole answer.

        Raises:
            CallError: the error, or that no model server answered.
        """
        text = raw.decode("utf-8", "replace")
        answer = _json(text)
        if isinstance(answer, dict) and _is_error("", answer):
            raise classify(None, answer, place=self._place)
        if not isinstance(answer, dict) or "choices" not in answer:
            detail = "" if text.startswith("<") else said(text, self._place.key)
            raise NotAnEndpoint(address=self._place.address, detail=detail)
        yield from self._assembler.feed(answer)


async def _next(pieces: AsyncGenerator[bytes, None], patience: float | None) -> bytes:
    """The next bytes; b"" at the end, or when patience is over."""
    try:
        async with asyncio.timeout(patience):
            return await anext(pieces, b"")
    except TimeoutError:
        return b""


def _merged(deltas: Iterator[Delta]) -> Iterator[Delta]:
    """Joins neighbours of one kind: a thousand characters that came in one read are one delta.

    What came before an error is given before the error.
    """
    held: list[Delta] = []
    failed: CallError | None = None
    while failed is None:
        try:
            delta = next(deltas, None)
        except CallError as error:
            failed, delta = error, None
        if held and (delta is None or type(held[0]) is not type(delta)):
            yield _join(held)
            held.clear()
        if delta is None:
            break
        held.append(delta)
    if failed is not None:
        raise failed


def _join(deltas: list[Delta]) -> Delta:
    text = "".join(delta.text for delta in deltas)
    return TextDelta(text) if isinstance(deltas[0], TextDelta) else ReasoningDelta(text)


def _json(text: str) -> object:
    """The value of JSON text, `_NOTHING` where it is no JSON."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return _NOTHING
    return value


def _is_error(name: str, chunk: dict[str, object]) -> bool:
    """Whether a chunk is an error: in its own field, by its event's name, or at the top.

    Old vLLM and SiliconFlow send code and message without anything around.
    """
    if chunk.get("error") or name == "error":
        return True
    return "choices" not in chunk and isinstance(chunk.get("message"), str)
