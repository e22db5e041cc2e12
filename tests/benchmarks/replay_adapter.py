"""Haima's compaction as a manager for the replay harness, which isn't ours.

    cd tests/benchmarks
    PYTHONPATH=../.. python $HAIMA_SHARED/tools/replay/harness.py run --peers replay_adapter \
        --sessions all --summaries worst --windows 16000,32000,64000,128000 --out mine.jsonl

The harness takes what is sent and judges it; its count of the tokens is the provider's usage.
"""

import sys
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from app.config import CompactionSettings
from app.conversation.messages import Message, Role, TextPart, ToolCall
from app.llm.families import coefficients_for
from app.replay.counting import Counter
from app.replay.haima import HaimaPolicy
from app.replay.policy import Conditions
from app.replay.recording import Recorded, is_spoken
from app.replay.root import guess_root
from app.text import Words

Wire = dict[str, Any]
Summarize = Callable[[list[Wire]], Awaitable[str]]

MODEL = "gpt-4o"
"""Whose tokenizer the harness counts with."""


class Adapter:
    """One session."""

    name = "haima"
    worklog = True

    def __init__(self, window: int, summarize: Summarize, workdir: str) -> None:
        self._summarize = summarize
        self._count = _harness("list_tokens")
        self._worst = _harness("WORST")
        self._stack = ExitStack()
        self._added = 0
        self._spelt: dict[str, str] = {}
        conditions = Conditions(
            window=window,
            words=Words("en"),
            counter=Counter(coefficients_for(MODEL)),
            root=_root(),
            model=MODEL,
            settings=CompactionSettings(on_failure="cut"),
            booked=self._booked,
        )
        folder = Path(workdir, "project")
        folder.mkdir()
        self.policy = HaimaPolicy(conditions, folder.resolve(), worklog=self.worklog)

    async def on_message(self, wire: Wire) -> None:
        """A message of the system, the user or the agent."""
        message = self._message(wire)
        spoken = wire["role"] == "user" and is_spoken(message.text)
        await self.policy.add(Recorded(message, spoken=spoken))

    async def on_tool_result(self, call: Wire, wire: Wire) -> None:
        """A result."""
        function = call["function"]
        asked = ToolCall(call["id"], function["name"], function["arguments"])
        await self.policy.add(Recorded(self._message(wire, tool=asked.name)), asked)

    async def prepare(self, history: list[Wire]) -> tuple[list[Wire], list[Wire]]:
        """What is sent; the harness's own list goes on as it is."""
        sent = [self._as_recorded(dict(message)) for message in await self.policy.request()]
        self.policy.answered(self._count(sent))
        return history, sent

    def _as_recorded(self, wire: Wire) -> Wire:
        """A message whose text was recorded with CRLF has it again, as the harness compares."""
        text = wire.get("content")
        for content, spelt in self._spelt.items():
            if isinstance(text, str) and content in text:
                wire["content"] = text = text.replace(content, spelt)
        return wire

    async def _booked(self, messages: tuple[Wire, ...]) -> str | None:
        """The harness books what a summary is asked of; its text goes under our first heading."""
        text = await self._summarize(list(messages))
        if text == self._worst:
            return None
        return "\n".join(line for line in text.splitlines() if not line.startswith("#"))

    def _message(self, wire: Wire, tool: str | None = None) -> Message:
        self._added += 1
        role: Role = "system" if wire["role"] == "developer" else wire["role"]
        # What a program says later than at the beginning is said then, as the peers take it.
        if role == "system" and self._added > 1:
            role = "user"
        content = wire.get("content") or ""
        if isinstance(content, list):
            content = "\n".join(piece.get("text", "") for piece in content)
        if "\r\n" in content:
            content, spelt = content.replace("\r\n", "\n"), content
            self._spelt[content] = spelt
        calls = tuple(
            ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"])
            for call in wire.get("tool_calls") or ()
        )
        parts = (TextPart(content),) if content or role == "tool" else ()
        number = f"{self._added:012x}"
        return Message(
            number, role, parts, calls=calls, call_id=wire.get("tool_call_id"), tool=tool
        )


class WithoutWorklog(Adapter):
    """The same without goal, rules, changed files and entities."""

    name = "haima_no_worklog"
    worklog = False


def _harness(name: str) -> Any:
    """Something of the harness, which may run as the program itself."""
    module = sys.modules.get("harness") or sys.modules["__main__"]
    return getattr(module, name)


def _root() -> str:
    """The project's folder of the session that is played: in life it is known."""
    for session in _harness("_S").values():
        messages = [
            Message(
                f"{at:012x}",
                "assistant",
                calls=tuple(
                    ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"])
                    for call in one.get("tool_calls") or ()
                ),
            )
            for at, one in enumerate(session.msgs)
        ]
        return guess_root(messages)
    return ""


FACTORIES = {"haima": Adapter, "haima_no_worklog": WithoutWorklog}
NO_SUMMARY: set[str] = set()
