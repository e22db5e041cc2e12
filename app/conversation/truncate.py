"""Cuts a text to a limit: head and tail stay, whole lines where there are lines."""

import unicodedata
from dataclasses import dataclass

_HEAD, _WHOLE = 5, 7
"""The head's share of what stays: 2,000 to 800 characters, as in a note (DESIGN 4, tier 1)."""

_JOINER = "\u200d"


@dataclass(frozen=True, slots=True)
class Cut:
    """A text that was too long.

    Attributes:
        head: its beginning, without the newline it was cut at.
        tail: its end.
        characters: how many were left out between them.
        first, last: the lines, from 1, of which something was left out.
        total: characters of the whole text.
    """

    head: str
    tail: str
    characters: int
    first: int
    last: int
    total: int


def cut(text: str, limit: int, head: int | None = None) -> Cut | None:
    """Cuts `text` to at most `limit` characters; None when it is short enough.

    At most `head` of them are its beginning; without it, five parts of seven.

    The cut is at the end of a line where one lies in the second half of the head or the first half
    of the tail (FACTS 1.4), else inside the line, but never inside a character.
    """
    if len(text) <= limit:
        return None
    room = limit * _HEAD // _WHOLE if head is None else head
    beginning = text[: _boundary(text, room)]
    end = beginning.rfind("\n") + 1
    if end > room // 2:
        beginning = beginning[:end]
    start = _boundary(text, len(text) - (limit - room), forward=True)
    newline = text.find("\n", start - 1, start + (len(text) - start) // 2)
    if newline >= 0:
        start = newline + 1
    head_lines = beginning.count("\n")
    left_out = text[len(beginning) : start]
    return Cut(
        head=beginning.removesuffix("\n"),
        tail=text[start:],
        characters=len(left_out),
        first=head_lines + 1,
        last=head_lines + 1 + left_out.removesuffix("\n").count("\n"),
        total=len(text),
    )


def cut_end(text: str, limit: int) -> str:
    """The beginning of `text`, at most `limit` characters: whole lines, or a piece of the first."""
    if len(text) <= limit:
        return text
    head = text[: _boundary(text, limit)]
    end = head.rfind("\n") + 1
    return head[:end] if end else head


def clip(text: str, limit: int, around: int = 0) -> str:
    """One line of at most `limit` characters that shows the place `around`; `…` where it is cut."""
    if len(text) <= limit:
        return text
    start = 0 if around < limit * 3 // 4 else around - limit // 3
    start = min(start, max(0, len(text) - limit + 1))
    room = limit - (start > 0) - 1
    end = start + room
    if end >= len(text):
        return "…" + text[len(text) - (limit - 1) :]
    start = _boundary(text, start, forward=True)
    return f"{'…' if start else ''}{text[start : _boundary(text, end)]}…"


def _boundary(text: str, place: int, *, forward: bool = False) -> int:
    """A place near `place` that isn't inside a character made of several code points."""
    step = 1 if forward else -1
    for _ in range(16):
        if not 0 < place < len(text) or not _joined(text[place - 1], text[place]):
            break
        place += step
    return place


def _joined(before: str, after: str) -> bool:
    """Whether two code points belong to one character."""
    if after < "\u0300" and before != "\r":
        return False
    return (
        before == _JOINER
        or after in "\u200d\ufe0e\ufe0f"
        or bool(unicodedata.combining(after))
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or (before, after) == ("\r", "\n")
    )
