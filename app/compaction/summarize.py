"""Asks a model for a summary of old messages, by a plan, and takes only what may stand for them.

The model's client does its own retries. An answer that can't be used is put right once; still
wrong, empty, cut off, or a failed call, and there is no summary. Nothing here touches the history.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

from app.compaction.asking import MARGIN, Old, Plan, Writer, groups, plan_asking
from app.compaction.cut import Cut
from app.compaction.instruction import (
    Wrong,
    around_parts,
    around_piece,
    for_record,
    in_session,
    repair,
)
from app.compaction.serialize import Record, record_of_parts
from app.compaction.summary_check import check_summary, cleaned
from app.compaction.summary_failed import SummaryCode, SummaryFailed, of_model
from app.compaction.writer_limit import Learned, limit_told, unheard
from app.conversation.history import History
from app.conversation.messages import Message, TextPart, WireMessage
from app.conversation.shares import Shares
from app.conversation.window import thresholds
from app.conversation.wire import to_wire
from app.events import Retry
from app.llm.errors import ContextOverflow, TruncatedCall
from app.ports import ModelError, ModelRequest, Publish, Reply, Retrying, ToolSchema, Usage, hang_up
from app.text import Key, Words

__all__ = ["Progress", "Summarizer", "SummaryFailed", "SummaryText", "without_pictures"]

_log = logging.getLogger(__name__)

Progress = Callable[[int, int], None]
"""Hears how many of the planned calls are done, and how many they are."""

_FAILED: dict[Wrong, tuple[SummaryCode, Key]] = {
    "bare": ("empty", "summary.failed_empty"),
    "headings": ("headings", "summary.failed_headings"),
    "too_long": ("too_long", "summary.failed_too_long"),
    "truncated": ("truncated", "summary.failed_truncated"),
    "calls": ("calls", "summary.failed_calls"),
}


@dataclass(frozen=True, slots=True)
class SummaryText:
    """A summary.

    Attributes:
        text: with its four headings.
        generation: which summary of summaries it is, from 1.
        model: the name of the model that wrote it.
        calls: how many calls it took.
        usages: of these calls, as far as the provider counted them.
    """

    text: str
    generation: int
    model: str
    calls: int
    usages: tuple[Usage, ...]


@dataclass(frozen=True, slots=True)
class _Prompt:
    """One request to the writer.

    Attributes:
        messages: as they go out; the last is the user's.
        tools: on offer.
        tokens: about, all together.
        final: the answer is the summary itself, not that of a part.
    """

    messages: tuple[WireMessage, ...]
    tools: tuple[ToolSchema, ...]
    tokens: int
    final: bool


class Summarizer:
    """Asks one model for summaries.

    Attributes:
        usages: of the calls for the last summary, also where it failed or was stopped.
        calls: how many these were.
    """

    def __init__(self, writer: Writer, words: Words, learned: Learned = unheard) -> None:
        """Asks nobody yet.

        Args:
            writer: the model.
            words: the language of the instruction, and of the four headings.
            learned: hears of a window that is smaller than was believed.
        """
        self._writer = writer
        self._words = words
        self._learned = learned
        self._repairs = 0
        self._publish: Publish = lambda _event: None
        self._usages: list[Usage] = []
        self.calls = 0

    @property
    def usages(self) -> tuple[Usage, ...]:
        """See the class."""
        return tuple(self._usages)

    @property
    def model(self) -> str:
        """The name of the model that is asked."""
        return self._writer.model.name

    def plan(
        self,
        old: Sequence[Message],
        *,
        history: History,
        cut: Cut,
        schemas: tuple[ToolSchema, ...],
        shares: Shares,
        focus: str = "",
        whole: bool = True,
    ) -> Plan:
        """How a summary would be asked for; asks nobody.

        Args:
            old: the messages that leave.
            history: as it is; the session's own request up to the cut is made of it.
            cut: of it.
            schemas: the tools on offer in the session, as they go out.
            shares: how long the summary may be.
            focus: what the user asked it to dwell on.
            whole: the session's request may go out again; False once the provider refused it as too
                large: then it is asked in pieces.

        Raises:
            SummaryFailed: it can't be made (`no_room`, `too_many`).
        """
        before = history[: cut.end]
        prefix = to_wire(before, history.recovery)
        tokens = self._writer.tokens
        fixed = sum(tokens(message.text) for message in before if message.role == "system")
        around = tokens(json.dumps([asdict(schema) for schema in schemas], ensure_ascii=False))
        known = tokens(history.recovery.text) if history.recovery is not None else 0
        asked = Old(
            messages=old,
            prefix=prefix,
            prefix_tokens=round(MARGIN * (cut.before + fixed + around + known)),
            tools=schemas,
            recovery=history.recovery,
            in_turn=cut.in_turn,
            focus=focus,
            whole=whole,
        )
        return plan_asking(asked, self._writer, shares.summary_text, self._words)

    async def ask(
        self,
        plan: Plan,
        progress: Progress = lambda _done, _of: None,
        publish: Publish = lambda _event: None,
    ) -> SummaryText:
        """Asks for the summary.

        Args:
            plan: by this object.
            progress: told after each planned call.
            publish: hears why a call is tried again, and when; that may take minutes.

        Raises:
            SummaryFailed: there is none.
            asyncio.CancelledError: the user stopped it; the connection is closed.
        """
        self._publish, self._usages, self.calls, self._sent = publish, [], 0, 0
        try:
            try:
                text = await self._asked(plan, progress)
            except ContextOverflow as refused:
                limit = limit_told(refused, self._sent)
                await self._learned(limit, stated=refused.limit is not None)
                plan = await self._smaller(plan, limit)
                text = await self._asked(plan, progress)
        except SummaryFailed:
            raise
        except ModelError as error:
            model = self._writer.model.name
            raise of_model(error, model=model, usages=self.usages) from error
        except Exception as error:
            _log.exception("the summary broke")
            problem = f"{type(error).__name__}: {error}"
            raise self._failed("fault", "summary.failed_fault", problem=problem) from error
        name = self._writer.model.name
        return SummaryText(text, plan.generation, name, self.calls, self.usages)

    async def _smaller(self, plan: Plan, limit: int | None) -> Plan:
        """The writer takes less than was believed: in pieces that it takes, tried once (FIELD 21).

        Raises:
            SummaryFailed: its window is too small, or it takes too many calls.
        """
        writer = self._writer
        believed = writer.window if plan.record is None else writer.window // 2
        window = min(believed, limit or believed)
        reserve = min(writer.reserve, thresholds(window).reserve)
        self._writer = replace(writer, window=window, reserve=reserve)
        old = replace(plan.old, whole=False)
        return await asyncio.to_thread(plan_asking, old, self._writer, plan.limit, self._words)

    async def _asked(self, plan: Plan, progress: Progress) -> str:
        self._repairs = plan.repairs
        if plan.record is None:
            text = await self._written(self._in_session(plan), plan)
            progress(1, plan.calls)
            return text
        done = 0
        parts: list[str] = []
        place = 0
        for number, piece in enumerate(plan.pieces, start=1):
            prompt = self._of_piece(plan, plan.record, piece, number, place)
            parts.append(await self._written(prompt, plan))
            place += len(piece)
            done += 1
            progress(done, plan.calls)
        while len(parts) > 1:
            sizes = groups([(len(part), self._writer.tokens(part)) for part in parts], plan.piece)
            merged: list[str] = []
            for size in sizes:
                some, parts = parts[:size], parts[size:]
                if size == 1:
                    merged += some
                    continue
                prompt = self._of_parts(plan, some, final=len(sizes) == 1)
                merged.append(await self._written(prompt, plan))
                done += 1
                progress(min(done, plan.calls), plan.calls)
            parts = merged
        if not parts:
            raise self._failed("empty", "summary.failed_empty")
        return parts[0]

    def _in_session(self, plan: Plan) -> _Prompt:
        """The session's own request up to the cut, and the instruction."""
        told = in_session(self._words, plan.brief)
        old = plan.old
        tokens = old.prefix_tokens + self._writer.tokens(told)
        return _Prompt(
            _with_user(without_pictures(old.prefix), told), old.tools, tokens, final=True
        )

    def _of_piece(self, plan: Plan, record: Record, piece: str, number: int, place: int) -> _Prompt:
        of = len(plan.pieces)
        asked = around_piece(
            self._words,
            plan.brief,
            record.framed(piece),
            n=number,
            of=of,
            inside=record.inside(place),
        )
        system = for_record(self._words, plan.brief, record.mark)
        return self._without_session(system, asked, final=of == 1)

    def _of_parts(self, plan: Plan, parts: list[str], *, final: bool) -> _Prompt:
        record = record_of_parts(parts)
        asked = around_parts(self._words, plan.brief, record.framed(record.text), n=len(parts))
        system = for_record(self._words, plan.brief, record.mark, merge=True)
        return self._without_session(system, asked, final=final)

    def _without_session(self, system: str, asked: str, *, final: bool) -> _Prompt:
        """A request of its own: no tools are on offer (FIELD 29)."""
        messages: tuple[WireMessage, ...] = (
            {"role": "system", "content": system},
            {"role": "user", "content": asked},
        )
        tokens = self._writer.tokens(system) + self._writer.tokens(asked)
        return _Prompt(messages, (), tokens, final)

    async def _written(self, prompt: _Prompt, plan: Plan) -> str:
        """An answer that can be used, put right once if it must be.

        Raises:
            SummaryFailed: it still can't be used, or was withheld.
            ModelError: the call failed.
        """
        self._sent = prompt.tokens
        reply = await self._call(prompt.messages, prompt.tools)
        wrong = self._wrong(reply, plan, prompt)
        if wrong is not None and self._repairs > 0:
            self._repairs -= 1
            again = self._repaired(prompt, plan, reply, wrong)
            reply = await self._call(again, prompt.tools)
            wrong = self._wrong(reply, plan, prompt)
        if wrong is not None or reply is None:
            raise self._failed(*_FAILED[wrong or "calls"])
        return cleaned(reply.text)

    async def _call(
        self, messages: tuple[WireMessage, ...], tools: tuple[ToolSchema, ...]
    ) -> Reply | None:
        """One call; None where the model called a tool and that call was cut off.

        Raises:
            ModelError: it failed.
        """
        request = ModelRequest(messages, tools, max_tokens=self._writer.reserve)
        self.calls += 1
        stream = self._writer.model.stream(request)
        try:
            async for chunk in stream:
                if isinstance(chunk, Reply):
                    if chunk.usage is not None:
                        self._usages.append(chunk.usage)
                    return chunk
                if isinstance(chunk, Retrying):
                    attempt, wait = chunk.attempt, chunk.wait
                    self._publish(Retry(attempt=attempt, reason=chunk.reason, wait=wait))
        except TruncatedCall:
            return None
        finally:
            await hang_up(stream)
        raise self._failed("empty", "summary.failed_empty")

    def _wrong(self, reply: Reply | None, plan: Plan, prompt: _Prompt) -> Wrong | None:
        """What is wrong with an answer that one more try may put right.

        Raises:
            SummaryFailed: no try will: it is empty, or was withheld.
        """
        if reply is None or reply.calls:
            return "calls"
        if reply.stopped:
            raise self._failed("stopped", "summary.failed_stopped", reason=reply.stopped)
        if reply.truncated:
            return "truncated"
        fault = check_summary(reply.text, limit=plan.limit.characters)
        if fault == "empty":
            raise self._failed("empty", "summary.failed_empty")
        if fault in {"headings", "bare"} and not prompt.final:
            fault = None  # a part without headings can be merged nevertheless
        text = cleaned(reply.text)
        if fault is None and (
            len(text) > plan.limit.characters or self._writer.tokens(text) > plan.limit.tokens
        ):
            return "too_long"
        return fault

    def _repaired(
        self, prompt: _Prompt, plan: Plan, reply: Reply | None, wrong: Wrong
    ) -> tuple[WireMessage, ...]:
        """The same request again; with the answer that was wrong, where it helps and fits."""
        text = "" if reply is None else reply.text
        told = repair(self._words, plan.brief, wrong, characters=len(text))
        tokens = prompt.tokens + self._writer.tokens(told) + self._writer.tokens(text)
        fits = tokens + self._writer.reserve <= self._writer.window
        if reply is None or wrong in {"calls", "truncated"} or not fits:
            return _with_user(prompt.messages, told)
        answer = Message("", "assistant", (TextPart(text),), reasoning=reply.reasoning)
        return _with_user((*prompt.messages, *to_wire((answer,))), told)

    def _failed(self, code: SummaryCode, key: Key, **values: str) -> SummaryFailed:
        return SummaryFailed(code, key, usages=self.usages, cause=None, **values)


def without_pictures(messages: tuple[WireMessage, ...]) -> tuple[WireMessage, ...]:
    """A request whose pictures are notes: a summary's own call has none (FIELD 69).

    Messages without pictures are the very same, so what is cached before the first one pays.
    """
    return tuple(map(_without_pictures, messages))


def _without_pictures(message: WireMessage) -> WireMessage:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    texts = [
        str(part.get("text", "")) if part.get("type") == "text" else "[image]" for part in content
    ]
    return {**message, "content": "\n\n".join(texts)}


def _with_user(messages: tuple[WireMessage, ...], text: str) -> tuple[WireMessage, ...]:
    """The messages and then the user's `text`: user and assistant must alternate (`wire`)."""
    last = messages[-1] if messages else {}
    content = last.get("content")
    if last.get("role") == "user" and isinstance(content, str):
        return (*messages[:-1], {**last, "content": f"{content}\n\n{text}"})
    return (*messages, {"role": "user", "content": text})
