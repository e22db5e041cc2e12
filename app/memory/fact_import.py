"""Memories of a file: an export, a JSON list of texts or of entries, or one of these a line.

Each goes the way of every other save, so nothing is doubled, and what contradicts a memory waits in
the inbox. A hundred are written at a time: what dies in between leaves whole batches, and the same
import again does the rest.

They count as unverified: nobody here vouches for them. Each keeps the date it was written (clues
with dates, DESIGN 1), but not that of its last verification, which becomes the date it was written:
only the user verifies, and of a file nobody can tell that it was this user, or what they looked at;
a date from there would keep an old memory from being stale.

Where there are no facts yet, an export comes back as it was, as if its file had been copied here:
every field, every project's, confirmed when they were confirmed.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from app.errors import HaimaError
from app.memory.fact_file import Entry, as_text, parse
from app.memory.fact_outcomes import Conflict, Duplicate, Failed, Restored, Stored
from app.memory.facts import (
    Draft,
    Fact,
    FactScope,
    Provenance,
    entry_id,
    project_key,
    read_instant,
)
from app.memory.inbox import Pending
from app.memory.json_text import dump, member, with_member
from app.memory.memories import Memories
from app.storage import StorageError
from app.storage.off_loop import to_the_end

MOST_BYTES: Final = 64_000_000
"""Of a file that is read."""

AT_ONCE: Final = 100
"""Facts that are written at a time, while others wait for the lock, ten seconds at most: one among
10,000 takes 10 to 14 ms on a busy machine."""


class FactImportError(HaimaError):
    """The file holds no memories in a form that is known; nothing was taken in."""

    code = "import"


@dataclass(frozen=True, slots=True)
class Incoming:
    """A memory as the file has it.

    Attributes:
        content: its text.
        scope: where it holds; None: the file doesn't say.
        project: the key of its project; "" where the file names none.
        written: when it was written; None: the file has no date that can be read.
    """

    content: str
    scope: FactScope | None = None
    project: str = ""
    written: datetime | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of it.

    Attributes:
        stored: facts that are new.
        known: facts that were there already.
        waiting: those that contradict facts, in the inbox now.
        elsewhere: how many are another project's; left out.
        skipped: how many entries are no memories; left out.
        failure: why it ended early; what came before it is there. None: it didn't.
    """

    stored: tuple[Fact, ...] = ()
    known: tuple[Fact, ...] = ()
    waiting: tuple[Pending, ...] = ()
    elsewhere: int = 0
    skipped: int = 0
    failure: Failed | None = None


async def import_facts(memories: Memories, raw: bytes, scope: FactScope | None = None) -> Imported:
    """Takes the memories of a file in.

    Global ones stay global; those of a project become this one's. Where the file has those of
    several projects, only this one's are taken; but all of them where no fact is there yet.

    Args:
        memories: where they go.
        raw: the file.
        scope: where all of them shall hold; None: as the file says, else this project.

    Raises:
        FactImportError: it holds nothing of the kind.
    """
    found, skipped = await to_the_end(lambda: read_import(raw))
    if scope is None and not memories.store.facts:
        entries = await to_the_end(lambda: _export(memories, raw))
        outcome = await memories.store.refill(entries) if entries else None
        match outcome:
            case Restored(facts=facts):
                return Imported(facts)
            case Failed():
                return Imported(failure=outcome)
    mine = found if scope == "global" else _of_here(found, memories.key)
    done = Imported(elsewhere=len(found) - len(mine), skipped=skipped)
    for begin in range(0, len(mine), AT_ONCE):
        drafts = [_draft(memories, one, scope) for one in mine[begin : begin + AT_ONCE]]
        done = await _taken_in(memories, drafts, done)
        if done.failure:
            break
    return done


def _draft(memories: Memories, one: Incoming, scope: FactScope | None) -> Draft:
    origin = Provenance("import")
    draft = memories.draft(one.content, scope or one.scope, origin, pending=True)
    return replace(draft, written=one.written)


async def _taken_in(memories: Memories, drafts: Sequence[Draft], done: Imported) -> Imported:
    """What came of it with one batch more."""
    stored, known = list(done.stored), list(done.known)
    conflicts: list[tuple[Draft, list[str]]] = []
    failure: Failed | None = None
    for draft, outcome in zip(drafts, await memories.store.save_all(drafts), strict=True):
        match outcome:
            case Stored(fact=fact):
                stored.append(fact)
            case Duplicate(fact=fact):
                known.append(fact)
            case Conflict(existing=clashes):
                conflicts.append((draft, [clash.fact.id for clash in clashes]))
            case Failed():
                failure = outcome
    waiting = {one.id: one for one in done.waiting}
    if conflicts:
        try:
            waiting |= {one.id: one for one in await memories.inbox.add_all(conflicts)}
        except StorageError as error:
            failure = Failed(error)
    return replace(
        done,
        stored=tuple(stored),
        known=tuple(known),
        waiting=tuple(waiting.values()),
        failure=failure,
    )


