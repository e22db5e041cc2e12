"""The Replay screen: a recording played through two policies, step by step (STYLE 9.8, mock 08)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.timer import Timer

from app.paths import styles_folder
from app.view.replay_view import Pane, ReplayView, Side, StepItem
from widgets.actions import Region, bindings
from widgets.glyphs import FRAME_SECONDS
from widgets.header import HeaderState
from widgets.look import NORMAL, Look
from widgets.replay_numbers import ReplayNumbers
from widgets.replay_plots import ReplayPlots, StepWanted
from widgets.requests import Request
from widgets.spinner_line import PATIENCE
from widgets.work_screen import WorkScreen

SPEEDS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
"""Steps a second."""

_SPEED = 4

_COMPACT = (
    *("replay_step", "replay_play", "replay_marks_short", "replay_numbers", "replay_plots"),
    "leave_replay",
)
_FOOTER = (
    *("replay_step", "replay_play", "replay_marks", "replay_speed", "replay_policy"),
    *("replay_open", "leave_replay"),
)


class ReplayScreen(WorkScreen):
    """Shows a replay; whoever plays the recording says how far it is.

    Attributes:
        plots: both plots.
        numbers: the step and the totals.
        view: what both show.
    """

    CSS_PATH = styles_folder() / "replay.tcss"

    BINDINGS: ClassVar[list[BindingType]] = bindings("replay")

    @dataclass
    class OpenStep(Request):
        """The user wants to see what a step was."""

        step: int

    class OtherPolicy(Request):
        """The user wants Haima held against the next policy."""

    class Left(Request):
        """The screen is closed: nothing needs to be played any more."""

    def __init__(
        self, look: Look, state: HeaderState, *, clock: Callable[[], float] = monotonic
    ) -> None:
        """Prepares the screen; there is no recording yet.

        Args:
            look: words and glyphs.
            state: for the header.
            clock: seconds that only go forward.
        """
        super().__init__(look, state)
        self.view = ReplayView(speed=_SPEED)
        self.plots = ReplayPlots(look, clock=clock)
        self.numbers = ReplayNumbers(look, clock=clock)
        self._trouble = ""
        self._patient = True
        self._play: Timer | None = None
        self._due = 0.0

    def compose_body(self) -> ComposeResult:
        """The plots, the numbers beside them, toasts over both."""
        with Container(classes="work-body replay"):
            yield self.plots
            yield self.numbers
            yield self.rack

    def on_mount(self) -> None:
        """What is waited for is said after a moment (STYLE 10)."""
        self.set_timer(PATIENCE, self._wait)

    def _wait(self) -> None:
        self._patient = False
        self._say()

    def on_unmount(self) -> None:
        """Nothing needs to be played any more."""
        self.app.post_message(self.Left())

    # What is shown

    def begin(self, steps: tuple[StepItem, ...], window: int, *, example: bool) -> None:
        """There is a recording; its last step is looked at.

        Args:
            steps: all of them.
            window: tokens.
            example: it came with Haima.
        """
        self._show(replace(self.view, steps=steps, window=window, example=example, at=len(steps)))
        self.refresh_footer()

    def fail(self, why: str) -> None:
        """There is nothing to play; `why` is a sentence."""
        self._trouble = why
        self._say()

    def show_pane(self, side: Side, pane: Pane) -> None:
        """How far a policy is, or what came of it."""
        soon = pane.track is None and pane.done > 1
        view = replace(self.view, a=pane) if side == "a" else replace(self.view, b=pane)
        self._show(view, soon=soon)

    def _show(self, view: ReplayView, *, soon: bool = False) -> None:
        self.view = self.plots.view = self.numbers.view = view
        if not self.is_mounted:
            return
        for drawn in (self.plots, self.numbers):
            if soon:
                drawn.touch()
            else:
                drawn.draw_now()

    def _say(self) -> None:
        words = self.look.words
        if self._trouble:
            self.plots.says = (words("replay_screen.nothing"), self._trouble)
        else:
            self.plots.says = ("" if self._patient else words("replay_screen.loading"), "")
        if self.is_mounted:
            self.plots.draw_now()

    def watch_look(self) -> None:
        """Another language, other glyphs."""
        self.state = replace(self.state, title=self.look.words("replay_screen.title"), alert="")
        self._say()
        super().watch_look()

    def on_resize(self, event: events.Resize) -> None:
        """A small screen has one of both."""
        super().on_resize(event)
        self.plots.alone = event.size.width < NORMAL
        self.plots.draw_now()
        self.refresh_footer()

    # What works now

    def regions(self) -> tuple[Region, ...]:
        """One region."""
        return ("replay",)

    @property
    def _swaps(self) -> bool:
        """Plots and numbers take turns."""
        return self.app.size.width < NORMAL

    def offers(self, name: str) -> bool:
        """Nothing can be done without a recording; Tab has a use on a small screen."""
        match name:
            case "replay_numbers":
                return self._swaps and bool(self.view.steps) and not self.has_class("-numbers")
            case "replay_plots":
                return self._swaps and bool(self.view.steps) and self.has_class("-numbers")
            case _ if name.startswith("replay_"):
                return bool(self.view.steps)
            case _:
                return True

    def footer_names(self) -> tuple[str, ...]:
        """A small screen says less."""
        return _COMPACT if self._swaps else _FOOTER

    def last_name(self) -> str:
        """The keys."""
        return "help_sign"

    # Steps

    @on(StepWanted)
    def _step_wanted(self, message: StepWanted) -> None:
        message.stop()
        self._go(message.step)

    def _go(self, step: int) -> None:
        self._stop()
        self._show(replace(self.view, at=self.view.clamped(step), says_speed=False))

    def action_step(self, by: int) -> None:
        """← →: to another step."""
        self._go(self.view.at + by)

    def action_edge(self, last: bool) -> None:
        """Home, End."""
        self._go(len(self.view.steps) if last else 1)

    def action_mark(self, by: int) -> None:
        """[ ]: to where something was done."""
        self._go(self.view.next_mark(by))

    # Playing

    def action_play(self) -> None:
        """Space: goes on by itself, or no longer; at the end from the beginning."""
        view = self.view
        if view.playing:
            self._go(view.at)
        elif view.steps:
            at = 1 if view.at >= len(view.steps) else view.at
            self._show(replace(view, at=at, playing=True))
            self._beat()

    def action_speed(self, by: int) -> None:
        """+ −: faster, slower."""
        at = SPEEDS.index(self.view.speed) + by
        speed = SPEEDS[max(0, min(at, len(SPEEDS) - 1))]
        self._show(replace(self.view, speed=speed, says_speed=True))
        if self.view.playing:
            self._beat()

    def _beat(self) -> None:
        if self._play is not None:
            self._play.stop()
        self._due = 0.0
        self._play = self.set_interval(self._pause, self._on)

    @property
    def _pause(self) -> float:
        """Seconds between two pictures."""
        return max(FRAME_SECONDS, 1 / self.view.speed)

    def _on(self) -> None:
        view = self.view
        self._due += view.speed * self._pause
        by = int(self._due)
        self._due -= by
        at = view.clamped(view.at + by)
        if at >= len(view.steps):
            self._go(at)
        else:
            self._show(replace(view, at=at))

    def _stop(self) -> None:
        if self._play is not None:
            self._play.stop()
            self._play = None
        if self.view.playing:
            self._show(replace(self.view, playing=False))

    # Other keys

    def action_policy(self) -> None:
        """p: another policy to compare with."""
        self.post_message(self.OtherPolicy())

    def action_open_step(self) -> None:
        """Enter: what the step was."""
        if self.view.at:
            self._stop()
            self.post_message(self.OpenStep(self.view.at))

    def action_swap(self) -> None:
        """Tab: numbers in place of the plots, and back."""
        if self._swaps and self.view.steps:
            self.toggle_class("-numbers")
            self.refresh_footer()

    async def leave(self) -> None:
        """Esc: back to where it was opened."""
        self.app.pop_screen()
