"""The loop of a turn: ask the model, run what it calls, until it answers without a call.

Whatever happens, and whenever the user stops, the history is valid afterwards: text that was shown
is kept, calls without a result get one that says what happened.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from app.agent.approvals import Approvals
from app.agent.calls import CallRunner
from app.agent.overflow import Overflow
from app.agent.results import Results
from app.archive.recorder import Recorder
from app.compaction.too_large import Choice, NoRoom
from app.conversation.arguments import sendable_arguments
from app.conversation.history import History
from app.conversation.messages import IdFactory, Message, TextPart, ToolCall
from app.conversation.messages import Reasoning as KeptReasoning
from app.conversation.wire import to_wire
from app.errors import HaimaError
from app.events import Failed, MessageFinished, Notice, Reasoning, Retry, Text, UsageReported
from app.llm.errors import ContextOverflow, MaxTokensRefused
from app.ports import (
    ChatModel,
    Clock,
    ContextWatch,
    ModelChunk,
    ModelError,
    ModelRequest,
    Publish,
    ReasoningDelta,
    Reply,
    Retrying,
    TextDelta,
    Usage,
    hang_up,
)
from app.text import Words
from app.tools.toolbox import Toolbox

BeforeCall = Callable[[History], Awaitable[None]]
"""Runs before every call to the model, in every mode (DESIGN 3.3): compaction sits here."""

_log = logging.getLogger(__name__)


class EmptyReply(ModelError):  # noqa: N818
    """The model answered with neither text nor a call."""

    code = "empty_reply"


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """How a turn ended.

    Attributes:
        ok: the model came to the end of its answer.
        steps: calls to the model that gave an answer.
        cancelled: the user stopped it.
        code: of the error that ended it, else "".
        choices: what the user can do where it ended for want of room.
    """

    ok: bool
    steps: int
    cancelled: bool = False
    code: str = ""
    choices: tuple[Choice, ...] = ()


@dataclass(slots=True)
class _Shown:
    """What was streamed of the answer so far, under the id its message will have."""

    id: str
    _text: list[str] = field(default_factory=list)
    _reasoning: list[str] = field(default_factory=list)

    def add_text(self, text: str) -> None:
        """Takes in a piece of the answer."""
        self._text.append(text)

    def add_reasoning(self, text: str) -> None:
        """Takes in a piece of reasoning."""
        self._reasoning.append(text)

    @property
    def text(self) -> str:
        """The answer so far."""
        return "".join(self._text)

    @property
    def reasoning(self) -> str:
        """The reasoning so far."""
        return "".join(self._reasoning)

    @property
    def anything(self) -> bool:
        """Whether anything was shown."""
        return bool(self._text or self._reasoning)


@dataclass(frozen=True, slots=True)
class _Broken:
    """A request that failed, and what was shown of its answer."""

    error: ModelError
    shown: _Shown


async def no_hook(_: History) -> None:
    """Does nothing before a call to the model."""


class Agent:
    """Drives one conversation.

    Attributes:
        model, toolbox: used from the next step, the next turn on; may be exchanged at any time.
        steps: how many answers the model gave in this turn.
    """

    def __init__(
        self,
        *,
        model: ChatModel,
        toolbox: Toolbox,
        approvals: Approvals,
        recorder: Recorder,
        results: Results,
        publish: Publish,
        clock: Clock,
        new_id: IdFactory,
        words: Words,
        log_file: str,
        watch: ContextWatch,
        overflow: Overflow,
        before_call: BeforeCall = no_hook,
    ) -> None:
        self.model = model
        self.steps = 0
        self.toolbox = toolbox
        self._approvals = approvals
        self._recorder = recorder
        self._results = results
        self._publish = publish
        self._clock = clock
        self._new_id = new_id
        self._words = words
        self._log_file = log_file
        self._watch = watch
        self._overflow = overflow
        self._before_call = before_call

    async def run_turn(self) -> TurnOutcome:
        """Answers what stands at the end of the history; never raises but for a stop.

        Raises:
            asyncio.CancelledError: the user stopped it; the history is closed.
        """
        self.steps = 0
        try:
            await self._loop()
        except asyncio.CancelledError:
            with contextlib.suppress(HaimaError):  # calls that were asked for, but not begun
                await self._close_stopped()
            raise
        except HaimaError as error:
            choices = error.choices if isinstance(error, NoRoom) else ()
            return await self._failed(error.code, error.sentence(self._words), choices)
        except Exception as error:
            _log.exception("the turn broke")
            problem = f"{type(error).__name__}: {error}"
            text = self._words("agent.fault", problem=problem, log=self._log_file)
            return await self._failed("fault", text)
        return TurnOutcome(ok=True, steps=self.steps)

    async def mend(self) -> None:
        """Closes calls that were left without a result, so that a message can follow.

        Raises:
            StorageError: it can't be written.
        """
        text = self._words("agent.interrupted_earlier")
        await self._results.close(text, self._words("agent.no_result_reason"), self._new_id)

    async def _close_stopped(self) -> None:
        text = self._words("agent.interrupted_waiting")
        reason = self._words("agent.stopped_reason")
        await self._recorder.close_step(text, self._new_id, reason=reason, stopped=True)

    async def _loop(self) -> None:
        runner = CallRunner(
            toolbox=self.toolbox,
            approvals=self._approvals,
            recorder=self._recorder,
            results=self._results,
            publish=self._publish,
            clock=self._clock,
            new_id=self._new_id,
            words=self._words,
        )
        while True:
            await self._results.fit()
            await self._before_call(self._recorder.history)
            reply, message = await self._answer()
            self.steps += 1
            if message.calls:
                await runner.run(message.calls, reply.calls)
            await self._recorder.sync()
            if not message.calls:
                return

    async def _answer(self) -> tuple[Reply, Message]:
        """Streams one answer and commits it; a request that was too long is sent again, cured."""
        overflow = self._overflow
        overflow.begin()
        try:
            while isinstance(answer := await self._ask(), _Broken):
                await overflow.cure(answer.error)
                self._again(answer)
        except BaseException:
            overflow.failed()
            raise
        await overflow.answered(answer[0])
        return answer

    def _again(self, broken: _Broken) -> None:
        """Tells that the step is sent again, and what of its answer no longer counts."""
        shown = broken.shown
        self._publish(
            Retry(
                attempt=self._overflow.tries,
                reason=self._words.named(f"retry.{broken.error.code}", broken.error.code),
                wait=0,
                discarded=len(shown.text),
                message=shown.id if shown.anything else "",
            )
        )

    async def _ask(self) -> tuple[Reply, Message] | _Broken:
        """Sends the history once, streams the answer and commits it."""
        history = self._recorder.history
        request = ModelRequest(
            to_wire(history, history.recovery), self.toolbox.schemas, self._overflow.max_tokens
        )
        shown = _Shown(self._new_id())
        stream = self.model.stream(request)
        self._watch.sent()
        message: Message | None = None
        usage: Usage | None = None
        try:
            async for chunk in stream:
                if isinstance(chunk, Reply):
                    usage = chunk.usage
                    message = await self._commit(chunk, shown.id)
                    return chunk, message
                shown = await self._show(chunk, shown)
            raise EmptyReply("agent.empty_reply")
        except asyncio.CancelledError:
            await self._keep(shown, stopped=True)
            raise
        except ModelError as error:
            await self._keep(shown, stopped=False)
            if isinstance(error, ContextOverflow | MaxTokensRefused) and error.prompt:
                usage = Usage(error.prompt)
            return _Broken(error, shown)
        except Exception:
            await self._keep(shown, stopped=False)
            raise
        finally:
            self._watch.answered(message, usage)
            await hang_up(stream)

    async def _show(self, chunk: ModelChunk, shown: _Shown) -> _Shown:
        """Publishes a piece; what is shown after it: a new answer after a retry."""
        match chunk:
            case TextDelta(text=text) if text:
                self._publish(Text(message=shown.id, text=text))
                shown.add_text(text)
            case ReasoningDelta(text=text) if text:
                self._publish(Reasoning(message=shown.id, text=text))
                shown.add_reasoning(text)
            case Retrying(attempt=attempt, reason=reason, wait=wait):
                await self._keep(shown, stopped=False)
                self._publish(
                    Retry(
                        attempt=attempt,
                        reason=reason,
                        wait=wait,
                        discarded=len(shown.text),
                        message=shown.id if shown.anything else "",
                    )
                )
                return _Shown(self._new_id()) if shown.anything else shown
        return shown

    async def _commit(self, reply: Reply, message_id: str) -> Message:
        """The answer joins the history; its usage goes to the ledger.

        Provider ids of calls are replaced by ours: they repeat theirs (PROVIDERS 1.7).
        """
        calls = tuple(
            ToolCall(self._new_id(), call.name or "unknown", sendable_arguments(call.arguments))
            for call in reply.calls
        )
        says = bool(reply.text.strip())
        if not says and not calls:
            if reply.stopped:
                raise EmptyReply("agent.withheld_reply", reason=reply.stopped)
            raise EmptyReply("agent.empty_reply")
        message = await self._recorder.append(
            Message(
                message_id,
                "assistant",
                (TextPart(reply.text),) if says else (),
                calls=calls,
                reasoning=reply.reasoning,
            )
        )
        self._publish(MessageFinished(message=message.id))
        if usage := reply.usage:
            await self._recorder.usage(usage, message=message.id, model=self.model.name)
            self._publish(
                UsageReported(
                    prompt=usage.prompt,
                    cached=usage.cached,
                    completion=usage.completion,
                    reasoning=usage.reasoning,
                    cost=usage.cost,
                )
            )
        if reply.stopped:
            text = self._words("agent.withheld_rest", reason=reply.stopped)
            self._publish(Notice(code="withheld", text=text, severity="warn"))
        elif reply.truncated:
            self._publish(
                Notice(code="truncated", text=self._words("agent.truncated"), severity="warn")
            )
        return message

    async def _keep(self, shown: _Shown, *, stopped: bool) -> None:
        """Keeps text of an answer that broke off.

        After a stop it is a message like any other, with a line that says where it was cut: the
        user read it and may refer to it. After a failure it is discarded: kept, never sent.
        """
        if not shown.text.strip() or self._recorder.history.get(shown.id) is not None:
            return
        parts = [TextPart(shown.text)]
        if stopped:
            parts.append(TextPart(f"\n\n{self._words('agent.stopped_text')}"))
        await self._recorder.append(
            Message(
                shown.id,
                "assistant",
                tuple(parts),
                reasoning=self._cut_reasoning(shown) if stopped else None,
                discarded=not stopped,
            )
        )

    def _cut_reasoning(self, shown: _Shown) -> KeptReasoning | None:
        """Reasoning of a stopped answer goes back as that of the step before it in this turn did.

        A provider that wants it on every message of a turn with tools would refuse all later
        requests without it (PROVIDERS 1.6).
        """
        for message in reversed(self._recorder.history.messages):
            if message.role == "user":
                break
            before = message.reasoning
            if before is not None and before.send and not before.details:
                return KeptReasoning(shown.reasoning, before.field, send=True)
        return KeptReasoning(shown.reasoning) if shown.reasoning else None

    async def _failed(self, code: str, text: str, choices: tuple[Choice, ...] = ()) -> TurnOutcome:
        try:
            await self._recorder.error(code, text)
        except HaimaError:
            _log.exception("the error %s can't be written down", code)
        self._publish(Failed(code=code, text=text))
        return TurnOutcome(ok=False, steps=self.steps, code=code, choices=choices)
