"""Changes to the facts, as functions of the file: what to write, or why not. Pure."""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from app.memory.fact_file import Entry, FactFile, as_bytes, as_text, parsed
from app.memory.fact_history import changed_since, last_lost, put_back, taken_back, undoable
from app.memory.fact_journal import Choice, JournalRow, Operation
from app.memory.fact_outcomes import (
    ChangedSince,
    Clash,
    Compare,
    Conflict,
    Deleted,
    Duplicate,
    NotFound,
    Outcome,
    Pinned,
    Replaced,
    Restored,
    Stored,
    Verified,
)
from app.memory.fact_plan import Plan
from app.memory.facts import (
    PINNED,
    Draft,
    Fact,
    FactScope,
    Tokens,
    instant,
    new_fields,
    new_id,
    read_fact,
)
from app.memory.json_text import dump, member, with_member, without_member

_EPOCH = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Planner:
    """Plans changes for one moment.

    Attributes:
        file: as it lies there now.
        rows: the journal.
        project: whose facts may be touched beside global ones; None: everyone's.
        now: the present.
        compare: finds duplicates and conflicts.
        tokens: estimates tokens.
    """

    file: FactFile
    rows: Sequence[JournalRow]
    project: str | None
    now: datetime
    compare: Compare
    tokens: Tokens
    _spent: list[str] = field(default_factory=list)

    def save(
        self, draft: Draft, *, explicit: bool, operation: Operation = "save"
    ) -> Plan | Outcome:
        """A new fact, unless it repeats or contradicts one."""
        entry, fact = self._new(draft)
        like = self.compare(draft.content, self._others(fact))
        if like.duplicate:
            return self._again(like.duplicate, draft, explicit=explicit)
        if like.conflicts and operation == "save":
            return _conflict(draft.content, like.conflicts)
        return self._stored(entry, fact, draft, operation)

    def keep_both(self, draft: Draft, *, chosen: bool) -> Plan | Outcome:
        """A new fact beside those it contradicts.

        Args:
            draft: the fact.
            chosen: the user says so now; else each conflict needs a recorded choice.
        """
        if not chosen:
            _, fact = self._new(draft)
            like = self.compare(draft.content, self._others(fact))
            left = self._undecided(draft, like.conflicts)
            if left and not like.duplicate:
                return _conflict(draft.content, left)
        return self.save(draft, explicit=True, operation="keep_both")

    def replace(
        self, draft: Draft, targets: Sequence[str], *, keep: Collection[str], chosen: bool
    ) -> Plan | Outcome:
        """A fact in the place of others; it takes the scope of the first.

        Args:
            draft: the new fact.
            targets: whom it replaces; at least one.
            keep: conflicting facts that stay beside it by the user's word.
            chosen: the user says so now; else each target needs a recorded choice, once.
        """
        if missing := tuple(name for name in targets if not self._visible(name)):
            return NotFound(missing)
        old = [fact for name in targets if (fact := self._visible(name))]
        entry, fact = self._new(draft, like=old[0])
        if not chosen:
            left = [one for one in old if not self._decided(draft, one, "replace")]
            if left:
                return _conflict(draft.content, [Clash(one, "replace") for one in left])
        like = self.compare(draft.content, self._others(fact))
        if like.duplicate and like.duplicate.id in targets and len(targets) == 1:
            return self._again(like.duplicate, draft, explicit=True)
        beside = [c for c in like.conflicts if c.fact.id not in targets and c.fact.id not in keep]
        left_over = beside if chosen else self._undecided(draft, beside)
        if left_over:
            return _conflict(draft.content, left_over)
        gone = frozenset(targets)
        twin = like.duplicate
        if twin and twin.id not in gone:
            entry = self._verified(self.file.entries[self.file.places[twin.id]])
            entries = [
                entry if one.id == twin.id else one
                for one in self.file.entries
                if not (one.fact and one.id in gone)
            ]
        else:
            entries = []
            for one in self.file.entries:
                if one.id == targets[0] and one.fact:
                    entries.append(entry.before(one.gap))
                elif not (one.fact and one.id in gone):
                    entries.append(one)
        now = entry.fact or fact
        return Plan(
            self.file.with_entries(entries),
            gone | {now.id},
            "replace",
            draft.provenance.who,
            lambda change: Replaced(now, tuple(old), change),
            tuple(self._spent),
        )

    def edit(self, fact_id: str, content: str, *, force: bool) -> Plan | Outcome:
        """Another text for a fact, by the user; that confirms it."""
        old = self._visible(fact_id)
        if not old:
            return NotFound((fact_id,))
        others = [fact for fact in self._others(old) if fact.id != fact_id]
        like = self.compare(content, others)
        if like.duplicate and not force:
            return Duplicate(like.duplicate, verified=False)
        if like.conflicts and not force:
            return _conflict(content, like.conflicts)
        at = self.file.places[fact_id]
        text = as_text(self._verified(self.file.entries[at]).raw)
        text = with_member(text, "content", dump(content))
        text = with_member(text, "tokenCount", dump(self.tokens(content)))
        entry = self._parsed(text, self.file.entries[at])
        entries = [*self.file.entries[:at], entry, *self.file.entries[at + 1 :]]
        new = entry.fact or old
        return Plan(
            self.file.with_entries(entries),
            frozenset({fact_id}),
            "edit",
            "you",
            lambda change: Replaced(new, (old,), change),
        )

    def verify(self, ids: Sequence[str]) -> Plan | Outcome:
        """The user confirms these."""
        found = [name for name in dict.fromkeys(ids) if self._visible(name)]
        missing = tuple(name for name in ids if name not in found)
        if not found:
            return NotFound(missing)
        chosen = frozenset(found)
        entries = [
            self._verified(one) if one.fact and one.id in chosen else one
            for one in self.file.entries
        ]
        facts = tuple(one.fact for one in entries if one.fact and one.id in chosen)
        return Plan(
            self.file.with_entries(entries),
            chosen,
            "verify",
            "you",
            lambda change: Verified(facts, change, missing),
        )

    def pin(self, ids: Sequence[str], *, on: bool) -> Plan | Outcome:
        """These stand in every prompt, or no longer do; that confirms nothing."""
        wanted = {name for name in ids if self._visible(name)}
        entries = [
            self._pinned(one, on=on) if one.fact and one.id in wanted else one
            for one in self.file.entries
        ]
        facts = tuple(
            one.fact for one in entries if one.fact and one.id in wanted and one.fact.pinned is on
        )
        chosen = frozenset(fact.id for fact in facts)
        missing = tuple(name for name in ids if name not in chosen)
        if not facts:
            return NotFound(missing)
        return Plan(
            self.file.with_entries(entries),
            chosen,
            "pin",
            "you",
            lambda change: Pinned(facts, on, change, missing),
        )

    def delete(self, ids: Sequence[str], operation: Operation = "delete") -> Plan | Outcome:
        """These go."""
        facts = tuple(fact for name in dict.fromkeys(ids) if (fact := self._visible(name)))
        gone = frozenset(fact.id for fact in facts)
        missing = tuple(name for name in ids if name not in gone)
        if not facts:
            return NotFound(missing)
        entries = [one for one in self.file.entries if not (one.fact and one.id in gone)]
        return Plan(
            self.file.with_entries(entries),
            gone,
            operation,
            "you",
            lambda change: Deleted(facts, change, missing),
        )

    def clear(self, scope: FactScope | None) -> Plan | Outcome:
        """All visible facts go, or those of a scope."""
        every = (fact for fact in self.file.facts if scope is None or fact.scope == scope)
        return self.delete([fact.id for fact in every if self._visible(fact.id)], "clear")

    def undo(self, change: str | None, writer: str) -> Plan | Outcome:
        """A change is taken back, by default the writer's last; what else happened since stays."""
        row = undoable(self.rows, change, writer)
        if row is None:
            return NotFound((change,) if change else ())
        if changed := changed_since(self.file, row):
            return ChangedSince(changed)
        entries = taken_back(self.file, row, self.tokens)
        back, came = ({past.id for past in side} for side in (row.removed, row.added))
        facts = tuple(entry.fact for entry in entries if entry.fact and entry.id in back)
        gone = tuple(fact for fact in self.file.facts if fact.id in came - back)
        return Plan(
            self.file.with_entries(entries),
            frozenset(back | came),
            "undo",
            "you",
            lambda done: Restored(facts, gone, done),
            undoes=row.change,
        )

    def restore(self, fact_id: str) -> Plan | Outcome:
        """A fact that is gone comes back as it was last."""
        there = self.file.get(fact_id)
        if there and there.fact:
            return Duplicate(there.fact, verified=False)
        lost = last_lost(self.rows, fact_id)
        entries = put_back(self.file.entries, [lost] if lost else [], self.tokens)
        found = next((entry.fact for entry in entries if entry.id == fact_id), None)
        if found is None or not (self.project is None or found.visible_in(self.project)):
            return NotFound((fact_id,))
        return Plan(
            self.file.with_entries(entries),
            frozenset({fact_id}),
            "restore",
            "you",
            lambda done: Restored((found,), (), done),
        )

    def refill(self, entries: Sequence[str]) -> Plan | Outcome:
        """An export comes back as it was, each entry in its own text; only where no fact is.

        They were together before, so nothing is compared.
        """
        if self.file.facts:
            return NotFound(())
        new = [parsed(as_bytes(text), self.tokens) for text in entries]
        facts = tuple(entry.fact for entry in new if entry.fact)
        return Plan(
            self.file.with_entries([*self.file.entries, *new]),
            frozenset(fact.id for fact in facts),
            "restore",
            "import",
            lambda change: Restored(facts, (), change),
        )

    def _new(self, draft: Draft, like: Fact | None = None) -> tuple[Entry, Fact]:
        fact_id = new_id()
        while fact_id in self.file.places:
            fact_id = new_id()
        fields = new_fields(draft, fact_id, self.now, self.tokens)
        if like:
            metadata = dict(fields["metadata"])  # type: ignore[call-overload]
            for name in ("scope", "project"):
                metadata.pop(name, None)
                if name in like.metadata:
                    metadata[name] = like.metadata[name]
            fields |= {"metadata": metadata, "type": like.type}
        fact = read_fact(fields, fact_id, self.tokens)
        if fact is None:
            raise AssertionError("a draft is never blank")
        return self.file.entry(fields, self.tokens), fact

    def _stored(self, entry: Entry, fact: Fact, draft: Draft, operation: Operation) -> Plan:
        return Plan(
            self.file.with_more([entry]),
            frozenset({fact.id}),
            operation,
            draft.provenance.who,
            lambda change: Stored(entry.fact or fact, change),
            tuple(self._spent),
        )

    def _again(self, fact: Fact, draft: Draft, *, explicit: bool) -> Plan | Outcome:
        if not explicit:
            return Duplicate(fact, verified=False)
        at = self.file.places[fact.id]
        entry = self._verified(self.file.entries[at])
        entries = [*self.file.entries[:at], entry, *self.file.entries[at + 1 :]]
        new = entry.fact or fact
        return Plan(
            self.file.with_entries(entries),
            frozenset({fact.id}),
            "verify",
            draft.provenance.who,
            lambda change: Duplicate(new, verified=True, change=change),
            tuple(self._spent),
        )

    def _verified(self, entry: Entry) -> Entry:
        text = with_member(as_text(entry.raw), "lastVerifiedAt", dump(instant(self.now)))
        metadata = member(text, "metadata")
        if metadata and metadata.startswith("{") and entry.fact and entry.fact.pending:
            text = with_member(text, "metadata", without_member(metadata, "verification_pending"))
        return self._parsed(text, entry)

    def _pinned(self, entry: Entry, *, on: bool) -> Entry:
        """Unchanged where another program's metadata is no object: it would be lost."""
        text = as_text(entry.raw)
        metadata = member(text, "metadata") or "{}"
        if not metadata.startswith("{") or (entry.fact and entry.fact.pinned is on):
            return entry
        changed = (
            with_member(metadata, PINNED, dump("true"))
            if on
            else (without_member(metadata, PINNED))
        )
        return self._parsed(with_member(text, "metadata", changed), entry)

    def _parsed(self, text: str, old: Entry) -> Entry:
        """The entry with another text, under the id it goes by."""
        if not old.named:
            text = with_member(text, "id", dump(old.id))
        return parsed(as_bytes(text), self.tokens).before(old.gap)

    def _others(self, fact: Fact) -> Sequence[Fact]:
        return () if fact.domain is None else self.file.domains.get(fact.domain, ())

    def _visible(self, fact_id: str) -> Fact | None:
        entry = self.file.get(fact_id)
        fact = entry.fact if entry else None
        if fact and (self.project is None or fact.visible_in(self.project)):
            return fact
        return None

    def _undecided(self, draft: Draft, clashes: Sequence[Clash]) -> list[Clash]:
        return [one for one in clashes if not self._decided(draft, one.fact, "keep_both")]

    def _decided(self, draft: Draft, fact: Fact, choice: Choice) -> bool:
        """Whether the user chose that for this pair; the choice is used up by it."""
        spent = {name for row in self.rows for name in row.spent}
        for row in self.rows:
            pair = (row.ids, row.text, row.choice)
            if pair == ((fact.id,), digest(draft.content), choice) and row.change not in spent:
                if row.change not in self._spent:
                    self._spent.append(row.change)
                return True
        return False


def digest(content: str) -> str:
    """What names a text in a recorded choice."""
    return hashlib.sha256(" ".join(content.split()).encode("utf-8", "surrogatepass")).hexdigest()


def _conflict(content: str, clashes: Sequence[Clash]) -> Conflict:
    return Conflict(
        content, tuple(sorted(clashes, key=lambda clash: clash.fact.timestamp or _EPOCH))
    )
