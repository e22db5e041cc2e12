"""What the agent is told of the work, drawn: the Work tab and the Work view (mock 01b, 10)."""

from dataclasses import dataclass
from datetime import datetime

from rich.cells import cell_len

from app.text import Key
from app.text.ages import short_age
from app.view.work_groups import Group
from app.view.work_rows import (
    EntitiesHead,
    EntityRow,
    GoalRow,
    GroupHead,
    MoreRow,
    NamesRow,
    ProgressRow,
    RuleRow,
    RulesHead,
    Sentence,
    TaskRow,
    Title,
    WorkRow,
)
from widgets.cjk_wrap import wrap
from widgets.palette import Token
from widgets.paragraph import first_lines, paragraph, plain
from widgets.pen import Pen, to_left, to_right
from widgets.rows import clip, clip_path
from widgets.spans import BLANK_LINE, Line, Span, width_of, wrap_spans

_LEAD = 2
_AGE, _AGE_VIEW = 5, 7
"""Cells of an age with the blanks before it."""

_NAMES = 3
"""Lines of names that are told without more."""

_HEADS: dict[Group, tuple[Key, Key]] = {
    "changed": ("work_view.changed", "work_view.changed_head"),
    "files": ("work_view.files", "work_view.files_head"),
    "symbols": ("work_view.symbols", "work_view.symbols_head"),
    "commands": ("work_view.commands", "work_view.commands_head"),
    "tables": ("work_view.tables", "work_view.tables_head"),
}
"""In the tab, in the view."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """How a row is drawn.

    Attributes:
        width: cells.
        now: the present, with the user's zone.
        current: the cursor is on it.
        lit: the focus is in the list.
    """

    width: int
    now: datetime
    current: bool = False
    lit: bool = False


def work_lines(row: WorkRow, how: Drawing, pen: Pen) -> list[Line]:
    """A row's lines, at least one."""
    if how.current:
        pen = pen.upon("accent_bg" if how.lit else "raised")
    match row:
        case Title():
            return _title(row, how, pen)
        case GoalRow():
            return _goal(row, how, pen)
        case RulesHead():
            key: Key = "work_view.your_words" if row.tab else "work_view.your_words_last"
            said = () if not row.count else (pen(pen.say(key), "text3"),)
            return [_head("work_view.rules", f"{row.count:,}", said, how, pen)]
        case RuleRow():
            return _rule(row, how, pen)
        case EntitiesHead():
            return [_entities(row, how, pen)]
        case GroupHead():
            in_tab, in_view = _HEADS[row.group]
            lead = pen("  " if row.tab else "")
            name = pen(pen.say(in_tab if row.tab else in_view), "text3" if row.tab else "text2")
            return [pen.spread(how.width, (lead, name, pen(f"  {row.count:,}", "text3")))]
        case EntityRow():
            return [_entity(row, how, pen)]
        case NamesRow():
            return _names(row, how, pen)
        case ProgressRow():
            return _progress(row, how, pen)
        case TaskRow():
            return _task(row, how, pen)
        case MoreRow():
            return [_more(row, how, pen)]
        case Sentence():
            return _sentence(row, how, pen)
        case _:
            return [BLANK_LINE]


def _title(row: Title, how: Drawing, pen: Pen) -> list[Line]:
    when: Key = "work_view.when_tab" if row.tab else "work_view.when"
    return [
        pen.spread(how.width, (pen(pen.say("work_view.told"), "text", bold=True),)),
        pen.spread(how.width, (pen(pen.say(when), "text3"),)),
    ]


def _goal(row: GoalRow, how: Drawing, pen: Pen) -> list[Line]:
    right: tuple[Span, ...] = ()
    if row.tab:
        right = (pen("e", "text"), pen(f" {pen.say('work_view.edit')}", "text3"))
    elif row.text:
        said = pen.say("work_view.goal_turn", n=row.turn) if row.turn else ""
        right = (pen(said or pen.say("work_view.by_hand"), "text3"),)
    lines = [pen.spread(how.width, (*_sign(how, pen), _label("work_view.goal", pen)), right)]
    if not row.text:
        lines.append(plain(pen.say("work_view.no_goal"), "text3", pen))
    lines += paragraph(row.text, how.width, row.most, "text", pen)
    if row.first:
        first = pen.say("work_view.asked_first", text=row.first)
        lines += paragraph(first, how.width, 2, "text3", pen)
    return lines


