"""Runs the tool calls of one step: read-only neighbours side by side, all else one by one.

Each result is committed as it finishes (`results`); the history has them in the order of the
calls. On every way out each call has its result: what finished is kept, what was cut is closed with
words that say so (FIELD 63).
"""

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from app.agent.approvals import Approvals
from app.agent.repeats import REMARK_AT, STOP_AT, RepeatedCall, Repeats
from app.agent.results import Result, Results
from app.archive.recorder import Recorder
from app.conversation.arguments import arguments_of
from app.conversation.messages import IdFactory, Message, ToolCall, result_of
from app.conversation.outcome import ToolOutcome
from app.errors import HaimaError
from app.events import ApprovalRefused, ToolFinished, ToolStarted
from app.ports import Clock, Publish, RequestedCall
from app.text import Words
from app.tools.base import ToolOutput
from app.tools.toolbox import BadCall, PreparedCall, Toolbox

SIDE_BY_SIDE = 4
"""Read-only calls that run at once (FACTS 1.16: at most 4; a search uses all cores by itself)."""

_log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _Job:
    """One call on its way to a committed result."""

    call: ToolCall
    asked: RequestedCall
    prepared: PreparedCall | None = None
    bad: BadCall | None = None
    began: float | None = None
    ran: bool = False
    done: bool = False

    @property
    def concurrent(self) -> bool:
        """Whether it may run beside its neighbours: it changes nothing, or can't run at all."""
        return self.prepared is None or self.prepared.concurrent


