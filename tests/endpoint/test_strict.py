"""Every rule fires on what breaks it, in the provider's words, and a valid request passes."""

import json
from typing import Any

import httpx2
import pytest

from tests.endpoint import DIALECTS, Endpoint, Say
from tests.endpoint.bodies import assistant, call, request, result, step, system, tool, user
from tests.endpoint.dialects import NEGOTIABLE
from tests.endpoint.script import Body

LONG = "a" * 41
IMAGE = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]


async def post(endpoint: Endpoint, body: Body | bytes) -> httpx2.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    # loading the certificates would take longer than all the rest, and there is no TLS here
    async with httpx2.AsyncClient(verify=False) as client:
        return await client.post(f"{endpoint.base_url}/chat/completions", content=content)


async def refused(body: Body | bytes, dialect: str = "openai") -> tuple[httpx2.Response, str]:
    """The answer to a request that must be refused, and the rule that refused it."""
    async with Endpoint([Say("fine")], dialect) as endpoint:
        response = await post(endpoint, body)
        assert len(endpoint.refusals) == 1, response.text
        assert endpoint.left == 1, "a refused request uses no step"
        rule = endpoint.refusals[0].partition(":")[0]
        assert endpoint.violations == ([] if rule in NEGOTIABLE else endpoint.refusals)
        return response, rule


async def accepted(body: Body, dialect: str = "openai") -> None:
    async with Endpoint([Say("fine")], dialect) as endpoint:
        response = await post(endpoint, body)
        assert response.status_code == 200, response.text
        assert endpoint.refusals == []


COMMON: list[tuple[str, Body]] = [
    ("field", request(user(), metadata={})),
    ("image-part", request(assistant(IMAGE), user())),
    ("model", {"messages": [user()]}),
    ("model", request(user()) | {"model": ""}),
    ("type", {"model": "m"}),
    ("type", {"model": "m", "messages": "hello"}),
    ("type", request(user(), stream="yes")),
    ("type", request(user(), max_tokens="5")),
    ("type", request(user(), max_tokens=True)),
    ("type", request(user(), temperature="hot")),
    ("stream-options", request(user(), stream_options={"include_usage": True})),
    ("stream-options-shape", request(user(), stream=True, stream_options={"usage": True})),
    ("type", request(user(), stream=True, stream_options=True)),
    ("type", request(user(), stream=True, stream_options={"include_usage": "yes"})),
    ("tools-empty", request(user(), tools=[])),
    ("tools-many", request(user(), tools=[tool(f"t{n}") for n in range(129)])),
    ("tool-shape", request(user(), tools=[{"type": "function"}])),
    ("tool-shape", request(user(), tools=[tool() | {"type": "tool"}])),
    ("tool-shape", request(user(), tools=[tool() | {"risk": "read"}])),
    ("tool-shape", request(user(), tools=[tool(parameters={"type": "array"})])),
    ("tool-shape", request(user(), tools=[tool(risk="read")])),
    ("tool-name", request(user(), tools=[tool("read.file")])),
    ("tool-name", request(user(), tools=[tool("")])),
    ("tool-name", request(user(), tools=[tool("读")])),
    ("tool-name-long", request(user(), tools=[tool("a" * 65)])),
    ("tool-name-twice", request(user(), tools=[tool(), tool()])),
    ("tool-choice", request(user(), tool_choice="auto")),
    ("messages-empty", request()),
    ("type", {"model": "m", "messages": ["hello"]}),
    ("role", request({"role": "function", "content": "x"})),
    ("role", request({"content": "x"})),
    ("developer", request({"role": "developer", "content": "x"}, user())),
    ("message-field", request(user() | {"id": "123"})),
    ("message-field", request(user(), assistant("hi", refusal=None))),
    ("system-first", request(user(), system())),
    ("system-twice", request(system(), user(), system())),
    ("system-twice", request(system(), system(), user())),
    ("empty-content", request(user(""))),
    ("empty-content", request(user("  \n"))),
    ("empty-content", request(user([]))),
    ("empty-content", request({"role": "user"})),
    ("empty-content", request(system(""), user())),
    ("empty-part", request(user([{"type": "text", "text": ""}]))),
    ("type", request(user([{"type": "audio"}]))),
    ("type", request(user(["hello"]))),
    ("type", request(user(5))),
    ("assistant-null", request(user(), assistant(None, call()), result())),
    ("assistant-empty", request(user(), assistant(""), user())),
    ("assistant-empty", request(user(), assistant(" \n"), user())),
    ("assistant-empty", request(user(), {"role": "assistant"}, user())),
    ("tool-null", request(user(), assistant("", call()), result(text=None))),
    ("tool-empty", request(user(), assistant("", call()), result(text=""))),
    (
        "tool-list",
        request(user(), assistant("", call()), result(text=[{"type": "text", "text": "x"}])),
    ),
    ("calls-empty", request(user(), assistant("hi", tool_calls=[]))),
    ("type", request(user(), assistant("hi", tool_calls={}))),
    ("call-shape", request(user(), assistant("", {"id": "a1"}), result())),
    ("call-shape", request(user(), assistant("", call() | {"index": 0}), result())),
    ("call-shape", request(user(), assistant("", call("")), result(""))),
    ("call-shape", request(user(), assistant("", call() | {"type": "tool"}), result())),
    ("call-shape", request(user(), assistant("", call() | {"function": {}}), result())),
    (
        "call-shape",
        request(
            user(),
            assistant("", call() | {"function": {"name": "x", "arguments": {}}}),
            result(),
        ),
    ),
    ("id-long", request(user(), assistant("", call(LONG)), result(LONG))),
    ("tool-name", request(user(), assistant("", call(name="")), result())),
    ("tool-name", request(user(), assistant("", call(name="a" * 65)), result())),
    ("arguments", request(user(), assistant("", call(arguments='{"path": "x')), result())),
    ("arguments", request(user(), assistant("", call(arguments="")), result())),
    ("arguments", request(user(), assistant("", call(arguments="[]")), result())),
    ("arguments", request(user(), assistant("", call(arguments="null")), result())),
    ("arguments", request(user(), assistant("", call(arguments='{"n": NaN}')), result())),
    ("unpaired", request(user(), assistant("", call()))),
    ("unpaired", request(user(), assistant("", call()), user())),
    ("unpaired", request(user(), assistant("", call("a1"), call("a2")), result("a1"))),
    ("unpaired", request(user(), assistant("", call("a1"), call("a2")), result("a2"), user())),
    ("between", request(user(), assistant("", call()), user(), result())),
    (
        "between",
        request(user(), assistant("", call("a1"), call("a2")), result("a1"), user(), result("a2")),
    ),
    ("between", request(user(), assistant("", call()), assistant("hm"), result())),
    ("orphan", request(user(), result())),
    ("orphan", request(user(), assistant("hi"), result())),
    ("orphan", request(user(), assistant("", call()), result(), user(), result())),
    ("unknown-call", request(user(), assistant("", call("a1")), result("b1"))),
    (
        "unknown-call",
        request(user(), assistant("", call()), {"role": "tool", "content": "no id"}),
    ),
    ("id-twice", request(user(), assistant("", call("a1"), call("a1")), result("a1"))),
    ("id-twice", request(user(), assistant("", call()), result(), result())),
    (
        "id-twice",
        request(user(), assistant("", call()), result(), assistant("", call()), result()),
    ),
]


