"""Requests for the tests of the server: a valid one, and how to bend it."""

from typing import Any

from tests.endpoint.script import Body


def user(text: object = "hello") -> Body:
    """A user message."""
    return {"role": "user", "content": text}


def system(text: str = "Be brief.") -> Body:
    """A system message."""
    return {"role": "system", "content": text}


def call(identity: str = "a1", name: str = "read_file", arguments: str = '{"path": "x"}') -> Body:
    """One tool call of an assistant message."""
    return {
        "id": identity,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def assistant(text: object = "", *calls: Body, **extra: Any) -> Body:
    """An assistant message, with calls if there are any."""
    message: Body = {"role": "assistant", "content": text, **extra}
    if calls:
        message["tool_calls"] = list(calls)
    return message


def result(identity: str = "a1", text: object = "done") -> Body:
    """A tool message."""
    return {"role": "tool", "tool_call_id": identity, "content": text}


def tool(name: str = "read_file", **extra: Any) -> Body:
    """A tool on offer."""
    parameters = {"type": "object", "properties": {"path": {"type": "string"}}}
    return {
        "type": "function",
        "function": {"name": name, "description": "Reads.", "parameters": parameters, **extra},
    }


def request(*messages: Body, **extra: Any) -> Body:
    """A request with these messages."""
    return {"model": "scripted", "messages": list(messages), **extra}


def step(*, reasoning: bool = False) -> list[Body]:
    """A user message, two parallel calls, their results: valid everywhere but in Mistral's ids."""
    extra = {"reasoning_content": "thinking"} if reasoning else {}
    return [
        system(),
        user(),
        assistant("", call("a1"), call("a2"), **extra),
        result("a1"),
        result("a2"),
    ]
