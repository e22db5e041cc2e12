"""How a file's lines are drawn: number, text, hits in it, what was cut off its end (mock 15)."""

import re
from dataclasses import dataclass

from rich.cells import cell_len

from app.text import Key
from app.view.file_pages import Page
from app.view.file_window import FileLine
from widgets.cjk_wrap import fold
from widgets.palette import Token
from widgets.pen import Pen, to_right
from widgets.spans import BLANK_LINE, Line, Span

_GUTTER = 7
"""Cells of a line's number at least: the text stands still below a million lines."""

_GAP = "  "
_LEVEL_WITHIN = 80
_ERROR = re.compile(r"(?<![A-Z_])(?:ERROR|FATAL|SEVERE|CRITICAL)(?![A-Za-z_])")
_DEBUG = re.compile(r"(?<![A-Z_])(?:DEBUG|TRACE)(?![A-Za-z_])")


@dataclass(frozen=True, slots=True)
class Marks:
    """What is marked on a page.

    Attributes:
        lit: whether the focus is here.
        selected: first and last offset of the selected lines; None: none are.
        pattern: finds the hits to be shown.
        nothing: what is said where there are no lines.
    """

    lit: bool = True
    selected: tuple[int, int] | None = None
    pattern: re.Pattern[str] | None = None
    nothing: Key = "viewer.empty"


def page_lines(page: Page, marks: Marks, width: int, pen: Pen) -> list[Line]:
    """The lines in view."""
    if not page.lines:
        return [BLANK_LINE, Line((pen(_GAP + pen.say(marks.nothing), "text2"),), pen.blank)]
    last = 0 if page.number is None else page.number + len(page.lines) - 1
    gutter = max(_GUTTER, len(f"{last:,}"))
    drawn = []
    for index, line in enumerate(page.lines):
        number = pen.glyphs.about if page.number is None else f"{page.number + index:,}"
        on = index == page.at
        low, high = marks.selected or (1, 0)
        selected = low <= line.start <= high
        here = pen
        if on or selected:
            here = pen.upon("accent_bg" if marks.lit else "raised")
        cursor = here(pen.glyphs.cursor if on else " ", "accent" if marks.lit else "text3")
        lead = (cursor, here(to_right(number, gutter), "text3"), here(_GAP))
        drawn.append(_drawn(line, lead, width - 1 - gutter - len(_GAP), marks.pattern, here))
    return drawn


def _drawn(
    line: FileLine,
    lead: tuple[Span, ...],
    room: int,
    pattern: re.Pattern[str] | None,
    pen: Pen,
) -> Line:
    tone = tone_of(line.text)
    end, note = cut(line, room, pen)
    text = line.text[:end]
    spans = [*lead, *_with_hits(text, tone, pattern, pen)]
    if not note:
        return Line(tuple(spans), pen.blank)
    ellipsis = pen.glyphs.ellipsis
    hidden = pattern is not None and any(hit.end() > end for hit in pattern.finditer(line.text))
    spans.append(_hit(ellipsis, pen) if hidden else pen(ellipsis, tone))
    gap = room - cell_len(text) - cell_len(ellipsis) - cell_len(note)
    return Line((*spans, pen(" " * gap), pen(note, "text3")), pen.blank)


def tone_of(text: str) -> Token:
    """A line that tells of an error is drawn as one; one that only helps to debug is faint."""
    beginning = text[:_LEVEL_WITHIN]
    if _ERROR.search(beginning):
        return "danger"
    return "text2" if _DEBUG.search(beginning) else "text"


def cut(line: FileLine, room: int, pen: Pen) -> tuple[int, str]:
    """How many characters of a line are shown, and what is said of the rest; "": all are."""
    text = line.text
    if not line.more and not line.at_least and fitting(text, room) == len(text):
        return len(text), ""
    end, note = len(text), ""
    for _ in range(3):
        hidden = line.hidden(end)
        number: object = 1 if hidden == 1 else f"{hidden:,}"
        note = pen.say("viewer.cut_least" if line.at_least else "viewer.cut", n=number)
        end = fitting(text, room - cell_len(note) - len(_GAP) - cell_len(pen.glyphs.ellipsis))
    return end, note


def fitting(text: str, cells: int) -> int:
    """How many characters of a text fit."""
    if cells <= 0:
        return 0
    if text.isascii():
        return min(len(text), cells)
    beginning = text[: 4 * cells + 64]
    start, end = fold(beginning, cells)[0]
    return end if cell_len(beginning[start:end]) <= cells else 0


def _with_hits(text: str, tone: Token, pattern: re.Pattern[str] | None, pen: Pen) -> list[Span]:
    spans, at = [], 0
    for hit in pattern.finditer(text) if pattern is not None else ():
        if hit.start() > at:
            spans.append(pen(text[at : hit.start()], tone))
        spans.append(_hit(hit[0], pen))
        at = hit.end()
    spans.append(pen(text[at:], tone))
    return spans


def _hit(text: str, pen: Pen) -> Span:
    """Bold and underlined besides the colour (STYLE 12)."""
    return text, pen.ink.palette.style("accent", pen.on, bold=True, underline=True)
