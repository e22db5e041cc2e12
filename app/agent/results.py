"""Keeps the results of calls: big ones go to files, and a step's results fit together (tier 1).

A result is committed as it finishes, with its own limit; what a step's results may have together is
looked at before the next request. To write a file and its row is one thing that no stop cuts. A
process that dies between the two leaves a file no row names: it is never written over, nothing
refers to it, and it goes with its session.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from app.agent.work import NoWork, WorkKeeper
from app.archive.originals import Original
from app.archive.recorder import Recorder
from app.archive.unbroken import unbroken
from app.boundary import visible
from app.compaction.clear import unseen_results
from app.compaction.joint import Shortened, StepResult, fit, joint_limit
from app.compaction.offload import Offload, Offloader, OffloadFailed, offload_limit
from app.conversation.content import Content
from app.conversation.history import History
from app.conversation.messages import IdFactory, Message, TextPart, ToolCall, result_of
from app.conversation.meter import Meter
from app.conversation.outcome import ToolOutcome
from app.conversation.standing import PLAIN, MessageState
from app.conversation.window import Thresholds
from app.conversation.work import CHANGING, NOTHING, Touch, Work
from app.errors import HaimaError
from app.events import Event, Offloaded
from app.events import OffloadFailed as OffloadFailedEvent
from app.memory.name_index import NameIndex
from app.memory.name_score import Ranking
from app.memory.names import SCANNED
from app.ports import Publish
from app.tools.base import ToolOutput
from app.tools.read_history import Originals

_log = logging.getLogger(__name__)

Change = Offload | OffloadFailed | Shortened

_SECOND = 1_000_000_000
_COARSE = 2 * _SECOND
"""Nanoseconds that a file's time may lie behind the clock's: some disks keep every other second."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a call gave, on its way into the history.

    Attributes:
        call: the call it answers.
        id: of the message it becomes.
        output: what the tool gave.
        outcome: how the call ended.
        remark: what is added to the text, or "".
        raw: bytes to be kept in place of the content's, where the tool didn't run.
        cut: the call was cut off, and how far it came isn't known.
        bad: it couldn't be run: there is no such tool, or its arguments are wrong.
    """

    call: ToolCall
    id: str
    output: ToolOutput
    outcome: ToolOutcome
    remark: str = ""
    raw: bytes | None = None
    cut: bool = False
    bad: bool = False

    def with_body(self, body: str) -> str:
        """The whole text with another one in the place of the content."""
        return self.output.framed(body) + self.remark

    def shorter(self, characters: int) -> str:
        """The whole text with at most so many characters of its content."""
        assert self.output.shorter is not None  # noqa: S101 - else it isn't asked
        return self.output.shorter(characters).text + self.remark


@dataclass(frozen=True, slots=True)
class Kept:
    """A result that is committed.

    Attributes:
        message: as it is kept, credentials masked.
        event: what became of its content, to be told after the end of the call; None: it is whole.
    """

    message: Message
    event: Event | None = None


class Results:
    """Keeps the results of one chain."""

    def __init__(
        self,
        *,
        recorder: Recorder,
        offloader: Offloader,
        meter: Meter,
        marks: Callable[[], Thresholds],
        tools: Callable[[], str],
        index: NameIndex,
        originals: Originals,
        publish: Publish,
        work: WorkKeeper | None = None,
    ) -> None:
        """Keeps nothing yet.

        Args:
            recorder: writes them down.
            offloader: moves contents to files.
            meter: measures the history.
            marks: of the window as it is now.
            tools: the tools on offer, as they go out.
            index: the names that the conversation held; fed with every result, whole.
            originals: gives the bytes of results that another process committed.
            publish: gets what becomes of results later than with their commit.
            work: is told of every result before it is committed; None: nothing is kept of it.
        """
        self._recorder = recorder
        self._offloader = offloader
        self._meter = meter
        self._marks = marks
        self._tools = tools
        self._index = index
        self._originals = originals
        self._publish = publish
        self._work: WorkKeeper = work or NoWork()
        self._earlier = bool(recorder.history)
        self._step: dict[str, tuple[StepResult, Result | None]] = {}
        self._lock = asyncio.Lock()

    def begin_step(self) -> None:
        """The calls of another step are to run; its message is in the history."""
        self._index.follow(self._recorder.history)
        self._work.begin_step()
        self._step.clear()

    async def keep(self, result: Result) -> Kept:
        """Commits a result, its content moved to a file where it is too big; no stop cuts it.

        Raises:
            StorageError: it can't be written down; no file of it is left.
        """
        return await unbroken(self._keep(result))

    async def close(self, text: str, reason: str, new_id: IdFactory) -> None:
        """Answers the calls that a process that died left without a result.

        The first of them may have taken effect; what comes after it was never begun, or only reads.

        Args:
            text: what happened to them, for the model.
            reason: the same for the user.
            new_id: gives each result its id.

        Raises:
            StorageError: it can't be written; some calls may still be open.
        """
        for call in self._recorder.unanswered[:1]:
            step = next(one for one in reversed(self._recorder.history) if one.calls)
            if step.calls[0].id == call.id:
                self._work.begin_step()
            output = ToolOutput(text, ok=False, reason=reason)
            outcome = ToolOutcome(ok=False, seconds=0.0, characters=len(text), reason=reason)
            await self.keep(Result(call, new_id(), output, outcome, cut=True))
        await self._recorder.close_step(text, new_id, reason=reason)

    async def fit(self) -> None:
        """Brings the last step's results under the limit they have together; no stop cuts it.

        Before every request; it costs nothing where that was done. The results of a process that
        died, or was left, before it asked again are looked at once.

        Raises:
            StorageError: a change can't be written down; what was changed is valid.
        """
        if self._earlier:
            await self._take_up()
            self._earlier = False
        if self._step:
            await unbroken(self._fit())

    async def _take_up(self) -> None:
        """Takes up what the last step of a session that is resumed gave, if nobody saw it yet."""
        history = self._recorder.history
        for key in unseen_results(history):
            if self._recorder.standings.get(key, PLAIN).state != "live" or key in self._step:
                continue
            try:
                original = await self._originals.find(key)
            except HaimaError:  # an archive that can't be read stops nothing
                _log.exception("the result %s can't be looked at", key)
                continue
            if original is not None:
                result = await asyncio.to_thread(_result_of, original, history)
                self._step[key] = _whole(result), result

    async def _keep(self, result: Result) -> Kept:
        # One at a time: the names must stand still while a note is made.
        async with self._lock:
            call, output = result.call, result.output
            content = output.content
            sample = output.text if content is None else content.sample(SCANNED)
            whole = sample if content is None else f"{output.before}{sample}{output.after}"
            self._index.add(result_of(call, result.id, whole))
            work = NOTHING
            if not (result.outcome.refused or result.bad):  # else nothing was done
                work = self._work.of_result(call, whole, ok=result.outcome.ok, more=output.work)
                if result.cut and work:
                    work = _surely(work, await self._asked_at(call))
            limit = offload_limit(call.name, self._marks())
            done = None
            if content is not None and output.size > limit:
                done = await self._offloader.offload(
                    call.name,
                    content,
                    limit=limit,
                    ranking=Ranking(self._index),
                    ref=result.id,
                )
            if content is None or done is None:
                kept = await self._append(result, output.text + result.remark, work)
                self._step[result.id] = _whole(result), result
                return Kept(kept)
            kept = await self._append(result, result.with_body(done.text), work, done)
            shown = len(done.text) if isinstance(done, Offload) else min(limit, output.size)
            self._step[result.id] = StepResult(result.id, call.name, shown), None
            return Kept(kept, self._told(kept, done, content, sample))

    async def _asked_at(self, call: ToolCall) -> int | None:
        """When the model asked for a call, in nanoseconds since 1970; None: that can't be read."""
        history = reversed(self._recorder.history)
        step = next((one for one in history if call in one.calls), None)
        try:
            original = None if step is None else await self._originals.find(step.id)
        except HaimaError:  # an archive that can't be read stops nothing
            _log.exception("when %s was asked for can't be read", call.name)
            return None
        if original is None:
            return None
        return int(datetime.fromisoformat(original.at).timestamp()) * _SECOND

    async def _append(
        self, result: Result, text: str, work: Work, done: Offload | OffloadFailed | None = None
    ) -> Message:
        """Commits a result, with what it adds to the worklog in the same row."""
        message = result_of(result.call, result.id, text)
        if shown := result.output.pictures:
            message = replace(message, parts=(*message.parts, *shown))
        if not isinstance(done, Offload):
            raw = result.output.raw if result.raw is None else result.raw
            kept = await self._recorder.append(message, raw=raw, outcome=result.outcome, work=work)
            self._work.kept(self._recorder.as_kept(work))
            return kept
        try:
            kept = await self._recorder.append(
                message, outcome=result.outcome, file=done.file, work=work
            )
        except BaseException:
            await self._offloader.discard(done.file)
            raise
        self._work.kept(self._recorder.as_kept(work))
        return kept

    async def _fit(self) -> None:
        async with self._lock:
            history = self._recorder.history
            # In the order of the calls, whichever ended first: which of equals goes is no chance.
            there = (key for key in self._step if history.get(key) is not None)
            self._step = {key: self._step[key] for key in sorted(there, key=history.index)}
            results = [one for one, _ in self._step.values()]
            limit = joint_limit(self._free(self._step))
            if sum(one.size for one in results) <= limit:
                self._step.clear()
                return
            changes = dict(await fit(results, limit, self._offloader, ranking=Ranking(self._index)))
            try:
                while changes:
                    key = next(iter(changes))
                    await self._change(self._step[key][1], changes[key])
                    del changes[key], self._step[key]
            finally:
                for left in changes.values():
                    if isinstance(left, Offload):
                        await self._offloader.discard(left.file)
            self._step.clear()

    async def _change(self, result: Result | None, change: Change) -> None:
        """Puts what a result has become into the place of what was committed."""
        if result is None:
            return
        state: MessageState = "cut"
        if isinstance(change, Shortened):
            parts = (TextPart(change.text),)
        else:
            parts = (TextPart(result.with_body(change.text)),)
        file = None
        if isinstance(change, Offload):
            state, file = "offloaded", change.file
        await self._recorder.replace(result.id, parts, state=state, file=file)
        content = result.output.content
        if content is not None and not isinstance(change, Shortened):
            history = self._recorder.history
            message = history[history.index(result.id)]
            self._publish(self._told(message, change, content, content.sample(SCANNED)))

    def _free(self, ids: Iterable[str]) -> int:
        """Tokens between the next request without these results and the end of the window."""
        history = self._recorder.history
        used = self._meter.measure(history, self._tools()).tokens
        used -= sum(self._meter.message_tokens(history[history.index(key)]) for key in ids)
        return max(0, self._marks().window - used)

    def _told(
        self, message: Message, done: Offload | OffloadFailed, content: Content, sample: str
    ) -> Event:
        """What became of a content, for whoever listens."""
        call, tool = message.call_id or "", message.tool or ""
        if isinstance(done, OffloadFailed):
            return OffloadFailedEvent(message=message.id, call=call, tool=tool, reason=done.reason)
        after = self._meter.message_tokens(message)
        whole = self._meter.text_tokens(sample)
        if content.characters > len(sample):
            whole = whole * content.characters // max(1, len(sample))
        return Offloaded(
            message=message.id,
            call=call,
            tool=tool,
            path=done.file.path,
            characters=content.characters,
            lines=content.lines,
            tokens_before=max(after, after - self._meter.text_tokens(done.text) + whole),
            tokens_after=after,
        )


