"""Server-sent events, byte by byte: a pure, incremental parser.

Our own, for four things openai's decoder doesn't do (measured with 3.57): a lone `retry:` or `id:`
line makes it parse "" as JSON and fail, so do blank lines once an `id:` was seen, which DeepSeek
sends for minutes; a byte that isn't UTF-8 raises; a byte order mark hides the first event; and a
body that isn't a stream at all, an error in JSON or a web page, is lost (PROVIDERS 0, part 4).
"""

from collections.abc import Iterator
from typing import NamedTuple

_BOM = b"\xef\xbb\xbf"


class ServerEvent(NamedTuple):
    """One event: its name ("" for most), and its data."""

    name: str
    data: str


class EventParser:
    """Takes bytes as they arrive, gives each event.

    Line ends may be LF, CR LF or CR; `data:` lines of one event are joined by a newline; comments
    and fields but `event` are left out. Bytes that are no UTF-8 become U+FFFD.

    Attributes:
        other: what came, when the body turned out to be no event stream, else None.
    """

    _LONGEST_OTHER = 1_000_000
    """Bytes of a body that is no stream which are kept: an error, or a whole answer."""

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._name = b""
        self._data: list[bytes] = []
        self._after_cr = False
        self._start: bytearray | None = bytearray()
        self.other: bytearray | None = None

    def feed(self, raw: bytes) -> Iterator[ServerEvent]:
        """Every event with data that is complete with these bytes."""
        if self._start is not None:
            self._start += raw
            begun = _without_mark(bytes(self._start))
            if not begun:
                return
            self._start = None
            raw = begun
            if begun.startswith((b"{", b"[", b"<")):
                self.other = bytearray()
        if self.other is not None:
            self.other += raw[: self._LONGEST_OTHER - len(self.other)]
            return
        yield from self._events(raw)

    def finish(self) -> Iterator[ServerEvent]:
        """The event that the end of the stream completes; its data may be cut."""
        if self.other is None:
            yield from self._events(b"\n\n")

    def _events(self, raw: bytes) -> Iterator[ServerEvent]:
        if self._after_cr and raw.startswith(b"\n"):
            raw = raw[1:]
            self._after_cr = False
        if raw:
            self._after_cr = raw.endswith(b"\r")
        for line in raw.splitlines(keepends=True):
            self._line.append(line)
            if line.endswith((b"\n", b"\r")):
                whole = b"".join(self._line).rstrip(b"\r\n")
                self._line.clear()
                if whole:
                    self._field(whole)
                    continue
                if self._data:
                    yield ServerEvent(_decode(self._name), _decode(b"\n".join(self._data)))
                self._name = b""
                self._data.clear()

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
        elif name == b"event":
            self._name = value.strip()


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _without_mark(start: bytes) -> bytes:
    """The body's first bytes without byte order mark and blank space; b"" while undecided."""
    if _BOM.startswith(start):
        return b""
    return start.removeprefix(_BOM).lstrip()
