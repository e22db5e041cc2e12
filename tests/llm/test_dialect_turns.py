"""Whole turns against each provider's strict double: reasoning goes back as it demands (1.6).

The dialect is looked up by host, and these servers are all on this machine; so it is given here.
"""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.conversation.messages import Message, TextPart, ToolCall, WireMessage
from app.conversation.wire import to_wire
from app.llm.alternation import alternating
from app.llm.dialects import UNKNOWN, Dialect, dialect_for
from app.llm.errors import ReasoningRefused
from app.llm.sent_reasoning import fitting_reasoning
from app.ports import ModelRequest, Reply, ToolSchema
from tests.endpoint import DONE, Call, Endpoint, Raw, Say, delta, finish
from tests.endpoint.script import Body
from tests.llm.support import ask, model_at

pytestmark = pytest.mark.usefixtures("closing")

READ = ToolSchema("read_file", "Reads.", {"type": "object", "properties": {}})

DEEPSEEK = dialect_for("https://api.deepseek.com", "deepseek-v4-pro")
KIMI = dialect_for("https://api.moonshot.cn/v1", "kimi-k2.6")
GLM = dialect_for("https://open.bigmodel.cn/api/paas/v4", "glm-5.2")
R1 = dialect_for("https://api.deepseek.com", "deepseek-r1")
OPENAI = dialect_for("https://api.openai.com/v1", "gpt-5.5")
OPENAI_56 = dialect_for("https://api.openai.com/v1", "gpt-5.6-sol")


class Talk:
    """A conversation without the agent: what was said, and whatever tools are called."""

    def __init__(self, endpoint: Endpoint, dialect: Dialect) -> None:
        self.messages: list[Message] = []
        self.model = model_at(endpoint.base_url, dialect=dialect, max_tokens=500)

    async def turn(self, text: str) -> Reply:
        """One turn, up to an answer without calls."""
        self._add(Message(self._id(), "user", (TextPart(text),)))
        while True:
            reply = await ask(self.model, ModelRequest(to_wire(self.messages), (READ,)))
            calls = tuple(
                ToolCall(f"call{len(self.messages)}x{i}", call.name, call.arguments)
                for i, call in enumerate(reply.calls)
            )
            parts = (TextPart(reply.text),) if reply.text else ()
            self._add(Message(self._id(), "assistant", parts, calls, reasoning=reply.reasoning))
            for call in calls:
                done = (TextPart("done"),)
                self._add(Message(self._id(), "tool", done, call_id=call.id, tool=call.name))
            if not calls:
                return reply

    def _add(self, message: Message) -> None:
        self.messages.append(message)

    def _id(self) -> str:
        return f"m{len(self.messages)}"


def script(*, thinks: bool) -> Sequence[Say]:
    """Three turns, the first with tools twice."""
    calls = [Call("read_file"), Call("read_file")]
    return [
        Say(calls=calls, reasoning="I look" if thinks else ""),
        Say(calls=calls),
        Say("Found it", reasoning="So that is it" if thinks else ""),
        Say("You are welcome", reasoning="Polite" if thinks else ""),
        Say("Bye"),
    ]


def sent_back(body: Body) -> list[object]:
    """The reasoning of each assistant message of a request, None where it has none."""
    answers = [message for message in body["messages"] if message["role"] == "assistant"]
    return [message.get("reasoning_content") for message in answers]


@pytest.mark.parametrize("thinks", [True, False])
@pytest.mark.parametrize(
    ("dialect", "provider"),
    [(DEEPSEEK, "deepseek"), (KIMI, "kimi"), (GLM, "glm"), (R1, "r1"), (OPENAI_56, "gpt")],
    ids=lambda value: value.name if isinstance(value, Dialect) else value,
)
async def test_three_turns_with_tools_and_nothing_refused(
    dialect: Dialect, provider: str, thinks: bool
) -> None:
    async with Endpoint(script(thinks=thinks), dialect=provider, prefix_check=True) as endpoint:
        talk = Talk(endpoint, dialect)
        assert (await talk.turn("Look")).text == "Found it"
        await talk.turn("Thanks")
        assert (await talk.turn("Bye")).text == "Bye"
    assert endpoint.violations == []
    assert endpoint.refusals == []


@pytest.mark.parametrize(
    ("dialect", "back"),
    [
        (DEEPSEEK, ["I look", "", "So that is it", None]),
        (KIMI, ["I look", "", None, None]),
        (GLM, ["I look", None, None, None]),
        (R1, [None, None, None, None]),
        (OPENAI, [None, None, None, None]),
    ],
    ids=lambda value: value.name if isinstance(value, Dialect) else "",
)
async def test_which_reasoning_goes_back(dialect: Dialect, back: list[object]) -> None:
    async with Endpoint(script(thinks=True)) as endpoint:
        talk = Talk(endpoint, dialect)
        for text in ("Look", "Thanks", "Bye"):
            await talk.turn(text)
    assert [sent_back(body) for body in endpoint.requests] == [back[:n] for n in range(5)]


