"""What lines are drawn with in tests, and how they are read back."""

from collections.abc import Iterable

from rich.cells import cell_len

from app.text import Words
from widgets.glyphs import ASCII, UNICODE
from widgets.ink import Ink
from widgets.palette import DARK, Token
from widgets.spans import Line

EN = Ink(DARK, UNICODE, Words("en"))
ZH = Ink(DARK, UNICODE, Words("zh"))
PLAIN = Ink(DARK, ASCII, Words("en"))


def texts(lines: Iterable[Line]) -> list[str]:
    """The lines' words, without what pads them."""
    return ["".join(text for text, _ in line.spans).rstrip() for line in lines]


def widest(lines: Iterable[Line]) -> int:
    """Cells of the longest line."""
    return max((cell_len(text) for text in texts(lines)), default=0)


def colour_of(lines: Iterable[Line], words: str) -> Token:
    """The token some words are drawn in."""
    for line in lines:
        for text, style in line.spans:
            if words in text:
                for token in ("text", "text2", "text3", "accent", "code", "ok", "warn", "danger",
                              "info", "line", "line2"):  # fmt: skip
                    if DARK.style(token).color == style.color:
                        return token
    raise AssertionError(words)
