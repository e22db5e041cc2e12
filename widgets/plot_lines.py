"""Tokens by turn, drawn: an area up to the present turn at the right edge (STYLE 9 and 14)."""

from app.text.numbers import tokens
from app.view.context_view import ContextReport
from app.view.gauge import GaugeView
from app.view.plot import EIGHTHS, EventKind, event_row, heights, row_of, ticks
from widgets.gauge_lines import right_cell
from widgets.pen import Pen
from widgets.spans import Line, Span

_SCALE, _RIGHT = 5, 3
"""Cells left of the area, and right of it for the marks' digits."""

_UP = " ▁▂▃▄▅▆▇█"
LEAST_ROWS = 3
"""Rows of the area without which there is no plot."""

BELOW = 2
"""Rows under the area: what happened, and the axis."""


def plot_lines(
    view: GaugeView, report: ContextReport, width: int, rows: int, pen: Pen
) -> list[Line]:
    """Title, area, what happened, axis.

    Args:
        view: the window and its marks.
        report: tokens by turn.
        width: cells.
        rows: of the area.
        pen: what it is drawn with.
    """
    title = (pen(pen.say("context.by_turn"), "text3"),)
    peak = report.peak
    if peak is None:
        nothing = Line((pen(pen.say("context.nothing"), "text3"),), pen.blank)
        return [pen.spread(width, title), nothing]
    most, turn = peak
    said = (pen(pen.say("context.peak", tokens=tokens(most), turn=turn), "text3"),)
    columns = width - _SCALE - 1 - _RIGHT
    area = heights(report.turns, view.window, columns, rows)
    lines = [pen.spread(width, title, said)]
    lines += [_row(view, area, row, rows, pen) for row in range(rows)]
    margin = pen(" " * (_SCALE + 1))
    shown = event_row(report.events, len(report.turns), columns)
    lines.append(
        Line((margin, *(event_span(shown.get(at), pen) for at in range(columns))), pen.blank)
    )
    lines.append(Line((margin, *_axis(len(report.turns), columns, pen)), pen.blank))
    return lines


def _row(view: GaugeView, area: list[int], row: int, rows: int, pen: Pen) -> Line:
    marks = {
        row_of(mark.tokens, view.window, rows): mark for mark in view.marks if mark.number == 1
    }
    marks |= {
        row_of(mark.tokens, view.window, rows): mark for mark in view.marks if mark.number == 4
    }
    mark = marks.get(row)
    base = (rows - 1 - row) * EIGHTHS
    dash = "-" if pen.letters else "╌"
    spans = [right_cell(_scale(view, row, rows), _SCALE, pen, "text3"), pen(" ")]
    for column, height in enumerate(area):
        here = min(EIGHTHS, max(0, height - base))
        if column == len(area) - 1:
            spans.append(_present(height, row, rows, here, pen))
        elif here:
            spans.append(_filled(here, pen))
        else:
            spans.append(pen(dash, "line2") if mark else pen(" "))
    digit = f" {mark.number} " if mark else " " * _RIGHT
    return Line((*spans, pen(digit, "text2")), pen.blank)


def _scale(view: GaugeView, row: int, rows: int) -> str:
    """The numbers left of the area: the window, half of it, nothing."""
    if row == 0:
        return view.label
    if row == rows - 1:
        return "0"
    half = view.window // 2
    return _whole(half) if row == rows // 2 else ""


def _whole(count: int) -> str:
    return f"{count // 1_000}k" if count >= 1_000 else str(count)


def _filled(eighths: int, pen: Pen) -> Span:
    if pen.letters:
        return pen("#" if eighths * 2 >= EIGHTHS else " ", "text2")
    return pen.tint(_UP[eighths], "area")


def _present(height: int, row: int, rows: int, here: int, pen: Pen) -> Span:
    """The present turn: a line with a dot where its number is."""
    at = rows - 1 - min(rows - 1, height // EIGHTHS)
    if row == at:
        return pen(pen.glyphs.current, "text")
    if here == EIGHTHS and not pen.letters:
        text, style = pen.tint(pen.glyphs.quote, "area")
        front = pen.ink.palette.style("text", pen.on).color
        return text, style.from_color(front, style.color)
    return pen(pen.glyphs.quote, "text")


def event_span(kind: EventKind | None, pen: Pen) -> Span:
    """What stands under a column."""
    glyphs = pen.glyphs
    if kind == "summary":
        return pen(glyphs.summary, "accent", bold=True)
    if kind == "clear":
        return pen(glyphs.cleared, "text")
    return pen(glyphs.offloaded if kind else " ", "text3")


def _axis(turns: int, columns: int, pen: Pen) -> list[Span]:
    spans: list[Span] = []
    at = 0
    for column, turn in ticks(turns, columns).items():
        spans.append(pen(" " * (column - at) + str(turn), "text3"))
        at = column + len(str(turn))
    return spans