def _rule(row: RuleRow, how: Drawing, pen: Pen) -> list[Line]:
    glyphs = pen.glyphs
    if row.revoked:
        mark, tone = pen(glyphs.cleared, "text3"), "text3"
    else:
        mark, tone = pen(glyphs.dot, "text3"), "text" if row.told else "text3"
    lead = _cursor(how, pen)
    head = (lead if how.current else pen(f"{mark[0]} ", "text3"),) if row.tab else (
        lead, mark, pen(" ")
    )  # fmt: skip
    right: list[Span] = []
    if row.revoked:
        right.append(pen(pen.say("work_view.revoked"), "text3"))
    elif not row.told:
        right.append(pen(pen.say("work_view.no_room"), "warn"))
    if row.new:
        right.append(pen(pen.say("work_view.new"), "accent"))
    if row.undo:
        right += [pen(" u", "text"), pen(f" {pen.say('work_view.undo')}", "text3")]
    if not row.tab and row.turn:
        gap = " " if right else ""
        right.append(pen(f"{gap}{pen.say('work_view.turn', n=row.turn)}", "text3"))
    room = how.width - width_of(head) - width_of(right) - bool(right)
    token: Token = "text3" if tone == "text3" else "text"
    if row.tab or cell_len(row.text) <= room:
        words = pen(clip(row.text, max(1, room), glyphs.ellipsis), token)
        return [pen.spread(how.width, (*head, words), tuple(right))]
    return _wrapped(row.text, head, tuple(right), token, how, pen)


def _wrapped(
    text: str,
    head: tuple[Span, ...],
    right: tuple[Span, ...],
    tone: Token,
    how: Drawing,
    pen: Pen,
) -> list[Line]:
    """Word for word, over as many lines as it takes; what is said at its right ends the last."""
    indent = width_of(head)
    room = max(1, how.width - indent)
    pieces = [text[start:end].rstrip() for start, end in wrap(text, room)]
    lines = [
        Line((*(head if number == 0 else (pen(" " * indent),)), pen(piece, tone)), pen.blank)
        for number, piece in enumerate(pieces)
    ]
    if right and lines[-1].cells + 1 + width_of(right) <= how.width:
        lines[-1] = pen.spread(how.width, lines[-1].spans, right)
    elif right:
        lines.append(pen.spread(how.width, (), right))
    return lines


def _entities(row: EntitiesHead, how: Drawing, pen: Pen) -> Line:
    if row.tab:
        said = pen.say("work_view.in_full", n=row.full)
    elif row.named:
        said = pen.say("work_view.full_and_names", full=row.full, names=row.named)
    else:
        said = pen.say("work_view.all_in_full")
    return _head("work_view.entities", f"{row.count:,}", (pen(said, "text3"),), how, pen)


def _entity(row: EntityRow, how: Drawing, pen: Pen) -> Line:
    one, width = row.entity, how.width
    mark, tone = _mark(row, pen)
    head = (_cursor(how, pen), pen(f"{mark} ", tone))
    age = short_age(one.at, how.now, pen.words)
    column = max(_AGE if row.tab else _AGE_VIEW, cell_len(pen.words("age.short_minutes", n=10)) + 1)
    aged = pen(to_right(age, column), "text3")
    room = width - width_of((*head, aged))
    said = _said(row, room, pen)
    left = room - width_of((said,)) - bool(said[0])
    ellipsis = pen.glyphs.ellipsis
    path = one.kind == "file"
    name = clip_path(one.name, left, ellipsis) if path else clip(one.name, left, ellipsis)
    return pen.spread(width, (*head, pen(name, "text")), (said, aged))


