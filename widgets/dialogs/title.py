"""Asks for the title of a session, in a field that holds the present one."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from widgets.dialogs.base import Dialog, Plain
from widgets.field import EDITING, Field
from widgets.look import Look
from widgets.rows import line

LONGEST = 80
"""Characters of a title (the archive's own titles end there)."""


class TitleField(Field, inherit_bindings=False):
    """One line; Enter takes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *EDITING,
        Binding("enter", "screen.take", show=False),
    ]

    DEFAULT_CSS = """
    TitleField {
        width: 100%;
        height: 1;
        padding: 0 1;
        background: $raised;
        scrollbar-size: 0 0;
    }
    """

    def put(self, text: str) -> None:
        """Types text; a line break in a paste is a space."""
        super().put(text.replace("\n", " "))


class TitleDialog(Dialog[str]):
    """Dismissed with the new title, or None; an empty one is not taken.

    Letters and digits are text here, so it has no buttons, only keys (STYLE 14, editing).
    """

    DEFAULT_CSS = """
    TitleDialog .title-keys { margin: 1 0 0 0; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]

    def __init__(self, look: Look, title: str) -> None:
        super().__init__(look, id="title-dialog")
        self.field = TitleField(" ".join(title.split()), id="title-field")
        self._keys = Plain(classes="title-keys")

    def compose_body(self) -> ComposeResult:
        """The field, and what the keys do."""
        yield self.field
        yield self._keys

    def heading(self) -> str:
        """The title in the border."""
        return self.look.words("sessions.title_dialog")

    def on_mount(self) -> None:
        """The cursor stands behind the present title."""
        self.field.focus()
        self.field.move_cursor(self.field.document.end)

    def write(self) -> None:
        """What the keys do."""
        super().write()
        words = self.look.words
        keys = (("Enter", words("sessions.title_save")), ("Esc", words("sessions.title_leave")))
        shown = [line((key, "$text"), (f" {word}", "$text3")) for key, word in keys]
        self._keys.update(Content("   ").join(shown))

    def action_take(self) -> None:
        """Enter."""
        title = " ".join(self.field.text.split())[:LONGEST]
        if title and self.is_current:
            self.dismiss(title)

    def action_leave(self) -> None:
        """Esc."""
        if self.is_current:
            self.dismiss(None)
