"""SWE-agent's trajectories: one document with `history` (what was sent) and `trajectory` (steps).

Older agents wrote their action into the text and got the observation as a user's message; then the
action becomes a call of `bash`, and the observation its result.
"""

from collections.abc import Iterable

from app.replay.building import Asked, Builder
from app.replay.importers.blocks import objects, openai_calls, read_content, text_of
from app.replay.importers.lines import Value

TOOL = "bash"
"""What an action that is only a text counts as a call of."""


def detect(first: list[dict[str, object]]) -> bool:
    """Whether a file is of this format, by its first objects."""
    return any(
        any("action" in one or "observation" in one for one in objects(value.get("trajectory")))
        or any("agent" in one or "message_type" in one for one in objects(value.get("history")))
        for value in first
    )


def read(values: Iterable[Value], into: Builder) -> None:
    """Reads it; of several documents each in turn."""
    for value in values:
        if value is None:
            into.skip("unreadable")
            continue
        info = value.get("info")
        if isinstance(info, dict):
            into.model = text_of(info, "model", "model_name") or into.model
        history = [one for one in objects(value.get("history")) if one.get("role")]
        steps = list(objects(value.get("trajectory")))
        if sum(one.get("role") == "assistant" for one in history) >= max(1, len(steps) // 2):
            _history(history, into)
        elif steps:
            _steps(steps, into)
        else:
            into.skip("unknown")


def _history(history: list[dict[str, object]], into: Builder) -> None:
    for one in history:
        text = read_content(one.get("content")).text
        if one.get("is_demo") is True or one.get("message_type") == "demonstration":
            into.skip("meta")
            continue
        match one.get("role"):
            case "system":
                into.system(text)
            case "assistant":
                calls = openai_calls(one)
                action = text_of(one, "action")
                if calls:
                    into.assistant(text or text_of(one, "thought"), calls)
                elif action.strip():
                    said = text_of(one, "thought") or text
                    into.assistant(said, [Asked("", TOOL, {"command": action.strip()})])
                else:
                    into.assistant(text)
            case "tool":
                ids = one.get("tool_call_ids")
                first = ids[0] if isinstance(ids, list) and ids else None
                call = first if isinstance(first, str) else text_of(one, "tool_call_id")
                into.result(call, text)
            case "user":
                # An observation answers the action before it; before the first there is none.
                if into.waiting:
                    into.result("", text)
                else:
                    into.user(text)
            case _:
                into.skip("unknown")


def _steps(steps: list[dict[str, object]], into: Builder) -> None:
    """The steps alone, where the history wasn't kept; the first one's query holds the task."""
    for one in objects(steps[0].get("query") or steps[0].get("messages")):
        text = read_content(one.get("content")).text
        if one.get("role") == "system":
            into.system(text)
        elif one.get("role") == "user":
            into.user(text)
    for step in steps:
        action = text_of(step, "action").strip()
        said = text_of(step, "thought") or ("" if action else text_of(step, "response"))
        if not action and not said.strip():
            into.skip("broken")
            continue
        into.assistant(said, [Asked("", TOOL, {"command": action})] if action else ())
        if action:
            into.result("", read_content(step.get("observation")).text)
