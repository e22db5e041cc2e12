"""`haima sessions export`: a whole conversation, to stdout or to a file, never in memory."""

import os
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from app.archive.database import Connection
from app.archive.lineage import system_message, whole_past
from app.errors import HaimaError
from app.session.exports.chat import chat_lines
from app.session.exports.markdown import markdown_sections
from app.session.exports.records import record_lines
from app.storage import StorageError, open_private
from app.storage.files import write_all
from app.text.ages import local_time

if TYPE_CHECKING:
    from app.archive.sessions import NodeRecord
    from app.cli.console import Console
    from app.text import Words

_PIECE = 1 << 16
"""Characters that are written at once."""


class Exists(HaimaError):  # noqa: N818
    """The file an export should go to is there already."""

    code = "exists"


class _StoppedError(Exception):
    """Nobody waits for it any more."""


class Export:
    """One export, which can be stopped from another thread.

    Attributes:
        format: `md`, `json` or `openai`.
        output: the file; None: stdout.
        mask: takes secrets out of the text.
    """

    def __init__(self, console: "Console", options: Namespace, mask: Callable[[str], str]) -> None:
        self.format = options.format or ("json" if options.json else "md")
        to_stdout = options.output in {None, "-"}
        self.output = None if to_stdout else Path(options.output).expanduser()
        self.mask = mask
        self._console = console
        self._stopped = Event()

    def stop(self) -> None:
        """Ends it at the next piece."""
        self._stopped.set()

    def write(self, connection: Connection, node: "NodeRecord") -> None:
        """Writes the session's past; a half-written file is taken away again.

        Raises:
            Exists: there is such a file already.
            StorageError: it can't be written.
            OutputClosed: the reader of stdout went away.
        """
        pieces = self._unless_stopped(_in_pieces(self._text(connection, node)))
        if self.output is None:
            for piece in pieces:
                self._console.print(piece)
            return
        with _new_file(self.output) as descriptor:
            for piece in pieces:
                write_all(descriptor, piece.encode("utf-8", "backslashreplace"))

    def _unless_stopped(self, pieces: Iterator[str]) -> Iterator[str]:
        for piece in pieces:
            if self._stopped.is_set():
                raise _StoppedError
            yield piece

    def _text(self, connection: Connection, node: "NodeRecord") -> Iterator[str]:
        words, past = self._console.words, whole_past(connection, node.id)
        if self.format == "json":
            return record_lines(past, mask=self.mask)
        if self.format == "openai":
            system = system_message(connection, node.id)
            return chat_lines(past, system, words=words, mask=self.mask)
        return _document(markdown_sections(past, words=words, mask=self.mask), node, words)


def _document(sections: Iterator[str], node: "NodeRecord", words: "Words") -> Iterator[str]:
    """The sections below a heading, a blank line between."""
    day = local_time(node.created, datetime.now(UTC).astimezone()).partition(" ")[0]
    yield f"# {words('export.title', chain=node.id[:8], date=day)}\n"
    for section in sections:
        yield f"\n{section}\n"


def _in_pieces(texts: Iterator[str]) -> Iterator[str]:
    """The same text in pieces that are worth a write."""
    held: list[str] = []
    size = 0
    for text in texts:
        held.append(text)
        size += len(text)
        if size >= _PIECE:
            yield "".join(held)
            held, size = [], 0
    yield "".join(held)


@contextmanager
def _new_file(path: Path) -> Iterator[int]:
    """A file that wasn't there, 0600; on the disk in the end, or gone again.

    Raises:
        Exists: something lies there.
        StorageError: it can't be written.
    """
    try:
        descriptor = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    except FileExistsError as error:
        raise Exists("session_list.exists", path=path) from error
    except OSError as error:
        raise StorageError.from_os(path, error) from error
    try:
        yield descriptor
        os.fsync(descriptor)
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise StorageError.from_os(path, error) from error
        raise
    finally:
        os.close(descriptor)
