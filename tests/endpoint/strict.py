"""The rules for a request as a whole: its bytes, its fields, its tools, its window."""

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.endpoint.dialects import COMMON_FIELDS, Dialect, Fault, fault
from tests.endpoint.script import Body
from tests.endpoint.strict_messages import message_faults

MAX_TOOLS = 128
MAX_NAME = 64
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]+")

_SURROGATE = re.compile("[\ud800-\udfff]")

_OPTIONS = {"include_usage", "include_obfuscation"}
_TYPES: dict[str, tuple[str, type | tuple[type, ...]]] = {
    "model": ("a string", str),
    "messages": ("an array", list),
    "stream": ("a boolean", bool),
    "tools": ("an array", list),
    "temperature": ("a number", (int, float)),
    "max_tokens": ("an integer", int),
    "max_completion_tokens": ("an integer", int),
}


class UnreadableError(Exception):
    """The body isn't a JSON object; carries the fault."""

    def __init__(self, broken: Fault) -> None:
        super().__init__(broken.rule)
        self.broken = broken


def parse_body(raw: bytes) -> Body:
    """The request's body.

    Raises:
        UnreadableError: not UTF-8, not JSON (NaN isn't either), not an object, a key twice.
    """
    try:
        body = json.loads(raw.decode("utf-8"), parse_constant=_refuse, object_pairs_hook=_once)
    except ValueError:
        raise UnreadableError(fault("json")) from None
    if not isinstance(body, dict):
        raise UnreadableError(fault("json"))
    return body


def _refuse(constant: str) -> object:
    raise ValueError(constant)


def _once(pairs: list[tuple[str, object]]) -> Body:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key twice")
    return found


def faults(raw: bytes, body: Body, dialect: Dialect) -> Iterator[Fault]:
    """Every rule that the request breaks, in the order a server would notice."""
    if len(raw) > dialect.body:
        yield fault("size", size=len(raw), limit=dialect.body)
    if b"\\u" in raw:  # strict UTF-8 and JSON: nowhere else can there be any
        yield from _unsendable(body, "body")
    yield from _field_faults(body, dialect)
    tools = body.get("tools")
    if isinstance(tools, list):
        yield from _tool_faults(tools, dialect)
    yield from _choice_faults(body, dialect)
    messages = body.get("messages")
    if isinstance(messages, list):
        yield from message_faults(messages, dialect, thinking=_thinking(body))


