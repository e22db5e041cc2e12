"""Facts as the memory knows them, as the memory browser shows them. Pure; ten thousand at once."""

from collections.abc import Sequence

from app.memory.asked import was_asked_for
from app.memory.evidence import Finding
from app.memory.fact_history import Happening
from app.memory.fact_outcomes import Duplicate, Kept, Outcome, Replaced, Restored, Stored
from app.memory.facts import AUTHORS
from app.memory.inbox import Pending
from app.memory.memories import Known
from app.view.facts_record import Doing, FactItem, Happened, Proof, Source, Waiting


def fact_items(known: Sequence[Known]) -> tuple[FactItem, ...]:
    """All of them."""
    return tuple(fact_item(one) for one in known)


def fact_item(known: Known) -> FactItem:
    """One of them."""
    fact, use = known.fact, known.use
    origin = fact.provenance
    return FactItem(
        id=fact.id,
        content=fact.content,
        state=known.state,
        scope=fact.scope,
        source=origin.who,
        asked=was_asked_for(origin),
        written=fact.timestamp,
        verified=fact.verified,
        pinned=fact.pinned,
        node=origin.node,
        message=origin.message,
        quote=origin.quote,
        external=origin.external,
        uses=use.count if use is not None else 0,
        used=use.last if use is not None else None,
        waits=tuple(map(_waiting, known.waiting)),
        proofs=tuple(map(_proof, known.evidence.findings)),
    )


def _waiting(one: Pending) -> Waiting:
    origin = one.draft.provenance
    return Waiting(one.id, one.draft.content, origin.who, one.at, was_asked_for(origin))


def _proof(one: Finding) -> Proof:
    return Proof(one.kind == "supports", one.file, one.line, one.text, one.says, one.reason)


def history_of(item: FactItem, told: Sequence[Happening]) -> tuple[Happened, ...]:
    """What happened to a fact, newest first; that it was used is one line.

    Args:
        item: the fact: of what another tool wrote the journal knows nothing.
        told: oldest first.
    """
    rows: list[Happened] = []
    uses = [one for one in told if one.operation == "use"]
    for one in reversed(told):
        if one.operation == "use":
            if one is uses[-1]:
                rows.append(Happened(one.at, "used", count=sum(use.count for use in uses)))
        elif (what := _doing(one)) is not None:
            texts = (one.before, one.after) if what in ("replaced", "changed") else (None, None)
            rows.append(Happened(one.at, what, _source(one.by), *texts))
    known = {row.what for row in rows}
    if item.verified and item.verified != item.written and not known & {"verified", "written"}:
        rows.append(Happened(item.verified, "verified"))
    if item.written and not known & {"written", "replaced"}:
        rows.append(Happened(item.written, "written", item.source))
    return tuple(sorted(rows, key=lambda row: row.at, reverse=True))


def _doing(one: Happening) -> Doing | None:
    """What a change was for the fact; None: it says nothing of it."""
    if one.after is None:
        return "deleted" if one.before is not None else None
    match one.operation:
        case "verify":
            return "verified"
        case "pin":
            return "pinned"
        case "edit":
            return "changed"
        case "undo" | "restore":
            return "restored"
        case "save" if one.before is not None:
            return "verified"
        case _:
            return "written" if one.before is None else "replaced"


def _source(by: str) -> Source:
    return next((one for one in AUTHORS if one == by), "you")


def came_of(outcome: Outcome | None) -> str:
    """The fact that came of a change: it is what people look for then."""
    match outcome:
        case Stored(fact=fact) | Replaced(fact=fact) | Duplicate(fact=fact):
            return fact.id
        case Restored(facts=(fact, *_)) | Kept(existing=fact):
            return fact.id
        case _:
            return ""
