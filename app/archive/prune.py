"""Removes whole chains that nobody has used for long, with all that belongs to them.

A chain goes in three steps: a file that says what is to go, `<chain>.prune`, is put on the disk;
the files go, forks' ledgers before the root's; the rows go, then the file. A run that ended half
way is finished by the next (`finish_prunes`). All ledgers are locked meanwhile; a chain that is
open anywhere, or was used since it was looked at, stays.
"""

import contextlib
import glob
import json
import re
import shutil
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from app.archive.intake import forget_chain
from app.archive.outside import held_ledgers, lock_of
from app.archive.schema import transaction
from app.errors import HaimaError
from app.paths import pastes, tool_outputs
from app.storage import Lock, Locked, StorageError, sync_folder, write_atomic

_AGE = re.compile(r"([0-9]{1,6}) ?([hdw])", re.IGNORECASE)
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,63}")
"""What a ledger and a folder of results may be called: never a path."""

_UNUSED = """
SELECT n.chain, max(n.used), sum(n.undone IS NULL),
  coalesce((SELECT r.title FROM nodes r WHERE r.id = n.chain), ''),
  coalesce((SELECT r.project FROM nodes r WHERE r.id = n.chain), max(n.project))
FROM nodes n GROUP BY n.chain
HAVING max(n.used) < ? AND max(n.used) GLOB '[0-9][0-9][0-9][0-9]-*'
ORDER BY max(n.used), n.chain"""


class BadAge(HaimaError):  # noqa: N818
    """The age isn't one."""

    code = "bad_age"


@dataclass(frozen=True, slots=True)
class OldChain:
    """A chain that may go.

    Attributes:
        chain: its id.
        title: the title of its first node.
        project: the folder of its project.
        used: when it was last used, ISO 8601 UTC.
        nodes: how many nodes it has.
        ledgers: the names of its ledgers, the root's last.
        size: bytes of its ledgers.
    """

    chain: str
    title: str
    project: str
    used: str
    nodes: int
    ledgers: tuple[str, ...]
    size: int


def parse_age(text: str) -> timedelta:
    """An age as the user writes it: `12h` hours, `30d` days, `4w` weeks.

    Months are left out on purpose: `2m` could be minutes.

    Raises:
        BadAge: it isn't one.
    """
    found = _AGE.fullmatch(text.strip())
    if found is None:
        raise BadAge("sessions.bad_age", value=text)
    return int(found[1]) * _UNITS[found[2].lower()]


def plan_prune(
    connection: sqlite3.Connection, ledgers: Path, older_than: timedelta, now: datetime
) -> tuple[OldChain, ...]:
    """The chains none of whose nodes was used for this long, deleted ones too, the oldest first.

    Open ones are left out, and those whose time of use can't be read.

    Args:
        connection: of the archive; it should have caught up with the ledgers.
        ledgers: their folder.
        older_than: how long.
        now: the present, with its zone.

    Raises:
        StorageError: the locks can't be tried.
    """
    try:
        limit = (now - older_than).astimezone(UTC)
    except OverflowError:
        return ()
    stamp = limit.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    rows = connection.execute(_UNUSED, [stamp]).fetchall()
    plan = []
    for chain, used, nodes, title, project in rows:
        names = _ledgers_of(connection, chain)
        if not held_ledgers(ledgers, names):
            size = sum(_size(ledgers / f"{name}.jsonl") for name in names)
            plan.append(OldChain(chain, title, project, used, nodes, names, size))
    return tuple(plan)


def prune(
    connection: sqlite3.Connection, ledgers: Path, plan: Sequence[OldChain]
) -> tuple[OldChain, ...]:
    """Removes the chains of a plan for good, after what an earlier run left half done.

    Args:
        connection: of the archive, in autocommit mode.
        ledgers: their folder.
        plan: of `plan_prune`; one that was opened or used since is passed over.

    Returns:
        Those that were removed.

    Raises:
        StorageError: a file can't be removed; the next run goes on with it.
        sqlite3.Error: the rows can't be removed; likewise.
    """
    finish_prunes(connection, ledgers)
    return tuple(old for old in plan if _prune_one(connection, ledgers, old))


def finish_prunes(connection: sqlite3.Connection, ledgers: Path) -> tuple[str, ...]:
    """Finishes what a run left half done; the chains that are gone now.

    A chain that is open, or that was written to since, stays as it is.

    Raises:
        StorageError: a file can't be removed.
        sqlite3.Error: the rows can't be removed.
    """
    try:
        marks = sorted(ledgers.glob("*.prune"))
        return tuple(mark.stem for mark in marks if _finish_one(connection, ledgers, mark))
    except OSError as error:
        raise StorageError.from_os(Path(error.filename or ledgers), error) from error


