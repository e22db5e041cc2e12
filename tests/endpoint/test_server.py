"""The server is a real one: HTTP, streams, cut connections, and what it notices of its clients."""

import asyncio
import json
from collections.abc import AsyncIterator

import anyio
import httpx2
import pytest

from tests.endpoint import (
    DONE,
    Call,
    Close,
    Endpoint,
    Gate,
    Pause,
    Raw,
    Reset,
    Say,
    Status,
    Tokens,
    delta,
    finish,
)
from tests.endpoint.bodies import assistant, request, system, tool, user
from tests.endpoint.script import Body, Piece

USAGE = {"stream": True, "stream_options": {"include_usage": True}}


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(timeout=10, verify=False) as client:
        yield client


async def ask(client: httpx2.AsyncClient, endpoint: Endpoint, body: Body) -> httpx2.Response:
    return await client.post(f"{endpoint.base_url}/chat/completions", json=body)


def events(text: str) -> list[Body]:
    """The objects of a stream; its end must be proper."""
    *lines, last = [line for line in text.split("\n\n") if line]
    assert last == "data: [DONE]"
    return [json.loads(line.removeprefix("data: ")) for line in lines]


def deltas(chunks: list[Body]) -> list[Body]:
    return [chunk["choices"][0]["delta"] for chunk in chunks if chunk["choices"]]


async def test_a_stream_looks_like_a_real_one(client: httpx2.AsyncClient) -> None:
    say = Say("Hello 你好!", reasoning="hm", usage=Tokens(12, 3, cached=8), chunk=4)
    async with Endpoint([say]) as endpoint:
        response = await ask(client, endpoint, request(user(), **USAGE))
        assert response.headers["content-type"].startswith("text/event-stream")
        assert endpoint.violations == []
    chunks = events(response.text)
    assert deltas(chunks) == [
        {"role": "assistant", "content": ""},
        {"reasoning_content": "hm"},
        {"content": "Hell"},
        {"content": "o 你好"},
        {"content": "!"},
        {},
    ]
    assert chunks[-2]["choices"][0]["finish_reason"] == "stop"
    assert chunks[-1]["choices"] == []
    assert chunks[-1]["usage"]["prompt_tokens_details"] == {"cached_tokens": 8}
    assert [chunk["usage"] for chunk in chunks[:-1]] == [None] * 6


async def test_calls_come_in_fragments(client: httpx2.AsyncClient) -> None:
    calls = (Call("read_file", {"path": "a.py"}), Call("list_dir", "{broken", id="list_dir:0"))
    async with Endpoint([Say(calls=calls, chunk=6)]) as endpoint:
        response = await ask(client, endpoint, request(user(), stream=True))
    pieces = [piece["tool_calls"][0] for piece in deltas(events(response.text))[1:-1]]
    first, *rest = [piece for piece in pieces if piece["index"] == 0]
    assert first["type"] == "function"
    assert len(first["id"]) <= 40
    assert first["function"] == {"name": "read_file", "arguments": ""}
    assert len(rest) > 1
    assert json.loads("".join(p["function"]["arguments"] for p in rest)) == {"path": "a.py"}
    assert all(set(piece) == {"index", "function"} for piece in rest)
    second = [piece for piece in pieces if piece["index"] == 1]
    assert second[0]["id"] == "list_dir:0"
    assert "".join(p["function"]["arguments"] for p in second) == "{broken"
    assert events(response.text)[-1]["choices"][0]["finish_reason"] == "tool_calls"


async def test_usage_comes_only_when_asked_for(client: httpx2.AsyncClient) -> None:
    async with Endpoint([Say("a", usage=Tokens(1, 1)), Say("b")]) as endpoint:
        quiet = await ask(client, endpoint, request(user(), stream=True))
        none = await ask(client, endpoint, request(user(), **USAGE))
    assert not any("usage" in chunk for chunk in events(quiet.text))
    assert all(chunk["usage"] is None for chunk in events(none.text))


