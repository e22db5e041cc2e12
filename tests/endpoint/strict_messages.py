"""The rules for the messages of a request: roles, contents, and calls paired with results."""

import base64
import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from tests.endpoint.dialects import Dialect, Fault, fault
from tests.endpoint.script import Body

MAX_ID = 40
"""OpenAI's limit of a tool call's id (PROVIDERS 1.7)."""

_DATA_URL = re.compile(r"data:image/(png|jpeg|gif|webp);base64,([A-Za-z0-9+/]+={0,2})")
_CHECKED: dict[tuple[int, int], str] = {}
"""What was found of data URLs: a conversation sends the same megabytes again each time."""

_STARTS: dict[str, tuple[bytes, ...]] = {
    "png": (b"\x89PNG\r\n\x1a\n",),
    "jpeg": (b"\xff\xd8\xff",),
    "gif": (b"GIF87a", b"GIF89a"),
    "webp": (b"RIFF",),
}
_NINE = re.compile(r"[a-zA-Z0-9]{9}")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_FIELDS = {
    "system": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {
        "role",
        "content",
        "name",
        "tool_calls",
        "reasoning_content",
        "reasoning",
        "reasoning_details",
    },
    "tool": {"role", "content", "tool_call_id", "name"},
}


def message_faults(messages: list[Any], dialect: Dialect, *, thinking: bool) -> Iterator[Fault]:
    """Every rule that the messages break."""
    if not messages:
        yield fault("messages-empty")
    for index, message in enumerate(messages):
        if not isinstance(message, dict):
            got = type(message).__name__
            yield fault("type", where=f"messages[{index}]", expected="an object", got=got)
            return
        yield from _role_faults(index, message, messages)
        yield from _content_faults(index, message, dialect)
        yield from _call_faults(index, message, dialect)
    yield from _pairing_faults(messages)
    yield from _order_faults(messages, dialect)
    if thinking:
        yield from _reasoning_faults(messages, dialect)


def _role_faults(index: int, message: Body, messages: Sequence[Body]) -> Iterator[Fault]:
    role = message.get("role")
    if role == "developer":
        yield fault("developer", index=index)
        return
    allowed = _FIELDS.get(role) if isinstance(role, str) else None
    if allowed is None:
        yield fault("role", role=role, index=index)
        return
    for name in message:
        if name not in allowed:
            yield fault("message-field", field=name, index=index)
    if role == "system" and index > 0:
        earlier = any(other.get("role") == "system" for other in messages[:index])
        yield fault("system-twice" if earlier else "system-first", index=index)


def _content_faults(index: int, message: Body, dialect: Dialect) -> Iterator[Fault]:
    role, content = message.get("role"), message.get("content")
    if role == "tool":
        if content is None:
            yield fault("tool-null", index=index)
        elif isinstance(content, list):
            yield fault("tool-list", index=index)
        elif content == "":
            yield fault("tool-empty", index=index)
    elif role == "assistant":
        if "content" in message and content is None:
            yield fault("assistant-null", index=index)
        elif not _said(content) and not message.get("tool_calls"):
            yield fault("assistant-empty", index=index)
    elif not _said(content):
        yield fault("empty-content", index=index, role=role)
    if isinstance(content, list):
        yield from _part_faults(index, role, content, dialect)
    elif content is not None and not isinstance(content, str):
        got = type(content).__name__
        yield fault("type", where=f"messages[{index}].content", expected="a string", got=got)
    if "name" in message and "message-name" in dialect.rules:
        yield fault("message-name", index=index)
    if message.get("reasoning_content") is not None and "reasoning-present" in dialect.rules:
        yield fault("reasoning-present", index=index)


def _said(content: object) -> bool:
    return bool(content.strip()) if isinstance(content, str) else bool(content)


def _part_faults(index: int, role: object, parts: list[Any], dialect: Dialect) -> Iterator[Fault]:
    for number, part in enumerate(parts):
        kind = part.get("type") if isinstance(part, dict) else None
        where = f"messages[{index}].content[{number}]"
        if kind == "text" and isinstance(part.get("text"), str):
            if not part["text"]:
                yield fault("empty-part", index=index)
        elif kind == "image_url" and isinstance(part.get("image_url"), dict):
            if "image" in dialect.rules:
                yield fault("image", index=index)
            if problem := _bad_picture(role, part):
                yield fault("image-part", index=index, part=number, problem=problem)
        else:
            yield fault("type", where=where, expected="a content part", got=kind or "nothing")


def _bad_picture(role: object, part: Body) -> str:
    """What is wrong with a picture: where it stands, its fields, or what its data are."""
    image = part["image_url"]
    if role != "user":
        return "only a user message holds pictures"
    if set(part) != {"type", "image_url"} or not {"url"} <= set(image) <= {"url", "detail"}:
        return "it is an object of 'type' and 'image_url', that of 'url' and 'detail'"
    url = image["url"]
    if not isinstance(url, str):
        return "its url is a string"
    if re.match("https?://", url):
        return ""
    key = (len(url), hash(url))
    if key not in _CHECKED:
        _CHECKED[key] = _data_problem(url)
    return _CHECKED[key]


def _data_problem(url: str) -> str:
    """What is wrong with a data URL; "" for nothing."""
    found = _DATA_URL.fullmatch(url)
    if found is None:
        return "its url is neither an address nor a data URL of a known kind"
    try:
        data = base64.b64decode(found[2], validate=True)
    except ValueError:
        return "its data are no Base64"
    starts = _STARTS[found[1]]
    return "" if data.startswith(starts) else f"its data are no {found[1]}"


