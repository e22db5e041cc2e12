"""The sessions of a project: a long list of trees, and what is said of the one under the cursor."""

from collections.abc import Hashable
from typing import ClassVar

from textual.app import App
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.theme import Theme

from app.view.sessions_view import Chain, HeadRow, SessionNode, SessionsModel
from widgets.actions import bindings_named
from widgets.drawn import Drawn
from widgets.ink import Ink
from widgets.list_source import Lines
from widgets.look import Look
from widgets.palette import palette_of
from widgets.pen import Pen
from widgets.session_lines import row_lines, session_lines
from widgets.spans import Line
from widgets.virtual_list import VirtualList


class SessionSource:
    """Draws the rows of a model.

    Attributes:
        model: what is listed.
        ink: with what.
    """

    def __init__(self, model: SessionsModel, ink: Ink) -> None:
        self.model = model
        self.ink = ink

    def __len__(self) -> int:
        return len(self.model.rows)

    def key(self, index: int) -> Hashable:
        """The row itself: it never changes."""
        row = self.model.rows[index]
        return index, id(row)

    def estimate(self, start: int, stop: int, width: int) -> list[int]:  # noqa: ARG002
        """Exact: a line a row, and the blank ones above it."""
        return [1 + getattr(row, "gap", 0) for row in self.model.rows[start:stop]]

    def render(self, index: int, width: int, *, current: bool) -> Lines:
        """Draws a row."""
        lines = row_lines(self.model.rows[index], self.model, self.ink, width, focused=current)
        blank = self.ink.style("text")
        return Lines(tuple(line.strip(width, blank) for line in lines))

    def render_live(self, index: int, strip: Strip, *, current: bool) -> Strip:  # noqa: ARG002
        """Nothing moves."""
        return strip

    def selectable(self, index: int) -> bool:
        """All rows but the days."""
        return not isinstance(self.model.rows[index], HeadRow)

    def text(self, index: int) -> str:
        """The session's whole id, as `haima --resume` takes it."""
        node = self.model.node(index)
        return node.id if node is not None else ""


class SessionList(VirtualList):
    """The list.

    Args:
        look: words and glyphs.
        model: what is listed.
    """

    DEFAULT_CSS = """
    SessionList { background: $bg; padding: 1 1 0 0; }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_named("fold", "unfold")

    look: reactive[Look] = reactive(Look, init=False)

    class Moved(Message):
        """The cursor stands on another row, or other rows are listed."""

    def __init__(self, look: Look, model: SessionsModel) -> None:
        self._sessions = SessionSource(model, Ink(palette_of(""), look.glyphs, look.words))
        super().__init__(self._sessions, id="sessions-list")
        self.set_reactive(SessionList.look, look)
        self.viewport.following = False

    @property
    def model(self) -> SessionsModel:
        """What is listed."""
        return self._sessions.model

    @property
    def node(self) -> SessionNode | None:
        """The session under the cursor."""
        return None if self.cursor is None else self.model.node(self.cursor)

    @property
    def chain(self) -> Chain | None:
        """The conversation under the cursor."""
        return None if self.cursor is None else self.model.chain_at(self.cursor)

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

    def show(self, model: SessionsModel, at: int | None) -> None:
        """Lists other rows, the cursor on one of them; the view stays about where it is."""
        self._sessions.model = model
        self._cursor.item = at if at is not None and self._sessions.selectable(at) else None
        self.restart()
        if self._cursor.item is not None:
            self.viewport.current = self._cursor.item if self.has_focus else None
            self.call_after_refresh(self._reveal)
        self.post_message(self.Moved())

    def _reveal(self) -> None:
        if self._cursor.item is not None and self.viewport.width:
            self.viewport.reveal(self._cursor.item)
            self._settle()

    def fold(self, *, open: bool) -> bool:
        """Folds or unfolds the conversation under the cursor; False: it is so already.

        Folded, the cursor goes to the conversation's own row.
        """
        at = self.cursor
        if at is None or (changed := self.model.fold(at, open=open)) is None:
            return False
        self.viewport.forget_drawn()
        self.viewport.following = False
        self.spliced(changed.start, changed.removed, changed.added)
        self._cursor.item = changed.start
        self.viewport.current = changed.start if self.has_focus else None
        self.viewport.reveal(changed.start)
        self._settle()
        self.post_message(self.Moved())
        return True

    def _show_cursor(self, *, reach_end: bool = False) -> None:
        super()._show_cursor(reach_end=reach_end)
        self.viewport.following = False  # nothing comes below the last row
        self.post_message(self.Moved())

    def _redress(self) -> None:
        app: App[object] = self.app
        self._sessions.ink = Ink(palette_of(app.theme), self.look.glyphs, self.look.words)


class SessionPane(Drawn):
    """What is said of one session.

    Attributes:
        shown: the session and its conversation; None: nothing is.
    """

    DEFAULT_CSS = """
    SessionPane { width: 1fr; height: 100%; background: $surface; padding: 1 2; }
    """

    def __init__(self, look: Look, model: SessionsModel) -> None:
        super().__init__(look, id="session-pane")
        self.model = model
        self.shown: tuple[Chain, SessionNode] | None = None

    def lines(self, width: int, height: int, pen: Pen) -> list[Line]:  # noqa: ARG002
        """The lines."""
        if self.shown is None:
            return []
        return session_lines(self.model, *self.shown, pen.ink, width)
