"""Undo, expand here, branch, the cut without a summary."""

import asyncio
import json
from pathlib import Path

import pytest

from app.compaction.expand import CantExpand
from app.conversation.history import History
from app.conversation.wire import to_wire
from app.events import Summarised, SummaryUndone
from tests.endpoint import Call, Say, Status
from tests.endpoint.script import Body
from tests.session.summing import (
    FAILURES,
    Ids,
    Summariser,
    counted,
    fill,
    prose,
    request,
    talking,
    why,
)


class TestTakingBack:
    async def test_undo_is_byte_for_byte_and_pauses(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            await fill(session, 7)
            before, node = request(session), session.node
            assert not session.can_undo_summary
            assert await session.compact(), why(recorded)
            assert session.can_undo_summary
            assert request(session) != before
            assert await session.undo_summary()
            assert (request(session), session.node) == (before, node)
            (undone,) = recorded.of("summary_undone")
            assert isinstance(undone, SummaryUndone)
            (done,) = recorded.of("summarized")
            assert isinstance(done, Summarised)
            assert undone.messages == len(done.messages)
            assert session.summaries_paused
            await session.run(prose("topic 7", 4_000))
            assert len(script.asked) == 1, "it pauses"
            await session.resume_summaries()
            await session.run("Go on.")
            assert len(script.asked) == 2
            assert endpoint.violations == []

    async def test_not_once_something_was_said(self, tmp_path: Path) -> None:
        async with talking(tmp_path, Summariser()) as (recorded, _):
            session = recorded.session
            await fill(session, 7)
            assert await session.compact(), why(recorded)
            await session.run("Go on.")
            assert not session.can_undo_summary
            assert not await session.undo_summary()

    async def test_while_the_model_is_asked(self, tmp_path: Path) -> None:
        """Its answer follows what is back."""
        hold = asyncio.Event()
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            await fill(session, 7)
            before = request(session)
            script.talk = lambda body: Say("Noted at last.", hold=hold, usage=counted(body, 9))
            session.send(prose("topic 7", 4_000))
            await endpoint.request_count(9)
            assert recorded.of("summarized")
            assert await session.undo_summary()
            hold.set()
            await session.wait_idle()
            assert session.outcome.ok
            assert request(session).startswith(before[:-1])
            assert session.history[-1].text == "Noted at last."
            script.talk = lambda body: Say("Noted.", usage=counted(body, 3))
            await session.run("Go on.")
            assert len(recorded.of("summarized")) == 1, "it pauses"
            assert endpoint.violations == []

    async def test_after_a_resume(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, _):
            session = recorded.session
            await fill(session, 7)
            before, parent = request(session), session.node
            assert await session.compact(), why(recorded)
            node, sent = session.node, request(session)
        async with talking(tmp_path, script, new_id=Ids()) as (recorded, endpoint):
            session = recorded.session
            await session.resume(node)
            assert request(session) == sent
            assert session.can_undo_summary
            assert await session.undo_summary()
            assert (request(session), session.node) == (before, parent)
            await session.run("Go on.")
            assert session.outcome.ok
            assert endpoint.violations == []

    async def test_a_clear_before_it_goes_back_with_it(self, tmp_path: Path) -> None:
        """One undo for all that happened before a call."""
        script = Summariser()
        broken = Status(400, {"error": {"message": "no", "type": "invalid_request_error"}})
        before: list[History] = []

        async def look(history: History) -> None:
            before.append(History(history.messages, history.recovery))

        async with talking(tmp_path, script, window=32_000, before_call=look) as (
            recorded,
            endpoint,
        ):
            session = recorded.session
            for number in range(5):
                (recorded.root / f"file{number}.txt").write_text(prose(f"file {number}", 8_000))

            def talk(body: Body) -> Say:
                last = body["messages"][-1]
                if last["role"] == "tool" or "read" not in str(last["content"]):
                    return Say("Noted.", usage=counted(body, 3))
                calls = [Call("read_file", {"path": f"file{n}.txt"}) for n in range(5)]
                return Say(calls=calls, usage=counted(body, 20))

            script.talk = talk
            session.context.set_window(128_000)
            await session.run("read them")
            await fill(session, 10)
            assert not recorded.of("cleared", "summarized")
            session.context.set_window(24_000)
            script.talk = lambda _: broken
            await session.run("And now?")
            assert recorded.of("cleared")
            assert recorded.of("summarized")
            assert not session.outcome.ok
            assert await session.undo_summary()
            assert not recorded.session.can_undo_clear
            shown = request(session)
            assert shown.count("file 0 line 3:") == 1
            assert shown == json.dumps(to_wire(before[-1], before[-1].recovery), ensure_ascii=False)
            assert session.clearing_paused
            assert session.summaries_paused
            assert endpoint.violations == []

    async def test_expand_here_keeps_what_came_since(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            await fill(session, 6)
            before = json.loads(request(session))
            assert await session.compact(), why(recorded)
            await session.run("And now?")
            node = session.node
            await session.expand()
            now = json.loads(request(session))
            assert now[: len(before)] == before
            assert [one["content"] for one in now[len(before) :]] == ["And now?", "Noted."]
            assert session.node != node
            assert recorded.of("expanded")
            assert session.summaries_paused
            assert await session.undo_summary()
            assert session.node == node
            await session.expand()
            await session.run("Go on.")
            assert session.outcome.ok
            with pytest.raises(CantExpand):
                await session.expand()
            assert endpoint.violations == []

    async def test_expand_in_a_fork_that_has_no_row_yet(self, tmp_path: Path) -> None:
        """A node with children is forked when it is resumed; the fork's row comes first."""
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, _):
            session = recorded.session
            await fill(session, 6)
            assert await session.compact(), why(recorded)
            await session.run("And now?")
            summed = session.node
            await session.fork(None)
        async with talking(tmp_path, script, new_id=Ids()) as (recorded, endpoint):
            session = recorded.session
            await session.resume(summed)
            fork = session.node
            await session.expand()
            await session.run("Go on.")
            assert session.outcome.ok
            node, sent = session.node, request(session)
            assert endpoint.violations == []
        async with talking(tmp_path, script, new_id=Ids(0xB00000000000)) as (recorded, _):
            session = recorded.session
            await session.resume(node)
            assert (session.node, request(session)) == (node, sent)
            parents = {one.id: one.parent for one in await session.earlier.sessions()}
            assert (parents[fork], parents[node]) == (summed, fork)

    async def test_what_is_said_while_it_expands_waits(self, tmp_path: Path) -> None:
        async with talking(tmp_path, Summariser()) as (recorded, endpoint):
            session = recorded.session
            await fill(session, 6)
            assert await session.compact(), why(recorded)
            await session.run("And now?")
            expanding = asyncio.create_task(session.expand())
            await asyncio.sleep(0)
            session.send("Meanwhile.")
            assert [one.text for one in session.queued] == ["Meanwhile."]
            await expanding
            await session.wait_idle()
            assert recorded.of("expanded")
            assert [one.text for one in session.history[-2:]] == ["Meanwhile.", "Noted."]
            assert endpoint.violations == []

    async def test_expand_says_where_there_is_no_room(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script, window=32_000) as (recorded, _):
            session = recorded.session
            await fill(session, 14)
            assert await session.compact(), why(recorded)
            session.context.set_window(12_000)
            node = session.node
            with pytest.raises(CantExpand):
                await session.expand()
            assert session.node == node

    async def test_branch_opens_the_node_before(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            await fill(session, 6)
            before, parent = request(session), session.node
            assert await session.compact(), why(recorded)
            await session.run("And now?")
            child = session.node
            await session.branch()
            assert request(session) == before
            assert session.node not in (parent, child)
            await session.run("Another way.")
            assert session.outcome.ok
            await session.resume(child)
            assert "And now?" in request(session)
            assert endpoint.violations == []

    async def test_a_cut_without_a_summary(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            await fill(session, 7)
            script.answers = [FAILURES["500"]] * 99
            before = request(session)
            asked = len(script.asked)
            assert await session.cut_without_summary()
            assert len(script.asked) == asked
            done = recorded.of("summarized")[-1]
            assert isinstance(done, Summarised)
            assert done.how == "cut"
            assert await session.undo_summary()
            assert request(session) == before
            assert await session.cut_without_summary()
            await session.resume_summaries()
            await session.run("And now?")
            assert session.outcome.ok
            assert endpoint.violations == []