def _call_faults(index: int, message: Body, dialect: Dialect) -> Iterator[Fault]:
    if "tool_calls" not in message:
        return
    calls = message["tool_calls"]
    if not isinstance(calls, list):
        got = type(calls).__name__
        yield fault("type", where=f"messages[{index}].tool_calls", expected="an array", got=got)
        return
    if not calls:
        yield fault("calls-empty", index=index)
    for number, call in enumerate(calls):
        if problem := _misshapen(call):
            yield fault("call-shape", index=index, call=number, problem=problem)
            continue
        identity, function = call["id"], call["function"]
        if len(identity) > MAX_ID:
            yield fault("id-long", index=index, call=number, length=len(identity))
        if "id-nine" in dialect.rules and not _NINE.fullmatch(identity):
            yield fault("id-nine", id=identity)
        if not _NAME.fullmatch(function["name"]):
            where = f"messages[{index}].tool_calls[{number}].function.name"
            yield fault("tool-name", where=where)
        if not _is_object(function["arguments"]):
            yield fault("arguments", index=index, call=number)


def _misshapen(call: object) -> str:
    if not isinstance(call, dict) or set(call) != {"id", "type", "function"}:
        return "a call is an object of 'id', 'type' and 'function'"
    function = call["function"]
    if call["type"] != "function" or not isinstance(function, dict):
        return "its type is 'function'"
    if not isinstance(call["id"], str) or not call["id"]:
        return "its id is a string that isn't empty"
    if set(function) != {"name", "arguments"}:
        return "a function is an object of 'name' and 'arguments'"
    if not isinstance(function["name"], str) or not isinstance(function["arguments"], str):
        return "name and arguments are strings"
    return ""


@lru_cache(1_024)  # each request holds the calls of the one before
def _is_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments, parse_constant=_refuse), dict)
    except ValueError:
        return False


def _refuse(constant: str) -> object:
    raise ValueError(constant)


def _pairing_faults(messages: Sequence[Body]) -> Iterator[Fault]:
    """Calls without results, results without calls, and whatever stands between them."""
    seen: set[str] = set()
    waiting: list[str] = []
    step: set[str] = set()
    caller = 0
    for index, message in enumerate(messages):
        if message.get("role") == "tool":
            identity = message.get("tool_call_id")
            if not step:
                yield fault("orphan", index=index)
            elif identity in waiting:
                waiting.remove(identity)
            elif identity in step:
                yield fault("id-twice", id=identity, index=index)
            else:
                yield fault("unknown-call", id=identity)
            continue
        if waiting:
            late = {other.get("tool_call_id") for other in messages[index:]}
            rule = "between" if late.intersection(waiting) else "unpaired"
            place = index if rule == "between" else caller
            yield fault(rule, index=place, role=message.get("role"), ids=", ".join(waiting))
            waiting = []
        step = set()
        for identity in _call_ids(message):
            if identity in seen:
                yield fault("id-twice", id=identity, index=index)
            seen.add(identity)
            waiting.append(identity)
            step.add(identity)
            caller = index
    if waiting:
        yield fault("unpaired", index=caller, ids=", ".join(waiting))


def _call_ids(message: Body) -> Iterator[str]:
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict) and isinstance(call.get("id"), str):
            yield call["id"]


def _order_faults(messages: Sequence[Body], dialect: Dialect) -> Iterator[Fault]:
    roles = [message.get("role") for message in messages]
    if "user-needed" in dialect.rules and "user" not in roles:
        yield fault("user-needed")
    if "successive" in dialect.rules:
        for index, (role, following) in enumerate(pairwise(roles)):
            if role == following and role in ("user", "assistant"):
                yield fault("successive", index=index, next=index + 1)
    if "user-after-tool" in dialect.rules and ("tool", "user") in pairwise(roles):
        yield fault("user-after-tool")
    if "last-role" in dialect.rules and roles and roles[-1] == "assistant":
        yield fault("last-role")
    if "alternation" in dialect.rules and not _alternates(roles):
        yield fault("alternation")


def _alternates(roles: Sequence[object]) -> bool:
    """User or tools, then assistant, in turns, a user first and no assistant last (Hunyuan)."""
    spoken = [role for role in roles if role != "system"]
    if not spoken or spoken[0] != "user" or spoken[-1] == "assistant":
        return False
    for role, following in pairwise(spoken):
        if (role, following) == ("tool", "tool"):
            continue
        if (role == "assistant") == (following == "assistant"):
            return False
    return True


def _reasoning_faults(messages: Sequence[Body], dialect: Dialect) -> Iterator[Fault]:
    """Reasoning that must come back: with each call (Kimi), in each tool turn (DeepSeek)."""
    by_call = "reasoning-missing-call" in dialect.rules
    by_turn = "reasoning-missing-turn" in dialect.rules
    if not (by_call or by_turn):
        return
    turn: list[int] = []
    needs: list[int] = []
    uses_tools = False
    for index, message in enumerate([*messages, {"role": "user"}]):
        if message.get("role") == "user":
            needs += turn if by_turn and uses_tools else []
            turn, uses_tools = [], False
        elif message.get("role") == "assistant":
            turn.append(index)
            uses_tools = uses_tools or bool(message.get("tool_calls"))
            if by_call and message.get("tool_calls"):
                needs.append(index)
    for index in needs:
        if not isinstance(messages[index].get("reasoning_content"), str):
            yield fault("reasoning-missing", index=index)
