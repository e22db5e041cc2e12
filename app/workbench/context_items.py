"""What left the context, in the workbench: lists, viewer, bringing back, pins, undo."""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from app.archive.originals import HeldAs, HeldBack, Original
from app.boundary import visible
from app.conversation.history import History
from app.errors import HaimaError
from app.events import (
    Cleared,
    Event,
    Expanded,
    HistoryCleared,
    Offloaded,
    Restored,
    SessionStarted,
    Summarised,
    SummaryUndone,
    TurnStarted,
)
from app.project import Project
from app.screens.chat import ChatScreen
from app.session.taking_back import Brought
from app.view.file_source import TextSource
from app.view.held import HELD_TABS, HeldItem, HeldTab, Marked, Quoted
from app.view.subjects import call_subject
from app.workbench.app import Workbench
from app.workbench.behind import behind
from app.workbench.files import Files
from widgets.requests import (
    BringBack,
    BringResultBack,
    ClearAgain,
    EditFile,
    KeepNothingBack,
    OpenResult,
    PinWanted,
    Request,
    UndoClearing,
    ViewResult,
)
from widgets.rows import clip
from widgets.unbegun import unbegun

_CHANGES = (
    *(Offloaded, Cleared, Restored, SessionStarted, HistoryCleared),
    *(Summarised, SummaryUndone, Expanded),
)
"""Events after which other results are out of the context."""

_PEEKED = 16 * 1024
"""Bytes of a file that are read for its first lines."""

_NAMED_CELLS = 32
"""Cells of a message's first line in a toast: one row of it."""

_PEEKED_LINES, _PEEKED_CHARACTERS = 12, 240


class HoldsBack(Protocol):
    """What a session offers for it (`session.Session`); what is async may raise `HaimaError`."""

    @property
    def node(self) -> str:
        """The id of the node that is open; "" before the session is."""
        ...

    @property
    def history(self) -> History:
        """The conversation; to be read only."""
        ...

    @property
    def brought_back(self) -> tuple[Brought, ...]:
        """What the next message will quote."""
        ...

    async def held_back(self, held: HeldAs) -> tuple[HeldBack, ...]:
        """The results that are out of the context, newest first."""
        ...

    async def original(self, message_id: str) -> Original | None:
        """A message as it first came."""
        ...

    async def bring_back(self, ids: Iterable[str]) -> tuple[Brought, ...]:
        """Quotes results in the next message."""
        ...

    def bring_lines(self, title: str, first: int, last: int, text: str) -> Brought:
        """Quotes lines of a file in the next message."""
        ...

    def leave_back(self, message_id: str) -> bool:
        """The next message doesn't quote this after all."""
        ...

    async def pin(self, ids: Iterable[str], pinned: bool) -> None:
        """Pins messages, or takes their pins away."""
        ...

    def pinned(self, message_id: str) -> bool:
        """Whether a message is pinned."""
        ...

    async def undo_clear(self) -> bool:
        """Takes the last clearing back; False: there is none any more."""
        ...

    async def resume_clearing(self) -> None:
        """Results are cleared by themselves again."""
        ...


