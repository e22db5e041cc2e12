"""Codex's rollouts: `{"timestamp", "type", "payload"}` a line; older ones have the items bare.

Only `response_item` lines were sent to the model; `event_msg` lines tell the screen the same again.
Turns that the user took back (`thread_rolled_back`) are read like the rest: they were sent.
"""

from collections.abc import Iterable
from typing import cast

from app.memory.name_tables import words
from app.replay.building import Asked, Builder
from app.replay.importers.blocks import read_content, text_of
from app.replay.importers.lines import Value

_LINES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})

_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "mcp_tool_call"})
_OUTPUTS = frozenset(
    {"function_call_output", "custom_tool_call_output", "local_shell_call_output"}
    | {"mcp_tool_call_output"}
)
_BESIDE = words(
    "reasoning web_search_call image_generation_call ghost_snapshot compaction compaction_summary "
    "context_compaction compaction_trigger tool_search_call tool_search_output other"
)
"""Items that hold nothing the model said or got as text."""

_HEADS = frozenset({"record_type", "instructions", "id"})
"""What lines of older rollouts have that are no items."""


def detect(first: list[dict[str, object]]) -> bool:
    """Whether a file is of this format, by its first objects."""
    if any(
        text_of(one, "type") in _LINES and isinstance(one.get("payload"), dict) for one in first
    ):
        return True
    bare = [one for one in first if _kind(one) in {"message", *_CALLS, *_OUTPUTS}]
    return any("call_id" in one for one in bare) or any(
        block.get("type") in {"input_text", "output_text"}
        for one in bare
        if isinstance(one.get("content"), list)
        for block in cast("list[dict[str, object]]", one["content"])
        if isinstance(block, dict)
    )


def read(values: Iterable[Value], into: Builder) -> None:
    """Reads it."""
    for value in values:
        if value is None:
            into.skip("unreadable")
            continue
        payload, at = value.get("payload"), text_of(value, "timestamp")
        told = cast("dict[str, object]", payload) if isinstance(payload, dict) else None
        match value.get("type"):
            case "session_meta" if told is not None:
                _begun(told, at, into)
            case "turn_context" if told is not None:
                into.root = into.root or text_of(told, "cwd")
                into.model = text_of(told, "model") or into.model
            case "event_msg" if told is not None:
                _event(told, into)
            case "compacted":
                into.skip("meta")
            case "response_item" if told is not None:
                _item(told, at, into)
            case "session_meta" | "turn_context" | "event_msg" | "response_item":
                into.skip("broken")
            case None if "role" not in value and not value.keys().isdisjoint(_HEADS):
                pass  # the first line and the states of older rollouts
            case _:
                _item(value, at, into)


def _kind(item: dict[str, object]) -> str:
    """An item's kind; the oldest messages have none."""
    return text_of(item, "type") or ("message" if "role" in item else "")


def _begun(told: dict[str, object], at: str, into: Builder) -> None:
    into.root = into.root or text_of(told, "cwd")
    # `instructions`, which older ones have, are the user's: they come again as a message.
    base = told.get("base_instructions")
    system = text_of(base, "text") if isinstance(base, dict) else ""
    if system and into.empty:
        into.system(system, at)


def _event(told: dict[str, object], into: Builder) -> None:
    """Events are for the screen; one of them tells the window."""
    info = told.get("info")
    if told.get("type") == "token_count" and isinstance(info, dict):
        window = info.get("model_context_window")
        if isinstance(window, int) and window > 0:
            into.window = window


def _item(item: dict[str, object], at: str, into: Builder) -> None:
    """One item of the conversation."""
    kind = _kind(item)
    call = text_of(item, "call_id", "id")
    if kind == "message":
        _message(item, at, into)
    elif kind in _OUTPUTS:
        output = item.get("output")
        failed = isinstance(output, dict) and output.get("success") is False
        into.result(call, _output(output), at, ok=not failed)
    elif kind == "local_shell_call":
        action = item.get("action")
        command = action.get("command") if isinstance(action, dict) else None
        if command:
            into.part("", [Asked(call, "shell", {"command": command})], at)
        else:
            into.skip("broken")
    elif kind in _CALLS:
        name = text_of(item, "name")
        free = kind == "custom_tool_call"
        given = {"input": text_of(item, "input")} if free else item.get("arguments")
        if name:
            into.part("", [Asked(call, name, given)], at)
        else:
            into.skip("broken")
    elif kind not in _BESIDE:
        into.skip("unknown")


def _message(item: dict[str, object], at: str, into: Builder) -> None:
    content = read_content(item.get("content"))
    match item.get("role"):
        case "assistant":
            into.part(content.text, (), at)
        case "user":
            into.user(content.text, at)
        case "system" | "developer":
            into.system(content.text, at)
        case _:
            into.skip("broken")


def _output(output: object) -> str:
    """What a call gave, as the model got it."""
    if isinstance(output, dict):
        return read_content(output.get("content") or output.get("output")).text
    return read_content(output).text
