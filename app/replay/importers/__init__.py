"""Reads sessions that any agent recorded; the format is known by the content, not by the name.

A line that can't be read, or that nobody knows, costs that line only, and is counted. JSON lines
are read one by one; a file that is one JSON document is read whole. A file may be packed by gzip.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

from app.replay.building import Builder
from app.replay.importers import claude, codex, openai, sweagent
from app.replay.importers.lines import Value, document, json_lines
from app.replay.recording import Format, NoSuchRecording, Recording, RecordingError
from app.storage import StorageError
from app.text import Words

_LOOKED_AT = 200
"""Values at the beginning by which a format is known; summaries may stand before what was said."""

_Reader = Callable[[Iterable[Value], Builder], None]

_READERS: dict[Format, tuple[Callable[[list[dict[str, object]]], bool], _Reader]] = {
    "codex": (codex.detect, codex.read),
    "claude": (claude.detect, claude.read),
    "sweagent": (sweagent.detect, sweagent.read),
    "openai": (openai.detect, openai.read),
}


def read_recording(path: Path, words: Words) -> Recording:
    """Reads a session that another program recorded; it takes seconds for a hundred megabytes.

    Haima's own ledgers are known here and refused: `importers.haima` reads them.

    Args:
        path: the file.
        words: the language of notes in the place of missing results.

    Raises:
        NoSuchRecording: there is no such file.
        RecordingError: no format is known, it can't be unpacked, or nothing in it can be played.
        StorageError: it can't be read.
    """
    if not path.is_file():
        raise NoSuchRecording("replay.no_file", path=path)
    try:
        whole = document(path)
        values: Iterator[Value] = json_lines(path) if whole is None else iter(whole)
        first = list(islice(values, _LOOKED_AT))
        known = [value for value in first if value is not None]
        for name, (detect, read) in _READERS.items():
            if detect(known):
                builder = Builder(name, path.name, words)
                read(chain(first, values), builder)
                return builder.finish()
    except OSError as error:
        raise StorageError.from_os(path, error) from error
    raise RecordingError("replay.unknown_format", source=path.name)


def is_ledger(path: Path) -> bool:
    """Whether a file is a ledger of Haima's.

    Raises:
        RecordingError: it can't be unpacked.
        StorageError: it can't be read.
    """
    keys = {"seq", "at", "kind", "node", "conversation", "data"}
    try:
        first = islice(json_lines(path), _LOOKED_AT)
        return any(value is not None and keys <= value.keys() for value in first)
    except OSError as error:
        raise StorageError.from_os(path, error) from error
