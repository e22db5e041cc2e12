"""Beside the plots of a replay: the step that is looked at, and what the policies came to."""

from collections.abc import Callable
from time import monotonic

from rich.cells import cell_len

from app.text import Key
from app.view.replay_view import NOTHING, ReplayView, Row, Side, kept, sides, table
from widgets.cjk_wrap import wrap
from widgets.drawn import Drawn
from widgets.look import Look
from widgets.pen import Pen, to_left, to_right
from widgets.replay_plots import speed_spans
from widgets.rows import clip_name
from widgets.spans import BLANK_LINE, Line, Span, clip_spans, width_of

_B_CELLS = 9
"""Of the second policy's column, at least."""

_WIDE = 40
"""Cells from which on there are the rows and words of a wide screen."""

_NAMES = 3
"""Missing names that are told."""


def numbers(view: ReplayView, size: tuple[int, int], pen: Pen) -> list[Line]:
    """The step, the table, and what is meant by them, as far as there is room.

    Args:
        view: what is shown.
        size: columns and rows.
        pen: what it is drawn with.
    """
    width, height = size
    lines = [*_head(view, width, pen), BLANK_LINE, *_step(view, width, pen), BLANK_LINE]
    lines += _table(view, width, height, pen)
    for more in (_told(width, pen), _missing(view, width, pen)):
        if more and len(lines) + 1 + len(more) <= height:
            lines += [BLANK_LINE, *more]
    return lines[:height]


def _head(view: ReplayView, width: int, pen: Pen) -> list[Line]:
    """Which step, of which recording."""
    before, _, after = pen.say("replay_screen.step", n="\0").partition("\0")
    number = pen(f"{before}{view.at:,}{after}", "text", bold=True)
    right = (pen(pen.say("replay_screen.example"), "info"),) if view.example else ()
    first = pen.spread(width, (number, pen(f" / {len(view.steps):,}", "text3")), right)
    said = pen.say("replay_screen.window", window=view.label)
    if view.step is not None and view.step.at:
        dot = f" {pen.glyphs.dot} "
        said += dot + pen.say("replay_screen.recorded", time=view.step.at)
    speed = speed_spans(view, pen)[:1]  # beside the plots they say it, so it may be left out here
    if cell_len(said) + 1 + width_of(speed) > width:
        speed = ()
    return [first, pen.spread(width, (pen(said, "text3"),), speed)]


def _step(view: ReplayView, width: int, pen: Pen) -> list[Line]:
    """What the recorded agent did, and how much of what came of it each policy sent."""
    return [_did(view, width, pen)] + [_sent(view, side, width, pen) for side, _ in sides(view)]


def _did(view: ReplayView, width: int, pen: Pen) -> Line:
    step, glyphs = view.step, pen.glyphs
    if step is None:
        return BLANK_LINE
    if not step.tool:
        said = pen(pen.say("replay_screen.answer"), "text2")
        return pen.spread(width, (pen(f"{glyphs.dot} ", "text3"), said))
    sign = pen(f"{glyphs.failed} ", "danger") if step.ok is False else pen(f"{glyphs.ok} ", "ok")
    more = (pen(f"+{step.more}", "text3"),) if step.more else ()
    lead = (sign, pen(f"{step.tool} ", "text2"))
    room = width - width_of(lead) - (width_of(more) + 1 if more else 0)
    asked = pen(clip_name(step.asked, max(1, room), glyphs.ellipsis), "text")
    return pen.spread(width, (*lead, asked), more)


def _sent(view: ReplayView, side: Side, width: int, pen: Pen) -> Line:
    glyphs, letter = pen.glyphs, side.upper()
    figures, used = kept(view, side), view.tokens_at(side)
    rest = pen(f"{glyphs.dot} ", "text3")
    if used is None:
        return pen.spread(width, (rest, pen(f"{letter} {glyphs.ellipsis}", "text3")))
    if figures is None:
        said = pen.say("replay_screen.sent_tokens", side=letter, tokens=f"{used:,}")
        return pen.spread(width, (rest, pen(said, "text2")))
    some, whole = figures
    key: Key = "replay_screen.kept_all" if some == whole else "replay_screen.kept"
    said = pen.say(key, side=letter, kept=f"{some:,}", characters=f"{whole:,}")
    sign = rest if some == whole else pen(f"{glyphs.offloaded} ", "accent")
    return pen.spread(width, (sign, pen(said, "text2")))


