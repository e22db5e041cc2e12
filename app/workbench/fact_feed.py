"""Feeds the memory browser: what is remembered now, whoever changed it, or why it can't be read."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.errors import HaimaError
from app.memory.inbox import Pending
from app.memory.memories import Known
from app.screens.memory import MemoryScreen
from app.session.remembering import Remembering
from app.session.session import Session
from app.view.facts_record import FactDetail, FactItem
from app.workbench.app import Workbench
from app.workbench.fact_items import fact_item, fact_items, history_of
from widgets.unbegun import unbegun

_ANEW_SECONDS = 20.0
"""So often ages, uses and evidence are looked at anew where no fact changed."""

_MANY = 1_000
"""So many facts are first listed without what files say of them."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a screen was last given: which one, at which version, when."""

    screen: MemoryScreen
    version: int
    at: float


class FactFeed:
    """Looks at the memory when it is wanted; one look at a time, the last wish counts.

    Args:
        app: runs the work, shows toasts.
        session: what is open.
    """

    def __init__(self, app: Workbench, session: Callable[[], Session | None]) -> None:
        self._app = app
        self._session = session
        self._shown: _Shown | None = None
        self._at = ""
        self._wanted = self._anew = self._looking = False

    @property
    def screen(self) -> MemoryScreen | None:
        """The browser, also under a dialog or a file."""
        screens = reversed(self._app.screen_stack)
        return next((one for one in screens if isinstance(one, MemoryScreen)), None)

    def refresh(self, *, anew: bool = False, at: str = "") -> None:
        """Looks at the facts again, where they are shown.

        Args:
            anew: also where no fact changed.
            at: id of a fact the cursor goes to; "": it stays.
        """
        self._at = at or self._at
        self._anew = self._anew or anew
        self._wanted = True
        if not self._looking and self._session() is not None and self.screen is not None:
            self._looking = True
            self._app.run_worker(unbegun(self._look_on), group="facts", exit_on_error=False)

    async def _look_on(self) -> None:
        """Until nobody wants it any more: one that is under way is never begun again."""
        try:
            while self._wanted and (session := self._session()) is not None:
                self._wanted, anew, self._anew = False, self._anew, False
                await self._look(session.remembering, anew=anew)
        finally:
            self._looking = False

    async def _look(self, remembering: Remembering, *, anew: bool) -> None:
        screen, shown, memories = self.screen, self._shown, remembering.memories
        if screen is None:
            return
        words = self._app.words
        try:
            await memories.refresh()
            if remembering.report():
                self._app.toast("facts.damaged", words("facts.damaged_text"), "warn")
            fresh = shown is not None and shown.screen is screen
            late = shown is None or self._app.seconds() - shown.at >= _ANEW_SECONDS
            known_already = fresh and shown is not None and shown.version == memories.version
            if known_already and not (anew or late or screen.table.trouble):
                return
            version, facts = memories.version, memories.visible()
            waiting = await memories.inbox.waiting(memories.key)
            screen.table.undoable = await memories.store.can_undo()
            if not fresh and len(facts) > _MANY:  # what files say of so many takes seconds
                await self._give(screen, await memories.known(facts, evidence=False), waiting)
            known = await memories.known(facts)
        except HaimaError as error:
            screen.table.fail(error.sentence(words))
            return
        await self._give(screen, known, waiting)
        self._shown = _Shown(screen, version, self._app.seconds())

    async def _give(
        self, screen: MemoryScreen, known: Sequence[Known], waiting: Sequence[Pending]
    ) -> None:
        items = await asyncio.to_thread(fact_items, known)
        at, self._at = self._at, ""
        screen.show(items, len(waiting), at)

    async def detail(self, item: FactItem) -> FactDetail:
        """What else is known of a fact; what can't be read is left out."""
        session = self._session()
        if session is None:
            return FactDetail(item)
        memories = session.remembering.memories
        fact = memories.store.get(item.id)
        try:
            if fact is not None:
                item = fact_item((await memories.known((fact,)))[0])
            told = history_of(item, await memories.store.history(item.id))
            title = await session.title_of(item.node) if item.node else ""
        except HaimaError:
            return FactDetail(item)
        return FactDetail(item, title, bool(item.node), told)
