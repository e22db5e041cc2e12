"""The Memory tab, drawn: a head, two lines a fact, what is said under them (mock 01b)."""

from datetime import datetime
from typing import Final

from rich.cells import cell_len

from app.text import Key
from app.view.recalled import AuthorOf, FactNow, Left, Recalled, RecalledFact, Scope, State
from widgets.glyphs import Glyphs
from widgets.palette import Token
from widgets.pen import Pen
from widgets.rows import clip
from widgets.spans import BLANK_LINE, Line, Span, clip_spans, width_of

EACH: Final = 2
"""Lines of a fact."""

_LEAD = 2
"""Cells of a state's glyph with the blank behind it; the second line begins below the words."""

_LEAST = 8
"""Cells of a fact's words that are worth more than what stands at the right of them."""

STATE_TONES: dict[State, Token] = {
    "conflicting": "danger",
    "contradicted": "danger",
    "stale": "stale",
    "unverified": "info",
    "fresh": "ok",
}
_STATES: dict[State, Key] = {
    "conflicting": "recalled.conflicting",
    "contradicted": "recalled.contradicted",
    "stale": "recalled.stale",
    "unverified": "recalled.unverified",
    "fresh": "recalled.fresh",
}
_SCOPES: dict[Scope, Key] = {"project": "recalled.project", "global": "recalled.global"}
_LEFT: dict[Left, Key] = {
    "shown": "recalled.left_shown",
    "switched_off": "recalled.left_switched_off",
    "budget": "recalled.left_budget",
    "count": "recalled.left_count",
}
_AUTHORS: dict[AuthorOf, tuple[Key, Key, Key]] = {
    "you": ("recalled.by_you", "recalled.by_you_today", "recalled.by_you_once"),
    "model": ("recalled.by_model", "recalled.by_model_today", "recalled.by_model_once"),
    "extraction": ("recalled.taken", "recalled.taken_today", "recalled.taken_once"),
    "import": ("recalled.imported", "recalled.imported_today", "recalled.imported_once"),
}
"""Who wrote it so many days ago, today, some day."""


def state_glyph(state: State, glyphs: Glyphs) -> str:
    """What stands for a state (STYLE 5)."""
    return {
        "conflicting": glyphs.conflicting,
        "contradicted": glyphs.failed,
        "stale": glyphs.stale,
        "unverified": glyphs.unverified,
        "fresh": glyphs.ok,
    }[state]


def head_line(recalled: Recalled, width: int, pen: Pen) -> Line:
    """`injected      5  412 / 1,280 tokens`."""
    said = pen.say("recalled.head" if recalled.latest else "recalled.head_earlier")
    right = (
        pen(f"{recalled.count:,}", "text"),
        pen(f"  {recalled.tokens:,}", "text2"),
        pen(f" / {recalled.budget:,} tokens", "text3"),
    )
    return pen.spread(width, (pen(said, "text3"),), right)


def fact_lines(
    fact: RecalledFact, now: datetime, width: int, pen: Pen, *, current: bool, lit: bool
) -> tuple[Line, Line]:
    """`✓ ◆ Flyway scripts are append-only   project`, and why it is there below.

    Args:
        fact: which.
        now: the present, with the user's zone.
        width: cells.
        pen: with what.
        current: the cursor is on it.
        lit: the focus is in the list.
    """
    if current:
        pen = pen.upon("accent_bg" if lit else "raised")
    cursor = pen.glyphs.cursor if current else " "
    told, first = _first(fact, width, pen)
    below = (
        pen(cursor.ljust(_LEAD), "accent" if lit else "text3"),
        *_second(fact, now, width - _LEAD, pen, told=told),
    )
    ellipsis = pen(pen.glyphs.ellipsis, "text3")
    return first, Line(clip_spans(below, width, ellipsis), pen.blank)


def rest_lines(recalled: Recalled, pen: Pen) -> list[str]:
    """What became of the facts that have no row: a sentence each."""
    said: list[str] = []
    if recalled.more:
        said.append(pen.say("recalled.more", n=recalled.more))
    if recalled.unmatched:
        said.append(pen.say("recalled.unmatched", n=recalled.unmatched))
    return said


def empty_words(recalled: Recalled) -> tuple[Key, Key]:
    """What isn't there, and when it will be (STYLE 10)."""
    if recalled.off:
        return "recalled.off", "recalled.off_text"
    if not recalled.message:
        return "recalled.none_yet", "recalled.none_yet_text"
    if not (recalled.more or recalled.unmatched):
        return "recalled.nothing", "recalled.nothing_text"
    return "recalled.none", "recalled.none_text"


