"""A real app around a long list, for tests with real keys."""

from textual import events
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Input

from widgets.list_messages import Activated, CopyRequested, NewBelow
from widgets.palette import PALETTES
from widgets.virtual_list import VirtualList


class ListApp(App[None]):
    """The list above a field; keeps what the list tells."""

    AUTO_FOCUS = None
    CSS = "Screen { background: $bg; } Input { height: 3; }"

    def __init__(self, view: VirtualList) -> None:
        super().__init__()
        for palette in PALETTES:
            self.register_theme(palette.theme())
        self.theme = PALETTES[0].name
        self.view = view
        self.told: list[Message] = []

    def compose(self) -> ComposeResult:
        yield self.view
        yield Input(id="field")

    def on_virtual_list_activated(self, message: Activated) -> None:
        self.told.append(message)

    def on_virtual_list_copy_requested(self, message: CopyRequested) -> None:
        self.told.append(message)

    def on_virtual_list_new_below(self, message: NewBelow) -> None:
        self.told.append(message)


async def settled(pilot: Pilot[None], view: VirtualList) -> None:
    """Waits until all changes are shown."""
    await pilot.pause()
    while view.waits:
        await pilot.pause(0.005)
    await pilot.pause()


def screen(view: VirtualList) -> list[str]:
    """The list as it is painted, without the blanks at the right."""
    return [strip.text.rstrip() for strip in view.render_lines(view.outer_size.region)]


async def wheel(pilot: Pilot[None], view: VirtualList, *, up: bool) -> None:
    """One notch of the mouse wheel over the list."""
    kind = events.MouseScrollUp if up else events.MouseScrollDown
    view.post_message(kind(view, 1, 1, 0, -1 if up else 1, 0, False, False, False))
    await settled(pilot, view)
