"""What the journal tells of a fact, and how a change is taken back. Pure."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from app.memory.fact_file import Entry, FactFile, as_bytes, as_text, changed_between, parsed
from app.memory.fact_journal import JournalRow, Operation, Past, chain_of
from app.memory.facts import Fact, Tokens


@dataclass(frozen=True, slots=True)
class Happening:
    """One line of a fact's history.

    Attributes:
        at: when, UTC.
        operation: what was done; `use`: it went into a prompt.
        by: who did it.
        before, after: its text; None: it wasn't there.
        change: the change's id.
        count: how often it was used, the last time at `at`.
    """

    at: datetime
    operation: Operation
    by: str
    before: str | None
    after: str | None
    change: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Use:
    """How often a fact went into a prompt, and when last."""

    count: int
    last: datetime


def history(rows: Sequence[JournalRow], fact_id: str, tokens: Tokens) -> tuple[Happening, ...]:
    """What happened to a fact and to those it took the place of, oldest first."""
    ids = chain_of(rows, fact_id)
    told: list[Happening] = []
    for row in rows:
        if row.operation == "use" and fact_id in row.ids:
            told.append(Happening(row.at, "use", row.by, None, None, row.change, row.count))
        before = _content(row.removed, ids, tokens)
        after = _content(row.added, ids, tokens)
        if before is not None or after is not None:
            told.append(Happening(row.at, row.operation, row.by, before, after, row.change))
    return tuple(told)


def uses(rows: Iterable[JournalRow]) -> dict[str, Use]:
    """How often each fact was used, by id."""
    found: dict[str, Use] = {}
    for row in rows:
        if row.operation == "use":
            for name in row.ids:
                earlier = found.get(name)
                count = row.count + (earlier.count if earlier else 0)
                found[name] = Use(count, row.at)
    return found


def undoable(rows: Sequence[JournalRow], change: str | None, writer: str) -> JournalRow | None:
    """The change of that id, or the writer's last one, unless it is undone as things stand."""
    undone: set[str] = set()
    for row in reversed(rows):
        if row.undoes and row.change not in undone:
            undone.add(row.undoes)
        wanted = row.change == change if change else row.writer == writer and not row.undoes
        if wanted and (row.added or row.removed) and row.change not in undone:
            return row
    return None


def last_lost(rows: Iterable[JournalRow], fact_id: str) -> Past | None:
    """How a fact that is gone stood in the file last."""
    for row in reversed(list(rows)):
        for past in row.removed:
            if past.id == fact_id and all(added.id != fact_id for added in row.added):
                return past
    return None


def lost(rows: Iterable[JournalRow], file: FactFile, tokens: Tokens) -> tuple[Fact, ...]:
    """The facts that are gone and can come back, as they stood last; the last to go first."""
    gone: dict[str, Past] = {}
    for row in rows:
        for past in row.removed:
            gone.pop(past.id, None)
            gone[past.id] = past
        for past in row.added:
            gone.pop(past.id, None)
    entries = [_entry(past, tokens) for past in gone.values() if past.id not in file.places]
    return tuple(entry.fact for entry in reversed(entries) if entry.fact)


def heir_of(rows: Iterable[JournalRow], fact_id: str) -> str:
    """The fact that took the place of one, or of whichever did; "" where none did.

    Whether that one is still there isn't looked at.
    """
    heir = fact_id
    for row in rows:
        came = [past.id for past in row.added]
        if came and heir not in came and any(past.id == heir for past in row.removed):
            heir = came[0]
    return "" if heir == fact_id else heir


def changed_since(file: FactFile, row: JournalRow) -> tuple[str, ...]:
    """Facts by which the change can't be taken back: they aren't as it left them."""
    came = {past.id: past.raw for past in row.added}
    changed = [name for name, raw in came.items() if _raw(file, name) != raw]
    returned = [p.id for p in row.removed if p.id not in came and p.id in file.places]
    return tuple(changed + returned)


def taken_back(file: FactFile, row: JournalRow, tokens: Tokens) -> list[Entry]:
    """The entries as they were before the change; what happened elsewhere since stays."""
    before = {past.id: past for past in row.removed}
    came = {past.id for past in row.added}
    kept: list[Entry] = []
    for entry in file.entries:
        if entry.id in came and entry.fact:
            if entry.id in before:
                kept.append(_entry(before[entry.id], tokens).before(entry.gap))
        else:
            kept.append(entry)
    return put_back(kept, [past for past in row.removed if past.id not in came], tokens)


def put_back(entries: Sequence[Entry], lost: Sequence[Past], tokens: Tokens) -> list[Entry]:
    """The entries with those that were lost, each behind the one it followed, else at the end."""
    followers: defaultdict[str, list[Past]] = defaultdict(list)
    for past in lost:
        followers[past.after].append(past)
    result: list[Entry] = []
    for entry in (None, *entries):
        if entry is not None:
            result.append(entry)
        waiting = followers.pop(_key(entry) if entry else "", [])[::-1]
        while waiting:
            past = waiting.pop()
            result.append(_entry(past, tokens))
            waiting += followers.pop(past.id, [])[::-1]
    result += [_entry(past, tokens) for left in followers.values() for past in left]
    return result


def pasts(
    old: FactFile, new: FactFile, ids: frozenset[str]
) -> tuple[tuple[Past, ...], tuple[Past, ...]]:
    """These facts' entries in the file before a change and after it, as the journal keeps them."""
    first, last = changed_between(old, new)
    before, after = (
        tuple(
            Past(entry.id, as_text(entry.raw), _key(file.entries[at - 1]) if at else "")
            for at, entry in enumerate(file.entries[first : len(file.entries) - last], first)
            if entry.id in ids
        )
        for file in (old, new)
    )
    return before, after


def _key(entry: Entry) -> str:
    """What names an entry as the one before another: a fact's id, else a digest."""
    return entry.id if entry.fact else f"!{hashlib.sha256(entry.raw).hexdigest()[:16]}"


def _entry(past: Past, tokens: Tokens) -> Entry:
    entry = parsed(as_bytes(past.raw), tokens)
    named = entry.id == past.id
    if named or not entry.fact:
        return entry
    return Entry.of(entry.raw, replace(entry.fact, id=past.id), named=False)


def _raw(file: FactFile, fact_id: str) -> str | None:
    entry = file.get(fact_id)
    return as_text(entry.raw) if entry else None


def _content(pasts_: Iterable[Past], ids: Collection[str], tokens: Tokens) -> str | None:
    for past in pasts_:
        if past.id in ids:
            fact = parsed(as_bytes(past.raw), tokens).fact
            return fact.content if fact else None
    return None
