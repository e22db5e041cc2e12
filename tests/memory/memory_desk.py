"""The memory of one project to test with: real files, a clock that is set."""

import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from app.config import MemorySettings
from app.memory.fact_outcomes import Outcome
from app.memory.facts import Author, FactScope, Provenance
from app.memory.memories import Memories
from app.paths import Paths
from app.project import Project
from app.text import Words
from tests.memory.fact_desk import SetClock, tokens


@asynccontextmanager
async def memories(
    home: Path, *, project: str = "here", clock: SetClock | None = None, stale_days: int = 30
) -> AsyncIterator[Memories]:
    """The memory of a project beside the home; two of one home share its files."""
    root = home.parent / project
    root.mkdir(exist_ok=True)
    made = Memories(
        Paths(home),
        Project(root),
        clock or SetClock(),
        words=lambda: Words("en"),
        tokens=tokens,
        settings=MemorySettings(stale_days=stale_days),
        mask=lambda text: text.replace("hunter2", "‹key›"),
    )
    await made.refresh()
    try:
        yield made
    finally:
        await made.close()


async def save(
    memory: Memories, content: str, scope: FactScope | None = None, who: Author = "you"
) -> Outcome:
    """Saves as the user would."""
    return await memory.store.save(memory.draft(content, scope, Provenance(who)))


def write(home: Path, entries: Iterable[dict[str, object]]) -> None:
    """Another program writes the file."""
    path = Paths(home).facts_file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(list(entries), ensure_ascii=False), encoding="utf-8")
