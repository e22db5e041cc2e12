"""The two plots of a replay over one scrubber and one axis (STYLE 9.8, mock 08)."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from textual import events

from app.text.numbers import tokens
from app.view.plot import EIGHTHS
from app.view.replay_view import (
    SIDES,
    Pane,
    Plot,
    ReplayView,
    Side,
    axis,
    plot_of,
    step_at,
    step_column,
)
from widgets.drawn import Drawn
from widgets.gauge_colours import Tint
from widgets.look import Look
from widgets.paragraph import paragraph
from widgets.pen import Pen
from widgets.plot_lines import event_span, filled_span, scrubber_span
from widgets.requests import Request
from widgets.spans import BLANK_LINE, Line, Span, width_of

_TALL = 30
"""Rows from which on two are left free at the end."""

_OTHER_ROWS = 8
"""Titles, marks, gaps, scrubber, axis."""

_DIGIT = 2
"""Cells right of a plot: a gap and the mark's number."""

_TINTS: dict[Side, Tint] = {"a": "area", "b": "area_b"}


@dataclass
class StepWanted(Request):
    """A click on a plot: the user wants to look at a step."""

    step: int


def margin(view: ReplayView) -> int:
    """Cells left of the plots: the scale and a gap."""
    return max(3, *map(len, view.scale)) + 1