@pytest.mark.parametrize(("rule", "body"), COMMON)
async def test_a_common_rule_refuses(rule: str, body: Body) -> None:
    response, broken = await refused(body)
    assert (response.status_code, broken) == (400, rule)
    assert response.json()["error"]["message"]


def test_every_common_rule_has_a_case_or_its_own_test() -> None:
    """Rules without a dialect of their own, against the table above."""
    of_dialects = {rule for dialect in DIALECTS.values() for rule in dialect.rules}
    of_dialects |= {"reasoning-missing", "tool-name-forbidden"}
    elsewhere = {"json", "surrogate", "size", "overflow", "overflow-completion"}
    from tests.endpoint.dialects import _TEXTS

    tested = {rule for rule, _ in COMMON} | of_dialects | elsewhere
    assert set(_TEXTS["openai"]) - tested == set()


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_valid_step_passes_everywhere(dialect: str) -> None:
    reasoning = dialect in ("deepseek", "kimi")
    messages = step(reasoning=reasoning)
    effort = {"reasoning_effort": "none"} if dialect == "gpt" else {}
    if dialect == "mistral":
        text = json.dumps(messages).replace('"a1"', '"aaaaaaaa1"').replace('"a2"', '"aaaaaaaa2"')
        messages = json.loads(text)
    await accepted(request(*messages, tools=[tool(), tool("write_file")], **effort), dialect)


async def test_what_is_allowed_is_not_refused() -> None:
    await accepted(request(user([{"type": "text", "text": "look"}, *IMAGE])))
    await accepted(request(user(), assistant("hi"), user(), stream=True, temperature=0.5))
    await accepted(request(user("你好 🚀"), tools=[tool("a" * 64)], tool_choice="auto"))
    without = assistant("", call("a" * 40))
    del without["content"]
    await accepted(request(user(), without, result("a" * 40), max_tokens=5))
    await accepted(request(user(), stream=True, stream_options={"include_usage": True}))
    # results in another order than the calls: no provider minds
    swapped = [result("a2"), result("a1")]
    await accepted(request(user(), assistant("", call("a1"), call("a2")), *swapped))


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"[]", b'"x"', b'{"model": NaN}', b"\xff\xfe", b'{"model": "a", "model": "b"}'],
)
async def test_a_body_that_is_no_json_object_is_refused(raw: bytes) -> None:
    response, rule = await refused(raw)
    assert (response.status_code, rule) == (400, "json")


