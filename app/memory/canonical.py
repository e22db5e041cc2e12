"""The canonical form of a fact, by which two writings of one fact are one.

FACTS 1.10: only width, case, spacing, punctuation and particles are merged in silence.
"""

import re
import unicodedata
from functools import lru_cache

_CODE = frozenset("#/@\\%_-'!:&|^~")
"""Punctuation that means something in code."""

_BETWEEN = frozenset(".'")
"""Kept only between letters or digits: `1.10`, `don't`."""

_SYMBOLS = frozenset({"Sm", "Sc", "Sk", "So"})
"""C++ is not C, and a thumb up no thumb down."""

_PARTICLES = frozenset("的地得是")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)*")

_SHORTEST = 8
"""Code points of the shorter one, from which a particle may be missing."""
_CLOSEST = 0.82
"""The least part of the longer one that the shorter one is."""


@lru_cache(4_096)
def canonical(text: str) -> str:
    """What of a text makes a fact: letters, digits, symbols, the punctuation of code.

    Beyond FACTS 1.10, only so that less is merged: combining marks stay (they are vowels in some
    scripts), and one space stays between two digits (80, 81 is not 8081). Applied twice it
    changes nothing.
    """
    before = ""
    while text != before:  # to compose what now stands side by side, and what that lowers to
        before, text = text, _once(text)
    return text


def is_duplicate(a: str, b: str) -> bool:
    """Whether two texts are one fact; symmetric. A text without content equals only itself."""
    one, other = canonical(a), canonical(b)
    if not one or not other:
        return a.strip() == b.strip()
    return is_same_form(one, other)


def is_same_form(one: str, other: str) -> bool:
    """The same of two canonical forms, for those who keep them: equal, or only particles apart."""
    return bool(one and other) and (one == other or _is_particle_variant(one, other))


def _once(text: str) -> str:
    wide = unicodedata.normalize("NFKC", text.replace("’", "'"))
    wide = unicodedata.normalize("NFKC", wide.lower())
    kept: list[str] = []
    gap = False
    for place, character in enumerate(wide):
        if character.isalnum() or _is_kept(wide, place, character):
            if gap and kept and kept[-1].isdigit() and character.isdigit():
                kept.append(" ")
            kept.append(character)
            gap = False
        else:
            gap = True
    return "".join(kept)


def _is_kept(text: str, place: int, character: str) -> bool:
    if character in _BETWEEN:
        around = text[place - 1 : place] + text[place + 1 : place + 2] if place else ""
        return len(around) == 2 and around[0].isalnum() and around[1].isalnum()
    if character in _CODE:
        return True
    category = unicodedata.category(character)
    if category[0] == "M":
        return not "\ufe00" <= character <= "\ufe0f"  # only says how an emoji is drawn
    return category[0] in "LN" or category in _SYMBOLS


def _is_particle_variant(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < _SHORTEST or len(shorter) < _CLOSEST * len(longer):
        return False
    rest = iter(shorter)
    wanted = next(rest, "")
    for character in longer:
        if character == wanted:
            wanted = next(rest, "")
        elif character not in _PARTICLES:
            return False
    return not wanted


@lru_cache(4_096)
def without_numbers(text: str) -> str:
    """The canonical form with each number, dots and all, as one sign."""
    return _NUMBER.sub("\0", canonical(text))
