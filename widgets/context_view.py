"""`/context`: all of the gauge, what the window is filled with, and how it came so (STYLE 14)."""

from collections.abc import Callable
from time import monotonic
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from app.view.context_view import ContextReport, LargestItem
from app.view.gauge import GaugeModel, GaugeView
from widgets.context_lines import (
    columns_beside,
    composition_lines,
    largest_lines,
    meter_line,
    sentence_lines,
)
from widgets.gauge import WindowKeys
from widgets.gauge_lines import bar_line, head, legend, marks_line
from widgets.look import Look
from widgets.marks import marks_block
from widgets.pen import Pen
from widgets.plot_lines import BELOW, LEAST_ROWS, plot_lines
from widgets.spans import BLANK_LINE, Line
from widgets.windows_block import windows_block

NORMAL, WIDE = 96, 136
"""Cells from which on there are two columns, and wide ones (STYLE 14: 100 and 140 columns)."""

_LEFT, _LEFT_WIDE, _GAP = 54, 66, 4
_MARKS, _MARKS_GAP = 34, 2
_ENOUGH = 14
"""Rows of a list where as many as needed are wanted."""


def context_lines(
    view: GaugeView,
    report: ContextReport,
    size: tuple[int, int],
    pen: Pen,
    *,
    at: int = 0,
    lit: bool = True,
    tabs: bool = False,
) -> list[Line]:
    """The whole view, the meter in the last row.

    Args:
        view: the gauge.
        report: what it doesn't know.
        size: columns and rows; 0 rows: as many as are needed.
        pen: what it is drawn with.
        at: the item under the cursor.
        lit: whether the focus is here.
        tabs: where it is narrow, tabs follow in place of the items.
    """
    width, height = size
    bars = [bar_line(view, width, pen)] * (1 if width < NORMAL else 2)
    lines = [*head(view, width, pen), *bars, marks_line(view, width, pen)]
    if width < NORMAL:
        lines += [*legend(view, width, pen, columns=3), BLANK_LINE, *_marks(view, width, pen)]
        if tabs:
            return lines
    else:
        lines += [BLANK_LINE, *_tables(view, report, width, pen)]
    lines.append(BLANK_LINE)
    rows = height - len(lines) - 3 if height else _ENOUGH
    lines += _below(view, report, width, rows, pen, at=at, lit=lit)
    if height:
        lines = lines[: height - 1]
        lines += [BLANK_LINE] * (height - 1 - len(lines))
    else:
        lines.append(BLANK_LINE)
    return [*lines, meter_line(report, width, pen)]


def _left(width: int) -> int:
    return _LEFT if width < WIDE else _LEFT_WIDE


def _tables(view: GaugeView, report: ContextReport, width: int, pen: Pen) -> list[Line]:
    left = _left(width)
    right = width - left - _GAP
    beside = [
        *marks_block(view, right, pen),
        BLANK_LINE,
        *windows_block(view, right, pen),
    ]
    if sentence := sentence_lines(view, report, right, pen):
        beside += [BLANK_LINE, *sentence]
    return columns_beside(composition_lines(view, report, left, pen), beside, left, _GAP, pen)


def _marks(view: GaugeView, width: int, pen: Pen) -> list[Line]:
    title = Line((pen(pen.say("gauge.marks"), "text3"),), pen.blank)
    marks = [title, *marks_block(view, _MARKS, pen)]
    windows = windows_block(view, width - _MARKS - _MARKS_GAP, pen)
    return columns_beside(marks, windows, _MARKS, _MARKS_GAP, pen)


def _below(
    view: GaugeView, report: ContextReport, width: int, rows: int, pen: Pen, *, at: int, lit: bool
) -> list[Line]:
    """The largest items; beside them, where there is room, tokens by turn."""
    if rows < 1:
        return []
    if width < NORMAL:
        return largest_lines(report.largest, width, rows, pen, at=at, lit=lit)
    left = _left(width)
    items = largest_lines(report.largest, left, rows, pen, at=at, lit=lit)
    area = rows - BELOW - 1
    plot: list[Line] = []
    if area >= LEAST_ROWS:
        plot = plot_lines(view, report, width - left - _GAP, area, pen)
    return columns_beside(items, plot, left, _GAP, pen)


class ItemChosen(Message):
    """Enter on one of the largest items: the user wants to see it."""

    def __init__(self, item: LargestItem) -> None:
        super().__init__()
        self.item = item


class ItemMoved(Message):
    """Another of the largest items is under the cursor."""


class ContextView(WindowKeys):
    """The view, as large as it is let.

    Args:
        look: words, glyphs.
        gauge: the gauge.
        report: what the window is filled with.
        clock: seconds that only go forward.

    Attributes:
        tabs: where it is narrow, tabs follow in place of the items.
    """

    SURFACE = "bg"
    DEFAULT_CSS = """
    ContextView { width: 100%; height: 1fr; background: $bg; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("home", "edge(0)", show=False),
        Binding("end", "edge(-1)", show=False),
    ]

    def __init__(
        self,
        look: Look,
        gauge: GaugeModel,
        report: ContextReport | None = None,
        *,
        id: str | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        super().__init__(look, gauge, id=id, clock=clock)
        self.tabs = False
        self._report = report or ContextReport()
        self._at = 0

    @property
    def report(self) -> ContextReport:
        """What is shown beside the gauge."""
        return self._report

    @report.setter
    def report(self, report: ContextReport) -> None:
        self._report = report
        self._at = max(0, min(self._at, len(report.largest) - 1))
        self.touch()

    @property
    def item(self) -> LargestItem | None:
        """The item under the cursor."""
        return self._report.largest[self._at] if self._report.largest else None

    def draw(self, view: GaugeView, width: int, height: int, pen: Pen) -> list[Line]:
        """All of it."""
        return context_lines(
            view,
            self._report,
            (width, height),
            pen,
            at=self._at,
            lit=self.has_focus,
            tabs=self.tabs,
        )

    def action_move(self, by: int) -> None:
        """To another item."""
        self._go(self._at + by)

    def action_edge(self, index: int) -> None:
        """To the first item, or the last."""
        self._go(index % max(1, len(self._report.largest)))

    def _go(self, index: int) -> None:
        self._at = max(0, min(index, len(self._report.largest) - 1))
        self.draw_now()
        self.post_message(ItemMoved())

    def nothing_taken(self) -> None:
        """Enter: goes to the item."""
        if self.item is not None:
            self.post_message(ItemChosen(self.item))

    def watch_has_focus(self, has_focus: bool) -> None:
        """The cursor is lit while the focus is here, else it stays, in grey (STYLE 1.5)."""
        super().watch_has_focus(has_focus)
        if self.is_mounted:
            self.draw_now()