@pytest.mark.parametrize("text", ["\ud83d", "a\udc80b", "NUL \0"])
async def test_a_lone_surrogate_or_nul_is_refused_wherever_it_stands(text: str) -> None:
    for body in (
        request(user(text)),
        request(user(), assistant("", call(arguments=f'{{"path": "{text}"}}')), result()),
        request(user(), tools=[tool(description=text)]),
    ):
        assert (await refused(body))[1] == "surrogate"


async def test_a_pair_of_surrogates_is_one_character() -> None:
    async with Endpoint([Say("fine")]) as endpoint:
        raw = b'{"model": "m", "messages": [{"role": "user", "content": "\\ud83d\\ude80"}]}'
        assert (await post(endpoint, raw)).status_code == 200
        assert endpoint.requests[0]["messages"][0]["content"] == "🚀"


@pytest.mark.parametrize(
    ("dialect", "limit"), [("kimi", 2 * 1024 * 1024), ("glm", 2 * 1024 * 1024), ("gpt", 20_000_000)]
)
async def test_a_body_has_a_limit(dialect: str, limit: int) -> None:
    rest = len(json.dumps(request(user(""))))
    await accepted(request(user("a" * (limit - rest))), dialect)
    response, rule = await refused(request(user("a" * (limit - rest + 1))), dialect)
    assert rule == "size"
    assert f"total message size {limit + 1} exceeds limit {limit}" in response.text


@pytest.mark.parametrize(
    "image",
    [
        {"url": "data:image/png;base64,AA=="},
        {"url": "data:image/bmp;base64,Qk0="},
        {"url": "data:image/png;base64,iVBORw0KGgo"},
        {"url": "data:image/jpeg;base64,iVBORw0KGgo="},
        {"url": "file:///tmp/a.png"},
        {"url": 5},
        {"url": "https://example.org/a.png", "name": "a"},
    ],
)
async def test_a_picture_must_be_one(image: Body) -> None:
    response, rule = await refused(request(user([{"type": "image_url", "image_url": image}])))
    assert (response.status_code, rule) == (400, "image-part")


async def test_a_picture_may_be_an_address() -> None:
    image = {"url": "https://example.org/a.png", "detail": "low"}
    await accepted(request(user([{"type": "image_url", "image_url": image}])))


THINKING: dict[str, Any] = {"thinking": {"type": "disabled"}}
MIXED = [user(), assistant("", call(), reasoning_content=""), result(), assistant("done")]
NINE = "abcDEF123"
DIALECT_CASES: list[tuple[str, str, Body]] = [
    ("gpt", "max-tokens", request(user(), max_tokens=5)),
    ("gpt", "temperature", request(user(), temperature=0)),
    ("gpt", "tools-with-effort", request(user(), tools=[tool()])),
    ("gpt", "tools-with-effort", request(user(), tools=[tool()], reasoning_effort="high")),
    ("deepseek", "image", request(user(IMAGE))),
    ("deepseek", "reasoning-missing", request(*step())),
    ("deepseek", "reasoning-missing", request(*MIXED, user())),
    ("r1", "reasoning-present", request(user(), assistant("hi", reasoning_content=""), user())),
    ("r1", "successive", request(user(), user())),
    ("r1", "successive", request(user(), assistant("hi"), assistant("ho"), user())),
    ("r1", "image", request(user(IMAGE))),
    ("kimi", "reasoning-missing", request(*step())),
    ("kimi", "temperature", request(user(), temperature=0.6)),
    ("kimi", "tool-choice-thinking", request(user(), tools=[tool()], tool_choice="required")),
    (
        "kimi",
        "tool-type",
        request(
            user(),
            tools=[tool(parameters={"type": "object", "properties": {"a": {"enum": ["x"]}}})],
        ),
    ),
    (
        "kimi",
        "tool-type",
        request(
            user(),
            tools=[
                tool(
                    parameters={
                        "type": "object",
                        "properties": {"a": {"type": "array", "items": {}}},
                    }
                )
            ],
        ),
    ),
    ("glm", "user-needed", request(system())),
    ("glm", "message-name", request(user() | {"name": "me"})),
    ("glm", "tool-strict", request(user(), tools=[tool(strict=True)])),
    ("glm", "tool-choice-auto", request(user(), tools=[tool()], tool_choice="required")),
    ("glm", "max-completion-tokens", request(user(), max_completion_tokens=5)),
    ("dashscope", "tool-name-forbidden", request(user(), tools=[tool("search")])),
    ("hunyuan", "alternation", request(user(), user())),
    ("hunyuan", "alternation", request(system(), assistant("hi"), user())),
    ("hunyuan", "alternation", request(user(), assistant("", call()), result(), user())),
    ("hunyuan", "alternation", request(user(), assistant("hi"))),
    ("qwen_template", "user-needed", request(system())),
    ("qwen_template", "system-twice", request(system(), user(), system())),
    ("mistral", "id-nine", request(user(), assistant("", call()), result())),
    (
        "mistral",
        "user-after-tool",
        request(user(), assistant("", call(NINE)), result(NINE), user()),
    ),
    ("mistral", "last-role", request(user(), assistant("hi"))),
    (
        "mistral",
        "stream-options-refused",
        request(user(), stream=True, stream_options={"include_usage": True}),
    ),
    ("llamacpp", "assistant-null", request(user(), assistant(None, call()), result())),
]


