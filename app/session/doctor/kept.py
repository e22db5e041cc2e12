"""What is kept under the home: folder, settings, ledgers, locks; looked at, never changed."""

import asyncio
import os
import secrets
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from app.archive.rows import BadLine, read_rows
from app.config import ConfigError, Settings, check_file
from app.paths import Paths, project_config
from app.project import Project
from app.session.doctor.report import Finding, State
from app.storage import StorageError, is_held, open_private
from app.storage.files import TEMPORARY
from app.text import Words

_LITTLE = 100_000_000
"""Bytes free under which a session may end with a full disk."""

_MOST = 500_000_000
"""Bytes of ledgers that are read, the newest first: some seconds."""

_LISTED = 5
"""Bad lines that are listed."""


def short(path: Path, environ: Mapping[str, str]) -> str:
    """A path as it is shown: the user's home as `~`."""
    home = environ.get("HOME", "")
    if home and home != "/" and path.is_relative_to(home):
        return (Path("~") / path.relative_to(home)).as_posix()
    return str(path)


async def home(paths: Paths, environ: Mapping[str, str], words: Words) -> list[Finding]:
    """The folder itself: there, a folder, writable, private, with room left."""
    state, note, cure = await asyncio.to_thread(_home, paths.home, environ, words)
    return [
        Finding(
            check="home",
            state=state,
            label=words("doctor.home"),
            value=short(paths.home, environ),
            note=note,
            cure=cure,
        )
    ]


def _home(path: Path, environ: Mapping[str, str], words: Words) -> tuple[State, str, str]:
    """State, note and cure; writable is what a file can be made in, whoever asks."""
    if not os.path.lexists(path):
        return "ok", words("doctor.home_absent"), ""
    if not path.is_dir():
        return "fail", "", StorageError("storage.in_the_way", path=path).sentence(words)
    trial = path / f".haima-{secrets.token_hex(8)}.trial"
    try:
        os.close(open_private(trial, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        trial.unlink()
    except OSError as error:
        return "fail", "", StorageError.from_os(path, error).sentence(words)
    mode = stat.S_IMODE(path.stat().st_mode)
    if (free := shutil.disk_usage(path).free) < _LITTLE:
        return "warn", f"{mode:04o}", words("doctor.home_full", free=free // 1_000_000)
    if mode & 0o077:
        return "warn", f"{mode:04o}", f"chmod 700 {short(path, environ)}"
    return "ok", f"{mode:04o}", ""


async def settings(
    paths: Paths,
    project: Project,
    environ: Mapping[str, str],
    words: Words,
    loaded: Settings | None,
    wrong: ConfigError | None,
) -> list[Finding]:
    """The user's settings, variables and options: all right, and private."""
    path = paths.config_file
    errors = [error.sentence(words) for error in await asyncio.to_thread(check_file, path)]
    heard = (wrong,) if wrong is not None else loaded.notices if loaded is not None else ()
    for error in heard:
        about = error.values.get("place", error.values.get("path"))
        said = error.sentence(words)
        if str(about) != str(project_config(project.root)) and said not in errors:
            errors.append(said)
    present = path.exists()
    mode = stat.S_IMODE(path.stat().st_mode) if present else 0
    loose = present and bool(mode & 0o077)
    state: State = "ok"
    if errors:
        state = "warn" if wrong is None else "fail"
    elif loose:
        state = "warn"
        errors.append(f"chmod 600 {short(path, environ)}")
    return [
        Finding(
            check="settings",
            state=state,
            label=words("doctor.settings"),
            value=short(path, environ) if present else words("doctor.settings_absent"),
            note=f"{mode:04o}" if present else "",
            cure=errors[0] if errors else "",
            details=tuple(errors[1:]),
        )
    ]


@dataclass(slots=True)
class _Ledgers:
    """What reading them showed."""

    files: int = 0
    rows: int = 0
    size: int = 0
    unread: int = 0
    bad: list[BadLine] = field(default_factory=list)
    loose: list[Path] = field(default_factory=list)
    aside: int = 0
    broken: list[StorageError] = field(default_factory=list)


async def ledgers(paths: Paths, environ: Mapping[str, str], words: Words) -> list[Finding]:
    """Every row of every ledger, as far as that goes in some seconds."""
    read = await asyncio.to_thread(_read_ledgers, paths.ledgers)
    folder = short(paths.ledgers, environ)
    state: State = "ok"
    value = words("doctor.ledger_count", n=read.files)
    note = f"{words('doctor.ledger_rows', n=read.rows)} · {read.size / 1_000_000:,.1f} MB"
    cure, details = "", [bad.sentence(words) for bad in read.bad[:_LISTED]]
    if not read.files:
        value, note = words("doctor.ledger_none"), ""
    if read.unread:
        details.append(words("doctor.ledger_unread", n=read.unread))
    if read.aside:
        details.append(words("doctor.ledger_aside", n=read.aside, folder=folder))
    if read.broken:
        state, cure = "fail", read.broken[0].sentence(words)
    elif read.bad:
        state = "warn"
        value = words("doctor.ledger_bad", n=len(read.bad), name=_where(read.bad[0]))
        note, cure = words("doctor.ledger_skipped"), words("doctor.ledger_cure")
        details = details if len(read.bad) > 1 else details[1:]
    elif read.loose:
        state, cure = "warn", f"chmod 600 {folder}/*.jsonl"
    return [
        Finding(
            check="ledger",
            state=state,
            label=words("doctor.ledger"),
            value=value,
            note=note,
            cure=cure,
            details=tuple(details),
        )
    ]


def _read_ledgers(folder: Path) -> _Ledgers:
    """Reads the newest first; a file that goes away meanwhile is none."""
    found = _Ledgers()
    if not folder.is_dir():
        return found
    found.aside = sum(1 for name in ("*.torn-*", "*.replaced-*") for _ in folder.glob(name))
    sizes = {path: path.stat() for path in folder.glob("*.jsonl") if path.exists()}
    for path in sorted(sizes, key=lambda path: -sizes[path].st_mtime):
        found.files += 1
        if stat.S_IMODE(sizes[path].st_mode) & 0o077:
            found.loose.append(path)
        if found.size + sizes[path].st_size > _MOST:
            found.unread += 1
            continue
        found.size += sizes[path].st_size
        try:
            found.rows += sum(1 for _ in read_rows(path, found.bad.append))
        except StorageError as error:
            found.broken.append(error)
    return found


def _where(bad: BadLine) -> str:
    return f"{bad.path.parent.name}/{bad.path.name}:{bad.line}"


async def locks(paths: Paths, words: Words) -> list[Finding]:
    """Locks in use, and what a crash left: both harmless, told."""
    held, left, temporary = await asyncio.to_thread(_locks, paths)
    parts = [words("doctor.locks_held", n=held) if held else words("doctor.locks_free")]
    parts.append(words("doctor.locks_left", n=left) if left else words("doctor.locks_none_left"))
    if temporary:
        parts.append(words("doctor.temporary_left", n=temporary))
    return [
        Finding(
            check="locks",
            state="ok",
            label=words("doctor.locks"),
            value=words("doctor.comma").join(parts),
            note=words("doctor.harmless") if left or temporary else "",
        )
    ]


def _locks(paths: Paths) -> tuple[int, int, int]:
    """How many are held, how many names and temporary files are left."""
    files = [path for folder in (paths.home, paths.ledgers) for path in folder.glob("*.lock")]
    held = [path for path in files if path.is_file() and is_held(path)]
    temporary = sum(1 for folder in (paths.home, paths.ledgers) for _ in folder.glob(TEMPORARY))
    return len(held), len(files) - len(held), temporary
