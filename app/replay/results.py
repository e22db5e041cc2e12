"""The results of a replay on their way into the history: tier 1, as the agent does it.

The order is that of `agent.results`: the names of the whole result, its own limit, the row and the
history; before the next request what the results of a step may have together. A test plays both.
No tool runs here, so a result's whole text is its content.
"""

from collections.abc import Callable

from app.archive.recorder import Recorder
from app.compaction.joint import StepResult, fit, joint_limit
from app.compaction.offload import SHELL, Offload, Offloader, offload_limit
from app.conversation.arguments import arguments_of
from app.conversation.content import Content
from app.conversation.messages import Message, TextPart, ToolCall
from app.conversation.meter import Meter
from app.conversation.outcome import ToolOutcome
from app.conversation.standing import MessageState
from app.conversation.truncate import cut
from app.conversation.window import RULES, Thresholds
from app.conversation.work import Work
from app.memory.name_calls import names_in_call
from app.memory.name_index import NameIndex
from app.memory.name_score import Ranking
from app.replay.happened import Happened
from app.replay.recording import Recorded

_STRETCH = frozenset({"offset", "limit", "line_start", "line_end", "view_range"})
"""Arguments by which a stretch of a file is read."""

_MOVED = ".haima/tool-outputs/"

Told = Callable[[Happened], None]
"""Hears what became of a result."""


class ReplayedResults:
    """Keeps the results of one replay."""

    def __init__(
        self,
        *,
        recorder: Recorder,
        offloader: Offloader,
        meter: Meter,
        marks: Callable[[], Thresholds],
        index: NameIndex,
        told: Told,
    ) -> None:
        """Keeps nothing yet.

        Args:
            recorder: of the replay.
            offloader: moves contents to files in a folder of the replay's own.
            meter: measures the history.
            marks: of the window.
            index: the names that the conversation held; fed with every result, whole.
            told: hears what becomes of results.
        """
        self._recorder = recorder
        self._offloader = offloader
        self._meter = meter
        self._marks = marks
        self._index = index
        self._told = told
        self._step: dict[str, StepResult] = {}

    def begin_step(self) -> None:
        """The results of another step come; its message is in the history."""
        self._index.follow(self._recorder.history)
        self._step.clear()

    async def keep(self, call: ToolCall, entry: Recorded, work: Work) -> None:
        """Takes a recorded result in, its content moved to a file where it is too big.

        Args:
            call: what it answers.
            entry: as it was recorded.
            work: what it adds to the worklog; it stands in the same row.
        """
        message = entry.message
        self._index.add(message)
        text, tool = message.text, limited_as(call.name)
        limit, content = offload_limit(tool, self._marks()), None
        outcome = ToolOutcome(ok=entry.ok, seconds=0.0, characters=len(text))
        if not stays(call):
            content = Content.of(text.encode("utf-8", "surrogatepass"))
        done = None
        if content is not None and content.characters > limit:
            done = await self._offloader.offload(
                call.name, content, limit=limit, ranking=Ranking(self._index), ref=message.id
            )
        if content is None and len(text) > RULES.offload[0]:
            text = shortened(text, RULES.offload[0])
        if done is not None:
            text, content = done.text, None
            file = done.file if isinstance(done, Offload) else None
            kept = _with(message, text)
            await self._recorder.append(kept, outcome=outcome, file=file, work=work)
            if file is not None:
                self._offloaded(message, kept)
        else:
            await self._recorder.append(_with(message, text), outcome=outcome, work=work)
        again = None if done is not None or content is not None else _shorter(text)
        self._step[message.id] = StepResult(message.id, call.name, len(text), content, again)

    async def fit(self) -> None:
        """Brings the last step's results under the limit they have together."""
        recorder, results = self._recorder, list(self._step.values())
        if not results:
            return
        history = recorder.history
        used = self._meter.measure(history, "").tokens
        used -= sum(self._meter.message_tokens(history[history.index(one.id)]) for one in results)
        limit = joint_limit(max(0, self._marks().window - used))
        if sum(one.size for one in results) > limit:
            ranking = Ranking(self._index)
            for key, change in (
                await fit(results, limit, self._offloader, ranking=ranking)
            ).items():
                before = recorder.history[recorder.history.index(key)]
                file = change.file if isinstance(change, Offload) else None
                state: MessageState = "offloaded" if file is not None else "cut"
                parts = (TextPart(change.text),)
                await recorder.replace(key, parts, state=state, file=file)
                if file is not None:
                    self._offloaded(before, _with(before, change.text))
        self._step.clear()

    def _offloaded(self, whole: Message, kept: Message) -> None:
        self._told(
            Happened(
                "offloaded",
                1,
                tokens_before=self._meter.message_tokens(whole),
                tokens_after=self._meter.message_tokens(kept),
                tool=whole.tool or "",
                characters=len(whole.text),
                kept=len(kept.text),
            )
        )


def stays(call: ToolCall) -> bool:
    """Whether a result is a stretch of a file, or was read of what had been moved to one."""
    given = arguments_of(call.arguments)
    if any(given.get(name) for name in _STRETCH):
        return names_in_call(call.name, "{}").work == "read"
    return any(isinstance(value, str) and _MOVED in value for value in given.values())


def limited_as(tool: str) -> str:
    """The tool of ours whose limit holds for another agent's: those that run commands have one."""
    return SHELL if names_in_call(tool, "{}").work == "shell" else tool


def shortened(text: str, limit: int) -> str:
    """A text cut in its middle, which is marked."""
    piece = cut(text, limit)
    return text if piece is None else f"{piece.head}\n[…]\n{piece.tail}"


def _shorter(text: str) -> Callable[[int], str]:
    return lambda characters: shortened(text, characters)


def _with(message: Message, text: str) -> Message:
    return Message(
        message.id, "tool", (TextPart(text),), call_id=message.call_id, tool=message.tool
    )
