"""The gauge's own lines: head, bar, marks under it, legend (STYLE 6 and 14)."""

from collections.abc import Mapping
from typing import cast

from app.text import Key
from app.text.numbers import tokens
from app.view.gauge import GaugeView, Stage
from app.view.gauge_bar import BarCell, PartName, bar, letters
from app.view.gauge_marks import MOST_TURNS, Mark, mark_columns
from app.view.gauge_summaries import Summarising
from widgets.gauge_colours import tinted
from widgets.ink import MINUTE, duration
from widgets.palette import Token
from widgets.pen import Pen, to_left, to_right
from widgets.spans import Line, Span, width_of

STAGES: Mapping[Stage, Token] = {
    "calm": "accent",
    "warned": "warn",
    "due": "danger",
    "over": "danger",
}
"""The colour of the percentage."""

PASSED: Mapping[int, Token] = {1: "text3", 2: "text3", 3: "warn", 4: "danger"}
"""The colour of a mark that is passed, by its number."""

LETTERS: Mapping[PartName, str] = {
    "system": "S", "memory": "M", "history": "H", "results": "T",
    "free": ".", "reserve": ":", "over": "!",
}  # fmt: skip
"""The bar in ASCII."""

ROOMY = 50
"""Cells from which on growth keeps its unit beside a warning (STYLE 14)."""

LONG_WORDS = 48
"""Cells from which on the state is said in full (STYLE 14)."""

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_LEGEND: tuple[PartName, ...] = ("system", "memory", "history", "results", "reserve", "free")
_GAP = 2


def head(view: GaugeView, width: int, pen: Pen) -> list[Line]:
    """What is used of what, and what comes next."""
    return [_title(view, width, pen), state(view, width, pen)]


def _title(view: GaugeView, width: int, pen: Pen) -> Line:
    unsure = view.estimated and not view.preview
    about = f"{pen.glyphs.about} " if unsure else ""
    figures = (
        pen(about + tokens(view.used), "text", bold=True),
        pen(f" / {window_name(view)}  ", "text3"),
        pen(pen.say("gauge.estimated"), "info") if unsure else percentage(view, pen),
    )
    return pen.spread(width, (pen(pen.say("gauge.title"), "text2", bold=True),), figures)


def window_name(view: GaugeView) -> str:
    """The window's label; one that is only assumed has a question mark."""
    return view.label if view.certain else f"{view.label}?"


def percentage(view: GaugeView, pen: Pen) -> Span:
    """How full the window is, in the colour of what that means."""
    sign = "" if view.stage == "calm" else f"{pen.glyphs.attention} "
    return pen(f"{sign}{view.percent}%", STAGES[view.stage], bold=True)


def state(view: GaugeView, width: int, pen: Pen) -> Line:
    """What comes next, and how fast."""
    left = _state(view, width, pen)
    for right in _beside_state(view, width, pen):
        if width_of(left) + 1 + width_of(right) <= width:
            return pen.spread(width, left, right)
    return pen.spread(width, left)


def _state(view: GaugeView, width: int, pen: Pen) -> tuple[Span, ...]:
    if view.preview:
        dot = f" {pen.glyphs.dot} "
        first, coming = pen(pen.say("gauge.preview") + dot, "accent"), outlook(view, pen)
        if width < LONG_WORDS and coming == pen.say("gauge.preview_due"):
            coming = pen.say("gauge.preview_due_short")
        return first, pen(coming, "text")
    if view.summarising is not None:
        return summarising_spans(view.summarising, pen)
    if view.held is not None:
        return held_spans(view, pen)
    if view.stage in ("calm", "warned") and (done := done_spans(view, pen)):
        return done
    if view.stage == "calm":
        return (pen(outlook(view, pen), "text"),)
    sign = pen(f"{pen.glyphs.attention} ", STAGES[view.stage])
    if view.stage == "warned":
        dot = f" {pen.glyphs.dot} "
        return sign, pen(pen.say("gauge.past_warn") + dot + outlook(view, pen), "text")
    if view.stage == "due" and view.summarises and width >= LONG_WORDS:
        return sign, pen(pen.say("gauge.due"), "text")
    return sign, pen(outlook(view, pen), "text")


