"""The pane beside the table: all that is known of one fact; rows that lead somewhere take Enter."""

from collections.abc import Callable
from datetime import datetime

from app.view.facts_record import FactDetail
from widgets.fact_detail_lines import DetailLine, Target, detail_lines
from widgets.list_source import Lines
from widgets.look import Look
from widgets.pen_list import PenList, PenSource
from widgets.spans import Line


class DetailSource(PenSource):
    """The lines, made for a width when they are first asked for.

    Attributes:
        detail: of which fact; None: nothing is shown.
        now: the present, for ages.
    """

    def __init__(self, look: Look, now: Callable[[], datetime]) -> None:
        super().__init__(look, "surface")
        self.detail: FactDetail | None = None
        self.now = now
        self.rows: list[DetailLine] = []
        self._lit: list[DetailLine] = []

    def make(self, width: int) -> None:
        """Writes the lines anew, also as they look under the cursor."""
        self.rows, self._lit = [], []
        if self.detail is not None and width > 0:
            now = self.now()
            self.rows = detail_lines(self.detail, width, now, self.pen)
            self._lit = detail_lines(self.detail, width, now, self.pen.upon("accent_bg"))

    def __len__(self) -> int:
        return len(self.rows)

    def render(self, index: int, width: int, *, current: bool) -> Lines:
        """Draws a row; only with the focus does one have the cursor."""
        lit = current and self.lit
        line = (self._lit if lit else self.rows)[index].line
        pen = self.pen.upon("accent_bg") if lit else self.pen
        lead = pen(f"{pen.glyphs.cursor} " if lit else "  ", "accent")
        return Lines((Line((lead, *line.spans), pen.blank).strip(width, pen.blank),))

    def selectable(self, index: int) -> bool:
        """Rows that lead somewhere."""
        return self.rows[index].target is not None

    def text(self, index: int) -> str:
        """The row's words."""
        return self.rows[index].line.text.strip()


class FactDetailPane(PenList):
    """The pane.

    Args:
        look: words and glyphs.
        now: the present, in the user's zone.
    """

    DEFAULT_CSS = """
    FactDetailPane { background: $surface; height: 100%; padding: 1 0 0 0; }
    """

    def __init__(self, look: Look, now: Callable[[], datetime]) -> None:
        self._detail = DetailSource(look, now)
        super().__init__(look, self._detail, id="facts-detail")
        self._made_for = 0

    @property
    def shown(self) -> FactDetail | None:
        """What is shown."""
        return self._detail.detail

    @property
    def target(self) -> Target | None:
        """What the row under the cursor leads to."""
        at = self.cursor
        return self._detail.rows[at].target if at is not None and at < len(self._detail) else None

    def show(self, detail: FactDetail | None) -> None:
        """Shows another fact from its top, or the same one as it is now."""
        before = self._detail.detail
        same = before is not None and detail is not None and before.item.id == detail.item.id
        target = self.target if same else None
        self._detail.detail = detail
        self._make()
        rows = self._detail.rows
        at = next((n for n, row in enumerate(rows) if row.target and row.target == target), None)
        if not same:
            self.viewport.jump(0)
        self.show_rows(at)

    def _make(self) -> None:
        self._made_for = self._width
        self._detail.make(self._made_for)

    @property
    def _width(self) -> int:
        """Cells of the words: two before them, one between them and the scrollbar."""
        return max(0, self._size_of_lines()[0] - 3)

    def _settle(self, *, reach_end: bool = False) -> None:
        if self._made_for != self._width:
            self._make()
            self.viewport.restart()
        if self.has_focus and self._cursor.item is None:
            self._begin()
        super()._settle(reach_end=reach_end)

    def _redress(self) -> None:
        super()._redress()
        self._make()

    def watch_has_focus(self, has_focus: bool) -> None:
        """With the focus the cursor is on the first row that leads somewhere."""
        if has_focus and self._cursor.item is None:
            self._begin()
        super().watch_has_focus(has_focus)

    def _begin(self) -> None:
        places = (n for n, row in enumerate(self._detail.rows) if row.target)
        self._cursor.item = self.viewport.current = next(places, None)

    def action_cursor(self, step: int) -> None:
        """To the next row that leads somewhere; where there is none, the text moves."""
        at = self.cursor
        rows = self._detail.rows
        ahead = range((-1 if at is None else at) + 1, len(rows)) if step > 0 else range(at or 0)
        if any(rows[index].target for index in ahead):
            super().action_cursor(step)
        else:
            self.viewport.scroll(step)
            self._settle(reach_end=step > 0)
