"""What all full screens share: header, leader, footer, toasts, the notice of a small screen.

The app gives a screen its look and the header's state; what a key does where is said by `offers`.
"""

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Static
from textual.worker import Worker

from widgets.actions import ACTIONS, Action, Region, actions_of, bindings
from widgets.faults import log_fault
from widgets.footer import Footer, Hint, hint
from widgets.header import Header, HeaderState
from widgets.leader import LeaderMenu
from widgets.look import (
    HEIGHTS,
    WIDTHS,
    Dressed,
    Look,
    is_too_small,
    too_small,
)
from widgets.requests import OpenLog
from widgets.toasts import Toast, ToastShelf
from widgets.whole_cells import WholeCells


class WorkScreen(Screen[None]):
    """A full screen of the workbench."""

    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    BINDINGS: ClassVar[list[BindingType]] = bindings("everywhere")
    AUTO_FOCUS = ""

    DEFAULT_CSS = """
    WorkScreen {
        background: $bg;
        layers: base toasts notice;
        layout: vertical;
        overflow: hidden;
        .work-body { width: 100%; height: 1fr; layers: base toasts; }
        .too-small {
            layer: notice;
            display: none;
            width: 100%;
            height: 100%;
            content-align: center middle;
            background: $bg;
            color: $text2;
        }
        &.-too-small .too-small { display: block; }
    }
    """

    look: reactive[Look] = reactive(Look)
    state: reactive[HeaderState] = reactive(HeaderState)
    """What the header shows."""

    def __init__(self, look: Look, state: HeaderState | None = None) -> None:
        super().__init__()
        self._compositor = WholeCells()
        self.set_reactive(WorkScreen.look, look)
        self.set_reactive(WorkScreen.state, state or HeaderState())
        self.header = Header(look, self.state)
        self.footer = Footer(look)
        self.leader = LeaderMenu(look)
        self.rack = ToastShelf(look)
        self._too_small = Static(classes="too-small", markup=False)

    def compose(self) -> ComposeResult:
        """Header, the body, menu and footer."""
        yield self.header
        yield from self.compose_body()
        yield self.footer
        yield self.leader
        yield self._too_small

    def compose_body(self) -> ComposeResult:
        """What stands between header and footer; one part of it holds `self.rack`."""
        yield from ()

    # What works now

    def regions(self) -> tuple[Region, ...]:
        """Where the focus is: whose keys count."""
        return ()

    def offers(self, _name: str) -> bool:
        """Whether an action works now."""
        return True

    def footer_names(self) -> tuple[str, ...]:
        """The actions the footer shows, in order; those not on offer are left out."""
        return tuple(action.name for action in actions_of(*self.regions()))

    def last_name(self) -> str:
        """The action at the footer's right edge."""
        return "leader"

    def available(self, *regions: Region) -> tuple[Action, ...]:
        """The actions of some regions that work now."""
        return tuple(action for action in actions_of(*regions) if self.offers(action.name))

    def refresh_footer(self) -> None:
        """Says which keys work; called when the focus or what runs changed."""
        by_name = {action.name: action for action in ACTIONS}
        shown = [by_name[name] for name in self.footer_names() if self.offers(name)]
        self.footer.hints = tuple(self._hint(action) for action in shown if action.footer)
        self.footer.last = self._hint(by_name[self.last_name()])

    def _hint(self, action: Action) -> Hint:
        return hint(action, self.look, stays=action.name in ("help", "stop"))

    # Changes

    def watch_look(self) -> None:
        """Another language, other glyphs: everything says itself again."""
        self.set_class(self.look.ascii, "-ascii")
        if not self.is_mounted:
            return
        for widget in self.query(Dressed):
            widget.look = self.look
        self._too_small.update(too_small(self.look, self.app.size))
        self.refresh_footer()

    def watch_state(self, state: HeaderState) -> None:
        """Shows it."""
        self.header.state = state

    def on_mount(self) -> None:
        """Ready."""
        self.watch_look()

    def on_resize(self, event: events.Resize) -> None:
        """Below the least size a notice covers everything; the session goes on."""
        self.set_class(is_too_small(event.size), "-too-small")
        self._too_small.update(too_small(self.look, event.size))

    def on_descendant_focus(self) -> None:
        """Other keys count now."""
        self.refresh_footer()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A fault is logged."""
        log_fault(event)

    # Leader

    def open_leader(self) -> None:
        """Ctrl+G: waits for a second key."""
        if not self.leader.is_open:
            self.leader.open(self.available("everywhere"))

    @on(LeaderMenu.Chosen)
    async def _leader_chosen(self, message: LeaderMenu.Chosen) -> None:
        await self.run_action(message.runs)

    @on(Footer.Chosen)
    async def _footer_chosen(self, message: Footer.Chosen) -> None:
        await self.run_action(message.runs)

    # Esc and toasts

    @property
    def racks(self) -> tuple[ToastShelf, ...]:
        """Every place for toasts, the one for the present size first."""
        return (self.rack,)

    def action_log(self) -> None:
        """Opens the log in the file viewer; wherever its key isn't a letter of a text."""
        self.post_message(OpenLog())

    def show_toast(self, toast: Toast) -> None:
        """Shows a toast here."""
        self.racks[0].stack.add(toast)

    def withdraw_toast(self, toast: Toast) -> None:
        """What it says is no longer so."""
        for rack in self.racks:
            rack.stack.withdraw(toast)

    async def action_back(self) -> None:
        """Esc, in the order of STYLE 8: list or menu, notice, then what `leave` does."""
        if self.leader.is_open:
            self.leader.close()
        elif not self.close_popup() and not any(rack.stack.dismiss() for rack in self.racks):
            await self.leave()

    def close_popup(self) -> bool:
        """Closes a list that is open; False: none was."""
        return False

    async def leave(self) -> None:
        """What Esc means when nothing lies over the screen."""
