"""Tokens of a text without a tokenizer: its characters in 21 classes, each with a coefficient.

PROVIDERS 2.3: one pass of regular expressions, coefficients fitted per family of tokenizers
(`app/llm/token_coefficients.json`). Against real tokenizers the median error of a text of 2,000
characters is about 4 %; rare ideographs and literary Chinese remain too low.
"""

import re
from functools import lru_cache
from operator import add, mul
from typing import NamedTuple


class Counts(NamedTuple):
    """How much of each class a text holds; the fields are those of `Coefficients`.

    Attributes:
        word: words of ASCII letters, split at camelCase.
        wlong: letters beyond a word's sixth.
        dig3: groups of up to three digits.
        digL: digits.
        prun: runs of ASCII punctuation.
        pchar: ASCII punctuation; one character repeated without end counts as a few.
        nl: runs of newlines.
        ws: runs of blanks that don't merge with the word after them.
        han: ideographs of the basic plane.
        kana: kana.
        hangul: hangul, and letters of scripts that cost as much (Hebrew, Georgian, Devanagari…).
        cjkp: CJK punctuation, dashes, curly quotes.
        full: full-width and half-width forms.
        cyr: Cyrillic, Greek, accented Latin, and others that are as cheap (Arabic, Thai).
        astralhan: ideographs beyond the basic plane (Extension B and later).
        astral: other characters beyond the basic plane: emoji.
        sym: arrows, boxes, mathematical signs, joiners, variation selectors.
        other: what is left; private use, unassigned.
        dense: characters of base64-like runs.
        hexid: characters of hexadecimal ids and UUIDs.
        ctrl: control characters.
    """

    word: int = 0
    wlong: int = 0
    dig3: int = 0
    digL: int = 0  # noqa: N815 (the table's name)
    prun: int = 0
    pchar: int = 0
    nl: int = 0
    ws: int = 0
    han: int = 0
    kana: int = 0
    hangul: int = 0
    cjkp: int = 0
    full: int = 0
    cyr: int = 0
    astralhan: int = 0
    astral: int = 0
    sym: int = 0
    other: int = 0
    dense: int = 0
    hexid: int = 0
    ctrl: int = 0

    def plus(self, counts: "Counts") -> "Counts":
        """Both together."""
        return Counts._make(map(add, self, counts))

    def tokens(self, coefficients: "Coefficients") -> float:
        """The tokens they come to."""
        return sum(map(mul, self, coefficients), start=0.0)


class Coefficients(NamedTuple):
    """Tokens of one of each class, for one family of tokenizers; fields as in `Counts`."""

    word: float
    wlong: float
    dig3: float
    digL: float  # noqa: N815
    prun: float
    pchar: float
    nl: float
    ws: float
    han: float
    kana: float
    hangul: float
    cjkp: float
    full: float
    cyr: float
    astralhan: float
    astral: float
    sym: float
    other: float
    dense: float
    hexid: float
    ctrl: float


NOTHING = Counts()

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_HEX = re.compile(
    r"(?<![0-9A-Za-z])(?:[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
    # a digit and a letter at least: neither a number nor a word such as "defaced"
    r"|(?=[a-fA-F]*+[0-9])(?=[0-9]*+[a-fA-F])[0-9a-fA-F]{8,}+)(?![0-9A-Za-z])"
)
_LONG_RUN = re.compile(r"[A-Za-z0-9+/=_-]{20,}+")
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LONG = 6
_DIGITS = re.compile(r"[0-9]+")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]+")
_REPEATED = re.compile(r"([!-/:-@\[-`{-~─━═])\1{4,}")
_NEWLINES = re.compile(r"[\r\n]+")
_BLANKS = re.compile(r"[ \t]+(?![^\W\d_])")
_BEYOND_ASCII = re.compile("[^\x00-\x7f]+")
_FOREIGN = re.compile(
    "(?P<han>[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+)"
    "|(?P<cjkp>[\u2010-\u2027\u3000-\u303f！（），．／：；？～￥]+)"
    "|(?P<kana>[\u3041-\u30ff\u31f0-\u31ff]+)"
    "|(?P<cyr>[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u052f\u0600-\u06ff\u0e00-\u0e7f\u1e00-\u1fff]+)"
    "|(?P<hangul>[\u0530-\u05ff\u0700-\u0dff\u0e80-\u1dff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]+)"
    "|(?P<sym>[\u00a0-\u00bf\u00d7\u00f7\u2000-\u200f\u2028-\u2bff\u3200-\u33ff\ufe00-\ufe0f]+)"
    "|(?P<full>[\uff00-\uffef]+)"
    "|(?P<astralhan>[\U00020000-\U0003ffff]+)"
    "|(?P<astral>[\U00010000-\U0010ffff]+)"
    "|(?P<other>[^\x00-\x9f])"
)
_TAKEN = "\0"
"""Stands in a text for what was counted already; real NULs are counted before."""

