"""The archive's database, SQLite itself, and the sessions that are open; looked at, not changed."""

import asyncio
from collections.abc import Mapping

from app.archive.health import DatabaseFacts, check
from app.archive.outside import held_ledgers
from app.paths import Paths
from app.session.doctor import kept
from app.session.doctor.kept import short
from app.session.doctor.report import Finding, State
from app.text import Words

_LISTED = 5
"""Open sessions that are named."""


async def database(paths: Paths, environ: Mapping[str, str], words: Words) -> list[Finding]:
    """The file, and what SQLite can do."""
    facts = await asyncio.to_thread(check, paths.database, paths.ledgers)
    return [_database(facts, environ, words), _sqlite(facts, words)]


def _database(facts: DatabaseFacts, environ: Mapping[str, str], words: Words) -> Finding:
    state: State = "ok"
    value = words(
        "doctor.database_version",
        version=facts.version,
        size=f"{facts.size / 1_000_000:,.1f} MB",
    )
    note, cure = words("doctor.database_sound"), ""
    details = [words("doctor.database_aside", path=short(path, environ)) for path in facts.aside]
    if not facts.exists:
        value, note = words("doctor.database_absent"), ""
    elif facts.newer:
        state, note = "fail", ""
        cure = words("doctor.database_newer", known=facts.known)
    elif facts.sound is False:
        state, note, cure = "fail", words("doctor.database_broken"), "haima doctor --rebuild"
    elif facts.fault is not None:
        state, value, note = "fail", short(facts.path, environ), ""
        cure = facts.fault.sentence(words)
    elif facts.behind:
        note = words("doctor.database_behind", n=facts.behind)
    return Finding(
        check="database",
        state=state,
        label=words("doctor.database"),
        value=value,
        note=note,
        cure=cure,
        details=tuple(details),
    )


def _sqlite(facts: DatabaseFacts, words: Words) -> Finding:
    return Finding(
        check="sqlite",
        state="ok" if facts.fts5 else "warn",
        label="SQLite",
        value=facts.sqlite,
        note=words("doctor.fts5" if facts.fts5 else "doctor.fts5_missing"),
        cure="" if facts.fts5 else words("doctor.fts5_cure"),
    )


async def locks(paths: Paths, words: Words) -> list[Finding]:
    """The sessions that are open in some window, this one too; then all locks.

    One after the other: who tries a lock holds it for a moment.
    """
    return [await _in_use(paths, words), *await kept.locks(paths, words)]


async def _in_use(paths: Paths, words: Words) -> Finding:
    names = await asyncio.to_thread(_held, paths)
    value = words("doctor.in_use_none")
    if names:
        shown = words("doctor.comma").join(name[:8] for name in names[:_LISTED])
        value = shown if len(names) <= _LISTED else f"{shown}…"
    note = words("doctor.in_use_count", n=len(names)) if names else ""
    label = words("doctor.in_use")
    return Finding(check="in_use", state="ok", label=label, value=value, note=note)


def _held(paths: Paths) -> tuple[str, ...]:
    names = sorted(path.name for path in paths.ledgers.glob("*.jsonl.lock"))
    return held_ledgers(paths.ledgers, (name.removesuffix(".jsonl.lock") for name in names))
