"""Reads a settings file: plain TOML of a sane size, or an error that names file and line."""

import os
import re
import stat
import tomllib
from pathlib import Path

from app.config.errors import ConfigError

_LARGEST = 1_000_000
"""Bytes; a settings file is a page of text, and a project's file is not ours to trust."""

_LINE = re.compile(r"at line (\d+)")
_WHERE = re.compile(r"\s*\(at (line \d+, column \d+|end of document)\)")


def read_toml(path: Path) -> dict[str, object]:
    """The table in the file; empty where there is no file.

    Raises:
        ConfigError: it can't be read, isn't a plain file, isn't UTF-8 or isn't TOML.
    """
    raw = read_bytes(path) or b""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError("config.not_utf8", path=path, line=line) from error
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said = str(error)
        found = _LINE.search(said)
        line = int(found[1]) if found else text.rstrip().count("\n") + 1
        reason = _WHERE.sub("", said)
        raise ConfigError("config.broken", path=path, line=line, reason=reason) from error
    except RecursionError as error:
        raise ConfigError("config.broken", path=path, line=1, reason="nested too deep") from error


def read_bytes(path: Path) -> bytes | None:
    """The bytes, None where there is no file; never waits for a pipe, never reads a giant.

    Raises:
        ConfigError: it can't be read, isn't a plain file or is too large.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise ConfigError("config.not_a_file", path=path)
            if found.st_size > _LARGEST:
                raise ConfigError("config.too_large", path=path, most=f"{_LARGEST // 1_000_000} MB")
            with os.fdopen(os.dup(descriptor), "rb") as file:
                return file.read(_LARGEST)
        finally:
            os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError("config.unreadable", path=path, reason=reason) from error
