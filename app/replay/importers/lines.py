"""JSON out of a file: line by line, or a whole document. Bad lines are None, never an error."""

import json
from collections.abc import Iterator
from pathlib import Path

Value = dict[str, object] | None
"""One JSON object; None: the line holds none."""

_LARGEST = 512 * 1024 * 1024
"""Bytes of a document that is read whole."""


def json_lines(path: Path) -> Iterator[Value]:
    """The objects of a file, one a line; blank lines are passed over.

    Raises:
        OSError: it can't be read.
    """
    with path.open("rb") as file:
        for line in file:
            if line.strip(b"\0 \t\r\n"):
                yield _object(line)


def document(path: Path) -> list[Value] | None:
    """What a file that is one JSON document over several lines holds: the list it is, or an object.

    None where it is read line by line: its first line is an object by itself.

    Raises:
        OSError: it can't be read.
    """
    with path.open("rb") as file:
        first = next((line for line in file if line.strip(b"\xef\xbb\xbf\0 \t\r\n")), b"")
        if _object(first) is not None:
            return None
    if path.stat().st_size > _LARGEST:
        return None
    whole = _parsed(path.read_bytes())
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
