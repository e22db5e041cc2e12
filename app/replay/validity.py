"""Whether a provider would take a request: OpenAI's rules, read strictly (PROVIDERS 1.7).

Our own check of what our own code sends, so it shares nothing with it.
"""

import json
from typing import Literal

from app.conversation.messages import WireMessage

Fault = Literal[
    "empty", "role", "system", "content", "orphan", "unanswered", "calls", "call_id", "arguments"
]
"""What is wrong: nothing is sent; a role nobody knows; a system message that isn't the first; no
content; a result of no call; a call without a result; calls where none may be; an id that is
missing or comes twice; arguments that are no JSON object."""

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})


def fault_of(messages: tuple[WireMessage, ...]) -> Fault | None:
    """The first thing that is wrong with a request; None where nothing is."""
    if not messages:
        return "empty"
    waiting: set[str] = set()
    seen: set[str] = set()
    for place, message in enumerate(messages):
        role, content = message.get("role"), message.get("content")
        if role not in _ROLES:
            return "role"
        if role in {"system", "developer"} and place:
            return "system"
        if role == "tool":
            call = message.get("tool_call_id")
            if not isinstance(call, str) or call not in waiting:
                return "orphan"
            if not isinstance(content, str | list):
                return "content"
            waiting.discard(call)
            continue
        if waiting:
            return "unanswered"
        calls = message.get("tool_calls")
        if calls is None:
            if not isinstance(content, str | list) or not content:
                return "content"
            continue
        fault = _fault_of_calls(calls, role, seen, waiting)
        if fault is not None:
            return fault
    return "unanswered" if waiting else None


def _fault_of_calls(calls: object, role: object, seen: set[str], waiting: set[str]) -> Fault | None:
    if role != "assistant" or not isinstance(calls, list) or not calls:
        return "calls"
    for call in calls:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or call.get("type") != "function":
            return "calls"
        if not isinstance(function.get("name"), str) or not function["name"]:
            return "calls"
        name = call.get("id")
        if not isinstance(name, str) or not name or name in seen:
            return "call_id"
        if not _is_object(function.get("arguments")):
            return "arguments"
        seen.add(name)
        waiting.add(name)
    return None


def _is_object(text: object) -> bool:
    try:
        return isinstance(text, str) and isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