def _said(row: EntityRow, room: int, pen: Pen) -> Span:
    """What was done to it, as much as the name leaves room for; the name goes first."""
    one = row.entity
    name = one.name.rpartition("/")[2] if one.kind == "file" else one.name
    # Of a long name so much is worth more than a longer word behind it.
    least = min(cell_len(name), room if one.kind == "file" else room * 3 // 5)
    ways: tuple[str, ...]
    if one.outside:
        ways = (pen.say("work_view.outside_since"), pen.say("work_view.outside"))
        tone: Token = "warn"
    else:
        note = "" if row.tab or one.kind == "command" else one.note
        ways, tone = tuple(filter(None, (note, one.short))), "text3"
    for way in ways:
        if cell_len(way) + 1 + least <= room:
            return pen(way, tone)
    last = ways[-1] if ways else ""
    if last and room - least > _LEAD + 4 and not one.outside:
        return pen(clip(last, room - least - 1, pen.glyphs.ellipsis), tone)
    return pen("", tone)


def _mark(row: EntityRow, pen: Pen) -> tuple[str, Token]:
    one, glyphs = row.entity, pen.glyphs
    if one.outside:
        return glyphs.attention, "warn"
    if row.group == "changed":
        match one.changed:
            case "created":
                return "+", "accent"
            case "deleted":
                return glyphs.failed, "danger"
            case _:
                return glyphs.ok, "ok"
    if not one.ok:
        return glyphs.failed, "danger"
    return (glyphs.ok, "ok") if one.kind == "command" else (glyphs.dot, "text3")


def _names(row: NamesRow, how: Drawing, pen: Pen) -> list[Line]:
    """`5 as names only`, and which."""
    lead = pen(" " * (2 * _LEAD))
    lines: list[Line] = []
    if row.names:
        room = max(1, how.width - 2 * _LEAD)
        listed = pen.say("work_view.comma").join(row.names)
        most = len(listed) if row.open else _NAMES
        head = [_cursor(how, pen), pen(" " * _LEAD)]
        head.append(pen(pen.say("work_view.as_names", n=len(row.names)), "text3"))
        if how.current and len(first_lines(listed, room, most)) > most:
            head.append(pen(f"  {pen.say('held.opens_all')}", "text3"))
        lines.append(pen.spread(how.width, tuple(head)))
        pieces = paragraph(listed, room, most, "text3", pen)
        lines += [Line((lead, *piece.spans), pen.blank) for piece in pieces]
    if row.left:
        left = pen(pen.say("work_view.left", n=row.left), "text3")
        lines.append(Line((lead, left), pen.blank))
    return lines


def _progress(row: ProgressRow, how: Drawing, pen: Pen) -> list[Line]:
    of = row.done + row.todo
    count = (pen(f"{row.done:,}", "text"), pen(f" / {of:,}", "text3"))
    label = (*_sign(how, pen), _label("work_view.progress", pen))
    if row.tab:
        head = pen.spread(how.width, label, count)
    else:
        by = (pen(pen.say("work_view.verified_by"), "text3"),) if row.done else ()
        head = pen.spread(how.width, (*label, pen("  "), *count), by)
    return [head, _meter(row.done, of, how.width, pen)]


def _meter(done: int, of: int, width: int, pen: Pen) -> Line:
    halves = round(2 * width * done / of) if of else 0
    full, half = divmod(halves, 2)
    glyphs = pen.glyphs
    return Line(
        (
            pen(glyphs.heavy * full + glyphs.half * half, "accent"),
            pen(glyphs.rule * max(0, width - full - half), "line2"),
        ),
        pen.blank,
    )


def _task(row: TaskRow, how: Drawing, pen: Pen) -> list[Line]:
    """A piece of the work in full, and what showed that it is done."""
    glyphs = pen.glyphs
    mark, tone, said = _TASKS[row.state]
    head = (_cursor(how, pen), pen(f"{getattr(glyphs, mark)} ", tone))
    room = how.width - width_of(head)
    by = row.by
    if cell_len(by) + 1 + min(cell_len(row.text), room * 3 // 5) > room:
        by = clip(by, max(0, room * 2 // 5 - 1), glyphs.ellipsis)
    right = (pen(by, "text3"),) if by else ()
    if not row.told:
        right = (pen(pen.say("work_view.no_room"), "warn"),)
    return _wrapped(row.text, head, right, said, how, pen)


_TASKS: dict[str, tuple[str, Token, Token]] = {
    "done": ("ok", "ok", "text2"),
    "now": ("current", "accent", "text"),
    "later": ("waiting", "text3", "text2"),
}
"""Name of the glyph, its tone, the tone of the words."""


def _more(row: MoreRow, how: Drawing, pen: Pen) -> Line:
    said = pen(pen.say("list.more", n=row.count), "text3")
    opens = pen(f"  {pen.say('held.opens_all')}", "text3")
    return pen.spread(how.width, (*_sign(how, pen), said, opens))


def _sentence(row: Sentence, how: Drawing, pen: Pen) -> list[Line]:
    match row.says:
        case "nothing":
            return [
                *paragraph(pen.say("work_view.nothing"), how.width, 4, "text2", pen),
                *paragraph(pen.say("work_view.nothing_text"), how.width, 6, "text3", pen),
            ]
        case "more":
            said = pen.say("work_view.more_known", n=row.count)
            return paragraph(said, how.width, 4, "text3", pen)
        case _:
            return _checked(row, how, pen)


def _checked(row: Sentence, how: Drawing, pen: Pen) -> list[Line]:
    """What needs no second look, and the mark of what does."""
    if not row.count:
        return paragraph(pen.say("work_view.checked"), how.width, 4, "text3", pen)
    mark = f"{pen.glyphs.attention} {pen.say('work_view.outside_since')}"
    before, _, after = pen.say("work_view.checked_but", mark="\0").partition("\0")
    spans = [pen(before, "text3"), pen(mark, "warn"), pen(after, "text3")]
    return [Line(piece, pen.blank) for piece in wrap_spans(spans, how.width)]


def _head(name: Key, count: str, right: tuple[Span, ...], how: Drawing, pen: Pen) -> Line:
    return pen.spread(how.width, (_label(name, pen), pen(f"  {count}", "text2")), right)


def _label(name: Key, pen: Pen) -> Span:
    return pen(pen.say(name), "text3")


def _cursor(how: Drawing, pen: Pen) -> Span:
    """The cursor, in the cells before a mark."""
    sign = pen.glyphs.cursor if how.current else ""
    return pen(to_left(sign, _LEAD), "accent" if how.lit else "text3")


def _sign(how: Drawing, pen: Pen) -> tuple[Span, ...]:
    """The cursor before a heading, which makes room for it."""
    return (_cursor(how, pen),) if how.current else ()