@pytest.mark.parametrize(
    ("dialect", "place"),
    [
        ("deepseek", lambda chunk: chunk["usage"]["prompt_cache_hit_tokens"]),
        ("kimi", lambda chunk: chunk["choices"][0]["usage"]["cached_tokens"]),
        ("glm", lambda chunk: chunk["usage"]["prompt_tokens_details"]["cached_tokens"]),
    ],
)
async def test_usage_is_spelt_as_the_dialect_does(
    client: httpx2.AsyncClient, dialect: str, place: object
) -> None:
    assert callable(place)
    async with Endpoint([Say("a", usage=Tokens(9, 1, cached=7))], dialect) as endpoint:
        response = await ask(client, endpoint, request(user(), **USAGE))
    assert place(events(response.text)[-1]) == 7


async def test_an_answer_without_stream(client: httpx2.AsyncClient) -> None:
    say = Say("", calls=[Call("read_file", {"path": "a"})], usage=Tokens(5, 2))
    async with Endpoint([say]) as endpoint:
        answer = (await ask(client, endpoint, request(user()))).json()
    choice = answer["choices"][0]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["content"] is None
    assert choice["message"]["tool_calls"][0]["function"]["name"] == "read_file"
    assert answer["usage"]["total_tokens"] == 7


async def test_it_keeps_bodies_headers_and_connections(client: httpx2.AsyncClient) -> None:
    async with Endpoint([Say("a"), Say("b")]) as endpoint:
        for text in ("one", "two"):
            url = f"{endpoint.base_url}/chat/completions"
            await client.post(url, json=request(user(text)), headers={"X-Test": text})
        assert [body["messages"][0]["content"] for body in endpoint.requests] == ["one", "two"]
        assert [headers["x-test"] for headers in endpoint.headers] == ["one", "two"]
        assert (endpoint.connections, endpoint.hangups, endpoint.left) == (1, 0, 0)


async def test_a_chunked_request_is_read(client: httpx2.AsyncClient) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        data = json.dumps(request(user("in pieces"))).encode()
        for start in range(0, len(data), 7):
            yield data[start : start + 7]

    async with Endpoint([Say("ok")]) as endpoint:
        url = f"{endpoint.base_url}/chat/completions"
        assert (await client.post(url, content=pieces())).status_code == 200
        assert endpoint.requests == [request(user("in pieces"))]


async def test_a_script_can_be_a_function_of_the_request(client: httpx2.AsyncClient) -> None:
    def echo(body: Body) -> Say:
        return Say(body["messages"][-1]["content"].upper())

    async with Endpoint(echo) as everywhere, Endpoint([Say("first"), echo]) as mixed:
        for endpoint, expected in ((everywhere, "HELLO"), (mixed, "first"), (mixed, "HELLO")):
            answer = (await ask(client, endpoint, request(user()))).json()
            assert answer["choices"][0]["message"]["content"] == expected


async def test_a_used_up_script_is_a_violation(client: httpx2.AsyncClient) -> None:
    async with Endpoint([]) as endpoint:
        response = await ask(client, endpoint, request(user()))
        assert response.status_code == 500
        assert endpoint.violations == ["script: no step is left for request 1"]
        assert "no step is left" in response.text


async def test_a_failing_script_is_a_violation(client: httpx2.AsyncClient) -> None:
    def wrong(body: Body) -> Say:
        raise AssertionError("expected a tool result")

    async with Endpoint(wrong) as endpoint:
        assert (await ask(client, endpoint, request(user()))).status_code == 500
        assert endpoint.violations == ["script: AssertionError: expected a tool result"]


async def test_a_status_with_its_headers(client: httpx2.AsyncClient) -> None:
    steps = [
        Status(429, {"error": {"message": "slow down"}}, {"retry-after": "1"}),
        Status(502, "<html>Bad gateway</html>", {"content-type": "text/html"}),
        Status(413),
        Status(529, b"\xff"),
    ]
    async with Endpoint(steps) as endpoint:
        answers = [await ask(client, endpoint, request(user())) for _ in steps]
    assert [answer.status_code for answer in answers] == [429, 502, 413, 529]
    assert answers[0].headers["retry-after"] == "1"
    assert answers[1].headers["content-type"] == "text/html"
    assert answers[3].content == b"\xff"


