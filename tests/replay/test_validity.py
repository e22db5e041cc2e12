"""What a strict provider refuses."""

import pytest

from app.conversation.messages import WireMessage
from app.replay.validity import fault_of


def calling(*ids: str, arguments: str = "{}") -> WireMessage:
    calls = [
        {"id": one, "type": "function", "function": {"name": "read", "arguments": arguments}}
        for one in ids
    ]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def answer(call: str) -> WireMessage:
    return {"role": "tool", "tool_call_id": call, "content": ""}


USER: WireMessage = {"role": "user", "content": "hello"}
SYSTEM: WireMessage = {"role": "system", "content": "be brief"}


@pytest.mark.parametrize(
    ("messages", "fault"),
    [
        ((SYSTEM, USER, calling("a", "b"), answer("b"), answer("a"), USER), None),
        ((USER, calling("a"), answer("a"), calling("b"), answer("b")), None),
        ((), "empty"),
        (({"role": "robot", "content": "x"},), "role"),
        ((USER, SYSTEM), "system"),
        (({"role": "user", "content": ""},), "content"),
        (({"role": "assistant", "content": None},), "content"),
        ((USER, answer("a")), "orphan"),
        ((calling("a"), answer("a"), answer("a")), "orphan"),
        ((calling("a"), USER, answer("a")), "unanswered"),
        ((calling("a", "b"), answer("a")), "unanswered"),
        ((calling("a"), answer("a"), calling("a"), answer("a")), "call_id"),
        ((calling("a", "a"), answer("a")), "call_id"),
        ((calling(""), answer("")), "call_id"),
        ((calling("a", arguments="[]"), answer("a")), "arguments"),
        ((calling("a", arguments='{"a":'), answer("a")), "arguments"),
        (({**USER, "tool_calls": []},), "calls"),
        (({"role": "assistant", "content": "x", "tool_calls": []},), "calls"),
        ((USER, calling("a"), {**answer("a"), "content": None}), "content"),
    ],
)
def test_faults(messages: tuple[WireMessage, ...], fault: str | None) -> None:
    assert fault_of(messages) == fault
