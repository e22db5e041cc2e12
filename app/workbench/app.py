"""The Textual app: it paints at once; what it is about is loaded behind that (`conductor`).

Nothing here imports pydantic, the agent or a client, so start to first paint is little more than
Textual's own (a test guards it).
"""

import asyncio
import contextlib
import logging
import signal
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import App
from textual.binding import BindingType
from textual.screen import Screen
from textual.worker import Worker

from app.errors import HaimaError
from app.screens.opening import OpeningScreen
from app.session.terminal import SILENT, TerminalAnswers
from app.text import Key, Words
from app.workbench.conducts import Conducts
from widgets.actions import bindings_named
from widgets.dialogs.base import Dialog
from widgets.dialogs.desk import ModalDesk
from widgets.dialogs.entry import Entry
from widgets.faults import log_fault
from widgets.look import Look
from widgets.palette import PALETTES, choose_palette
from widgets.requests import Request
from widgets.scrollbars import draw_scrollbars
from widgets.toasts import Toast
from widgets.unbegun import unbegun
from widgets.work_screen import WorkScreen

if TYPE_CHECKING:
    from app.events import Severity

_LOG = logging.getLogger(__name__)

_WAIT, _WAITS = 0.02, 50
"""Seconds and times that early keys wait for the focus, which a busy machine gives late."""

FAILED, CANCELLED = 1, 130
"""Exit codes: something went wrong; after a signal (DESIGN 5)."""

QUIT_SECONDS = 2.0
"""How long the second Ctrl+C may take (STYLE 8)."""

_SPACING: Mapping[str, str] = {"pane-padding": "1 2 0 2"}
"""Tokens for spacing in the styles (STYLE 3), beside the palette's for colour."""

_NOT_OVER_DIALOGS = frozenset(
    {
        "help",
        "actions",
        "leader",
        "palette",
        "language",
        "doctor",
        "context",
        "compact",
        "editor",
        "sessions",
        "memory",
        "replay",
    }
)


