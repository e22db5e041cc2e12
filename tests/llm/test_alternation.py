"""The user after a result, where user and assistant must alternate (PROVIDERS 1.7)."""

import asyncio
import json

import pytest

from app.conversation.messages import WireMessage
from app.llm.dialects import UNKNOWN, Dialect, dialect_for
from app.llm.errors import HistoryRefused
from app.ports import ModelRequest
from tests.endpoint import Endpoint, Gate, Raw, Say, Status
from tests.endpoint.script import Body
from tests.llm.support import ask, model_at

pytestmark = pytest.mark.usefixtures("closing")

HUNYUAN = dialect_for("https://api.hunyuan.cloud.tencent.com/v1", "hunyuan-t1")
DEEPSEEK = dialect_for("https://api.deepseek.com", "deepseek-v4-pro")


def user(text: str) -> WireMessage:
    return {"role": "user", "content": text}


def step(number: int) -> tuple[WireMessage, ...]:
    """A step with one result."""
    function = {"name": "read_file", "arguments": "{}"}
    call = {"id": f"call{number}", "type": "function", "function": function}
    return (
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"call{number}", "content": "Interrupted by the user."},
    )


STOPPED: tuple[WireMessage, ...] = (user("Look"), *step(1), *step(2), user("Something else"))
"""A turn that was stopped, or failed, after its results; then the user writes."""

LATER: tuple[WireMessage, ...] = (
    *STOPPED,
    {"role": "assistant", "content": "Well."},
    user("And?"),
    *step(3),
)


async def test_the_assistant_has_spoken_before_the_user_does() -> None:
    async with Endpoint([Say("Well."), Say("Fine.")], "hunyuan", prefix_check=True) as endpoint:
        model = model_at(endpoint.base_url, dialect=HUNYUAN)
        await ask(model, ModelRequest(STOPPED))
        await ask(model, ModelRequest(LATER))
        first, second = endpoint.requests
    assert endpoint.violations == []
    spoken = [message for message in first["messages"] if message not in STOPPED]
    assert spoken == [{"role": "assistant", "content": "…"}]
    assert len(second["messages"]) == len(LATER) + 1


async def test_elsewhere_nothing_is_put_between() -> None:
    async with Endpoint([Say("Well.")]) as endpoint:
        await ask(model_at(endpoint.base_url), ModelRequest(STOPPED))
        (body,) = endpoint.requests
    assert body["messages"] == json.loads(json.dumps(STOPPED))


REFUSED = Status(400, {"object": "error", "message": "Unexpected role 'user' after role 'tool'"})


@pytest.mark.parametrize(
    ("dialect", "strict"), [(UNKNOWN, "openai"), (DEEPSEEK, "deepseek")], ids=["unknown", "other"]
)
async def test_it_is_learned_from_a_refusal(dialect: Dialect, strict: str) -> None:
    """What is put between has whatever else the dialect demands."""
    async with Endpoint([REFUSED, Say("Well."), Say("Fine.")], strict) as endpoint:
        model = model_at(endpoint.base_url, dialect=dialect, tries=1)
        assert (await ask(model, ModelRequest(STOPPED))).text == "Well."
        assert (await ask(model, ModelRequest(LATER))).text == "Fine."
        _, first, second = endpoint.requests
    assert endpoint.violations == []
    assert [message["content"] for message in first["messages"]].count("…") == 1
    assert second["messages"][: len(first["messages"])] == first["messages"]


async def test_two_requests_that_are_refused_at_once_both_go_again() -> None:
    both = asyncio.Event()

    def answer(body: Body) -> Say | Raw:
        if any(message["content"] == "…" for message in body["messages"]):
            return Say("Well.")
        if len(endpoint.requests) == 2:
            both.set()
        said = json.dumps(REFUSED.body).encode()
        return Raw([Gate(both), said], code=400, headers={"content-type": "application/json"})

    async with Endpoint(answer) as endpoint:
        model = model_at(endpoint.base_url)
        replies = await asyncio.gather(*(ask(model, ModelRequest(STOPPED)) for _ in range(2)))
    assert [reply.text for reply in replies] == ["Well."] * 2


async def test_where_nothing_would_change_it_is_not_sent_again() -> None:
    async with Endpoint([REFUSED] * 2) as endpoint:
        with pytest.raises(HistoryRefused):
            await ask(model_at(endpoint.base_url), ModelRequest((user("Look"), *step(1))))
        assert endpoint.left == 1


async def test_refused_all_the_same_it_is_an_error_not_a_loop() -> None:
    async with Endpoint([REFUSED] * 3) as endpoint:
        with pytest.raises(HistoryRefused):
            await ask(model_at(endpoint.base_url), ModelRequest(STOPPED))
        assert endpoint.left == 1