def summarising_spans(running: Summarising, pen: Pen) -> tuple[Span, ...]:
    """`⠼ summarising before the next call`; by hand, how many messages."""
    said = pen.say("gauge.summarising", n=running.count) if running.asked else ""
    frame = pen(f"{pen.glyphs.frame(running.seconds)} ", "accent")
    return frame, pen(said or pen.say("gauge.due_short"), "text")


def held_spans(view: GaugeView, pen: Pen) -> tuple[Span, ...]:
    """`↩ summaries paused by you`, or that they pause after failures."""
    if view.held == 4 and not view.by_user:
        return pen(f"{pen.glyphs.attention} ", "warn"), pen(pen.say("gauge.summary_rests"), "text")
    said = pen.say("gauge.summary_paused" if view.held == 4 else "gauge.clear_paused")
    return pen(f"{pen.glyphs.restore} ", "accent"), pen(said, "text")


def done_spans(view: GaugeView, pen: Pen, tone: Token = "text") -> tuple[Span, ...]:
    """`Σ summarised 42 · freed 112.8k`, or `∅ cleared 9 results · freed 38.2k`; () for neither."""
    bold = tone == "text"
    if (done := view.summarised) is not None:
        key: Key = "gauge.left_out" if done.cut else "gauge.summarised"
        said = pen.say(key, n=done.count, tokens=tokens(done.freed))
        glyph = pen.glyphs.cleared if done.cut else pen.glyphs.summary
        return pen(f"{glyph} ", tone, bold=bold), pen(said, tone)
    if view.cleared is None:
        return ()
    count, freed = view.cleared
    said = pen.say("gauge.cleared", n=count, tokens=tokens(freed))
    return pen(f"{pen.glyphs.cleared} ", tone, bold=bold), pen(said, tone)


def seconds_span(running: Summarising, pen: Pen) -> Span:
    """`8s`, `1m 04s`."""
    seconds = int(running.seconds)
    return pen(f"{seconds}s" if seconds < MINUTE else duration(seconds), "text3")


def outlook(view: GaugeView, pen: Pen) -> str:
    """What happens next, in the fewest words."""
    coming = view.next_mark
    if view.stage == "over" and not (view.preview and view.summary_comes):
        return pen.say("gauge.preview_over" if view.preview else "gauge.over")
    if view.stage in ("due", "over") or coming is None:
        if not view.summary_comes:
            return pen.say("gauge.preview_past" if view.preview else "gauge.past_summary")
        return pen.say("gauge.preview_due" if view.preview else "gauge.due_short")
    if coming.turns is None:
        return pen.say(cast("Key", f"gauge.at_{coming.number}"), tokens=tokens(coming.tokens))
    return pen.say(cast("Key", f"gauge.to_{coming.number}"), n=shown_turns(coming.turns))


def shown_turns(turns: int) -> int | str:
    """Turns as they are said: no more than two digits."""
    return turns if turns <= MOST_TURNS else f"{MOST_TURNS}+"


def _beside_state(view: GaugeView, width: int, pen: Pen) -> list[tuple[Span, ...]]:
    """What may stand at the right of the state, the longest first."""
    if view.preview:
        return []
    if view.summarising is not None:
        minutes = pen(f"{int(view.summarising.seconds) // MINUTE}m", "text3")
        return [(seconds_span(view.summarising, pen),), (minutes,)]
    if view.stage == "due" and view.summarises and view.held is None:
        return []
    if view.stage in ("due", "over"):
        said = pen(f" {pen.say('gauge.compact')}", "text3")
        return [(pen("F7", "text2"), said), (pen("F7", "text2"),)]
    if view.growth is None:
        return []
    grown = tokens(view.growth)
    whole, short = (
        (pen(pen.say("gauge.growth", tokens=grown), "text3"),),
        (pen(f"+{grown}", "text3"),),
    )
    return [short] if view.stage == "warned" and width < ROOMY else [whole, short]