class CallRunner:
    """Runs the calls of one turn's steps and commits their results."""

    def __init__(
        self,
        *,
        toolbox: Toolbox,
        approvals: Approvals,
        recorder: Recorder,
        results: Results,
        publish: Publish,
        clock: Clock,
        new_id: IdFactory,
        words: Words,
    ) -> None:
        self._toolbox = toolbox
        self._approvals = approvals
        self._recorder = recorder
        self._results = results
        self._publish = publish
        self._clock = clock
        self._new_id = new_id
        self._words = words
        self._repeats = Repeats()

    async def run(self, calls: Sequence[ToolCall], asked: Sequence[RequestedCall]) -> None:
        """Runs all calls of a step.

        Args:
            calls: as they stand in the history.
            asked: the same calls as the model wrote them, perhaps broken.

        Raises:
            RepeatedCall: a call was repeated too often; every result is in the history.
            StorageError: a result can't be written down; calls may be left open.
        """
        self._repeats.next_step()
        self._results.begin_step()
        jobs = [_Job(*pair) for pair in zip(calls, asked, strict=True)]
        most = (0, "")
        try:
            for job in jobs:
                self._prepare(job)
            start = 0
            while start < len(jobs):
                await asyncio.sleep(0)  # a stop that came while something was written down
                batch = _together(jobs[start:])
                start += len(batch)
                most = max(most, *await self._run_batch(batch))
        except BaseException as error:
            with contextlib.suppress(HaimaError):  # can't be written now: the next turn mends it
                await self._close(jobs, stopped=isinstance(error, asyncio.CancelledError))
            raise
        if most[0] >= STOP_AT:
            raise RepeatedCall("agent.repeats", n=most[0], tool=most[1])

    def _prepare(self, job: _Job) -> None:
        try:
            job.prepared = self._toolbox.prepare(job.asked.name, job.asked.arguments)
        except BadCall as error:
            job.bad = error

    async def _run_batch(self, batch: Sequence[_Job]) -> list[tuple[int, str]]:
        """Runs calls side by side; how often each was repeated by now, and its tool's name."""
        if len(batch) == 1:
            return [await self._run_one(batch[0])]
        tasks = [asyncio.create_task(self._run_one(job)) for job in batch]
        try:
            return [await task for task in tasks]
        finally:
            for task in tasks:
                task.cancel()
            # Ends when all have, a stop or not: what they still write down isn't closed too.
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _run_one(self, job: _Job) -> tuple[int, str]:
        """Approval, the tool, the result committed, in this order (DESIGN 3.5)."""
        job.began = self._clock.monotonic()
        self._announce(job)
        output, refused = await self._outcome(job)
        return await self._commit(job, output, refused=refused), job.call.name

    async def _outcome(self, job: _Job) -> tuple[ToolOutput, bool]:
        """The result, and whether the call was refused.

        What breaks inside a tool becomes a result too: the model can try another way.
        """
        if job.bad is not None:
            reason = self._words("agent.bad_call_reason")
            return ToolOutput(job.bad.text, ok=False, reason=reason), False
        assert job.prepared is not None  # noqa: S101 - else it is a bad call
        try:
            permission = await self._approvals.allow(job.prepared, job.call.id)
            job.began = self._clock.monotonic()
            if permission.allowed:
                job.ran = True
                return await permission.prepared.run(), False
        except HaimaError as error:
            sentence = error.sentence(self._words)
            return ToolOutput(sentence, ok=False, reason=sentence), False
        except Exception as error:
            _log.exception("%s broke", job.call.name)
            problem = f"{type(error).__name__}: {error}"
            text = self._words("agent.tool_broke", tool=job.call.name, problem=problem)
            reason = self._words("agent.tool_broke_reason", problem=problem)
            return ToolOutput(text, ok=False, reason=reason), False
        refusal = permission.refusal
        self._publish(ApprovalRefused(tool=job.call.name, reason=refusal.reason))
        return refusal, True

    def _announce(self, job: _Job) -> None:
        prepared = job.prepared
        self._publish(
            ToolStarted(
                id=job.call.id,
                tool=job.call.name,
                arguments=prepared.arguments if prepared else arguments_of(job.call.arguments),
                subject=prepared.subject if prepared else "",
            )
        )

    async def _commit(self, job: _Job, output: ToolOutput, *, refused: bool = False) -> int:
        """Writes the result down and tells it; how often the call gave this result in a row."""
        times = self._repeats.count(job.asked.name, job.asked.arguments, output.text)
        remark = raw = None
        if times >= REMARK_AT:
            remark = self._words("agent.repeat_remark", n=times)
        if job.bad is not None and job.call.arguments != job.asked.arguments:
            raw = job.asked.arguments.encode("utf-8", "surrogatepass")  # nothing is lost
        outcome = self._ended(job, output, refused=refused)
        kept = await self._results.keep(
            Result(
                job.call,
                self._new_id(),
                output,
                outcome,
                remark=f"\n{remark}" if remark else "",
                raw=raw,
                bad=job.bad is not None,
            )
        )
        job.done = True
        self._tell_finished(job, output, outcome, kept.message)
        if kept.event is not None:
            self._publish(kept.event)
        return times

    async def _close(self, jobs: Sequence[_Job], *, stopped: bool) -> None:
        """Answers the calls that were cut off: those that ran, and those that hadn't begun."""
        for job in jobs:
            if job.done:
                continue
            if not stopped:
                text = self._words("agent.interrupted_earlier")
            elif job.ran:
                text = self._words("agent.interrupted_running")
            else:
                text = self._words("agent.interrupted_waiting")
            reason = self._words("agent.stopped_reason" if stopped else "agent.no_result_reason")
            output = ToolOutput(text, ok=False, reason=reason)
            outcome = self._ended(job, output, stopped=stopped)
            result = Result(job.call, self._new_id(), output, outcome, cut=True)
            if job.ran:
                message = (await self._results.keep(result)).message
            else:
                message = result_of(job.call, result.id, text)
                message = await self._recorder.append(message, outcome=outcome)
            if job.began is not None:
                self._tell_finished(job, output, outcome, message)

    def _ended(
        self, job: _Job, output: ToolOutput, *, refused: bool = False, stopped: bool = False
    ) -> ToolOutcome:
        now = self._clock.monotonic()
        return ToolOutcome(
            ok=output.ok,
            # What waited for an answer and never ran took no time.
            seconds=round(now - job.began, 3) if job.ran and job.began is not None else 0.0,
            characters=output.size,
            reason=output.reason,
            refused=refused,
            stopped=stopped,
            added=output.added,
            removed=output.removed,
        )

    def _tell_finished(
        self, job: _Job, output: ToolOutput, outcome: ToolOutcome, message: Message
    ) -> None:
        self._publish(
            ToolFinished(
                id=job.call.id,
                tool=job.call.name,
                ok=outcome.ok,
                characters=outcome.characters,
                seconds=outcome.seconds,
                reason=outcome.reason,
                refused=outcome.refused,
                stopped=outcome.stopped,
                added=outcome.added,
                removed=outcome.removed,
                message=message.id,
                body=message.text,
                diff=output.diff,
            )
        )


def _together(jobs: Sequence[_Job]) -> Sequence[_Job]:
    """The first calls that may run at once: read-only neighbours, or a single other one."""
    count = 1
    if jobs[0].concurrent:
        while count < min(len(jobs), SIDE_BY_SIDE) and jobs[count].concurrent:
            count += 1
    return jobs[:count]
