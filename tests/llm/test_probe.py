"""The test request of `haima doctor`: what an endpoint can do, seen in one answer."""

import pytest

from app.llm.errors import BadKey
from app.llm.probe import ProbeResult, probe
from app.ports import Usage
from app.text import Words
from tests.endpoint import Call, Endpoint, Say, Status, Tokens
from tests.llm.support import EN, KEY, FakeClock, model_at

pytestmark = pytest.mark.usefixtures("closing")

READY = Call("ready", "")


class TickingClock(FakeClock):
    """Half a second passes between any two looks at it."""

    def monotonic(self) -> float:
        self.advance(0.5)
        return super().monotonic()


async def test_everything_works() -> None:
    async with Endpoint([Say(calls=[READY], usage=Tokens(40, 5))]) as endpoint:
        result = await probe(model_at(endpoint.base_url), clock=TickingClock(), words=EN)
    assert result == ProbeResult(seconds=0.5, streams=True, usage=Usage(40, 0, 5), calls_tools=True)
    assert endpoint.violations == []


async def test_prose_in_place_of_the_call_and_no_usage() -> None:
    async with Endpoint([Say("I am ready.")]) as endpoint:
        result = await probe(model_at(endpoint.base_url), clock=FakeClock(), words=EN)
    assert (result.calls_tools, result.usage, result.streams) == (False, None, True)


async def test_a_server_that_does_not_stream() -> None:
    whole = {"choices": [{"message": {"content": "ready"}, "finish_reason": "stop"}]}
    async with Endpoint([Status(200, whole)]) as endpoint:
        result = await probe(model_at(endpoint.base_url), clock=FakeClock(), words=Words("zh"))
    assert not result.streams


async def test_a_failure_is_the_clients_own_error() -> None:
    async with Endpoint(api_key=KEY) as endpoint:
        with pytest.raises(BadKey):
            await probe(
                model_at(endpoint.base_url, key="sk-a-wrong-key-0001"), clock=FakeClock(), words=EN
            )
