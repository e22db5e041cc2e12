"""Texts with their real token counts, and sessions made of them, for the meter's benchmark.

`tests/data/tokens/texts.json`: texts by kind, written for this project, generated, or out of its
own sources, each with its count by real tokenizers. `sessions.json`: what the messages of the
sessions below come to when a chat template renders them. Both are written by `record_tokens.py`.
"""

import json
import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app.conversation.messages import Message, TextPart, ToolCall
from app.conversation.wire import to_wire
from app.llm.families import Family

DATA = Path(__file__).parents[1] / "data" / "tokens"

FAMILIES: tuple[Family, ...] = ("o200k", "deepseek_v4", "qwen3.6", "llama3")
"""Those whose tokenizer was at hand when the counts were recorded."""

ODD = frozenset(
    {
        "zh_literary",
        "rare_han",
        "ext_b_han",
        "emoji_common",
        "cjk_punct",
        "fullwidth",
        "box_drawing",
        "arabic",
        "thai_hindi",
        "hebrew_greek",
    }
)
"""Kinds that hardly occur in an agent's conversation; told apart (PROVIDERS 2.3, weak spots)."""

PROFILES = {
    "english": "en_prose en_markdown commands text_logs ls_tree traceback json_pretty toml csv",
    "code": "py_code ts_code go_code diff minjs html_css sql_yaml json_logs base64 hex table_md",
    "chinese": "zh_prose zh_markdown zh_tw zh_words mixed_zh_en py_code diff json_logs ls_tree",
}
STEPS = 155
"""Requests of a session, as in PROVIDERS 2.4."""

POINTER = "(cleared; read_history id=00ab12cd34ef shows it again)"

TOOL_NAMES = "read_file write_file edit_file list_dir glob search execute_command read_history"
TOOLS_TEXT = json.dumps(
    [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": f"{name.replace('_', ' ').capitalize()} within the project's folder."
                " Paths are relative to its root; what lies outside is refused.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "path": {"type": "string", "description": "A path relative to the root."},
                        "limit": {"type": "integer", "description": "At most so many lines."},
                        "pattern": {"type": "string", "description": "A regular expression."},
                    },
                    "required": ["path"],
                },
            },
        }
        for name in TOOL_NAMES.split()
    ]
)


@dataclass(frozen=True)
class Text:
    """A text of a kind, with its tokens by family."""

    kind: str
    text: str
    counts: dict[Family, int]


@cache
def texts() -> tuple[Text, ...]:
    """All recorded texts."""
    kinds = json.loads((DATA / "texts.json").read_text(encoding="utf-8"))["texts"]
    return tuple(
        Text(kind, one["text"], one["counts"]) for kind, found in kinds.items() for one in found
    )


@cache
def session(profile: str) -> tuple[Message, ...]:
    """A long session: a task now and then, calls with arguments, results of the profile's kinds."""
    chance = random.Random(profile)
    pool = [one.text for one in texts() if one.kind in PROFILES[profile].split()]
    prose = [text for text in pool if len(text) > 400][:4]
    tools = TOOL_NAMES.split()
    messages = [Message("system", "system", (TextPart("\n".join(prose)),))]
    for step in range(STEPS):
        if step % 8 == 0:
            start = chance.randrange(300)
            ask = chance.choice(prose)[start : start + chance.randrange(60, 400)]
            messages.append(Message(f"user-{step}", "user", (TextPart(ask or "Go on."),)))
        if step % 8 == 7:
            answer = chance.choice(prose)[: chance.randrange(200, 1500)]
            messages.append(Message(f"answer-{step}", "assistant", (TextPart(answer),)))
            continue
        calls = []
        for number in range(chance.choice([1, 1, 1, 2, 3])):
            arguments = {"path": f"app/part_{chance.randrange(40)}/module.py", "limit": 200}
            if chance.random() < 0.3:
                arguments = {"path": "app/new.py", "content": chance.choice(pool)[:900]}
            text = json.dumps(arguments, ensure_ascii=False)
            calls.append(ToolCall(f"{step}-{number}", chance.choice(tools), text))
        said = chance.choice(prose)[: chance.randrange(0, 160)]
        parts = (TextPart(said),) if said.strip() else ()
        messages.append(Message(f"step-{step}", "assistant", parts, calls=tuple(calls)))
        for call in calls:
            body = chance.choice(pool)[: chance.choice([80, 600, 2000, 2000])]
            messages.append(
                Message(f"r-{call.id}", "tool", (TextPart(body),), call_id=call.id, tool=call.name)
            )
    return tuple(messages)


def rendered(message: Message) -> tuple[str, int]:
    """A message as a ChatML template writes it: its text, and how many special tokens besides."""
    wire = to_wire((message,))[0]
    content = str(wire["content"])
    if message.role == "tool":
        return f"user\n<tool_response>\n{content}\n</tool_response>", 3
    calls = wire.get("tool_calls")
    if isinstance(calls, list):
        for call in calls:
            function = call["function"]
            made = f'{{"name": "{function["name"]}", "arguments": {function["arguments"]}}}'
            content += f"\n<tool_call>\n{made}\n</tool_call>"
    return f"{message.role}\n{content}", 3


@dataclass(frozen=True)
class Recorded:
    """Real tokens of a session for one family: of the tools, of each message, of a pointer."""

    tools: int
    messages: tuple[int, ...]
    pointer: int


@cache
def recorded(profile: str, family: Family) -> Recorded:
    """What was recorded."""
    found = json.loads((DATA / "sessions.json").read_text(encoding="utf-8"))[profile][family]
    return Recorded(found["tools"], tuple(found["messages"]), found["pointer"])
