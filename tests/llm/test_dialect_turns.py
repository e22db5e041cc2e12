"""Whole turns against each provider's strict double: reasoning goes back as it demands (1.6).

The dialect is looked up by host, and these servers are all on this machine; so it is given here.
"""

from collections.abc import Sequence

import pytest

from app.conversation.messages import Message, TextPart, ToolCall
from app.conversation.wire import to_wire
from app.llm.dialects import Dialect, dialect_for
from app.llm.errors import ReasoningRefused
from app.ports import ModelRequest, Reply, ToolSchema
from tests.endpoint import Call, Endpoint, Say
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
