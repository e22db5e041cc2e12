"""A summarizer at a scripted server, and histories for it to summarise."""

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from app.compaction.asking import Plan, auxiliary_writer, main_writer
from app.compaction.cut import Cut
from app.compaction.summarize import Summarizer, SummaryText
from app.compaction.summary_check import HEADINGS
from app.conversation.history import History, RecoverySlot
from app.conversation.messages import Message, TextPart, ToolCall, result_of
from app.conversation.meter import Meter
from app.conversation.shares import Shares, shares
from app.conversation.window import thresholds
from app.conversation.wire import to_wire
from app.llm.client import OpenAIModel
from app.ports import ModelRequest, Reply, ToolSchema
from app.text import Language, Words
from tests.compaction.histories import GENERIC
from tests.endpoint import Endpoint, Say
from tests.llm.support import model_at

READ = ToolSchema(
    "read_file",
    "Reads a file.",
    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)

Body = dict[str, Any]


def good(note: str = "- the parser lies in src/parse.py", language: Language = "en") -> str:
    """A summary that may stand."""
    words = Words(language)
    return "\n".join(f"## {words(key)}\n{note}" for key in HEADINGS)


def said(number: int, text: str) -> Message:
    return Message(f"u{number}", "user", (TextPart(text),))


def answered(number: int, text: str = "Done.") -> Message:
    return Message(f"a{number}", "assistant", (TextPart(text),))


def stepped(number: int, body: str, path: str = "a.py") -> tuple[Message, Message]:
    """A call and its result."""
    call = ToolCall(f"c{number}", "read_file", json.dumps({"path": path}))
    return (
        Message(f"s{number}", "assistant", (), calls=(call,)),
        result_of(call, f"r{number}", body),
    )


def talk(turns: Sequence[tuple[str, str]]) -> list[Message]:
    """A system message, then turns of a request, one call and an answer."""
    messages = [Message("sys", "system", (TextPart("You are Haima."),))]
    for number, (asked, result) in enumerate(turns):
        messages += [said(number, asked), *stepped(number, result), answered(number)]
    return messages


@dataclass
class Bench:
    """A summarizer at work.

    Attributes:
        endpoint: who is asked.
        model: its client.
        history: that is cut.
        cut: where.
        progress: what was told.
    """

    endpoint: Endpoint
    model: OpenAIModel
    history: History
    cut: Cut
    shares: Shares
    summarizer: Summarizer
    tools: tuple[ToolSchema, ...] = (READ,)
    progress: list[tuple[int, int]] = field(default_factory=list)

    def plan(self, focus: str = "", *, whole: bool = True) -> Plan:
        old = [one for one in self.history[: self.cut.end] if one.role != "system"]
        return self.summarizer.plan(
            old,
            history=self.history,
            cut=self.cut,
            schemas=self.tools,
            shares=self.shares,
            focus=focus,
            whole=whole,
        )

    async def ask(self, plan: Plan | None = None) -> SummaryText:
        return await self.summarizer.ask(
            plan or self.plan(), lambda done, of: self.progress.append((done, of))
        )

    async def session(self) -> Body:
        """The session's own next request, as it arrives."""
        wire = to_wire(self.history, self.history.recovery)
        async for chunk in self.model.stream(ModelRequest(wire, self.tools)):
            assert chunk is not None
        return self.endpoint.requests[-1]

    @property
    def bodies(self) -> list[Body]:
        return self.endpoint.requests

    @property
    def asked(self) -> list[str]:
        """Everything that each request says."""
        return ["\n".join(texts(body)) for body in self.bodies]


def texts(body: Body) -> list[str]:
    """The contents of a request's messages, which hold no pictures."""
    assert all(isinstance(message["content"], str) for message in body["messages"])
    return [message["content"] for message in body["messages"]]


def cut_at(history: History, end: int, *, in_turn: bool = False) -> Cut:
    """A cut before the message at `end`."""
    meter = Meter(GENERIC)
    meter.measure(history, "")
    old = [one for one in history[:end] if one.role != "system" and not one.discarded]
    return Cut(
        end=end,
        in_turn=in_turn,
        request=None,
        replaced=tuple(one.id for one in old),
        before=sum(map(meter.message_tokens, old)),
        tail=sum(map(meter.message_tokens, history[end:])),
    )


@asynccontextmanager
async def bench(
    script: Sequence[object] | Callable[[Body], object],
    messages: Sequence[Message],
    *,
    end: int | None = None,
    in_turn: bool = False,
    auxiliary: bool = False,
    window: int = 128_000,
    language: Language = "en",
    recovery: RecoverySlot | None = None,
    dialect: str = "openai",
    **options: Any,
) -> AsyncIterator[Bench]:
    """Cut before the last user message unless told otherwise."""
    history = History(messages, recovery)
    places = [place for place, one in enumerate(history) if one.role == "user"]
    cut = cut_at(history, places[-1] if end is None else end, in_turn=in_turn)
    async with Endpoint(script, dialect, **options) as endpoint:  # type: ignore[arg-type]
        model = model_at(endpoint.base_url, tries=1)
        marks = thresholds(window)
        meter = Meter(GENERIC)
        writer = (
            auxiliary_writer(model, window)
            if auxiliary
            else main_writer(model, marks, meter.text_tokens)
        )
        yield Bench(
            endpoint=endpoint,
            model=model,
            history=history,
            cut=cut,
            shares=shares(marks if not auxiliary else thresholds(128_000), 500),
            summarizer=Summarizer(writer, Words(language)),
        )
        await model.close()
    assert endpoint.violations == []


__all__ = ["Bench", "Mapping", "Reply", "Say", "bench", "good", "said", "stepped", "talk"]
