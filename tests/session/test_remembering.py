"""What a session does with memories: save, decide, delete; and what is told of it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.events import FactConflict, FactDeleted, FactReplaced, FactSaved
from app.memory.fact_outcomes import (
    Conflict,
    Deleted,
    Duplicate,
    Failed,
    Kept,
    NotFound,
    Pinned,
    Replaced,
    Restored,
    Stored,
    Verified,
)
from app.memory.facts import Provenance
from app.memory.slots import jieba_words
from app.session.session import Session
from tests.session.remembered import entry, facts_file, put_facts
from tests.session.support import Answers, Recorded, ScriptedModel, Verdict, make_session

YOU = Provenance("you")
MODEL = Provenance("model", quote="remember it")
OLD = "The server listens on port 8080"
NEW = "The server listens on port 9090"


def session_of(tmp_path: Path, *verdicts: Verdict | None) -> tuple[Recorded, Answers]:
    """A session of one fact, and what the user will answer."""
    (tmp_path / "project").mkdir(exist_ok=True)
    put_facts(tmp_path, entry("f1", OLD, tmp_path / "project"))
    answers = Answers(None, verdicts)
    return make_session(tmp_path, ScriptedModel(), decisions=answers), answers


def contents(session: Session) -> list[str]:
    """What stands in the memory."""
    return [fact.content for fact in session.remembering.memories.store.facts]


async def opened(recorded: Recorded) -> Session:
    """The session, open."""
    await recorded.session.open()
    await recorded.session.remembering.memories.refresh()
    return recorded.session


def types(recorded: Recorded) -> list[str]:
    """The events of facts."""
    return [one.type for one in recorded.events if one.type.startswith("fact_")]


class TestSaving:
    async def test_stores(self, tmp_path: Path) -> None:
        recorded, _ = session_of(tmp_path)
        session = await opened(recorded)
        outcome = await session.remembering.save("We deploy on Fridays", provenance=YOU)
        assert isinstance(outcome, Stored)
        assert outcome.fact.scope == "project"
        (event,) = recorded.of("fact_saved")
        assert isinstance(event, FactSaved)
        assert (event.id, event.content) == (outcome.fact.id, "We deploy on Fridays")
        assert (event.session, event.chain) == (session.node, session.chain)
        await session.close()

    async def test_only_the_user_verifies_by_saving_again(self, tmp_path: Path) -> None:
        recorded, _ = session_of(tmp_path)
        session = await opened(recorded)
        for who, verifies in ((MODEL, False), (YOU, True)):
            outcome = await session.remembering.save(OLD, provenance=who)
            assert isinstance(outcome, Duplicate)
            assert outcome.verified is verifies
        assert types(recorded) == ["fact_duplicate"] * 2
        await session.close()

    async def test_by_force_beside_what_it_contradicts(self, tmp_path: Path) -> None:
        recorded, answers = session_of(tmp_path)
        session = await opened(recorded)
        outcome = await session.remembering.save(NEW, provenance=YOU, force=True)
        assert isinstance(outcome, Stored)
        assert contents(session) == [OLD, NEW]
        assert not answers.conflicts
        await session.close()


class TestConflicts:
    async def test_replace(self, tmp_path: Path) -> None:
        recorded, answers = session_of(tmp_path, "replace")
        session = await opened(recorded)
        outcome = await session.remembering.save(NEW, provenance=MODEL)
        assert isinstance(outcome, Replaced)
        assert contents(session) == [NEW]
        (asked,) = answers.conflicts
        assert (asked.existing.id, asked.existing.content) == ("f1", OLD)
        assert (asked.incoming.content, asked.incoming.quote) == (NEW, "remember it")
        assert (asked.place, asked.count) == (1, 1)
        (event,) = recorded.of("fact_replaced")
        assert isinstance(event, FactReplaced)
        assert event.old == ("f1",)
        assert types(recorded) == ["fact_replaced"]
        await session.close()

    async def test_keep_both(self, tmp_path: Path) -> None:
        recorded, _ = session_of(tmp_path, "keep_both")
        session = await opened(recorded)
        assert isinstance(await session.remembering.save(NEW, provenance=MODEL), Stored)
        assert contents(session) == [OLD, NEW]
        await session.close()

    async def test_keep_existing_writes_nothing(self, tmp_path: Path) -> None:
        recorded, _ = session_of(tmp_path, "keep_existing")
        before = facts_file(tmp_path).read_bytes()
        session = await opened(recorded)
        assert isinstance(await session.remembering.save(NEW, provenance=MODEL), Kept)
        assert facts_file(tmp_path).read_bytes() == before
        assert types(recorded) == []
        assert not await session.remembering.memories.inbox.waiting(None)
        await session.close()

    async def test_pair_by_pair(self, tmp_path: Path) -> None:
        """The first is kept beside it, the second replaced."""
        root = tmp_path / "project"
        recorded, answers = session_of(tmp_path, "keep_both", "replace")
        second = "The server listens on port 7070"
        put_facts(tmp_path, entry("f1", OLD, root), entry("f2", second, root))
        session = await opened(recorded)
        outcome = await session.remembering.save(NEW, provenance=MODEL)
        assert isinstance(outcome, Replaced)
        assert contents(session) == [OLD, NEW]
        assert [(one.place, one.count) for one in answers.conflicts] == [(1, 2), (2, 2)]
        await session.close()

    async def test_half_an_answer_allows_nothing(self, tmp_path: Path) -> None:
        """Replacing the first was chosen, then all was left as it is: the model can't act on it."""
        root = tmp_path / "project"
        recorded, _ = session_of(tmp_path, "replace", "keep_existing")
        second = "The server listens on port 7070"
        put_facts(tmp_path, entry("f1", OLD, root), entry("f2", second, root))
        session = await opened(recorded)
        assert isinstance(await session.remembering.save(NEW, provenance=MODEL), Kept)
        by_choice = session.remembering.save_by_choice
        outcome = await by_choice(NEW, provenance=MODEL, replace_id="f1")
        assert isinstance(outcome, Conflict)
        assert contents(session) == [OLD, second]
        await session.close()

    async def test_nobody_can_answer(self, tmp_path: Path) -> None:
        recorded, _ = session_of(tmp_path)
        session = await opened(recorded)
        outcome = await session.remembering.save(NEW, provenance=MODEL)
        assert isinstance(outcome, Conflict)
        assert contents(session) == [OLD]
        (event,) = recorded.of("fact_conflict")
        assert isinstance(event, FactConflict)
        assert (event.incoming, event.existing) == (NEW, ("f1",))
        (waiting,) = await session.remembering.memories.inbox.waiting(
            session.remembering.memories.key
        )
        assert (waiting.draft.content, waiting.existing) == (NEW, ("f1",))
        await session.close()

    async def test_what_was_written_elsewhere_is_asked_about_with_its_own_date(
        self, tmp_path: Path
    ) -> None:
        recorded, answers = session_of(tmp_path, "replace")
        session, january = await opened(recorded), datetime(2026, 1, 5, 8, tzinfo=UTC)
        memories = session.remembering.memories
        draft = memories.draft(NEW, "project", Provenance("import"), pending=True)
        waiting = await memories.inbox.add(replace(draft, written=january), ["f1"])
        outcome = await session.remembering.decide(waiting)
        (asked,) = answers.conflicts
        assert asked.incoming.written == january
        assert isinstance(outcome, Replaced)
        assert outcome.fact.timestamp == january
        await session.close()

    async def test_the_model_cant_choose(self, tmp_path: Path) -> None:
        recorded, answers = session_of(tmp_path)
        session = await opened(recorded)
        wishes: Sequence[dict[str, Any]] = ({"replace_id": "f1"}, {"keep_both": True})
        for wish in wishes:
            outcome = await session.remembering.save_by_choice(NEW, provenance=MODEL, **wish)
            assert isinstance(outcome, Conflict)
        assert contents(session) == [OLD]
        assert len(answers.conflicts) == 2
        await session.close()

    async def test_a_fact_that_is_gone_when_the_user_answers(self, tmp_path: Path) -> None:
        recorded, answers = session_of(tmp_path, "replace")
        session = await opened(recorded)
        remembering = session.remembering
        ask = answers.resolve_conflict

        async def late(question: Any) -> Any:
            put_facts(tmp_path)
            return await ask(question)

        answers.resolve_conflict = late  # type: ignore[method-assign]
        assert isinstance(await remembering.save(NEW, provenance=MODEL), Stored)
        assert contents(session) == [NEW]
        await session.close()


