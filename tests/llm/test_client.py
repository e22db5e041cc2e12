"""The client over real HTTP: what it sends, what it gives, what it learns."""

import asyncio
import subprocess
import sys
from typing import Any

import pytest

from app.conversation.messages import Reasoning
from app.llm.client import OpenAIModel, warm
from app.ports import (
    ModelRequest,
    ReasoningDelta,
    Reply,
    RequestedCall,
    TextDelta,
    ToolSchema,
    Usage,
)
from tests.endpoint import Call, Endpoint, Say, Status, Tokens
from tests.llm.support import ASK, EN, KEY, FakeClock, ask, model_at, retries, run, shown, thought

pytestmark = pytest.mark.usefixtures("closing")

READ = ToolSchema(
    "read_file",
    "Reads a file.",
    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)
WITH_TOOLS = ModelRequest(messages=ASK.messages, tools=(READ,))


async def test_text_streams_and_ends_with_the_reply() -> None:
    async with Endpoint([Say("Hello there", chunk=4, usage=Tokens(12, 3, 8))]) as endpoint:
        chunks = await run(model_at(endpoint.base_url))
    assert chunks[-1] == Reply("Hello there", usage=Usage(12, 8, 3))
    assert shown(chunks) == "Hello there"
    assert all(isinstance(chunk, TextDelta) for chunk in chunks[:-1])
    assert endpoint.violations == []


async def test_reasoning_streams_before_text() -> None:
    say = Say("Yes", reasoning="Let me see", reasoning_field="reasoning")
    async with Endpoint([say]) as endpoint:
        chunks = await run(model_at(endpoint.base_url))
    assert isinstance(chunks[0], ReasoningDelta)
    assert thought(chunks) == "Let me see"
    assert chunks[-1] == Reply("Yes", reasoning=Reasoning("Let me see", "reasoning"))


async def test_calls_come_with_the_reply_in_order() -> None:
    calls = [Call("read_file", {"path": "你好.py"}), Call("read_file", "{}"), Call("read_file", "")]
    async with Endpoint([Say("So:", calls=calls)]) as endpoint:
        reply = await ask(model_at(endpoint.base_url), WITH_TOOLS)
    assert reply.text == "So:"
    assert reply.calls == (
        RequestedCall("read_file", '{"path": "你好.py"}'),
        RequestedCall("read_file", "{}"),
        RequestedCall("read_file", "{}"),
    )
    assert endpoint.violations == []


async def test_only_what_is_needed_is_sent() -> None:
    async with Endpoint([Say("a")]) as endpoint:
        await ask(model_at(endpoint.base_url))
    assert endpoint.requests == [
        {
            "model": "scripted",
            "messages": [{"role": "user", "content": "Hi"}],
            "stream": True,
            "stream_options": {"include_usage": True},
        }
    ]


async def test_tools_and_what_is_configured_are_sent() -> None:
    async with Endpoint([Say("a")]) as endpoint:
        await ask(model_at(endpoint.base_url, temperature=0.5, max_tokens=900), WITH_TOOLS)
    (body,) = endpoint.requests
    assert body["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "read_file",
                "description": "Reads a file.",
                "parameters": READ.parameters,
            },
        }
    ]
    assert (body["temperature"], body["max_tokens"]) == (0.5, 900)
    assert endpoint.violations == []


