"""Keeps what the user chose in `~/.haima/config.toml`, without disturbing the rest of the file.

The file is the user's own: comments, order and spelling stay. An edit replaces the lines of one
value or adds one line; it counts only if the file then reads as before but for that value.
"""

import copy
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence

from app.config import ConfigError, check_value, read_bytes, read_toml
from app.paths import Paths
from app.storage import Conflict, Lock, private_folder, write_atomic

Value = str | int | float | bool | Sequence[str] | None
"""What a setting can be; None takes it out of the file."""

_TRIES = 3
_PATIENCE = 2.0
"""Seconds to wait for another haima that keeps something."""

_LONGEST = 200
"""Lines of one value that are looked through for its end."""


def remember(paths: Paths, section: str, key: str, value: Value) -> None:
    """Keeps one setting in the user file (see `remember_all`)."""
    remember_all(paths, {f"{section}.{key}": value})


def remember_all(paths: Paths, values: Mapping[str, Value]) -> None:
    """Keeps settings in the user file, all or none; 0600, for a key may be among them.

    Args:
        paths: the home.
        values: `model.name` → value.

    Raises:
        ConfigError: a value is wrong, or the file is, or its form leaves no room for an edit.
        StorageError: it can't be written; it is as it was.
    """
    path = paths.config_file
    for key, value in values.items():
        if value is not None:
            check_value(key, list(value) if isinstance(value, tuple) else value, str(path))
    private_folder(paths.home)
    with Lock(path.with_name(path.name + ".lock"), timeout=_PATIENCE):
        for attempt in range(1, _TRIES + 1):
            read_toml(path)
            raw = read_bytes(path)
            changed = _edited(raw or b"", values, str(path))
            if changed == (raw or b""):
                return
            try:
                write_atomic(path, changed, 0o600, expected=raw)
            except Conflict:
                if attempt == _TRIES:
                    raise
            else:
                return


def _edited(raw: bytes, values: Mapping[str, Value], place: str) -> bytes:
    """The file with the values in it; its encoding mark and line ends as they were."""
    mark = b"\xef\xbb\xbf" if raw.startswith(b"\xef\xbb\xbf") else b""
    text = raw.decode("utf-8-sig")
    end = "\r\n" if "\r\n" in text else "\n"
    for key, value in values.items():
        text = _with(text, key, value, end, place)
    return mark + text.encode()


def _with(text: str, key: str, value: Value, end: str, place: str) -> str:
    """The text with one value set, or taken out."""
    table = tomllib.loads(text)
    wanted = _wanted(table, key, value)
    if wanted == table:
        return text
    for candidate in _candidates(text, key, value, end):
        try:
            if tomllib.loads(candidate) == wanted:
                return candidate
        except tomllib.TOMLDecodeError:
            continue
    shown = "…" if key == "model.api_key" else _toml(value)
    raise ConfigError("config.not_editable", place=place, line=f"{key} = {shown}")


def _wanted(table: dict[str, object], key: str, value: Value) -> dict[str, object]:
    """What the file must read as afterwards."""
    wanted = copy.deepcopy(table)
    section, _, name = key.partition(".")
    inner = wanted.setdefault(section, {}) if value is not None else wanted.get(section)
    if isinstance(inner, dict):
        if value is None:
            inner.pop(name, None)
        else:
            inner[name] = list(value) if isinstance(value, tuple) else value
    return wanted


def _candidates(text: str, key: str, value: Value, end: str) -> Iterator[str]:
    """Ways to edit the text, the least intrusive first; whether one is right is seen after."""
    section, _, name = key.partition(".")
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    header = re.compile(rf"\s*\[\s*{section}\s*\]\s*(#.*)?$")
    # A line like a header may stand inside a text of several lines: each is tried.
    starts = [index + 1 for index, line in enumerate(lines) if header.match(line)]
    for start in starts:
        yield from _replacements(lines, start, name, value, end)
    yield from _replacements(lines, 0, rf"{section}\s*\.\s*{name}", value, end)
    if value is None:
        return
    entry = f"{name} = {_toml(value)}{end}"
    closed = [*lines[:-1], lines[-1].rstrip("\r\n") + end] if lines else []
    for start in starts:
        for stop in (_last_entry(lines, start), start):
            yield "".join([*closed[:stop], entry, *closed[stop:]])
    gap = [end] if closed and closed[-1].strip() else []
    yield "".join([*closed, *gap, f"[{section}]{end}", entry])
    yield "".join([f"{section}.{entry}", *closed])


def _last_entry(lines: list[str], start: int) -> int:
    """The line after the last entry of the section that begins at `start`."""
    stop = start
    for index in range(start, len(lines)):
        if re.match(r"\s*\[", lines[index]):
            break
        if lines[index].strip() and not lines[index].lstrip().startswith("#"):
            stop = index + 1
    return stop


def _replacements(lines: list[str], start: int, name: str, value: Value, end: str) -> Iterator[str]:
    """The text with the value after `name =` replaced; it may go over several lines."""
    entry = re.compile(rf"(\s*[\"']?{name}[\"']?\s*=\s*)")
    for index in range(start, len(lines)):
        found = entry.match(lines[index])
        if not found:
            continue
        comment = _comment(lines[index])
        new = [] if value is None else [f"{found[1]}{_toml(value)}{comment}{end}"]
        for stop in range(index + 1, min(len(lines), index + _LONGEST) + 1):
            yield "".join([*lines[:index], *new, *lines[stop:]])


def _comment(line: str) -> str:
    """The remark at the end of an entry, with the space before it."""
    whole = line.rstrip("\r\n")
    for found in re.finditer(r"\s*#", whole):
        try:
            tomllib.loads(whole[: found.start()])
        except tomllib.TOMLDecodeError:
            continue
        return whole[found.start() :]
    return ""


def _toml(value: Value) -> str:
    """A value as TOML."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return "[" + ", ".join(map(_toml, value or ())) + "]"
