"""The windows beside each other: what the present history would mean in each (STYLE 14)."""

from collections.abc import Sequence

from app.text.numbers import tokens
from app.view.gauge import GaugeView
from app.view.gauge_windows import RulerPart, WindowRow, ruler
from widgets.palette import Token
from widgets.pen import Pen, to_left, to_right
from widgets.spans import Line, Span, clip_spans, joined, width_of

ROOMY = 48
"""Cells from which on the percentage always stands at the right edge."""

_MARK, _LABEL = 2, 5
_NARROW, _WIDE = (7, 10, 7), (8, 11, 12)
_PERCENT = 5
"""Cells of the percentage at the right edge."""


def windows_block(view: GaugeView, width: int, pen: Pen) -> list[Line]:
    """The head, and a row for each window; the row under the cursor is lit."""
    columns = _WIDE if width >= ROOMY else _NARROW
    cells = width - _MARK - _LABEL - sum(columns)
    titles = (pen.say("gauge.clear"), pen.say("gauge.summarise"), pen.say("gauge.now"))
    head = to_left(pen.say("gauge.windows"), _MARK + _LABEL + cells) + "".join(
        to_right(title, column) for title, column in zip(titles, columns, strict=True)
    )
    rows = [
        _row(row, cells, columns, pen.upon("accent_bg") if row.chosen else pen)
        for row in view.windows
    ]
    return [Line((pen(head, "text3"),), pen.blank), *rows]


def _row(row: WindowRow, cells: int, columns: tuple[int, int, int], pen: Pen) -> Line:
    label: Token = "accent" if row.active else "text2"
    clear, summary, now = columns
    limits = row.limits
    return Line(
        (
            pen(f"{pen.glyphs.current} " if row.active else " " * _MARK, "accent"),
            pen(to_left(row.label, _LABEL), label, bold=row.active),
            *_ruler(row, cells, pen),
            _figure(row, limits.clear, clear, pen),
            _figure(row, limits.summary, summary, pen),
            *_now(row, now, pen),
        ),
        pen.blank,
    )


def _figure(row: WindowRow, mark: int, width: int, pen: Pen) -> Span:
    passed: Token = "text3" if row.used >= mark else "text2"
    token: Token = "accent" if row.active else passed
    return pen(to_right(tokens(mark), width), token, bold=row.active)


def _ruler(row: WindowRow, cells: int, pen: Pen) -> list[Span]:
    glyphs = pen.glyphs
    drawn = {"used": glyphs.heavy, "half": glyphs.half, "left": glyphs.rule}
    spans: list[Span] = []
    for part in ruler(row, cells):
        if part in ("clear", "summary"):
            spans.append(_digit(row, part, pen))
        elif part == "left":
            spans.append(pen(drawn[part], "line2"))
        elif row.active:
            spans.append(pen(drawn[part], "accent"))
        else:
            spans.append(pen.tint(drawn[part], "results"))
    return spans


def _digit(row: WindowRow, part: RulerPart, pen: Pen) -> Span:
    if part == "clear":
        return pen("1", "text3" if row.used >= row.limits.clear else "text2")
    passed = row.used >= row.limits.summary
    return pen("4", "warn" if passed else "text2", bold=passed)


def _now(row: WindowRow, width: int, pen: Pen) -> tuple[Span, ...]:
    due = _due(row, pen)
    if width == _NARROW[2]:
        shown = due or _percent(row, pen)
        return pen(" " * (width - width_of((shown,)))), shown
    share = _percent(row, pen)
    gap = " " * (_PERCENT - width_of((share,)))
    before = width - _PERCENT - (width_of((due,)) if due else 0)
    return (pen(" " * before), *((due,) if due else ()), pen(gap), share)


def _due(row: WindowRow, pen: Pen) -> Span | None:
    if not row.due:
        return None
    sign = due_sign(row, pen)
    return f"{sign[0]} {pen.say('gauge.due_word')}", sign[1]


def due_sign(row: WindowRow, pen: Pen) -> Span:
    """The sign of what would happen before the next call."""
    if row.due == "summary":
        return pen(pen.glyphs.summary, "warn")
    return pen(pen.glyphs.cleared, "text2")


def _percent(row: WindowRow, pen: Pen) -> Span:
    if row.used > row.size:
        return pen(f"{row.percent}%", "danger", bold=row.active)
    return pen(f"{row.percent}%", "accent" if row.active else "text2", bold=row.active)


def windows_row(view: GaugeView, width: int, pen: Pen) -> Line:
    """All of them in one row, for a panel with little height (STYLE 14)."""
    title = (pen("w ", "text2"), pen(pen.say("gauge.windows_short"), "text3"))
    for gap, shares in (("  ", True), (" ", True), ("  ", False), (" ", False)):
        parts = [title, *(_short(row, pen, shares=shares) for row in view.windows)]
        spans = joined(parts, pen(gap))
        if width_of(spans) <= width:
            break
    return Line(clip_spans(spans, width, pen(pen.glyphs.ellipsis, "text3")), pen.blank)


def _short(row: WindowRow, pen: Pen, *, shares: bool) -> Sequence[Span]:
    if row.chosen:
        pen = pen.upon("accent_bg")
    label = pen(row.label, "accent" if row.active else "text3", bold=row.active)
    if row.due:
        return label, pen(" "), due_sign(row, pen)
    if row.active or not shares:
        return (label,)
    return label, pen(" "), _percent(row, pen)
