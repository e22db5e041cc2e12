"""The list of one tab, over a `HeldModel`: what left the context, or the memory's facts."""

from collections.abc import Callable, Hashable
from datetime import datetime
from typing import ClassVar

from textual.app import App
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.theme import Theme

from app.view.held import HeldItem, HeldModel, TabRow
from app.view.recalled import RecalledFact
from widgets.actions import bindings
from widgets.held_lines import Columns, columns_of, item_line, more_line
from widgets.ink import Ink
from widgets.list_source import Lines
from widgets.look import Look
from widgets.palette import Token, palette_of
from widgets.pen import Pen
from widgets.recalled_lines import EACH, fact_lines
from widgets.virtual_list import VirtualList

AGE_SECONDS = 20.0
"""How often ages are said anew."""


class HeldSource:
    """Draws the rows: an item each, the last one may say how many more there are.

    Attributes:
        model: what is listed.
        pen: with what.
        columns: of the list.
        room: how many rows may show items.
        lit: whether the focus is here.
    """

    def __init__(self, model: HeldModel, pen: Pen, columns: Columns) -> None:
        self.model = model
        self.pen = pen
        self.columns = columns
        self.room = 0
        self.lit = False

    @property
    def items(self) -> int:
        """How many rows show items; none while another tab than a list is shown."""
        return min(self.room, len(self.model.rows))

    @property
    def more(self) -> int:
        """Items that no row shows."""
        return len(self.model.rows) - self.items

    def __len__(self) -> int:
        return self.items + bool(self.more)

    def item(self, index: int) -> TabRow | None:
        """What a row shows; None: it says how many more there are."""
        return self.model.rows[index] if index < self.items else None

    def key(self, index: int) -> Hashable:
        """What a row shows, and whether the focus is here."""
        item = self.item(index)
        return self.more if item is None else item, self.columns, self.lit

    def estimate(self, start: int, stop: int, width: int) -> list[int]:  # noqa: ARG002
        """A line a row, two for a fact."""
        each = EACH if self.model.active == "memory" else 1
        return [each if index < self.items else 1 for index in range(start, stop)]

    def render(self, index: int, width: int, *, current: bool) -> Lines:
        """Draws a row."""
        item = self.item(index)
        if isinstance(item, RecalledFact):
            now = self.columns.now
            drawn = fact_lines(item, now, width, self.pen, current=current, lit=self.lit)
            return Lines(tuple(line.strip(width, self.pen.blank) for line in drawn))
        if item is None:
            line = more_line(self.more, width, self.pen, current=current, lit=self.lit)
        else:
            line = item_line(item, self.columns, width, self.pen, current=current, lit=self.lit)
        return Lines((line.strip(width, self.pen.blank),))

    def render_live(self, index: int, strip: Strip, *, current: bool) -> Strip:  # noqa: ARG002
        """Nothing moves."""
        return strip

    def selectable(self, index: int) -> bool:  # noqa: ARG002
        """All of them."""
        return True

    def text(self, index: int) -> str:
        """What people call it, and where it is; what a fact says."""
        match self.item(index):
            case HeldItem() as item:
                return item.path or item.label
            case RecalledFact(content=content):
                return content
            case _:
                return ""


class HeldList(VirtualList):
    """The list. Its cursor stays visible without the focus, in grey (STYLE 1.5).

    Args:
        look: words and glyphs.
        model: what is listed.
        surface: what is behind it.
        now: the present, with the user's zone.
    """

    DEFAULT_CSS = """
    HeldList { height: 1; scrollbar-size-vertical: 0; }
    HeldList.-all { scrollbar-size-vertical: 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings("panel")

    look: reactive[Look] = reactive(Look, init=False)

    class Moved(Message):
        """The cursor stands on another row."""

    class TabWanted(Message):
        """← → on the list: another list is wanted."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    class WindowWanted(Message):
        """w on the list: another window is to be looked at."""

    def __init__(
        self,
        look: Look,
        model: HeldModel,
        *,
        surface: Token = "surface",
        now: Callable[[], datetime],
    ) -> None:
        self._surface: Token = surface
        self._now = now
        self._aside = False
        pen = Pen(Ink(palette_of(""), look.glyphs, look.words), surface)
        self._held = HeldSource(model, pen, columns_of("offloaded", (), now(), pen))
        super().__init__(self._held, classes="held-list")
        self.set_reactive(HeldList.look, look)
        self.viewport.following = False
        self._cursor.item = 0

    @property
    def item(self) -> HeldItem | None:
        """The item under the cursor, where it is something that left the context."""
        return row if isinstance(row := self.row, HeldItem) else None

    @property
    def fact(self) -> RecalledFact | None:
        """The fact under the cursor."""
        return row if isinstance(row := self.row, RecalledFact) else None

    @property
    def row(self) -> TabRow | None:
        """What the cursor is on; None: the row that says how many more there are, or nothing."""
        at = self.cursor
        return None if at is None or at >= len(self._held) else self._held.item(at)

    @property
    def on_more(self) -> bool:
        """Whether the cursor is on the row that says how many more there are."""
        return self.cursor is not None and self.cursor == self._held.items < len(self._held)

    def on_mount(self) -> None:
        """Takes the app's colours, and says ages anew now and then."""
        self._redress()
        self.set_interval(AGE_SECONDS, self._say_ages)

    def watch_look(self) -> None:
        """Another language, other glyphs."""
        if self.is_mounted:
            self._redress()
            self.restart()

    def on_theme(self, theme: Theme) -> None:
        """Another theme."""
        self._redress()
        super().on_theme(theme)

    def list_rows(self, items: int, *, at: int) -> None:
        """Lists so many of the model's items, the cursor on a row."""
        self._held.room = items
        self._count_columns()
        count = len(self._held)
        self._cursor.item = max(0, min(at, count - 1)) if count else None
        self.viewport.following = False
        self.restart()
        self._keep_cursor()

    def watch_has_focus(self, has_focus: bool) -> None:
        """The cursor is lit with the focus, else it stays in grey."""
        self._held.lit = has_focus and not self._aside
        self.viewport.forget_drawn()
        super().watch_has_focus(has_focus)

    def step_aside(self, *, aside: bool) -> None:
        """While something else is looked at, the cursor isn't lit, though the focus is here."""
        if aside != self._aside:
            self._aside = aside
            self.watch_has_focus(self.has_focus)

    def action_tab(self, by: int) -> None:
        """Another list."""
        self.post_message(self.TabWanted(by))

    def action_window(self) -> None:
        """Another window is looked at."""
        self.post_message(self.WindowWanted())

    def _show_cursor(self, *, reach_end: bool = False) -> None:
        self.viewport.current = self._cursor.item
        self._settle(reach_end=reach_end)
        self.viewport.following = False  # nothing comes below the last row
        self.post_message(self.Moved())

    def _keep_cursor(self) -> None:
        """After other rows are listed: the cursor is drawn, and in view."""
        self.viewport.current = self._cursor.item
        if self._cursor.item is not None and self.viewport.width and self.is_mounted:
            self.viewport.reveal(self._cursor.item)
        self._schedule()

    def _say_ages(self) -> None:
        self._count_columns()
        self._schedule()

    def _count_columns(self) -> None:
        model = self._held.model
        self._held.columns = columns_of(model.active, model.items, self._now(), self._held.pen)

    def _redress(self) -> None:
        app: App[object] = self.app
        palette = palette_of(app.theme)
        ink = Ink(palette, self.look.glyphs, self.look.words)
        letters = self.look.ascii or (palette.native and app.no_color)
        self._held.pen = Pen(ink, self._surface, letters=letters)
        self._count_columns()
