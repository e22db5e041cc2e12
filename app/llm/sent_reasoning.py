"""Reasoning in messages that another model wrote, as this endpoint takes it (PROVIDERS 1.6).

A message keeps what its own dialect decided (`dialects`). Another model that goes on with the
conversation may refuse that: OpenAI and the old R1 reasoning they see, DeepSeek and Kimi a message
that has none. What is added or left out follows from the messages before it and the dialect alone,
so bytes already sent to this endpoint stay the same.
"""

from collections.abc import Sequence

from app.conversation.messages import WireMessage
from app.llm.dialects import Dialect, SendBack
from app.llm.reasoning import DETAILS_FIELD, PLAIN_FIELDS

_ALL_FIELDS = frozenset((*PLAIN_FIELDS, DETAILS_FIELD))
_DEMANDS = frozenset({SendBack.CALLS_ALWAYS, SendBack.TOOL_TURNS})


def fitting_reasoning(messages: Sequence[WireMessage], dialect: Dialect) -> tuple[WireMessage, ...]:
    """The messages, each as it is or with what the dialect demands or without what it refuses."""
    if dialect.send_back is SendBack.NEVER:
        return tuple(_without(message, _ALL_FIELDS) for message in messages)
    if dialect.send_back not in _DEMANDS:
        return tuple(messages)
    fitting: list[WireMessage] = []
    after_result = False
    for message in messages:
        role = message.get("role")
        if role in {"user", "tool"}:
            after_result = role == "tool"
        in_turn = after_result and dialect.send_back is SendBack.TOOL_TURNS
        if role == "assistant" and (in_turn or message.get("tool_calls")):
            fitting.append(_with(message, dialect.field))
        else:
            fitting.append(message)
    return tuple(fitting)


def _with(message: WireMessage, field: str) -> WireMessage:
    """With the field, "" where no reasoning stands under any; what OpenRouter understands goes."""
    if any(name in message for name in PLAIN_FIELDS):
        return message
    return {**_without(message, _ALL_FIELDS), field: ""}


def _without(message: WireMessage, fields: frozenset[str]) -> WireMessage:
    if fields.isdisjoint(message):
        return message
    return {name: value for name, value in message.items() if name not in fields}
