"""OpenAI's chat format: a message a line, a list of them, or `{"messages": […]}`, perhaps a line.

Where such lines each hold the messages of the one before, as a log of requests does, what stood
there before isn't said again.
"""

from collections.abc import Iterable, Iterator

from app.replay.building import Builder
from app.replay.importers.blocks import objects, openai_calls, read_content, text_of
from app.replay.importers.lines import Value

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


def detect(first: list[dict[str, object]]) -> bool:
    """Whether a file is of this format, by its first objects."""
    for value in first:
        if text_of(value, "role") in _ROLES and ("content" in value or "tool_calls" in value):
            return True
        if any(text_of(one, "role") in _ROLES for one in objects(value.get("messages"))):
            return True
    return False


def read(values: Iterable[Value], into: Builder) -> None:
    """Reads it."""
    for value in _messages(values):
        if value is None:
            into.skip("unreadable")
        elif text_of(value, "role") not in _ROLES:
            into.skip("unknown")
        else:
            say(value, into)


def say(value: dict[str, object], into: Builder) -> None:
    """One message in this format."""
    content = read_content(value.get("content"))
    at = text_of(value, "timestamp", "created_at", "at")
    for _ in range(content.unknown):
        into.skip("unknown")
    match value.get("role"):
        case "system" | "developer":
            into.system(content.text, at)
        case "tool" | "function":
            into.result(text_of(value, "tool_call_id"), content.text, at)
        case "assistant":
            into.model = text_of(value, "model") or into.model
            said = content.text or text_of(value, "refusal")
            into.assistant(said, (*openai_calls(value), *content.calls), at)
        case _:
            for given in content.results:
                into.result(given.call, given.text, at, ok=given.ok)
            if content.text.strip() or not (content.results or content.unknown):
                into.user(content.text, at)


def _messages(values: Iterable[Value]) -> Iterator[Value]:
    """Messages, taken out of what holds them."""
    before: list[object] = []
    for value in values:
        inner = None if value is None or "role" in value else value.get("messages")
        if isinstance(inner, list):
            known = len(before) if inner[: len(before)] == before else 0
            before = inner
            yield from (one if isinstance(one, dict) else None for one in inner[known:])
        else:
            yield value
