"""Tool cards: one row a call, a second one where something needs saying, a body when opened.

Columns are those of STYLE 3: status, tool 16, argument, time 7, size 9. A focused card lies on
`accent_bg`, where labels are raised one tier.
"""

from enum import IntEnum
from urllib.parse import quote

from rich.cells import cell_len

from app.events import DiffLine
from app.view.items import CardItem, FoldItem, MoreClearedItem
from widgets.ink import Ink, duration
from widgets.palette import Token
from widgets.rows import clip, clip_name, clip_path
from widgets.spans import Line, Span, clip_spans, joined, width_of, wrap_spans

TOOL, TIME, SIZE = 16, 7, 9
"""Widths of the columns (STYLE 3)."""

BODY = 12
"""Rows of an opened card before the rest is counted (STYLE 7)."""

MOST_ROWS = 3_000
"""Rows of a card at most, however long its result is."""

_TEXT = 3
"""Where the second row begins: under the tool."""

_NUMBER = 7
"""Where a diff's line numbers end."""


class Stage(IntEnum):
    """How far a card is opened; Enter goes from one to the next and round again."""

    CLOSED = 0
    SOME = 1
    ALL = 2


def opens_by_itself(card: CardItem) -> bool:
    """A small edit is shown without being asked for."""
    return 0 < len(card.diff) <= BODY


def card_lines(
    card: CardItem, ink: Ink, width: int, stage: Stage, *, focused: bool, root: str = ""
) -> list[Line]:
    """Draws a card; `root`: address of the folder its file's path begins in, for links."""
    on: Token = "accent_bg" if focused else "raised"
    lines = [card_row(card, ink, width, 0.0, focused=focused)]
    fill = ink.style("text", on)
    room = width - _TEXT - 1
    for span in _said(card, ink, on):
        lines.extend(Line((("   ", fill), *row), fill) for row in wrap_spans([span], room)[:BODY])
    if card.state == "offloaded" and card.path:
        lines.append(Line((("   ", fill), *_file(card, ink, room, on, root)), fill))
    if card.quoted:
        said = ink.words("transcript.card_quoted", dot=ink.glyphs.dot)
        spans = (ink.span(f"{ink.glyphs.restore} ", "accent", on), ink.span(said, "text3", on))
        cut = clip_spans(spans, room, ink.span(ink.ellipsis, "text3", on))
        lines.append(Line((("   ", fill), *cut), fill))
    if stage is not Stage.CLOSED:
        lines.extend(_body(card, ink, width, stage, "raised"))
    return lines


def card_row(card: CardItem, ink: Ink, width: int, seconds: float, *, focused: bool) -> Line:
    """A card's first row; `seconds`: how long it has been running."""
    on: Token = "accent_bg" if focused else "raised"
    blank = ink.style("text", on)
    glyph = _glyph(card, ink, on, seconds)
    cleared = card.state == "cleared"
    quiet = cleared or card.status in ("refused", "stopped", "interrupted")
    pin = [ink.span(f"{ink.glyphs.pinned} ", "accent", on)] if card.pinned else []
    tool = clip(card.tool, TOOL - 1, ink.ellipsis)
    column = _column(tool, max(TOOL - width_of(pin), cell_len(tool) + 1))
    right = _cleared(card, ink, on) if cleared else _right(card, ink, on, seconds)
    room = max(1, width - 4 - width_of(pin) - cell_len(column) - width_of(right) - 1)
    subject = _subject(card.subject, room, ink.ellipsis)
    left = [
        (" ", blank),
        glyph,
        (" ", blank),
        *pin,
        ink.span(column, "text3" if quiet else "text2", on),
        ink.span(subject, "text3" if quiet else "text", on),
    ]
    gap = width - width_of(left) - width_of(right) - 1
    return Line((*left, (" " * max(1, gap), blank), *right, (" ", blank)), blank)


def card_seconds(card: CardItem, now: float) -> float:
    """How long a card has been running."""
    return now - card.started if card.status == "running" else 0.0


def fold_line(fold: FoldItem, ink: Ink, width: int, *, focused: bool) -> Line:
    """A folded burst: `✓ 9 calls  read_file ×6, search_files ×3  4.1s`."""
    on: Token = "accent_bg" if focused else "raised"
    blank = ink.style("text", on)
    names = [
        [ink.span(f"{name} {ink.glyphs.times}{count}", "text2", on)] for name, count in fold.tools
    ]
    spans = [
        (" ", blank),
        ink.span(ink.glyphs.ok, "ok", on),
        (" ", blank),
        ink.span(ink.words("transcript.calls", n=fold.count), "text2", on),
        ("  ", blank),
        *joined(names, ink.span(", ", "text2", on)),
    ]
    time = ink.span(f"  {duration(fold.seconds)}", "text3", on)
    room = width - 1 - cell_len(time[0])
    cut = clip_spans(spans, room, ink.span(ink.ellipsis, "text2", on))
    return Line((*cut, time), blank)


