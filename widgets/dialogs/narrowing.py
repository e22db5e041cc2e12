"""A dialog with a list and a field that narrows it."""

from typing import Generic

from textual import events, on
from textual.app import ComposeResult
from textual.widgets import TextArea

from app.text import Key
from widgets.dialogs.base import Dialog, Plain, Result
from widgets.listing import Listing
from widgets.look import Look
from widgets.query_field import QueryField
from widgets.rows import key_rows, line


class NarrowingDialog(Dialog[Result], Generic[Result]):
    """Typing narrows, arrows choose, Enter takes, Esc leaves without a result."""

    DEFAULT_CSS = """
    NarrowingDialog {
        QueryField { background: $overlay; }
        Listing { max-height: 16; margin: 1 0; }
        &.-low Listing { max-height: 12; }
    }
    """

    keys: tuple[tuple[str, Key], ...] = (
        ("↑ ↓", "menu.choose"),
        ("Enter", "menu.run"),
        ("Esc", "menu.close"),
    )
    """What the last row says."""

    def __init__(self, look: Look, listing: Listing, *, id: str) -> None:
        super().__init__(look, id=id)
        self.field = QueryField()
        self.list = listing
        self.list.can_focus = False
        self.list.lit = True
        self._notes = Plain()

    def compose_body(self) -> ComposeResult:
        """The field, the list, the keys."""
        yield self.field
        yield self.list
        yield self._notes

    def narrow(self, query: str) -> None:
        """Shows what fits."""
        raise NotImplementedError

    def chosen(self, index: int) -> None:
        """Enter on a row."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Keys go to the field."""
        self.field.focus()

    def write(self) -> None:
        """The title and the hints."""
        super().write()
        words = self.look.words
        self.field.placeholder = words("menu.narrow")
        pieces = [
            line((self.look.keys(key), "$text"), (f" {words(word)}", "$text3"))
            for key, word in self.keys
        ]
        self._notes.update(key_rows(pieces, self.window.content_size.width or self.app.size.width))

    @on(TextArea.Changed)
    def _narrow(self, message: TextArea.Changed) -> None:
        message.stop()
        self.narrow(self.field.query_text)

    @on(Listing.Chosen)
    def _choose(self, message: Listing.Chosen) -> None:
        message.stop()
        self.chosen(message.index)

    def action_step(self, by: int) -> None:
        """↑ ↓."""
        self.list.action_move(by)

    def action_leap(self, by: int) -> None:
        """PgUp PgDn."""
        self.list.action_page(by)

    def action_take(self) -> None:
        """Enter; what was typed just now counts."""
        self.narrow(self.field.query_text)
        self.list.action_choose()

    def on_key(self, event: events.Key) -> None:
        """Esc leaves without a result."""
        if event.key == "escape":
            event.stop()
            if self.is_current:
                self.dismiss(None)
