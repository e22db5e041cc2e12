"""What a strict provider refuses, and what a history must never be, written without our code."""

import json
import re
from collections.abc import Sequence
from functools import lru_cache

from app.conversation.history import RecoverySlot
from app.conversation.messages import ImagePart, Message, Part, TextPart, WireMessage

ESCAPES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
KEYS = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls"}
    | {"reasoning_content", "reasoning", "reasoning_details"},
    "tool": {"role", "tool_call_id", "content"},
}


def refusals(wire: Sequence[WireMessage]) -> list[str]:
    """Why OpenAI, DeepSeek, Kimi, GLM, or a chat template would refuse this request."""
    reasons: list[str] = []
    try:
        json.dumps(wire, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (ValueError, UnicodeEncodeError) as error:
        return [f"not JSON in UTF-8: {error}"]
    seen: set[object] = set()
    due: list[object] = []
    before = ""
    for position, message in enumerate(wire):
        role = str(message["role"])
        content = message["content"]
        where = f"{position} ({role})"
        if extra := set(message) - KEYS[role]:
            reasons.append(f"{where}: unknown {extra}")
        reasons += [f"{where}: escape sequence" for text in strings(message) if _escaped(text)]
        if role == "tool":
            if not due or due[0] != message["tool_call_id"]:
                reasons.append(f"{where}: answers {message['tool_call_id']}, due {due}")
            due = due[1:]
        elif due:
            reasons.append(f"{where}: stands before the results of {due}")
            due = []
        if role == "system" and position:
            reasons.append(f"{where}: not at the beginning")
        if role == before == "user":
            reasons.append(f"{where}: successive user messages")
        calls = message.get("tool_calls")
        if calls is not None:
            assert isinstance(calls, list)
            reasons += [f"{where}: {reason}" for call in calls for reason in bad_call(call)]
            due = [call["id"] for call in calls]
            if not due or len(set(due)) < len(due) or seen & set(due):
                reasons.append(f"{where}: ids of calls missing or repeated {due}")
            seen |= set(due)
        if role == "user" and isinstance(content, list):
            reasons += [f"{where}: {reason}" for part in content for reason in bad_part(part)]
            if not any(part["type"] == "image_url" for part in content):
                reasons.append(f"{where}: a list without a picture")
        elif not isinstance(content, str) or not (content.strip() or (calls and not content)):
            reasons.append(f"{where}: empty content {content!r}")
        before = role
    if due:
        reasons.append(f"no result for {due}")
    return reasons


def bad_call(call: dict[str, object]) -> list[str]:
    function = call["function"]
    assert isinstance(function, dict)
    reasons = []
    if list(call) != ["id", "type", "function"] or list(function) != ["name", "arguments"]:
        reasons.append("odd call")
    if call["type"] != "function" or not 0 < len(str(call["id"])) <= 40:
        reasons.append("bad type or id")
    if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", function["name"]):
        reasons.append(f"bad name {function['name']!r}")
    if wrong := _bad_arguments(function["arguments"]):
        reasons.append(wrong)
    return reasons


@lru_cache(1_024)  # a history is looked through again and again
def _bad_arguments(arguments: str) -> str:
    try:
        value = json.loads(arguments, parse_constant=lambda name: 1 / 0)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, ZeroDivisionError):
        return "arguments are no JSON"
    return "" if isinstance(value, dict) else "arguments are no object"


@lru_cache(512)
def _escaped(text: str) -> bool:
    return ESCAPES.search(text) is not None


def bad_part(part: dict[str, object]) -> list[str]:
    if part["type"] == "text":
        return [] if str(part["text"]).strip() else ["empty text part"]
    url = part["image_url"]
    assert isinstance(url, dict)
    return [] if url["url"] else ["picture without an address"]


def strings(value: object) -> list[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for item in pair for text in strings(item)]
    return [text for item in value for text in strings(item)] if isinstance(value, list) else []


def broken(messages: Sequence[Message], recovery: RecoverySlot | None = None) -> list[str]:
    """Which rules of a history these messages break; only the last step may be open."""
    rules: list[str] = []
    ids = [message.id for message in messages]
    calls = [call.id for message in messages for call in message.calls]
    if "" in ids or "" in calls or len(set(ids)) < len(ids) or len(set(calls)) < len(calls):
        rules.append("ids")
    for position, message in enumerate(messages):
        if message.role == "system" and position:
            rules.append("system")
        if message.discarded:
            if message.role != "assistant" or message.calls or not message.text:
                rules.append("discarded")
        elif message.role != "tool" and not message.calls and not says_something(message):
            rules.append("empty")
        if message.role != "assistant" and (message.calls or message.reasoning is not None):
            rules.append("assistant's")
        if (message.role == "tool") != (message.call_id is not None) or (
            (message.role == "tool") != (message.tool is not None)
        ):
            rules.append("tool's")
        allowed = {"user": Part, "tool": TextPart | ImagePart}.get(message.role, TextPart)
        if not all(isinstance(part, allowed) for part in message.parts):
            rules.append("parts")
    sent = [message for message in messages if not message.discarded]
    position = 0
    while position < len(sent):
        expected = [call.id for call in sent[position].calls]
        position += 1
        answers = []
        while position < len(sent) and sent[position].role == "tool":
            answers.append(sent[position].call_id)
            position += 1
        if position == len(sent):
            expected = expected[: len(answers)]
        if answers != expected:
            rules.append("pairing")
    if sent and sent[0].role == "tool":
        rules.append("orphan")
    if recovery is not None:
        targets = {m.id: m.role for m in sent if m.role in ("user", "tool")}
        if recovery.message_id not in targets or not recovery.text.strip():
            rules.append("recovery")
        elif recovery.first and targets[recovery.message_id] == "tool":
            rules.append("recovery first")
    return rules


def says_something(message: Message) -> bool:
    return any(
        (part.url if isinstance(part, ImagePart) else part.text).strip() for part in message.parts
    )
