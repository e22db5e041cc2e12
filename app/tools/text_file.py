"""Reads a file of the project as text: what it is, how its lines end, and why it can't be read."""

from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

from app.conversation.window import RULES
from app.project import BadPath
from app.text.sizes import human_size
from app.tools.base import ToolContext, ToolOutput

LARGEST = RULES.result_bytes
"""Bytes of a file that is read, or searched, or replaced."""

_BOM = b"\xef\xbb\xbf"

_KINDS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"%PDF-", "PDF"),
    (b"PK\x03\x04", "ZIP"),
    (b"PK\x05\x06", "ZIP"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
    (b"\x7fELF", "ELF"),
    (b"\xcf\xfa\xed\xfe", "Mach-O"),
    (b"\xca\xfe\xba\xbe", "Java class"),
    (b"MZ", "Windows program"),
    (b"\0asm", "WebAssembly"),
    (b"SQLite format 3\0", "SQLite"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
    (b"OggS", "Ogg"),
    (b"ID3", "MP3"),
    (b"fLaC", "FLAC"),
)
"""Beginnings of common binary files (published signatures of these formats)."""

_TELLS_WITHOUT_NUL = frozenset({"PNG", "JPEG", "PDF", "gzip", "xz", "Zstandard"})
"""Kinds whose beginning is long or odd enough to be no text, even if no NUL follows."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text file as it was read.

    Attributes:
        raw: its bytes.
    """

    raw: bytes

    @property
    def mark(self) -> int:
        """How many bytes of a byte order mark it begins with."""
        return len(_BOM) if self.raw.startswith(_BOM) else 0

    @property
    def exact(self) -> str:
        """The text from which `exact_bytes` makes the same bytes: line ends and all kept."""
        return self.raw.removeprefix(_BOM).decode("utf-8", "surrogateescape")

    def exact_bytes(self, text: str) -> bytes:
        """The bytes of a changed `exact`, the mark put back."""
        return self.raw[: self.mark] + text.encode("utf-8", "surrogateescape")


def read_text(
    context: ToolContext, path: Path, given: str, *, binary: bool = False
) -> TextFile | ToolOutput:
    """Reads a resolved path; a failed result where that can't be done.

    Args:
        context: of the tools.
        path: resolved.
        given: as the model wrote it, for the sentence.
        binary: whether it may hold anything: every byte can be shown.
    """
    try:
        if path.is_dir():
            return context.failed(
                "tool_result.is_folder", reason="tool_result.is_folder_short", path=given
            )
        with context.project.open(path) as file:
            raw = file.read(LARGEST + 1)
    except FileNotFoundError:
        return missing(context, path, given)
    except BadPath as error:
        return context.failed_by(error)
    except OSError as error:
        return context.failed("tool_result.unreadable", path=given, problem=error.strerror)
    if len(raw) > LARGEST:
        return too_large(context, path, given)
    kind = None if binary else binary_kind(raw)
    if kind is not None:
        named = kind or context.words("tool_result.binary_unknown")
        return context.failed(
            "tool_result.binary",
            reason="tool_result.binary_short",
            path=given,
            kind=named,
            size=human_size(len(raw)),
        )
    return TextFile(raw)


def binary_kind(raw: bytes) -> str | None:
    """What kind of binary file this is; "" for an unknown one, None for text."""
    kind = next((name for start, name in _KINDS if raw.startswith(start)), "")
    if b"\0" in raw or kind in _TELLS_WITHOUT_NUL:
        return kind
    return None


def too_large(context: ToolContext, path: Path, given: str) -> ToolOutput:
    """The result for a file over `LARGEST`."""
    size = human_size(path.stat().st_size)
    return context.failed(
        "tool_result.too_large",
        reason="tool_result.too_large_short",
        path=given,
        size=size,
        most=human_size(LARGEST),
    )


def missing(context: ToolContext, path: Path, given: str) -> ToolOutput:
    """The result for a path where nothing is: names that come close."""
    close = close_paths(context, path)
    if not close:
        return context.failed("tool_result.missing", reason="tool_result.missing_short", path=given)
    return context.failed(
        "tool_result.missing_similar",
        reason="tool_result.missing_short",
        path=given,
        similar=", ".join(close),
    )


def close_paths(context: ToolContext, path: Path, most: int = 3) -> list[str]:
    """Files whose path is like this one: same name elsewhere first, then similar names."""
    files = list(islice(context.project.files(), 20_000))
    wanted = context.project.relative(path)
    same = [file for file in files if file.rpartition("/")[2].lower() == path.name.lower()]
    near = [file for file in files if file.rpartition("/")[0] == wanted.rpartition("/")[0]]
    similar = get_close_matches(wanted, near, n=most, cutoff=0.6)
    return list(dict.fromkeys([*same[:most], *similar]))[:most]
