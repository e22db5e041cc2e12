"""Draws words on one surface: an ink that knows what is behind it."""

from dataclasses import dataclass, replace
from string import Formatter

from rich.cells import cell_len, set_cell_size
from rich.style import Style

from app.text import Key
from app.text.words import Words
from widgets.gauge_colours import Tint, tinted
from widgets.glyphs import UNICODE, Glyphs
from widgets.ink import Ink
from widgets.palette import Token
from widgets.spans import Line, Span, clip_spans, width_of


@dataclass(frozen=True, slots=True)
class Pen:
    """An ink on a surface.

    Attributes:
        ink: colours, glyphs, words.
        on: what is behind everything.
        letters: bars are drawn in letters: the terminal has neither eighths nor colours.
    """

    ink: Ink
    on: Token = "surface"
    letters: bool = False

    def __call__(self, text: str, tone: Token = "text2", *, bold: bool = False) -> Span:
        """Styled text."""
        return self.ink.span(text, tone, self.on, bold=bold)

    @property
    def words(self) -> Words:
        """The language."""
        return self.ink.words

    @property
    def glyphs(self) -> Glyphs:
        """The full set, or ASCII."""
        return self.ink.glyphs

    @property
    def blank(self) -> Style:
        """How nothing looks."""
        return self.ink.style("text", self.on)

    def upon(self, on: Token) -> "Pen":
        """The same pen on another surface."""
        return replace(self, on=on)

    def tint(self, text: str, tint: Tint) -> Span:
        """Text in a colour of the gauge."""
        return text, tinted(self.ink.palette.name, tint, self.on, on=True)

    def say(self, key: Key, **values: object) -> str:
        """Words, with signs this terminal can draw."""
        return self.plain(self.words(key, **values))

    def plain(self, text: str) -> str:
        """Our own words with signs this terminal can draw."""
        if self.glyphs is UNICODE:
            return text
        for name in ("about", "dot", "times", "ellipsis"):
            text = text.replace(getattr(UNICODE, name), getattr(self.glyphs, name))
        return text

    def filled(self, key: Key, **values: object) -> tuple[Span, ...]:
        """Faint words whose blanks, all but `n`, stand out."""
        template = self.words.named(key)
        if values.get("n") == 1:
            template = self.words.named(f"{key}_one", template)
        spans: list[Span] = []
        for literal, name, _, _ in Formatter().parse(template):
            if literal:
                spans.append(self(self.plain(literal), "text3"))
            if name:
                spans.append(self(str(values[name]), "text3" if name == "n" else "text"))
        return tuple(spans)

    def spread(self, width: int, left: tuple[Span, ...], right: tuple[Span, ...] = ()) -> Line:
        """A line with words at both ends; where both don't fit, the left ones are cut."""
        room = width - (width_of(right) + 1 if right else 0)
        left = clip_spans(left, max(0, room), self(self.glyphs.ellipsis, "text3"))
        gap = width - width_of(left) - width_of(right)
        return Line((*left, (" " * max(0, gap), self.blank), *right), self.blank)


def to_left(text: str, width: int) -> str:
    """Text at the left of a column; what is wider is cut."""
    return set_cell_size(text, width)


def to_right(text: str, width: int) -> str:
    """Text at the right of a column; what is wider stays whole."""
    return " " * max(0, width - cell_len(text)) + text
