"""How full the window is, in a session: the meter, the window, and the event that tells both.

Told anew whenever the history, the model or the window changed; a figure that did not change is
not told again. A usage row counts for the ledger whatever the meter makes of it.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping

from app.archive.load import LastUsage
from app.compaction.compactor import Compactor
from app.config import Settings
from app.conversation.history import History
from app.conversation.messages import Message
from app.conversation.meter import Meter
from app.conversation.window import Window
from app.errors import HaimaError
from app.events import (
    Cleared,
    ContextMeasured,
    ContextParts,
    Event,
    Expanded,
    FactDeleted,
    Guarded,
    HistoryCleared,
    Notice,
    Offloaded,
    OffloadFailed,
    Paused,
    PicturesLeft,
    Restored,
    Summarised,
    SummaryUndone,
    ToolFinished,
    TurnResumed,
    TurnStarted,
)
from app.llm.families import coefficients_for
from app.ports import ChatModel, Publish, ToolSchema, Usage
from app.session.auxiliary_window import AuxiliaryWindow
from app.session.learned import LearnedLimits
from app.session.window import ModelWindow
from app.text import Words
from app.view.plot import EventKind, TurnEvent

_CHANGES = (
    *(TurnStarted, ToolFinished, Offloaded, OffloadFailed),
    *(Cleared, PicturesLeft, Guarded, Restored, Paused),
    *(Summarised, SummaryUndone, Expanded, FactDeleted),
)
"""Events after which the next request is another."""

_HAPPENED: Mapping[type[Event], EventKind] = {
    Summarised: "summary",
    Cleared: "clear",
    Offloaded: "offload",
}


def tools_text(schemas: Iterable[ToolSchema]) -> str:
    """The tools on offer as the JSON that goes out; "" for none."""
    tools = [
        {
            "type": "function",
            "function": {
                "name": schema.name,
                "description": schema.description,
                "parameters": schema.parameters,
            },
        }
        for schema in schemas
    ]
    return json.dumps(tools, ensure_ascii=False) if tools else ""


class SessionContext:
    """The context of a session, whichever chain is open.

    Attributes:
        window: the window of the model in use.
        auxiliary: that of a model set apart for summaries.
        meter: measures requests; its ratios outlive `/clear` and a change of the model.
        turns: tokens at the end of each turn of the chain, oldest first.
        happened: what left the context, by turn.
    """

    def __init__(
        self,
        model: ChatModel,
        settings: Settings,
        *,
        words: Callable[[], Words],
        publish: Publish,
        history: Callable[[], History],
        schemas: Callable[[], Iterable[ToolSchema]],
        compactor: Callable[[], Compactor],
        limits: LearnedLimits | None = None,
    ) -> None:
        """Measures nothing yet.

        Args:
            model: answers.
            settings: where the window may be set.
            words: the session's language as it is now, for notices.
            publish: gets the events.
            history: what the next request would hold.
            schemas: the tools it would offer.
            compactor: of the chain that is open.
            limits: keeps what endpoints told of their windows; None: nobody does.
        """
        self.window = ModelWindow(model, settings, limits)
        self.auxiliary = AuxiliaryWindow(limits)
        self.meter = Meter(coefficients_for(model.name), (model.base_url, model.name))
        self._words = words
        self._publish = publish
        self._history = history
        self._schemas = schemas
        self._compactor = compactor
        self._tools: tuple[tuple[ToolSchema, ...], str] = ((), "")
        self._told: ContextMeasured | None = None
        self._truncation_told = False
        self.turns: list[int] = []
        self.happened: list[TurnEvent] = []
        self._unanswered = False
        self._untried = False
        self._asking: asyncio.Task[None] | None = None
        self._forgetting: set[asyncio.Task[None]] = set()

    @property
    def prospect(self) -> History:
        """What the next request would hold."""
        return self._history()

    @property
    def clearable(self) -> int | None:
        """Tokens that clearing old results would free now; None: nothing is cleared by itself."""
        return self._compactor().clearable

    @property
    def cleared(self) -> tuple[str, ...]:
        """The results of which only a pointer is sent, by their messages' ids."""
        return self._compactor().cleared

    def file_of(self, message_id: str) -> str:
        """The file a result's content was moved to, from the project's root; "" for none."""
        return self._compactor().file_of(message_id)

    @property
    def schemas(self) -> tuple[ToolSchema, ...]:
        """The tools on offer."""
        return tuple(self._schemas())

    @property
    def tools(self) -> str:
        """The tools on offer, as they go out; built anew only where they changed."""
        schemas = self.schemas
        if schemas != self._tools[0]:
            self._tools = (schemas, tools_text(schemas))
        return self._tools[1]

    @property
    def crowded(self) -> bool:
        """Whether an earlier history, or another model, has to be asked about before it is sent.

        It would be summarised before it is sent, and nothing was sent since it was opened or the
        model changed: the user decides once what is to become of it (FIELD 27, 60).
        Where no summary is made by itself, it is sent as long as it fits (FIELD 61).
        """
        measure, marks = self.meter.measure(self._history(), self.tools), self.window.marks
        tier = self._compactor().tier
        by_itself = tier is not None and tier.means.settings().auto == "all"
        due = by_itself and measure.tokens >= marks.summary
        return self._untried and (due or measure.at_most > marks.window)

    def asked(self) -> None:
        """The user was asked about it."""
        self._untried = False

    def use(self, model: ChatModel, settings: Settings) -> None:
        """Another model answers from now on."""
        self.window.use(model, settings)
        self.meter.use(coefficients_for(model.name), (model.base_url, model.name))
        self._truncation_told = False
        self._untried = True
        self.begin()

    def begin(self, left: LastUsage | None = None, *, resumed: bool = False) -> None:
        """Tells the figure, and asks the endpoint for its window beside everything else.

        Args:
            left: the last answer of a session that is resumed, where nothing was edited since.
            resumed: the history is an earlier one.
        """
        if resumed:
            self._untried = True
        if left is not None:
            self._take_up(left)
        self.say(self.window.recall())
        self.tell()
        if self.meter.endpoint[0] and (self._asking is None or self._asking.done()):
            self._asking = asyncio.create_task(self._ask())

    def turn_ended(self) -> None:
        """Tells the figure; a local server that has loaded the model now is asked again."""
        if self.window.pending:
            self.begin()
        else:
            self.tell()
        if self._told is not None:
            self.turns.append(self._told.tokens)
        sent = [message for message in self._history() if not message.discarded]
        self._unanswered = sent[-1].role == "user"

    async def close(self) -> None:
        """Asks no more."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait({self._asking})
        if self._forgetting:
            await asyncio.wait(self._forgetting)

    async def _forget(self) -> None:
        self.say((*await self.window.keep(), *await self.auxiliary.forget()))

    async def _ask(self) -> None:
        asked = None
        while asked != self.meter.endpoint:  # the model may be exchanged meanwhile
            asked = self.meter.endpoint
            self.say(await self.window.ask())
        self.tell()

    def set_window(self, size: int | None) -> Window:
        """The user's choice for this session; None: what is set, told or known.

        What was learned of the model is forgotten, on the disk too.

        Raises:
            WindowError: zero or negative; nothing changed.
        """
        window = self.window.set_window(size)
        self._compactor().user_acts()
        self.tell()
        task = asyncio.create_task(self._forget())
        self._forgetting.add(task)
        task.add_done_callback(self._forgetting.discard)
        return window

    def follow(self, event: Event) -> None:
        """Tells the new figure after an event that changed it."""
        if isinstance(event, HistoryCleared):
            self._told = None
            self.turns.clear()
            self.happened.clear()
            self._unanswered = False
        if isinstance(event, TurnResumed) or (isinstance(event, TurnStarted) and self._unanswered):
            del self.turns[-1:]  # the turn goes on
            self._unanswered = False
        if (kind := _HAPPENED.get(type(event))) is not None:
            self.happened.append(TurnEvent(len(self.turns) + 1, kind))
        if isinstance(event, _CHANGES):
            self.tell()

    def sent(self) -> None:
        """A request with the present history goes out."""
        self._untried = False
        self.meter.sent(self._history(), self.tools)

    def answered(self, message: Message | None, usage: Usage | None) -> None:
        """The request was answered or failed: the anchor moves, the new figure is told."""
        verdict = self.meter.answered(
            self._history(),
            message,
            prompt=usage.prompt if usage else None,
            completion=usage.completion if usage else 0,
            reasoning=usage.reasoning if usage else 0,
        )
        told = message is not None and verdict == "truncated"  # else it was refused, and said so
        if told and not self._truncation_told and usage is not None:
            self._truncation_told = True
            expected = self.meter.measure(self._history(), self.tools).tokens
            text = self._words()(
                "context.truncated", counted=f"{usage.prompt:,}", expected=f"{expected:,}"
            )
            self._publish(Notice(code="silent_truncation", text=text, severity="warn"))
        self.tell()

    def tell(self) -> None:
        """Publishes the figure, its parts and the marks, where any of them changed."""
        measure = self.meter.measure(self._history(), self.tools)
        window, marks, parts = self.window.window, self.window.marks, measure.parts
        event = ContextMeasured(
            tokens=measure.tokens,
            source=measure.source,
            window=window.effective,
            certain=window.certain,
            clear=marks.clear,
            warn=marks.warn,
            summary=marks.summary,
            reserve=marks.reserve,
            clearable=self.clearable or 0,
            parts=ContextParts(
                system=parts.system,
                tools=parts.tools,
                memory=parts.memory,
                history=parts.history,
                results=parts.results,
            ),
        )
        if event != self._told:
            self._told = event
            self._publish(event)

    def _take_up(self, left: LastUsage) -> None:
        history = self._history()
        answer = history.get(left.message or "")
        if answer is not None and left.model == self.meter.endpoint[1]:
            self.meter.take_up(
                history, self.tools, answer, prompt=left.prompt, completion=left.completion
            )

    def say(self, notices: Iterable[HaimaError]) -> None:
        """Tells what the user should hear."""
        for notice in notices:
            text = notice.sentence(self._words())
            self._publish(Notice(code=notice.code, text=text, severity="warn"))
