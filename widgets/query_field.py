"""A one-line field that narrows a list: arrows, Page keys and Enter belong to the list."""

from typing import ClassVar

from textual.binding import Binding, BindingType

from widgets.field import EDITING, Field

_LIST_KEYS = [
    Binding("up", "screen.step(-1)", show=False),
    Binding("down", "screen.step(1)", show=False),
    Binding("pageup", "screen.leap(-1)", show=False),
    Binding("pagedown", "screen.leap(1)", show=False),
    Binding("enter", "screen.take", show=False),
]


class QueryField(Field, inherit_bindings=False):
    """The screen it is on has the actions `step`, `leap` and `take`."""

    BINDINGS: ClassVar[list[BindingType]] = [*EDITING, *_LIST_KEYS]

    DEFAULT_CSS = """
    QueryField {
        width: 1fr;
        height: 1;
        padding: 0;
        scrollbar-size: 0 0;
    }
    """

    def put(self, text: str) -> None:
        """Types text; a line break in a paste is a space."""
        super().put(text.replace("\n", " "))

    @property
    def query_text(self) -> str:
        """What is looked for."""
        return self.text.strip()
