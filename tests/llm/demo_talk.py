"""A conversation with the demo, made by hand."""

import json
from contextlib import aclosing
from pathlib import Path

from app.compaction.pointer import pointer
from app.conversation.messages import WireMessage
from app.llm.demo import SUGGESTIONS, DemoModel
from app.ports import ModelChunk, ModelRequest, Reply, ToolSchema
from app.text import Language, Words
from tests.llm.support import FakeClock, shown, thought

FIX, LOOK, LOG, SHOW = range(4)
TOOLS = (
    "read_file",
    "write_file",
    "edit_file",
    "list_dir",
    "search_files",
    "execute_command",
    "read_history",
)
SAMPLE = Path(__file__).parents[2] / "app" / "llm" / "demo_project"
FIRST_RUN = (
    "exit code: 1\nF\nAssertionError: 154 != 155\nRan 5 tests in 0.001s\n\nFAILED (failures=1)"
)
SECOND_RUN = "exit code: 0\n.....\nRan 5 tests in 0.002s\n\nOK"
EDITED = "Edited orders/pricing.py at line 17: +1 −1 lines."


async def run_stream(model: DemoModel, request: ModelRequest) -> list[ModelChunk]:
    async with aclosing(model.stream(request)) as chunks:
        return [chunk async for chunk in chunks]


class Talk:
    """A conversation with the demo: keeps the messages as the loop would send them."""

    def __init__(
        self, language: Language = "en", tools: tuple[str, ...] = TOOLS, spoken: str = ""
    ) -> None:
        self.model = DemoModel(language, clock=FakeClock(), pace=0)
        self.words = Words(language)
        self.tools = tuple(ToolSchema(name, "", {}) for name in tools)
        self.messages: list[WireMessage] = [{"role": "system", "content": "You are …"}]
        self.ids = 0
        if spoken:
            self.say(spoken)

    def say(self, text: str) -> None:
        """The user says something; with nothing in between it joins the message before."""
        last = self.messages[-1]
        if last["role"] == "user":
            last["content"] = f"{last['content']}\n\n{text}"
        else:
            self.messages.append({"role": "user", "content": text})

    async def reply(self, *results: str) -> Reply:
        """Gives the results of the last calls, then takes the next answer."""
        for call_id, result in zip(self.open_calls(), results, strict=True):
            text = f'<tool_result tool="x" trust="untrusted-data">\n{result}\n</tool_result>'
            self.messages.append({"role": "tool", "tool_call_id": call_id, "content": text})
        request = ModelRequest(tuple(self.messages), self.tools)
        chunks = await run_stream(self.model, request)
        reply = chunks[-1]
        assert isinstance(reply, Reply)
        assert [chunk for chunk in chunks if isinstance(chunk, Reply)] == [reply]
        assert shown(chunks) == reply.text
        assert thought(chunks) == (reply.reasoning.text if reply.reasoning else "")
        assert reply.usage is None, "nothing was counted"
        assert reply.text or reply.calls
        self._keep(reply)
        return reply

    def clear(self, keep: int = 0) -> int:
        """All results but the newest become pointers, as tier 2 makes them; how many did."""
        results = [message for message in self.messages if message["role"] == "tool"]
        due = results[: len(results) - keep]
        for number, message in enumerate(due, 1):
            text = pointer(self.words, tool="x", asked="y", characters=900, ref=f"{number:012x}")
            tag = '<tool_result tool="x" trust="untrusted-data">'
            message["content"] = f"{tag}\n{text}\n</tool_result>"
        return len(due)

    def open_calls(self) -> list[str]:
        calls = self.messages[-1].get("tool_calls", [])
        assert isinstance(calls, list)
        return [call["id"] for call in calls]

    def _keep(self, reply: Reply) -> None:
        message: WireMessage = {"role": "assistant", "content": reply.text}
        if reply.calls:
            message["tool_calls"] = [
                {
                    "id": self._new_id(),
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for call in reply.calls
            ]
        self.messages.append(message)

    def _new_id(self) -> str:
        self.ids += 1
        return f"{self.ids:012d}"


def asked(reply: Reply) -> list[str]:
    return [call.name for call in reply.calls]


def arguments(reply: Reply) -> dict[str, str]:
    assert len(reply.calls) == 1
    return dict(json.loads(reply.calls[0].arguments))


def suggestion(number: int, language: Language = "en") -> str:
    return Words(language)(SUGGESTIONS[number])


def sample(path: str) -> str:
    return (SAMPLE / path).read_text(encoding="utf-8").rstrip("\n")


async def until_edit(talk: Talk, pricing: str = "") -> Reply:
    """The fix story up to the first thing that needs an approval."""
    first = await talk.reply()
    assert asked(first) == ["list_dir", "read_file"]
    second = await talk.reply("orders/\ntests/", sample("AGENTS.md"))
    assert asked(second) == ["read_file", "read_file"]
    return await talk.reply(pricing or sample("orders/pricing.py"), sample("tests/test_pricing.py"))
