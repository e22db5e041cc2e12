"""A store to test with: its own file, a clock that is set, a plain comparison."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from app.memory.fact_outcomes import Clash, Likeness
from app.memory.fact_store import FactStore
from app.memory.facts import Author, Draft, Fact, FactScope, Provenance

HERE = "/code/here"
THERE = "/code/there"


@dataclass
class SetClock:
    """A clock that stands."""

    time: datetime = field(default_factory=lambda: datetime(2026, 11, 30, 12, tzinfo=UTC))

    def now(self) -> datetime:
        return self.time

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


def compare(content: str, others: Sequence[Fact]) -> Likeness:
    """Equal but for case: a duplicate; equal but for digits: a conflict."""
    text = content.casefold()
    same = next((fact for fact in others if fact.content.casefold() == text), None)
    masked = re.sub(r"\d+", "#", text)
    clashes = tuple(
        Clash(fact, "values")
        for fact in others
        if fact is not same and re.sub(r"\d+", "#", fact.content.casefold()) == masked
    )
    return Likeness(same, () if same else clashes)


def tokens(text: str) -> int:
    return len(text)


def store(
    path: Path,
    *,
    project: str | None = HERE,
    clock: SetClock | None = None,
    lock_timeout: float = 10.0,
) -> FactStore:
    return FactStore(
        path,
        project=project,
        clock=clock or SetClock(),
        compare=compare,
        tokens=tokens,
        lock_timeout=lock_timeout,
    )


def draft(
    content: str,
    scope: FactScope = "project",
    project: str = HERE,
    who: Author = "you",
    **more: str,
) -> Draft:
    return Draft(content, scope, project, Provenance(who, **more), pending=who == "extraction")  # type: ignore[arg-type]


def text_of(path: Path) -> str:
    return path.read_text()


def put(path: Path, text: str) -> None:
    path.write_text(text)
