"""What lines are drawn with: colours, glyphs, words."""

from dataclasses import dataclass

from rich.style import Style

from app.text import Words
from widgets.glyphs import Glyphs
from widgets.palette import Palette, Token
from widgets.spans import Span

MINUTE = 60


@dataclass(frozen=True, slots=True)
class Ink:
    """One look of everything drawn line by line.

    Attributes:
        palette: colours.
        glyphs: the full set, or ASCII.
        words: the language.
    """

    palette: Palette
    glyphs: Glyphs
    words: Words

    def style(self, token: Token, on: Token = "bg", *, bold: bool = False) -> Style:
        """A style on a surface."""
        return self.palette.style(token, on, bold=bold)

    def span(self, text: str, token: Token, on: Token = "bg", *, bold: bool = False) -> Span:
        """Styled text on a surface."""
        return text, self.palette.style(token, on, bold=bold)

    @property
    def ellipsis(self) -> str:
        """What stands for what was cut."""
        return self.glyphs.ellipsis


def duration(seconds: float) -> str:
    """`0.2s`, `41.8s`, `1m 04s`; at most seven cells up to a hundred minutes (STYLE 3)."""
    if seconds < MINUTE - 0.05:
        return f"{max(0.0, seconds):.1f}s"
    minutes, rest = divmod(round(seconds), MINUTE)
    return f"{minutes}m {rest:02}s"
