"""What went wrong, kept in `<home>/haima.log` for a report of a fault; never a credential."""

import logging
import os
from collections.abc import Callable
from pathlib import Path

from app.storage import StorageError, open_private, private_folder

_MOST = 1_000_000
"""Bytes; a larger log is put aside as `haima.log.1` when the next Haima starts."""


def start_log(log_file: Path, mask: Callable[[str], str]) -> None:
    """Sends warnings and faults of the program to the log file, from now on.

    The file is made by the first entry. A log that can't be written is no reason to stop.

    Args:
        log_file: where they go.
        mask: takes credentials out of each entry.
    """
    logger = logging.getLogger("app")
    for handler in logger.handlers[:]:
        logger.removeHandler(handler)
    logger.addHandler(_PrivateLog(log_file, mask))
    logger.setLevel(logging.WARNING)
    logger.propagate = False


class _PrivateLog(logging.Handler):
    """Appends entries to a file that only the user can read."""

    def __init__(self, path: Path, mask: Callable[[str], str]) -> None:
        super().__init__(logging.WARNING)
        self._path = path
        self._mask = mask
        self._checked = False
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Writes one entry, or gives up on it."""
        try:
            entry = self._mask(self.format(record)) + "\n"
            private_folder(self._path.parent)
            self._put_aside()
            descriptor = open_private(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            with os.fdopen(descriptor, "ab") as file:
                file.write(entry.encode("utf-8", "backslashreplace"))
        except (OSError, StorageError):
            pass

    def _put_aside(self) -> None:
        if self._checked:
            return
        self._checked = True
        if self._path.exists() and self._path.stat().st_size > _MOST:
            self._path.replace(self._path.with_name(self._path.name + ".1"))
