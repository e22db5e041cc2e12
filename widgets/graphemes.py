"""Characters as people see them: where one ends and the next begins.

Textual moves and deletes by code point, which breaks a family emoji into its members and leaves
half a flag (TUI (g)). The rules are the part of Unicode's extended grapheme clusters (UAX 29) that
occurs in prompts: marks, variation selectors, joined and toned emoji, flags, keycaps, Hangul jamo.
"""

import unicodedata
from functools import lru_cache

ZERO_WIDTH_JOINER = "\u200d"
JOINERS = frozenset({ZERO_WIDTH_JOINER, "\u200c"})
"""Typed characters that Textual counts as not printable and would drop."""

_REACH = 64
"""How far one character can reach, in code points: long lines are looked at in pieces."""

_MARKS = frozenset({"Mn", "Me", "Mc"})
_PREPEND_L = range(0x1100, 0x1160)
_VOWELS_V = range(0x1160, 0x11A8)
_TAILS_T = range(0x11A8, 0x1200)
_FLAG_LETTERS = range(0x1F1E6, 0x1F200)
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_TAGS = range(0xE0020, 0xE0080)


def _extends(character: str) -> bool:
    """Whether a character always belongs to the one before it."""
    code = ord(character)
    return (
        character in JOINERS
        or code in _SKIN_TONES
        or code in _TAGS
        or unicodedata.category(character) in _MARKS
    )


def _joined(previous: str, character: str) -> bool:
    """Whether two Hangul letters make one syllable."""
    before, code = ord(previous), ord(character)
    if before in _PREPEND_L:
        return code in _PREPEND_L or code in _VOWELS_V
    return before in _VOWELS_V and (code in _VOWELS_V or code in _TAILS_T)


@lru_cache(maxsize=256)
def boundaries(line: str) -> tuple[int, ...]:
    """The code point offsets at which characters begin, and the end of the line."""
    if line.isascii():
        return tuple(range(len(line) + 1))
    starts: list[int] = []
    flags = 0
    for index, character in enumerate(line):
        is_flag = ord(character) in _FLAG_LETTERS
        if index and (
            _extends(character)
            or line[index - 1] == ZERO_WIDTH_JOINER
            or (is_flag and flags % 2 == 1)
            or _joined(line[index - 1], character)
        ):
            flags = flags + 1 if is_flag else flags
            continue
        flags = 1 if is_flag else 0
        starts.append(index)
    starts.append(len(line))
    return tuple(starts)


def before(line: str, offset: int) -> int:
    """Where the character left of `offset` begins; 0 at the start of the line."""
    start = max(0, offset - _REACH)
    marks = boundaries(line[start:offset])
    return start + marks[-2] if len(marks) > 1 else start


def after(line: str, offset: int) -> int:
    """Where the character at `offset` ends; the line's length at its end."""
    marks = boundaries(line[offset : offset + _REACH])
    return offset + (marks[1] if len(marks) > 1 else 0)


def cover(line: str, start: int, end: int) -> tuple[int, int]:
    """The smallest stretch of whole characters that holds code points `start` to `end`."""
    window = max(0, start - _REACH)
    marks = [window + mark for mark in boundaries(line[window : end + _REACH])]
    first = max((mark for mark in marks if mark <= start), default=start)
    last = next((mark for mark in marks if mark >= end), end)
    return first, last
