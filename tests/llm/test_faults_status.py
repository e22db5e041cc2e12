"""Faults 1 to 3 of PROVIDERS part 4: limits, quotas, failing servers; and how waits are kept."""

import asyncio
from typing import Any

import pytest

from app.llm.errors import (
    BadKey,
    BadRequest,
    CallError,
    Overloaded,
    QuotaUsedUp,
    RateLimited,
    ServerFailed,
    Unreachable,
)
from app.ports import Retrying
from tests.endpoint import Endpoint, Say, Status
from tests.endpoint.script import Step
from tests.llm.support import ASK, EN, FakeClock, ask, model_at, retries, run, shown

pytestmark = pytest.mark.usefixtures("closing")

LIMIT = {"error": {"message": "Slow down", "code": "rate_limit_exceeded"}}


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "1"}, 1.0),
        ({"retry-after-ms": "250", "Retry-After": "1"}, 0.25),
        ({"Retry-After": "Sun, 29 Nov 2026 12:00:07 GMT"}, 7.0),
        ({"Retry-After": "60"}, 60.0),
        ({"Retry-After": "0"}, 0.0),
        ({}, 0.5),
    ],
)
async def test_a_limit_is_waited_for_as_asked(headers: dict[str, str], wait: float) -> None:
    clock = FakeClock()
    async with Endpoint([Status(429, LIMIT, headers), Say("Hi")]) as endpoint:
        chunks = await run(model_at(endpoint.base_url, clock=clock))
    assert retries(chunks) == [Retrying(2, EN("retry.rate_limited"), wait)]
    assert clock.slept == [wait]
    assert shown(chunks) == "Hi"


async def test_a_wait_of_more_than_a_minute_is_the_users_choice() -> None:
    clock = FakeClock()
    async with Endpoint([Status(429, LIMIT, {"Retry-After": "3600"})]) as endpoint:
        with pytest.raises(RateLimited, match="wait 60 minutes") as caught:
            await run(model_at(endpoint.base_url, clock=clock))
    assert caught.value.wait == 3600
    assert clock.slept == []


async def test_a_wait_just_over_a_minute_is_told_in_whole_minutes() -> None:
    async with Endpoint([Status(429, LIMIT, {"Retry-After": "61"})]) as endpoint:
        with pytest.raises(RateLimited, match="wait 2 minutes"):
            await run(model_at(endpoint.base_url))


async def test_a_long_wait_is_told_on_the_last_try_too() -> None:
    async with Endpoint([Status(429, LIMIT, {"Retry-After": "3600"})]) as endpoint:
        with pytest.raises(RateLimited, match="wait 60 minutes"):
            await run(model_at(endpoint.base_url, tries=1))


async def test_a_long_wait_for_an_overloaded_server_is_told_too() -> None:
    async with Endpoint([Status(503, "", {"Retry-After": "300"})]) as endpoint:
        with pytest.raises(RateLimited, match="wait 5 minutes"):
            await run(model_at(endpoint.base_url))


@pytest.mark.parametrize(
    ("status", "error", "told"),
    [
        (
            429,
            {"message": "You exceeded your current quota", "code": "insufficient_quota"},
            "quota",
        ),
        (402, {"message": "Insufficient Balance"}, "quota or balance"),
        (
            429,
            {"code": "1308", "message": "您的限额将在 2026-08-25 07:41:44 重置。"},
            "until 2026-08-25 07:41:44",
        ),
        (403, {"message": "You've reached your usage limit for this billing cycle"}, "used up"),
        (429, {"type": "exceeded_current_quota_error", "message": "suspended"}, "used up"),
    ],
)
async def test_what_no_wait_cures_is_not_tried_again(
    status: int, error: dict[str, str], told: str
) -> None:
    async with Endpoint([Status(status, {"error": error})]) as endpoint:
        with pytest.raises(QuotaUsedUp, match=told):
            await run(model_at(endpoint.base_url))
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    "body", ["", "<html><h1>502 Bad Gateway</h1></html>", {"error": {"message": "Oops"}}]
)
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
async def test_a_failing_server_is_tried_again(status: int, body: Any) -> None:
    async with Endpoint([Status(status, body), Say("Hi")]) as endpoint:
        chunks = await run(model_at(endpoint.base_url))
    assert len(retries(chunks)) == 1
    assert shown(chunks) == "Hi"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 418, 422])
