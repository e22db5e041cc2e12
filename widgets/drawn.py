"""A widget drawn in lines of styled text, anew only where something visible changed."""

from collections.abc import Callable
from time import monotonic
from typing import ClassVar

from rich.style import Style
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.timer import Timer

from widgets.ink import Ink
from widgets.look import Dressed, Look
from widgets.palette import Palette, Token, palette_of
from widgets.pen import Pen
from widgets.spans import Line

LEAST_SECONDS = 0.25
"""Between two redraws for what happens by itself (STYLE 6)."""


class Drawn(Dressed):
    """Lines.

    A subclass says its lines; `touch` is called when they may have changed.

    Args:
        clock: seconds that only go forward.
    """

    SURFACE: ClassVar[Token] = "surface"
    """What is behind the lines."""

    ALLOW_SELECT = False

    @property
    def surface(self) -> Token:
        """What is behind the lines of this one."""
        return self.SURFACE

    def __init__(
        self,
        look: Look,
        *,
        id: str | None = None,
        classes: str | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        super().__init__(look, id=id, classes=classes)
        self._clock = clock
        self._drawn_at = float("-inf")
        self._later: Timer | None = None
        self._lines: list[Line] = []
        self._drawn_for: tuple[int, int, Palette, Look] | None = None

    def lines(self, width: int, height: int, pen: Pen) -> list[Line]:
        """The lines for a width; `height` is 0 where as many as needed are wanted."""
        raise NotImplementedError

    def touch(self) -> None:
        """Something may have changed: it is drawn soon, but not too often."""
        if self._later is not None or not self.is_mounted:
            return
        wait = LEAST_SECONDS - (self._clock() - self._drawn_at)
        if wait <= 0:
            self.draw_now()
        else:
            self._later = self.set_timer(wait, self.draw_now)

    def draw_now(self) -> None:
        """Draws what differs from what is on the screen."""
        if self._later is not None:
            self._later.stop()
            self._later = None
        before = self._lines
        now = self._make(*self.content_size)
        if now == before:
            return
        self._drawn_at = self._clock()
        self._lines = now
        if len(now) != len(before):
            self.refresh(layout=True)
            return
        width = self.content_size.width
        rows = enumerate(zip(before, now, strict=True))
        self.refresh(*(Region(0, y, width, 1) for y, (old, new) in rows if old != new))

    def _make(self, width: int, height: int) -> list[Line]:
        palette = palette_of(self.app.theme)
        self._drawn_for = (width, height, palette, self.look)
        return self.lines(width, height, self.pen(palette)) if width else []

    def pen(self, palette: Palette) -> Pen:
        """What the lines are drawn with."""
        ink = Ink(palette, self.look.glyphs, self.look.words)
        colourless = palette.native and self.app.no_color
        return Pen(ink, self.surface, letters=self.look.ascii or colourless)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """As many rows as there are lines."""
        return len(self.lines(width, 0, self.pen(palette_of(self.app.theme))))

    def render_line(self, y: int) -> Strip:
        """One line."""
        width, height = self.content_size
        palette = palette_of(self.app.theme)
        if self._drawn_for != (width, height, palette, self.look):
            self._lines = self._make(width, height)
        blank: Style = palette.style("text", self.surface)
        if y < len(self._lines):
            return self._lines[y].strip(width, blank)
        return Strip.blank(width, blank)
