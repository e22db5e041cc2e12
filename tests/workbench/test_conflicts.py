"""Conflicts of memories under real keys on the real app, down to the facts file."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from app.events import ApprovalAnswer, ApprovalQuestion, ConflictAnswer
from app.llm.client import OpenAIModel
from app.memory.fact_outcomes import Conflict, Kept, Outcome, Replaced, Stored
from app.memory.facts import Provenance
from app.screens.memory import MemoryScreen
from app.session.remembering import Remembering
from app.text import Words
from tests.endpoint import Call, Endpoint, Say
from tests.memory.memory_desk import memories
from tests.screens.stage import Stage, clock_of, make_app, opened, settled
from tests.session.support import TestClock
from tests.widgets.conflicts import CHINESE, QUESTION
from tests.widgets.desk import has_row, text
from widgets.dialogs.approval import ApprovalDialog
from widgets.dialogs.conflict import ConflictDialog

OLD, NEW = "Service builds on Java 17 (Temurin)", "Service builds on Java 21 (Temurin)"
KEEP = ConflictAnswer(verdict="keep_existing")


@dataclass
class Play:
    """A running app."""

    app: Stage
    pilot: Pilot[int]
    endpoint: Endpoint

    @property
    def remembering(self) -> Remembering:
        assert self.app.session is not None
        return self.app.session.remembering

    @property
    def facts_file(self) -> Path:
        return self.remembering.memories.store.path

    @property
    def draft(self) -> str:
        assert self.app.chat is not None
        return self.app.chat.prompt.draft

    async def until(self, true: Callable[[], object]) -> None:
        """Goes on until something is so; what was on the screen where it never is."""
        for _ in range(1000):
            if true():
                await settled(self.pilot)
                return
            await asyncio.sleep(0.01)
        raise AssertionError(text(self.app))

    async def asked(self, *parts: str, guard: float = 5) -> None:
        """Until a conflict is shown that has these words in a row; then typing has paused."""

        def shows() -> bool:
            return isinstance(self.app.screen, ConflictDialog) and has_row(self.app, *parts)

        await self.until(shows)
        clock_of(self.app).seconds += guard

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause(0.12)

    async def commit(self, typed: str) -> None:
        """What an input method commits, all at once."""
        for character in typed:
            self.app.post_message(events.Key(character, character))
        await self.pilot.pause(0.12)

    def save(self, content: str) -> "asyncio.Task[Outcome]":
        """Saves what the user says."""
        return asyncio.create_task(self.remembering.save(content, provenance=Provenance("you")))

    async def stored(self, content: str = OLD) -> bytes:
        """The file once a fact stands in it."""
        assert isinstance(await self.save(content), Stored)
        return self.facts_file.read_bytes()

    async def left_waiting(self, content: str) -> None:
        """A conflict that the user leaves undecided."""
        saving = self.save(content)
        await self.asked(content[:12])
        await self.press("pagedown")
        assert isinstance(await saving, Conflict)

    async def waiting(self) -> list[str]:
        """The texts in the inbox."""
        memories = self.remembering.memories
        return [one.draft.content for one in await memories.inbox.waiting(memories.key)]


@asynccontextmanager
async def playing(
    tmp_path: Path,
    script: Sequence[Say] = (),
    *,
    size: tuple[int, int] = (120, 36),
    language: str = "en",
) -> AsyncIterator[Play]:
    async with Endpoint(script) as endpoint:
        model = OpenAIModel("scripted", endpoint.base_url, clock=TestClock(), words=Words("en"))
        app = make_app(tmp_path, model, language=language)
        try:
            async with app.run_test(size=size) as pilot:
                await opened(pilot, app)
                yield Play(app, pilot, endpoint)
                assert app.session is not None
                await app.session.close()
        finally:
            await model.close()


async def test_typing_when_it_opens_goes_on_in_the_prompt(tmp_path: Path) -> None:
    async with playing(tmp_path) as play:
        app = play.app
        await play.pilot.press(*"swap ")
        asking = asyncio.create_task(app.lead.broker.resolve_conflict(QUESTION))
        await play.asked("Memory conflict", guard=0.2)
        await play.press(*"rk", "enter", "1")
        await play.commit("镜像】")
        assert not asking.done()
        await play.press("escape")
        assert await asking == KEEP
        await play.until(lambda: play.draft == "swap rk1镜像】")


@pytest.mark.parametrize(
    ("keys", "verdict"),
    [
        (("1",), "replace"),
        (("2",), "keep_both"),
        (("3",), "keep_existing"),
        (("right", "enter"), "replace"),
        (("left", "enter"), "keep_both"),
        (("enter",), "keep_existing"),
    ],
)
async def test_an_input_method_needs_no_letters(
    tmp_path: Path, keys: tuple[str, ...], verdict: str
) -> None:
    async with playing(tmp_path, size=(80, 24), language="zh") as play:
        asking = asyncio.create_task(play.app.lead.broker.resolve_conflict(CHINESE))
        await play.asked("记忆冲突")
        await play.commit("替换")
        assert not asking.done()
        clock_of(play.app).seconds += 2
        await play.press(*keys)
        answer = await asking
        assert answer is not None and answer.verdict == verdict
        await play.until(lambda: play.draft == "替换")


@pytest.mark.parametrize("key", ["】", "」"])
async def test_the_twin_of_the_bracket_leaves_it_undecided(tmp_path: Path, key: str) -> None:
    async with playing(tmp_path) as play:
        asking = asyncio.create_task(play.app.lead.broker.resolve_conflict(QUESTION))
        await play.asked("Memory conflict")
        await play.commit(key)
        assert await asking is None and play.draft == ""


async def test_questions_of_both_kinds_wait_in_one_row(tmp_path: Path) -> None:
    single = QUESTION.model_copy(update={"count": 1})
    approval = ApprovalQuestion(
        id="a", tool="execute_command", risk="command", subject="make", place="~"
    )
    async with playing(tmp_path) as play:
        broker = play.app.lead.broker
        first = asyncio.create_task(broker.resolve_conflict(single))
        await play.asked("Memory conflict")
        second = asyncio.create_task(broker.approve(approval))
        gone = asyncio.create_task(
            broker.resolve_conflict(single.model_copy(update={"id": "q2", "subject": "ports"}))
        )
        third = asyncio.create_task(
            broker.resolve_conflict(single.model_copy(update={"id": "q3", "subject": "indents"}))
        )
        await play.until(lambda: has_row(play.app, "● ○ ○ ○  1 of 4"))
        gone.cancel()
        await play.until(lambda: has_row(play.app, "● ○ ○  1 of 3"))
        await play.press("]")
        assert await first is None
        await play.until(lambda: isinstance(play.app.screen, ApprovalDialog))
        clock_of(play.app).seconds += 5
        await play.press("n")
        assert await second == ApprovalAnswer(verdict="refuse")
        await play.asked("disagree on indents")
        await play.press("k")
        assert await third == ConflictAnswer(verdict="keep_both")
        await play.until(lambda: play.app.screen is play.app.chat)


async def test_a_question_nobody_waits_for_any_more_goes_away(tmp_path: Path) -> None:
    async with playing(tmp_path) as play:
        asking = asyncio.create_task(play.app.lead.broker.resolve_conflict(QUESTION))
        await play.asked("Memory conflict")
        asking.cancel()
        await play.until(lambda: play.app.screen is play.app.chat)
        assert play.app.lead.broker.current is None


async def test_esc_keeps_the_existing_one_byte_for_byte(tmp_path: Path) -> None:
    async with playing(tmp_path) as play:
        before = await play.stored()
        saving = play.save(NEW)
        await play.asked(OLD, NEW, guard=0)
        await play.press("escape")
        assert isinstance(await saving, Kept)
        assert play.facts_file.read_bytes() == before
        assert await play.waiting() == []


async def test_left_undecided_it_waits_in_the_inbox_and_the_file_stays(tmp_path: Path) -> None:
    async with playing(tmp_path) as play:
        before = await play.stored()
        await play.left_waiting(NEW)
        assert play.facts_file.read_bytes() == before
        assert await play.waiting() == [NEW]


@pytest.mark.parametrize(
    ("key", "outcome", "left"), [("r", Replaced, [NEW]), ("2", Stored, [OLD, NEW])]
)
async def test_what_is_chosen_is_written(
    tmp_path: Path, key: str, outcome: type, left: list[str]
) -> None:
    async with playing(tmp_path) as play:
        await play.stored()
        saving = play.save(NEW)
        await play.asked(OLD, NEW)
        assert has_row(play.app, "17", "21") and "Esc Keep existing" in text(play.app)
        await play.press(key)
        assert isinstance(await saving, outcome)
        facts = play.remembering.memories.visible()
        assert sorted(fact.content for fact in facts) == left


async def test_the_inbox_is_walked_through(tmp_path: Path) -> None:
    pairs = [
        (OLD, NEW),
        ("The default port is 8080", "The default port is 9090"),
        ("Indent with 2 spaces", "Indent with 4 spaces"),
    ]
    async with playing(tmp_path) as play:
        for existing, _ in pairs:
            await play.stored(existing)
        for _, incoming in pairs:
            await play.left_waiting(incoming)
        before = play.facts_file.read_bytes()
        play.app.lead.deciding.begin()
        play.app.lead.deciding.begin()
        await play.asked("● ○ ○  1 of 3")
        assert has_row(play.app, OLD, NEW)
        await play.press("pagedown")
        await play.asked("○ ● ○  2 of 3")
        await play.press("escape")
        await play.asked("○ ○ ●  3 of 3")
        assert play.facts_file.read_bytes() == before
        await play.press("1")
        await play.until(lambda: "2 decided, 1 still waits" in text(play.app))
        assert await play.waiting() == [NEW]
        kept = {fact.content for fact in play.remembering.memories.visible()}
        assert kept == {OLD, "The default port is 8080", "Indent with 4 spaces"}


async def test_the_browsers_cursor_goes_to_what_was_decided(tmp_path: Path) -> None:
    async with playing(tmp_path) as play:
        for content in ("Indent with 2 spaces", OLD, "The default port is 8080"):
            await play.stored(content)
        await play.left_waiting(NEW)
        await play.press("f2")

        def at(content: str) -> bool:
            screen = play.app.screen
            fact = screen.list.fact if isinstance(screen, MemoryScreen) else None
            return fact is not None and fact.content == content

        await play.until(lambda: at(OLD))
        await play.press("i")
        await play.asked(OLD, NEW)
        await play.press("1")
        await play.until(lambda: at(NEW))


async def test_an_empty_inbox_says_so(tmp_path: Path) -> None:
    async with playing(tmp_path) as play:
        play.app.lead.deciding.begin()
        await play.until(lambda: "No conflict waits for a decision" in text(play.app))


@pytest.mark.parametrize(("key", "told"), [("escape", "Not saved"), ("r", NEW)])
async def test_the_model_is_told_what_became_of_its_call(
    tmp_path: Path, key: str, told: str
) -> None:
    script = [Say(calls=[Call("save_memory", {"fact": NEW})]), Say("Done as you say.")]
    async with playing(tmp_path, script) as play:
        before = await play.stored()
        assert play.app.chat is not None
        play.app.chat.run_line("Remember: Java 21 now")
        await play.asked(OLD, NEW)
        assert has_row(play.app, "now, model on request")
        assert has_row(play.app, "「Remember: Java 21 now」")
        await play.press(key)
        await play.until(lambda: "Done as you say." in text(play.app))
        assert told in play.endpoint.requests[-1]["messages"][-1]["content"]
        assert (play.facts_file.read_bytes() == before) is (key == "escape")


async def test_what_another_window_decided_is_asked_no_more(tmp_path: Path) -> None:
    pairs = [(OLD, NEW), ("The default port is 8080", "The default port is 9090")]
    async with playing(tmp_path) as play:
        for existing, incoming in pairs:
            await play.stored(existing)
            await play.left_waiting(incoming)
        mine = play.remembering.memories
        play.app.lead.deciding.begin()
        await play.asked("● ○  1 of 2")
        async with memories(mine.store.path.parents[1], project="../order-service") as other:
            for pending in await other.inbox.waiting(other.key):
                (existing,) = pending.existing
                assert isinstance(await other.store.replace(pending.draft, existing), Replaced)
                await other.inbox.take(pending.id)
        await play.until(lambda: play.app.screen is play.app.chat)
        assert has_row(play.app, "All 2 conflicts are decided")
        assert sorted(fact.content for fact in mine.visible()) == sorted(new for _, new in pairs)
