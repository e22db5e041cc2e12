"""The Memory tab, in the workbench: what a message was given, as the memory knows it now."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection
from functools import partial

from app.boundary import block, one_line, visible
from app.conversation.messages import MemoryPart, Message
from app.errors import HaimaError
from app.events import (
    Event,
    FactConflict,
    FactDeleted,
    FactReplaced,
    FactRestored,
    FactSaved,
    FactVerified,
    HistoryCleared,
    MemoryInjected,
    SessionStarted,
    TurnStarted,
)
from app.memory.fact_outcomes import Outcome, Verified
from app.memory.memories import Known, Memories
from app.screens.chat import ChatScreen
from app.session.fact_said import fact_said
from app.session.session import Session
from app.view.recalled import FactNow, Recalled, of_block, of_event, refreshed
from app.workbench.app import Workbench
from widgets.gauge import ContextOpened
from widgets.requests import (
    LeaveFactOut,
    ListRecalled,
    PinFact,
    RecalledAgain,
    Request,
    VerifyFact,
)
from widgets.toasts import Toast
from widgets.unbegun import unbegun

_CHANGES = (
    *(MemoryInjected, FactSaved, FactReplaced, FactConflict, FactVerified),
    *(FactDeleted, FactRestored),
)
"""Events after which the memory knows something else of what is listed."""

_KEPT = 50
"""Messages whose own list is kept as it was told; what those before carried is still shown."""


class RecalledFacts:
    """Feeds the tab and carries out its keys, one thing at a time.

    Args:
        app: shows toasts.
        chat: the main screen, once there is one.
        session: what is open.
    """

    def __init__(
        self,
        app: Workbench,
        chat: Callable[[], ChatScreen | None],
        session: Callable[[], Session | None],
    ) -> None:
        self._app = app
        self._chat = chat
        self._session = session
        self._told: OrderedDict[str, Recalled] = OrderedDict()
        self._one_at_a_time = asyncio.Lock()

    def take(self, request: Request) -> bool:
        """Does what a screen asks for; False: it is no business of this."""
        match request:
            case LeaveFactOut(fact=fact, out=out):
                self._run(partial(self._leave_out, fact, out=out))
            case VerifyFact(fact=fact):
                self._run(lambda session: self._change(session.remembering.verify((fact,))))
            case PinFact(fact=fact, on=on):
                self._run(lambda session: self._change(session.remembering.pin((fact,), on)))
            case RecalledAgain():
                self.refresh()
            case ListRecalled(message=message):
                self._run(partial(self._list, message))
            case _:
                return False
        return True

    def follow(self, event: Event) -> None:
        """After an event: the list as it is now."""
        if event.conversation != "main":
            return
        match event:
            case MemoryInjected():
                self._told[event.message] = of_event(event)
                while len(self._told) > _KEPT:
                    self._told.popitem(last=False)
            case TurnStarted():
                self._show(latest=False)
            case SessionStarted():
                self._told.clear()
                # The screen hears of it after us, and the history is read when it does.
                self._app.call_later(self._take_up)
            case HistoryCleared():
                self._told.clear()
            case _:
                pass
        if isinstance(event, _CHANGES):
            self.refresh()

    def refresh(self) -> None:
        """Asks the memory beside everything else."""
        if self._session() is not None and self._chat() is not None:
            self._app.run_worker(
                unbegun(self._ask),
                group="recalled",
                exclusive=True,
                exit_on_error=False,
            )

    def _show(self, *, latest: bool) -> None:
        chat = self._chat()
        if chat is not None:
            model = chat.side.model
            model.recall(model.recalled.dated(latest=latest))

    def _take_up(self) -> None:
        """What the newest message that carries facts was given, in a session that was opened."""
        session, chat = self._session(), self._chat()
        if session is None or chat is None:
            return
        if not session.remembering.enabled:
            chat.side.model.recall(Recalled(off=True))
            return
        said = [one for one in session.history.messages if one.role == "user"]
        found = next((one for one in reversed(said) if _facts_of(one)), None)
        if found is None:
            chat.side.model.recall(Recalled())
            return
        recalled = self._of_message(session, found).dated(latest=found is said[-1])
        chat.side.model.recall(recalled)
        self.refresh()

    async def _ask(self) -> None:
        session, chat = self._session(), self._chat()
        if session is None or chat is None or not (ids := chat.side.model.recalled.ids):
            return
        remembering = session.remembering
        try:
            facts = await _facts(remembering.memories, ids)
        except HaimaError:
            return  # the memory's trouble was told; what is listed stays
        model = chat.side.model
        if self._session() is session and model.recalled.ids == ids:
            out = {one for one in ids if remembering.left_out(one)}
            model.recall(refreshed(model.recalled, facts, out))

    def _run(self, work: Callable[[Session], Awaitable[None]]) -> None:
        """Works behind the screen, unless there is no open session; errors become a toast."""
        session = self._session()
        if session is not None and session.node:
            told = unbegun(self._said, lambda: work(session))
            self._app.run_worker(told, group="recalled_facts", exit_on_error=False)

    async def _said(self, work: Callable[[], Awaitable[None]]) -> None:
        async with self._one_at_a_time:
            try:
                await work()
            except HaimaError as error:
                self._app.toast("chat.command_failed", error.sentence(self._app.words), "warn")

    async def _leave_out(self, fact: str, session: Session, *, out: bool) -> None:
        session.remembering.leave_out(fact, out)
        self.refresh()

    async def _change(self, change: Awaitable[Outcome]) -> None:
        """Says what came of it; where the list shows it anyway, it need not be said."""
        outcome = await change
        self.refresh()
        if isinstance(outcome, Verified) and not outcome.missing:
            return
        said = fact_said(outcome, self._app.words)
        self._app.show_toast(Toast(said.head, said.text, said.severity))

    async def _list(self, message: str, session: Session) -> None:
        """Enter on the line in the conversation: that message's list."""
        chat = self._chat()
        if chat is None:
            return
        recalled = self._told.get(message)
        if recalled is None:
            found = session.history.get(message)
            if found is None and (original := await session.original(message)) is not None:
                found = original.message
            if found is None or not _facts_of(found):
                return
            recalled = self._of_message(session, found)
        said = (one.id for one in reversed(session.history.messages) if one.role == "user")
        model = chat.side.model
        model.recall(recalled.dated(latest=next(said, message) == message))
        model.choose("memory")
        if chat.has_class("-compact"):
            chat.post_message(ContextOpened())
        else:
            chat.panel.list.focus()
        self.refresh()

    def _of_message(self, session: Session, message: Message) -> Recalled:
        """From the blocks that a message carries."""
        if (told := self._told.get(message.id)) is not None:
            return told
        parts = [part for part in message.parts if isinstance(part, MemoryPart)]
        text = "\n".join(part.text for part in parts)
        return of_block(
            message.id,
            _facts_of(message),
            text,
            tokens=session.context.meter.text_tokens(block("memory", text)),
            budget=session.context.window.marks.memory,
        )


def _facts_of(message: Message) -> tuple[str, ...]:
    parts = (part for part in message.parts if isinstance(part, MemoryPart))
    return tuple(fact for part in parts for fact in part.facts)


async def _facts(memories: Memories, ids: Collection[str]) -> dict[str, FactNow]:
    """What the memory knows of these, by id; those that are gone are missing.

    Raises:
        StorageError: it can't be read.
    """
    await memories.refresh()
    wanted = set(ids)
    found = [fact for fact in memories.visible() if fact.id in wanted]
    return {known.fact.id: _now(known) for known in await memories.known(found)}


def _now(known: Known) -> FactNow:
    fact, evidence = known.fact, known.evidence
    speaks = evidence.kind != "silent"
    return FactNow(
        content=one_line(fact.content),
        scope=fact.scope,
        state=known.state,
        pinned=fact.pinned,
        author=fact.provenance.who,
        written=fact.timestamp,
        verified=fact.verified,
        file=visible(evidence.file) if speaks else "",
        line=evidence.line if speaks else 0,
    )
