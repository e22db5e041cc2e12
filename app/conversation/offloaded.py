"""Where the content of a result stands since it left the context; state, never read from text."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Offloaded:
    """A content that was moved to a file.

    Attributes:
        path: the file, relative to the project's root, with slashes.
        bytes: its size.
        characters: length of its text in code points, CRLF as one.
        lines: how many lines.
        sha256: of its bytes, in hex: whether it is still what was moved.
    """

    path: str
    bytes: int
    characters: int
    lines: int
    sha256: str

    def to_data(self) -> dict[str, object]:
        """As JSON types."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: object) -> Self | None:
        """What `to_data` gave; None where it isn't one."""
        if not isinstance(data, Mapping):
            return None
        path, sha256 = data.get("path"), data.get("sha256")
        size, characters, lines = (data.get(name) for name in ("bytes", "characters", "lines"))
        if not isinstance(path, str) or not isinstance(sha256, str) or not path:
            return None
        if isinstance(size, int) and isinstance(characters, int) and isinstance(lines, int):
            return cls(path, size, characters, lines, sha256)
        return None