def more_cleared_line(item: MoreClearedItem, ink: Ink, width: int, *, focused: bool) -> Line:
    """`6 more cleared  Enter list`, under the first three of many (STYLE 14)."""
    on: Token = "accent_bg" if focused else "bg"
    words = ink.words
    does = words("transcript.enter_fold") if item.open else words("transcript.enter_list")
    spans = [
        ink.span(f"  {ink.words('transcript.more_cleared', n=item.count)}", "text3", on),
        ink.span("  Enter ", "text2", on),
        ink.span(does, "text3", on),
    ]
    cut = clip_spans(spans, width, ink.span(ink.ellipsis, "text3", on))
    return Line(cut, ink.style("text", on))


def _glyph(card: CardItem, ink: Ink, on: Token, seconds: float) -> Span:
    if card.state == "cleared":
        return ink.span(ink.glyphs.cleared, "text3", on)
    match card.status:
        case "running":
            return ink.span(ink.glyphs.frame(seconds), "accent", on)
        case "ok":
            return ink.span(ink.glyphs.ok, "ok", on)
        case "waiting":
            return ink.span(ink.glyphs.attention, "warn", on)
        case "failed":
            return ink.span(ink.glyphs.failed, "danger", on)
        case "unknown":
            return ink.span(" ", "text3", on)
        case _:
            return ink.span(ink.glyphs.failed, "text3", on)


def _cleared(card: CardItem, ink: Ink, on: Token) -> list[Span]:
    """A cleared card says so in place of time and size, and how to have it back."""
    said = ink.words("transcript.card_cleared")
    if card.quoted or not card.message:
        return [ink.span(_column(said, TIME + SIZE, right=True), "text3", on)]
    return [
        ink.span(f"{said} {ink.glyphs.dot} ", "text3", on),
        ink.span("b", "text2", on),
        ink.span(f" {ink.words('transcript.bring_back')}", "text3", on),
    ]


def _file(card: CardItem, ink: Ink, room: int, on: Token, root: str) -> tuple[Span, ...]:
    """`⇲ 48,213 chars → .haima/…/007-search_files.txt`; the path is a link (OSC 8)."""
    lead = (
        ink.span(f"{ink.glyphs.offloaded} ", "accent", on),
        ink.span(
            ink.words("transcript.card_file", n=card.moved, arrow=ink.glyphs.arrow) + " ",
            "text3",
            on,
        ),
    )
    path, style = ink.span(clip_path(card.path, room - width_of(lead), ink.ellipsis), "text3", on)
    if root:
        style = style.update_link(f"{root}/{quote(card.path)}")
    return (*lead, (path, style))


def _right(card: CardItem, ink: Ink, on: Token, seconds: float) -> list[Span]:
    """Time and size, each at the right of its column."""
    match card.status:
        case "running":
            time, size, tone = duration(seconds), ink.ellipsis, "accent"
        case "waiting":
            time, size, tone = ink.words("transcript.waits"), "", "text3"
        case "stopped":
            time, size, tone = ink.words("transcript.card_stopped"), "", "text3"
        case "interrupted":
            said = ink.words("transcript.card_interrupted")
            return [ink.span(_column(said, TIME + SIZE, right=True), "text3", on)]
        case "refused":
            time, size, tone = "", "", "text3"
        case "unknown":
            time, size, tone = "", _size(card), "text3"
        case _:
            time, size, tone = duration(card.seconds), _size(card), "text3"
    first: Token = "accent" if tone == "accent" else "text3"
    return [
        ink.span(_column(time, TIME, right=True), first, on),
        ink.span(_column(size, max(SIZE, cell_len(size) + 1), right=True), "text3", on),
    ]


def _size(card: CardItem) -> str:
    """Characters of the result, or lines of an edit."""
    if card.status == "ok" and (card.added or card.removed):
        parts = (f"+{card.added}" if card.added else "", f"-{card.removed}" if card.removed else "")
        return " ".join(part for part in parts if part)
    return f"{card.characters:,}"