def _first(fact: RecalledFact, width: int, pen: Pen) -> tuple[bool, Line]:
    """The first line, and whether it names the state: where the words need its place, not."""
    glyphs = pen.glyphs
    glyph = pen("".ljust(_LEAD))
    right: list[Span] = []
    if fact.gone:
        glyph = pen(glyphs.cleared.ljust(_LEAD), "text3")
        right.append(pen(pen.say("recalled.gone"), "text3"))
    elif fact.state is not None:
        glyph = pen(state_glyph(fact.state, glyphs).ljust(_LEAD), STATE_TONES[fact.state])
        if fact.state != "fresh":
            right.append(pen(pen.say(_STATES[fact.state]), STATE_TONES[fact.state]))
    names_state = bool(right)
    if fact.scope is not None and not fact.gone:
        gap = " " if right else ""
        right.append(pen(f"{gap}{pen.say(_SCOPES[fact.scope])}", "text3"))
    lead = (glyph, *((pen(f"{glyphs.pinned} ", "accent"),) if fact.pinned else ()))
    room = width - width_of(lead) - width_of(right) - bool(right)
    if names_state and not fact.gone and cell_len(fact.content) > room:
        names_state = False
        scope = "".join(text for text, _ in right[1:]).strip()
        right = [pen(scope, "text3")] if scope else []
        room = width - width_of(lead) - width_of(right) - bool(right)
    while right and room < _LEAST:
        right.pop()
        room = width - width_of(lead) - width_of(right) - bool(right)
    left_out = fact.left is not None or fact.out or fact.gone
    tone: Token = "text3" if left_out else "text"
    words = pen(clip(fact.content, max(1, room), glyphs.ellipsis), tone)
    told = names_state or fact.state in (None, "fresh") or fact.gone
    return told, pen.spread(width, (*lead, words), tuple(right))


def _second(
    fact: RecalledFact, now: datetime, room: int, pen: Pen, *, told: bool
) -> tuple[Span, ...]:
    """Why it is there; before it the state, where the first line had no room for it.

    Where there is no room for both, that it was left out goes first, else its state.
    """
    if told or fact.state is None:
        return (pen(_why(fact, now, room, pen), "text3"),)
    said = pen.say(_STATES[fact.state])
    if fact.state == "contradicted" and fact.now is not None and fact.now.place:
        said = pen.say("recalled.contradicted_by", place=fact.now.place)
    state, dot = pen(said, STATE_TONES[fact.state]), pen(f" {pen.glyphs.dot} ", "text3")
    left = room - width_of((state, dot))
    why = pen(_why(fact, now, left, pen, told=False), "text3")
    if why[0] and width_of((why,)) <= left:
        return (state, dot, why)
    return (why,) if fact.out or fact.left is not None else (state,)


def _why(fact: RecalledFact, now: datetime, room: int, pen: Pen, *, told: bool = True) -> str:
    """Why it stands there, or doesn't; and what its state comes from, as far as there is room."""
    if fact.gone:
        return pen.say("recalled.gone_text")
    if fact.left == "switched_off" and not fact.out:
        return pen.say("recalled.back")
    if fact.out and fact.left != "switched_off":
        return pen.say("recalled.out")
    about = _about(fact, now, pen)
    if not told and fact.state == "contradicted":
        about = ""  # the line begins with it
    if fact.left is not None:
        why = pen.say(_LEFT[fact.left])
        both = _joined(why, about, pen)
        return both if cell_len(both) <= room else why
    if fact.why:
        listed = pen.say("recalled.quote_gap").join(
            pen.say("recalled.quote", word=word) for word in fact.why
        )
        if about:
            both = _joined(pen.say("recalled.hit_short", words=listed), about, pen)
            return both if cell_len(both) <= room else about
        return pen.say("recalled.hit" if told else "recalled.hit_short", words=listed)
    if fact.pinned:
        both = _joined(pen.say("recalled.pinned"), about, pen)
        return both if cell_len(both) <= room or not about else about
    return about or _verified(fact.now, now, pen)


def _joined(first: str, second: str, pen: Pen) -> str:
    """Both; a closing bracket of its own width needs no blank before the dot."""
    gap = "" if first.endswith("」") else " "
    return f"{first}{gap}{pen.glyphs.dot} {second}" if second else first


def _about(fact: RecalledFact, now: datetime, pen: Pen) -> str:
    """What makes its state so; "" where that is fresh, or not known."""
    known = fact.now
    match fact.state:
        case "conflicting":
            return pen.say("recalled.conflicting_text")
        case "contradicted" if known is not None and known.place:
            return pen.say("recalled.contradicted_text", place=known.place)
        case "stale" if known is not None:
            return _verified(known, now, pen) or _written(known, now, pen)
        case "unverified" if known is not None:
            return _written(known, now, pen)
        case _:
            return ""


def _written(known: FactNow, now: datetime, pen: Pen) -> str:
    days, today, once = _AUTHORS[known.author]
    if known.written is None:
        return pen.say(once)
    passed = _days(known.written, now)
    return pen.say(days, days=passed) if passed else pen.say(today)


def _verified(known: FactNow | None, now: datetime, pen: Pen) -> str:
    if known is None or known.verified is None:
        return ""
    days = _days(known.verified, now)
    return pen.say("recalled.verified", days=days) if days else pen.say("recalled.verified_today")


def _days(at: datetime, now: datetime) -> int:
    return max(0, (now - at).days)


def blank_and(lines: list[Line]) -> list[Line]:
    """Lines below a blank one; nothing where there are none."""
    return [BLANK_LINE, *lines] if lines else []