async def test_raw_pieces_arrive_as_they_are(client: httpx2.AsyncClient) -> None:
    rocket = delta(content="🚀")
    half = rocket.index("🚀".encode()) + 2
    pieces: list[Piece] = [
        b": comment\r\n\r\n",
        rocket[:half],
        Pause(0),
        rocket[half:],
        finish(),
        DONE,
    ]
    async with Endpoint([Raw(pieces), Raw([])]) as endpoint:
        response = await ask(client, endpoint, request(user(), stream=True))
        empty = await ask(client, endpoint, request(user(), stream=True))
        assert endpoint.connections == 1
    assert response.content == b": comment\r\n\r\n" + rocket + finish() + DONE
    assert (empty.status_code, empty.content) == (200, b"")


async def test_raw_bytes_without_a_head(client: httpx2.AsyncClient) -> None:
    whole = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
    async with Endpoint([Raw([whole[:20], whole[20:]], head=False)]) as endpoint:
        assert (await ask(client, endpoint, request(user()))).text == "ok"


@pytest.mark.parametrize("event", [asyncio.Event, anyio.Event])
async def test_a_gate_holds_the_stream(client: httpx2.AsyncClient, event: object) -> None:
    assert callable(event)
    gate = event()
    script = [Raw([delta(content="one"), Gate(gate), delta(content="two"), DONE])]
    async with Endpoint(script) as endpoint:
        url = f"{endpoint.base_url}/chat/completions"
        async with client.stream("POST", url, json=request(user(), stream=True)) as response:
            pieces = response.aiter_bytes()
            assert await anext(pieces) == delta(content="one")
            rest = asyncio.ensure_future(anext(pieces))
            await asyncio.wait({rest}, timeout=0.05)
            assert not rest.done()
            gate.set()
            assert await rest == delta(content="two")


async def test_an_answer_can_be_held(client: httpx2.AsyncClient) -> None:
    gate = asyncio.Event()
    async with Endpoint([Say("onetwo", chunk=3, hold=gate, hold_after=1)]) as endpoint:
        url = f"{endpoint.base_url}/chat/completions"
        async with client.stream("POST", url, json=request(user(), stream=True)) as response:
            text = ""
            async for piece in response.aiter_text():
                text += piece
                assert "two" not in text or gate.is_set()
                if "one" in text:
                    gate.set()
    assert '"two"' in text


@pytest.mark.parametrize("cut", [Reset(), Close()])
async def test_a_stream_can_be_cut(client: httpx2.AsyncClient, cut: Reset | Close) -> None:
    seen = asyncio.Event()
    async with Endpoint([Raw([delta(content="half"), Gate(seen), cut]), Say("ok")]) as endpoint:
        url = f"{endpoint.base_url}/chat/completions"
        got = b""
        with pytest.raises(httpx2.TransportError):
            async with client.stream("POST", url, json=request(user(), stream=True)) as response:
                async for piece in response.aiter_bytes():
                    got += piece
                    seen.set()
        assert got == delta(content="half")
        assert endpoint.hangups == 0
        assert (await ask(client, endpoint, request(user()))).status_code == 200


async def test_it_notices_a_client_that_hangs_up(client: httpx2.AsyncClient) -> None:
    never = asyncio.Event()
    async with Endpoint([Say("one two three", hold=never)]) as endpoint:
        url = f"{endpoint.base_url}/chat/completions"
        async with client.stream("POST", url, json=request(user(), stream=True)) as response:
            await anext(response.aiter_bytes())
            assert endpoint.hangups == 0
        await endpoint.hung_up()
        assert endpoint.hangups == 1


async def test_it_notices_a_client_that_leaves_before_the_head(
    client: httpx2.AsyncClient,
) -> None:
    async with Endpoint([Raw([Gate(asyncio.Event())], head=False)]) as endpoint:
        asking = asyncio.ensure_future(ask(client, endpoint, request(user(), stream=True)))
        await endpoint.request_count(1)
        asking.cancel()
        await endpoint.hung_up()


