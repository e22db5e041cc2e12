"""A short list with a cursor: choices of a dialog, findings, servers. Long ones are `virtual_list`.

A subclass says how many rows there are, which can be chosen and how one is drawn; rows that don't
fit are counted in the last line.
"""

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive

from widgets.look import Dressed, Look
from widgets.palette import palette_of
from widgets.rows import line, spread, stack


class Listing(Dressed, can_focus=True):
    """Rows with a cursor."""

    DEFAULT_CSS = """
    Listing { width: 100%; height: auto; text-wrap: nowrap; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home", "edge(0)", show=False),
        Binding("end", "edge(-1)", show=False),
        Binding("enter", "choose", show=False),
    ]

    at: reactive[int] = reactive(0)
    """The row the cursor is on."""

    lit: reactive[bool] = reactive(False)
    """Draws the cursor as if it had the focus: a field beside it takes the keys."""

    shows_rest: bool = True
    """Whether the last line counts the rows that don't fit."""

    class Chosen(Message):
        """Enter, or a click on a row."""

        def __init__(self, listing: "Listing", index: int) -> None:
            super().__init__()
            self.listing = listing
            self.index = index

        @property
        def control(self) -> "Listing":
            """The list."""
            return self.listing

    class Moved(Message):
        """The cursor stands on another row."""

        def __init__(self, listing: "Listing", index: int) -> None:
            super().__init__()
            self.listing = listing
            self.index = index

        @property
        def control(self) -> "Listing":
            """The list."""
            return self.listing

    def __init__(self, look: Look, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(look, id=id, classes=classes)
        self._first = 0

    def count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def can_choose(self, index: int) -> bool:
        """Whether the cursor may stop there."""
        return 0 <= index < self.count()

    def draw(self, index: int, width: int, *, on: bool) -> Content:
        """One row; `on`: the cursor is there."""
        raise NotImplementedError

    def rebuilt(self, at: int | None = None) -> None:
        """The rows changed: the cursor goes to `at`, else stays or to the nearest choice."""
        self._first = 0
        wanted = min(self.at if at is None else at, max(0, self.count() - 1))
        choices = [index for index in range(self.count()) if self.can_choose(index)]
        self.at = min(choices, key=lambda index: abs(index - wanted)) if choices else 0
        self.refresh(layout=True)

    def action_move(self, by: int) -> None:
        """To the next row that can be chosen."""
        index = self.at + by
        while 0 <= index < self.count():
            if self.can_choose(index):
                self.at = index
                return
            index += by

    def action_page(self, by: int) -> None:
        """A screenful on."""
        target = self.at + by * max(1, self.size.height - 1)
        self._go(min(max(0, target), self.count() - 1))

    def action_edge(self, index: int) -> None:
        """To the first row, or the last."""
        self._go(index % max(1, self.count()))

    def _go(self, target: int) -> None:
        choices = [index for index in range(self.count()) if self.can_choose(index)]
        if choices:
            self.at = min(choices, key=lambda index: abs(index - target))

    def action_choose(self) -> None:
        """Takes the row the cursor is on."""
        if self.count() and self.can_choose(self.at):
            self.post_message(self.Chosen(self, self.at))

    def watch_at(self, before: int, after: int) -> None:
        """Tells that the cursor moved."""
        if before != after:
            self.post_message(self.Moved(self, after))

    def on_focus(self) -> None:
        """The cursor's row is lit."""
        self.refresh()

    def on_blur(self) -> None:
        """The cursor's row stays, in grey (STYLE 1.5)."""
        self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """All rows, where there is room."""
        return self.count()

    def render(self) -> Content:
        """The rows that fit, the cursor's among them."""
        width, height = self.content_size
        total = self.count()
        if not width or not height:
            return stack(self._drawn(index, max(width, 1)) for index in range(total))
        room = height if total <= height or not self.shows_rest else height - 1
        self._first = min(max(self._first, self.at - room + 1), self.at, max(0, total - room))
        shown = range(self._first, min(total, self._first + room))
        rows = [self._drawn(index, width) for index in shown]
        if (rest := total - len(rows)) and self.shows_rest:
            rows.append(line((f"  {self.look.words('list.more', n=rest)}", "$text3")))
        return stack(rows)

    def _drawn(self, index: int, width: int) -> Content:
        on = index == self.at and self.can_choose(index)
        row = spread(width, self.draw(index, width, on=on), ellipsis=self.look.glyphs.ellipsis)
        if not on:
            return row
        if self.has_focus or self.lit:
            return self.on_row(row)
        mark = " underline" if palette_of(self.app.theme).native else ""
        return row.stylize_before(f"on $raised{mark}")

    def cursor_piece(self, *, on: bool) -> Content:
        """The two cells before a row: the cursor, grey while another part has the focus."""
        if not on:
            return Content("  ")
        style = "$accent bold" if self.has_focus or self.lit else "$text3"
        return line((f"{self.look.glyphs.cursor} ", style))

    def on_click(self, event: events.Click) -> None:
        """Takes the row under the pointer."""
        index = self._first + event.y
        if self.can_choose(index):
            self.at = index
            self.action_choose()
