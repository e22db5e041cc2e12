"""Pens for drawing gauges in tests, and rows as the pictures have them."""

from collections.abc import Iterable, Mapping

from rich.cells import cell_len

from app.text import Words
from widgets.glyphs import ASCII, UNICODE
from widgets.ink import Ink
from widgets.palette import DARK, TOKENS, Token
from widgets.pen import Pen
from widgets.spans import Line

EN = Pen(Ink(DARK, UNICODE, Words("en")))
ZH = Pen(Ink(DARK, UNICODE, Words("zh")))
PLAIN = Pen(Ink(DARK, ASCII, Words("en")), letters=True)
PLAIN_ZH = Pen(Ink(DARK, ASCII, Words("zh")), letters=True)


def both(left: str, right: str, width: int) -> str:
    """A row with words at both ends."""
    return left + " " * (width - cell_len(left) - cell_len(right)) + right


def at(places: Mapping[int, str]) -> str:
    """A row with words that begin at these cells."""
    row = ""
    for column, text in places.items():
        row += " " * (column - cell_len(row)) + text
    return row


def shown(lines: Iterable[Line]) -> list[str]:
    """The lines' words, without the blanks at their ends."""
    return [line.text.rstrip() for line in lines]


def colours(line: Line) -> list[tuple[str, Token | None]]:
    """What is not blank in a line, with the token it is drawn in; None for the gauge's own."""
    found: list[tuple[str, Token | None]] = []
    for text, style in line.spans:
        if text.strip():
            token = next((t for t in TOKENS if DARK.style(t).color == style.color), None)
            found.append((text.strip(), token))
    return found
