"""What contents are made of in recordings: texts, or lists of blocks of several providers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from app.replay.building import Asked

_TEXTS = frozenset({"text", "input_text", "output_text", "summary_text", "Text"})
_IMAGES = frozenset({"image", "image_url", "input_image", "local_image"})
_THOUGHTS = frozenset({"thinking", "redacted_thinking", "reasoning"})

IMAGE = "[image]"
"""Stands for a picture: what it shows isn't replayed."""


@dataclass(frozen=True, slots=True)
class Given:
    """A result among blocks; `ok`: nothing says that the call failed."""

    call: str
    text: str
    ok: bool = True


@dataclass(frozen=True, slots=True)
class Read:
    """A content.

    Attributes:
        text: what is said.
        calls: tools that are called.
        results: what calls gave.
        unknown: blocks nobody knows.
    """

    text: str
    calls: tuple[Asked, ...] = ()
    results: tuple[Given, ...] = ()
    unknown: int = 0


def read_content(content: object) -> Read:
    """A content, whatever it is; thoughts are left out: they aren't sent again."""
    if isinstance(content, str):
        return Read(content)
    texts: list[str] = []
    calls: list[Asked] = []
    results: list[Given] = []
    unknown = 0
    for block in objects(content):
        kind = text_of(block, "type")
        if kind in _TEXTS or (not kind and "text" in block):
            texts.append(text_of(block, "text"))
        elif kind == "refusal":
            texts.append(text_of(block, "refusal"))
        elif kind in _IMAGES:
            texts.append(IMAGE)
        elif kind == "tool_use":
            name = text_of(block, "name")
            calls.append(Asked(text_of(block, "id"), name, block.get("input")))
        elif kind == "tool_result":
            inner = read_content(block.get("content"))
            failed = block.get("is_error") is True
            results.append(Given(text_of(block, "tool_use_id"), inner.text, not failed))
        elif kind not in _THOUGHTS:
            unknown += 1
    if isinstance(content, list):
        texts += [one for one in content if isinstance(one, str)]
    return Read("\n".join(filter(None, texts)), tuple(calls), tuple(results), unknown)


def openai_calls(message: dict[str, object]) -> tuple[Asked, ...]:
    """The `tool_calls` of a message, or its one `function_call` of old."""
    found = []
    for call in objects(message.get("tool_calls")):
        function = call.get("function")
        told = cast("dict[str, object]", function) if isinstance(function, dict) else call
        found.append(Asked(text_of(call, "id"), text_of(told, "name"), told.get("arguments")))
    old = message.get("function_call")
    if not found and isinstance(old, dict):
        found.append(Asked("", text_of(old, "name"), old.get("arguments")))
    return tuple(found)


def objects(value: object) -> Iterator[dict[str, object]]:
    """The objects of a list; none where it is no list."""
    for one in value if isinstance(value, list) else ():
        if isinstance(one, dict):
            yield one


def text_of(value: dict[str, object], *names: str) -> str:
    """The text under the first of these names that has one; numbers as text."""
    for name in names:
        found = value.get(name)
        if isinstance(found, str) and found:
            return found
        if isinstance(found, int | float) and not isinstance(found, bool):
            return str(found)
    return ""
