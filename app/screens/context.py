"""The context's screen: all of the gauge and what the window is filled with (STYLE 14, mock 09)."""

from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.timer import Timer

from app.paths import styles_folder
from app.view.context_view import ContextReport
from app.view.gauge import GaugeModel
from widgets.actions import Region, bindings
from widgets.context_view import ContextView, ItemChosen
from widgets.drawn import LEAST_SECONDS
from widgets.gauge import WindowChosen
from widgets.header import HeaderState
from widgets.look import Look
from widgets.requests import Request
from widgets.toasts import Toast
from widgets.work_screen import WorkScreen


class ContextScreen(WorkScreen):
    """Shows the context while the conversation goes on behind it.

    Attributes:
        view: what is shown.
    """

    CSS_PATH = styles_folder() / "context.tcss"

    BINDINGS: ClassVar[list[BindingType]] = bindings("context")

    class GoTo(Request):
        """The user wants to see a message in the conversation."""

        def __init__(self, message_id: str) -> None:
            super().__init__()
            self.message_id = message_id

    class Window(Request):
        """The user wants a window of this many tokens."""

        def __init__(self, size: int) -> None:
            super().__init__()
            self.size = size

    def __init__(
        self,
        look: Look,
        state: HeaderState,
        gauge: GaugeModel,
        *,
        report: Callable[[], ContextReport],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Prepares the screen; it follows the gauge while it is mounted.

        Args:
            look: words and glyphs.
            state: for the header.
            gauge: of the conversation; its owner feeds it.
            report: makes what the gauge doesn't know, as it is now.
            clock: seconds that only go forward.
        """
        super().__init__(look, state)
        self._gauge = gauge
        self._report = report
        self._clock = clock
        self._made_at = clock()
        self._later: Timer | None = None
        self.view = ContextView(look, gauge, report(), clock=clock)

    def compose_body(self) -> ComposeResult:
        """The view, toasts over it."""
        with Container(classes="work-body context"):
            yield self.view
            yield self.rack

    def on_mount(self) -> None:
        """Follows the gauge."""
        # Before the view, so that it never draws a new number beside an old report.
        self._gauge.listeners.insert(0, self._changed)
        self.view.focus()

    def on_unmount(self) -> None:
        """Follows it no more."""
        self._gauge.listeners.remove(self._changed)

    def _changed(self) -> None:
        """The gauge changed: the report is made anew, at most four times a second (STYLE 6)."""
        if self._later is not None:
            return
        wait = LEAST_SECONDS - (self._clock() - self._made_at)
        if wait <= 0:
            self._make()
        else:
            self._later = self.set_timer(wait, self._make)

    def _make(self) -> None:
        self._later = None
        self._made_at = self._clock()
        self.view.report = self._report()
        self.refresh_footer()

    def regions(self) -> tuple[Region, ...]:
        """One region."""
        return ("context",)

    def offers(self, name: str) -> bool:
        """There is nothing to go to before something was sent."""
        return name not in ("context_item", "go_to") or self.view.item is not None

    def last_name(self) -> str:
        """The keys."""
        return "help_sign"

    def watch_look(self) -> None:
        """Another language, other glyphs."""
        self.state = replace(self.state, title=self.look.words("context.title"), alert="")
        super().watch_look()

    @on(ItemChosen)
    def _item_chosen(self, message: ItemChosen) -> None:
        message.stop()
        if message.item.message:
            self.post_message(self.GoTo(message.item.message))
        else:
            words = self.look.words
            self.show_toast(Toast(words("context.no_message"), words("context.no_message_text")))

    @on(WindowChosen)
    def _window_chosen(self, message: WindowChosen) -> None:
        message.stop()
        self.post_message(self.Window(message.size))

    def close_popup(self) -> bool:
        """Esc first ends looking at another window."""
        if self._gauge.previewed is None:
            return False
        self.view.action_end_preview()
        return True

    async def leave(self) -> None:
        """Esc: back to the workbench."""
        self.app.pop_screen()
