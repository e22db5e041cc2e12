"""Breaks lines by cells, for help in either language; without rich, which costs time to load."""

import re
from collections.abc import Iterator
from unicodedata import east_asian_width

_PIECE = re.compile(
    r"[\u2e80-\u9fff\uff00-\uffef][，。；：、？！）」]*|\s+|[^\s\u2e80-\u9fff\uff00-\uffef]+"
)
"""A Chinese character with what may not begin a line, spaces, or a word."""


def wrap(text: str, width: int) -> Iterator[str]:
    """The lines of a text, none wider than `width` cells unless a word is."""
    line = ""
    for piece in _PIECE.findall(" ".join(text.split())):
        if line and _cells(line + piece.rstrip()) > width:
            yield line.rstrip()
            line = ""
        if line or not piece.isspace():
            line += piece
    if line:
        yield line.rstrip()


def _cells(text: str) -> int:
    return sum(1 + (east_asian_width(character) in "WF") for character in text)
