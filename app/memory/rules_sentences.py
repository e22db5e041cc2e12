"""The sentences of a masked text: where they stand, and what kind of line they are on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app.memory.rules_own import CUT

LONGEST: Final = 300
"""Characters of a rule (DESIGN 4)."""

_HAN: Final = "\u3400-\u9fff"
_END: Final = re.compile(
    rf"\0+|\n|[。！？!?…]+[”」』\"'’)）]*|；|;(?=\s|\Z|[{_HAN}])"
    rf"|\.+[)\"'）]*(?=\s|\0|\Z|[{_HAN}])"
)
_ABBREVIATION: Final = re.compile(r"(?:\be\.g|\bi\.e|\betc|\bvs|\bapprox|\bincl|\bresp|\bno)\Z")
_MARKER: Final = re.compile(
    r"[\s*]*(?:(?:[-•+–]\s+|-(?=[^\s\d-])|\(?\d{1,3}(?:\.(?=\D)|[)、）])"
    r"|[（(][一二三四五六七八九十]+[）)]"
    r"|[一二三四五六七八九十]+、|#{1,6}\s+|\[[ xX]?\]\s)\s*)+"
)
_WRAPPED: Final = 40
"""Characters of a line from which the next line may go on with its sentence."""
_GOES_ON: Final = re.compile(rf"[ \t]*[a-z{_HAN}`(¤]")
_STARTS: Final = re.compile(r"[ \t]*(?:[-*•+–#]|\(?\d{1,3}[.)、）])")

_CLAUSE: Final = re.compile(r"[,;:，；、：—]+|\s(?=(?:and|but|or|so|then|because|which)\s)")
_SPACE: Final = re.compile(rf"\s+|(?<=[{_HAN}])(?=[{_HAN}])")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the user's.

    Attributes:
        start, end: where it stands in the text.
        mask: it, masked: what patterns are applied to.
        asks: it ends with a question mark.
        item: it begins an item of a list.
        heading: it begins a Markdown heading, or ends with a colon at a line's end.
        fresh: no other one stands before it on its line.
    """

    start: int
    end: int
    mask: str
    asks: bool
    item: bool
    heading: bool
    fresh: bool


def sentences(mask: str) -> Iterator[Sentence]:
    """The sentences of a masked text, in order."""
    start, fresh = 0, True  # fresh: a line begins at `start`
    for found in _END.finditer(mask):
        sign = found[0]
        if sign == "\n":
            if _goes_on(mask, start, found.start()):
                continue
        elif sign[0] == ".":
            before = mask[max(start, found.start() - 8) : found.start()]
            if _ABBREVIATION.search(before) or mask[start : found.start()].strip(" \t*(").isdigit():
                continue
        if one := _sentence(mask, start, found.start(), sign, fresh):
            yield one
        fresh = (
            sign == "\n" or (sign[0] == CUT) or (fresh and not mask[start : found.start()].strip())
        )
        start = found.end()
    if one := _sentence(mask, start, len(mask), "", fresh):
        yield one


def _goes_on(mask: str, start: int, end: int) -> bool:
    """Whether the sentence goes on in the next line: a text wrapped by hand."""
    line = mask.rfind("\n", start, end) + 1 or start
    last = mask[line:end].rstrip()
    return (
        end - start < 2 * LONGEST
        and len(last) >= _WRAPPED
        and last[-1] not in ":：,，.。" + CUT
        and bool(_GOES_ON.match(mask, end + 1))
        and not _STARTS.match(mask, end + 1)
    )


def _sentence(mask: str, start: int, end: int, sign: str, fresh: bool) -> Sentence | None:
    marker = _MARKER.match(mask, start, end) if fresh else None
    first = marker.end() if marker else start
    while first < end and mask[first].isspace():
        first += 1
    while end > first and (mask[end - 1].isspace() or mask[end - 1] in ",，、"):
        end -= 1
    if end - first < 2:
        return None
    head = marker[0] if marker else ""
    heading = "#" in head or (mask[end - 1] in ":：" and sign in ("\n", ""))
    asks = "?" in sign or "？" in sign
    item = bool(head.strip(" *")) and "#" not in head
    return Sentence(first, end, mask[first:end], asks, item, heading, fresh)


def shown(text: str, sentence: Sentence, at: int, until: int) -> str:
    """A sentence word for word, at most `LONGEST` characters.

    Args:
        text: that the sentence stands in.
        sentence: one of it.
        at: where in the sentence what makes it a rule begins.
        until: where that ends.

    Returns:
        A longer sentence is cut between clauses, else between words; "" if it can't be.
    """
    start, end = sentence.start, sentence.end
    if text.count("**", start, end) % 2:  # emphasis whose other half stands just outside
        if text[max(0, start - 2) : start] == "**":
            start, at, until = start - 2, at + 2, until + 2
        elif text[end : end + 2] == "**":
            end += 2
    whole = text[start:end]
    if len(whole) <= LONGEST:
        return whole
    first = 0
    if until + 60 > LONGEST:
        breaks = [found.end() for found in _CLAUSE.finditer(whole, 0, at + 1)]
        first = next((one for one in reversed(breaks) if one <= at), 0)
        if not first:
            breaks = [found.end() for found in _SPACE.finditer(whole, 0, at + 1)]
            first = next((one for one in reversed(breaks) if one <= at), 0)
    if len(whole) - first > LONGEST:
        for pattern in (_CLAUSE, _SPACE):
            ends = [found.start() for found in pattern.finditer(whole, first, first + LONGEST)]
            if ends and ends[-1] > max(until, first):
                return whole[first : ends[-1]].strip()
        return ""
    return whole[first:].strip()
