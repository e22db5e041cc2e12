"""Feeds the Work tab and the Work view while someone looks at them, and offers unfinished work."""

import asyncio
from collections.abc import Callable
from time import monotonic

from textual.timer import Timer

from app.errors import HaimaError
from app.events import (
    Event,
    Expanded,
    HistoryCleared,
    RecoveryTold,
    Restored,
    SessionStarted,
    Summarised,
    SummaryUndone,
    ToolFinished,
    TurnStarted,
    WorkNoted,
)
from app.screens.chat import ChatScreen
from app.screens.context import ContextScreen
from app.screens.work import WorkViewScreen
from app.session.session import Session
from app.session.todo_command import title_of
from app.workbench.app import Workbench
from widgets.empty_state import Offer
from widgets.unbegun import unbegun
from widgets.work_screen import WorkScreen

_CHANGES = (
    *(WorkNoted, RecoveryTold, ToolFinished, TurnStarted, SessionStarted, HistoryCleared),
    *(Summarised, SummaryUndone, Expanded, Restored),
)
"""Events after which something else may be told."""

_REST = 0.2
"""Seconds from such an event until the work is looked at: it takes tens of milliseconds."""

_SHARE = 4
"""It rests so many times as long as the last look took, if that is longer."""

_FRAME = 1 / 30
"""Seconds between two looks, however often one is asked for."""


class WorkFeed:
    """Asks the session what is known, beside everything else, and only while it is in view.

    Args:
        app: runs it.
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
        self._resting: Timer | None = None
        self._looking = self._again = False
        self._then: list[Callable[[], object]] = []
        self._took = 0.0
        self._offered = False

    def follow(self, event: Event) -> None:
        """After an event: soon, where someone looks."""
        if event.conversation != "main":
            return
        if isinstance(event, SessionStarted | HistoryCleared | TurnStarted | WorkNoted):
            # The screen hears of it after us, and the history is read when it does.
            self._app.call_later(self._look_whether_begun)
        if isinstance(event, SessionStarted):
            self._app.call_later(self._offer)
        if isinstance(event, _CHANGES) and self._resting is None:
            self._resting = self._app.set_timer(max(_REST, _SHARE * self._took), self._rested)

    def refresh(self, then: Callable[[], object] | None = None) -> None:
        """Looks now, whether or not it is in view yet; while it looks, once more after that.

        Args:
            then: called when it is shown.
        """
        session = self._session()
        if session is None or not session.node or self._chat() is None:
            return
        if self._resting is not None:
            self._resting.stop()
            self._resting = None
        if then is not None:
            self._then.append(then)
        if self._looking:
            self._again = True
            return
        self._looking = True
        self._app.run_worker(unbegun(self._look_on), group="work_feed", exit_on_error=False)

    def _rested(self) -> None:
        self._resting = None
        if self._in_view:
            self.refresh()

    @property
    def _in_view(self) -> bool:
        """Whether tab or view is on the screen that lies on top, dialogs left aside."""
        chat = self._chat()
        screens = reversed(self._app.screen_stack)
        top = next((one for one in screens if isinstance(one, WorkScreen)), None)
        if isinstance(top, WorkViewScreen):
            return True
        if chat is None or chat.side.model.active != "work":
            return False
        compact = chat.has_class("-compact")
        return isinstance(top, ContextScreen) if compact else top is chat

    async def _look_on(self) -> None:
        """Looks until nothing was asked for meanwhile: one look is never begun beside another."""
        try:
            while True:
                self._again = False
                began = monotonic()
                await self._ask()
                self._took = monotonic() - began
                if not self._again:
                    return
                await asyncio.sleep(_FRAME)
        finally:
            self._looking = False

    async def _ask(self) -> None:
        then, self._then = self._then, []
        session = self._session()
        if session is None:
            return
        try:
            shown = await session.work_shown()
        except HaimaError:
            return  # the archive's trouble was told; what is shown stays
        chat = self._chat()
        if chat is not None and self._session() is session:
            chat.side.model.show_work(shown)
            for call in then:
                self._app.call_after_refresh(call)

    def _look_whether_begun(self) -> None:
        session, chat = self._session(), self._chat()
        if session is not None and chat is not None and session.node:
            chat.side.model.begin_work(begun=session.work_begun)

    # Unfinished work

    def _offer(self) -> None:
        """Once a start: where a new conversation begins, what another one left undone."""
        session, chat = self._session(), self._chat()
        if self._offered or session is None or chat is None or chat.is_demo:
            return
        self._offered = True
        if not session.history:
            work = unbegun(self._look, session)
            self._app.run_worker(work, group="unfinished", exit_on_error=False)

    async def _look(self, session: Session) -> None:
        found = await session.unfinished()
        chat = self._chat()
        if found is not None and chat is not None and not session.history:
            chat.empty.offer(Offer(title_of(found), found.todo, found.todo + found.done))
