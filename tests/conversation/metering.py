"""Messages and histories whose size is known to the token, for the meter's tests."""

from app.conversation.classes import Coefficients
from app.conversation.estimate import PER_MESSAGE
from app.conversation.history import History
from app.conversation.messages import (
    Message,
    Part,
    TextPart,
    ToolCall,
)
from app.conversation.meter import Meter
from app.llm.families import coefficients_of

GENERIC = coefficients_of("generic")
QWEN = coefficients_of("qwen3.6")
HAN = Coefficients._make(float(name == "han") for name in Coefficients._fields)
"""One token an ideograph, all else free: a text of n ideographs is n tokens, its tags none."""

TOOLS = '[{"type": "function", "function": {"name": "read_file", "parameters": {}}}]'


def system(length: int = 1000, message_id: str = "s") -> Message:
    return Message(message_id, "system", (TextPart("字" * length),))


def user(message_id: str, length: int, *parts: Part) -> Message:
    return Message(message_id, "user", (TextPart("字" * length), *parts))


def answer(message_id: str, length: int, **more: object) -> Message:
    return Message(message_id, "assistant", (TextPart("字" * length),), **more)  # type: ignore[arg-type]


def step(number: int, length: int) -> tuple[Message, Message]:
    """A call and its result of so many ideographs."""
    call = ToolCall(f"c{number}", "read_file", "{}")
    return (
        Message(f"a{number}", "assistant", calls=(call,)),
        Message(
            f"r{number}", "tool", (TextPart("字" * length),), call_id=call.id, tool="read_file"
        ),
    )


def exchange(
    meter: Meter,
    history: History,
    reply: Message,
    *,
    prompt: int | None,
    completion: int | None = None,
    reasoning: int = 0,
    tools: str = "",
) -> str:
    """One call to the model: sent, answered, the answer appended."""
    meter.sent(history, tools)
    history.append(reply)
    real = meter.message_tokens(reply) if completion is None else completion
    return meter.answered(history, reply, prompt=prompt, completion=real, reasoning=reasoning)


def anchored(real: int = 1200, estimate: int = 1000) -> tuple[Meter, History]:
    """A meter after one answer of 100 tokens; the prompt was estimated and came to `real`."""
    meter = Meter(HAN, ("there", "model"))
    history = History([system(estimate - 100 - 2 * PER_MESSAGE), user("u1", 100)])
    assert exchange(meter, history, answer("a1", 95), prompt=real, completion=100) == "anchored"
    return meter, history
