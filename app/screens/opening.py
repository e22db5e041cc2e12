"""What stands there while the rest is loaded: the brand, where the first-run screen has it.

One widget on a bare screen: this is all that is drawn before the first paint.
"""

from textual.app import ComposeResult
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

from widgets.look import NORMAL, Look

WIDTH = 76
"""Cells of the first-run screen (STYLE 14)."""

_ROWS = {False: 21, True: 16}
"""Its rows before servers are found, by whether it is compact: the brand doesn't jump."""


class Opening(Widget):
    """Header and footer without words, and the brand."""

    DEFAULT_CSS = """
    Opening { width: 100%; height: 100%; background: $bg; text-wrap: nowrap; }
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look

    def render(self) -> Content:
        """All rows of the screen."""
        width, height = self.app.size
        look, words = self._look, self._look.words
        brand = ((look.glyphs.brand, "$accent bold"), (f" {words('app.name')}", "bold $text"))
        bar = Content.styled(" " * width, "on $surface")
        head = Content.assemble((" ", ""), *brand)
        rows = [Content("")] * height
        rows[0] = head.pad_right(max(0, width - head.cell_length)).stylize_before("on $surface")
        rows[-1] = bar
        first = 1 + max(0, height - 2 - _ROWS[width < NORMAL]) // 2
        left = " " * max(0, (width - WIDTH) // 2)
        if first < height - 1:
            tagline = (f"   {words('app.tagline')}", "$text3")
            rows[first] = Content.assemble((left, ""), *brand, tagline)
        return Content("\n").join(rows)


class OpeningScreen(Screen[None]):
    """Shown for the blink until settings and session are there."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look

    def compose(self) -> ComposeResult:
        """The one widget."""
        yield Opening(self._look)