@pytest.mark.parametrize(("dialect", "rule", "body"), DIALECT_CASES)
async def test_a_dialect_refuses_what_its_provider_refuses(
    dialect: str, rule: str, body: Body
) -> None:
    response, broken = await refused(body, dialect)
    assert broken == rule
    assert response.status_code == DIALECTS[dialect].statuses.get(rule, 400)


def test_every_rule_of_a_dialect_has_a_case() -> None:
    tested = {(dialect, rule) for dialect, rule, _ in DIALECT_CASES}
    for dialect in DIALECTS.values():
        for rule in dialect.rules:
            name = rule.removesuffix("-turn").removesuffix("-call")
            name = "reasoning-missing" if name.startswith("reasoning-missing") else name
            assert (dialect.name, name) in tested


@pytest.mark.parametrize(
    ("dialect", "rule", "body"),
    [case for case in DIALECT_CASES if case[1] not in ("system-twice", "assistant-null")],
)
async def test_the_common_dialect_takes_what_only_one_provider_refuses(
    dialect: str, rule: str, body: Body
) -> None:
    body = {name: value for name, value in body.items() if name != "reasoning_effort"}
    await accepted(body)


async def test_reasoning_that_came_back_or_is_switched_off_passes() -> None:
    both = [*MIXED[:3], assistant("done", reasoning_content="so"), user()]
    await accepted(request(*both), "deepseek")
    await accepted(request(*MIXED, user()), "kimi")
    await accepted(request(user(), assistant("hi"), user()), "deepseek")
    await accepted(request(*step(), **THINKING), "kimi")


@pytest.mark.parametrize(
    ("dialect", "rule_body", "words"),
    [
        ("openai", request(user(), assistant("", call())), "insufficient tool messages"),
        ("kimi", request(user(), assistant("", call("Shell:58"))), "response messages: Shell:58"),
        ("dashscope", request(user(), result()), "preceeding message"),
        ("mistral", request(user(), result()), "there was no previous assistant message"),
        ("glm", request(user(), result()), '"code": "1214"'),
        ("hunyuan", request(user(), user()), "一问一答"),
        ("deepseek", request({"role": "developer", "content": "x"}), "unknown variant"),
        ("qwen-template", request(user(), system()), "System message must be at the beginning."),
        ("dashscope", request(user(), tools=[tool("a" * 65)]), "cannot exceed 64"),
    ],
)
async def test_it_speaks_as_the_provider_does(dialect: str, rule_body: Body, words: str) -> None:
    response, _ = await refused(rule_body, dialect)
    assert words in response.text


@pytest.mark.parametrize(
    ("dialect", "extra", "words"),
    [
        ("openai", {}, "However, your messages resulted in 100 tokens"),
        ("kimi", {}, "exceeded model token limit: 99 (requested: 100)"),
        ("dashscope", {}, "Range of input length should be [1, 99]"),
        ("glm", {}, "Prompt exceeds max length"),
    ],
)
async def test_over_the_window_is_refused_and_no_violation(
    dialect: str, extra: Body, words: str
) -> None:
    def hundred(body: Body) -> int:
        return 100

    async with Endpoint([Say("ok")], dialect, window=99, count=hundred) as endpoint:
        response = await post(endpoint, request(user(), **extra))
        assert (response.status_code, endpoint.violations) == (400, [])
        assert words in response.text


async def test_prompt_and_answer_share_the_window() -> None:
    def hundred(body: Body) -> int:
        return 100

    async with Endpoint([Say("ok")], window=150, count=hundred) as endpoint:
        response = await post(endpoint, request(user(), max_tokens=60))
        assert "requested 160 tokens (100 in the messages, 60 in the completion)" in response.text
        assert response.json()["error"]["code"] == "context_length_exceeded"
        assert (await post(endpoint, request(user(), max_tokens=50))).status_code == 200
