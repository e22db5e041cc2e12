"""What every widget of ours needs to show itself: words, glyphs, whether things may move."""

from dataclasses import dataclass, field

from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget

from app.text import Words
from widgets.glyphs import ASCII, UNICODE, Glyphs
from widgets.palette import palette_of

NORMAL = 100
"""Columns from which on a screen isn't compact (STYLE 3)."""

Breakpoints = list[tuple[int, str]] | None

WIDTHS: Breakpoints = [(0, "-compact"), (NORMAL, "-normal"), (140, "-wide")]
"""Classes of a screen by its columns (STYLE 3)."""

HEIGHTS: Breakpoints = [(0, "-low"), (30, "-tall")]
"""Classes of a screen by its rows (STYLE 3)."""

LEAST_COLUMNS, LEAST_ROWS = 80, 24
"""The smallest screen Haima draws itself on (STYLE 3)."""

_ASCII_KEYS = {"↑": "Up", "↓": "Down", "←": "Left", "→": "Right", "–": "-", "…": "..", "、": ""}


@dataclass(frozen=True, slots=True)
class Look:
    """How things are said and drawn.

    Attributes:
        words: the language.
        glyphs: the full set, or ASCII.
        motion: False: nothing animates (`ui.motion = off`).
    """

    words: Words = field(default_factory=lambda: Words("en"))
    glyphs: Glyphs = UNICODE
    motion: bool = True

    @property
    def ascii(self) -> bool:
        """Whether only ASCII may be drawn."""
        return self.glyphs is ASCII

    def keys(self, shown: str) -> str:
        """Key names as this terminal can draw them."""
        if not self.ascii:
            return shown
        for glyph, name in _ASCII_KEYS.items():
            shown = shown.replace(glyph, name)
        return shown.rstrip()


def is_too_small(size: Size) -> bool:
    """Whether a screen is smaller than the smallest."""
    return size.width < LEAST_COLUMNS or size.height < LEAST_ROWS


def too_small(look: Look, size: Size) -> str:
    """What such a screen says instead of everything else."""
    return look.words(
        "chat.too_small",
        columns=LEAST_COLUMNS,
        rows=LEAST_ROWS,
        width=size.width,
        height=size.height,
    )


class Dressed(Widget):
    """A widget with a look; its screen hands a new one to all of them at once."""

    look: reactive[Look] = reactive(Look, layout=True)

    def __init__(self, look: Look, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.set_reactive(Dressed.look, look)

    def watch_look(self) -> None:
        """Draws itself again; a widget that keeps made rows makes them anew here."""
        self.refresh(layout=True)

    def on_row(self, content: Content) -> Content:
        """A row with the cursor on it, focus here."""
        if palette_of(self.app.theme).native:
            return content.stylize("$on-accent on $accent-bg")
        return content.stylize_before("on $accent-bg")
