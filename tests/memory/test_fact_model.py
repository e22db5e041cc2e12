"""Any sequence of operations on the store comes to what it comes to on a plain list."""

import asyncio
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from app.memory.fact_outcomes import (
    ChangedSince,
    Conflict,
    Deleted,
    Duplicate,
    NotFound,
    Outcome,
    Replaced,
    Restored,
    Stored,
    Verified,
)
from tests.memory.fact_desk import HERE, draft, store

TEXTS = st.sampled_from(["Java 17", "Java 21", "JAVA 17", "茶 1", "tea", "“q” \ud83d\n\\"])
PLACES = st.integers(0, 5)
SIDES = st.integers(0, 1)


@dataclass
class Model:
    """A list of (id, text), and for each side what its changes made of it."""

    facts: list[tuple[str, str]] = field(default_factory=list)
    past: dict[str, tuple[int, list[tuple[str, str]], list[tuple[str, str]]]] = field(
        default_factory=dict
    )

    def changed(self, change: str, side: int, after: list[tuple[str, str]]) -> None:
        self.past[change] = (side, self.facts, after)
        self.facts = after


def alike(text: str) -> str:
    return "".join("#" if one.isdigit() else one for one in text.casefold()).replace("##", "#")


class Sequences(RuleBasedStateMachine):
    """Two stores of one file, and the list they must agree with."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "facts.json"
        self.loop = asyncio.new_event_loop()
        self.sides = [store(self.path), store(self.path)]
        self.model = Model()
        self.last: tuple[int, str, list[tuple[str, str]]] | None = None

    def teardown(self) -> None:
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()
        self.folder.cleanup()

    def run(self, make: Callable[[], object]) -> Outcome:
        return self.loop.run_until_complete(make())  # type: ignore[arg-type]

    def took(self, side: int, change: str, after: list[tuple[str, str]]) -> None:
        self.last = (side, change, self.model.facts)
        self.model.changed(change, side, after)

    def twin(self, text: str, without: int | None = None) -> str | None:
        for at, (fact_id, other) in enumerate(self.model.facts):
            if at != without and other.casefold() == text.casefold():
                return fact_id
        return None

    def clashes(self, text: str, without: int | None = None) -> bool:
        if self.twin(text, without):
            return False
        return any(
            alike(other) == alike(text)
            for at, (_, other) in enumerate(self.model.facts)
            if at != without
        )

    @rule(side=SIDES, text=TEXTS, explicit=st.booleans())
    def save(self, side: int, text: str, explicit: bool) -> None:
        outcome = self.run(lambda: self.sides[side].save(draft(text), explicit=explicit))
        if twin := self.twin(text):
            assert isinstance(outcome, Duplicate)
            assert (outcome.fact.id, outcome.verified) == (twin, explicit)
            if explicit:
                self.took(side, outcome.change, list(self.model.facts))
        elif self.clashes(text):
            assert isinstance(outcome, Conflict)
        else:
            assert isinstance(outcome, Stored)
            self.took(side, outcome.change, [*self.model.facts, (outcome.fact.id, text)])

    @rule(side=SIDES, text=TEXTS)
    def keep_both(self, side: int, text: str) -> None:
        outcome = self.run(lambda: self.sides[side].keep_both(draft(text)))
        if self.twin(text):
            assert isinstance(outcome, Duplicate)
            self.took(side, outcome.change, list(self.model.facts))
        else:
            assert isinstance(outcome, Stored)
            self.took(side, outcome.change, [*self.model.facts, (outcome.fact.id, text)])

    @rule(side=SIDES, text=TEXTS, at=PLACES)
    def replace(self, side: int, text: str, at: int) -> None:
        target = self.model.facts[at][0] if at < len(self.model.facts) else "none"
        outcome = self.run(lambda: self.sides[side].replace(draft(text), target))
        if target == "none":
            assert isinstance(outcome, NotFound)
        elif self.twin(text) == target:
            assert isinstance(outcome, Duplicate)
            self.took(side, outcome.change, list(self.model.facts))
        elif self.twin(text):
            assert isinstance(outcome, Replaced)
            assert outcome.fact.id == self.twin(text)
            after = [fact for fact in self.model.facts if fact[0] != target]
            self.took(side, outcome.change, after)
        elif self.clashes(text, at):
            assert isinstance(outcome, Conflict)
        else:
            assert isinstance(outcome, Replaced)
            after = list(self.model.facts)
            after[at] = (outcome.fact.id, text)
            self.took(side, outcome.change, after)

    @rule(side=SIDES, text=TEXTS, at=PLACES, force=st.booleans())
    def edit(self, side: int, text: str, at: int, force: bool) -> None:
        target = self.model.facts[at][0] if at < len(self.model.facts) else "none"
        outcome = self.run(lambda: self.sides[side].edit(target, text, force=force))
        if target == "none":
            assert isinstance(outcome, NotFound)
        elif self.twin(text, at) and not force:
            assert isinstance(outcome, Duplicate)
        elif self.clashes(text, at) and not force:
            assert isinstance(outcome, Conflict)
        else:
            assert isinstance(outcome, Replaced)
            after = list(self.model.facts)
            after[at] = (target, text)
            self.took(side, outcome.change, after)

    @rule(side=SIDES, places=st.sets(PLACES, max_size=3), verify=st.booleans())
    def verify_or_delete(self, side: int, places: set[int], verify: bool) -> None:
        ids = [fact[0] for at, fact in enumerate(self.model.facts) if at in places]
        kept = self.sides[side]
        outcome = self.run(lambda: kept.verify(ids) if verify else kept.delete(ids))
        if not ids:
            assert isinstance(outcome, NotFound)
        elif verify:
            assert isinstance(outcome, Verified)
            self.took(side, outcome.change, list(self.model.facts))
        else:
            assert isinstance(outcome, Deleted)
            after = [fact for fact in self.model.facts if fact[0] not in ids]
            self.took(side, outcome.change, after)

    @rule(side=SIDES)
    def clear(self, side: int) -> None:
        outcome = self.run(self.sides[side].clear)
        if self.model.facts:
            assert isinstance(outcome, Deleted)
            self.took(side, outcome.change, [])
        else:
            assert isinstance(outcome, NotFound)

    @rule()
    def undo_the_last(self) -> None:
        """The change that was made last always comes back exactly."""
        if self.last is None:
            return
        side, change, before = self.last
        outcome = self.run(self.sides[side].undo)
        assert isinstance(outcome, Restored), outcome
        again = self.run(lambda: self.sides[side].undo(change))
        assert isinstance(again, NotFound)
        self.model.facts = before
        self.last = None

    @rule(at=PLACES)
    def undo_an_earlier_one(self, at: int) -> None:
        """It comes back, or nothing at all changes; and undoing the undoing is the same again."""
        if at >= len(self.model.past):
            return
        change = list(self.model.past)[-1 - at]
        side = self.sides[self.model.past[change][0]]
        outcome = self.run(lambda: side.undo(change))
        if isinstance(outcome, Restored):
            again = self.run(lambda: side.undo(outcome.change))
            assert isinstance(again, Restored)
        else:
            assert isinstance(outcome, NotFound | ChangedSince)

    @rule(text=st.sampled_from(["foreign 5", "coffee"]))
    def a_foreign_program_adds(self, text: str) -> None:
        entries = json.loads(self.path.read_bytes()) if self.path.exists() else []
        name = f"x{len(self.model.past)}-{len(entries)}"
        where = {"scope": "project", "project": HERE}
        entries.append({"id": name, "content": text, "metadata": where})
        if len({entry["id"] for entry in entries}) < len(entries):
            return
        self.path.write_text(json.dumps(entries))
        self.last = None
        self.model.facts = [(entry["id"], entry["content"]) for entry in entries]

    @invariant()
    def all_agree(self) -> None:
        for side in self.sides:
            self.loop.run_until_complete(side.refresh())
            assert [(fact.id, fact.content) for fact in side.facts] == self.model.facts
            assert side.take_reports() == ()


TestSequences = Sequences.TestCase
TestSequences.settings = settings(max_examples=15, stateful_step_count=25, deadline=None)
