"""Summaries at their mark, by hand and in a turn; over real HTTP."""

import asyncio
import json
from pathlib import Path

import pytest

from app.compaction.replacement import CantSummarise
from app.config import CompactionSettings
from app.events import Summarised, SummaryFailed, SummaryStarted
from app.session.queue import SessionBusy
from tests.endpoint import Call, Say
from tests.endpoint.script import Body
from tests.session.summing import (
    Summariser,
    counted,
    fill,
    prose,
    request,
    summary,
    talking,
    texts,
    why,
)


class TestMaking:
    async def test_is_made_at_the_mark_and_the_turn_goes_on(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            await fill(session, 7)
            assert not recorded.of("summary_started")
            before = session.node
            await session.run(prose("topic 7", 4_000))
            started, done = (recorded.of(kind)[0] for kind in ("summary_started", "summarized"))
            assert isinstance(started, SummaryStarted)
            assert isinstance(done, Summarised)
            assert started.tokens >= session.context.window.marks.summary > done.tokens_after
            assert (done.parent, done.node) == (before, session.node)
            assert session.outcome.ok
            assert session.history.get(done.summary) is not None
            assert all(session.history.get(one) is None for one in done.messages)
            assert any(prose("topic 7", 4_000).strip() in text for text in texts(script.said[-1]))
            assert endpoint.violations == []
            assert session.history[-1].text == "Noted."

    async def test_asks_with_the_prefix_that_is_cached(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, _):
            await fill(recorded.session, 8)
            (asked,), before = script.asked, script.said[-2]
            shared = asked["messages"][:-1]
            assert before["messages"][: len(shared)] == shared
            assert asked["tools"] == before["tools"]

    async def test_the_gauge_falls_at_once(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, _):
            await fill(recorded.session, 8)
            (done,) = recorded.of("summarized")
            assert isinstance(done, Summarised)
            figures = [one.tokens for one in recorded.contexts]
            fall = next(i for i in range(1, len(figures)) if figures[i] < 0.8 * figures[i - 1])
            assert figures[fall] == done.tokens_after

    async def test_inside_a_long_turn_the_loop_goes_on(self, tmp_path: Path) -> None:
        script = Summariser()
        left = iter(range(14))

        def talk(body: Body) -> Say:
            number = next(left, None)
            if number is None:
                return Say("All read.", usage=counted(body, 3))
            call = Call("read_file", {"path": f"file{number}.txt"})
            return Say(calls=[call], usage=counted(body, 10))

        script.talk = talk
        settings = CompactionSettings(keep_tools=("read_file",))
        async with talking(tmp_path, script, compaction=settings) as (recorded, endpoint):
            for number in range(14):
                text = prose(f"file {number}", 5_000)
                (recorded.root / f"file{number}.txt").write_text(text)
            ask = "Read all of them, one by one, and tell me of each."
            await recorded.session.run(ask)
            assert recorded.session.outcome.ok
            assert recorded.session.history[-1].text == "All read."
            done = recorded.of("summarized")
            assert done
            assert all(isinstance(one, Summarised) and one.in_turn for one in done)
            window = recorded.session.context.window.window.effective
            for body in script.said:
                assert sum(ask in text for text in texts(body)) == 1
                assert len(json.dumps(body)) // 4 < window
            assert endpoint.violations == []

    async def test_off_and_clear_never_summarise(self, tmp_path: Path) -> None:
        for auto in ("off", "clear"):
            script = Summariser()
            settings = CompactionSettings(auto=auto)
            folder = tmp_path / auto
            folder.mkdir()
            async with talking(folder, script, compaction=settings) as (recorded, _):
                await fill(recorded.session, 10)
                assert not script.asked
                assert not recorded.of("summary_started", "summarized", "summary_rejected")
                assert recorded.of("notice"), "it was warned"

    async def test_a_smaller_window_summarises_before_the_next_call(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script, window=64_000) as (recorded, endpoint):
            session = recorded.session
            await fill(session, 20)
            assert not script.asked
            session.context.set_window(16_000)
            await session.run("And now?")
            assert recorded.of("summarized")
            assert session.outcome.ok
            for body in (*script.asked, script.said[-1]):
                assert len(json.dumps(body["messages"])) // 4 < 16_000
            assert len(script.asked) > 1, "in pieces that fit"
            assert endpoint.violations == []


class TestByHand:
    async def test_compacts_and_starts_nobody(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            await fill(session, 6)
            sent = len(script.said)
            assert await session.compact("the parser")
            (done,) = recorded.of("summarized")
            assert isinstance(done, Summarised)
            assert done.messages
            assert prose("topic 5", 4_000).strip() in request(session).replace("\\n", "\n")
            assert "the parser" in json.dumps(script.asked[-1]["messages"][-1])
            assert len(script.said) == sent
            assert not session.busy
            await session.run("Go on.")
            assert endpoint.violations == []

    async def test_what_is_typed_meanwhile_is_sent(self, tmp_path: Path) -> None:
        hold = asyncio.Event()
        script = Summariser(lambda body: Say(summary(), hold=hold, usage=counted(body, 9)))
        async with talking(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            await fill(session, 6)
            work = asyncio.create_task(session.compact())
            await endpoint.request_count(7)
            assert session.busy
            session.send("typed meanwhile")
            assert [one.text for one in session.queued] == ["typed meanwhile"]
            hold.set()
            assert await work
            await session.wait_idle()
            assert recorded.of("summarized")
            assert any("typed meanwhile" in text for text in texts(script.said[-1]))
            assert not session.queued

    async def test_a_stop_leaves_all_as_it_was(self, tmp_path: Path) -> None:
        script = Summariser(lambda _: Say(summary(), hold=asyncio.Event()))
        async with talking(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            await fill(session, 6)
            before, ledger = request(session), recorded.ledger
            work = asyncio.create_task(session.compact())
            await endpoint.request_count(7)
            session.send("typed meanwhile")
            session.stop()
            assert not await work
            await session.wait_idle()
            (failed,) = recorded.of("summary_rejected")
            assert isinstance(failed, SummaryFailed)
            assert (failed.code, failed.attempt) == ("cancelled", 0)
            assert (request(session), recorded.ledger) == (before, ledger)
            assert [one.text for one in session.queued] == ["typed meanwhile"]
            assert session.go_on()
            await session.wait_idle()
            assert session.outcome.ok

    async def test_a_stop_before_it_has_begun_ends_it_too(self, tmp_path: Path) -> None:
        async with talking(tmp_path, Summariser()) as (recorded, _):
            session = recorded.session
            await fill(session, 6)
            before, ledger = request(session), recorded.ledger
            work = asyncio.create_task(session.compact())
            asyncio.get_running_loop().call_soon(session.stop)
            assert not await asyncio.wait_for(work, 5)
            assert not session.busy
            assert (request(session), recorded.ledger) == (before, ledger)
            assert await session.compact(), why(recorded)

    async def test_while_another_conversation_opens_it_is_of_that_one(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, _):
            session = recorded.session
            await fill(session, 6)
            left = session.node
            clearing = asyncio.create_task(session.clear())
            await asyncio.sleep(0)
            assert session.node == left, "it takes a moment"
            with pytest.raises(CantSummarise):
                await session.compact()
            await clearing
            assert session.node != left
            assert not script.asked
            assert not recorded.of("summary_started", "error")

    async def test_there_may_be_nothing_to_do(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, _):
            with pytest.raises(CantSummarise):
                await recorded.session.compact()
            await fill(recorded.session, 1)
            with pytest.raises(CantSummarise):
                await recorded.session.compact()
            assert not script.asked
            assert not recorded.session.busy

    async def test_not_while_the_agent_works(self, tmp_path: Path) -> None:
        hold = asyncio.Event()
        script = Summariser()
        script.talk = lambda _: Say("Noted.", hold=hold)
        async with talking(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            session.send("hello")
            await endpoint.request_count(1)
            for action in (session.compact, session.cut_without_summary, session.expand):
                with pytest.raises(SessionBusy):
                    await action()
            hold.set()
            await session.wait_idle()
