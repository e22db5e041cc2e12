"""Undo with what the guard cut, in the same call or a later one; the pause outlives a process."""

import json
from pathlib import Path

from app.conversation.history import History
from app.conversation.wire import to_wire
from app.events import Paused
from tests.endpoint import Call, Say, Status
from tests.endpoint.script import Body
from tests.session.summing import (
    Ids,
    Summariser,
    at_length,
    counted,
    data_of,
    fill,
    prose,
    request,
    talking,
    why,
)

BROKEN = Status(400, {"error": {"message": "no", "type": "invalid_request_error"}})


def shown(history: History) -> str:
    return json.dumps(to_wire(history, history.recovery), ensure_ascii=False)


class TestWithTheGuard:
    async def test_one_undo_for_all_that_came_before_a_call(self, tmp_path: Path) -> None:
        """Cleared, summarised, cut by the guard: the request is as it was, byte for byte."""
        script = Summariser()
        before: list[History] = []

        async def look(history: History) -> None:
            before.append(History(history.messages, history.recovery))

        async with talking(tmp_path, script, window=128_000, before_call=look) as (
            recorded,
            endpoint,
        ):
            session = recorded.session
            for number in range(5):
                (recorded.root / f"file{number}.txt").write_text(prose(f"file {number}", 8_000))

            def talk(body: Body) -> Say:
                if body["messages"][-1]["role"] == "tool":
                    return Say("Noted.", usage=counted(body, 3))
                calls = [Call("read_file", {"path": f"file{n}.txt"}) for n in range(5)]
                return Say(calls=calls, usage=counted(body, 20))

            script.talk = talk
            await session.run("read them")
            script.talk = lambda body: Say("Noted.", usage=counted(body, 3))
            await fill(session, 6)
            script.talk = lambda body: at_length(body, 48_000)
            await session.run("Tell me all")
            assert not recorded.of("cleared", "summarized")
            session.context.set_window(14_000)
            script.talk = lambda _: BROKEN
            await session.run("And now?")
            assert recorded.of("cleared")
            assert recorded.of("summarized")
            changed = [row for row in recorded.ledger if row["kind"] == "replace"]
            assert {data_of(row).get("state") for row in changed} >= {"cleared", "cut"}
            child = session.node
            assert await session.undo_summary()
            assert request(session) == shown(before[-1])
            assert not session.can_undo_clear
            assert session.node != child
            session.context.set_window(128_000)
            script.talk = lambda body: Say("Noted.", usage=counted(body, 3))
            assert session.go_on()
            await session.wait_idle()
            assert session.outcome.ok
            assert endpoint.violations == []
            done, parent = request(session), session.node
        async with talking(tmp_path, script, window=128_000, new_id=Ids()) as (recorded, _):
            await recorded.session.resume(parent)
            assert request(recorded.session) == done

    async def test_what_was_cut_before_a_later_call_goes_back_first(self, tmp_path: Path) -> None:
        script = Summariser()
        before: list[History] = []

        async def look(history: History) -> None:
            before.append(History(history.messages, history.recovery))

        async with talking(tmp_path, script, window=64_000, before_call=look) as (
            recorded,
            endpoint,
        ):
            session = recorded.session
            await fill(session, 24)
            script.talk = lambda body: at_length(body, 36_000)
            await session.run("Tell me all")
            assert not recorded.of("summarized")
            script.talk = lambda _: BROKEN
            session.context.set_window(42_000)
            await session.run("And now?")
            assert recorded.of("summarized"), why(recorded)
            summarised, child = request(session), session.node
            session.context.set_window(12_000)
            assert session.go_on()
            await session.wait_idle()
            assert session.node == child
            assert request(session) != summarised, "the guard cut"
            assert await session.undo_summary()
            assert (request(session), session.node) == (summarised, child)
            assert await session.undo_summary()
            assert request(session) == shown(before[-2])
            assert not session.can_undo_clear
            assert endpoint.violations == []


class TestThePause:
    async def test_outlives_a_process_until_the_user_acts(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, _):
            session = recorded.session
            await fill(session, 7)
            assert await session.compact()
            child = session.node
            assert await session.undo_summary()
            node = session.node
            assert node != child
        async with talking(tmp_path, script, new_id=Ids()) as (recorded, endpoint):
            session = recorded.session
            await session.resume(node)
            assert session.summaries_paused
            told = recorded.of("paused")[-1]
            assert isinstance(told, Paused)
            assert told.on
            await session.run(prose("topic 7", 4_000))
            assert len(script.asked) == 1, "it pauses"
            await session.resume_summaries()
            told = recorded.of("paused")[-1]
            assert isinstance(told, Paused)
            assert not told.on
            await session.run("Go on.")
            assert len(script.asked) == 2
            assert recorded.of("summarized")
            assert endpoint.violations == []
            node = session.node
        async with talking(tmp_path, script, new_id=Ids()) as (recorded, _):
            await recorded.session.resume(node)
            assert not recorded.session.summaries_paused

    async def test_of_an_expansion_is_inherited_by_a_fork(self, tmp_path: Path) -> None:
        """The node after which others began is forked when it is resumed, before any row."""
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, _):
            session = recorded.session
            await fill(session, 6)
            assert await session.compact(), why(recorded)
            await session.run("And now?")
            await session.expand()
            assert session.summaries_paused
            expanded = session.node
            assert await session.undo_summary()
            await session.expand()
            expanded, was = session.node, expanded
            assert expanded != was
            await session.fork(None)
        async with talking(tmp_path, script, new_id=Ids()) as (recorded, endpoint):
            session = recorded.session
            await session.resume(expanded)
            assert session.node != expanded
            assert session.summaries_paused
            await session.resume_summaries()
            assert not session.summaries_paused
            await session.run("Go on.")
            assert session.outcome.ok
            own = session.node
            await session.resume(expanded)
            assert session.summaries_paused, "the parent's still does"
            await session.resume(own)
            assert not session.summaries_paused
            assert endpoint.violations == []

    async def test_ends_where_nothing_else_fits(self, tmp_path: Path) -> None:
        """The child that was made after all doesn't pause; its parent still does."""
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            await fill(session, 7)
            assert await session.compact(), why(recorded)
            await session.undo_summary()
            parent = session.node
            session.context.set_window(9_600)
            assert session.summaries_paused, "another window isn't the user's word on this"
            assert (await session.run("And now?")).ok
            assert len(recorded.of("summarized")) == 2
            assert not session.summaries_paused
            on = [one.on for one in recorded.of("paused") if isinstance(one, Paused)]
            assert on == [True, False]
            child = session.node
            assert endpoint.violations == []
        async with talking(tmp_path, script, new_id=Ids()) as (recorded, _):
            await recorded.session.resume(child)
            assert not recorded.session.summaries_paused
            await recorded.session.resume(parent)
            assert recorded.session.summaries_paused
