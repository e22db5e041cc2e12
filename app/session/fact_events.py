"""The events by which an outcome of the memory is told."""

from collections.abc import Iterator

from app.events import (
    Event,
    FactConflict,
    FactDeleted,
    FactDuplicate,
    FactReplaced,
    FactRestored,
    FactSaved,
    FactVerified,
)
from app.memory.fact_outcomes import (
    Conflict,
    Deleted,
    Duplicate,
    Outcome,
    Replaced,
    Restored,
    Stored,
    Verified,
)
from app.memory.facts import Fact


def told_by(outcome: Outcome) -> Iterator[Event]:
    """What happened; nothing where nothing was written and nothing waits."""
    match outcome:
        case Stored(fact=fact):
            yield FactSaved(id=fact.id, content=fact.content, scope=fact.scope)
        case Duplicate(fact=fact):
            yield FactDuplicate(id=fact.id, content=fact.content, scope=fact.scope)
        case Replaced(fact=fact, old=old):
            yield FactReplaced(id=fact.id, content=fact.content, scope=fact.scope, old=_ids(old))
        case Conflict(content=content, existing=clashes):
            yield FactConflict(incoming=content, existing=_ids([one.fact for one in clashes]))
        case Verified(facts=facts):
            yield FactVerified(ids=_ids(facts))
        case Deleted(facts=facts, change=change):
            yield FactDeleted(ids=_ids(facts), everywhere=not change)
        case Restored(facts=facts, gone=gone):
            if facts:
                yield FactRestored(ids=_ids(facts))
            if gone:
                yield FactDeleted(ids=_ids(gone))
        case _:
            return


def _ids(facts: "tuple[Fact, ...] | list[Fact]") -> tuple[str, ...]:
    return tuple(fact.id for fact in facts)