async def test_the_key_is_sent_and_nothing_of_openais_account(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer sk-of-a-gateway")
    async with Endpoint([Say("a")], api_key=KEY) as endpoint:
        await ask(model_at(endpoint.base_url))
    (headers,) = endpoint.headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert not {"openai-organization", "openai-project"} & set(headers)


async def test_without_a_key_none_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    async with Endpoint([Say("a")]) as endpoint:
        await ask(model_at(endpoint.base_url, key=None))
    assert "authorization" not in endpoint.headers[0]


async def test_a_proxy_never_stands_before_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    async with Endpoint([Say("a")]) as endpoint:
        assert (await ask(model_at(endpoint.base_url))).text == "a"


async def test_one_connection_serves_request_after_request() -> None:
    async with Endpoint([Say("a"), Say("b"), Say("c")]) as endpoint:
        model = model_at(endpoint.base_url)
        assert [(await ask(model)).text for _ in range(3)] == ["a", "b", "c"]
    assert endpoint.connections == 1


async def test_stream_options_are_dropped_for_good_once_refused() -> None:
    async with Endpoint([Say("a"), Say("b")], dialect="mistral") as endpoint:
        model = model_at(endpoint.base_url)
        chunks = await run(model)
        await run(model)
    assert retries(chunks) == []
    assert ["stream_options" in body for body in endpoint.requests] == [True, False, False]
    assert (endpoint.violations, len(endpoint.refusals)) == ([], 1)


async def test_the_field_of_the_limit_is_swapped_for_good_once_refused() -> None:
    async with Endpoint([Say("a"), Say("b")], dialect="gpt") as endpoint:
        model = model_at(endpoint.base_url, max_tokens=900)
        assert retries(await run(model)) == []
        await run(model)
    limits = [
        (body.get("max_tokens"), body.get("max_completion_tokens")) for body in endpoint.requests
    ]
    assert limits == [(900, None), (None, 900), (None, 900)]
    assert (endpoint.violations, len(endpoint.refusals)) == ([], 1)


@pytest.mark.parametrize("dialect", ["mistral", "gpt"])
async def test_two_requests_at_once_both_learn(dialect: str) -> None:
    async with Endpoint(lambda _: Say("a"), dialect=dialect) as endpoint:
        model = model_at(endpoint.base_url, max_tokens=900)
        replies = await asyncio.gather(*(ask(model) for _ in range(4)))
    assert [reply.text for reply in replies] == ["a"] * 4
    assert endpoint.violations == []


async def test_what_is_learned_costs_no_try() -> None:
    async with Endpoint([Status(503), Say("a")], dialect="mistral") as endpoint:
        assert len(retries(await run(model_at(endpoint.base_url, tries=2)))) == 1


async def test_both_fields_refused_is_an_error_not_a_loop() -> None:
    text = "Unsupported parameter: 'max_tokens' or 'max_completion_tokens'"
    refusal = Status(400, {"error": {"message": text}})
    async with Endpoint(lambda _: refusal) as endpoint:
        with pytest.raises(Exception, match="takes no limit"):
            await run(model_at(endpoint.base_url, max_tokens=900))
    assert len(endpoint.requests) == 2


async def test_a_server_that_does_not_stream_is_understood() -> None:
    whole = {
        "choices": [{"message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 1},
    }
    async with Endpoint([Status(200, whole)]) as endpoint:
        model = model_at(endpoint.base_url)
        chunks = await run(model)
    assert chunks == [TextDelta("Hi"), Reply("Hi", usage=Usage(5, 0, 1))]
    assert model.streamed is False


@pytest.mark.parametrize("dialect", ["openai", "deepseek", "kimi", "glm"])
async def test_usage_in_each_providers_spelling(dialect: str) -> None:
    async with Endpoint([Say("a", usage=Tokens(100, 20, cached=60))], dialect=dialect) as endpoint:
        reply = await ask(model_at(endpoint.base_url))
    assert reply.usage == Usage(100, 60, 20)


async def test_a_closed_client_opens_again() -> None:
    async with Endpoint([Say("a"), Say("b")]) as endpoint:
        model = model_at(endpoint.base_url)
        await ask(model)
        await model.close()
        assert (await ask(model)).text == "b"
        await model.close()
        await model.close()


def test_name_and_address_are_shown_without_the_password() -> None:
    model = OpenAIModel("m", "https://me:secret@api.example.com/v1", clock=FakeClock(), words=EN)
    assert (model.name, model.base_url) == ("m", "https://api.example.com/v1")


async def test_warming_up_is_harmless_and_can_be_repeated() -> None:
    await warm()
    await warm()
    assert "openai" in sys.modules


@pytest.mark.parametrize("module", ["client", "connect", "discover", "providers", "probe"])
def test_importing_it_imports_neither_openai_nor_httpx2(module: str) -> None:
    code = (
        f"import sys, app.llm.{module}; "
        "print(sorted({'openai', 'httpx2', 'anyio'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


class TestTheWishOfARequest:
    """`ModelRequest.max_tokens`: the longest answer this time."""

    @staticmethod
    def wish(limit: int) -> ModelRequest:
        return ModelRequest(messages=({"role": "user", "content": "Hi"},), max_tokens=limit)

    @staticmethod
    def limits(endpoint: Endpoint) -> list[tuple[object, object]]:
        return [
            (body.get("max_tokens"), body.get("max_completion_tokens"))
            for body in endpoint.requests
        ]

    @pytest.mark.parametrize(
        ("set_to", "wished", "sent"), [(None, 700, 700), (900, 700, 700), (500, 700, 500)]
    )
    async def test_it_can_only_be_less_than_what_is_set(
        self, set_to: int | None, wished: int, sent: int
    ) -> None:
        async with Endpoint([Say("a"), Say("b")]) as endpoint:
            model = model_at(endpoint.base_url, max_tokens=set_to)
            await run(model, self.wish(wished))
            await run(model)
        assert self.limits(endpoint) == [(sent, None), (set_to, None)]

    async def test_its_field_is_swapped_once_refused(self) -> None:
        async with Endpoint([Say("a"), Say("b")], dialect="gpt") as endpoint:
            model = model_at(endpoint.base_url)
            assert retries(await run(model, self.wish(700))) == []
            await run(model, self.wish(700))
        assert self.limits(endpoint) == [(700, None), (None, 700), (None, 700)]

    async def test_the_limit_that_the_endpoint_names_is_taken_this_time(self) -> None:
        text = "max_tokens is too large: 20000. This model supports at most 8192 completion tokens"
        refusal = Status(400, {"error": {"message": text}})
        async with Endpoint([refusal, Say("a")]) as endpoint:
            chunks = await run(model_at(endpoint.base_url, tries=1), self.wish(20_000))
        assert (retries(chunks), shown(chunks)) == ([], "a")
        assert self.limits(endpoint) == [(20_000, None), (8192, None)]

    async def test_refused_again_and_again_it_is_left_out_and_never_a_loop(self) -> None:
        def refuse(body: dict[str, Any]) -> Status | Say:
            limit = body.get("max_tokens")
            if limit is None:
                return Say("a")
            text = f"max_tokens is too large: {limit}. This model supports at most {limit - 1}"
            return Status(400, {"error": {"message": text}})

        async with Endpoint(refuse) as endpoint:
            assert (await ask(model_at(endpoint.base_url), self.wish(100))).text == "a"
        assert self.limits(endpoint) == [(100, None), (99, None), (98, None), (None, None)]

    async def test_where_no_field_is_taken_it_is_left_out(self) -> None:
        def refuse(body: dict[str, Any]) -> Status | Say:
            if not {"max_tokens", "max_completion_tokens"} & body.keys():
                return Say("a")
            text = "Unsupported parameter: 'max_tokens' or 'max_completion_tokens'"
            return Status(400, {"error": {"message": text}})

        async with Endpoint(refuse) as endpoint:
            assert (await ask(model_at(endpoint.base_url), self.wish(100))).text == "a"
        assert len(endpoint.requests) == 3

    async def test_what_is_set_too_large_is_still_an_error(self) -> None:
        text = "max_tokens is too large: 900. This model supports at most 500"
        async with Endpoint(lambda _: Status(400, {"error": {"message": text}})) as endpoint:
            with pytest.raises(Exception, match="500"):
                await run(model_at(endpoint.base_url, max_tokens=900), self.wish(2_000))
        assert len(endpoint.requests) == 1