@pytest.mark.parametrize(
    ("old", "new"),
    [("I use PostgreSQL", "We moved to MySQL"), ("我用 PostgreSQL", "我们换成 MySQL 了")],
)
async def test_of_a_contradiction_never_both_unasked_and_never_none(
    tmp_path: Path, old: str, new: str
) -> None:
    """FIELD 52: replaced, the old one stands in the history; Esc: as it was; never neither."""
    jieba_words.load()
    verdicts: list[tuple[Verdict, list[str]]] = [
        ("keep_existing", [old]),
        ("keep_both", [old, new]),
        ("replace", [new]),
    ]
    for verdict, left in verdicts:
        home = tmp_path / verdict
        home.mkdir()
        recorded, _ = session_of(home, verdict)
        put_facts(home, entry("f1", old, home / "project"))
        before = facts_file(home).read_bytes()
        session = await opened(recorded)
        outcome = await session.remembering.save(new, provenance=YOU)
        assert contents(session) == left
        if isinstance(outcome, Replaced):
            history = await session.remembering.memories.store.history(outcome.fact.id)
            assert [one.before for one in history if one.before] == [old]
        assert (facts_file(home).read_bytes() == before) is (verdict == "keep_existing")
        await session.close()


class TestTheInbox:
    async def test_is_decided_later(self, tmp_path: Path) -> None:
        recorded, answers = session_of(tmp_path)
        session = await opened(recorded)
        remembering = session.remembering
        await remembering.save(NEW, provenance=MODEL)
        inbox, key = remembering.memories.inbox, remembering.memories.key
        (waiting,) = await inbox.waiting(key)
        assert await remembering.decide(waiting) is None
        assert await inbox.waiting(key) == (waiting,)
        answers.verdicts.append("replace")
        assert isinstance(await remembering.decide(waiting), Replaced)
        assert contents(session) == [NEW]
        assert await inbox.waiting(key) == ()
        await session.close()

    async def test_keeping_what_is_there_empties_it(self, tmp_path: Path) -> None:
        recorded, answers = session_of(tmp_path)
        session = await opened(recorded)
        remembering = session.remembering
        await remembering.save(NEW, provenance=MODEL)
        inbox, key = remembering.memories.inbox, remembering.memories.key
        answers.verdicts.append("keep_existing")
        assert isinstance(await remembering.decide((await inbox.waiting(key))[0]), Kept)
        assert await inbox.waiting(key) == ()
        await session.close()

    async def test_a_replacement_that_nobody_decides_still_names_its_target(
        self, tmp_path: Path
    ) -> None:
        root = tmp_path / "project"
        recorded, answers = session_of(tmp_path)
        put_facts(tmp_path, entry("f1", OLD, root), entry("f2", "Tea is served", root))
        session = await opened(recorded)
        remembering = session.remembering
        assert isinstance(await remembering.replace("f2", NEW), Conflict)
        inbox, key = remembering.memories.inbox, remembering.memories.key
        (waiting,) = await inbox.waiting(key)
        assert waiting.existing == ("f2", "f1")
        answers.verdicts += ["replace", "keep_both"]
        assert isinstance(await remembering.decide(waiting), Replaced)
        assert contents(session) == [OLD, NEW]
        assert await inbox.waiting(key) == ()
        await session.close()

    async def test_conflicts_that_come_up_at_every_answer_wait_for_another_day(
        self, tmp_path: Path
    ) -> None:
        """Another program writes one more each time the user has answered."""
        root = tmp_path / "project"
        recorded, answers = session_of(tmp_path)
        session = await opened(recorded)
        ask, there = answers.resolve_conflict, [entry("f1", OLD, root)]

        async def meanwhile(question: Any) -> Any:
            number = len(there) + 1
            there.append(entry(f"f{number}", f"The server listens on port 700{number}", root))
            put_facts(tmp_path, *there)
            answers.verdicts.append("keep_both")
            return await ask(question)

        answers.resolve_conflict = meanwhile  # type: ignore[method-assign]
        assert isinstance(await session.remembering.save(NEW, provenance=MODEL), Conflict)
        assert NEW not in contents(session)
        inbox, key = session.remembering.memories.inbox, session.remembering.memories.key
        (waiting,) = await inbox.waiting(key)
        assert waiting.draft.content == NEW
        assert types(recorded) == ["fact_conflict"]
        await session.close()

    async def test_whoever_decides_confirms(self, tmp_path: Path) -> None:
        """What the model remembered unasked, and what was imported, is verified by the choice."""
        for verdict in ("replace", "keep_both"):
            home = tmp_path / verdict
            home.mkdir()
            recorded, answers = session_of(home)
            session = await opened(recorded)
            remembering = session.remembering
            await remembering.save(NEW, provenance=MODEL, pending=True)
            memories = remembering.memories
            (waiting,) = await memories.inbox.waiting(memories.key)
            assert waiting.draft.pending
            answers.verdicts.append(verdict)
            outcome = await remembering.decide(waiting)
            assert isinstance(outcome, Stored | Replaced)
            assert not outcome.fact.pending and outcome.fact.verified is not None
            await session.close()


