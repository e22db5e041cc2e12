"""Fault 20 of PROVIDERS part 4: stopping at any moment hangs up, and nothing is left behind.

Fault 21 too: a connection that the server broke is no obstacle for the next request.
"""

import asyncio
from collections.abc import Callable

import pytest

from app.llm.waits import Timeouts
from app.ports import Retrying
from tests.endpoint import (
    Call,
    Close,
    Endpoint,
    Gate,
    Raw,
    Reset,
    Say,
    Status,
    delta,
    event,
    finish,
)
from tests.endpoint.script import Step
from tests.llm.support import ASK, FakeClock, ask, model_at, retries, run, shown

pytestmark = pytest.mark.usefixtures("closing")


class Point:
    """Where the server stops for good, and tells when it got there."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()

    async def wait(self) -> None:
        self.reached.set()
        await asyncio.Event().wait()


def never() -> Gate:
    return Gate(Point())


def held(point: Point, hold_after: int) -> Say:
    """An answer of reasoning (3 pieces), text (2) and two calls that stops after some pieces."""
    calls = [Call("read", {"path": "abcdefgh"}), Call("list", {"path": "abcdefgh"})]
    return Say(
        "I look at it now",
        reasoning="Let me think about it",
        calls=calls,
        hold=point,
        hold_after=hold_after,
    )


POINTS: dict[str, Callable[[Point], Step]] = {
    "before the headers": lambda point: Raw([Gate(point)], head=False),
    "after the headers": lambda point: held(point, 0),
    "in reasoning": lambda point: held(point, 1),
    "in text": lambda point: held(point, 4),
    "in a call": lambda point: held(point, 7),
    "between calls": lambda point: held(point, 9),
    "after the last call": lambda point: held(point, 13),
    "after the finish": lambda point: Raw([delta(content="Hi"), finish(), Gate(point)]),
    "in an error body": lambda point: Raw([b'{"error": ', Gate(point)], code=500),
}


@pytest.mark.parametrize("step", POINTS.values(), ids=POINTS)
async def test_cancelling_the_reader_hangs_up(step: Callable[[Point], Step]) -> None:
    point = Point()
    async with Endpoint([step(point), Say("again")]) as endpoint:
        model = model_at(endpoint.base_url, timeouts=Timeouts())
        task = asyncio.create_task(run(model))
        await point.reached.wait()
        for _ in range(20):  # lets the client read what was sent
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await endpoint.hung_up()
        assert (await ask(model)).text == "again"
    assert endpoint.violations == []


async def test_closing_the_stream_between_two_chunks_hangs_up() -> None:
    async with Endpoint([Raw([delta(content="Hi"), never()]), Say("again")]) as endpoint:
        model = model_at(endpoint.base_url)
        chunks = model.stream(ASK)
        await anext(chunks)
        await chunks.aclose()
        await endpoint.hung_up()
        assert (await ask(model)).text == "again"


async def test_breaking_out_of_the_loop_and_closing_hangs_up() -> None:
    async with Endpoint([Raw([delta(content="Hi"), never()])]) as endpoint:
        chunks = model_at(endpoint.base_url).stream(ASK)
        async for _ in chunks:
            break
        await chunks.aclose()
        await endpoint.hung_up()


async def test_a_stream_that_was_never_read_sends_nothing() -> None:
    async with Endpoint([Say("Hi")]) as endpoint:
        chunks = model_at(endpoint.base_url).stream(ASK)
        await chunks.aclose()
        assert endpoint.requests == []
        assert endpoint.connections == 0


async def test_cancelling_the_wait_before_the_next_try() -> None:
    clock = FakeClock()
    clock.held = True
    async with Endpoint([Status(503, "", {"Retry-After": "30"}), Say("again")]) as endpoint:
        model = model_at(endpoint.base_url, clock=clock)
        task = asyncio.create_task(run(model))
        await clock.asleep.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(endpoint.requests) == 1
        clock.held = False
        assert (await ask(model)).text == "again"


async def test_closing_at_the_news_of_a_retry_sends_no_more() -> None:
    async with Endpoint([Status(503), Say("again")]) as endpoint:
        chunks = model_at(endpoint.base_url).stream(ASK)
        assert isinstance(await anext(chunks), Retrying)
        await chunks.aclose()
        assert len(endpoint.requests) == 1


async def test_a_time_limit_around_the_reader_holds() -> None:
    point = Point()
    async with Endpoint([Raw([delta(content="Hi"), Gate(point)])]) as endpoint:

        async def run_out(limit: asyncio.Timeout) -> None:
            await point.reached.wait()
            limit.reschedule(asyncio.get_running_loop().time())

        with pytest.raises(TimeoutError):
            async with asyncio.timeout(None) as limit:
                watch = asyncio.create_task(run_out(limit))
                await run(model_at(endpoint.base_url))
        await watch
        await endpoint.hung_up()


async def test_two_answers_at_once_and_one_is_stopped() -> None:
    go_on = asyncio.Event()
    slow = Say("the whole answer", hold=go_on)
    async with Endpoint([Raw([never()]), slow]) as endpoint:
        model = model_at(endpoint.base_url)
        stopped = asyncio.create_task(run(model))
        await endpoint.request_count(1)
        kept = asyncio.create_task(run(model))
        await endpoint.request_count(2)
        stopped.cancel()
        await endpoint.hung_up()
        go_on.set()
        assert shown(await kept) == "the whole answer"


@pytest.mark.parametrize("end", [Close(), Reset()], ids=["fin", "rst"])
async def test_a_connection_that_broke_while_idle(end: Close | Reset) -> None:
    """The server answers properly, then drops the connection that the client keeps."""
    body = delta(content="Hi") + finish() + b"data: [DONE]\n\n"
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
    whole = head + b"content-length: %d\r\n\r\n" % len(body) + body
    async with Endpoint([Raw([whole, end], head=False), Say("again")]) as endpoint:
        model = model_at(endpoint.base_url)
        assert shown(await run(model)) == "Hi"
        assert shown(await run(model)) == "again"
    assert endpoint.connections == 2


async def test_a_kept_connection_on_which_the_next_request_dies() -> None:
    """Seen in llama-cpp-python: an overflow in a stream poisons the connection (PROVIDERS 3.2)."""
    async with Endpoint([Say("one"), Raw([Reset()], head=False), Say("two")]) as endpoint:
        model = model_at(endpoint.base_url)
        await run(model)
        chunks = await run(model)
    assert len(retries(chunks)) == 1
    assert shown(chunks) == "two"
    assert endpoint.connections == 2


async def test_an_error_in_the_stream_leaves_no_connection_hanging() -> None:
    broken = Raw([event({"error": {"message": "Oops"}}), never()])
    async with Endpoint([broken, Say("Hi")]) as endpoint:
        assert shown(await run(model_at(endpoint.base_url))) == "Hi"
        await endpoint.hung_up()
