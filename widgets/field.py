"""A text field that treats characters as people see them.

Textual's `TextArea` moves and deletes by code point and drops a typed joiner (TUI (g)); this one
works by whole characters, takes any line end in a paste, and never lets an escape sequence in.
"""

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.document._document import Location
from textual.widgets import TextArea

from app.boundary import visible
from widgets import graphemes

_NOT_OURS = frozenset({"up", "down", "pageup", "pagedown", "f6", "f7", "ctrl+c", "super+c"})

EDITING: tuple[Binding, ...] = tuple(
    binding
    for binding in TextArea.BINDINGS
    if isinstance(binding, Binding) and not _NOT_OURS & set(binding.key.split(","))
)
"""The stock keys for editing, without those that mean something else here."""


class _Line(Text):
    """A line whose styles never cut a character in two (a cursor on a family emoji)."""

    def stylize(self, style: str | Style, start: int = 0, end: int | None = None) -> None:
        """Styles whole characters."""
        if end is not None and not self.plain.isascii():
            start, end = graphemes.cover(self.plain, start, end)
        super().stylize(style, start, end)


class Field(TextArea, inherit_bindings=False):
    """One or more lines of text; the cursor doesn't blink, so that nothing moves (STYLE 1.6)."""

    DEFAULT_CSS = """
    Field {
        border: none;
        padding: 0;
        &:focus { border: none; }
        .text-area--placeholder { color: $text3; }
        .text-area--selection { background: $accent-bg; color: $text; }
        &:light .text-area--cursor, &:dark .text-area--cursor {
            background: $accent;
            color: $on-accent;
        }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *EDITING,
        Binding("up", "cursor_up", show=False),
        Binding("down", "cursor_down", show=False),
    ]

    def __init__(self, text: str = "", *, id: str | None = None, classes: str | None = None):
        super().__init__(text, id=id, classes=classes, highlight_cursor_line=False, soft_wrap=True)
        self.cursor_blink = False
        self.match_cursor_bracket = False

    def get_line(self, line_index: int) -> Text:
        """The line to draw."""
        return _Line(self.document.get_line(line_index), end="", no_wrap=True)

    def get_cursor_left_location(self) -> Location:
        """One character to the left, or the end of the line before."""
        row, at = self.cursor_location
        if at == 0:
            return super().get_cursor_left_location()
        return row, graphemes.before(self.document.get_line(row), at)

    def get_cursor_right_location(self) -> Location:
        """One character to the right, or the start of the next line."""
        row, at = self.cursor_location
        text = self.document.get_line(row)
        if at >= len(text):
            return super().get_cursor_right_location()
        return row, graphemes.after(text, at)

    async def _on_key(self, event: events.Key) -> None:
        """Runs this field's own keys at once.

        Textual looks bindings up only when the key has bubbled to the app; by then letters typed
        right after it are in the text (`ab`, backspace, `c` sent by a fast hand or by tmux).
        """
        if bound := self._bindings.key_to_bindings.get(event.key):
            event.stop()
            event.prevent_default()
            await self.run_action(bound[0].action)
        elif event.character in graphemes.JOINERS:
            event.stop()
            event.prevent_default()
            self.put(event.character or "")
        elif event.key == "enter":
            event.prevent_default()

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self.put(event.text.replace("\r\n", "\n").replace("\r", "\n"))

    def put(self, text: str) -> None:
        """Types `text` in place of the selection."""
        if self.read_only:
            return
        result = self.replace(visible(text), *self.selection, maintain_selection_offset=False)
        self.move_cursor(result.end_location)

    def fill(self, text: str) -> None:
        """Puts another text in, the cursor at its end; undo brings the old one back."""
        start, end = (0, 0), self.document.end
        result = self.replace(visible(text), start, end, maintain_selection_offset=False)
        self.move_cursor(result.end_location)

    @property
    def before_cursor(self) -> str:
        """The text up to the cursor."""
        return self.get_text_range((0, 0), self.cursor_location)

    def place_cursor(self) -> None:
        """Moves the terminal's own cursor along, so that an input method opens its window here."""
        if self.has_focus and self.is_attached:
            self._recompute_cursor_offset()
            self.app.cursor_position = self.cursor_screen_offset

    def _recompute_cursor_offset(self) -> None:
        """Nothing, while the cursor stands below the text.

        Undoing a long paste asks for it too early: the scrollbar goes before the cursor comes back.
        """
        if self.cursor_location[0] < self.document.line_count:
            super()._recompute_cursor_offset()  # type: ignore[no-untyped-call]

    def on_resize(self) -> None:
        """The field moved or grew: the terminal's cursor goes along."""
        self.call_after_refresh(self.place_cursor)

    def on_focus(self) -> None:
        """The terminal's cursor comes here."""
        self.call_after_refresh(self.place_cursor)
