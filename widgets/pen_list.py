"""A long list of lines drawn with a pen, whose cursor stays in grey without the focus (STYLE 1.5).

A subclass gives the source; whoever owns the items calls `show_rows` with other ones.
"""

from collections.abc import Hashable

from textual.app import App
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.theme import Theme

from widgets.ink import Ink
from widgets.list_source import Lines
from widgets.look import Look
from widgets.palette import Token, palette_of
from widgets.pen import Pen
from widgets.virtual_list import VirtualList


class PenSource:
    """One line an item.

    Attributes:
        pen: with what it is drawn.
        lit: whether the list has the focus.
        version: grows when other items are shown.
    """

    def __init__(self, look: Look, surface: Token) -> None:
        self.pen = Pen(Ink(palette_of(""), look.glyphs, look.words), surface)
        self.lit = False
        self.version = 0

    def __len__(self) -> int:
        raise NotImplementedError

    def key(self, index: int) -> Hashable:
        """Names what an item looks like."""
        return index, self.version, self.lit

    def estimate(self, start: int, stop: int, width: int) -> list[int]:  # noqa: ARG002
        """Exact: a line an item."""
        return [1] * (stop - start)

    def render(self, index: int, width: int, *, current: bool) -> Lines:
        """Draws an item."""
        raise NotImplementedError

    def render_live(self, index: int, strip: Strip, *, current: bool) -> Strip:  # noqa: ARG002
        """Nothing moves."""
        return strip

    def selectable(self, index: int) -> bool:
        """Whether the cursor stops at an item."""
        raise NotImplementedError

    def text(self, index: int) -> str:
        """An item's own text, for copying."""
        raise NotImplementedError


class PenList(VirtualList):
    """The list."""

    look: reactive[Look] = reactive(Look, init=False)

    class Moved(Message):
        """The cursor stands on another item, or other items are listed."""

        def __init__(self, sender: "PenList") -> None:
            super().__init__()
            self.list = sender

        @property
        def control(self) -> "PenList":
            """The list."""
            return self.list

    def __init__(self, look: Look, source: PenSource, *, id: str) -> None:
        self._drawn_with = source
        self._aside = False
        super().__init__(source, id=id)
        self.set_reactive(PenList.look, look)
        self.viewport.following = False

    def on_mount(self) -> None:
        """Takes the app's colours."""
        self._redress()

    def watch_look(self) -> None:
        """Another language, other glyphs."""
        if self.is_mounted:
            self._redress()
            self.restart()

    def on_theme(self, theme: Theme) -> None:
        """Another theme."""
        self._redress()
        super().on_theme(theme)

    def watch_has_focus(self, has_focus: bool) -> None:
        """The cursor is lit with the focus, else it stays in grey."""
        self._drawn_with.lit = has_focus and not self._aside
        self.viewport.forget_drawn()
        super().watch_has_focus(has_focus)

    def step_aside(self, *, aside: bool) -> None:
        """While something else is looked at, the cursor isn't lit, though the focus is here."""
        if aside != self._aside:
            self._aside = aside
            self.watch_has_focus(self.has_focus)

    def show_rows(self, at: int | None) -> None:
        """Other items are listed: the cursor goes to one of them, in view."""
        self._drawn_with.version += 1
        fits = at is not None and at < len(self.source) and self.source.selectable(at)
        self._cursor.item = at if fits else None
        self.viewport.following = False
        self.viewport.current = self._cursor.item
        self.restart()
        self.call_after_refresh(self._reveal)
        self.post_message(self.Moved(self))

    def put_cursor(self, item: int) -> None:
        """Puts the cursor on an item, in view, wherever the focus is."""
        self._catch_up()
        self._cursor.item = item
        self.viewport.reveal(item)
        self._show_cursor()

    def _reveal(self) -> None:
        if self._cursor.item is not None and self.viewport.width and self.is_mounted:
            self.viewport.reveal(self._cursor.item)
            self._settle()

    def _show_cursor(self, *, reach_end: bool = False) -> None:
        self.viewport.current = self._cursor.item
        self._settle(reach_end=reach_end)
        self.viewport.following = False  # nothing comes below the last item
        self.post_message(self.Moved(self))

    def _redress(self) -> None:
        app: App[object] = self.app
        palette = palette_of(app.theme)
        ink = Ink(palette, self.look.glyphs, self.look.words)
        letters = self.look.ascii or (palette.native and app.no_color)
        self._drawn_with.pen = Pen(ink, self._drawn_with.pen.on, letters=letters)
