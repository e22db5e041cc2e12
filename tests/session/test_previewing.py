"""A compaction that is looked at first, over real HTTP: drafted, edited, accepted, or not."""

import asyncio
from pathlib import Path

import pytest

from app.compaction.draft import DraftRefused, DraftStale, SummaryDraft
from app.compaction.replacement import CantSummarise
from app.compaction.summarize import SummaryFailed
from app.config import CompactionSettings
from app.conversation.messages import SummaryPart, WordsPart
from app.events import Summarised
from app.session.queue import SessionBusy
from app.session.session import Session
from app.view.compaction import Balance, Group, tokens_of
from tests.endpoint import Call, Say
from tests.endpoint.script import Body
from tests.session.summing import (
    Summariser,
    at_length,
    counted,
    fill,
    prose,
    request,
    summary,
    talking,
    texts,
)


def adds_up(balance: Balance, session: Session) -> None:
    """The rows make the two figures; the first is the gauge's."""
    context = session.context
    assert balance.before.total == context.meter.measure(context.prospect, context.tools).tokens
    said = balance.before.total - balance.before.system
    assert tokens_of(balance.leaving) + tokens_of(balance.staying) == said
    rows = balance.summary + tokens_of(balance.staying) + tokens_of(balance.carried)
    assert rows == balance.after.total - balance.after.system
    assert all(row.tokens >= 0 for row in (*balance.leaving, *balance.staying))
    assert all(row.tokens >= 0 for row in balance.carried)
    numbers = [n for group in (*balance.leaving, *balance.staying) for n in _numbers(group)]
    sent = [one for one in session.history if not one.discarded and one.role != "system"]
    assert numbers == list(range(1, len(sent) + 1))


def _numbers(group: Group) -> range:
    return range(group.first, group.last + 1)


async def drafted(session: Session, focus: str = "") -> SummaryDraft:
    """A draft with its text."""
    draft = await session.draft(await session.outline(), focus)
    assert draft is not None
    return draft


async def asked(script: Summariser) -> None:
    """Until a summary was asked for."""
    for _ in range(500):
        if script.asked:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("nobody asked")