def _said(card: CardItem, ink: Ink, on: Token) -> list[Span]:
    """The rows below the first, where something needs saying."""
    said: list[Span] = []
    match card.status:
        case "failed" if card.reason:
            quiet = card.state == "cleared"
            said.append(ink.span(card.reason, "text3" if quiet else "danger", on))
        case "waiting":
            said.append(ink.span(ink.words("transcript.needs_approval"), "warn", on))
        case "refused":
            said.append(ink.span(card.reason or ink.words("transcript.refused"), "text3", on))
        case _:
            pass
    if card.cut:
        sentence = ink.words("transcript.card_cut", reason=card.cut)
        said.append(ink.span(f"{ink.glyphs.attention} {sentence}", "warn", on))
    if card.state == "offloaded" and not card.path:
        glyph = ink.glyphs.offloaded
        text = ink.words("transcript.card_offloaded", glyph=glyph, n=card.characters)
        said.append(ink.span(text, "text2", on))
    return said


def _body(card: CardItem, ink: Ink, width: int, stage: Stage, on: Token) -> list[Line]:
    """The result, or the edit, under the row."""
    whole = stage is Stage.ALL
    most = MOST_ROWS if whole else BODY
    fill = ink.style("text", on)
    rows: list[Line] = []
    texts = _texts(card)
    sources = len(card.diff) or len(texts)
    done = 0
    if card.diff:
        for line in card.diff:
            if len(rows) >= most:
                break
            rows.extend(_diff_rows(line, ink, width, on, whole=whole))
            done += 1
    elif card.body:
        room = width - _TEXT - 1
        for text in texts:
            if len(rows) >= most:
                break
            span = ink.span(text.expandtabs(4), "text2", on)
            rows.extend(
                Line((("   ", fill), *piece), fill) for piece in wrap_spans([span], room, code=True)
            )
            done += 1
    rows = rows[:most]
    if done < sources:
        more = ink.words("transcript.more_lines", n=sources - done)
        said = [ink.span(f"   {ink.ellipsis} {more}", "text3", on)]
        if not whole:
            said.append(ink.span(f"  {ink.words('transcript.enter_all')}", "text3", on))
        rows.append(Line(tuple(said), fill))
    return rows


def _texts(card: CardItem) -> list[str]:
    """The result's lines; the newline at its end begins no other one."""
    return card.body.removesuffix("\n").split("\n")


def next_stage(card: CardItem, stage: Stage) -> Stage:
    """Where Enter leads: closed, some rows, all of them where some are hidden, closed again."""
    if not (card.diff or card.body):
        return Stage.CLOSED
    match stage:
        case Stage.CLOSED:
            return Stage.SOME
        case Stage.SOME:
            lines = len(card.diff) or len(_texts(card))
            return Stage.ALL if lines > BODY or len(card.body) > BODY * 60 else Stage.CLOSED
        case _:
            return Stage.CLOSED


def _diff_rows(line: DiffLine, ink: Ink, width: int, on: Token, *, whole: bool) -> list[Line]:
    """One line of an edit: number, sign and tint; cut unless everything is to be seen."""
    tint, sign, tone = _DIFF[line.sign]
    tint = tint or on
    fill = ink.style("text", tint)
    head = (
        ink.span(f"{line.number:>{_NUMBER}} ", "text3", tint),
        ink.span(f"{line.sign} ", sign, tint, bold=line.sign != " "),
    )
    text = ink.span(line.text.expandtabs(4), tone, tint)
    room = width - width_of(head)
    if whole:
        rest = ink.span(" " * (_NUMBER + 3), "text3", tint)
        pieces = wrap_spans([text], room, code=True)
        return [
            Line((*(head if first else (rest,)), *piece), fill)
            for first, piece in ((index == 0, piece) for index, piece in enumerate(pieces))
        ]
    cut = clip_spans([text], room, ink.span(ink.ellipsis, tone, tint))
    return [Line((*head, *cut), fill)]


_DIFF: dict[str, tuple[Token | None, Token, Token]] = {
    "+": ("ok_bg", "ok", "text"),
    "-": ("danger_bg", "danger", "text"),
    " ": (None, "text3", "text3"),
}
"""Tint, colour of the sign, colour of the words."""


def _subject(subject: str, room: int, ellipsis: str) -> str:
    """One row of it; a path keeps its end (STYLE 3)."""
    first, _, more = subject.partition("\n")
    first = first.expandtabs(4)
    if more:
        first = f"{first} {ellipsis}"
    return clip_name(first, room, ellipsis)


def _column(text: str, width: int, *, right: bool = False) -> str:
    pad = " " * max(0, width - cell_len(text))
    return pad + text if right else text + pad
