"""The tables of `/context`: composition, largest items, meter (STYLE 14)."""

from collections.abc import Sequence
from typing import cast

from rich.cells import cell_len

from app.boundary import visible
from app.text import Key
from app.text.numbers import ratio, share, tokens
from app.view.context_view import (
    COMPOSITION_PARTS,
    ITEM_PARTS,
    CompositionRow,
    ContextReport,
    LargestItem,
)
from app.view.gauge import GaugeView
from widgets.cjk_wrap import wrap
from widgets.gauge_lines import right_cell, swatch
from widgets.palette import Token
from widgets.pen import Pen, to_left
from widgets.rows import clip
from widgets.spans import Line, Span, width_of

_ITEMS, _TOKENS, _SHARE = 8, 9, 7
_TOOL = 16
"""Cells of a tool's name (STYLE 14)."""


def composition_lines(view: GaugeView, report: ContextReport, width: int, pen: Pen) -> list[Line]:
    """What the window is filled with, by kind; what is left of it last."""
    heads = (("context.items", _ITEMS), ("context.tokens", _TOKENS), ("context.share", _SHARE))
    rows = [row for row in report.composition if row.items or row.tokens]
    rows += [CompositionRow("reserve", 0, view.reserve), CompositionRow("free", 0, view.free)]
    title = to_left(pen.say("context.composition"), width - _ITEMS - _TOKENS - _SHARE)
    named = (right_cell(pen.say(cast("Key", key)), cells, pen, "text3") for key, cells in heads)
    return [
        Line((pen(title, "text3"), *named), pen.blank),
        *(_kind(row, view.window, width, pen) for row in rows),
    ]


def _kind(row: CompositionRow, window: int, width: int, pen: Pen) -> Line:
    name = pen.say(cast("Key", f"context.kind_{row.kind}"))
    return Line(
        (
            swatch(COMPOSITION_PARTS[row.kind], pen),
            pen(to_left(f" {name}", width - 1 - _ITEMS - _TOKENS - _SHARE), "text2"),
            right_cell(str(row.items) if row.items else "", _ITEMS, pen, "text3"),
            right_cell(tokens(row.tokens), _TOKENS, pen, "text"),
            right_cell(share(row.tokens, window), _SHARE, pen, "text3"),
        ),
        pen.blank,
    )


def sentence_lines(view: GaugeView, report: ContextReport, width: int, pen: Pen) -> list[Line]:
    """Why nothing is cleared although the first mark is passed; nothing where that isn't so."""
    row = next(row for row in view.windows if row.size == view.window)
    gain = row.limits.min_gain
    clearable = report.clearable
    if clearable is None or row.due or view.used < row.limits.clear or clearable >= gain:
        return []
    text = pen.say("context.clear_waits", clearable=tokens(clearable), gain=tokens(gain))
    return [
        Line((pen(part[start:end].rstrip(), "text3"),), pen.blank)
        for part in text.split("\n")
        for start, end in wrap(part, width)
    ]


def largest_lines(
    items: Sequence[LargestItem], width: int, rows: int, pen: Pen, *, at: int, lit: bool
) -> list[Line]:
    """The largest items; the cursor's row is always among them.

    Args:
        items: largest first.
        width: cells.
        rows: how many there is room for, without the head.
        pen: what they are drawn with.
        at: the item under the cursor.
        lit: whether the focus is here.
    """
    title = to_left(pen.say("context.largest"), width - _TOKENS - _SHARE)
    head = Line(
        (
            pen(title, "text3"),
            right_cell(pen.say("context.tokens"), _TOKENS, pen, "text3"),
            right_cell(pen.say("context.turn"), _SHARE, pen, "text3"),
        ),
        pen.blank,
    )
    if not items:
        return [head, Line((pen(f"  {pen.say('context.nothing')}", "text3"),), pen.blank)]
    room = rows if len(items) <= rows else rows - 1
    first = max(0, min(at - room + 1, len(items) - room))
    shown = range(first, min(len(items), first + room))
    lines = [head]
    lines += [_item(items[index], width, pen, on=index == at, lit=lit) for index in shown]
    if rest := len(items) - len(shown):
        lines.append(Line((pen(f"  {pen.say('list.more', n=rest)}", "text3"),), pen.blank))
    return lines


def _item(item: LargestItem, width: int, pen: Pen, *, on: bool, lit: bool) -> Line:
    if on:
        pen = pen.upon("accent_bg" if lit else "raised")
    cursor = pen(f"{pen.glyphs.cursor} " if on else "  ", "accent" if lit else "text3")
    room = width - 4 - _TOOL - _TOKENS - _SHARE
    ellipsis = pen.glyphs.ellipsis
    name = clip(_name(item, pen), _TOOL - 1, ellipsis)
    subject = clip(_subject(item, pen), room, ellipsis)
    bright: Token = "text" if on else "text2"
    turn = "-" if pen.letters else "—"
    return Line(
        (
            cursor,
            swatch(ITEM_PARTS[item.kind], pen),
            pen(" "),
            pen(to_left(name, _TOOL), bright),
            pen(to_left(subject, room), "text2"),
            right_cell(tokens(item.tokens), _TOKENS, pen, "text"),
            right_cell(turn if item.turn is None else str(item.turn), _SHARE, pen, "text3"),
        ),
        pen.blank,
    )


def _name(item: LargestItem, pen: Pen) -> str:
    if item.kind in ("call", "result"):
        return visible(item.tool)
    return pen.say(cast("Key", f"context.item_{item.kind}"))


def _subject(item: LargestItem, pen: Pen) -> str:
    if item.kind == "tools":
        return pen.say("context.schemas", n=item.count)
    subject = " ".join(visible(item.subject).split())
    if item.kind == "call":
        return pen.say("context.arguments", subject=subject).strip()
    return subject


def meter_line(report: ContextReport, width: int, pen: Pen) -> Line:
    """Where the number is from and how good it is."""
    meter = report.meter
    how: tuple[Span, ...]
    if meter.anchored:
        since = pen.say("context.anchored_to", tokens=tokens(meter.since))
        how = pen(pen.say("context.anchored"), "text"), pen(f" {since}", "text2")
    else:
        until = pen.say("context.estimated_until")
        how = pen(pen.say("context.estimated"), "info"), pen(f" {until}", "text2")
    left = (pen(f"{pen.say('context.meter')}  ", "text3"), *how)
    for right in _error(report, pen):
        if width_of(left) + 2 + width_of(right) <= width:
            return pen.spread(width, left, right)
    return pen.spread(width, left)


def _error(report: ContextReport, pen: Pen) -> list[tuple[Span, ...]]:
    """The meter's error, the longest form first."""
    meter = report.meter
    if not meter.calls:
        return []
    blanks = {"n": meter.calls, "median": ratio(meter.median), "worst": ratio(meter.worst)}
    factor = pen(f"  {pen.glyphs.times} {meter.ratio:.2f}", "text3")
    long = pen.filled("context.error", **blanks)
    short = pen.filled("context.error_short", **blanks)
    return [(*long, factor), long, short]


def columns_beside(
    left: Sequence[Line], right: Sequence[Line], width: int, gap: int, pen: Pen
) -> list[Line]:
    """Two columns of lines; the left one is `width` cells wide."""
    lines: list[Line] = []
    for index in range(max(len(left), len(right))):
        first = left[index] if index < len(left) else Line()
        second = right[index] if index < len(right) else Line()
        cells = sum(cell_len(text) for text, _ in first.spans)
        lines.append(
            Line((*first.spans, pen(" " * (width - cells + gap)), *second.spans), pen.blank)
        )
    return lines