def _unsendable(value: object, where: str) -> Iterator[Fault]:
    if isinstance(value, str):
        if "\0" in value or (not value.isascii() and _SURROGATE.search(value)):
            yield fault("surrogate", where=where)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _unsendable(key, f"{where}.{key!a}")
            yield from _unsendable(item, f"{where}.{key!a}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unsendable(item, f"{where}[{index}]")


def _field_faults(body: Body, dialect: Dialect) -> Iterator[Fault]:
    for name in body:
        if name not in COMMON_FIELDS | dialect.fields:
            yield fault("field", field=name)
    if not body.get("model"):
        yield fault("model")
    if body.get("messages") is None:
        yield fault("type", where="messages", expected="an array", got="nothing")
    for name, (expected, kind) in _TYPES.items():
        value = body.get(name)
        if name in body and (
            not isinstance(value, kind) or (kind is not bool and isinstance(value, bool))
        ):
            yield fault("type", where=name, expected=expected, got=type(value).__name__)
    yield from _option_faults(body, dialect)
    yield from _number_faults(body, dialect)


def _option_faults(body: Body, dialect: Dialect) -> Iterator[Fault]:
    if "stream_options" not in body:
        return
    options = body["stream_options"]
    if "stream-options-refused" in dialect.rules:
        yield fault("stream-options-refused")
    elif body.get("stream") is not True:
        yield fault("stream-options")
    elif not isinstance(options, dict):
        got = type(options).__name__
        yield fault("type", where="stream_options", expected="an object", got=got)
    else:
        for name, value in options.items():
            if name not in _OPTIONS:
                yield fault("stream-options-shape", field=name)
            elif not isinstance(value, bool):
                where, got = f"stream_options.{name}", type(value).__name__
                yield fault("type", where=where, expected="a boolean", got=got)


def _number_faults(body: Body, dialect: Dialect) -> Iterator[Fault]:
    for name in ("max_tokens", "max_completion_tokens"):
        if name in body and name.replace("_", "-") in dialect.rules:
            yield fault(name.replace("_", "-"))
    temperature = body.get("temperature")
    if "temperature" in dialect.rules and temperature not in (None, 1):
        yield fault("temperature", value=temperature)
    effort = body.get("reasoning_effort")
    if "tools-with-effort" in dialect.rules and body.get("tools") and effort != "none":
        yield fault("tools-with-effort", model=body.get("model"))


def _tool_faults(tools: list[Any], dialect: Dialect) -> Iterator[Fault]:
    if not tools:
        yield fault("tools-empty")
    if len(tools) > MAX_TOOLS:
        yield fault("tools-many", count=len(tools))
    seen: set[str] = set()
    for index, tool in enumerate(tools):
        function = tool.get("function") if isinstance(tool, dict) else None
        if not isinstance(function, dict) or set(tool) != {"type", "function"}:
            yield fault("tool-shape", where=f"tools[{index}]")
            continue
        if tool["type"] != "function" or not isinstance(function.get("name"), str):
            yield fault("tool-shape", where=f"tools[{index}]")
            continue
        name = function["name"]
        yield from name_faults(name, f"tools[{index}].function.name")
        if name in seen:
            yield fault("tool-name-twice", name=name)
        seen.add(name)
        if name in dialect.forbidden:
            yield fault("tool-name-forbidden", name=name)
        if "strict" in function and "tool-strict" in dialect.rules:
            yield fault("tool-strict")
        yield from _schema_faults(function, index, dialect)


def name_faults(name: str, where: str) -> Iterator[Fault]:
    """What is wrong with a tool's name, in a schema or in the history."""
    if not TOOL_NAME.fullmatch(name):
        yield fault("tool-name", where=where)
    elif len(name) > MAX_NAME:
        yield fault("tool-name-long", where=where, length=len(name))


def _schema_faults(function: Body, index: int, dialect: Dialect) -> Iterator[Fault]:
    unknown = set(function) - {"name", "description", "parameters", "strict"}
    parameters = function.get("parameters", {"type": "object"})
    if unknown or not isinstance(parameters, dict) or parameters.get("type") != "object":
        yield fault("tool-shape", where=f"tools[{index}].function")
    elif "tool-type" in dialect.rules:
        for name in _untyped(parameters):
            yield fault("tool-type", name=function["name"], property=name)


def _untyped(schema: Body) -> Iterator[str]:
    properties = schema.get("properties")
    for name, inner in (properties if isinstance(properties, dict) else {}).items():
        if not isinstance(inner, dict) or "type" not in inner:
            yield name
        else:
            yield from _untyped(inner)
    items = schema.get("items")
    if isinstance(items, dict):
        if "type" not in items:
            yield "items"
        yield from _untyped(items)


def _choice_faults(body: Body, dialect: Dialect) -> Iterator[Fault]:
    if "tool_choice" not in body:
        return
    choice = body["tool_choice"]
    if not body.get("tools"):
        yield fault("tool-choice")
    if "tool-choice-auto" in dialect.rules and choice != "auto":
        yield fault("tool-choice-auto")
    if "tool-choice-thinking" in dialect.rules and _thinking(body) and choice == "required":
        yield fault("tool-choice-thinking")


def _thinking(body: Body) -> bool:
    """Whether a thinking model thinks: by default, unless switched off (PROVIDERS 1.6)."""
    switch = body.get("thinking")
    return not (isinstance(switch, dict) and switch.get("type") == "disabled")


def window_faults(body: Body, prompt: int, window: int) -> Iterator[Fault]:
    """Whether the request is larger than the window (PROVIDERS 1.3); that is no violation."""
    completion = body.get("max_completion_tokens") or body.get("max_tokens") or 0
    values = {
        "window": window,
        "prompt": prompt,
        "completion": completion,
        "total": prompt + completion,
    }
    if prompt > window:
        yield fault("overflow", **values)
    elif prompt + completion > window:
        yield fault("overflow-completion", **values)
