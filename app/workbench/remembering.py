"""Long-term memory in the workbench: the browser (F2), what its keys do, `/save` and `/memory`."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

from app.errors import HaimaError
from app.memory.fact_outcomes import Conflict, Deleted, Outcome, Verified
from app.memory.facts import FactScope, Provenance
from app.screens.chat import ChatScreen
from app.screens.memory import MemoryScreen
from app.session.fact_said import disproved, fact_said, short
from app.session.memory_command import MemoryCommand, SaveCommand, parse_memory, parse_save
from app.session.remembering import Remembering
from app.session.session import Session
from app.text import Words
from app.workbench.app import Workbench
from app.workbench.deciding import Deciding
from app.workbench.fact_feed import FactFeed
from app.workbench.fact_items import came_of
from app.workbench.resuming import Resuming
from app.workbench.windows import Windows
from widgets.dialogs.confirm import ConfirmDialog
from widgets.fact_requests import (
    AddFact,
    DecideInbox,
    DeleteFacts,
    FactsWanted,
    OpenProof,
    OpenSource,
    PinFacts,
    RewriteFact,
    UndoFacts,
    VerifyFacts,
)
from widgets.requests import OpenFile, OpenMemory, Request
from widgets.toasts import Toast
from widgets.unbegun import unbegun


class Remembers:
    """Opens the browser and carries out what it asks for, one change at a time.

    Args:
        app: shows screens, dialogs and toasts.
        chat: the main screen, once there is one.
        session: what is open.
        deciding: puts what waits to the user.
        resuming: opens other sessions.
        windows: goes to a message.
        now: the present time, in the user's zone.
    """

    def __init__(
        self,
        app: Workbench,
        chat: Callable[[], ChatScreen | None],
        session: Callable[[], Session | None],
        *,
        deciding: Deciding,
        resuming: Resuming,
        windows: Windows,
        now: Callable[[], datetime],
    ) -> None:
        self._app = app
        self._chat = chat
        self._session = session
        self._deciding = deciding
        self._resuming = resuming
        self._windows = windows
        self._now = now
        self._feed = FactFeed(app, session)
        self._one_at_a_time = asyncio.Lock()

    # The browser

    def show(self, *, query: str = "", fact: str = "") -> None:
        """The browser; over it: back.

        Args:
            query: the filter at first.
            fact: id of the fact the cursor is on at first.
        """
        app, chat = self._app, self._chat()
        session = self._session()
        if isinstance(app.screen, MemoryScreen):
            app.pop_screen()
        elif chat is not None and session is not None and not app.screen.is_modal:
            screen = MemoryScreen(
                app.look,
                chat.state,
                now=self._now,
                ask=app.desk.ask,
                detail=self._feed.detail,
                clock=app.seconds,
                typed_at=lambda: app.typed_at,
                held=lambda: self._deciding.busy,
                query=query,
                begin_at=fact,
            )
            app.push_screen(screen)
            if not session.remembering.enabled:
                screen.show_toast(
                    Toast(app.words("facts.off"), app.words("facts.off_text"), "warn")
                )

    # What it asks for

    def take(self, request: Request) -> bool:
        """Does what a screen asks for; False: it is no business of this."""
        match request:
            case FactsWanted():
                self._feed.refresh()
            case OpenMemory(fact=fact):
                self.show(fact=fact)
            case VerifyFacts(ids=ids):
                self._run(lambda memory: memory.verify(ids), quiet=len(ids) == 1)
            case PinFacts(ids=ids, on=on):
                self._run(lambda memory: memory.pin(ids, on))
            case DeleteFacts(ids=ids, everywhere=True):
                self._run(lambda memory: memory.delete_everywhere(ids))
            case DeleteFacts(ids=ids):
                self._run(lambda memory: memory.delete(ids))
            case UndoFacts():
                self._run(lambda memory: memory.undo())
            case AddFact(text=text, scope=scope):
                self._run(lambda memory: self._save(memory, text, scope))
            case RewriteFact(id=id, text=text, edits=False):
                self._run(lambda memory: memory.replace(id, text))
            case RewriteFact(id=id, text=text):
                self._run(lambda memory: self._edit(memory, id, text))
            case DecideInbox(id=id):
                self._deciding.begin(id, self._came)
            case OpenSource(node=node, message=message):
                self._open_source(node, message)
            case OpenProof(file=file, line=line):
                self._open_proof(file, line)
            case _:
                return False
        return True

    def _run(
        self, work: Callable[[Remembering], Awaitable[Outcome | None]], *, quiet: bool = False
    ) -> None:
        """Works behind the screen, unless there is no open session.

        Args:
            work: the change; None: nothing was to be done.
            quiet: the list shows that it went well.
        """
        session = self._session()
        if session is not None and session.node:
            told = unbegun(self._told, lambda: work(session.remembering), quiet=quiet)
            self._app.run_worker(told, group="remembering", exit_on_error=False)

    async def _told(self, work: Callable[[], Awaitable[Outcome | None]], *, quiet: bool) -> None:
        async with self._one_at_a_time:
            try:
                outcome = await work()
            except HaimaError as error:
                self._fail(error)
                return
        self._feed.refresh(anew=True, at=came_of(outcome))
        if isinstance(outcome, Verified):
            await self._say_disproved(outcome)
        if outcome is None or (quiet and isinstance(outcome, Verified) and not outcome.missing):
            return
        words = self._app.words
        said = fact_said(outcome, words)
        text = said.text
        if isinstance(outcome, Deleted) and outcome.change and self._feed.screen is not None:
            text = words("facts.deleted_hint", text=text)
        self._app.show_toast(Toast(said.head, text, said.severity))

    def _came(self, outcome: Outcome) -> None:
        """The browser's cursor goes to what was decided, which may be another fact now."""
        self._feed.refresh(anew=True, at=came_of(outcome))

    async def _say_disproved(self, outcome: Verified) -> None:
        """What files say against facts that were confirmed."""
        session, app = self._session(), self._app
        if session is None:
            return
        known = await session.remembering.memories.known(outcome.facts)
        if (said := disproved(known, app.words)) is not None:
            app.show_toast(Toast(said.head, said.text, said.severity))

    def _fail(self, error: HaimaError) -> None:
        self._app.toast("chat.command_failed", error.sentence(self._app.words), "warn")

    async def _save(
        self, memory: Remembering, text: str, scope: FactScope | None, *, force: bool = False
    ) -> Outcome:
        session = self._session()
        node = session.node if session is not None else ""
        return await memory.save(
            text, scope=scope, provenance=Provenance("you", node=node), force=force
        )

    async def _edit(self, memory: Remembering, id: str, text: str) -> Outcome | None:
        """Another text; where it contradicts others, the user is asked."""
        outcome = await memory.edit(id, text)
        if not isinstance(outcome, Conflict):
            return outcome
        others = [short(one.fact.content) for one in outcome.existing[:3]]

        def says(words: Words) -> list[str]:
            quoted = words("fact.list").join(words("fact.quoted", content=one) for one in others)
            return [words("facts.force_text", content=short(text), existing=quoted)]

        app = self._app
        dialog = ConfirmDialog(
            app.look,
            title="facts.force_title",
            says=says,
            do="facts.force_do",
            keep="facts.force_keep",
            clock=app.seconds,
            typed_at=app.typed_at,
        )
        if await app.desk.ask(dialog) is not True:
            return None
        return await memory.edit(id, text, force=True)

    # Where a fact leads

    def _open_source(self, node: str, message: str) -> None:
        session, app = self._session(), self._app
        if session is None:
            return
        if not node:
            app.toast("facts.no_session", app.words("facts.no_session_text"))
            return
        if (screen := self._feed.screen) is not None and app.screen is screen:
            app.pop_screen()
        self._resuming.resume(node, lambda: self._windows.go_to(message))

    def _open_proof(self, file: str, line: int) -> None:
        session = self._session()
        if session is not None:
            self._app.post_message(OpenFile(session.parts.project.root / file, line))

    # Commands

    def command(self, name: str, argument: str) -> bool:
        """`/save` and `/memory`; False: it is neither."""
        try:
            match name:
                case "save":
                    self._save_command(parse_save(argument))
                case "memory":
                    self._memory_command(parse_memory(argument))
                case _:
                    return False
        except HaimaError as error:
            self._fail(error)
        return True

    def _save_command(self, given: SaveCommand) -> None:
        self._run(lambda memory: self._save(memory, given.text, given.scope, force=given.force))

    def _memory_command(self, given: MemoryCommand) -> None:
        match given.action:
            case "status" | "list":
                self.show()
            case "search":
                self.show(query=given.text)
            case "verify":
                self._run(lambda memory: self._on(memory, given.ids, memory.verify))
            case "delete":
                self._run(lambda memory: self._on(memory, given.ids, memory.delete))
            case "replace":
                self._run(lambda memory: self._replace(memory, given.ids[0], given.text))
            case "clear":
                self._run(lambda memory: self._clear(memory, given.scope))

    async def _on(
        self,
        memory: Remembering,
        prefixes: tuple[str, ...],
        change: Callable[[tuple[str, ...]], Awaitable[Outcome]],
    ) -> Outcome:
        """A change of the facts whose ids begin so."""
        await memory.memories.refresh()
        return await change(tuple(memory.memories.find(one).id for one in prefixes))

    async def _replace(self, memory: Remembering, prefix: str, text: str) -> Outcome:
        await memory.memories.refresh()
        return await memory.replace(memory.memories.find(prefix).id, text)

    async def _clear(self, memory: Remembering, scope: FactScope | None) -> Outcome | None:
        await memory.memories.refresh()
        facts = memory.memories.visible()
        count = sum(scope in (None, fact.scope) for fact in facts)
        app = self._app
        dialog = ConfirmDialog(
            app.look,
            title="facts.clear_title",
            says=lambda words: [words("facts.clear_text", n=count)],
            do="facts.delete_do",
            keep="facts.delete_keep",
            clock=app.seconds,
            typed_at=app.typed_at,
            risky=True,
        )
        return await memory.clear(scope) if await app.desk.ask(dialog) is True else None