class TestLooking:
    async def test_nothing_changes_and_the_figures_add_up(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            await fill(session, 5)
            before, node = request(session), session.node
            outline = await session.outline()
            adds_up(outline.balance, session)
            assert script.asked == []
            assert outline.written is None
            draft = await session.draft(outline)
            assert draft is not None
            assert draft.written is not None
            adds_up(draft.balance, session)
            assert draft.written.sections.bodies == ("- one", "- two", "- three", "- four")
            assert (request(session), session.node) == (before, node)
            assert recorded.of("summary_started", "summarized", "summary_rejected") == []
            assert [group.title[:9] for group in draft.balance.leaving] == [
                f"topic {n} l" for n in range(3)
            ]
            assert [group.title[:7] for group in draft.balance.staying] == ["topic 3", "topic 4"]
            assert endpoint.violations == []

    async def test_what_it_cost_is_counted_though_nobody_accepts(self, tmp_path: Path) -> None:
        async with talking(tmp_path, Summariser()) as (recorded, _):
            await fill(recorded.session, 5)
            await drafted(recorded.session)
            sums = await recorded.session.usage()
            assert [one.calls for one in sums.models if one.purpose == "summary"] == [1]

    async def test_after_accepting_the_gauge_shows_what_was_promised(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            await fill(session, 5)
            draft = await drafted(session)
            assert await session.accept(draft)
            (done,) = recorded.of("summarized")
            assert isinstance(done, Summarised)
            assert done.tokens_after == draft.balance.after.total
            assert done.tokens_before == draft.balance.before.total
            assert done.tokens == draft.balance.summary
            assert recorded.contexts[-1].tokens == draft.balance.after.total
            await session.run("go on")
            assert session.outcome.ok
            assert endpoint.violations == []
            await session.run("and on")
            assert not session.can_undo_summary

    async def test_it_can_be_undone(self, tmp_path: Path) -> None:
        async with talking(tmp_path, Summariser()) as (recorded, _):
            session = recorded.session
            await fill(session, 5)
            before = request(session)
            assert await session.accept(await drafted(session))
            assert await session.undo_summary()
            assert request(session) == before

    async def test_one_long_turn_shows_its_steps(self, tmp_path: Path) -> None:
        script = Summariser()
        left = iter(range(14))

        def talk(body: Body) -> Say:
            number = next(left, None)
            if number is None:
                return Say("All read.", usage=counted(body, 3))
            call = Call("read_file", {"path": f"file{number}.txt"})
            return Say(calls=[call], usage=counted(body, 10))

        script.talk = talk
        settings = CompactionSettings(auto="off")
        async with talking(tmp_path, script, window=32_000, compaction=settings) as (recorded, _):
            session = recorded.session
            for number in range(14):
                (recorded.root / f"file{number}.txt").write_text(prose(f"file {number}", 4_000))
            await session.run("read all of it")
            draft = await drafted(session)
            adds_up(draft.balance, session)
            kinds = [group.kind for group in draft.balance.leaving]
            assert kinds[:2] == ["turn", "steps"]
            assert draft.balance.leaving[1].title.startswith("read_file ×")
            assert draft.balance.carried[0].kind == "request"
            assert draft.balance.staying[0].kind == "rest"
            assert await session.accept(draft)


class TestRefusing:
    async def test_nothing_to_do(self, tmp_path: Path) -> None:
        async with talking(tmp_path, Summariser()) as (recorded, _):
            await recorded.session.run("hello")
            with pytest.raises(CantSummarise):
                await recorded.session.outline()

    async def test_a_history_that_moved_makes_it_stale(self, tmp_path: Path) -> None:
        async with talking(tmp_path, Summariser()) as (recorded, _):
            session = recorded.session
            await fill(session, 5)
            draft = await drafted(session)
            await session.run("something else")
            before = request(session)
            assert session.is_stale(draft)
            with pytest.raises(DraftStale):
                await session.accept(draft)
            with pytest.raises(DraftStale):
                await session.edit_draft(draft, ("a", "b", "c", "d"))
            assert request(session) == before
            assert recorded.of("summarized") == []

    async def test_a_message_sent_meanwhile_goes_out_and_it_is_stale(self, tmp_path: Path) -> None:
        gate = asyncio.Event()
        script = Summariser(lambda body: Say(summary(), hold=gate, usage=counted(body, 80)))
        async with talking(tmp_path, script) as (recorded, _):
            session = recorded.session
            await fill(session, 5)
            outline = await session.outline()
            writing = asyncio.create_task(session.draft(outline))
            await asked(script)
            with pytest.raises(SessionBusy):
                await session.outline()
            session.send("meanwhile")
            assert len(session.queued) == 1
            gate.set()
            draft = await writing
            assert draft is not None
            await session.wait_idle()
            assert session.is_stale(draft)

    async def test_a_stop_leaves_everything(self, tmp_path: Path) -> None:
        gate = asyncio.Event()
        script = Summariser(lambda _: Say(summary(), hold=gate))
        async with talking(tmp_path, script) as (recorded, _):
            session = recorded.session
            await fill(session, 5)
            before = request(session)
            outline = await session.outline()
            writing = asyncio.create_task(session.draft(outline))
            await asked(script)
            assert session.stop()
            assert await writing is None
            await session.wait_idle()
            assert request(session) == before
            again = await session.draft(outline)
            assert again is not None, "the outline still stands"

    async def test_it_is_stale_while_another_conversation_opens(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, _):
            session = recorded.session
            await fill(session, 5)
            outline = await session.outline()
            forking = asyncio.create_task(session.fork(None))
            await asyncio.sleep(0)
            with pytest.raises(DraftStale):
                await session.draft(outline)
            await forking
            assert not script.asked

    async def test_a_failed_call_says_why(self, tmp_path: Path) -> None:
        script = Summariser(Say("no headings"), Say("still none"))
        async with talking(tmp_path, script) as (recorded, _):
            session = recorded.session
            await fill(session, 5)
            before = request(session)
            with pytest.raises(SummaryFailed) as failed:
                await drafted(session)
            assert failed.value.code == "headings"
            assert request(session) == before
            assert recorded.of("summary_rejected") == []


class TestEditing:
    async def test_what_is_edited_stands_in_the_summary_alone(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            await fill(session, 5)
            draft = await drafted(session)
            bodies = ("my own goal", "- two", "", "tests\n\nmore")
            edited = await session.edit_draft(draft, bodies)
            assert edited.written is not None
            assert edited.written.edited
            adds_up(edited.balance, session)
            assert await session.accept(edited)
            (done,) = recorded.of("summarized")
            assert isinstance(done, Summarised)
            assert done.tokens_after == edited.balance.after.total
            bearer = session.history.get(done.summary)
            assert bearer is not None
            parts = [part for part in bearer.parts if isinstance(part, SummaryPart)]
            assert "my own goal" in parts[0].text
            assert parts[0].text.count("## ") == 4
            said = [part for part in bearer.parts if isinstance(part, WordsPart)]
            assert all("my own goal" not in one.text for part in said for one in part.said)
            await session.run("go on")
            assert any("my own goal" in text for text in texts(script.said[-1]))
            assert endpoint.violations == []

    @pytest.mark.parametrize(
        ("bodies", "fault"),
        [
            (("", "", " ", "\n"), "bare"),
            (("none", "", "", ""), "bare"),
            (("a", "## Done, with evidence", "c", "d"), "headings"),
            (("a", "```\ncode", "c", "d"), "headings"),
            (("a", "b" * 9_000, "c", "d"), "too_long"),
        ],
    )
    async def test_what_cant_stand_is_refused(
        self, tmp_path: Path, bodies: tuple[str, ...], fault: str
    ) -> None:
        async with talking(tmp_path, Summariser()) as (recorded, _):
            session = recorded.session
            await fill(session, 5)
            draft = await drafted(session)
            before = request(session)
            with pytest.raises(DraftRefused) as refused:
                await session.accept(draft, bodies)
            assert refused.value.fault == fault
            assert refused.value.sentence(session.words)
            assert request(session) == before
            assert await session.accept(draft), "the draft itself still can"

    async def test_too_many_tokens_are_refused(self, tmp_path: Path) -> None:
        async with talking(tmp_path, Summariser()) as (recorded, _):
            session = recorded.session
            await fill(session, 5)
            draft = await drafted(session)
            limit = draft.proposal.shares.summary_text
            bodies = ("汉" * (limit.characters - 200), "b", "c", "d")
            with pytest.raises(DraftRefused, match="tokens"):
                await session.accept(draft, bodies)


class TestPinning:
    async def test_a_pinned_row_is_carried_over(self, tmp_path: Path) -> None:
        script = Summariser()
        script.talk = lambda body: at_length(body, 3_000)
        async with talking(tmp_path, script, window=32_000) as (recorded, _):
            session = recorded.session
            await fill(session, 9, characters=4_000)
            draft = await drafted(session)
            group = draft.balance.leaving[2]
            pinned = await session.pin_for_draft(draft, group.messages)
            assert pinned.written == draft.written, "it stands for the same messages"
            adds_up(pinned.balance, session)
            assert pinned.balance.leaving[2].pinned
            carried = [one for one in pinned.balance.carried if one.kind == "pin"]
            assert {one.message for one in carried} == set(group.messages)
            assert carried[0].title.startswith("topic 2")
            assert len(script.asked) == 1
            assert await session.accept(pinned)
            (done,) = recorded.of("summarized")
            assert isinstance(done, Summarised)
            assert done.kept.pins == len(group.messages)

    async def test_again_lets_go(self, tmp_path: Path) -> None:
        async with talking(tmp_path, Summariser(), window=32_000) as (recorded, _):
            session = recorded.session
            await fill(session, 9, characters=4_000)
            draft = await drafted(session)
            ids = draft.balance.leaving[1].messages
            pinned = await session.pin_for_draft(draft, ids)
            free = await session.pin_for_draft(pinned, ids)
            assert free.balance == draft.balance
            assert not any(session.pinned(one) for one in ids)

    async def test_what_has_no_room_is_said(self, tmp_path: Path) -> None:
        async with talking(tmp_path, Summariser(), window=64_000) as (recorded, _):
            session = recorded.session
            await fill(session, 9, characters=12_000)
            draft = await drafted(session)
            for group in draft.balance.leaving[:4]:
                draft = await session.pin_for_draft(draft, group.messages)
            assert draft.balance.pins_left_out
            adds_up(draft.balance, session)


class TestWritingAgain:
    async def test_the_first_time_it_asks_once_more(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, _):
            session = recorded.session
            await fill(session, 5)
            draft = await drafted(session)
            script.answers = [Say(summary("another"))]
            again = await session.write_again(draft, "the schema")
            assert again is not None
            assert again.written is not None
            assert again.written.sections.bodies[0] == "- another"
            assert "the schema" in str(script.asked[-1]["messages"][-1])

    async def test_later_from_the_originals_of_all_summaries(self, tmp_path: Path) -> None:
        script = Summariser()
        script.talk = lambda body: at_length(body, 2_500)
        settings = CompactionSettings(auto="clear")
        async with talking(tmp_path, script, compaction=settings) as (recorded, _):
            session = recorded.session
            for number in range(2):
                await fill(session, 5, topic=f"part {number}", characters=3_000)
                script.answers = [Say(summary(f"from summary {number}"))]
                assert await session.accept(await drafted(session))
            await fill(session, 5, topic="part 2", characters=3_000)
            draft = await drafted(session)
            assert "from summary 1" in "".join(texts(script.asked[-1]))
            assert draft.written is not None
            assert draft.written.text.generation == 3
            asked = len(script.asked)
            again = await session.write_again(draft)
            assert again is not None
            assert again.written is not None
            shown = "".join(text for body in script.asked[asked:] for text in texts(body))
            for part in range(3):
                assert f"part {part} 0 line 3" in shown
            assert "from summary" not in shown.replace("from summary 9", "")
            assert again.written.text.generation == 1
            assert again.written.source == "originals"
            assert again.balance.leaving == draft.balance.leaving
            assert await session.accept(again)

    async def test_a_text_is_kept_as_long_as_it_stands_for_the_same(self, tmp_path: Path) -> None:
        async with talking(tmp_path, Summariser()) as (recorded, _):
            session = recorded.session
            await fill(session, 5)
            draft = await drafted(session)
            assert (await session.outline(draft)).written == draft.written
            await session.run("more")
            assert (await session.outline(draft)).written is None
