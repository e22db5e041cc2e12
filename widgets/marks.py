"""The marks with their forecast, one a row (STYLE 14, "Marks")."""

from typing import cast

from app.text import Key
from app.text.numbers import tokens
from app.view.gauge import GaugeView
from app.view.gauge_marks import Mark
from widgets.gauge_lines import PASSED, mark_digit, shown_turns
from widgets.pen import Pen, to_left, to_right
from widgets.spans import Line, Span, width_of

COMPACT = 36
"""Below so many cells the names are as narrow as they can be; above `WIDE` they have room."""

WIDE = 44

_VALUE = 8


def marks_block(view: GaugeView, width: int, pen: Pen) -> list[Line]:
    """The marks by number; the next one stands out."""
    return [_row(mark, view, width, pen) for mark in view.marks]


def _row(mark: Mark, view: GaugeView, width: int, pen: Pen) -> Line:
    name_width = 13 if width < COMPACT else 16 if width <= WIDE else 20
    name = to_left(pen.say(cast("Key", f"gauge.mark_{mark.number}")), name_width)
    value = to_right(tokens(mark.tokens), _VALUE)
    faint = mark.passed
    left = (
        mark_digit(mark, pen),
        pen(f" {name}", "text" if mark.next else "text3" if faint else "text2", bold=mark.next),
        pen(value, "text3" if faint else "text2"),
    )
    if mark.number in view.paused and mark.passed:
        rests = mark.number == 4 and not view.by_user
        said = pen.say("gauge.rests" if rests else "gauge.paused")
        return pen.spread(width, left, (pen(said, "warn", bold=True),))
    return pen.spread(width, left, _forecast(mark, width - width_of(left) - 1, pen))


def _forecast(mark: Mark, room: int, pen: Pen) -> tuple[Span, ...]:
    if mark.passed:
        return (pen(pen.say("gauge.passed"), PASSED[mark.number]),)
    if mark.turns is None:
        return (pen("-" if pen.glyphs.rule == "-" else "—", "text3"),)
    said = pen.say("gauge.turns", n=shown_turns(mark.turns))
    if len(said) > room:
        said = f"{pen.glyphs.about} {shown_turns(mark.turns)}"
    return (pen(said, "accent", bold=True) if mark.next else pen(said, "text3"),)
