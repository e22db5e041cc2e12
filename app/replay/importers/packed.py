"""Recordings that lie packed: gzip is unpacked while it is read, Zstandard is named.

Both are known by their first bytes, whatever the file is called. What comes out of a packed file is
limited, as a small one may unpack to any size.
"""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from app.replay.recording import RecordingError

LARGEST: Final = 512 * 1024 * 1024
"""Bytes of a document that is read whole, and of what a packed file unpacks to."""

_GZIP: Final = b"\x1f\x8b"
_ZSTANDARD: Final = b"\x28\xb5\x2f\xfd"


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file's content, unpacked.

    Raises:
        RecordingError: it can't be unpacked; also while it is read.
        OSError: it can't be read; also while it is read.
    """
    with path.open("rb") as file:
        match _packing(file):
            case "gzip":
                with io.BufferedReader(_Unpacked(file, path.name)) as unpacked:
                    yield unpacked
            case "zstandard":
                raise RecordingError("replay.zstandard", source=path.name)
            case _:
                yield file


def unpacked_name(path: Path) -> str:
    """The name of what a file holds: without the `.gz` of a packed one."""
    return path.stem if path.suffix.lower() == ".gz" else path.name


def _packing(file: BinaryIO) -> str:
    """How a file is packed; "" for not at all. It stands at its beginning again."""
    first = file.read(len(_ZSTANDARD))
    file.seek(0)
    if first.startswith(_GZIP):
        return "gzip"
    return "zstandard" if first == _ZSTANDARD else ""


class _Unpacked(io.RawIOBase):
    """What a gzip file holds, up to the limit."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        super().__init__()
        self._file = gzip.GzipFile(fileobj=file)
        self._name = name
        self._size = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        """Unpacks some more.

        Raises:
            RecordingError: it is damaged, or unpacks to more than is read.
            OSError: it can't be read.
        """
        try:
            count = self._file.readinto(buffer)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise RecordingError("replay.gzip_damaged", source=self._name) from error
        self._size += count
        if self._size > LARGEST:
            limit = LARGEST // (1024 * 1024)
            raise RecordingError("replay.gzip_large", source=self._name, limit=limit)
        return count
