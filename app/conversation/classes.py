"""Tokens of a text without a tokenizer: its characters in 21 classes, each with a coefficient.

PROVIDERS 2.3: one pass of regular expressions, coefficients fitted per family of tokenizers
(`app/llm/token_coefficients.json`). Against real tokenizers the median error of a text of 2,000
characters is about 4 %; rare ideographs and literary Chinese remain too low.
"""

import codecs
import re
import string
from collections import OrderedDict
from functools import lru_cache
from hashlib import blake2b
from operator import add, mul
from typing import AnyStr, NamedTuple


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

_SIGNS = string.punctuation.encode()
_DIGITS = string.digits.encode()
_LETTERS = string.ascii_letters.encode()
_CONTROL = bytes([*range(9), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F])
_LETTER_BEYOND = b"\x80"
_ELSE_BEYOND = b"\x81"


def _classes(**members: bytes) -> bytes:
    """A table for `bytes.translate`: what is of a class to its name, all else to a dot."""
    names = {byte: ord(name) for name, each in members.items() for byte in each}
    return bytes(names.get(byte, ord(".")) for byte in range(256))


_HEX_DIGIT = _classes(x=_DIGITS + b"abcdefABCDEF")
_HEX = re.compile(
    rb"[0-9a-fA-F](?<![0-9A-Za-z][0-9a-fA-F])"  # its first character: the engine skips to it
    rb"(?:[0-9a-fA-F]{7}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|[0-9a-fA-F]{7,}+)(?![0-9A-Za-z])"
)
_OF_LONG_RUN = _classes(x=_LETTERS + _DIGITS + b"+/=_-")
_LONG_RUN = re.compile(b"x" * 20 + b"x*+")
_PIECE = re.compile(rb"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_LETTER = _classes(U=string.ascii_uppercase.encode(), L=string.ascii_lowercase.encode())
_OF_WORD = _classes(x=b"UL")
_LONG = 6
_LONG_WORD = re.compile(b"x" * (_LONG + 1) + b"x*+")
_DIGIT = _classes(x=_DIGITS)
_SIGN = _classes(x=_SIGNS)
_REPEATED = re.compile(rb"([!-/:-@\[-`{-~])\1{4,}")
_LINES = ("─" * 5, "━" * 5, "═" * 5)
_REPEATED_LINE = re.compile(r"([─━═])\1{4,}")
_NEWLINE = _classes(x=b"\r\n")
_BLANK = _classes(x=b" \t", L=_LETTERS + _LETTER_BEYOND)
_FOREIGN_LETTER = re.compile(r"[^\W\d_]")
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
    "|(?P<ctrl>[\x80-\x9f]+)"
    "|(?P<other>[^\x00-\x9f])"
)
_TAKEN = b"\0"
"""Stands in a text for what was counted already; real NULs are counted before."""

_EACH_BEYOND = "haima-each-beyond-ascii"
"""Writes a text with one byte for each character (an error handler of `str.encode`)."""

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

_LONG_REMEMBERED = 2_048
"""Of so many longer texts: under 1 kB each, the text itself isn't kept."""

_KEPT_OF_REPEATED = 4
"""A rule of 80 equal signs is one or two tokens (measured), not 40."""


def count_classes(text: str) -> Counts:
    """Counts the classes of a text; 0.1–0.2 s for a million characters, the first time."""
    return _remembered(text) if len(text) <= _SHORT else _LONG_TEXTS.counts(text)


@lru_cache(_REMEMBERED)
def _remembered(text: str) -> Counts:
    """The same lines and calls are counted again with each plan of what could leave."""
    return _counted(text)


def _counted(text: str) -> Counts:
    """Characters are translated to their classes, and the places counted where runs begin.

    Faster by far than an expression a class, which say the same in fewer words: they stand in
    `tests/conversation/expressions.py`, and both are compared.
    """
    raw = text.encode("ascii", _EACH_BEYOND)
    ctrl = len(raw) - len(raw.translate(None, _CONTROL))
    foreign = {} if text.isascii() else _foreign(text)
    raw, hexid = _without_ids(raw)
    raw, dense = _without_dense_runs(raw)
    if b"xxxxx" in raw.translate(_SIGN):
        raw = _REPEATED.sub(_shortened, raw)
    # where camelCase and HTTPServer begin anew
    split = raw.translate(_LETTER).replace(b"LU", b"L.U").replace(b"UUL", b"U.UL")
    words = split.translate(_OF_WORD)
    long_words = _LONG_WORD.findall(words)
    digits = raw.translate(_DIGIT)
    groups = digits.replace(b"xxx", b"G").replace(b"xx", b"x")
    signs = raw.translate(_SIGN)
    blanks = raw.translate(_BLANK)
    return Counts(
        word=_runs(words),
        wlong=sum(map(len, long_words)) - _LONG * len(long_words),
        dig3=groups.count(b"G") + groups.count(b"x"),
        digL=digits.count(b"x"),
        prun=_runs(signs),
        pchar=signs.count(b"x"),
        nl=_runs(raw.translate(_NEWLINE)),
        # one alone merges with the letter after it; of several all but the last are a token
        ws=_ends(blanks) - blanks.count(b"xL") + blanks.count(b"xxL"),
        dense=dense,
        hexid=hexid,
        ctrl=ctrl + foreign.pop("ctrl", 0),
        **foreign,
    )


