"""Earlier sessions in the workbench: the Sessions screen, `/resume`, `/fork`, pages of the past."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from app.conversation.past import Cursor, PastPage
from app.screens.chat import ChatScreen
from app.screens.sessions import SessionsScreen
from app.session.elsewhere import SessionOpenElsewhere
from app.session.launch import SLOW, StartRequest
from app.session.restore import Begin, Fork, Start
from app.view.sessions_view import SessionNode
from app.workbench.app import Workbench
from app.workbench.behind import behind
from app.workbench.conversation import clear
from widgets.dialogs.resume_questions import open_elsewhere
from widgets.requests import EarlierWanted, ForkWanted, Request
from widgets.toasts import Toast
from widgets.work_screen import WorkScreen

PAGE = 100
"""Entries of the past that are shown at once."""

_READS = 3_600
"""Seconds for which it is said at most that earlier sessions are being read; it goes with that."""


class Resumable(Protocol):
    """What a session offers for it.

    All of them raise `HaimaError` with a sentence for the user, and leave everything as it was.
    """

    @property
    def node(self) -> str:
        """The id of the node that is open; "" before the session is."""
        ...

    async def resume(self, node: str) -> None:
        """Leaves the present node and goes on with another.

        Args:
            node: its id, or an unambiguous beginning of it.

        Raises:
            SessionOpenElsewhere: another process has it open.
        """
        ...

    async def fork(self, message: str | None, node: str | None = None) -> None:
        """Goes on from a message in a node of its own.

        Args:
            message: its id; None: the end.
            node: whose; None: the present one.
        """
        ...

    async def past(self, before: Cursor | None, limit: int) -> PastPage:
        """A page of the present node's past; None: the newest."""
        ...

    async def sessions(self) -> Sequence[SessionNode]:
        """The nodes of this project, those of deleted chains apart."""
        ...

    async def retitle(self, node: str, title: str) -> None:
        """Gives a node another title."""
        ...

    async def delete_chain(self, chain: str) -> None:
        """Takes a chain out of all lists; nothing leaves the disk."""
        ...

    async def undelete_chain(self, chain: str) -> None:
        """Puts it back."""
        ...


class Opening(Protocol):
    """What a session that isn't open yet offers (`session.Session`)."""

    async def find(self, request: StartRequest) -> Start | None:
        """What the command line asks for; None: `--continue`, and there is nothing yet."""
        ...

    async def open(self, start: Start = ...) -> None:
        """Opens it there.

        Raises:
            SessionOpenElsewhere: another process has it open.
        """
        ...


