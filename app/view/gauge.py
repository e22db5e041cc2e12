"""The gauge as data: how full the window is, of what, and what comes next.

Built from events alone; the words and colours are the widgets'. Nothing here changes what is sent:
a preview only shows the present history in another window.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from time import monotonic
from typing import Literal

from app.conversation.window import PRESETS, Thresholds, guard_mark, thresholds, window_label
from app.events import (
    Cleared,
    ContextMeasured,
    ContextParts,
    Event,
    Expanded,
    HistoryCleared,
    Paused,
    Restored,
    Summarised,
    SummaryFailed,
    SummaryStarted,
    SummaryUndone,
    TurnFinished,
    TurnResumed,
    TurnStarted,
)
from app.text.numbers import percent
from app.view.gauge_bar import GaugeParts
from app.view.gauge_marks import Limits, Mark, MarkNumber, marks_of
from app.view.gauge_summaries import Replaced, Summarising, SummaryState
from app.view.gauge_windows import Due, WindowRow, due_at, window_row, window_sizes

Stage = Literal["calm", "warned", "due", "over"]
"""Below the warning; warned; at or past the summary mark; larger than the window."""

TURNS = 5
"""Turns whose median growth is taken (STYLE 6, Forecast)."""

FIRST_FORECAST = 3
"""Before this turn there is no forecast (STYLE 6)."""

_MARKS: Mapping[str, MarkNumber] = {"clear": 1, "summary": 4}
"""Where each tier begins."""


@dataclass(frozen=True, slots=True)
class GaugeView:
    """What the gauge shows.

    Attributes:
        used: tokens now.
        window: tokens of the window it is shown for.
        label: how that window is called, `256k`.
        certain: whether the window is known, not assumed.
        estimated: the number was not anchored to one of the provider's.
        parts: what is used.
        reserve: tokens kept free, no more than are left.
        free: tokens until the summary mark.
        percent: used of the window.
        stage: what that means.
        growth: tokens a turn; None: not known, or it does not grow.
        marks: by number; 2 only where summaries are prepared in the background.
        windows: the four, and the one in use if it is another.
        preview: it shows a window that is not in use.
        summarises: reaching the last mark summarises the history; else it is only said.
        cleared: results that were cleared in this turn, and the tokens that freed; None: none were.
        paused: numbers of the marks at which nothing happens for now.
        by_user: because the user took it back; else too many summaries failed.
        summarising: a summary is being made.
        summarised: older messages gave way to a summary in this turn.
    """

    used: int
    window: int
    label: str
    certain: bool
    estimated: bool
    parts: GaugeParts
    reserve: int
    free: int
    percent: int
    stage: Stage
    growth: int | None
    marks: tuple[Mark, ...]
    windows: tuple[WindowRow, ...]
    preview: bool = False
    summarises: bool = False
    cleared: tuple[int, int] | None = None
    paused: frozenset[MarkNumber] = frozenset()
    by_user: bool = True
    summarising: Summarising | None = None
    summarised: Replaced | None = None

    @property
    def held(self) -> MarkNumber | None:
        """The passed mark at which nothing happens, where that is what counts now."""
        passed = {mark.number for mark in self.marks if mark.passed} & self.paused
        if 4 in passed and self.stage == "due":
            return 4
        return 1 if 1 in passed and self.stage == "calm" else None

    @property
    def summary_comes(self) -> bool:
        """Whether a summary is made at the last mark, in the window that is looked at."""
        chosen = next((row for row in self.windows if row.chosen), None)
        return self.summarises if chosen is None else chosen.due == "summary"

    @property
    def next_mark(self) -> Mark | None:
        """The first mark that is not passed."""
        return next((mark for mark in self.marks if mark.next), None)

    def mark(self, number: int) -> Mark | None:
        """The mark of that number, where it is drawn."""
        return next((mark for mark in self.marks if mark.number == number), None)


class GaugeModel:
    """The gauge of one conversation.

    Args:
        marks: the marks of any window, by the session's settings.
        summarises: whether the history is summarised at the last mark (`compaction.auto`).
        conversation: whose events count.
        clock: seconds that only go forward.

    Attributes:
        listeners: called after each change of what is shown.
        summarises: as above.
    """

    def __init__(
        self,
        *,
        marks: Callable[[int], Thresholds] = thresholds,
        summarises: bool = False,
        conversation: str = "main",
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.listeners: list[Callable[[], None]] = []
        self.summarises = summarises
        self._marks = marks
        self._conversation = conversation
        self._measure = _unmeasured()
        self._seen = self._in_turn = False
        self._ends: list[int] = []
        self._clearable = 0
        self._freed: tuple[int, int] | None = None
        self._paused: frozenset[MarkNumber] = frozenset()
        self._summaries = SummaryState(clock)
        self._chosen: int | None = None
        self._view: GaugeView | None = None

    # What happened

    def apply(self, event: Event) -> None:
        """Takes in an event; those of other conversations and those without meaning are ignored."""
        if event.conversation != self._conversation:
            return
        match event:
            case ContextMeasured():
                self._measured(event)
            case TurnStarted():
                self._in_turn = True
                if self._freed is None and self._summaries.replaced is None:
                    return
                self._freed = None
            case Cleared():
                self._freed = (event.count, max(0, event.tokens_before - event.tokens_after))
            case Restored(how="undo"):
                self._freed = None
            case SummaryStarted() | SummaryFailed() | Summarised() | SummaryUndone() | Expanded():
                pass
            case Paused(tier=tier, on=on):
                mark = frozenset({_MARKS[tier]})
                self._paused = self._paused | mark if on else self._paused - mark
            case TurnFinished():
                self._in_turn = False
                self._ends.append(self._measure.tokens)
                del self._ends[: -TURNS - 1]
            case TurnResumed():
                self._in_turn = True
                del self._ends[max(1, len(self._ends) - 1) :]
            case HistoryCleared():
                self._cleared()
            case _:
                return
        self._summaries.apply(event)
        self._changed()

    def _measured(self, event: ContextMeasured) -> None:
        if event.window != self._measure.window:
            self._chosen = None
        if not self._seen:
            parts, self._seen = event.parts, True
            fixed = parts.system + parts.tools + parts.memory
            self._ends = [fixed if self._in_turn else event.tokens]
        self._measure, self._clearable = event, event.clearable

    def _cleared(self) -> None:
        """What always goes along stays; the rest falls at once (FIELD 72)."""
        parts = self._measure.parts
        fixed = ContextParts(system=parts.system, tools=parts.tools)
        self._measure = self._measure.model_copy(
            update={"tokens": parts.system + parts.tools, "parts": fixed, "source": "estimated"}
        )
        self._ends, self._chosen, self._clearable = [self._measure.tokens], None, 0
        self._freed, self._paused = None, frozenset()

    def use_marks(self, marks: Callable[[int], Thresholds]) -> None:
        """The marks of any window are these from now on, by the settings of another session."""
        self._marks = marks
        self._changed()

    def clearable(self, tokens: int) -> None:
        """Says how many tokens clearing old results would free now."""
        if tokens != self._clearable:
            self._clearable = tokens
            self._changed()

    def _changed(self) -> None:
        self._view = None
        for listener in tuple(self.listeners):
            listener()

    @property
    def keeps_time(self) -> bool:
        """Whether what is shown changes with the seconds: `tick` is to be called."""
        return self._summaries.runs

    def tick(self) -> None:
        """Time went on; who calls this draws anew by itself."""
        if self.keeps_time:
            self._view = None

    # Looking at another window

    @property
    def measured(self) -> bool:
        """Whether anything was measured yet."""
        return self._seen

    @property
    def previewed(self) -> int | None:
        """The window that is looked at though it is not in use."""
        return self._chosen

    def preview_next(self) -> None:
        """Looks at the next window; after the last one comes the first, then the one in use."""
        sizes = window_sizes(self._measure.window)
        now = self._measure.window if self._chosen is None else self._chosen
        self.preview(sizes[(sizes.index(now) + 1) % len(sizes)])

    def preview(self, window: int | None) -> None:
        """Looks at one of the windows; None, or the one in use: no longer."""
        known = window in window_sizes(self._measure.window)
        chosen = window if known and window != self._measure.window else None
        if chosen != self._chosen:
            self._chosen = chosen
            self._changed()

    # What is shown

    @property
    def growth(self) -> int | None:
        """Median tokens a turn; None before the third turn, or where it does not grow."""
        steps = [after - before for before, after in zip(self._ends, self._ends[1:], strict=False)]
        if len(steps) < FIRST_FORECAST - 1:
            return None
        grown = round(median(steps))
        return grown if grown > 0 else None

    @property
    def view(self) -> GaugeView:
        """What the gauge shows now; the same object until something changes."""
        if self._view is None:
            self._view = self._make()
        return self._view

    def _make(self) -> GaugeView:
        measure, active = self._measure, self._measure.window
        window = active if self._chosen is None else self._chosen
        limits = self._limits(window)
        used, growth = measure.tokens, self.growth
        split = measure.parts
        parts = GaugeParts(
            split.system + split.tools, split.memory, split.history, split.results
        ).fitted(used)
        reserve = max(0, min(window - limits.summary, window - used))
        rows = tuple(
            window_row(
                size,
                self._limits(size),
                used,
                due=self._due(size),
                active=size == active,
                chosen=size == self._chosen,
            )
            for size in window_sizes(active)
        )
        return GaugeView(
            used=used,
            window=window,
            label=window_label(window, exact=True),
            certain=measure.certain or window != active,
            estimated=measure.source == "estimated",
            parts=parts,
            reserve=reserve,
            free=max(0, window - used - reserve),
            percent=percent(used, window),
            stage=_stage(used, window, limits),
            growth=growth,
            marks=marks_of(limits, used, growth),
            windows=rows,
            preview=self._chosen is not None,
            summarises=self.summarises,
            cleared=self._freed,
            paused=self._paused,
            by_user=self._summaries.by_user or 4 not in self._paused,
            summarising=self._summaries.running,
            summarised=self._summaries.replaced,
        )

    def _due(self, window: int) -> Due:
        """What would happen in a window before the next call, for all that pauses.

        What the user paused is done where hardly anything fits any more; what failed is tried again
        with another window.
        """
        used, paused = self._measure.tokens, self._paused
        full = used >= guard_mark(window)
        again = full if self._summaries.by_user else window != self._measure.window
        return due_at(
            self._limits(window),
            used,
            self._clearable,
            summarises=self.summarises and (4 not in paused or again),
            clears=1 not in paused or full,
        )

    def _limits(self, window: int) -> Limits:
        """The marks of a window: of the one in use as they were told, else as they would be."""
        measure = self._measure
        marks = self._marks(window)
        if window == measure.window:
            gain = marks.min_gain
            return Limits(measure.clear, measure.precompute, measure.warn, measure.summary, gain)
        early = None if measure.precompute is None else marks.precompute
        return Limits(marks.clear, early, marks.warn, marks.summary, marks.min_gain)


def _stage(used: int, window: int, limits: Limits) -> Stage:
    if used > window:
        return "over"
    if used >= limits.summary:
        return "due"
    return "warned" if used >= limits.warn else "calm"


def _unmeasured() -> ContextMeasured:
    """Nothing, in the window that is assumed where none is known."""
    window = PRESETS[0]
    marks = thresholds(window)
    return ContextMeasured(
        tokens=0,
        source="estimated",
        window=window,
        certain=False,
        clear=marks.clear,
        precompute=None,
        warn=marks.warn,
        summary=marks.summary,
        reserve=marks.reserve,
        parts=ContextParts(),
    )
