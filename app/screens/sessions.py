"""The Sessions screen: earlier conversations of the project, to go on with or fork (mock 05)."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container

from app.paths import styles_folder
from app.text import Words
from app.view.sessions_view import Chain, SessionNode, SessionsModel
from widgets.actions import Region, bindings
from widgets.dialogs.confirm import ConfirmDialog
from widgets.dialogs.desk import Ask
from widgets.dialogs.title import TitleDialog
from widgets.empty_state import EmptyState
from widgets.header import HeaderState
from widgets.list_messages import Activated, CopyRequested
from widgets.look import Look
from widgets.requests import Request
from widgets.session_lines import title_text
from widgets.session_list import SessionList, SessionPane
from widgets.toasts import Toast
from widgets.unbegun import unbegun
from widgets.work_screen import WorkScreen


class SessionsScreen(WorkScreen):
    """Shows the sessions; what is to be done with one goes up as a request.

    Whoever carries a request out calls `show` with the sessions as they are then.

    Attributes:
        list: the sessions.
        pane: what is said of the one under the cursor.
    """

    CSS_PATH = styles_folder() / "sessions.tcss"

    BINDINGS: ClassVar[list[BindingType]] = bindings("sessions")

    class Resume(Request):
        """The user wants to go on with a session."""

        def __init__(self, node: str) -> None:
            super().__init__()
            self.node = node

    class Fork(Request):
        """The user wants a session of its own that goes on from the end of one."""

        def __init__(self, node: str) -> None:
            super().__init__()
            self.node = node

    class Retitle(Request):
        """The user gave a session another title; "" is never given."""

        def __init__(self, node: str, title: str) -> None:
            super().__init__()
            self.node = node
            self.title = title

    class DeleteChain(Request):
        """The user wants a conversation gone from the list; asked already."""

        def __init__(self, chain: str) -> None:
            super().__init__()
            self.chain = chain

    class UndeleteChain(Request):
        """The user wants a deleted conversation back."""

        def __init__(self, chain: str) -> None:
            super().__init__()
            self.chain = chain

    def __init__(
        self,
        look: Look,
        state: HeaderState,
        nodes: Iterable[SessionNode],
        *,
        now: Callable[[], datetime],
        ask: Ask,
        clock: Callable[[], float],
        typed_at: Callable[[], float | None] = lambda: None,
    ) -> None:
        """Prepares the screen.

        Args:
            look: words and glyphs.
            state: for the header.
            nodes: the sessions.
            now: the user's time and zone.
            ask: shows a dialog.
            clock: seconds that only go forward, for dialogs.
            typed_at: when something was last typed, for dialogs.
        """
        super().__init__(look, state)
        self._now = now
        self._ask = ask
        self._clock = clock
        self._typed_at = typed_at
        self._deleted: list[tuple[str, str]] = []
        self._empty = EmptyState(
            look, says=("sessions.empty", "sessions.empty_more"), suggestions=()
        )
        model = SessionsModel(nodes, now())
        self.list = SessionList(look, model)
        self.pane = SessionPane(look, model)
        self.set_class(not model.rows, "-empty")

    def compose_body(self) -> ComposeResult:
        """The list, the pane, toasts over them."""
        with Container(classes="work-body sessions"):
            yield self._empty
            yield self.list
            yield self.pane
            yield self.rack

    def on_mount(self) -> None:
        """The cursor is on the session that is open."""
        current = (
            node for chain in self.model.chains for node, _, _ in chain.nodes if node.current
        )
        here = next(current, None)
        at = self.model.find(here.id) if here is not None else None
        self.list.show(self.model, at if at is not None else self._first)
        self.list.focus()

    @property
    def model(self) -> SessionsModel:
        """What is listed."""
        return self.list.model

    @property
    def _first(self) -> int | None:
        """The first row the cursor can be on."""
        return 1 if self.model.rows else None

    def show(self, nodes: Iterable[SessionNode]) -> None:
        """Lists the sessions as they are now; folds and cursor stay, as far as they can."""
        before, at = self.list.node, self.list.cursor
        model = SessionsModel(nodes, self._now())
        model.keep_open(self.model)
        self.set_class(not model.rows, "-empty")
        index = model.find(before.id) if before is not None else None
        if index is None and model.rows:
            index = max(1, min(at or 1, len(model.rows) - 1))
            while index > 1 and model.node(index) is None:
                index -= 1
        self.pane.model = model
        self.list.show(model, index)
        self.refresh_footer()

    def deleted(self, chain: str, title: str) -> None:
        """A conversation is gone from the list; `u` brings it back while the screen is open."""
        self._deleted.append((chain, title))
        words = self.look.words
        said = words("sessions.deleted_text", title=title_text(title, words))
        self.show_toast(Toast(words("sessions.deleted"), said, "ok"))
        self.refresh_footer()

    # What works now

    def regions(self) -> tuple[Region, ...]:
        """One region."""
        return ("sessions",)

    def offers(self, name: str) -> bool:
        """Nothing can be done with an empty list, and what is open is not deleted.

        The pane needs no key where it has room; over the list nothing folds.
        """
        match name:
            case "undo":
                return bool(self._deleted)
            case "preview":
                return bool(self.model.rows) and self.has_class("-compact")
            case "fold" | "unfold":
                return bool(self.model.rows) and not self._covered
            case "delete":
                return self.list.chain is not None and not self.list.chain.current
            case "session" | "resume" | "fork" | "retitle":
                return bool(self.model.rows)
            case _:
                return True

    @property
    def _covered(self) -> bool:
        """Whether the pane lies over the list."""
        return self.has_class("-compact") and self.has_class("-preview")

    def footer_names(self) -> tuple[str, ...]:
        """All of them, where there is room."""
        names = super().footer_names()
        if not self.has_class("-compact"):
            return names
        return tuple(name for name in names if name not in ("retitle", "delete"))

    def last_name(self) -> str:
        """The keys."""
        return "help_sign"

    def watch_look(self) -> None:
        """Another language, other glyphs."""
        self.state = replace(self.state, title=self.look.words("sessions.title"), alert="")
        super().watch_look()
        self.list.look = self.look

    @on(SessionList.Moved)
    def _moved(self, message: SessionList.Moved) -> None:
        message.stop()
        self.refresh_footer()
        chain, node = self.list.chain, self.list.node
        self.pane.model = self.model
        self.pane.shown = (chain, node) if chain is not None and node is not None else None
        if self.pane.is_mounted:
            self.pane.draw_now()

    # What the user does

    @on(Activated)
    def _activated(self, message: Activated) -> None:
        message.stop()
        self.action_resume()

    @on(CopyRequested)
    def _copy(self, message: CopyRequested) -> None:
        message.stop()
        self.app.copy_to_clipboard(message.text)
        self.show_toast(Toast(self.look.words("chat.copied"), severity="ok"))

    def action_resume(self) -> None:
        """Goes on with the session under the cursor; on a conversation's row with its newest."""
        if (node := self.list.node) is not None:
            self.post_message(self.Resume(node.id))

    def action_fork(self) -> None:
        """Goes on from its end in a session of its own."""
        if (node := self.list.node) is not None:
            self.post_message(self.Fork(node.id))

    def action_fold(self, open: bool) -> None:
        """Folds or unfolds the conversation."""
        if not self._covered:
            self.list.fold(open=open)

    def action_preview(self) -> None:
        """Shows what is said of the session where the pane has no room beside the list."""
        if self.offers("preview"):
            self.toggle_class("-preview")
            self.refresh_footer()

    def action_retitle(self) -> None:
        """Asks for another title."""
        self._ask_about(self._retitle)

    def action_delete(self) -> None:
        """Asks whether the conversation shall go from the list."""
        self._ask_about(self._delete)

    def action_undo(self) -> None:
        """Brings back what was deleted last."""
        if self._deleted:
            chain, _ = self._deleted.pop()
            self.post_message(self.UndeleteChain(chain))
            self.refresh_footer()

    def _ask_about(self, ask: Callable[[Chain, SessionNode], Any]) -> None:
        chain, node = self.list.chain, self.list.node
        if chain is not None and node is not None:
            work = unbegun(ask, chain, node)
            self.run_worker(work, group="ask", exclusive=True, exit_on_error=False)

    async def _retitle(self, chain: Chain, node: SessionNode) -> None:
        before = chain.title_of(node)
        title = await self._ask(TitleDialog(self.look, before))
        if title is not None and title != before:
            self.post_message(self.Retitle(chain.titled(node).id, title))

    async def _delete(self, chain: Chain, _node: SessionNode) -> None:
        words = self.look.words
        if chain.current:
            said = words("sessions.current_stays_text")
            self.show_toast(Toast(words("sessions.current_stays"), said, "warn"))
            return

        def says(words: Words) -> list[str]:
            title = title_text(chain.title, words)
            return [words("sessions.delete_text", title=title, n=len(chain.nodes))]

        dialog = ConfirmDialog(
            self.look,
            title="sessions.delete_title",
            says=says,
            do="sessions.delete_do",
            keep="sessions.delete_keep",
            clock=self._clock,
            typed_at=self._typed_at(),
            risky=True,
        )
        if await self._ask(dialog) is True:
            self.post_message(self.DeleteChain(chain.id))

    def close_popup(self) -> bool:
        """Esc first closes the preview."""
        if not self._covered:
            return False
        self.remove_class("-preview")
        self.refresh_footer()
        return True

    async def leave(self) -> None:
        """Esc: back to the workbench."""
        self.app.pop_screen()