def _export(memories: Memories, raw: bytes) -> list[str]:
    """The entries of an export, each as it is written; none where the file is something else.

    The facts of the only project in it become this one's; secrets are masked. Nothing else changes.
    """
    file = parse(raw, len)
    if not all(entry.named and (not entry.fact or _is_kept(entry.fact)) for entry in file.entries):
        return []
    if not file.facts or any(isinstance(_value(one.raw), str) for one in file.entries):
        return []
    projects = {fact.project for fact in file.facts if fact.project}
    moved = memories.key if len(projects) == 1 and memories.key not in projects else ""
    return [_as_here(memories, entry, moved) for entry in file.entries]


def _is_kept(fact: Fact) -> bool:
    """Whether it has what every kept fact has, and not only a text."""
    return bool(entry_id(fact.fields) and fact.timestamp and "metadata" in fact.fields)


def _as_here(memories: Memories, entry: Entry, project: str) -> str:
    """The entry with its secrets masked, as one of this project where it is to be."""
    text, fact = as_text(entry.raw), entry.fact
    if fact is None:
        return text
    origin = Provenance("import", quote=fact.provenance.quote)
    draft = memories.draft(fact.content, None, origin)
    if draft.content != fact.content.strip():
        text = with_member(text, "content", dump(draft.content))
    metadata = member(text, "metadata") or ""
    more = {"project": project} if project and fact.project else {}
    if draft.provenance.quote != origin.quote:
        more["quote"] = draft.provenance.quote
    if not more or not metadata.startswith("{"):
        return text
    for name, value in more.items():
        metadata = with_member(metadata, name, dump(value))
    return with_member(text, "metadata", metadata)


def read_import(raw: bytes) -> tuple[list[Incoming], int]:
    """The memories of a file, and how many entries of it are none.

    Raises:
        FactImportError: it holds nothing of the kind.
    """
    if len(raw) > MOST_BYTES:
        raise FactImportError("memory.import_large", most=MOST_BYTES // 1_000_000)
    file = parse(raw, len)
    values: Sequence[object]
    if file.damaged and (lines := _lines(raw)):
        values = lines
    else:
        values = [_value(entry.raw) for entry in file.entries]
    found = [one for value in values if (one := _incoming(value))]
    if not found and (values or file.damaged):
        raise FactImportError("memory.import_nothing")
    return found, len(values) - len(found)


def _of_here(found: Sequence[Incoming], key: str) -> list[Incoming]:
    projects = {one.project for one in found if one.project}
    if len(projects) <= 1:
        return list(found)
    return [one for one in found if one.project in {"", key}]


def _lines(raw: bytes) -> list[object]:
    """JSON lines; none where a line isn't JSON: then it is a broken list."""
    found: list[object] = []
    for line in raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if not line.strip():
            continue
        value = _value(line)
        if not isinstance(value, str | dict):
            return []
        found.append(value)
    return found


def _value(raw: bytes) -> object:
    try:
        return json.loads(as_text(raw))
    except (ValueError, RecursionError):
        return None


def _incoming(value: object) -> Incoming | None:
    """A text, or an entry of the file's own format."""
    if isinstance(value, str):
        return Incoming(_whole(value)) if value.strip() else None
    if not isinstance(value, dict):
        return None
    content, metadata = value.get("content"), value.get("metadata")
    if not isinstance(content, str) or not content.strip():
        return None
    said = metadata if isinstance(metadata, dict) else {}
    # It was there when it was verified, so it is at least as old.
    written = read_instant(value.get("timestamp")) or read_instant(value.get("lastVerifiedAt"))
    scope = str(said.get("scope", "")).strip().lower()
    if scope == "project":
        project = project_key(str(said.get("project", "")).strip())
        return Incoming(_whole(content), "project", project, written)
    # The file's own rule: an entry with metadata and no scope is global (FACTS 1.9).
    known: FactScope | None = "global" if isinstance(metadata, dict) else None
    return Incoming(_whole(content), known, written=written)


def _whole(text: str) -> str:
    """Text that can be written again: halves of characters become visible."""
    return text.encode("utf-8", "backslashreplace").decode()