def _runs(marks: bytes) -> int:
    """How many runs of `x` there are."""
    return marks.count(b".x") + marks.startswith(b"x")


def _ends(blanks: bytes) -> int:
    """How many runs of `x` end, also before an `L`."""
    return blanks.count(b"x.") + blanks.count(b"xL") + blanks.endswith(b"x")


def _each_beyond(error: UnicodeError) -> tuple[bytes, int]:
    """A byte for each character of a run beyond ASCII; of the first it tells whether a letter."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    first = _FOREIGN_LETTER.match(error.object, error.start)
    more = _ELSE_BEYOND * (error.end - error.start - 1)
    return (_LETTER_BEYOND if first else _ELSE_BEYOND) + more, error.end


codecs.register_error(_EACH_BEYOND, _each_beyond)


def _without_ids(raw: bytes) -> tuple[bytes, int]:
    """The text without hexadecimal ids, and their characters."""
    if b"xxxxxxxx" not in raw.translate(_HEX_DIGIT):
        return raw, 0
    taken = 0

    def take(run: re.Match[bytes]) -> bytes:
        nonlocal taken
        # a digit and a letter at least: neither a number nor a word such as "defaced"
        if run[0].isdigit() or run[0].isalpha():
            return run[0]
        taken += len(run[0])
        return _TAKEN

    return _HEX.sub(take, raw), taken


def _without_dense_runs(raw: bytes) -> tuple[bytes, int]:
    """The text without long runs that aren't words, and their characters."""
    taken, kept, at = 0, [], 0
    for run in _LONG_RUN.finditer(raw.translate(_OF_LONG_RUN)):
        start, end = run.span()
        sample = raw[start : min(end, start + _SAMPLE)]
        pieces = len(_PIECE.findall(sample))
        if pieces < _FEW or len(sample) > _SHORT_PIECES * pieces:
            continue
        taken += end - start
        kept += [raw[at:start], _TAKEN]
        at = end
    return b"".join([*kept, raw[at:]]), taken


class _LongTexts:
    """Counts of the long texts seen last: at a hundredth of the time that counting takes.

    Whatever is planned (what could leave, what a summary would leave) counts the same results anew.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, Counts] = OrderedDict()

    def counts(self, text: str) -> Counts:
        """The counts of a text; it is known by its digest, so that no text is kept alive."""
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        known = self._known.pop(key, None)
        counts = _counted(text) if known is None else known
        self._known[key] = counts
        if len(self._known) > _LONG_REMEMBERED:
            self._known.popitem(last=False)
        return counts


def estimate_text(text: str, coefficients: Coefficients) -> float:
    """The tokens of a text, 0.0 for an empty one."""
    return count_classes(text).tokens(coefficients)


def _shortened(run: re.Match[bytes]) -> bytes:
    """What a repeated character counts as."""
    return run[1] * _shortened_to(run)


def _shortened_line(run: re.Match[str]) -> str:
    return run[1] * _shortened_to(run)


def _shortened_to(run: re.Match[AnyStr]) -> int:
    return _KEPT_OF_REPEATED + len(run[0]) // 32


_LONG_TEXTS = _LongTexts()


def _foreign(text: str) -> dict[str, int]:
    """The classes beyond ASCII."""
    if any(line in text for line in _LINES):
        text = _REPEATED_LINE.sub(_shortened_line, text)
    counts: dict[str, int] = {}
    # Only what isn't ASCII: trying ten alternatives at each letter of code would double the time.
    for run in _FOREIGN.finditer("".join(_BEYOND_ASCII.findall(text))):
        name = str(run.lastgroup)
        counts[name] = counts.get(name, 0) + run.end() - run.start()
    return counts
