"""JSON out of a file: line by line, or a whole document. Bad lines are None, never an error.

A file may be packed (`packed`).
"""

import json
from collections.abc import Iterator
from pathlib import Path

from app.replay.importers import packed

Value = dict[str, object] | None
"""One JSON object; None: the line holds none."""


def json_lines(path: Path) -> Iterator[Value]:
    """The objects of a file, one a line; blank lines are passed over.

    Raises:
        RecordingError: it can't be unpacked.
        OSError: it can't be read.
    """
    with packed.opened(path) as file:
        for line in file:
            if line.strip(b"\0 \t\r\n"):
                yield _object(line)


def document(path: Path) -> list[Value] | None:
    """What a file that is one JSON document over several lines holds: the list it is, or an object.

    None where it is read line by line: its first line is an object by itself.

    Raises:
        RecordingError: it can't be unpacked.
        OSError: it can't be read.
    """
    with packed.opened(path) as file:
        first = next((line for line in file if line.strip(b"\xef\xbb\xbf\0 \t\r\n")), b"")
        if _object(first) is not None:
            return None
    if path.stat().st_size > packed.LARGEST:
        return None
    with packed.opened(path) as file:
        whole = _parsed(file.read())
    if isinstance(whole, list):
        return [one if isinstance(one, dict) else None for one in whole]
    return [whole] if isinstance(whole, dict) else None


def _object(line: bytes) -> Value:
    value = _parsed(line)
    return value if isinstance(value, dict) else None


def _parsed(raw: bytes) -> object:
    text = raw.decode("utf-8", "replace").removeprefix("\ufeff").strip("\0 \t\r\n")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
