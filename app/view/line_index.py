"""Where the lines of a large file are: newlines and characters counted block by block.

Kept are two numbers a block (64 KB, more for files over 4 GB), so memory stays near a megabyte
whatever the file; any line is then found by reading one block. Counting goes in steps (`advance`)
which a thread takes one by one; what is counted can be asked meanwhile.
"""

import threading
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from time import monotonic

from app.view.file_source import Source

_BLOCK = 1 << 16
_MOST_BLOCKS = 1 << 16
_READ_AT_MOST = 1 << 21
"""Bytes whose characters are counted by reading them."""

_CONTINUATION = bytes(range(0x80, 0xC0))
"""Bytes that begin no character in UTF-8."""


def block_size(size: int) -> int:
    """How large a block is for a file of so many bytes; a power of two."""
    block = _BLOCK
    while block * _MOST_BLOCKS < size:
        block *= 2
    return block


def characters(data: bytes) -> int:
    """How many characters begin in some bytes of UTF-8."""
    return len(data) if data.isascii() else len(data.translate(None, _CONTINUATION))


def roughly(number: int) -> int:
    """A number rounded to three figures."""
    unit: int = 10 ** max(0, len(str(number)) - 3)
    return (number + unit // 2) // unit * unit


class LineIndex:
    """Counts a source and finds lines in it.

    A line begins at 0 and behind every newline; offsets are bytes.

    Attributes:
        counted: bytes counted so far.
        newlines: newlines in them.
        characters: characters in them.
        ends_with_newline: whether nothing stands behind the last of them.
    """

    def __init__(self, source: Source, block: int = 0) -> None:
        self.source = source
        self.block = block or block_size(source.size)
        self.counted = 0
        self.newlines = 0
        self.characters = 0
        self.ends_with_newline = True
        self._lines = array("Q", [0])
        self._characters = array("Q", [0])
        self._counting = threading.Lock()

    @property
    def complete(self) -> bool:
        """Whether all of it is counted."""
        return self.counted >= self.source.size

    def advance(self, seconds: float = 0.05, clock: Callable[[], float] = monotonic) -> bool:
        """Counts on for some time; True: there is more to count. One thread at a time counts."""
        with self._counting:
            return self._advance(clock, clock() + seconds)

    def _advance(self, clock: Callable[[], float], until: float) -> bool:
        self._back_to_block()
        while self.counted < self.source.size:
            data = self.source.read(self.counted, self.block)
            if not data:
                return False
            self.newlines += data.count(b"\n")
            self.characters += characters(data)
            if len(data) == self.block:
                self._characters.append(self.characters)
                self._lines.append(self.newlines)
            self.ends_with_newline = data.endswith(b"\n")
            self.counted += len(data)
            if len(data) < self.block:
                return False
            if clock() >= until:
                break
        return self.counted < self.source.size

    def _back_to_block(self) -> None:
        """A last, unfinished block is counted anew: the file may have grown."""
        whole = len(self._lines) - 1
        if self.counted != whole * self.block and not self.complete:
            self.newlines, self.characters = self._lines[whole], self._characters[whole]
            self.counted = whole * self.block

    # Asked meanwhile

    def number(self, offset: int) -> int | None:
        """How many newlines stand before `offset`; None: not counted that far yet."""
        if offset > self.counted:
            return None
        block = min(offset // self.block, len(self._lines) - 1)
        start = block * self.block
        return self._lines[block] + self.source.read(start, offset - start).count(b"\n")

    def offset(self, number: int) -> int | None:
        """Where the line with so many newlines before it begins; None: not counted that far."""
        if number <= 0:
            return 0
        if number > self.newlines:
            return None
        block = bisect_left(self._lines, number) - 1
        rest = number - self._lines[block]
        start = block * self.block
        data = self.source.read(start, self.block)
        at = -1
        for _ in range(rest):
            found = data.find(b"\n", at + 1)
            if found < 0:
                break
            at = found
        return start + at + 1

    def newline_after(self, offset: int, limit: int) -> int | None:
        """The first newline from `offset` on; the source's size where there is none.

        Blocks that are known to hold none are skipped; of uncounted ones at most `limit` bytes are
        read. None: there is none so near.
        """
        while offset < self.source.size:
            block = offset // self.block
            end = (block + 1) * self.block
            data = self.source.read(offset, end - offset)
            found = data.find(b"\n")
            if found >= 0:
                return offset + found
            if not data:
                break
            offset = end
            if block + 1 < len(self._lines):
                offset = self._skip(block + 1)
            elif (limit := limit - len(data)) <= 0 and offset < self.source.size:
                return None
        return self.source.size

    def _skip(self, block: int) -> int:
        """The start of the first block from `block` on that holds a newline, or isn't counted."""
        return (bisect_right(self._lines, self._lines[block], block) - 1) * self.block

    def newline_before(self, offset: int) -> int | None:
        """The last newline before `offset`."""
        while offset > 0:
            block = (offset - 1) // self.block
            start = block * self.block
            found = self.source.read(start, offset - start).rfind(b"\n")
            if found >= 0:
                return start + found
            offset = start
            if block < len(self._lines):
                here = self._lines[block]
                offset = bisect_left(self._lines, here) * self.block if here else 0
        return None

    def characters_between(self, start: int, end: int) -> int:
        """How many characters begin between two offsets; by bytes where it isn't counted."""
        if end - start <= _READ_AT_MOST:
            return characters(self.source.read(start, end - start))
        first, last = -(-start // self.block), end // self.block
        known = min(last, len(self._characters) - 1)
        if known <= first:
            return end - start
        head = characters(self.source.read(start, first * self.block - start))
        rest = end - known * self.block
        tail = characters(self.source.read(known * self.block, rest)) if known == last else rest
        return head + self._characters[known] - self._characters[first] + tail

    def exact_number(self, offset: int) -> int:
        """How many newlines stand before `offset`, by reading what isn't counted yet."""
        if (number := self.number(offset)) is not None:
            return number
        block = len(self._lines) - 1
        number, at = self._lines[block], block * self.block
        while at < offset and (data := self.source.read(at, min(self.block, offset - at))):
            number += data.count(b"\n")
            at += len(data)
        return number

    def estimated_lines(self) -> int:
        """About how many newlines there will be."""
        if not self.counted:
            return 0
        return max(1, roughly(self.newlines * self.source.size // self.counted))

    def estimated_characters(self) -> int:
        """About how many characters there are; exact once it is complete."""
        if self.complete:
            return self.characters
        if self.characters == self.counted:
            return self.source.size
        return roughly(self.characters * self.source.size // self.counted)
