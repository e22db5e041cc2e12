"""The gauge in one line, above the prompt of a narrow screen (STYLE 6)."""

from typing import ClassVar

from app.text.numbers import tokens
from app.view.gauge import GaugeView
from widgets.gauge_base import GaugeWidget
from widgets.gauge_lines import (
    bar_spans,
    done_spans,
    outlook,
    percentage,
    seconds_span,
    window_name,
)
from widgets.pen import Pen
from widgets.spans import Line, Span, width_of

LEAST_BAR = 12
"""Cells the bar never goes below (STYLE 6)."""


def gauge_line(view: GaugeView, width: int, pen: Pen) -> Line:
    """Percent, bar, totals, what comes next, the key; the bar takes the room that is left.

    What doesn't fit is dropped in this order: the key, the words, the totals.
    """
    first = _first(view, pen)
    totals = (pen(f" {tokens(view.used)}/{window_name(view)}", "text2"),)
    words = (pen("  "), *_words(view, pen))
    if view.held is not None and not view.preview and view.summarising is None:
        totals = (pen(f" {tokens(view.used)}", "text2"),)
        words = (pen(" "), *words[1:])
    key = (pen("  F5", "text2"),)
    rest: tuple[Span, ...] = ()
    for rest in ((*totals, *words, *key), (*totals, *words), totals, ()):
        if width - width_of(first) - width_of(rest) >= LEAST_BAR:
            break
    room = max(LEAST_BAR, width - width_of(first) - width_of(rest))
    return Line((*first, *bar_spans(view, room, pen), *rest), pen.blank)


def _words(view: GaugeView, pen: Pen) -> tuple[Span, ...]:
    """What comes next, or what was just done, in few words."""
    if (running := view.summarising) is not None and not view.preview:
        frame = pen(f"{pen.glyphs.frame(running.seconds)} ", "accent")
        said = pen(f"{pen.say('gauge.summarising_short')} ", "text2")
        return frame, said, seconds_span(running, pen)
    if view.held is not None and not view.preview:
        rests = view.held == 4 and not view.by_user
        glyph = pen.glyphs.attention if rests else pen.glyphs.restore
        said = pen(pen.say("gauge.rests" if rests else "gauge.paused"), "text2")
        return pen(f"{glyph} ", "warn" if rests else "accent"), said
    calm = not view.preview and view.stage in ("calm", "warned")
    if calm and (done := done_spans(view, pen, "text3")):
        return done
    about = pen.glyphs.about
    return (pen(outlook(view, pen).replace(f"{about} ", about), "text3"),)


def _first(view: GaugeView, pen: Pen) -> tuple[Span, ...]:
    if view.estimated and not view.preview and view.stage == "calm":
        return pen(f"{pen.glyphs.about} {view.percent}%", "info", bold=True), pen(" ")
    return percentage(view, pen), pen(" ")


class GaugeLine(GaugeWidget):
    """The line."""

    SURFACE = "bg"
    DEFAULT_CSS: ClassVar[str] = """
    GaugeLine { width: 100%; height: 1; }
    """

    def draw(self, view: GaugeView, width: int, height: int, pen: Pen) -> list[Line]:  # noqa: ARG002
        """One line."""
        return [gauge_line(view, width, pen)]
