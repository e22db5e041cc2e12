"""A recording played through two policies, as columns, marks and a table (STYLE 9.8, mock 08).

Plain data: whoever plays recordings says what is shown; steps count from 1 everywhere.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from app.conversation.window import window_label
from app.text.numbers import percent, tokens
from app.view.plot import (
    EIGHTHS,
    EventKind,
    TurnEvent,
    column_of,
    event_row,
    heights,
    row_of,
)

Side = Literal["a", "b"]
"""Which of the two policies."""

SIDES: tuple[Side, Side] = ("a", "b")

RowName = Literal[
    "b", "c", "f", "goal", "rules", "sent", "cost", "peak", "cache", "invalid",
    "offload", "clear", "summary",
]  # fmt: skip
"""A row of the table."""

NOTHING = "-"
"""Stands for a figure that there is not: no step is of that sort."""

_NARROW: tuple[tuple[RowName, ...], ...] = (
    ("b", "c", "f", "goal", "rules", "sent", "cost", "offload", "clear", "summary"),
)
_WIDE: tuple[tuple[RowName, ...], ...] = (
    ("b", "c", "f"),
    ("goal", "rules"),
    ("sent", "cost", "peak", "cache", "invalid", "offload", "clear", "summary"),
)
_MORE_IS_BETTER: frozenset[RowName] = frozenset({"goal", "rules", "cache"})
_NOT_COMPARED: frozenset[RowName] = frozenset({"offload", "clear", "summary"})
"""What was done; more of it is neither better nor worse."""

_TICKS = 8
"""Numbers on the axis."""

_APART = 2
"""Cells between two of them, at least."""


@dataclass(frozen=True, slots=True)
class StepItem:
    """What one recorded message of the agent did.

    Attributes:
        tool: of its first call; "": it calls none.
        asked: what that call is about, on one line.
        more: further calls.
        ok: every call did what was asked; None: it calls none.
        characters: of all its results.
        at: when it was said, as the user's clock has it; "": not recorded.
    """

    tool: str = ""
    asked: str = ""
    more: int = 0
    ok: bool | None = None
    characters: int = 0
    at: str = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a policy came to; None where no step is of that sort.

    Attributes:
        b, c, f: shares of steps that miss an earlier name: past the window, touched, far back.
        goal: share of requests with the goal in full.
        rules: rules that no request lacked, and all of them.
        sent, cost, peak: tokens.
        cache: share of the tokens sent that a provider's cache has.
        invalid: requests a provider would refuse.
        offload, clear, summary: how often.
    """

    b: float | None = None
    c: float | None = None
    f: float | None = None
    goal: float | None = None
    rules: tuple[int, int] | None = None
    sent: int = 0
    cost: int = 0
    peak: int = 0
    cache: float = 0.0
    invalid: int = 0
    offload: int = 0
    clear: int = 0
    summary: int = 0


@dataclass(frozen=True, slots=True)
class Track:
    """A recording, played through one policy.

    Attributes:
        tokens: of the request before each step.
        events: what was done, by the step it stands under.
        left_out: characters of each step's results that weren't sent from the start.
        missing: the earlier names each step uses that aren't sent.
        figures: of the whole.
    """

    tokens: tuple[int, ...]
    events: tuple[TurnEvent, ...] = ()
    left_out: tuple[int, ...] = ()
    missing: tuple[tuple[str, ...], ...] = ()
    figures: Figures = Figures()


@dataclass(frozen=True, slots=True)
class Pane:
    """One of the two policies.

    Attributes:
        policy: its name.
        short: the same in ten cells.
        clear, summary: tokens at which it clears and summarises; None: it never does.
        track: what came of it; None: it isn't played to its end.
        done: steps that are played, while it is.
        failed: it couldn't be played.
    """

    policy: str
    short: str = ""
    clear: int | None = None
    summary: int | None = None
    track: Track | None = None
    done: int = 0
    failed: bool = False

    @property
    def name(self) -> str:
        """What stands over its column."""
        return self.short or self.policy

    @property
    def marks(self) -> tuple[tuple[int, int], ...]:
        """Number and tokens of its marks, as the gauge numbers them."""
        found = ((1, self.clear), (4, self.summary))
        return tuple((number, mark) for number, mark in found if mark is not None)