async def test_the_double_would_have_noticed() -> None:
    async with Endpoint(script(thinks=True), dialect="deepseek") as endpoint:
        with pytest.raises(ReasoningRefused):
            await Talk(endpoint, GLM).turn("Look")
    assert len(endpoint.violations) == 1


HOSTS = {"deepseek": DEEPSEEK, "kimi": KIMI, "glm": GLM, "r1": R1, "gpt": OPENAI_56}


@pytest.mark.parametrize(
    ("then", "thinks"), [*((host, True) for host in HOSTS), ("deepseek", False), ("kimi", False)]
)
async def test_another_model_goes_on_with_what_each_of_the_others_said(
    then: str, thinks: bool
) -> None:
    """What one decided for its messages is refused by another: `/model`, or a resumed session."""
    later = [*script(thinks=thinks)[:3], Say("Well"), Say("Bye")]
    for first, dialect in HOSTS.items():
        async with (
            Endpoint(script(thinks=thinks), dialect=first) as before,
            Endpoint(later, dialect=then, prefix_check=True) as after,
        ):
            talk = Talk(before, dialect)
            await talk.turn("Look")
            await talk.turn("Thanks")
            talk.model = model_at(after.base_url, dialect=HOSTS[then], max_tokens=500)
            assert (await talk.turn("Look again")).text == "Found it"
            await talk.turn("Thanks again")
            assert (await talk.turn("Bye")).text == "Bye"
        assert (first, before.refusals, after.refusals) == (first, [], [])


@pytest.mark.parametrize("dialect", [R1, OPENAI, UNKNOWN], ids=lambda dialect: dialect.name)
async def test_who_may_refuse_reasoning_gets_none_of_another_model(dialect: Dialect) -> None:
    async with (
        Endpoint(script(thinks=True)) as before,
        Endpoint([Say("Bye"), Say("Bye")], prefix_check=True) as after,
    ):
        talk = Talk(before, DEEPSEEK)
        await talk.turn("Look")
        assert sent_back(before.requests[-1]) == ["I look", ""]
        talk.model = model_at(after.base_url, dialect=dialect)
        await talk.turn("Bye")
        await talk.turn("Bye")
    assert sent_back(after.requests[-1]) == [None] * 4
    assert [message.reasoning.send for message in talk.messages if message.reasoning] == [True] * 3


async def test_what_openrouter_understands_is_replaced_for_who_demands_reasoning() -> None:
    openrouter = dialect_for("https://openrouter.ai/api/v1", "some/model")
    details = [{"type": "reasoning.text", "text": "hm"}]
    calls = [{"index": 0, "id": "a", "function": {"name": "read_file", "arguments": "{}"}}]
    called = Raw([delta(reasoning_details=details, tool_calls=calls), finish("tool_calls"), DONE])
    async with (
        Endpoint([called, Say("Found it")]) as before,
        Endpoint([Say("Bye")], dialect="deepseek") as after,
    ):
        talk = Talk(before, openrouter)
        await talk.turn("Look")
        assert "reasoning_details" in before.requests[1]["messages"][1]
        talk.model = model_at(after.base_url, dialect=DEEPSEEK)
        await talk.turn("Bye")
        (body,) = after.requests
        assert after.violations == []
    assert sent_back(body) == ["", ""]
    assert not any("reasoning_details" in message for message in body["messages"])


KINDS: tuple[WireMessage, ...] = (
    {"role": "user", "content": "Look"},
    {"role": "tool", "tool_call_id": "a", "content": "done"},
    {"role": "assistant", "content": "Well"},
    {"role": "assistant", "content": "Well", "reasoning_content": "hm"},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "a"}]},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "a"}], "reasoning": "hm"},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "a"}], "reasoning_details": []},
)


@pytest.mark.parametrize("dialect", [DEEPSEEK, KIMI, GLM, R1], ids=lambda dialect: dialect.name)
@given(st.lists(st.sampled_from(KINDS), max_size=12))
def test_what_was_sent_stays_whatever_follows(
    dialect: Dialect, messages: list[WireMessage]
) -> None:
    """Also after a resume, and when another model spoke in between."""
    after = fitting_reasoning(alternating(messages), dialect)
    for sent in range(len(messages)):
        before = fitting_reasoning(alternating(messages[:sent]), dialect)
        assert after[: len(before)] == before
    kept = [message for message in after if message["content"] != "…"]
    assert [one["content"] for one in kept] == [one["content"] for one in messages]
