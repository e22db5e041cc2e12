"""A line that says what is waited for, once the wait is long enough to be noticed (STYLE 10)."""

from time import monotonic

from textual.content import Content
from textual.timer import Timer

from widgets.glyphs import FRAME_SECONDS
from widgets.look import Dressed, Look
from widgets.rows import EMPTY, line, spread

PATIENCE = 0.2
"""Seconds in which nothing is shown (STYLE 10)."""


class SpinnerLine(Dressed):
    """One row: nothing, a spinner with words, or what was put there."""

    DEFAULT_CSS = """
    SpinnerLine { width: 100%; height: 1; text-wrap: nowrap; }
    """

    def __init__(self, look: Look, *, id: str | None = None) -> None:
        super().__init__(look, id=id)
        self._left = self._right = EMPTY
        self._waits_for = ""
        self._since = 0.0
        self._timer: Timer | None = None

    def wait(self, text: str) -> None:
        """Says, after a moment, what is waited for; what stood there stays until then."""
        self._waits_for, self._since = text, monotonic()
        if self._timer is None:
            self._timer = self.set_interval(FRAME_SECONDS, self.refresh)

    def rest(self, left: Content = EMPTY, right: Content = EMPTY) -> None:
        """The wait is over; shows these at both ends."""
        self._waits_for, self._left, self._right = "", left, right
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self.refresh()

    @property
    def waiting(self) -> bool:
        """Whether something is waited for."""
        return bool(self._waits_for)

    def render(self) -> Content:
        """The row."""
        glyphs = self.look.glyphs
        seconds = monotonic() - self._since
        if not self._waits_for or seconds < PATIENCE:
            return spread(self.content_size.width, self._left, self._right, glyphs.ellipsis)
        frame = glyphs.frame(seconds) if self.look.motion else "*"
        return line((f"{frame} ", "$accent"), (self._waits_for, "$text2"))