def plots(
    view: ReplayView, size: tuple[int, int], pen: Pen, *, seconds: float = 0.0, alone: bool = False
) -> list[Line]:
    """Everything, from the first title to the axis.

    Args:
        view: what is shown.
        size: columns and rows.
        pen: what it is drawn with.
        seconds: for what turns.
        alone: no numbers stand beside them.
    """
    width, height = size
    spare = height - _OTHER_ROWS - (2 if height >= _TALL else 0)
    rows, columns = max(1, spare // 2), max(1, width - margin(view) - _DIGIT)
    lines: list[Line] = []
    for side in SIDES:
        lines.append(_title(view, side, width, pen, seconds=seconds, alone=alone))
        lines += _area(view, side, (columns, rows), pen)
        lines.append(BLANK_LINE)
    if view.steps:
        lines += _scrubber(view, columns, width, pen)
    return lines


def _title(
    view: ReplayView, side: Side, width: int, pen: Pen, *, seconds: float, alone: bool
) -> Line:
    pane = view.pane(side)
    letter = pen(f"{side.upper()} ", "accent" if side == "a" else "text", bold=True)
    left = [letter, pen(pane.policy, "text", bold=True), pen("  ")]
    if side == "a" and view.example and alone:
        left += [pen(pen.say("replay_screen.example"), "info"), pen(f" {pen.glyphs.dot} ", "text3")]
    left.append(pen(does(pane, pen), "text3"))
    return pen.spread(width - 1, tuple(left), _figures(view, side, pen, seconds=seconds))


def does(pane: Pane, pen: Pen) -> str:
    """What a policy does, in a few words."""
    template = pen.words.named(f"replay_screen.does_{pane.policy.replace('-', '_')}")
    marks = {"clear": tokens(pane.clear or 0), "summary": tokens(pane.summary or 0)}
    return pen.plain(template.format(**marks))


def _figures(view: ReplayView, side: Side, pen: Pen, *, seconds: float) -> tuple[Span, ...]:
    """How much is sent before this step; while it is played, how far that is."""
    pane, used = view.pane(side), view.tokens_at(side)
    if pane.failed:
        sign = pen(f"{pen.glyphs.failed} ", "danger")
        return sign, pen(pen.say("replay_screen.failed"), "text2")
    if used is None:
        if not view.steps or not pane.done:
            return ()
        frame = pen(f"{pen.glyphs.frame(seconds)} ", "accent")
        return frame, pen(f"{pane.done:,} / {len(view.steps):,}", "text3")
    over = used > view.window
    share = pen(f" {view.percent_at(side)}%", "danger" if over else "text3")
    return pen(tokens(used), "text", bold=True), share


def _area(view: ReplayView, side: Side, size: tuple[int, int], pen: Pen) -> list[Line]:
    """The plot, and what stands under it."""
    columns, rows = size
    plot, left = plot_of(view, side, columns, rows), margin(view)
    scale = {0: view.scale[0], rows // 2: view.scale[1], rows - 1: "0"} if view.steps else {}
    lines: list[Line] = []
    for row in range(rows):
        digit = plot.marks.get(row) if view.steps else None
        beside = pen(f" {digit}" if digit else "  ", "text2")
        number = pen(f"{scale.get(row, ''):>{left - 1}} ", "text3")
        lines.append(Line((number, *_row(plot, row, rows, side, pen, view), beside), pen.blank))
    under = (event_span(plot.events.get(column), pen) for column in range(columns))
    lines.append(Line((pen(" " * left), *under), pen.blank))
    return lines


def _row(plot: Plot, row: int, rows: int, side: Side, pen: Pen, view: ReplayView) -> list[Span]:
    base = (rows - 1 - row) * EIGHTHS
    marked = bool(view.steps) and row in plot.marks
    dash = pen("-" if pen.letters else "╌", "line2") if marked else pen(" ")
    spans: list[Span] = []
    for column, height in enumerate(plot.heights):
        here = min(EIGHTHS, max(0, height - base))
        past = column < plot.past
        if column == plot.at:
            spans.append(scrubber_span(here, pen, _TINTS[side], dot=row == plot.dot))
        elif here:
            spans.append(filled_span(here, pen, _TINTS[side] if past else None))
        else:
            spans.append(dash)
    return spans


def _scrubber(view: ReplayView, columns: int, width: int, pen: Pen) -> list[Line]:
    """Where in the recording that is, and its steps."""
    at, left = step_column(max(1, view.at), len(view.steps), columns), margin(view)
    track = (
        pen(" " * left),
        pen(pen.glyphs.heavy * at, "accent"),
        pen(pen.glyphs.current, "accent"),
        pen(pen.glyphs.rule * (columns - at - 1), "line2"),
    )
    speed = speed_spans(view, pen)
    numbers: list[Span] = [pen(" " * left)]
    end, room = 0, width - left - (width_of(speed) + 1 if speed else 0)
    for column, step in axis(len(view.steps), columns).items():
        if column + len(str(step)) > room:
            break
        numbers.append(pen(" " * (column - end) + str(step), "text3"))
        end = column + len(str(step))
    return [Line(track, pen.blank), pen.spread(width, tuple(numbers), speed)]


def speed_spans(view: ReplayView, pen: Pen) -> tuple[Span, ...]:
    """How fast it plays, while it does; how fast it would, once that was changed."""
    said = pen.say("replay_screen.speed", speed=f"{view.speed:,}")
    if view.playing:
        return pen(f"{pen.glyphs.cursor} {said}", "accent"), pen(" ")
    return (pen(said, "text3"), pen(" ")) if view.says_speed else ()


class ReplayPlots(Drawn):
    """Both plots; while nothing is there yet, what is waited for.

    Attributes:
        view: what is shown; `draw_now` shows a new one.
        says: a sentence and a fainter one in place of the plots; the first alone: it is waited for.
        alone: no numbers stand beside them.
    """

    SURFACE = "bg"
    DEFAULT_CSS = """
    ReplayPlots { width: 1fr; height: 100%; background: $bg; padding: 1 2 0 3; }
    """

    def __init__(self, look: Look, *, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(look, clock=clock)
        self.view = ReplayView()
        self.says: tuple[str, str] = ("", "")
        self.alone = False

    def lines(self, width: int, height: int, pen: Pen) -> list[Line]:
        """The plots, or the sentences."""
        seconds = self._clock() if self.look.motion else 0.0
        if self.view.steps:
            return plots(self.view, (width, height), pen, seconds=seconds, alone=self.alone)
        first, second = self.says
        frame = (pen(f"{pen.glyphs.frame(seconds)} ", "accent"),) if first and not second else ()
        return [
            pen.spread(width, (*frame, pen(first, "text2"))),
            *paragraph(second, width, height, "text3", pen),
        ]

    def on_click(self, event: events.Click) -> None:
        """To the step under the pointer."""
        width, _ = self.content_size
        columns = width - margin(self.view) - _DIGIT
        column = event.x - self.gutter.left - margin(self.view)
        if self.view.steps and 0 <= column < columns:
            self.post_message(StepWanted(step_at(column, len(self.view.steps), columns)))
