"""Tokens by turn, drawn: an area up to the present turn at the right edge (STYLE 9 and 14).

With a cursor in it the turns behind that are grey and the title says its turn, as in a replay.
"""

from typing import cast

from app.text import Key
from app.text.numbers import tokens
from app.view.context_view import ContextReport
from app.view.gauge import GaugeView
from app.view.plot import (
    EIGHTHS,
    EVENT_ORDER,
    EventKind,
    column_of,
    event_row,
    heights,
    row_of,
    ticks,
)
from app.view.replay_view import axis
from widgets.gauge_colours import Tint
from widgets.gauge_lines import right_cell
from widgets.palette import Token
from widgets.pen import Pen
from widgets.spans import Line, Span, width_of

_SCALE, _RIGHT = 5, 3
"""Cells left of the area, and right of it for the marks' digits."""

_UP = " ▁▂▃▄▅▆▇█"
LEAST_ROWS = 3
"""Rows of the area without which there is no plot."""

BELOW = 2
"""Rows under the area: what happened, and the axis."""


def plot_lines(
    view: GaugeView,
    report: ContextReport,
    width: int,
    rows: int,
    pen: Pen,
    *,
    at: int | None = None,
    lit: bool = True,
) -> list[Line]:
    """Title, area, what happened, axis.

    Args:
        view: the window and its marks.
        report: tokens by turn.
        width: cells.
        rows: of the area.
        pen: what it is drawn with.
        at: the turn under the cursor, from 1; None: the cursor is elsewhere.
        lit: whether the focus is here, where there is a cursor.
    """
    title = (pen(pen.say("context.by_turn"), "text3"),)
    if not report.turns:
        nothing = Line((pen(pen.say("context.nothing"), "text3"),), pen.blank)
        return [pen.spread(width, title), nothing]
    columns, turns = width - _SCALE - 1 - _RIGHT, len(report.turns)
    area = heights(report.turns, view.window, columns, rows)
    line, past = columns - 1, columns
    if at is not None and at < turns:
        line = column_of(at - 1, turns, columns)
        past = max(line + 1, column_of(at, turns, columns))
    lines = [_title(report, width, pen) if at is None else _turn(report, at, width, pen, lit=lit)]
    lines += [_row(view, area, row, rows, pen, at=line, past=past) for row in range(rows)]
    margin = pen(" " * (_SCALE + 1))
    shown = event_row(report.events, turns, columns)
    lines.append(
        Line((margin, *(event_span(shown.get(at), pen) for at in range(columns))), pen.blank)
    )
    lines.append(Line((margin, *_axis(turns, columns, pen)), pen.blank))
    return lines


def _title(report: ContextReport, width: int, pen: Pen) -> Line:
    """The peak; nothing before the first turn."""
    title = (pen(pen.say("context.by_turn"), "text3"),)
    if (peak := report.peak) is None:
        return pen.spread(width, title)
    most, turn = peak
    said = pen.say("context.peak", tokens=tokens(most), turn=turn)
    return pen.spread(width, title, (pen(said, "text3"),))


def _turn(report: ContextReport, at: int, width: int, pen: Pen, *, lit: bool) -> Line:
    """The turn under the cursor: its number, its tokens, what happened; shorter where narrow."""
    bright: Token = "accent" if lit else "text3"
    title = (pen(pen.say("context.by_turn"), bright),)
    number = pen(f"{pen.glyphs.cursor} {pen.say('context.at_turn', turn=at)}", bright)
    said = number, pen(f"  {tokens(report.turns[at - 1])}", "text", bold=True)
    kinds = {event.kind for event in report.events if event.turn == at}
    long, short = list(said), list(said)
    for kind in (kind for kind in EVENT_ORDER if kind in kinds):
        word = pen.say(cast("Key", f"replay_screen.row_{kind}"))
        long += [pen("  "), event_span(kind, pen), pen(f" {word}", "text2")]
        short += [pen(" "), event_span(kind, pen)]
    fits = width_of(title) + 1 + width_of(long) <= width
    return pen.spread(width, title, tuple(long if fits else short))


def _row(
    view: GaugeView, area: list[int], row: int, rows: int, pen: Pen, *, at: int, past: int
) -> Line:
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
        if column == at:
            dot = row == rows - 1 - min(rows - 1, height // EIGHTHS)
            spans.append(scrubber_span(here, pen, "area", dot=dot))
        elif here:
            spans.append(filled_span(here, pen, "area" if column < past else None))
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


def filled_span(eighths: int, pen: Pen, tint: Tint | None) -> Span:
    """A part of a column; `tint` None: the future, in grey."""
    if pen.letters:
        full = "#" if tint else ":"
        return pen(full if eighths * 2 >= EIGHTHS else " ", "text2" if tint else "text3")
    if tint is None:
        native = pen.ink.palette.native  # whose tracks are the terminal's own text colour
        return pen(_UP[eighths], "line2" if native else "track")
    return pen.tint(_UP[eighths], tint)


def scrubber_span(here: int, pen: Pen, tint: Tint, *, dot: bool) -> Span:
    """A cell of the line that is looked at; a dot where the number is."""
    if dot:
        return pen(pen.glyphs.current, "text")
    if here == EIGHTHS and not pen.letters:
        text, style = pen.tint(pen.glyphs.quote, tint)
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
    # A turn with columns of its own has its number where it begins, as in a replay.
    numbers = axis(turns, columns) if turns <= columns else ticks(turns, columns)
    spans: list[Span] = []
    at = 0
    for column, turn in numbers.items():
        spans.append(pen(" " * (column - at) + str(turn), "text3"))
        at = column + len(str(turn))
    return spans
