"""A bare app that shows one widget with our theme, and what its screen looks like as text."""

from collections.abc import Iterable
from typing import Any

from textual._context import visible_screen_stack
from textual.app import App, ComposeResult
from textual.message import Message
from textual.widget import Widget

from tests.drawing import last_change
from widgets.palette import PALETTES


class Desk(App[None]):
    """Holds widgets under test and keeps the messages they post."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, *shown: Widget, theme: str = "haima-dark") -> None:
        super().__init__()
        for palette in PALETTES:
            self.register_theme(palette.theme())
        self.theme = theme
        self.shown = shown
        self.seen: list[Message] = []

    def compose(self) -> ComposeResult:
        yield from self.shown

    def note(self, message: Message) -> None:
        self.seen.append(message)

    def kinds(self) -> list[str]:
        return [type(message).__name__ for message in self.seen]


def rows(app: App[Any]) -> list[str]:
    """What stands on the screen, row by row, without the blanks at the ends."""
    compositor = app.screen._compositor
    drawn: tuple[int, list[str]] = vars(compositor).get("_drawn", (0, []))
    if drawn[0] != last_change():
        visible_screen_stack.set(app._background_screens)  # a dialog shows what is behind it
        strips = compositor.render_strips()
        lines = ["".join(segment.text for segment in strip).rstrip() for strip in strips]
        drawn = vars(compositor)["_drawn"] = (last_change(), lines)
    return list(drawn[1])


def text(app: App[Any]) -> str:
    """The whole screen."""
    return "\n".join(rows(app))


def has_row(app: App[Any], *parts: str) -> bool:
    """Whether one row holds all of `parts`, in order."""
    return any(_in_order(row, parts) for row in rows(app))


def _in_order(row: str, parts: Iterable[str]) -> bool:
    at = 0
    for part in parts:
        at = row.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True