async def test_a_refusal_is_not_tried_again(status: int) -> None:
    async with Endpoint([Status(status, {"error": {"message": "No."}})]) as endpoint:
        with pytest.raises(CallError, match="No\\."):
            await run(model_at(endpoint.base_url))
    assert len(endpoint.requests) == 1


async def test_four_tries_with_doubling_waits_then_the_error() -> None:
    clock = FakeClock()
    async with Endpoint(lambda _: Status(500, {"error": {"message": "Oops"}})) as endpoint:
        model = model_at(endpoint.base_url, clock=clock)
        chunks = []
        with pytest.raises(ServerFailed, match="Oops"):
            async for chunk in model.stream(ASK):
                chunks.append(chunk)  # noqa: PERF401 - kept although the stream raises
    assert [(r.attempt, r.wait) for r in retries(chunks)] == [(2, 0.5), (3, 1.0), (4, 2.0)]
    assert clock.slept == [0.5, 1.0, 2.0]
    assert len(endpoint.requests) == 4


async def test_one_try_means_one() -> None:
    async with Endpoint(lambda _: Status(503)) as endpoint:
        with pytest.raises(Overloaded):
            await run(model_at(endpoint.base_url, tries=1))
    assert len(endpoint.requests) == 1


async def test_every_request_has_its_own_tries() -> None:
    script: list[Step] = [Status(500), Status(500), Status(500), Say("a")] * 2
    async with Endpoint(script) as endpoint:
        model = model_at(endpoint.base_url)
        assert (await run(model))[-1] == (await run(model))[-1]
    assert endpoint.left == 0


async def test_nothing_listens() -> None:
    async with Endpoint() as endpoint:
        base_url = endpoint.base_url
    clock = FakeClock()
    with pytest.raises(Unreachable, match=r"Nothing answers at 127\.0\.0\.1:"):
        await run(model_at(base_url, clock=clock))
    assert clock.slept == [0.5, 1.0, 2.0]


async def test_https_where_plain_http_is_spoken() -> None:
    async def refuse(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(Unreachable, match="often begins with http://"):
            await run(model_at(f"https://127.0.0.1:{port}/v1", tries=1))


async def test_a_wrong_key_with_a_web_page_for_an_answer() -> None:
    page = Status(401, "<html>\x1b[31mLogin</html>", {"content-type": "text/html"})
    async with Endpoint([page]) as endpoint:
        with pytest.raises(BadKey, match="does not accept the key") as caught:
            await run(model_at(endpoint.base_url))
    assert "Login" not in str(caught.value)


async def test_an_error_as_a_string_keeps_its_text() -> None:
    async with Endpoint([Status(400, {"error": "Model is not loaded."})]) as endpoint:
        with pytest.raises(BadRequest, match="Model is not loaded"):
            await run(model_at(endpoint.base_url))


async def test_a_redirect_is_told_and_not_followed() -> None:
    moved = Status(301, "", {"location": "https://api.example.com/v1/chat/completions"})
    async with Endpoint([moved]) as endpoint:
        with pytest.raises(CallError, match=r"https://api\.example\.com/v1/chat/completions"):
            await run(model_at(endpoint.base_url))
    assert len(endpoint.requests) == 1


async def test_the_path_is_wrong() -> None:
    async with Endpoint() as endpoint:
        with pytest.raises(CallError, match=f"no chat at {endpoint.root}/v2"):
            await ask(model_at(f"{endpoint.root}/v2"))
