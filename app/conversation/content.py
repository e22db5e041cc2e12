r"""The bare content of a tool's result: its bytes, measured once, decoded only where it is shown.

A result may have 64 MB. To decode it whole keeps every other thread waiting (the interpreter's
lock is held for one call, and each invalid byte costs half a microsecond), so it is measured piece
by piece, and head, tail and stretches are decoded by themselves. The text is what `boundary.decode`
makes of the bytes, before control characters are made visible: UTF-8, an invalid byte as `\xff`,
CRLF as LF. All lengths of texts are code points of it.
"""

import dataclasses
from dataclasses import dataclass
from typing import Self

from app.conversation.truncate import Cut, cut

_PIECE = 512 * 1024
"""Bytes measured at once: at most a few milliseconds, whatever they are."""

_MOST_BYTES_OF_ONE = 4
"""Of a code point in UTF-8."""

_SLACK = 64
"""Code points beyond a cut that decide where a line or a character ends."""

_LINES_AT_ONCE = 64 * 1024
_ESCAPE = len(r"\xff")

_SAMPLES = 15
"""Places of a long content that a sample shows (as `memory.names.sample`)."""


@dataclass(frozen=True, slots=True)
class Content:
    """A content and its measures; `Content.of` makes it.

    Attributes:
        raw: all its bytes, credentials replaced; what a file of it holds.
        start: how many bytes at the beginning are no text: those of a byte order mark.
        characters: length of the text.
        newlines: line ends in it.
        crlf: how many of them are CRLF.
        invalid: bytes that are not UTF-8.
    """

    raw: bytes
    start: int
    characters: int
    newlines: int
    crlf: int
    invalid: int

    @classmethod
    def of(cls, raw: bytes, *, start: int = 0) -> Self:
        """Measures bytes: for a megabyte about 1 ms, 10 ms if nothing of it is text.

        Call it off the loop.

        Args:
            raw: the bytes, credentials replaced.
            start: how many of them are a byte order mark.
        """
        characters = newlines = crlf = invalid = 0
        ascii_only, returns = raw.isascii(), b"\r" in raw
        place = start
        while place < len(raw):
            end = _piece_end(raw, place)
            size, bad = (end - place, 0) if ascii_only else _measure(raw[place:end])
            ends = raw.count(b"\r\n", place, end) if returns else 0
            characters += size - ends
            invalid += bad
            crlf += ends
            newlines += raw.count(b"\n", place, end)
            place = end
        return cls(raw, start, characters, newlines, crlf, invalid)

    @property
    def lines(self) -> int:
        """How many lines; one without a line end at the end counts."""
        unended = len(self.raw) > self.start and not self.raw.endswith(b"\n")
        return self.newlines + unended

    def text(self) -> str:
        """All of it as text; only for contents that are known to be small."""
        return _text(self.raw[self.start :])

    def beginning(self, characters: int, start: int | None = None, end: int | None = None) -> str:
        """The first `characters` of the text, or all of it.

        Args:
            characters: how many.
            start: the byte at which to begin; None: the text's own beginning.
            end: the byte before which to end; None: the text's end.
        """
        start = self.start if start is None else start
        most = start + _MOST_BYTES_OF_ONE * (characters + 1)
        return _text(self.raw[start : most if end is None else min(most, end)])[:characters]

    def ending(self, characters: int) -> str:
        """The last `characters` of the text, or all of it."""
        if characters >= self.characters:
            return self.text()
        start = max(self.start, len(self.raw) - _MOST_BYTES_OF_ONE * (characters + 2))
        # What is cut through at this start lies before the characters that are asked for.
        return _text(self.raw[start:])[-characters:] if characters else ""

    def cut(self, limit: int, head: int | None = None) -> Cut | None:
        """What `truncate.cut` makes of the text, without decoding what is left out."""
        if self.characters <= limit:
            return None
        reach = limit + _SLACK
        if self.characters <= 2 * reach:
            return cut(self.text(), limit, head)
        ends = self.beginning(reach) + self.ending(reach)
        piece = cut(ends, limit, head)
        if piece is None:  # pragma: no cover - `ends` is longer than the limit
            return None
        unseen = self.newlines - ends.count("\n")
        return dataclasses.replace(
            piece,
            characters=piece.characters + self.characters - len(ends),
            last=piece.last + unseen,
            total=self.characters,
        )

    def sample(self, most: int, *, after: int = 0, before: int = 0) -> str:
        """At most about `most` characters of the text, its beginning and places from all of it.

        Args:
            most: how many; where there are no more, all of them.
            after: characters at the beginning to leave out.
            before: characters at the end to leave out.
        """
        if self.characters <= most + after + before:
            text = self.text()
            return text[after : max(after, len(text) - before)]
        # Where CRLF or escapes are in them, they have other lengths: then places near the edges.
        start = self.start + len(self.beginning(after).encode("utf-8", "surrogatepass"))
        end = len(self.raw) - len(self.ending(before).encode("utf-8", "surrogatepass"))
        if end - start <= most:
            return _text(self.raw[start:end])
        head = most // 2
        length = (most - head) // _SAMPLES
        step = (end - start - head) // _SAMPLES
        places = [start + head + step * number for number in range(_SAMPLES - 1)]
        places.append(end - length)
        pieces = [self.raw[start : start + head], *(self.raw[at : at + length] for at in places)]
        return "\n".join(map(_text, pieces))

    def line_at(self, line: int) -> int:
        """The byte at which a line begins, from 1; the end for lines past it."""
        missing, place = line - 1, self.start
        while missing > 0:
            here = self.raw.count(b"\n", place, place + _LINES_AT_ONCE)
            if here < missing and place + _LINES_AT_ONCE < len(self.raw):
                missing -= here
                place += _LINES_AT_ONCE
                continue
            newline = self.raw.find(b"\n", place)
            if newline < 0:
                return len(self.raw)
            missing -= 1
            place = newline + 1
        return place

    def bytes_shown(self, characters: int, start: int) -> int:
        """How many bytes from `start` on the first `characters` of the text there show whole.

        For a stretch without line ends.
        """
        piece = self.raw[start : start + _MOST_BYTES_OF_ONE * (characters + 1)]
        text = piece.decode("utf-8", "surrogateescape")
        shown = count = 0
        for character in text:
            shown += _ESCAPE if "\udc80" <= character <= "\udcff" else 1
            if shown > characters:
                break
            count += 1
        return len(text[:count].encode("utf-8", "surrogateescape"))


def _piece_end(raw: bytes, start: int) -> int:
    """Where a piece may end: neither in a character nor between CR and LF."""
    end = start + _PIECE
    if end >= len(raw):
        return len(raw)
    # A sequence has at most three bytes after its first; with more of them none of them is part
    # of one, and any place is as good.
    for back in range(_MOST_BYTES_OF_ONE):
        if raw[end - back] & 0xC0 != 0x80:
            end -= back
            break
    return end + 1 if raw[end - 1 : end + 1] == b"\r\n" else end


def _measure(piece: bytes) -> tuple[int, int]:
    """The code points of a piece, CRLF as two, and how many of its bytes are invalid."""
    if piece.isascii():
        return len(piece), 0
    try:
        return len(piece.decode()), 0
    except UnicodeDecodeError:
        # Ignoring is as fast as decoding itself, escaping is not.
        valid = piece.decode("utf-8", "ignore")
        invalid = len(piece) - len(valid.encode())
        return len(valid) + _ESCAPE * invalid, invalid


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace").replace("\r\n", "\n")
