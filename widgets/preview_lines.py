"""The upper part of the compaction preview: two bars on one scale, and what they say (mock 04)."""

from dataclasses import dataclass
from typing import cast

from app.text import Key
from app.text.numbers import tokens
from app.view.compaction import Balance, seen_with, tokens_of
from app.view.gauge import GaugeView
from widgets.drawn import Drawn
from widgets.gauge_lines import bar_spans, marks_line, outlook, shown_turns
from widgets.look import Look
from widgets.palette import Token
from widgets.pen import Pen, to_left
from widgets.spans import Line, Span

LEFT = 39
"""Cells left of the line between the two columns."""

_LABEL = 9
_FIGURES, _FIGURES_COMPACT = 20, 13


@dataclass(frozen=True, slots=True)
class Shown:
    """What the bars show.

    Attributes:
        view: the gauge as it is; gives window, marks and growth.
        balance: before and after.
        compact: one column below: counts take the place of the marks.
        lists: the list is shown there, else the summary.
        editing: a field has the focus.
    """

    view: GaugeView
    balance: Balance
    compact: bool = False
    lists: bool = False
    editing: bool = False


def preview_lines(shown: Shown, width: int, pen: Pen) -> list[Line]:
    """Before, After, marks or counts, what is gained, the rule."""
    before = seen_with(shown.view, shown.balance.before)
    after = seen_with(shown.view, shown.balance.after)
    room = width - _LABEL - (_FIGURES_COMPACT if shown.compact else _FIGURES)
    lines = [
        _bar("before", before, room, width, pen, shown),
        _bar("after", after, room, width, pen, shown),
    ]
    gained = _gained(shown, after, pen)
    if not shown.compact:
        digits = marks_line(before, room, pen)
        lines += [Line((_indent(pen), *digits.spans), pen.blank), Line(gained, pen.blank)]
    else:
        lines += [Line(gained, pen.blank), _counts(shown, width, pen)]
    return [*lines, _rule(width, pen, joined=not shown.compact)]


def _bar(which: str, view: GaugeView, room: int, width: int, pen: Pen, shown: Shown) -> Line:
    after = which == "after"
    label = pen(to_left(pen.say(cast("Key", f"compaction_preview.{which}")), _LABEL), "text2")
    tone: Token = "accent" if after else "text"
    about = f"{pen.glyphs.about} " if after or view.estimated else ""
    gap = " " if shown.compact else "  "
    figures = f"{about}{tokens(view.used)}{gap}{view.percent:>2}%"
    return pen.spread(
        width, (label, *bar_spans(view, room, pen)), (pen(figures, tone, bold=after),)
    )


def _indent(pen: Pen) -> Span:
    return " " * _LABEL, pen.blank


def _gained(shown: Shown, after: GaugeView, pen: Pen) -> tuple[Span, ...]:
    """`frees 112.8k tokens · then ≈ 12 turns to clearing · summary costs ≈ 1.2k`."""
    balance, dot = shown.balance, f" {pen.glyphs.dot} "
    frees: Key = "compaction_preview.frees_short" if shown.compact else "compaction_preview.frees"
    said = [pen.say(frees, tokens=tokens(max(0, balance.freed))), _then(after, pen)]
    if not shown.compact:
        said.append(pen.say("compaction_preview.costs", tokens=tokens(balance.summary)))
    return _indent(pen), pen(dot.join(said), "text2")


def _then(after: GaugeView, pen: Pen) -> str:
    """What comes next, once it is compacted."""
    coming = after.next_mark
    if after.stage == "over" or coming is None:
        return outlook(after, pen)
    if coming.turns is None:
        return pen.say("compaction_preview.then_at", what=outlook(after, pen))
    key = cast("Key", f"compaction_preview.then_{coming.number}")
    return pen.say(key, n=shown_turns(coming.turns))


def _counts(shown: Shown, width: int, pen: Pen) -> Line:
    """`■ 42 messages   □ 6 stay   ◆ 6.5k carried over`, and how to see them."""
    balance, glyphs = shown.balance, pen.glyphs
    leave = sum(group.count for group in balance.leaving)
    stay = sum(group.count for group in balance.staying)
    carried = tokens(tokens_of(balance.carried))
    left = (
        pen(f"{glyphs.full} ", "accent"),
        pen(pen.say("compaction_preview.messages", n=leave), "text"),
        pen(f"   {glyphs.empty} ", "text2"),
        pen(pen.say("compaction_preview.stay_short", n=stay), "text2"),
        pen(f"   {glyphs.pinned} ", "accent"),
        pen(pen.say("compaction_preview.carried_short", tokens=carried), "text2"),
    )
    what: Key = "compaction_preview.keys_text" if shown.lists else "compaction_preview.keys_list"
    key = "F9" if shown.editing else "Tab"
    return pen.spread(width, left, (pen(key, "text"), pen(f" {pen.say(what)}", "text3")))


def _rule(width: int, pen: Pen, *, joined: bool) -> Line:
    rule = pen.glyphs.rule
    if not joined:
        return Line((pen(rule * width, "line"),), pen.blank)
    corner = rule if rule == "-" else "┬"
    return Line((pen(rule * LEFT + corner + rule * (width - LEFT - 1), "line"),), pen.blank)


class PreviewBars(Drawn):
    """Shows them."""

    SURFACE = "overlay"

    DEFAULT_CSS = """
    PreviewBars { width: 100%; height: auto; background: $overlay; }
    """

    def __init__(self, look: Look, shown: Shown) -> None:
        super().__init__(look)
        self.shown = shown

    def show(self, shown: Shown) -> None:
        """Shows something else."""
        if shown != self.shown:
            self.shown = shown
            self.draw_now()

    def lines(self, width: int, height: int, pen: Pen) -> list[Line]:  # noqa: ARG002
        """All of them."""
        return preview_lines(self.shown, width, pen)
