r"""Finds a plain text in a large file, block by block, so that hits can be shown as they come.

Smart case: a query without capitals finds both. A query may hold what the viewer shows: `\x1b`
finds the escape character as well as those four letters. Kept are two numbers a block; a hit is
found again by reading one block, so a million hits cost no memory.
"""

import re
import threading
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from time import monotonic

from app.view.file_source import Source
from app.view.line_index import block_size

_SHOWN = re.compile(r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}")

_NEVER_UTF8 = frozenset({0xC0, 0xC1, *range(0xF5, 0x100)})
"""Bytes that stand in no valid text, so that they are always shown as an escape."""


def is_exact(query: str) -> bool:
    """Whether capitals count: a query with one in it means it."""
    return any(letter.isupper() for letter in query)


def pattern_for_text(query: str) -> re.Pattern[str]:
    """Finds a query in a line as it is shown."""
    return re.compile(re.escape(query), 0 if is_exact(query) else re.IGNORECASE)


def _pattern(query: str) -> tuple[re.Pattern[bytes], int]:
    """Finds a query in bytes; and the most bytes a hit can have."""
    exact = is_exact(query)
    parts: list[bytes] = []
    longest = at = 0
    while at < len(query):
        found = _SHOWN.match(query, at)
        piece = found[0] if found else query[at]
        ways = {piece} if exact else {piece, piece.lower(), piece.upper()}
        spelt = {way.encode("utf-8", "backslashreplace") for way in ways}
        if found:
            number = int(piece[2:], 16)
            spelt.add(chr(number).encode("utf-8", "surrogatepass"))
            spelt |= {bytes([number])} if number in _NEVER_UTF8 else set()
        longest += max(map(len, spelt))
        either = b"|".join(re.escape(way) for way in sorted(spelt))
        parts.append(either if len(spelt) == 1 else b"(?:" + either + b")")
        at += len(piece)
    return re.compile(b"".join(parts)), longest


class FileSearch:
    """The hits of one query in one source; they don't overlap.

    Attributes:
        query: what is looked for; not empty, without newlines.
        searched: bytes searched so far.
        hits: how many hits begin in them.
    """

    def __init__(self, source: Source, query: str, block: int = 0) -> None:
        self.source = source
        self.query = query
        self.block = block or block_size(source.size)
        self.searched = 0
        self.hits = 0
        self._size = source.size
        self._before = array("Q", [0])
        self._resume = array("Q", [0])
        self._next = 0
        self._advancing = threading.Lock()
        self._going_back = threading.Lock()
        self._regex, self._longest = _pattern(query)
        self._fold = not is_exact(query)
        needle = query.encode("utf-8", "backslashreplace")
        plain = not _SHOWN.search(query) and (query.isascii() or query.lower() == query.upper())
        self._needle = (needle if not self._fold else needle.lower()) if plain else b""
        # A needle that can't overlap itself can be counted without being found one by one.
        self._alone = bool(self._needle) and not any(
            self._needle.startswith(self._needle[at:]) for at in range(1, len(self._needle))
        )

    @property
    def complete(self) -> bool:
        """Whether all of the source was searched."""
        return self.searched >= self.source.size

    def advance(self, seconds: float = 0.05, clock: Callable[[], float] = monotonic) -> bool:
        """Searches on for some time; True: there is more. One thread at a time searches."""
        with self._advancing:
            return self._advance(clock, clock() + seconds)

    def _advance(self, clock: Callable[[], float], until: float) -> bool:
        if self._size != self.source.size:
            self._go_back()
        while self.searched < self.source.size:
            start, end = self.searched, self.searched + self.block
            if (data := self._read(start, self._next)) is None:
                return False
            count, last = self._tally(data, end - max(start, self._next))
            self._next = max(end, max(start, self._next) + last)
            self.hits += count
            if end <= self.source.size:
                self._resume.append(self._next)
                self._before.append(self.hits)
            self.searched = min(end, self.source.size)
            if clock() >= until:
                break
        return not self.complete

    def _go_back(self) -> None:
        """The file grew: its last blocks are searched anew, a hit may go over the old end."""
        with self._going_back:
            whole = len(self._before) - 1
            while whole and whole * self.block + self._longest - 1 > self._size:
                whole -= 1
            del self._before[whole + 1 :], self._resume[whole + 1 :]
            self.hits, self._next = self._before[whole], self._resume[whole]
            self.searched, self._size = whole * self.block, self.source.size

    def _read(self, start: int, resume: int) -> bytes | None:
        """What hits of the block at `start` can be in; None: it isn't readable."""
        resume = max(start, resume)
        data = self.source.read(resume, self.block + self._longest - 1 - (resume - start))
        unreadable = not data and resume < min(start + self.block, self.source.size)
        return None if unreadable else data

    def _tally(self, data: bytes, limit: int) -> tuple[int, int]:
        """How many hits begin before `limit`, and where the last one ends."""
        if not self._alone:
            ends = [last for first, last in self._find(data) if first < limit]
            return len(ends), ends[-1] if ends else 0
        data = data.lower() if self._fold else data
        reach = max(0, limit + len(self._needle) - 1)
        last = data.rfind(self._needle, 0, reach)
        return data.count(self._needle, 0, reach), last + len(self._needle) if last >= 0 else 0

    def _find(self, data: bytes) -> Iterator[tuple[int, int]]:
        if not self._needle:
            yield from (match.span() for match in self._regex.finditer(data))
            return
        data = data.lower() if self._fold else data
        needle, size = self._needle, len(self._needle)
        at = data.find(needle)
        while at >= 0:
            yield at, at + size
            at = data.find(needle, at + size)

    def _block_hits(self, block: int) -> list[tuple[int, int]]:
        """The hits that begin in a block that was searched, wholly or in part."""
        start = block * self.block
        resume = max(start, self._resume[block])
        limit = min(start + self.block, self.searched) - resume
        found = self._find(self._read(start, resume) or b"")
        return [(resume + first, resume + last) for first, last in found if first < limit]

    # Asked meanwhile

    def after(self, offset: int) -> int | None:
        """The first hit that begins at `offset` or behind it, among those found so far."""
        with self._going_back:
            last = len(self._before) - 1
            block = max(0, min(offset // self.block, last))
            while True:
                for first, _ in self._block_hits(block):
                    if first >= offset:
                        return first
                if block >= last:
                    return None
                block = bisect_right(self._before, self._before[block + 1], block + 1, last + 1) - 1

    def before(self, offset: int) -> int | None:
        """The last hit that begins before `offset`, among those found so far."""
        with self._going_back:
            block = max(0, min((offset - 1) // self.block, len(self._before) - 1))
            while block >= 0:
                for first, _ in reversed(self._block_hits(block)):
                    if first < offset:
                        return first
                here = self._before[block]
                block = bisect_left(self._before, here) - 1 if here else -1
            return None

    def ordinal(self, offset: int) -> int:
        """Which hit the one at `offset` is, from 1."""
        with self._going_back:
            block = max(0, min(offset // self.block, len(self._before) - 1))
            within = sum(first <= offset for first, _ in self._block_hits(block))
            return self._before[block] + within
