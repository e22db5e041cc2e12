"""The memories: their file, what waits for a decision, what was put aside; looked at only."""

import asyncio
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.errors import HaimaError
from app.memory.fact_disk import read
from app.memory.fact_file import parse
from app.memory.fact_history import heir_of
from app.memory.fact_journal import FactJournal
from app.memory.fact_keeper import journal_of
from app.memory.fact_outcomes import FactReport
from app.memory.fact_trouble import flaws_in_words
from app.memory.facts import project_key
from app.memory.inbox import Pending, parse_inbox, unsettled
from app.paths import Paths
from app.project import Project
from app.session.doctor.kept import short
from app.session.doctor.report import Finding, State
from app.storage import StorageError
from app.text import Words


@dataclass(frozen=True, slots=True)
class _Memory:
    """What the folder showed.

    Attributes:
        report: what is wrong with the facts' file, and how many facts it has.
        here: how many of them this project sees.
        waiting: conflicts in the inbox; None: it is broken.
        copies: broken content that was put aside.
        loose: files that others can read.
        broken: files that can't be read.
    """

    present: bool
    report: FactReport
    here: int
    waiting: int | None
    copies: int
    loose: tuple[Path, ...]
    broken: tuple[HaimaError, ...]


async def memories(
    paths: Paths, project: Project, environ: Mapping[str, str], words: Words
) -> list[Finding]:
    """The file of facts with all that lies beside it."""
    found = await asyncio.to_thread(_look, paths, project_key(str(project.root)))
    report, details = found.report, list[str]()
    state: State = "ok"
    value = words("doctor.memory_count", n=report.facts) if found.present else ""
    cures = [error.sentence(words) for error in found.broken]
    if found.broken:
        state = "fail"
    if report.flaws:
        state = "fail" if found.broken else "warn"
        details.append(words("doctor.memory_damaged", flaws=flaws_in_words(report, words)))
        cures.append(words("doctor.memory_cure"))
    if found.waiting is None:
        state = "fail" if found.broken else "warn"
        details.append(words("doctor.memory_inbox_damaged", path=short(paths.inbox_file, environ)))
    elif found.waiting:
        details.append(words("doctor.memory_waiting", n=found.waiting))
        cures.append("haima memory inbox")
    if found.copies:
        folder = short(paths.memory, environ)
        details.append(words("doctor.memory_copies", n=found.copies, folder=folder))
    if found.loose:
        state = "warn" if state == "ok" else state
        cures.append(f"chmod 600 {' '.join(short(path, environ) for path in found.loose)}")
    return [
        Finding(
            check="memory",
            state=state,
            label=words("doctor.memory"),
            value=value or words("doctor.memory_none"),
            note=words("doctor.memory_here", n=found.here) if report.facts else "",
            cure=cures[0] if cures else "",
            details=(*details, *cures[1:]),
        )
    ]


def _look(paths: Paths, key: str) -> _Memory:
    broken: list[HaimaError] = []

    def content(path: Path) -> bytes | None:
        try:
            return read(path)[0]
        except StorageError as error:
            broken.append(error)
            return None

    raw = content(paths.facts_file)
    file = parse(raw, len)
    rows = parse_inbox(content(paths.inbox_file))
    journal = FactJournal(journal_of(paths.facts_file))
    try:
        journal.load()
    except StorageError as error:
        broken.append(error)
    pending = [row for row in rows or () if isinstance(row, Pending)]
    asked = {name for one in pending for name in one.existing}
    heirs = {name: heir for name in asked if (heir := heir_of(journal.rows, name))}
    files = (paths.facts_file, journal.path, paths.inbox_file)
    return _Memory(
        present=raw is not None,
        report=FactReport(file.flaws, len(file.facts)),
        here=sum(fact.visible_in(key) for fact in file.facts),
        waiting=None if rows is None else len(unsettled(pending, file.facts, heirs)),
        copies=sum(1 for _ in paths.memory.glob("*.corrupt-*")),
        loose=tuple(path for path in files if _is_loose(path)),
        broken=tuple(broken),
    )


def _is_loose(path: Path) -> bool:
    try:
        return bool(stat.S_IMODE(path.stat().st_mode) & 0o077)
    except OSError:
        return False