def _table(view: ReplayView, width: int, height: int, pen: Pen) -> list[Line]:
    """The totals."""
    groups = table(view, wide=width >= _WIDE and height >= _WIDE)
    texts = [cell_len(row.b) for group in groups for row in group]
    b_cells = max(_B_CELLS, cell_len(view.b.name), *texts)
    a_cells = max(cell_len(view.a.name), *(cell_len(row.a) for group in groups for row in group))
    left = width - b_cells - 1 - a_cells
    heads = (
        pen(to_left(pen.say("replay_screen.whole"), left), "text3"),
        pen(to_right(view.a.name, a_cells), "accent", bold=True),
        pen(to_right(view.b.name, b_cells + 1), "text2"),
    )
    rule = Line((pen(pen.glyphs.rule * width, "line"),), pen.blank)
    missing = pen(pen.say("replay_screen.missing_name"), "text3")
    lines = [Line(heads, pen.blank), rule, pen.spread(width, (missing,))]
    wide = len(groups) > 1
    for number, group in enumerate(groups):
        lines += [BLANK_LINE] if number else []
        lines += [_figures(row, (left, a_cells, b_cells), pen, wide=wide) for row in group]
    return lines


def _figures(row: Row, cells: tuple[int, int, int], pen: Pen, *, wide: bool) -> Line:
    left, a_cells, b_cells = cells
    key = f"replay_screen.row_{row.name}"
    said = pen.words.named(key)
    if wide:
        said = pen.words.named(f"{key}_wide", said)
    signs = {
        "offload": pen.glyphs.offloaded,
        "clear": pen.glyphs.cleared,
        "summary": pen.glyphs.summary,
    }
    if row.name in signs:
        said += f" {signs[row.name]}"
    label = clip_spans((pen(said, "text2"),), left - 1, pen(pen.glyphs.ellipsis, "text3"))
    gap = pen(" " * (left - sum(cell_len(text) for text, _ in label)))
    a, b = _figure(row, "a", a_cells, pen), _figure(row, "b", b_cells + 1, pen)
    return Line((*label, gap, a, b), pen.blank)


def _figure(row: Row, side: Side, cells: int, pen: Pen) -> Span:
    text = (row.a if side == "a" else row.b) or pen.glyphs.ellipsis
    if text == NOTHING and not pen.letters:
        text = "—"
    better = row.better == side
    lesser = row.better is not None and not better
    return pen(to_right(text, cells), "text2" if lesser else "text", bold=better)


def _told(width: int, pen: Pen) -> list[Line]:
    """What the marks are, and that nothing is generated."""
    dash = ("-" if pen.letters else "╌") * 2
    first = (pen("1 4 ", "text2"), pen(pen.say("replay_screen.marks"), "text3"))
    text = pen.say("replay_screen.nothing_generated")
    told = [pen(text[start:end], "text3") for start, end in wrap(text, width)]
    lines = [pen.spread(width, (*first, pen(f" {dash}", "line2")))]
    return lines + [Line((span,), pen.blank) for span in told]


def _missing(view: ReplayView, width: int, pen: Pen) -> list[Line]:
    """Which earlier names the step uses that a policy doesn't send."""
    lines: list[Line] = []
    for side, _ in sides(view):
        if names := view.missing_at(side):
            shown = pen.say("work_view.comma").join(names[:_NAMES])
            said = pen.say("replay_screen.lacks", side=side.upper(), names=shown)
            sign = pen(f"{pen.glyphs.attention} ", "warn")
            more = len(names) - _NAMES
            right = (pen(f"+{more}", "text3"),) if more > 0 else ()
            lines.append(pen.spread(width, (sign, pen(said, "text2")), right))
    return lines


class ReplayNumbers(Drawn):
    """The numbers.

    Attributes:
        view: what is shown; `draw_now` shows a new one.
    """

    DEFAULT_CSS = """
    ReplayNumbers { width: 36; height: 100%; background: $surface; padding: 1 2 0 2; }
    """

    def __init__(self, look: Look, *, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(look, clock=clock)
        self.view = ReplayView()

    def lines(self, width: int, height: int, pen: Pen) -> list[Line]:
        """The numbers; nothing before there is a recording."""
        return numbers(self.view, (width, height), pen) if self.view.steps else []
