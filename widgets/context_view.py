"""`/context`: all of the gauge, what the window is filled with, and how it came so (STYLE 14)."""

from collections.abc import Callable, Sequence
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
from widgets.palette import palette_of
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
    turn: int | None = None,
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
        turn: the turn under the cursor, from 1, where the chart has it; None: the items do.
        lit: whether the focus is here.
        tabs: where it is narrow, tabs follow in place of the items.
    """
    width, height = size
    lines = _above(view, report, width, pen)
    if tabs and width < NORMAL:
        return lines
    lines.append(BLANK_LINE)
    rows = _rows(lines, height)
    lines += _below(view, report, width, rows, pen, at=at, turn=turn, lit=lit)
    if height:
        lines = lines[: height - 1]
        lines += [BLANK_LINE] * (height - 1 - len(lines))
    else:
        lines.append(BLANK_LINE)
    return [*lines, meter_line(report, width, pen)]


def has_chart(view: GaugeView, report: ContextReport, size: tuple[int, int], pen: Pen) -> bool:
    """Whether there are tokens by turn, and room for them: beside the items or in their place."""
    width, height = size
    above = [*_above(view, report, width, pen), BLANK_LINE]
    return bool(report.turns) and _area(width, _rows(above, height)) > 0


def _rows(above: Sequence[Line], height: int) -> int:
    """How many are left for a list without its head; a gap and the meter stand below."""
    return height - len(above) - 3 if height else _ENOUGH


def _area(width: int, rows: int) -> int:
    """Rows of the chart's area; 0: there is no room for it."""
    area = rows - BELOW - 1
    if width < NORMAL:  # in place of the items: as high as they, at the least without the gap below
        area = max(rows - BELOW, min(rows - BELOW + 1, LEAST_ROWS))
    return area if area >= LEAST_ROWS else 0


def _above(view: GaugeView, report: ContextReport, width: int, pen: Pen) -> list[Line]:
    """Bar, marks and tables."""
    bars = [bar_line(view, width, pen)] * (1 if width < NORMAL else 2)
    lines = [*head(view, width, pen), *bars, marks_line(view, width, pen)]
    if width < NORMAL:
        return [
            *(*lines, *legend(view, width, pen, columns=3), BLANK_LINE),
            *_marks(view, width, pen),
        ]
    return [*lines, BLANK_LINE, *_tables(view, report, width, pen)]


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
    view: GaugeView,
    report: ContextReport,
    width: int,
    rows: int,
    pen: Pen,
    *,
    at: int,
    turn: int | None,
    lit: bool,
) -> list[Line]:
    """The largest items; beside them, where there is room, tokens by turn; narrow: one of both."""
    if rows < 1:
        return []
    area = _area(width, rows)
    if width < NORMAL:
        if turn is not None and area:
            return plot_lines(view, report, width, area, pen, at=turn, lit=lit)
        return largest_lines(report.largest, width, rows, pen, at=at, lit=lit)
    left = _left(width)
    items = largest_lines(report.largest, left, rows, pen, at=at, lit=lit and turn is None)
    plot: list[Line] = []
    if area:
        plot = plot_lines(view, report, width - left - _GAP, area, pen, at=turn, lit=lit)
    return columns_beside(items, plot, left, _GAP, pen)


class ItemChosen(Message):
    """Enter on one of the largest items: the user wants to see it."""

    def __init__(self, item: LargestItem) -> None:
        super().__init__()
        self.item = item


class TurnChosen(Message):
    """Enter on a turn of the chart: the user wants to see its message of this id."""

    def __init__(self, message_id: str) -> None:
        super().__init__()
        self.message_id = message_id


class ItemMoved(Message):
    """Something else is under the cursor: another of the largest items, another turn."""


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
        Binding("left", "turn(-1)", show=False),
        Binding("right", "turn(1)", show=False),
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
        self._charted = False
        self._turn: int | None = None
        """The turn under the chart's cursor, from 1; None: the present one, whichever it is."""

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

    @property
    def has_chart(self) -> bool:
        """Whether Tab leads to the chart."""
        width, height = self.content_size
        if not width or (self.tabs and width < NORMAL):
            return False
        pen = self.pen(palette_of(self.app.theme))
        return has_chart(self.gauge.view, self._report, (width, height), pen)

    @property
    def in_chart(self) -> bool:
        """Whether the cursor is in the chart."""
        return self._charted and self.has_chart

    @property
    def turn(self) -> int:
        """The turn under the chart's cursor, from 1."""
        turns = len(self._report.turns)
        return turns if self._turn is None else min(self._turn, turns)

    @property
    def turn_message(self) -> str:
        """The id of the message with which that turn begins; "": it is in the history no more."""
        begins = self._report.begins
        return begins[self.turn - 1] if 0 < self.turn <= len(begins) else ""

    def draw(self, view: GaugeView, width: int, height: int, pen: Pen) -> list[Line]:
        """All of it."""
        return context_lines(
            view,
            self._report,
            (width, height),
            pen,
            at=self._at,
            turn=self.turn if self.in_chart else None,
            lit=self.has_focus,
            tabs=self.tabs,
        )

    def action_move(self, by: int) -> None:
        """To another item."""
        if not self.in_chart:
            self._go(self._at + by)

    def action_turn(self, by: int) -> None:
        """← →: in the chart to another turn."""
        if self.in_chart:
            self._go_to_turn(self.turn + by)

    def swap(self) -> None:
        """Tab: from the items to the chart, where there is one, and back."""
        self._charted = not self.in_chart and self.has_chart
        self._moved()

    def action_edge(self, index: int) -> None:
        """To the first item, or the last; in the chart so with the turns."""
        if self.in_chart:
            self._go_to_turn(len(self._report.turns) if index else 1)
            return
        self._go(index % max(1, len(self._report.largest)))

    def _go(self, index: int) -> None:
        self._at = max(0, min(index, len(self._report.largest) - 1))
        self._moved()

    def _go_to_turn(self, turn: int) -> None:
        last = len(self._report.turns)
        self._turn = max(1, turn) if turn < last else None  # the last one: follows what comes
        self._moved()

    def _moved(self) -> None:
        self.draw_now()
        self.post_message(ItemMoved())

    def nothing_taken(self) -> None:
        """Enter: goes to the item, or the turn."""
        if self.in_chart:
            if self.turn_message:
                self.post_message(TurnChosen(self.turn_message))
        elif self.item is not None:
            self.post_message(ItemChosen(self.item))

    def on_resize(self) -> None:
        """The chart has room now, or no longer: other keys work."""
        self.post_message(ItemMoved())

    def watch_has_focus(self, has_focus: bool) -> None:
        """The cursor is lit while the focus is here, else it stays, in grey (STYLE 1.5)."""
        super().watch_has_focus(has_focus)
        if self.is_mounted:
            self.draw_now()