def _surely(work: Work, since: int | None) -> Work:
    """Of a call that was cut off what it has done for sure: how far it came, nobody knows.

    It may not even have begun. A file that it changed was written since, and what it took away is
    gone.

    Args:
        work: what it would have done.
        since: when it was asked for, in nanoseconds since 1970; None: not known.
    """
    if since is None:
        return NOTHING
    ok = [one for one in work.touches if one.ok and one.action in CHANGING]
    gone = {one.name for one in ok if one.stamp is not None and one.stamp.size < 0}

    def done(touch: Touch) -> bool:
        if touch.action in {"deleted", "renamed"}:
            return (touch.file or touch.name) in gone
        return touch.stamp is not None and touch.stamp.mtime >= since - _COARSE

    files = {one.name for one in ok if one.kind == "file" and done(one)}
    kept = (one for one in ok if (one.name if one.kind == "file" else one.file) in files)
    return replace(NOTHING, touches=tuple(kept))


def _result_of(original: Original, history: History) -> Result:
    """A result that another process committed; its frame is what stands around its content."""
    message = original.message
    text, content = message.text, None
    before = after = ""
    if original.raw is not None:
        bare = Content.of(original.raw)
        shown = visible(bare.text()) if bare.characters <= len(text) else ""
        if shown and shown in text:
            before, _, after = text.partition(shown)
            content = bare
    calls = (call for one in history for call in one.calls if call.id == message.call_id)
    call = next(calls, ToolCall(message.call_id or "", message.tool or "", "{}"))
    output = ToolOutput(text, before=before, after=after, content=content)
    return Result(call, message.id, output, ToolOutcome(True, 0.0, output.size))


def _whole(result: Result) -> StepResult:
    """A result that stands in the history as it came, cut by its tool perhaps."""
    output = result.output
    return StepResult(
        result.id,
        result.call.name,
        output.size,
        content=output.content,
        shorter=None if output.shorter is None else result.shorter,
    )
