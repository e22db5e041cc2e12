"""English words without their endings: Porter's algorithm (1980), as SQLite's `porter` has it.

Ours and not SQLite's, because a query's words are looked up before they are searched for (how many
facts have them), and the same word must come out both times.
"""

from functools import lru_cache
from itertools import pairwise
from typing import Final

_VOWELS: Final = frozenset("aeiou")

_STEP_2: Final = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("logi", "log"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
)
_STEP_3: Final = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
_STEP_4: Final = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "sion",
    "tion", "ou", "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


@lru_cache(50_000)
def stem(word: str) -> str:
    """The word without its endings: `tests`, `testing`, `tested` are all `test`.

    Args:
        word: in lower case; one of fewer than three letters, or with others than a to z, stays.
    """
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _STEP_2)
    word = _replaced(word, _STEP_3)
    word = _without_suffix(word)
    return _tidied(word)


def _consonants(word: str) -> list[bool]:
    """For each letter whether it is a consonant; `y` is one unless it follows one."""
    kinds: list[bool] = []
    for place, letter in enumerate(word):
        if letter in _VOWELS:
            kinds.append(False)
        else:
            kinds.append(letter != "y" or place == 0 or not kinds[-1])
    return kinds


def _measure(word: str) -> int:
    """How often a vowel is followed by a consonant."""
    kinds = _consonants(word)
    return sum(not one and other for one, other in pairwise(kinds))


def _has_vowel(word: str) -> bool:
    return not all(_consonants(word))


def _ends_short(word: str) -> bool:
    """Whether it ends in consonant, vowel, consonant, the last not w, x or y."""
    return len(word) > 2 and _consonants(word)[-3:] == [True, False, True] and word[-1] not in "wxy"


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            rest = word.removesuffix(ending)
            return _mended(rest) if _has_vowel(rest) else word
    return word


def _mended(word: str) -> str:
    """What is left of a past form as its present has it: `hop`, `fil` → `file`."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    double = len(word) > 1 and word[-1] == word[-2] and _consonants(word)[-1]
    if double and word[-1] not in "lsz":
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_short(word) else word


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    """The word with the first ending that it has replaced, if enough stands before it."""
    for ending, other in endings:
        if word.endswith(ending):
            rest = word.removesuffix(ending)
            return rest + other if _measure(rest) > 0 else word
    return word


def _without_suffix(word: str) -> str:
    found = max((ending for ending in _STEP_4 if word.endswith(ending)), key=len, default="")
    if not found:
        return word
    # The s or t of -sion and -tion belongs to the stem.
    rest = word[:-3] if found in ("sion", "tion") else word.removesuffix(found)
    return rest if _measure(rest) > 1 else word


def _tidied(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