class ContextItems:
    """Carries out what the user wants of them, one thing at a time.

    Args:
        app: shows screens and toasts.
        chat: the main screen, once there is one.
        session: what is open.
        files: opens viewer and editor.
        root: the project's folder, once there is a session.
    """

    def __init__(
        self,
        app: Workbench,
        chat: Callable[[], ChatScreen | None],
        session: Callable[[], HoldsBack | None],
        files: Files,
        *,
        root: Callable[[], Path],
    ) -> None:
        self._app = app
        self._chat = chat
        self._session = session
        self._files = files
        self._root = root
        self._run = behind(app, session, "context_items")

    def take(self, request: Request) -> bool:
        """Does what a screen asks for; False: it is no business of this."""
        match request:
            case ViewResult():
                self._view(request)
            case OpenResult():
                self._edit(request.path, request.line)
            case BringResultBack():
                self._run(lambda session: self._bring(session, request.message))
            case BringBack():
                self._run(lambda session: self._bring_lines(session, request))
            case KeepNothingBack():
                self._keep_last_out()
            case PinWanted():
                self._run(lambda session: self._pin(session, request))
            case UndoClearing():
                self._run(self._undo)
            case ClearAgain():
                self._run(self._clear_again)
            case _:
                return False
        return True

    def command(self, name: str) -> bool:
        """Carries out `/undo` or `/pin`; False: it is another command."""
        match name:
            case "undo":
                self._run(lambda session: self._undo(session, by_command=True))
            case "pin":
                self._pin_what_is_meant()
            case _:
                return False
        return True

    def follow(self, event: Event) -> None:
        """After an event: the lists, and what the next message quotes, as they are now."""
        if event.conversation != "main":
            return
        if isinstance(event, _CHANGES):
            self.refresh()
        if isinstance(event, TurnStarted | Restored | HistoryCleared | SessionStarted):
            self._app.call_later(self._show_quoted)

    def refresh(self) -> None:
        """Lists what is out of the context; the archive is asked beside everything else."""
        session = self._session()
        if session is not None and session.node and self._chat() is not None:
            self._app.run_worker(
                unbegun(self._list, session),
                group="held",
                exclusive=True,
                exit_on_error=False,
            )

    async def peek(self, path: str) -> tuple[str, ...] | None:
        """The first lines of a file of the project, safe to show; None: it can't be read."""
        try:
            return await asyncio.to_thread(_first_lines, self._root() / path)
        except OSError:
            return None

    async def _list(self, session: HoldsBack) -> None:
        node = session.node
        lists: dict[HeldTab, tuple[HeldItem, ...]] = {}
        try:
            for tab in HELD_TABS:
                held = await session.held_back(tab)
                lists[tab] = tuple(_item(one, session.pinned(one.id)) for one in held)
        except HaimaError:
            return  # the archive's trouble was told; what is listed stays
        chat = self._chat()
        if chat is not None and session.node == node:
            chat.side.model.show(lists)

    # Looking at it

    def _view(self, request: ViewResult) -> None:
        path = self._root() / request.path
        if request.path and path.is_file():
            self._files.open(path)
        else:
            self._run(lambda session: self._view_original(session, request))

    def _edit(self, path: str, line: int) -> None:
        """A file of the project in the editor; a path that a model gave doesn't lead out of it."""
        words, reason = self._app.words, ""
        try:
            place = Project(self._root()).resolve(path)
        except HaimaError:
            reason = words("viewer.outside")
        else:
            if place.is_file():
                self._files.take(EditFile(place, line))
                return
            reason = words("viewer.missing")
        said = words("viewer.not_opened_text", path=visible(path), reason=reason)
        self._app.toast("viewer.not_opened", said, "warn")

    async def _view_original(self, session: HoldsBack, request: ViewResult) -> None:
        original = await session.original(request.message)
        if original is None:
            self._app.toast("held.no_original", request.title, "warn")
            return
        raw = original.raw
        text = original.message.text if raw is None else raw.decode("utf-8", "replace")
        self._files.show(TextSource(request.title, text))

    # Bringing it back

    async def _bring(self, session: HoldsBack, message: str) -> None:
        if not session.leave_back(message):
            await session.bring_back((message,))
        self._show_quoted()

    async def _bring_lines(self, session: HoldsBack, request: BringBack) -> None:
        brought = session.bring_lines(request.title, request.first, request.last, request.text)
        self._show_quoted()
        name = brought.label.rpartition("/")[2]
        self._app.toast("held.brought", visible(name), "ok")

    def _keep_last_out(self) -> None:
        session = self._session()
        if session is not None and session.node and session.brought_back:
            session.leave_back(session.brought_back[-1].id)
            self._show_quoted()

    def _show_quoted(self) -> None:
        session, chat = self._session(), self._chat()
        if session is not None and session.node and chat is not None:
            chat.show_quoted(
                tuple(
                    Quoted(one.id, " ".join(visible(one.label).split()), one.tokens, one.cut)
                    for one in session.brought_back
                )
            )

    # Pins, undo

    async def _pin(self, session: HoldsBack, request: PinWanted) -> bool:
        """Pins a message, or takes its pin away; False: it is shown, but in the context no more."""
        if session.history.get(request.message) is None:
            self._app.toast("held.no_pin", self._app.words("held.pin_gone_text"))
            return False
        await session.pin((request.message,), request.on)
        if (chat := self._chat()) is not None:
            chat.store.pin((request.message,), on=request.on)
        self.refresh()
        return True

    def _pin_what_is_meant(self) -> None:
        """`/pin`: what the conversation's cursor is on, from the prompt the user's last message."""
        session, chat = self._session(), self._chat()
        if session is None or chat is None:
            return
        if chat.transcript.has_focus:
            marked = chat.transcript.marked
            if marked is None:
                self._app.toast("held.no_pin", self._app.words("held.no_pin_text"))
                return
        elif (marked := _last_of_user(session)) is None:
            self._app.toast("held.nothing_to_pin", self._app.words("held.nothing_to_pin_text"))
            return
        self._run(lambda session: self._pin_and_say(session, marked))

    async def _pin_and_say(self, session: HoldsBack, marked: Marked) -> None:
        on = not session.pinned(marked.message)
        if not await self._pin(session, PinWanted(marked.message, on)):
            return
        message = session.history.get(marked.message)
        what = marked.label or (visible(message.text).strip() if message is not None else "")
        what = clip(what.partition("\n")[0], _NAMED_CELLS, self._app.look.glyphs.ellipsis)
        said = self._app.words("held.pinned_text" if on else "held.unpinned_text", what=what)
        self._app.toast("held.pinned" if on else "held.unpinned", said, "ok")

    async def _undo(self, session: HoldsBack, *, by_command: bool = False) -> None:
        if not await session.undo_clear():
            words = self._app.words
            if by_command:
                self._app.toast("held.nothing_to_undo", words("held.nothing_to_undo_text"))
            else:
                self._app.toast("held.undo_gone", words("held.undo_gone_text"))

    async def _clear_again(self, session: HoldsBack) -> None:
        await session.resume_clearing()


def _last_of_user(session: HoldsBack) -> Marked | None:
    """The user's newest message that was sent."""
    asked = (one for one in reversed(session.history.messages) if one.role == "user")
    message = next(asked, None)
    return None if message is None else Marked(message.id, pinned=session.pinned(message.id))


def _item(held: HeldBack, pinned: bool) -> HeldItem:
    """As it is listed: nothing foreign reaches the terminal unseen."""
    subject = call_subject(held.tool, held.arguments)
    return HeldItem(
        message=held.id,
        tool=visible(held.tool),
        subject=" ".join(visible(subject).split()),
        characters=held.characters,
        at=held.at,
        path=visible(held.file.path) if held.file else "",
        lines=held.file.lines if held.file else 0,
        pinned=pinned,
    )


def _first_lines(path: Path) -> tuple[str, ...]:
    """The first lines of a file."""
    with path.open("rb") as file:
        text = file.read(_PEEKED).decode("utf-8", "replace")
    lines = text.replace("\r\n", "\n").split("\n")[:_PEEKED_LINES]
    return tuple(visible(line[:_PEEKED_CHARACTERS].expandtabs(4)) for line in lines)