class Resuming:
    """Carries out what the user wants of earlier sessions, one thing at a time.

    Args:
        app: shows screens, dialogs and toasts.
        chat: the main screen, once there is one.
        session: what is open.
        now: the present time, in the user's zone.
    """

    def __init__(
        self,
        app: Workbench,
        chat: Callable[[], ChatScreen | None],
        session: Callable[[], Resumable | None],
        *,
        now: Callable[[], datetime],
    ) -> None:
        self._app = app
        self._chat = chat
        self._session = session
        self._now = now
        self._run = behind(app, session, "resume")

    def take(self, request: Request) -> bool:
        """Does what a screen asks for; False: it is no business of this."""
        match request:
            case EarlierWanted():
                self._run(self._show_earlier)
            case ForkWanted():
                message, node = request.message or None, request.node or None
                self._run(lambda session: self._fork(session, message, node))
            case SessionsScreen.Resume():
                self._run(lambda session: self._resume(session, request.node))
            case SessionsScreen.Fork():
                self._run(lambda session: self._fork(session, None, request.node))
            case SessionsScreen.Retitle():
                self._run(lambda session: self._retitle(session, request.node, request.title))
            case SessionsScreen.DeleteChain():
                self._run(lambda session: self._delete(session, request.chain))
            case SessionsScreen.UndeleteChain():
                self._run(lambda session: self._undelete(session, request.chain))
            case _:
                return False
        return True

    def command(self, name: str, argument: str) -> bool:
        """`/history`, `/resume`, `/fork`; False: it is none of them."""
        match name:
            case "history":
                self.show()
            case "resume" if not argument:
                self.show()
            case "resume":
                self._run(lambda session: self._resume(session, argument.lstrip("#")))
            case "fork":
                self._run(lambda session: self._fork(session, None))
            case _:
                return False
        return True

    def show(self) -> None:
        """The Sessions screen; over it: back."""
        screen = self._app.screen
        if isinstance(screen, SessionsScreen):
            self._app.pop_screen()
        elif self._chat() is not None:
            self._run(self._open)

    def resume(self, node: str, then: Callable[[], None] = lambda: None) -> None:
        """Goes on with a session, and then does something."""

        async def work(session: Resumable) -> None:
            await self._resume(session, node)
            then()

        self._run(work)

    async def _open(self, session: Resumable) -> None:
        nodes = await session.sessions()
        app, chat = self._app, self._chat()
        if chat is None or isinstance(app.screen, SessionsScreen) or app.screen.is_modal:
            return
        app.push_screen(
            SessionsScreen(
                app.look,
                chat.state,
                nodes,
                now=self._now,
                ask=app.desk.ask,
                clock=app.seconds,
                typed_at=lambda: app.typed_at,
            )
        )

    async def begin(self, session: Opening, request: StartRequest) -> None:
        """Opens the session where the command line wants it to begin, and shows its past.

        Raises:
            HaimaError: there is no such session, or it can't be opened.
        """
        start = await self._found(session, request)
        if start is None:
            await session.open()
            self._show_empty()
            said = self._app.words("sessions.nothing_to_continue_text")
            self._app.toast("sessions.nothing_to_continue", said)
            return
        try:
            await session.open(start)
        except SessionOpenElsewhere as error:
            answer = await self._ask_elsewhere(error.node, at_start=True)
            start = Fork(error.node) if answer == "fork" else Begin()
            await session.open(start)
        if isinstance(start, Begin):
            self._show_empty()
        else:
            await self.show_past()

    async def _found(self, session: Opening, request: StartRequest) -> Start | None:
        """What `find` gives; where that takes long, it is said meanwhile (FIELD 37).

        Until then nothing is shown, and the session might seem lost.
        """
        app, words = self._app, self._app.words
        said = words("sessions.taking_in"), words("sessions.taking_in_text")
        reads = Toast(*said, seconds=_READS)
        waiting = app.set_timer(SLOW, lambda: app.show_toast(reads))
        try:
            return await session.find(request)
        finally:
            waiting.stop()
            for screen in app.screen_stack:
                if isinstance(screen, WorkScreen):
                    screen.withdraw_toast(reads)

    def _show_empty(self) -> None:
        """A new conversation after all: until that was known, nothing was claimed."""
        if (chat := self._chat()) is not None:
            chat.empty.display = not chat.transcript.display

    async def show_past(self) -> None:
        """The end of the open session's past, in place of what the conversation shows."""
        session, chat = self._session(), self._chat()
        if session is not None and chat is not None:
            chat.show_past(await session.past(None, PAGE))

    async def _show_earlier(self, session: Resumable) -> None:
        chat = self._chat()
        before = chat.store.earlier if chat is not None else None
        if chat is not None and before is not None:
            page = await session.past(before, PAGE)
            if chat.store.earlier == before:  # not another conversation's by now
                chat.store.prepend(page)

    async def _resume(self, session: Resumable, node: str) -> None:
        if node == session.node:
            self._back_to_chat()
            return
        try:
            await session.resume(node)
        except SessionOpenElsewhere as error:
            await self._offer_fork(session, error.node)
            return
        await self._arrive()
        words, chat = self._app.words, self._chat()
        title = chat.title_shown if chat is not None else ""
        said = words("sessions.resumed_text", node=session.node[:4], title=title)
        self._app.toast("sessions.resumed", said.rstrip(), "ok")

    async def _offer_fork(self, session: Resumable, node: str) -> None:
        """The session is open elsewhere: a fork of it, a new conversation, or nothing."""
        answer, chat = await self._ask_elsewhere(node, at_start=False), self._chat()
        if answer == "fork":
            await self._fork(session, None, node)
        elif answer == "new" and chat is not None:
            self._back_to_chat()
            await clear(chat)

    async def _ask_elsewhere(self, node: str, *, at_start: bool) -> str | None:
        app = self._app
        return await app.desk.ask(
            open_elsewhere(
                app.look, node, at_start=at_start, clock=app.seconds, typed_at=app.typed_at
            )
        )

    async def _fork(self, session: Resumable, message: str | None, node: str | None = None) -> None:
        parent = node or session.node
        await session.fork(message, node)
        await self._arrive()
        said = self._app.words("sessions.forked_text", node=parent[:4])
        self._app.toast("sessions.forked", said, "ok")

    async def _arrive(self) -> None:
        """Another session is open: its past is shown, what lay over the conversation goes."""
        self._back_to_chat()
        await self.show_past()

    def _back_to_chat(self) -> None:
        if isinstance(self._app.screen, SessionsScreen):
            self._app.pop_screen()

    async def _retitle(self, session: Resumable, node: str, title: str) -> None:
        await session.retitle(node, title)
        await self._refresh(session)

    async def _delete(self, session: Resumable, chain: str) -> None:
        before = await session.sessions()
        await session.delete_chain(chain)
        await self._refresh(session)
        if isinstance(self._app.screen, SessionsScreen):
            titles = (node.title for node in before if node.id == chain)
            self._app.screen.deleted(chain, next(titles, ""))

    async def _undelete(self, session: Resumable, chain: str) -> None:
        await session.undelete_chain(chain)
        await self._refresh(session)
        self._app.toast("sessions.back_again", severity="ok")

    async def _refresh(self, session: Resumable) -> None:
        nodes = await session.sessions()
        if isinstance(self._app.screen, SessionsScreen):
            self._app.screen.show(nodes)
