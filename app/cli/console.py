"""What every command writes with: results on stdout, one sentence on stderr where it fails."""

import logging
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.codes import FAILED

if TYPE_CHECKING:
    from app.text import Words


class OutputClosed(Exception):  # noqa: N818
    """The reader of our output went away: `haima sessions list | head -3`.

    No `OSError`: in the archive's thread that would be trouble with the database.
    """


class Console:
    """Standard output and standard error, whatever their encoding.

    Attributes:
        words: in the user's language; exchanged when the settings are read.
        mask: takes Haima's credentials out of what is said; known once the settings are read.
        log_file: where a fault is written down; None until the home is known.
    """

    def __init__(self, words: "Words") -> None:
        self.words = words
        self.mask: Callable[[str], str] = str
        self.log_file: Path | None = None

    @property
    def columns(self) -> int:
        """Cells of a line; 100 where there is no terminal."""
        return max(20, shutil.get_terminal_size((100, 24)).columns)

    @property
    def ascii_only(self) -> bool:
        """Whether what is written can hold no other characters."""
        encoding = sys.stdout.encoding if sys.stdout else ""
        return not (encoding or "").lower().startswith("utf")

    def print(self, text: str) -> None:
        """Writes text to stdout as it is and flushes it.

        Raises:
            OutputClosed: the reader went away.
            StorageError: it can't be written: a full disk.
        """
        if sys.stdout is None:  # it was closed before we began
            return
        self.write(text.encode(sys.stdout.encoding or "utf-8", "backslashreplace"))

    def write(self, data: bytes) -> None:
        """The same for bytes that have to arrive as they are."""
        if sys.stdout is None:
            return
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except BrokenPipeError as error:
            raise OutputClosed from error
        except OSError as error:
            from app.storage import StorageError

            drop_stdout()
            raise StorageError.from_os(Path("stdout"), error) from error

    def print_records(self, records: Iterable[object]) -> None:
        """Writes one JSON object a line."""
        import json

        self.print("".join(f"{json.dumps(record)}\n" for record in records))

    def say(self, sentence: str) -> None:
        """One line for people on stderr; nobody need read it."""
        from app.boundary import visible

        line = visible(self.mask(" ".join(f"haima: {sentence}".split())))
        if sys.stderr is not None:
            with suppress(OSError):
                sys.stderr.buffer.write(line.encode("utf-8", "backslashreplace") + b"\n")
                sys.stderr.buffer.flush()

    def fail(self, sentence: str, code: int) -> int:
        """Says what went wrong; gives the exit code back."""
        self.say(sentence)
        return code

    def fault(self, error: Exception) -> int:
        """A fault of the program: the traceback goes to the log, a sentence to the user."""
        if self.log_file is not None:
            self._write_down(error, self.log_file)
        problem = f"{type(error).__name__}: {error}"
        return self.fail(self.words("cli.fault", problem=problem, log=self.log_file or "—"), FAILED)

    def _write_down(self, error: Exception, log_file: Path) -> None:
        """Puts a traceback into the log, which may not have begun yet (else stderr gets it)."""
        if not logging.getLogger("app").handlers:
            from app.session.logs import start_log

            start_log(log_file, self.mask)
        logging.getLogger("app.cli").error("unexpected", exc_info=error)


def drop_stdout() -> None:
    """What is still to be written, the interpreter's own flush too, goes nowhere."""
    if sys.stdout is not None:
        with suppress(OSError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