def bar_line(view: GaugeView, width: int, pen: Pen) -> Line:
    """The bar, one row."""
    return Line(bar_spans(view, width, pen), pen.blank)


def bar_spans(view: GaugeView, width: int, pen: Pen) -> tuple[Span, ...]:
    """The bar as styled text, exactly `width` cells."""
    if pen.letters:
        row = letters(view.parts, view.window, view.reserve, width)
        return tuple(pen(LETTERS[part], _letter_token(part)) for part in row)
    name = pen.ink.palette.name
    return tuple(_cell(cell, name) for cell in bar(view.parts, view.window, view.reserve, width))


def _letter_token(part: PartName) -> Token:
    if part == "over":
        return "danger"
    return "text3" if part in ("free", "reserve") else "text2"


def _cell(cell: BarCell, palette: str) -> Span:
    if cell.right is not None:
        return _EIGHTHS[cell.eighths], tinted(palette, cell.left, cell.right)
    if cell.left == "reserve":
        return "░", tinted(palette, "reserve", "free")
    return "█", tinted(palette, cell.left, "free")


def marks_line(view: GaugeView, width: int, pen: Pen) -> Line:
    """The digits under the bar, and where it ends."""
    columns = mark_columns(view.marks, view.window, width)
    spans: list[Span] = []
    at = 0
    for mark in sorted(view.marks, key=lambda mark: columns[mark.number]):
        column = columns[mark.number]
        spans += [pen(" " * (column - at)), mark_digit(mark, pen)]
        at = column + 1
    end = pen(pen.say("gauge.end"), "text3")
    if at < width - width_of((end,)):
        spans += [pen(" " * (width - at - width_of((end,)))), end]
    return Line(tuple(spans), pen.blank)


def mark_digit(mark: Mark, pen: Pen) -> Span:
    """A mark's number in the colour of where it stands."""
    if mark.passed:
        return pen(str(mark.number), PASSED[mark.number])
    if mark.next:
        return pen(str(mark.number), "accent", bold=True)
    return pen(str(mark.number), "text2")


def legend(view: GaugeView, width: int, pen: Pen, columns: int = 2) -> list[Line]:
    """What the bar's colours mean, with their numbers, which add up to the window."""
    sizes = dict(view.parts.named()) | {"reserve": view.reserve, "free": view.free}
    cells = (width - _GAP * (columns - 1)) // columns
    lines: list[Line] = []
    for first in range(0, len(_LEGEND), columns):
        spans: list[Span] = []
        for part in _LEGEND[first : first + columns]:
            if spans:
                spans.append(pen(" " * _GAP))
            value = tokens(sizes[part])
            name = pen.say(cast("Key", f"gauge.part_{part}"))
            spans += [
                swatch(part, pen),
                pen(to_left(f" {name}", cells - 1 - len(value)), "text2"),
                pen(value, "text"),
            ]
        lines.append(Line(tuple(spans), pen.blank))
    return lines


def swatch(part: PartName, pen: Pen) -> Span:
    """One cell in the colour of a part; a letter where there are no colours."""
    if pen.letters:
        return pen(LETTERS[part], _letter_token(part))
    if part == "reserve":
        return "░", tinted(pen.ink.palette.name, "reserve", "free")
    if part == "free":
        return pen(pen.glyphs.empty, "line2")
    return pen.tint(pen.glyphs.full, part)


def right_cell(text: str, width: int, pen: Pen, token: Token, *, bold: bool = False) -> Span:
    """A figure at the right of its column."""
    return pen(to_right(text, width), token, bold=bold)