@dataclass(frozen=True, slots=True)
class ReplayView:
    """All that is shown.

    Attributes:
        steps: of the recording; empty: there is none yet.
        window: tokens.
        a, b: the two policies.
        example: the recording came with Haima.
        at: the step that is looked at; 0 where there is none.
        playing: it goes on by itself.
        speed: steps a second.
        says_speed: it was just changed, so it is said though nothing goes on by itself.
    """

    steps: tuple[StepItem, ...] = ()
    window: int = 0
    a: Pane = Pane("")
    b: Pane = Pane("")
    example: bool = False
    at: int = 0
    playing: bool = False
    speed: int = 0
    says_speed: bool = False

    def pane(self, side: Side) -> Pane:
        """One of the two."""
        return self.a if side == "a" else self.b

    @property
    def step(self) -> StepItem | None:
        """The step that is looked at."""
        return self.steps[self.at - 1] if 0 < self.at <= len(self.steps) else None

    @property
    def label(self) -> str:
        """The window's name."""
        return window_label(self.window)

    @property
    def scale(self) -> tuple[str, str]:
        """What stands beside the top and the middle of a plot."""
        return self.label, window_label(self.window // 2, exact=True)

    def tokens_at(self, side: Side) -> int | None:
        """Of the request before the step that is looked at."""
        track = self.pane(side).track
        return track.tokens[self.at - 1] if track and 0 < self.at <= len(track.tokens) else None

    def percent_at(self, side: Side) -> int:
        """The same in hundredths of the window."""
        return percent(self.tokens_at(side) or 0, self.window)

    def left_out_at(self, side: Side) -> int | None:
        """Characters of the step's results that weren't sent; None: not known."""
        track = self.pane(side).track
        if track is None:
            return None
        return track.left_out[self.at - 1] if 0 < self.at <= len(track.left_out) else 0

    def missing_at(self, side: Side) -> tuple[str, ...]:
        """Earlier names that the step uses and that aren't sent."""
        track = self.pane(side).track
        known = track is not None and 0 < self.at <= len(track.missing)
        return track.missing[self.at - 1] if known and track is not None else ()

    def clamped(self, step: int) -> int:
        """The nearest step there is; 0 where there is none."""
        return max(1, min(step, len(self.steps))) if self.steps else 0

    def next_mark(self, by: int) -> int:
        """The next step under which something stands; where nothing does, the same step.

        Args:
            by: 1 or -1: the direction.
        """
        tracks = [pane.track for pane in (self.a, self.b) if pane.track is not None]
        marked = sorted({event.turn for track in tracks for event in track.events})
        at = bisect_right(marked, self.at) if by > 0 else bisect_left(marked, self.at) - 1
        return marked[at] if 0 <= at < len(marked) else self.at


@dataclass(frozen=True, slots=True)
class Plot:
    """One policy's plot.

    Attributes:
        heights: of each column, in eighths of a row.
        events: what stands under which column.
        marks: number of the mark by row from the top.
        at: the scrubber's column; None: there is nothing to look at.
        dot: the row of its dot.
        past: columns up to the scrubber, filled.
    """

    heights: tuple[int, ...]
    events: Mapping[int, EventKind]
    marks: Mapping[int, int]
    at: int | None
    dot: int
    past: int


def plot_of(view: ReplayView, side: Side, columns: int, rows: int) -> Plot:
    """The plot of one policy.

    Args:
        view: what is shown.
        side: which policy.
        columns: cells across; of several steps in one, the largest counts.
        rows: cells up.
    """
    pane, steps = view.pane(side), len(view.steps)
    track = pane.track
    high = heights(track.tokens, view.window, columns, rows) if track else [0] * columns
    events = event_row(track.events, steps, columns) if track else {}
    marks = {row_of(mark, view.window, rows): number for number, mark in pane.marks}
    if not view.at or not steps:
        return Plot(tuple(high), events, marks, None, rows - 1, 0)
    at = step_column(view.at, steps, columns)
    past = max(at + 1, column_of(view.at, steps, columns))
    dot = rows - 1 - min(rows - 1, high[at] // EIGHTHS)
    return Plot(tuple(high), events, marks, at, dot, past)


def step_column(step: int, steps: int, columns: int) -> int:
    """The column in which a step begins."""
    return column_of(step - 1, steps, columns)


def step_at(column: int, steps: int, columns: int) -> int:
    """The first step that a column shows; where each has several columns, its own."""
    if not steps:
        return 0
    last = -(-(column + 1) * steps // columns)
    return max(1, min(steps, min(-(-column * steps // columns), last - 1) + 1))


def axis(steps: int, columns: int) -> dict[int, int]:
    """Which step is written under which column; it begins at 0, or at 1 where all are written."""
    if steps <= 0:
        return {}
    apart = max(1, (steps + _TICKS // 2) // _TICKS)
    while apart < steps and apart * columns < (len(str(steps)) + _APART) * steps:
        apart *= 2
    found = {0: 1 if apart == 1 else 0}
    for step in range(apart, steps + 1, apart):
        column = step_column(step, steps, columns)
        taken = max(found) + len(str(found[max(found)]))
        if taken + _APART <= column <= columns - len(str(step)):
            found[column] = step
    return found


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table.

    Attributes:
        name: which.
        a, b: the figures; "": not known yet.
        better: whose figure is better; None: neither's.
        compared: whether one could be.
    """

    name: RowName
    a: str
    b: str
    better: Side | None = None
    compared: bool = True


def table(view: ReplayView, *, wide: bool) -> tuple[tuple[Row, ...], ...]:
    """The totals, in groups.

    Args:
        view: what is shown.
        wide: with the rows that only a wide screen has.
    """
    return tuple(
        tuple(_row(name, view.a.track, view.b.track) for name in group)
        for group in (_WIDE if wide else _NARROW)
    )


def _row(name: RowName, a: Track | None, b: Track | None) -> Row:
    texts = (_text(name, a.figures) if a else "", _text(name, b.figures) if b else "")
    compared = name not in _NOT_COMPARED
    better: Side | None = None
    if compared and a is not None and b is not None and texts[0] != texts[1]:
        one, other = _value(name, a.figures), _value(name, b.figures)
        if one is not None and other is not None and one != other:
            better = "a" if (one > other) == (name in _MORE_IS_BETTER) else "b"
    return Row(name, *texts, better, compared)


def _value(name: RowName, figures: Figures) -> float | None:
    """What is compared."""
    if name == "rules":
        return None if figures.rules is None else float(figures.rules[0])
    value: float | None = getattr(figures, name)
    return value


def _text(name: RowName, figures: Figures) -> str:
    """A figure as people read it."""
    match name:
        case "b" | "c" | "f" | "cache":
            return share(_value(name, figures), digits=1)
        case "goal":
            return share(figures.goal, digits=0)
        case "rules":
            return NOTHING if figures.rules is None else "{} / {}".format(*figures.rules)
        case "sent" | "cost" | "peak":
            return tokens(int(_value(name, figures) or 0))
        case _:
            return f"{int(_value(name, figures) or 0):,}"


def share(value: float | None, *, digits: int) -> str:
    """`4.9 %`; `100 %` only where it is all of it, `0 %` only where it is nothing."""
    if value is None:
        return NOTHING
    if value in (0, 1):
        return f"{100 * value:.{digits if not value else 0}f} %"
    least = 10.0**-digits
    return f"{min(max(100 * value, least), 100 - least):.{digits}f} %"


def kept(view: ReplayView, side: Side) -> tuple[int, int] | None:
    """Characters of the step's results that were sent at first, and all; None: there are none."""
    step, left = view.step, view.left_out_at(side)
    if step is None or left is None or not step.characters:
        return None
    return max(0, step.characters - left), step.characters


def sides(view: ReplayView) -> Iterator[tuple[Side, Pane]]:
    """Both policies."""
    yield "a", view.a
    yield "b", view.b