class TestTheRest:
    async def test_each_change_is_told(self, tmp_path: Path) -> None:
        recorded, _ = session_of(tmp_path)
        session = await opened(recorded)
        remembering = session.remembering
        assert isinstance(await remembering.verify(["f1"]), Verified)
        assert isinstance(await remembering.edit("f1", NEW), Replaced)
        assert isinstance(await remembering.delete(["f1"]), Deleted)
        assert isinstance(await remembering.restore("f1"), Restored)
        assert isinstance(await remembering.undo(), Restored)
        assert isinstance(await remembering.undo(), Restored)
        assert isinstance(await remembering.pin(["f1"], True), Pinned)
        assert isinstance(await remembering.clear(), Deleted)
        assert isinstance(await remembering.verify(["f1"]), NotFound)
        assert types(recorded)[:6] == [
            "fact_verified",
            "fact_replaced",
            "fact_deleted",
            "fact_restored",
            "fact_deleted",
            "fact_restored",
        ]
        await session.close()

    async def test_an_edit_into_a_conflict_waits_for_nobody(self, tmp_path: Path) -> None:
        root = tmp_path / "project"
        recorded, answers = session_of(tmp_path)
        put_facts(tmp_path, entry("f1", OLD, root), entry("f2", "Tea is served", root))
        session = await opened(recorded)
        remembering = session.remembering
        assert isinstance(await remembering.edit("f2", NEW), Conflict)
        assert types(recorded) == []
        assert not answers.conflicts
        assert isinstance(await remembering.edit("f2", NEW, force=True), Replaced)
        await session.close()

    async def test_a_replacement_that_contradicts_another_asks(self, tmp_path: Path) -> None:
        root = tmp_path / "project"
        recorded, answers = session_of(tmp_path, "keep_both")
        put_facts(tmp_path, entry("f1", OLD, root), entry("f2", "Tea is served", root))
        session = await opened(recorded)
        assert isinstance(await session.remembering.replace("f2", NEW), Replaced)
        assert contents(session) == [OLD, NEW]
        assert [one.existing.id for one in answers.conflicts] == ["f1"]
        await session.close()

    async def test_what_cant_be_written_is_an_outcome(self, tmp_path: Path) -> None:
        recorded, _ = session_of(tmp_path)
        session = await opened(recorded)
        facts_file(tmp_path).unlink()
        facts_file(tmp_path).mkdir()
        remembering = session.remembering
        assert isinstance(await remembering.save(NEW, provenance=YOU), Failed)
        assert isinstance(await remembering.delete_everywhere(["f1"]), Failed)
        assert types(recorded) == []
        await session.close()

    async def test_deleted_everywhere_is_told_so(self, tmp_path: Path) -> None:
        recorded, _ = session_of(tmp_path)
        session = await opened(recorded)
        assert isinstance(await session.remembering.delete_everywhere(["f1"]), Deleted)
        (event,) = recorded.of("fact_deleted")
        assert isinstance(event, FactDeleted)
        assert event.everywhere
        assert isinstance(await session.remembering.undo(), NotFound)
        await session.close()
