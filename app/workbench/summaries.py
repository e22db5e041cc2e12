"""Summaries, in the workbench: `/compact`, `/preview`, the dividers, and what if nothing fits."""

from collections.abc import Awaitable, Callable

from app.compaction.replacement import CantSummarise
from app.screens.chat import ChatScreen
from app.session.session import Session
from app.workbench.app import Workbench
from app.workbench.behind import behind
from app.workbench.previewing import Previewing
from app.workbench.windows import Windows
from widgets.dialogs.summary_questions import summary_ways, too_large
from widgets.requests import (
    ForkWanted,
    NoRoom,
    Request,
    SummariesAgain,
    SummaryChosen,
    TooLarge,
    UndoSummary,
)


class Summaries:
    """Carries out what the user wants of them, one thing at a time.

    Args:
        app: shows dialogs and toasts.
        chat: the main screen, once there is one.
        session: what is open.
        windows: shows the context, asks what is to become of a history that no longer fits.
        switch_model: lets the user choose another model.
    """

    def __init__(
        self,
        app: Workbench,
        chat: Callable[[], ChatScreen | None],
        session: Callable[[], Session | None],
        windows: Windows,
        switch_model: Callable[[], Awaitable[None]],
    ) -> None:
        self._app = app
        self._chat = chat
        self._session = session
        self._windows = windows
        self._switch_model = switch_model
        self._run = behind(app, session, "summaries", waits=False)
        self._previewing = Previewing(app, chat)

    def take(self, request: Request) -> bool:
        """Does what a screen asks for; False: it is no business of this."""
        match request:
            case UndoSummary():
                self._run(self._undo)
            case SummariesAgain():
                self._run(self._go_on)
            case SummaryChosen():
                self._run(lambda session: self._choose(session, request))
            case NoRoom():
                self._run(self._no_room)
            case TooLarge():
                self._run(lambda session: self._too_large(session, request))
            case _:
                return self._previewing.take(request)
        return True

    def command(self, name: str, argument: str) -> bool:
        """Carries out `/compact`, `/preview`, and `/undo` of a summary; False: it is another."""
        match name:
            case "compact":
                self._run(lambda session: self._carry_out(lambda: session.compact(argument)))
            case "preview":
                self._run(lambda session: self.preview(session, argument))
            case "undo" if (session := self._session()) is not None and session.node:
                if not session.can_undo_summary:
                    return False
                self._run(self._undo)
            case _:
                return False
        return True

    async def preview(self, session: Session, focus: str = "") -> bool:
        """Shows the preview (mock 04): nothing is summarised before it is accepted.

        Args:
            session: what is open.
            focus: what the summary should dwell on.

        Returns:
            Whether it was done.
        """
        return await self._carry_out(lambda: self._previewing.ask(session, focus))

    async def _carry_out(self, work: Callable[[], Awaitable[bool]]) -> bool:
        """Compacts; that nothing can be gained by it isn't a failure."""
        if (chat := self._chat()) is not None:
            chat.transcript.follow_end()
        try:
            return await work()
        except CantSummarise as error:
            self._app.toast("summaries.not_done", error.sentence(self._app.words))
            return False
        finally:
            if chat is not None:
                chat.refresh_footer()

    # Dividers

    async def _undo(self, session: Session) -> None:
        if not await session.undo_summary():
            self._app.toast("held.undo_gone", self._app.words("summaries.undo_gone_text"))
        elif (chat := self._chat()) is not None:
            chat.transcript.follow_end()  # nothing followed, so its divider is the last thing

    async def _go_on(self, session: Session) -> None:
        await session.resume_summaries()

    async def _choose(self, session: Session, request: SummaryChosen) -> None:
        """What becomes of an older summary: expanded here, or the node before it opened."""
        app = self._app
        dialog = summary_ways(
            app.look,
            node=request.node,
            expand=request.stands,
            clock=app.seconds,
            typed_at=app.typed_at,
        )
        way = await app.desk.ask(dialog)
        if way == "expand":
            if await session.expand(request.summary or None):
                app.toast("summaries.expanded", app.words("summaries.expanded_text"), "ok")
        elif way == "branch":
            app.post_message(ForkWanted(node=request.node))

    # Where it no longer fits

    async def _no_room(self, session: Session) -> None:
        match await self._windows.no_room():
            case "compact":
                await self.preview(session)
            case "model":
                await self._switch_model()

    async def _too_large(self, session: Session, request: TooLarge) -> None:
        """The turn ended, as nothing brings the request under the window: the user chooses."""
        app, node = self._app, session.node
        await session.wait_idle()
        choices = await session.ways_out()
        if not choices or session.node != node:
            return
        dialog = too_large(
            app.look,
            said=request.text,
            choices=choices,
            clock=app.seconds,
            typed_at=app.typed_at,
        )
        way = await app.desk.ask(dialog)
        if way is not None:
            await self._way_out(session, way)

    async def _way_out(self, session: Session, way: str) -> None:
        app, chat = self._app, self._chat()
        match way:
            case "compact":
                if await self.preview(session):
                    session.go_on()
            case "cut":
                if await self._carry_out(session.cut_without_summary):
                    session.go_on()
            case "model":
                await self._switch_model()
            case "shorten":
                self._windows.show()
                app.toast("summaries.shorten_title", app.words("summaries.shorten_said"))
            case "fork" if chat is not None:
                self._windows.choose_message(chat)
