"""The memory browser's table: columns, head, one line a fact (mock 02)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, cast

from app.boundary import visible
from app.text import Key, Language
from app.text.ages import long_age
from app.view.facts_record import FactItem
from widgets.glyphs import Glyphs
from widgets.palette import Token
from widgets.pen import Pen, to_left, to_right
from widgets.rows import clip
from widgets.spans import Line, Span

WIDE: Final = 70
"""From so many cells the columns have their whole names."""

_LEAD: Final = 6
"""Cells before the text: the mark, the cursor, the state, the pin."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Cells of the columns right of the text; each but the scope is right-aligned.

    Attributes:
        gap: between text and scope.
        scope, written, verified, hits: the columns.
        short: names are cut to what fits.
    """

    gap: int
    scope: int
    written: int
    verified: int
    hits: int
    short: bool

    @property
    def cells(self) -> int:
        """All together, with the cell that ends the row."""
        return self.gap + self.scope + self.written + self.verified + self.hits + 1


_WHOLE: Final = Columns(1, 9, 9, 9, 7, short=False)
_SHORT: Final[dict[Language, Columns]] = {
    "en": Columns(2, 1, 7, 6, 5, short=True),
    "zh": Columns(1, 2, 8, 7, 5, short=True),
}


def columns_of(width: int, language: Language) -> Columns:
    """The columns for a width."""
    return _WHOLE if width >= WIDE else _SHORT[language]


def state_sign(state: str, glyphs: Glyphs) -> tuple[str, Token]:
    """A state's glyph, and its colour."""
    signs: dict[str, tuple[str, Token]] = {
        "fresh": (glyphs.ok, "ok"),
        "stale": (glyphs.stale, "stale"),
        "unverified": (glyphs.unverified, "info"),
        "contradicted": (glyphs.failed, "danger"),
        "conflicting": (glyphs.conflicting, "danger"),
    }
    return signs[state]


def state_word(state: str, pen: Pen) -> str:
    """A state's name."""
    return pen.say(cast("Key", f"memory_list.{state}"))


def one_line(text: str) -> str:
    """A foreign text on one line."""
    return visible(" ".join(text.split()))


def head_lines(width: int, pen: Pen) -> list[Line]:
    """The columns' names, and the rule under them."""
    columns = columns_of(width, pen.words.language)
    short = columns.short
    room = max(1, width - _LEAD - columns.cells)
    spans = (
        pen(" " * _LEAD),
        pen(to_left(pen.say("facts.fact"), room), "text3"),
        pen(" " * columns.gap),
        pen(to_left("" if short else pen.say("facts.scope_column"), columns.scope), "text3"),
        pen(to_right(_name("written", columns.written, short, pen), columns.written), "text3"),
        pen(to_right(_name("verified", columns.verified, short, pen), columns.verified), "text3"),
        pen(to_right(pen.say("facts.hits"), columns.hits), "text3"),
    )
    rule = pen(pen.glyphs.rule * max(0, width - 1), "line")
    return [Line(spans, pen.blank), Line((pen(" "), rule), pen.blank)]


def _name(column: str, width: int, short: bool, pen: Pen) -> str:
    name = f"facts.{column}_short" if short else f"facts.{column}"
    return clip(pen.say(cast("Key", name)), width, pen.glyphs.ellipsis)


def fact_line(
    item: FactItem,
    width: int,
    now: datetime,
    pen: Pen,
    *,
    current: bool,
    lit: bool,
    marked: bool,
) -> Line:
    """One fact: state, pin, text, scope, ages, how often it was used.

    Args:
        item: the fact.
        width: cells.
        now: the present.
        pen: for the pane's surface.
        current: the cursor is on it.
        lit: the list has the focus.
        marked: it is one of those that are meant.
    """
    outside, glyphs = pen, pen.glyphs
    if current:
        pen = pen.upon("accent_bg" if lit else "raised")
    elif marked:
        pen = pen.upon("raised")
    columns = columns_of(width, pen.words.language)
    room = max(1, width - _LEAD - columns.cells)
    sign, tone = state_sign(item.state, glyphs)
    stale = item.state == "stale"
    none = "-" if pen.letters else "—"
    age = long_age(item.verified, now, pen.words) or none
    spans: tuple[Span, ...] = (
        outside(glyphs.current if marked else " ", "accent"),
        pen(glyphs.cursor if current else " ", "accent" if lit else "text3"),
        pen(sign, tone),
        pen(" "),
        pen(to_left(glyphs.pinned if item.pinned else "", 2), "accent"),
        pen(
            to_left(clip(one_line(item.content), room, glyphs.ellipsis), room),
            "text2" if stale and not current else "text",
            bold=current,
        ),
        pen(" " * columns.gap),
        pen(
            to_left(scope_word(item.scope, pen, short=columns.short), columns.scope),
            "text2" if item.scope == "global" else "text3",
        ),
        pen(to_right(long_age(item.written, now, pen.words) or none, columns.written), "text3"),
        pen(to_right(age, columns.verified), "stale" if stale else "text3"),
        pen(to_right(_count(item.uses), columns.hits), "text2"),
        pen(" "),
    )
    return Line(spans, pen.blank)


def scope_word(scope: str, pen: Pen, *, short: bool = False) -> str:
    """`project`, in a narrow column `P`."""
    return pen.say(cast("Key", f"facts.{scope}_short" if short else f"memory_list.{scope}"))


def _count(uses: int) -> str:
    """At most four cells."""
    return str(uses) if uses < 10_000 else f"{min(uses // 1_000, 999)}k"
