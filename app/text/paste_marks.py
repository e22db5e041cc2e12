"""Marks that stand in the prompt for long pastes.

The file is named in them, so a mark is text like any other: it outlives drafts, the editor and the
history of prompts.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.text.words import Words

_FOLDER = ".haima/pastes/"
_NAME = r"\.haima/pastes/([0-9A-Za-z][0-9A-Za-z_-]{0,63})/[0-9]{3,9}-paste\.txt"
_MARK = re.compile(rf"\[[^\[\]\n]{{0,40}}?({_NAME})[^\[\]\n]{{0,60}}\]")


@dataclass(frozen=True, slots=True)
class PasteMark:
    """A mark in a text.

    Attributes:
        path: the file, relative to the project's root.
        chain: the chain in whose folder it is.
        start, end: where the mark stands, in code points.
    """

    path: str
    chain: str
    start: int
    end: int


def paste_marks(text: str) -> Iterator[PasteMark]:
    """The marks in a text, in order; it costs next to nothing where there are none."""
    if _FOLDER not in text:
        return
    for found in _MARK.finditer(text):
        yield PasteMark(found[1], found[2], found.start(), found.end())


def paste_mark(words: Words, path: str, characters: int) -> str:
    """The mark for a paste; it is found again in either language."""
    return words("paste.marker", path=path, characters=f"{characters:,}")
