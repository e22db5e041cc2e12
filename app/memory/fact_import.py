"""Memories of a file: an export, a JSON list of texts or of entries, or one of these a line.

Each goes the way of every other save, so nothing is doubled, and what contradicts a memory waits in
the inbox. They count as unverified: nobody here vouches for them.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.errors import HaimaError
from app.memory.fact_file import as_text, parse
from app.memory.fact_outcomes import Conflict, Duplicate, Failed, Stored
from app.memory.facts import Fact, FactScope, Provenance, project_key
from app.memory.inbox import Pending
from app.memory.memories import Memories
from app.storage import StorageError
from app.storage.off_loop import to_the_end

MOST_BYTES: Final = 64_000_000
"""Of a file that is read."""


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
    """

    content: str
    scope: FactScope | None = None
    project: str = ""


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
    several projects, only this one's are taken.

    Args:
        memories: where they go.
        raw: the file.
        scope: where all of them shall hold; None: as the file says, else this project.

    Raises:
        FactImportError: it holds nothing of the kind.
    """
    found, skipped = await to_the_end(lambda: read_import(raw))
    mine = found if scope == "global" else _of_here(found, memories.key)
    stored: list[Fact] = []
    known: list[Fact] = []
    waiting: dict[str, Pending] = {}
    failure: Failed | None = None
    for one in mine:
        draft = memories.draft(one.content, scope or one.scope, Provenance("import"), pending=True)
        outcome = await memories.store.save(draft, explicit=False)
        match outcome:
            case Stored(fact=fact):
                stored.append(fact)
            case Duplicate(fact=fact):
                known.append(fact)
            case Conflict(existing=clashes):
                try:
                    pending = await memories.inbox.add(draft, [clash.fact.id for clash in clashes])
                    waiting[pending.id] = pending
                except StorageError as error:
                    failure = Failed(error)
            case Failed():
                failure = outcome
        if failure:
            break
    return Imported(
        tuple(stored),
        tuple(known),
        tuple(waiting.values()),
        len(found) - len(mine),
        skipped,
        failure,
    )


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
    scope = str(said.get("scope", "")).strip().lower()
    if scope == "project":
        project = project_key(str(said.get("project", "")).strip())
        return Incoming(_whole(content), "project", project)
    # The file's own rule: an entry with metadata and no scope is global (FACTS 1.9).
    known: FactScope | None = "global" if isinstance(metadata, dict) else None
    return Incoming(_whole(content), known)


def _whole(text: str) -> str:
    """Text that can be written again: halves of characters become visible."""
    return text.encode("utf-8", "backslashreplace").decode()
