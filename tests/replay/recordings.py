"""Small recordings for tests."""

import json
from collections.abc import Sequence

from app.conversation.messages import ToolCall
from app.replay.building import Asked, Builder
from app.replay.recording import Recording
from app.text import Words

WORDS = Words("en")

Told = tuple[str, str] | tuple[str, dict[str, object], str]
"""`("user" | "say", text)`, or a step: tool, arguments, result."""


def recording(told: Sequence[Told], *, root: str = "/p") -> Recording:
    """A recording of what is told."""
    builder = Builder("openai", "made", WORDS)
    builder.root = root
    for number, one in enumerate(told):
        match one:
            case ("user", str() as text):
                builder.user(text)
            case ("system", str() as text):
                builder.system(text)
            case ("say", str() as text):
                builder.assistant(text)
            case (str() as tool, dict() as arguments, str() as result):
                builder.assistant("", [Asked(f"c{number}", tool, arguments)])
                builder.result(f"c{number}", result)
            case _:
                raise ValueError(one)
    return builder.finish()


def call(tool: str, **arguments: object) -> ToolCall:
    """A call."""
    return ToolCall("c", tool, json.dumps(arguments))
