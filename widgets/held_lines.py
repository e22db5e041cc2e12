"""What left the context, drawn: the tabs, a row each, what is said under them (mock 01, 01b)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from rich.cells import cell_len

from app.text import Key
from app.text.ages import short_age
from app.text.numbers import in_k, tokens
from app.view.held import TABS, HeldItem, HeldModel, HeldTab, TabName
from widgets.cjk_wrap import wrap
from widgets.palette import Token
from widgets.pen import Pen, to_left, to_right
from widgets.rows import clip, clip_name
from widgets.spans import BLANK_LINE, Line, Span, clip_spans, width_of

TOOL, SIZE, AGE = 16, 7, 3
"""Cells of the columns; an age has one more before it (STYLE 14)."""

_GAP = "  "

SHOWN_LINES = 12
"""Lines of a file that are shown under the list, at most."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns a list has, the same in all of its rows.

    Attributes:
        tab: which list it is.
        state: before the tool stands what became of the result.
        pin: and whether it is pinned.
        age: cells of the age, with the blank before it.
        now: the present, with the user's zone.
    """

    tab: TabName
    state: bool
    pin: bool
    age: int
    now: datetime


def columns_of(tab: TabName, items: Sequence[HeldItem], now: datetime, pen: Pen) -> Columns:
    """The columns of a list, newest first."""
    least = cell_len(pen.words("age.short_minutes", n=10))
    oldest = cell_len(short_age(items[-1].at, now, pen.words)) if items else 0
    return Columns(
        tab=tab,
        state=tab == "cleared" or any(item.quoted for item in items),
        pin=any(item.pinned for item in items),
        age=1 + max(AGE, least, oldest),
        now=now,
    )


def tab_spans(
    model: HeldModel, width: int, pen: Pen
) -> tuple[int, list[tuple[TabName, tuple[Span, ...]]]]:
    """Each tab's words with the number of what is in it, and how many blanks stand between them.

    Where there is no room, the blanks go first, then the numbers of the tabs that aren't shown.
    """
    tabs = _tabs(model, pen, all=True)
    for gap in (len(_GAP), 1):
        if _tabs_width(tabs, gap) <= width:
            return gap, tabs
    return 1, _tabs(model, pen, all=False)


def _tabs(model: HeldModel, pen: Pen, *, all: bool) -> list[tuple[TabName, tuple[Span, ...]]]:
    counts = model.counts
    tabs: list[tuple[TabName, tuple[Span, ...]]] = []
    for tab in TABS:
        on = tab == model.active
        name = pen(pen.say(cast("Key", f"held.{tab}")), "text" if on else "text3", bold=on)
        number = pen(f" {counts[tab]:,}", "accent" if on else "text3", bold=on)
        tabs.append((tab, (name, number) if counts[tab] and (on or all) else (name,)))
    return tabs


def _tabs_width(tabs: Sequence[tuple[TabName, tuple[Span, ...]]], gap: int) -> int:
    return sum(width_of(words) for _, words in tabs) + gap * (len(tabs) - 1)


def strip_lines(model: HeldModel, width: int, pen: Pen) -> list[Line]:
    """The tabs, and the rule under them with the active one in accent (STYLE 4)."""
    spans: list[Span] = []
    rule: list[Span] = []
    gap, tabs = tab_spans(model, width, pen)
    for tab, words in tabs:
        if spans:
            spans.append(pen(" " * gap))
            rule.append(pen(pen.glyphs.rule * gap, "line"))
        spans += words
        on = tab == model.active
        line = pen.glyphs.heavy if on else pen.glyphs.rule
        rule.append(pen(line * width_of(words), "accent" if on else "line"))
    rule.append(pen(pen.glyphs.rule * max(0, width - width_of(rule)), "line"))
    ellipsis = pen(pen.glyphs.ellipsis, "text3")
    return [Line(clip_spans(spans, width, ellipsis), pen.blank), Line(tuple(rule), pen.blank)]


def item_line(
    item: HeldItem, columns: Columns, width: int, pen: Pen, *, current: bool, lit: bool
) -> Line:
    """`▸ search_files    javax **…  48.2k  1m`; in the list of cleared ones with `∅`."""
    if current:
        pen = pen.upon("accent_bg" if lit else "raised")
    glyphs = pen.glyphs
    lead = [
        pen(f"{glyphs.cursor} " if current else _GAP, "accent" if lit else "text3"),
    ]
    if columns.state:
        held = glyphs.cleared if columns.tab == "cleared" else " "
        sign = glyphs.restore if item.quoted else held
        lead.append(pen(to_left(sign, 2), "accent" if item.quoted else "text3"))
    if columns.pin:
        lead.append(pen(to_left(glyphs.pinned if item.pinned else "", 2), "accent"))
    age = to_right(short_age(item.at, columns.now, pen.words), columns.age)
    size = to_right(in_k(item.characters), SIZE)
    room = max(1, width - width_of(lead) - TOOL - SIZE - columns.age)
    tone: Token = "text" if current else "text2"
    return Line(
        (
            *lead,
            pen(to_left(clip(item.tool, TOOL - 1, glyphs.ellipsis), TOOL), tone),
            pen(to_left(_asked(item.subject, room, glyphs.ellipsis), room), "text3"),
            pen(size, tone),
            pen(age, "text3"),
        ),
        pen.blank,
    )


def more_line(count: int, width: int, pen: Pen, *, current: bool, lit: bool) -> Line:
    """`6 more  Enter opens all` (STYLE 14)."""
    if current:
        pen = pen.upon("accent_bg" if lit else "raised")
    cursor = pen(f"{pen.glyphs.cursor} " if current else _GAP, "accent" if lit else "text3")
    said = (
        pen(pen.say("list.more", n=count), "text3"),
        pen(f"{_GAP}{pen.say('held.opens_all')}", "text3"),
    )
    return Line(clip_spans((cursor, *said), width, pen(pen.glyphs.ellipsis, "text3")), pen.blank)


def empty_lines(tab: HeldTab, width: int, pen: Pen, *, offload: int, clear: int) -> list[Line]:
    """What isn't there, and when it will be (STYLE 10).

    Args:
        tab: the list.
        width: cells.
        pen: with what.
        offload: characters from which a result goes to a file.
        clear: tokens from which results are cleared.
    """
    first = pen.say(cast("Key", f"held.no_{tab}"))
    when = pen.say(cast("Key", f"held.when_{tab}"), characters=f"{offload:,}", tokens=tokens(clear))
    return [*wrapped(first, width, pen, "text2"), *wrapped(when, width, pen, "text3")]


def sentence_lines(width: int, pen: Pen, *, clear: int, keep: int) -> list[Line]:
    """Why results were cleared, and how they come back."""
    first = pen.say("held.cleared_at", tokens=tokens(clear), n=keep)
    return [
        *wrapped(first, width, pen, "text3"),
        *wrapped(pen.say("held.cleared_how"), width, pen, "text3"),
    ]


def preview_lines(
    item: HeldItem, text: Sequence[str] | None, width: int, rows: int, pen: Pen
) -> list[Line]:
    """The file's name and its first lines.

    Args:
        item: whose file.
        text: its first lines; None: they can't be had.
        width: cells.
        rows: how many there is room for.
        pen: with what.
    """
    ellipsis = pen.glyphs.ellipsis
    if text is None:
        gone = pen(f"{_GAP}{pen.glyphs.attention} {pen.say('held.gone')}", "warn")
        return [_named(item.name, (gone,), width, pen)]
    shown = text[: min(max(0, rows - 1), SHOWN_LINES)]
    last = len(shown)
    dash = "-" if pen.letters else "–"
    span = f"1{dash}{last}" if last > 1 else str(last)
    said = pen.say("held.lines", span=span, n=f"{item.lines:,}") if last else ""
    head = _named(item.name, (pen(f"{_GAP}{said}", "text3"),), width, pen)
    body = (Line((pen(clip(line, width, ellipsis), "text3"),), pen.blank) for line in shown)
    return [head, *body]


def wrapped(text: str, width: int, pen: Pen, tone: Token) -> list[Line]:
    """Words over as many rows as they take."""
    return [
        Line((pen(text[start:end].rstrip(), tone),), pen.blank) if end > start else BLANK_LINE
        for start, end in wrap(text, max(1, width))
    ]


def _named(name: str, after: tuple[Span, ...], width: int, pen: Pen) -> Line:
    room = max(1, width - width_of(after))
    return Line((pen(clip(name, room, pen.glyphs.ellipsis), "text2"), *after), pen.blank)


def _asked(subject: str, room: int, ellipsis: str) -> str:
    """One row of what was asked; a path keeps its end, where there is room for more than that."""
    cut = clip_name if room >= TOOL else clip
    return cut(subject, room, ellipsis)
