"""The context's screen: all of the gauge and what the window is filled with (STYLE 14, mock 09).

On a small screen what left the context stands under it, in tabs (mock 09b).
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.timer import Timer

from app.paths import styles_folder
from app.view.context_view import ContextReport
from app.view.gauge import GaugeModel
from app.view.held import HeldModel, Marked
from widgets.actions import Region, bindings
from widgets.context_view import ContextView, ItemChosen, ItemMoved, TurnChosen
from widgets.drawn import LEAST_SECONDS
from widgets.gauge import WindowChosen
from widgets.header import HeaderState
from widgets.held_panel import HeldPanel, Peek, nothing_to_peek
from widgets.item_keys import PREVIEW_FOOTER, ItemKeys, dress_panel
from widgets.look import NORMAL, Look
from widgets.requests import Request
from widgets.side import limits_of
from widgets.toasts import Toast


def _now() -> datetime:
    return datetime.now(UTC).astimezone()


class ContextScreen(ItemKeys):
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
        model: HeldModel | None = None,
        now: Callable[[], datetime] = _now,
        peek: Peek = nothing_to_peek,
        pinned: Callable[[str], bool] = lambda _: False,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Prepares the screen; it follows the gauge while it is mounted.

        Args:
            look: words and glyphs.
            state: for the header.
            gauge: of the conversation; its owner feeds it.
            report: makes what the gauge doesn't know, as it is now.
            model: what left the context; its owner feeds it. None: nothing did.
            now: the present, with the user's zone.
            peek: reads the first lines of a file.
            pinned: whether a message is pinned.
            clock: seconds that only go forward.
        """
        super().__init__(look, state)
        self._gauge = gauge
        self._report = report
        self._clock = clock
        self._made_at = clock()
        self._later: Timer | None = None
        self._pinned = pinned
        self._model = model or HeldModel()
        self.view = ContextView(look, gauge, report(), clock=clock)
        self.held = HeldPanel(
            look,
            self._model,
            gauge,
            limits=lambda: limits_of(gauge),
            peek=peek,
            now=now,
            surface="bg",
            margin=0,
        )
        self.panel = self.held

    def compose_body(self) -> ComposeResult:
        """The view, what left the context, toasts over them."""
        with Container(classes="work-body context"):
            yield self.view
            yield self.held
            yield self.rack

    def on_mount(self) -> None:
        """Follows the gauge."""
        # Before the view, so that it never draws a new number beside an old report.
        self._gauge.listeners.insert(0, self._changed)
        self._model.listeners.append(self._share)
        self._model.choose_filled()
        self._share()

    def _share(self) -> None:
        """Once something left the context, a small screen has tabs in place of the items."""
        tabs = self._model.has_rows
        self.set_class(tabs, "-tabs")
        self.view.tabs = tabs
        self.view.draw_now()
        self.call_after_refresh(self._enter)

    def _enter(self) -> None:
        """To the list where there is one on the screen, else to the items."""
        if not self.is_current:
            return
        if self.app.size.width < NORMAL and self._model.has_rows:
            self.held.list.focus()
        else:
            self.view.focus()
        self.refresh_footer()  # the chart has room or not

    def on_resize(self, event: events.Resize) -> None:
        """Where the tabs come or go, so does the focus."""
        super().on_resize(event)
        self.call_after_refresh(self._enter)

    def on_unmount(self) -> None:
        """Follows it no more."""
        self._gauge.listeners.remove(self._changed)
        self._model.listeners.remove(self._share)

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
        """The tabs, or the items."""
        return ("panel",) if self.held.list.has_focus else ("context",)

    def footer_names(self) -> tuple[str, ...]:
        """In the tabs their own; from there the way back leads out of the screen."""
        if self.held.previews:
            return PREVIEW_FOOTER
        if not self.held.list.has_focus:
            names = super().footer_names()
            if self.app.size.width < NORMAL and self.offers("context_chart"):
                return tuple(name for name in names if name != "context_compact")  # else no Esc
            return names
        left = ("pin_item", "panel_actions", "to_prompt_from_panel", "all_memories")
        return (*(name for name in self.panel_footer() if name not in left), "panel_back")

    @property
    def marked(self) -> Marked | None:
        """The item under the cursor: of the list, or of the largest ones."""
        if self.held.list.has_focus:
            return self.held.marked
        item = self.view.item
        if item is None or not item.message or self.view.in_chart:
            return None
        return Marked(item.message, path=item.path, pinned=self._pinned(item.message))

    def offers(self, name: str) -> bool:
        """In the chart its own keys; there is nothing to go to before something was sent."""
        if (works := self.offers_item(name)) is not None:
            return works
        view = self.view
        match name:
            case "context_item":
                return view.item is not None and not view.in_chart
            case "context_turn" | "context_items":
                return view.in_chart
            case "context_chart":
                return view.has_chart and not view.in_chart
            case "go_to":
                return bool(view.turn_message) if view.in_chart else view.item is not None
            case _:
                return True

    def action_chart(self) -> None:
        """Tab: from the items to the chart and back; over the tabs of a small screen nothing."""
        if not self.held.list.has_focus:
            self.view.swap()

    def last_name(self) -> str:
        """The keys."""
        return "help_sign"

    def watch_look(self) -> None:
        """Another language, other glyphs."""
        self.state = replace(self.state, title=self.look.words("context.title"), alert="")
        super().watch_look()
        dress_panel(self.held, self.look)

    @on(ItemMoved)
    def _item_moved(self, message: ItemMoved) -> None:
        message.stop()
        self.refresh_footer()

    @on(ItemChosen)
    def _item_chosen(self, message: ItemChosen) -> None:
        message.stop()
        if message.item.message:
            self.post_message(self.GoTo(message.item.message))
        else:
            words = self.look.words
            self.show_toast(Toast(words("context.no_message"), words("context.no_message_text")))

    @on(TurnChosen)
    def _turn_chosen(self, message: TurnChosen) -> None:
        message.stop()
        self.post_message(self.GoTo(message.message_id))

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