async def test_waiting_for_what_never_comes_says_so() -> None:
    async with Endpoint([]) as endpoint:
        with pytest.raises(TimeoutError, match="waited 0 s for 1 hang-ups; saw 0 requests"):
            await endpoint.hung_up(timeout=0)


async def test_leaving_ends_open_streams(client: httpx2.AsyncClient) -> None:
    async with Endpoint([Say("one two", hold=asyncio.Event())]) as endpoint:
        url = f"{endpoint.base_url}/chat/completions"
        asking = asyncio.ensure_future(client.post(url, json=request(user(), stream=True)))
        await endpoint.request_count(1)
    with pytest.raises(httpx2.TransportError):
        await asking


@pytest.mark.parametrize(
    ("models", "code", "names"),
    [
        (("a", {"id": "b", "max_model_len": 4096}), 200, ["a", "b"]),
        ((), 200, []),
        (Status(404, "not here"), 404, None),
        (Status(401, {"error": {"message": "no"}}), 401, None),
    ],
)
async def test_the_list_of_models_is_scripted(
    client: httpx2.AsyncClient, models: tuple[str, ...] | Status, code: int, names: list[str] | None
) -> None:
    async with Endpoint(models=models) as endpoint:
        response = await client.get(f"{endpoint.base_url}/models")
        assert (response.status_code, endpoint.model_requests) == (code, 1)
        if names is not None:
            assert [entry["id"] for entry in response.json()["data"]] == names


async def test_other_addresses(client: httpx2.AsyncClient) -> None:
    routes = {"GET /api/tags": Status(200, {"models": []})}
    async with Endpoint(routes=routes) as endpoint:
        assert (await client.get(f"{endpoint.root}/api/tags")).json() == {"models": []}
        assert (await client.get(f"{endpoint.root}/api/ps")).status_code == 404
        assert (await client.post(f"{endpoint.root}/v1/v1/chat/completions")).status_code == 404


async def test_only_the_right_key_enters(client: httpx2.AsyncClient) -> None:
    async with Endpoint([Say("ok")], api_key="right") as endpoint:
        assert (await ask(client, endpoint, request(user()))).status_code == 401
        client.headers["authorization"] = "Bearer right"
        assert (await ask(client, endpoint, request(user()))).status_code == 200
        assert endpoint.violations == []


async def test_no_http_is_a_violation() -> None:
    async with Endpoint([]) as endpoint:
        port = int(endpoint.root.rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"hello\r\n\r\n")
        assert (await reader.read()).startswith(b"HTTP/1.1 400 ")
        writer.close()
        assert endpoint.violations == ["http: request line 'hello'"]


TURN = [system(), user(), assistant("hi"), user("more")]


async def prefixes(client: httpx2.AsyncClient, *bodies: Body, announce: bool = False) -> list[str]:
    async with Endpoint([Say("ok")] * len(bodies), prefix_check=True) as endpoint:
        for body in bodies:
            assert (await ask(client, endpoint, body)).status_code == 200
            if announce:
                endpoint.announce_break()
        return endpoint.violations


async def test_a_kept_prefix_is_no_violation(client: httpx2.AsyncClient) -> None:
    tools = [tool()]
    first, second = request(*TURN[:2], tools=tools), request(*TURN, tools=tools)
    assert await prefixes(client, first, first, second) == []


@pytest.mark.parametrize(
    ("second", "place"),
    [
        (request(system("Be long."), *TURN[1:]), "message 0"),
        (request(*TURN[:3], user("less"), assistant("ok"), user()), "message 3"),
        (request(*TURN[:2]), "message 2"),
        (request(*TURN, tools=[tool()]), "the tools"),
        (request(TURN[0], {"content": "hello", "role": "user"}, *TURN[2:]), "message 1"),
    ],
)
async def test_a_broken_prefix_is_a_violation_unless_announced(
    client: httpx2.AsyncClient, second: Body, place: str
) -> None:
    first = request(*TURN)
    assert await prefixes(client, first, second) == [f"prefix: {place} differs from request 1"]
    assert await prefixes(client, first, second, announce=True) == []