_SHORT_PIECES = 3.0
"""Base64 has a change of case or a digit within three characters; names and paths have longer words
(measured on `tests/data/tokens`)."""

_FEW = 6
"""Fewer pieces don't tell."""

_SAMPLE = 2_000
"""Characters of a long run that tell what it is."""

_SHORT = 2_000
"""Characters up to which a text's counts are remembered."""

_REMEMBERED = 4_096
"""Of so many texts: under 4 MB as a rule, 8 at most in ASCII."""

_KEPT_OF_REPEATED = 4
"""A rule of 80 equal signs is one or two tokens (measured), not 40."""


def count_classes(text: str) -> Counts:
    """Counts the classes of a text; 0.1–0.2 s for a million characters."""
    return _remembered(text) if len(text) <= _SHORT else _counted(text)


@lru_cache(_REMEMBERED)
def _remembered(text: str) -> Counts:
    """The same lines and calls are counted again with each plan of what could leave."""
    return _counted(text)


def _counted(text: str) -> Counts:
    taken = _Taken()
    rest = _LONG_RUN.sub(taken.dense_run, _HEX.sub(taken.hex_id, text))
    rest = _REPEATED.sub(_shortened, rest)
    words = _WORD.findall(rest)
    long_words = [len(word) for word in words if len(word) > _LONG]
    digits = list(map(len, _DIGITS.findall(rest)))
    punctuation = _PUNCTUATION.findall(rest)
    return Counts(
        word=len(words),
        wlong=sum(long_words) - _LONG * len(long_words),
        dig3=sum(-(-length // 3) for length in digits),
        digL=sum(digits),
        prun=len(punctuation),
        pchar=sum(map(len, punctuation)),
        nl=len(_NEWLINES.findall(rest)),
        ws=len(_BLANKS.findall(rest)),
        dense=taken.dense,
        hexid=taken.hexid,
        ctrl=len(_CONTROL.findall(text)),
        **({} if rest.isascii() else _foreign(rest)),
    )


def estimate_text(text: str, coefficients: Coefficients) -> float:
    """The tokens of a text, 0.0 for an empty one."""
    return count_classes(text).tokens(coefficients)


class _Taken:
    """Long runs that aren't words: each is counted and taken out of the text."""

    def __init__(self) -> None:
        self.hexid = 0
        self.dense = 0

    def hex_id(self, run: re.Match[str]) -> str:
        self.hexid += len(run[0])
        return _TAKEN

    def dense_run(self, run: re.Match[str]) -> str:
        sample = run[0][:_SAMPLE]
        pieces = len(_PIECE.findall(sample))
        if pieces < _FEW or len(sample) > _SHORT_PIECES * pieces:
            return run[0]
        self.dense += len(run[0])
        return _TAKEN


def _shortened(run: re.Match[str]) -> str:
    """What a repeated character counts as."""
    return run[1] * (_KEPT_OF_REPEATED + len(run[0]) // 32)


def _foreign(text: str) -> dict[str, int]:
    """The classes beyond ASCII."""
    counts: dict[str, int] = {}
    # Only what isn't ASCII: trying ten alternatives at each letter of code would double the time.
    for run in _FOREIGN.finditer("".join(_BEYOND_ASCII.findall(text))):
        name = str(run.lastgroup)
        counts[name] = counts.get(name, 0) + run.end() - run.start()
    return counts