class Workbench(App[int], inherit_bindings=False):
    """The app.

    Args:
        conduct: loads what the app is about; called after the first paint.
        look: words, glyphs and motion until the settings are read.
        theme: `auto`, `dark` or `light`.
        terminal: what the terminal said before the app took it.
        clock: seconds that only go forward.

    Attributes:
        conductor: None until it is loaded.
        desk: shows dialogs one at a time.
        typed_at: when a key that types something was last pressed.
        failure: why it couldn't be loaded, or its session not be opened.
        log_file: where a fault is written down.
        last_words: what is said on stderr after the end.
    """

    TITLE = "haima"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = bindings_named("interrupt", "redraw")

    def __init__(
        self,
        conduct: "Callable[[Workbench], Awaitable[Conducts]]",
        *,
        look: Look,
        theme: str = "auto",
        terminal: TerminalAnswers = SILENT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self.conductor: Conducts | None = None
        self.terminal = terminal
        self.seconds = clock
        self.desk = ModalDesk(self, self._hold_toasts)
        self.typed_at: float | None = None
        self.failure: HaimaError | None = None
        self.last_words = ""
        self.log_file = "haima.log"
        self._conduct = conduct
        self._early: list[events.Key | events.Paste] = []
        self._listens = False
        self._asked_to_quit: float | None = None
        for palette in PALETTES:
            self.register_theme(palette.theme())
        self.look = look
        self.dress(look, theme)

    def get_default_screen(self) -> Screen[None]:
        """What is painted first."""
        return OpeningScreen(self.look)

    def on_mount(self) -> None:
        """Paints, then loads the rest."""
        self._watch_signals()
        for character in self.terminal.typed:
            key = {"\r": "enter", "\n": "enter", "\x7f": "backspace"}.get(character, character)
            self._early.append(events.Key(key, character if key == character else None))
        self.call_after_refresh(self._load)

    def _load(self) -> None:
        self.run_worker(unbegun(self._open), group="open")

    async def _open(self) -> None:
        try:
            self.conductor = await self._conduct(self)
        except HaimaError as error:
            self.failure = error
            self.exit(FAILED)
            return
        self.conductor.begin()

    def show(self, screen: WorkScreen) -> None:
        """Puts a screen in place of the one that is open; the opening stays below.

        What is typed until it is there waits for `listen`.
        """
        self._listens = False
        if isinstance(self.screen, OpeningScreen):
            self.push_screen(screen)
        else:
            self.switch_screen(screen)

    def listen(self, *, wanted: bool = True, waits: int = _WAITS) -> None:
        """The screen is there: types what was typed before; not where it would choose something.

        Args:
            wanted: whether what was typed is for it.
            waits: how often more it is waited for the focus, without which nothing hears a key.
        """
        self.call_later(self._type_early, wanted, waits)  # behind the focus, which comes so too

    async def _type_early(self, wanted: bool, waits: int) -> None:
        if wanted and waits and self._early and self.focused is None:
            self.set_timer(_WAIT, partial(self.listen, waits=waits - 1))
            return
        early, self._early, self._listens = self._early, [], True
        for event in early if wanted else ():
            await super().on_event(event)

    def leave(self, code: int = 0, last_words: str = "") -> None:
        """Ends the app; the draft is written down at once, everything is closed behind it."""
        if self.conductor is not None:
            self.conductor.keep_draft()
        self.last_words = last_words
        self.exit(code)

    # Looks

    @property
    def words(self) -> Words:
        """The language of the screen."""
        return self.look.words

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Spacing, for the styles."""
        return dict(_SPACING)

    def dress(self, look: Look, theme: str) -> None:
        """Words, glyphs, motion and theme from now on, on every screen."""
        self.look = look
        draw_scrollbars(ascii_only=look.ascii)
        self.animation_level = "full" if look.motion else "none"
        for screen in self.screen_stack if self.is_running else ():
            if isinstance(screen, WorkScreen | Dialog):
                screen.look = look
        dark = theme == "dark" or (theme == "auto" and self.terminal.dark is not False)
        self.theme = choose_palette(dark=dark, color_system=self.console.color_system).name
        self.chosen_theme = theme

    def action_language(self) -> None:
        """The other language, at once and everywhere."""
        words = Words("zh" if self.words.language == "en" else "en")
        self.dress(replace(self.look, words=words), self.chosen_theme)
        if self.conductor is not None:
            self.conductor.speak()

    # Toasts

    def toast(
        self,
        title: Key,
        text: str = "",
        severity: "Severity" = "info",
        seconds: float | None = None,
    ) -> None:
        """Shows a toast on the screen that is open, or the one under a dialog."""
        self.show_toast(Toast(self.words(title), text, severity, seconds))

    def show_toast(self, toast: Toast) -> None:
        """The same, whose title is in words already."""
        for screen in reversed(self.screen_stack):
            if isinstance(screen, WorkScreen):
                screen.show_toast(toast)
                return

    def _hold_toasts(self, held: bool) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, WorkScreen):
                for rack in screen.racks:
                    rack.stack.held = held

    # Menus, and what the conductor does

    @on(Request)
    async def _pass_on(self, request: Request) -> None:
        if self.conductor is not None:
            await self.conductor.take(request)

    def action_help(self) -> None:
        """F1."""
        if self.conductor is not None:
            self.conductor.show_help()

    def action_context(self) -> None:
        """F5."""
        if self.conductor is not None:
            self.conductor.show_context()

    def action_compact(self) -> None:
        """F7."""
        if self.conductor is not None:
            self.conductor.run_command("/preview")

    def action_memory(self) -> None:
        """F2."""
        if self.conductor is not None:
            self.conductor.show_memory()

    def action_sessions(self) -> None:
        """F3."""
        if self.conductor is not None:
            self.conductor.show_sessions()

    def action_replay(self) -> None:
        """F8."""
        if self.conductor is not None:
            self.conductor.show_replay()

    def action_doctor(self) -> None:
        """Ctrl+G d."""
        if self.conductor is not None:
            self.conductor.show_doctor()

    def action_editor(self) -> None:
        """Ctrl+G v."""
        if self.conductor is not None:
            self.conductor.edit_draft()

    def action_leader(self) -> None:
        """Ctrl+G."""
        if isinstance(self.screen, WorkScreen) and self.conductor is not None:
            self.screen.open_leader()

    def action_actions(self) -> None:
        """F9: what can be done here, for arrows and Enter."""
        if self.conductor is not None:
            self._open_menu("menu.title_here", self.conductor.entries_here())

    def action_palette(self) -> None:
        """Everything that can be done now."""
        if self.conductor is not None:
            self._open_menu("menu.title_palette", self.conductor.entries())

    def _open_menu(self, title: Key, entries: tuple[Entry, ...]) -> None:
        if entries:
            from widgets.dialogs.menu import MenuDialog  # noqa: PLC0415 - after the first paint

            self.desk.open(MenuDialog(self.look, title, entries), self._chosen)
        else:
            self.toast("chat.nothing_here")

    def _chosen(self, runs: str | None) -> None:
        if runs:
            self.call_later(self.run_entry, runs)

    async def run_entry(self, runs: str) -> None:
        """Runs what stood in a list: an action, or a command."""
        if not runs.startswith("/"):
            await self.run_action(runs)
        elif self.conductor is not None:
            self.conductor.run_command(runs)

    def action_redraw(self) -> None:
        """Ctrl+L."""
        self.refresh(layout=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Over a dialog only what is safe works."""
        if action in _NOT_OVER_DIALOGS and self.screen.is_modal:
            return False
        return super().check_action(action, parameters)

    # The way out

    def action_interrupt(self) -> None:
        """Ctrl+C: copies, else stops, else clears the draft, else asks again and quits."""
        screen, conductor = self.screen, self.conductor
        if self._copy_selection():
            return
        if isinstance(screen, Dialog) and not screen.is_question:
            self.desk.withdraw(screen)
        elif conductor is None or not conductor.has_begun:
            self.leave()
        elif not conductor.stop_run() and not conductor.set_draft_aside():
            self._ask_to_quit()

    def _copy_selection(self) -> bool:
        """Copies what is selected in the focused field or on the screen; False: nothing is."""
        focused = self.focused
        text = getattr(focused, "selected_text", "") or self.screen.get_selected_text() or ""
        if text:
            self.copy_to_clipboard(text)
            self.screen.clear_selection()
            self.toast("chat.copied", severity="ok")
        return bool(text)

    def _ask_to_quit(self) -> None:
        now, asked = self.seconds(), self._asked_to_quit
        if asked is not None and now - asked <= QUIT_SECONDS:
            self.leave()
            return
        self._asked_to_quit = now
        self.toast("chat.quit_again", seconds=QUIT_SECONDS)

    def _watch_signals(self) -> None:
        """A signal ends the app as cleanly as `/quit` does."""
        if self.is_headless:
            return
        loop = asyncio.get_running_loop()
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            with contextlib.suppress(NotImplementedError, AttributeError):
                loop.add_signal_handler(getattr(signal, name), self.leave, CANCELLED)

    # Inside

    async def on_event(self, event: events.Event) -> None:
        """Notes when someone types; before there is a prompt that hears it, what."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            key = event.key if isinstance(event, events.Key) else ""
            if isinstance(event, events.Key) and event.is_printable:
                self.typed_at = self.seconds()
            if not self._listens and key != "ctrl+c":
                self._early.append(event)
                return
        await super().on_event(event)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A fault is logged."""
        log_fault(event)

    def _fatal_error(self) -> None:
        """A fault of the program: the log gets the traceback, the user one sentence.

        Replaces Textual's own, which prints a traceback with all local values, keys among them.
        """
        _LOG.error("the screen broke", exc_info=True)
        self.last_words = self.words("chat.broke", path=self.log_file)
        self._return_code = FAILED
        self._close_messages_no_wait()