def _finish_one(connection: sqlite3.Connection, ledgers: Path, mark: Path) -> bool:
    """Finishes what a mark tells; False where the chain stays, or the mark tells nothing."""
    names, folders = _read_mark(mark)
    with contextlib.ExitStack() as locks:
        try:
            _lock(locks, ledgers, names)
        except Locked:
            return False
        files = [ledgers / f"{name}.jsonl" for name in names]
        begun = mark.stat().st_mtime_ns
        used = any(file.exists() and file.stat().st_mtime_ns > begun for file in files)
        if used or not names:
            mark.unlink()
            return False
        _remove(connection, ledgers, mark.stem, names, folders)
    return True


def _prune_one(connection: sqlite3.Connection, ledgers: Path, old: OldChain) -> bool:
    """Removes a chain; False where it is open or was used since."""
    if not _NAME.fullmatch(old.chain):
        return False
    with contextlib.ExitStack() as locks:
        try:
            _lock(locks, ledgers, old.ledgers)
        except Locked:
            return False
        row = connection.execute(
            "SELECT max(used) FROM nodes WHERE chain = ?", [old.chain]
        ).fetchone()
        if row[0] != old.used or _ledgers_of(connection, old.chain) != old.ledgers:
            return False
        folders = _folders_of(connection, old.chain)
        mark = {"ledgers": old.ledgers, "folders": [str(folder) for folder in folders]}
        write_atomic(ledgers / f"{old.chain}.prune", json.dumps(mark).encode(), 0o600)
        _remove(connection, ledgers, old.chain, old.ledgers, folders)
    return True


def _lock(locks: contextlib.ExitStack, ledgers: Path, names: Sequence[str]) -> None:
    """Takes the locks of all ledgers.

    Raises:
        Locked: one is open.
        StorageError: they can't be taken.
    """
    for name in names:
        locks.enter_context(Lock(lock_of(ledgers / f"{name}.jsonl")))


def _remove(
    connection: sqlite3.Connection,
    ledgers: Path,
    chain: str,
    names: Sequence[str],
    folders: Sequence[Path],
) -> None:
    """Files, then rows, then the mark; each step may have been done before.

    Raises:
        StorageError: a file can't be removed.
        sqlite3.Error: the rows can't be removed.
    """
    try:
        for name in names:
            ledger = ledgers / f"{name}.jsonl"
            for aside in ledgers.glob(f"{glob.escape(ledger.name)}.*"):
                if aside != lock_of(ledger):
                    aside.unlink(missing_ok=True)
            ledger.unlink(missing_ok=True)
        for folder in folders:
            if folder.is_dir() and not _leads_away(folder):
                shutil.rmtree(folder)
        sync_folder(ledgers)
        with transaction(connection):
            forget_chain(connection, chain)
        (ledgers / f"{chain}.prune").unlink(missing_ok=True)
    except OSError as error:
        raise StorageError.from_os(Path(error.filename or ledgers), error) from error


def _ledgers_of(connection: sqlite3.Connection, chain: str) -> tuple[str, ...]:
    """The names of a chain's ledgers, the root's last."""
    rows = connection.execute(
        "SELECT ledger FROM nodes WHERE chain = ?1 UNION SELECT name FROM ledgers WHERE chain = ?1",
        [chain],
    )
    names = {row[0] for row in rows if _NAME.fullmatch(row[0])}
    return tuple(sorted(names, key=lambda name: (name == chain, name)))


def _folders_of(connection: sqlite3.Connection, chain: str) -> tuple[Path, ...]:
    """The folders of results and pastes of a chain, in each of its projects (one, as a rule)."""
    rows = connection.execute("SELECT DISTINCT project FROM nodes WHERE chain = ?", [chain])
    projects = sorted(Path(row[0]) for row in rows if row[0])
    return tuple(
        folder(project, chain)
        for project in projects
        if project.is_absolute()
        for folder in (tool_outputs, pastes)
    )


def _leads_away(folder: Path) -> bool:
    """Whether a link in `.haima` would have us remove something else."""
    return any(step.is_symlink() for step in (folder, folder.parent, folder.parent.parent))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _read_mark(mark: Path) -> tuple[tuple[str, ...], tuple[Path, ...]]:
    """What a half run wrote down; nothing where that can't be read."""
    try:
        told = json.loads(mark.read_bytes())
        names = tuple(str(name) for name in told["ledgers"] if _NAME.fullmatch(str(name)))
        folders = tuple(Path(str(folder)) for folder in told["folders"])
    except (OSError, ValueError, TypeError, KeyError):
        return (), ()
    return names, tuple(folder for folder in folders if folder.name == mark.stem)
