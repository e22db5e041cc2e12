"""Lines of a large file, found by offset, number or share; only what is asked for is read.

Everything here reads from the disk, so a screen calls it in a thread. A line ends at a newline
alone; whatever else could move a cursor or hide text is shown as a visible escape.
"""

import codecs
import re
from dataclasses import dataclass

from app.boundary import escape, visible
from app.view.file_source import Source
from app.view.line_index import LineIndex, characters

HEAD = 8_192
"""Bytes of a line that are looked at to show it: more than any screen is wide."""

_CHUNK = 1 << 16
_NEAR = 1 << 20
"""Uncounted bytes in which a line's end is looked for before it is drawn without one."""

_FAR = 1 << 62
_TAB = 4
_SEPARATORS = re.compile("[\u2028\u2029]")
"""What some programs take for a line end; `visible` leaves them."""

_decoder = codecs.getincrementaldecoder("utf-8")


@dataclass(frozen=True, slots=True)
class FileLine:
    r"""A line, as far as it can be shown.

    Attributes:
        start: where it begins.
        end: where its newline is, or the file ends; None: not found yet.
        text: its beginning, control characters as `\x1b`.
        more: characters behind `text`.
        at_least: there may be more than `more`.
        raw: what `text` shows, an invalid byte as a lone surrogate; "": the same.
    """

    start: int
    end: int | None
    text: str
    more: int = 0
    at_least: bool = False
    raw: str = ""

    def hidden(self, end: int) -> int:
        """How many of the line's characters are not shown where `text` is cut at `end`."""
        raw = self.raw or self.text
        return len(raw) - _shown_within(raw, self.text, end) + self.more


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Whole lines, as text.

    Attributes:
        first: number of the first one, from 1.
        last: number of the last one.
        text: without the last newline.
        cut: whether there was more than is taken at once.
    """

    first: int
    last: int
    text: str
    cut: bool = False


class FileWindow:
    """Finds and reads lines of a source.

    Args:
        source: where they are.
        block: bytes that are counted as one; 0: as fits the size.

    Attributes:
        source: where they are.
        index: what is counted so far.
    """

    def __init__(self, source: Source, block: int = 0) -> None:
        self.source = source
        self.index = LineIndex(source, block)

    def recount(self) -> None:
        """Forgets what was counted: the file is another one now."""
        self.index = LineIndex(self.source)

    def lines(self, start: int, count: int) -> tuple[FileLine, ...]:
        """At most `count` lines from the one that begins at `start`.

        Fewer at the end, and where a line's end is further away than is looked for at once.
        """
        found: list[FileLine] = []
        data, base, offset = b"", start, start
        while len(found) < count and offset < self.source.size:
            at = offset - base
            end = data.find(b"\n", at)
            if end < 0:
                data, base, at = self.source.read(offset, _CHUNK), offset, 0
                if not data:
                    break
                end = data.find(b"\n")
            if end >= 0 or len(data) < _CHUNK:
                stop: int | None = base + (end if end >= 0 else len(data))
            else:
                stop = self.index.newline_after(base + len(data), _NEAR)
            found.append(self._line(data[at:], offset, stop))
            if stop is None:
                break
            offset = stop + 1
        return tuple(found)

    def _line(self, data: bytes, start: int, stop: int | None) -> FileLine:
        length = HEAD + 1 if stop is None else stop - start
        if length <= HEAD:
            raw = data[:length]
            if data[length : length + 1] == b"\n":
                raw = raw.removesuffix(b"\r")
            text, kept = _both(raw)
            return FileLine(start, stop, text, raw=kept)
        decoder = _decoder("surrogateescape")
        decoder.decode(data[:HEAD])
        used = HEAD - len(decoder.getstate()[0])
        text, kept = _both(data[:used])
        if stop is None:
            more = characters(data[used:])
            return FileLine(start, None, text, more, at_least=True, raw=kept)
        more = self.index.characters_between(start + used, stop)
        return FileLine(start, stop, text, more, raw=kept)

    # Offsets of lines

    def start_of(self, offset: int) -> int:
        """Where the line with this byte begins."""
        offset = max(0, min(offset, self.source.size))
        newline = self.index.newline_before(offset)
        start = 0 if newline is None else newline + 1
        return self.last() if start >= self.source.size else start

    def last(self) -> int:
        """Where the last line begins; nothing behind a last newline is no line."""
        size = self.source.size
        newline = self.index.newline_before(size)
        if newline is not None and newline == size - 1:
            newline = self.index.newline_before(newline)
        return 0 if newline is None else newline + 1

    def back(self, start: int, count: int) -> int:
        """Where the line `count` lines before the one at `start` begins; 0 at the most."""
        for _ in range(count):
            if start <= 0:
                return 0
            newline = self.index.newline_before(start - 1)
            start = 0 if newline is None else newline + 1
        return start

    def at_share(self, percent: int) -> int:
        """Where the line at so many hundredths of the file begins."""
        return self.start_of(self.source.size * max(0, min(percent, 100)) // 100)

    def at_number(self, number: int) -> tuple[int, bool]:
        """Where line `number` (from 1) begins, and whether that is exact.

        Beyond the end: the last line. Before it is counted that far: about where it will be.
        """
        index = self.index
        offset = index.offset(number - 1)
        if offset is not None:
            return min(offset, self.last()), True
        if index.complete:
            return self.last(), True
        lines = index.newlines * self.source.size // index.counted if index.counted else 0
        if not lines or number >= lines:
            return self.last(), False
        return self.start_of(self.source.size * number // lines), False

    # Numbers of lines

    def number(self, start: int) -> int | None:
        """The number of the line at `start`, from 1; None: not counted that far."""
        before = self.index.number(start)
        return None if before is None else before + 1

    def total(self) -> int | None:
        """How many lines there are; None: not counted yet."""
        index = self.index
        if not index.complete:
            return None
        return index.newlines + (0 if index.ends_with_newline else 1)

    def excerpt(self, start: int, last: int, most: int) -> Excerpt:
        """The text of the lines from `start` to the one at `last`, at most `most` characters."""
        end = self.index.newline_after(last, _FAR) or 0
        raw = self.source.read(start, min(end - start, 4 * most))
        decoder = _decoder("backslashreplace")
        whole = len(raw) >= end - start
        text = decoder.decode(raw, final=whole).replace("\r\n", "\n").removesuffix("\r")
        first = self.index.exact_number(start) + 1
        cut = not whole or len(text) > most
        text = text[:most]
        return Excerpt(first, first + text.count("\n"), text, cut)


def _both(raw: bytes) -> tuple[str, str]:
    """A line's beginning as it is drawn; and as it is, "" where that is the same."""
    kept = raw.decode("utf-8", "surrogateescape")
    text = shown(raw.decode("utf-8", "backslashreplace"))
    return text, "" if text == kept else kept


def _shown_within(raw: str, text: str, end: int) -> int:
    """How many characters of `raw` the first `end` of `text` show in full."""
    if raw[:end] == text[:end]:
        return min(end, len(raw))
    column = count = 0
    for character in raw:
        if character == "\t":
            column += _TAB - column % _TAB
        elif "\udc80" <= character <= "\udcff":
            column += len(r"\xff")
        else:
            column += len(shown(character))
        if column > end:
            break
        count += 1
    return count


def shown(text: str) -> str:
    r"""A line's text as it is drawn: nothing in it moves the cursor; tabs as four cells."""
    text = visible(text)
    if not text.isascii():
        text = _SEPARATORS.sub(lambda match: escape(match[0]), text)
    return text.expandtabs(_TAB)
