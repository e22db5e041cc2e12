"""Which pictures go out: what the model sees, what the endpoint takes, what it taught us."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.conversation.images import BLIND, Sight, picture
from app.conversation.messages import Message, TextPart, ToolCall, WireMessage
from app.conversation.wire import to_wire
from app.llm.dialects import Dialect, dialect_for
from app.llm.pictures import Left, sendable
from app.llm.sight import Images, sight_for, sight_of
from app.ports import ModelRequest
from tests.endpoint.script import Say, Status
from tests.endpoint.server import Endpoint
from tests.llm.support import EN, ask, model_at
from tests.session.support import ScriptedModel

pytestmark = pytest.mark.usefixtures("closing")

PNG = b"\x89PNG\r\n\x1a\n"
LEFT = Left(blind="(blind)", body="(body)")
SEES = Sight(user=True, results=True, known=True)


def user(size: int, text: str = "Look", number: int = 0) -> Message:
    made = picture(f"{number}.png", PNG + bytes([number]) * (size - len(PNG)))
    assert made is not None
    return Message(f"u{number}", "user", (TextPart(text), made))


def talk(*sizes: int) -> tuple[WireMessage, ...]:
    """A picture in each turn."""
    said = []
    for number, size in enumerate(sizes):
        said += [user(size, number=number), Message(f"a{number}", "assistant", (TextPart("ok"),))]
    return to_wire(said[:-1])


def contents(wire: list[WireMessage]) -> list[Any]:
    return [message["content"] for message in wire if message["role"] == "user"]


@pytest.mark.parametrize(
    ("model", "images", "user", "results", "known"),
    [
        ("gpt-5.5", "auto", True, True, True),
        ("anthropic/claude-opus-5", "auto", True, True, True),
        ("qwen3.6-plus", "auto", True, True, True),
        ("kimi-k2.6", "auto", True, True, True),
        ("deepseek-v4-pro", "auto", False, False, True),
        ("glm-5.2", "auto", False, False, True),
        ("glm-4.6v", "auto", True, True, True),
        ("my-own-model", "auto", False, False, False),
        ("my-own-model", "on", True, True, True),
        ("gpt-5.5", "off", False, False, True),
        # PROVIDERS 1.7: no user message right after a result.
        ("mistral-large-2512", "auto", True, False, True),
        ("tencent/hy3", "on", True, False, True),
    ],
)
def test_who_sees_pictures(
    model: str, images: Images, user: bool, results: bool, known: bool
) -> None:
    sight = sight_for(model, Dialect("x"), images)
    assert (sight.user, sight.results, sight.known) == (user, results, known)


def test_the_body_is_the_dialects() -> None:
    kimi = dialect_for("https://api.kimi.com/coding/v1", "kimi-for-coding")
    assert sight_for("kimi-for-coding", kimi).body == 2_097_152
    assert sight_for("kimi-for-coding", kimi).largest() < 1_200_000
    assert sight_for("gpt-5.5", dialect_for("https://api.openai.com/v1", "gpt-5.5")).body == 20e6


def test_a_model_that_does_not_say_sees_none() -> None:
    assert sight_of(ScriptedModel()) == BLIND
    assert sight_of(model_at("http://127.0.0.1:1/v1", name="gpt-5.5")).user


def test_without_pictures_messages_are_the_same_objects() -> None:
    wire = to_wire([Message("u", "user", (TextPart("Hi"),))])
    assert sendable(wire, BLIND, LEFT)[0] is wire[0]


def test_a_model_that_sees_none_gets_one_string() -> None:
    """PROVIDERS 1.7: Ollama would split parts; DeepSeek refuses the session for good."""
    wire = talk(100, 100)
    assert contents(sendable(wire, BLIND, LEFT)) == ["Look\n\n(blind)"] * 2
    assert isinstance(wire[0]["content"], list), "the request itself isn't changed"


def test_what_fits_goes_out_untouched() -> None:
    wire = talk(100, 100)
    assert sendable(wire, SEES, LEFT) == list(wire)


@given(
    st.lists(st.integers(9, 4_000), min_size=1, max_size=8),
    st.integers(600, 30_000),
    st.text(max_size=500),
)
def test_the_oldest_stay_behind_until_the_rest_fits(
    sizes: list[int], body: int, tools: str
) -> None:
    wire = talk(*sizes)
    sight = Sight(user=True, results=True, body=body)
    sent = sendable(wire, sight, LEFT, others=tools)
    shown = [isinstance(content, list) for content in contents(sent)]
    assert shown == sorted(shown), "the oldest first"
    size = len(json.dumps([sent, tools], ensure_ascii=False).encode())
    assert size <= body or not any(shown)
    assert sendable(sent, sight, LEFT, others=tools) == sent


async def test_old_pictures_stay_behind_at_a_strict_endpoint() -> None:
    """Three pictures of 800 KB at an endpoint that takes 2 MiB."""
    kimi = dialect_for("https://api.kimi.com/coding/v1", "kimi-for-coding")
    async with Endpoint([Say("a cat")], "kimi") as endpoint:
        model = model_at(endpoint.base_url, name="kimi-for-coding", dialect=kimi)
        await ask(model, ModelRequest(talk(800_000, 800_000, 800_000)))
        assert endpoint.refusals == []
        old, older, new = contents(endpoint.requests[0]["messages"])
        assert old.startswith("Look\n\n[An image was left out: with it the request would be larger")
        assert older == old
        assert [part["type"] for part in new] == ["text", "image_url"]


async def test_thirty_screenshots_of_two_megabytes_go_to_a_strict_endpoint() -> None:
    """FIELD 69."""
    async with Endpoint([Say("a cat")], "openai") as endpoint:
        model = model_at(endpoint.base_url, name="gpt-5.5")
        await ask(model, ModelRequest(talk(*[2_000_000] * 30)))
        assert endpoint.violations == []
        shown = [isinstance(one, list) for one in contents(endpoint.requests[0]["messages"])]
        assert shown == [False] * 23 + [True] * 7


async def test_pictures_of_results_pass_the_strict_endpoint() -> None:
    made = picture("a.png", PNG)
    assert made is not None
    call = ToolCall("c1", "read_file", '{"path": "a.png"}')
    result = Message("t", "tool", (TextPart("seen"), made), call_id="c1", tool="read_file")
    step = [Message("u", "user", (TextPart("Look"),)), Message("a", "assistant", calls=(call,))]
    for dialect in ("openai", "gpt", "glm", "dashscope", "qwen_template", "llamacpp"):
        async with Endpoint([Say("a cat")], dialect) as endpoint:
            model = model_at(endpoint.base_url, name="gpt-4o")
            await ask(model, ModelRequest(to_wire([*step, result])))
            assert endpoint.violations == []


@pytest.mark.parametrize("dialect", ["deepseek", "r1"])
async def test_an_endpoint_that_takes_none_teaches_it_for_good(dialect: str) -> None:
    """PROVIDERS 1.7: the session isn't dead because history holds a picture."""
    async with Endpoint([Say("I see none"), Say("still none")], dialect) as endpoint:
        model = model_at(endpoint.base_url, name="gpt-4o")
        assert (await ask(model, ModelRequest(talk(100)))).text == "I see none"
        assert [one.partition(":")[0] for one in endpoint.refusals] == ["image"]
        assert endpoint.requests[1]["messages"][0]["content"].endswith(
            EN("tool_result.image_left_blind")
        )
        assert model.sight == Sight(known=True)
        await ask(model, ModelRequest(talk(100)))
        assert len(endpoint.refusals) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Failed to deserialize: unknown variant `image_url`, expected `text`",
        "Invalid request: unsupported image url",
        "image input is not supported - hint: you may need to provide the mmproj",
        "This model does not support image input.",
        "Vision is not supported for this model",
    ],
)
async def test_refusals_are_understood(text: str) -> None:
    async with Endpoint([Status(400, {"error": {"message": text}}), Say("ok")]) as endpoint:
        model = model_at(endpoint.base_url, name="gpt-4o")
        await ask(model, ModelRequest(talk(100)))
        assert isinstance(endpoint.requests[1]["messages"][0]["content"], str)
