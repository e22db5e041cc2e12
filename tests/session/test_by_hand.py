"""What the user changed by hand, or took up, is told to the agent once: what the server got."""

import asyncio
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from app.conversation.by_hand import ByHand
from app.conversation.work import Done, Progress, Work
from app.memory.work_progress import MOST, heeding, with_list
from app.session.restore import Fork, Resume
from app.session.session import Session
from app.session.todo_command import parse_todo, title_of
from app.session.todo_run import run_todo
from tests.endpoint import Call, Say
from tests.endpoint.script import Body, Step
from tests.session.summing import Ids, Summariser, fill, talking, texts
from tests.session.test_work import RULE, Doing, calling

HEAD = "The user changed this by hand"


def todo(*left: str, done: tuple[str, ...] = ()) -> Say:
    return calling(Call("update_todo", {"todo": list(left), "done": list(done)}))


async def typed(session: Session, argument: str) -> str:
    return await run_todo(session, parse_todo(argument), session.words)


def last(body: Body) -> str:
    """The content of a request's last message."""
    return str(body["messages"][-1]["content"])


def blocks(body: Body) -> int:
    return sum(str(one["content"]).count("<recovery") for one in body["messages"][1:])


def only_grow(said: list[Body]) -> None:
    """Every request begins with all of the one before it, byte for byte."""
    for before, after in pairwise(said):
        count = len(before["messages"])
        assert json.dumps(after["messages"][:count]) == json.dumps(before["messages"])


async def left_undone(tmp_path: Path) -> None:
    """An earlier conversation with work that isn't done."""
    script = Doing(
        calling(Call("write_file", {"path": "a.py", "content": "A = 1\n"})),
        todo("b", "c", done=("a",)),
    )
    async with talking(tmp_path, script, allowance="write") as (recorded, _):
        await recorded.session.run(f"Write three files. {RULE}")


def is_taken_up(content: str) -> None:
    assert content.startswith("Go on\n\n<recovery>\nThe user took up here the unfinished work")
    assert f"word for word:\nWrite three files. {RULE}\n" in content
    assert f"- {RULE.rstrip('.')}\n" in content
    assert "a.py" in content and "- b\n- c\n" in content
    assert content.endswith("</recovery>")


class TestTakenUp:
    async def test_the_first_message_carries_it(self, tmp_path: Path) -> None:
        await left_undone(tmp_path)
        script = Summariser()
        async with talking(tmp_path, script, new_id=Ids()) as (recorded, endpoint):
            session = recorded.session
            await typed(session, "take")
            await session.run("Go on")
            is_taken_up(last(script.said[0]))
            assert session.history.recovery is not None
            shown = await session.work_shown()
            assert shown.slot and shown.slot in last(script.said[0]), "the tab shows it"
            assert len(recorded.of("recovery")) == 1
            await session.run("And now?")
            assert last(script.said[1]) == "And now?" and blocks(script.said[1]) == 1
            only_grow(script.said)
            assert endpoint.violations == []
            kinds = [row["kind"] for row in recorded.ledger]
            told = kinds.index("recovery")
            assert kinds[told - 1 : told + 2] == ["message", "recovery", "work"]

    async def test_it_outlives_a_restart_before_it_is_told_and_after(self, tmp_path: Path) -> None:
        await left_undone(tmp_path)
        async with talking(tmp_path, Summariser(), new_id=Ids()) as (recorded, _):
            await typed(recorded.session, "take")
            node = recorded.session.node
        script = Summariser()
        for number in (300, 400):
            async with talking(tmp_path, script, new_id=Ids(number)) as (recorded, _):
                await recorded.session.open(Resume(node))
                await recorded.session.run("Go on")
        is_taken_up(last(script.said[0]))
        assert last(script.said[1]) == "Go on" and blocks(script.said[1]) == 1
        only_grow(script.said)

    async def test_what_was_sent_with_the_slot_stays(self, tmp_path: Path) -> None:
        """There is one slot: where it is in use, the message itself tells it."""
        await left_undone(tmp_path)
        script = Summariser()
        async with talking(tmp_path, script, new_id=Ids()) as (recorded, endpoint):
            session = recorded.session
            await fill(session, 6)
            assert await session.compact()
            await session.run("What is next?")
            slot, before = session.history.recovery, len(script.said)
            assert slot is not None
            await typed(session, "take")
            await session.run("Go on")
            content = last(script.said[-1])
            assert content.startswith('Go on\n\n<recovery kind="change">\nThe user took up here')
            assert f"- {RULE.rstrip('.')}\n" in content and "- b\n- c\n" in content
            assert session.history.recovery == slot
            only_grow(script.said[before - 1 :])
            await session.run("And now?")
            assert last(script.said[-1]) == "And now?"
            assert endpoint.violations == []

    async def test_a_summary_takes_its_place(self, tmp_path: Path) -> None:
        await left_undone(tmp_path)
        script = Summariser()
        async with talking(tmp_path, script, new_id=Ids()) as (recorded, _):
            session = recorded.session
            await typed(session, "take")
            await session.run("Go on")
            first = session.history.recovery
            await fill(session, 6)
            assert await session.compact()
            assert session.history.recovery != first
            await session.run("What is next?")
            assert blocks(script.said[-1]) == 1
            assert any("- b\n- c\n" in text for text in texts(script.said[-1]))

    async def test_it_is_offered_by_its_goal(self, tmp_path: Path) -> None:
        await left_undone(tmp_path)
        async with talking(tmp_path, Summariser(), new_id=Ids()) as (recorded, _):
            await typed(recorded.session, "take")
            await recorded.session.run("Go on")
        async with talking(tmp_path, Summariser(), new_id=Ids(300)) as (recorded, _):
            found = await recorded.session.unfinished()
            assert found is not None and found.title == "Go on"
            assert title_of(found) == f"Write three files. {RULE}"

    async def test_what_the_user_called_it_wins(self, tmp_path: Path) -> None:
        """Of the chain, or of the branch that goes on; a branch is else called as the chain is."""
        await left_undone(tmp_path)
        async with talking(tmp_path, Summariser(), new_id=Ids()) as (recorded, _):
            session = recorded.session
            await typed(session, "take")
            await session.run("Go on")
            await session.retitle("Three files")
            node = session.node
        async with talking(tmp_path, Summariser(), new_id=Ids(300)) as (recorded, _):
            session = recorded.session
            assert await offered(session) == "Three files"
            await session.open(Resume(node))
            await fill(session, 6)
            assert await session.compact()
            await session.clear()
            assert await offered(session) == "Three files"
            await session.open(Fork(node, None))
            await session.run("Another way")
            await session.clear()
            assert await offered(session) == "Three files", "its first words are no title"
        async with talking(tmp_path, Summariser(), new_id=Ids(600)) as (recorded, _):
            session = recorded.session
            found = await session.unfinished()
            assert found is not None
            await session.open(Resume(found.node))
            await session.retitle("The other way")
            await session.clear()
            assert await offered(session) == "The other way"


async def offered(session: Session) -> str:
    found = await session.unfinished()
    assert found is not None
    return title_of(found)


class TestChanged:
    async def test_the_next_message_tells_it_once(self, tmp_path: Path) -> None:
        script = Doing(todo("a", "b"))
        async with talking(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            await session.run(f"Build it. {RULE}")
            await typed(session, "add write docs")
            await typed(session, "done 1")
            await typed(session, "drop b")
            await session.revoke_rule((await session.work_shown()).rules[0])
            rule = await session.add_rule("keep the API")
            await session.change_rule(rule, "keep the public API")
            await session.change_goal("Build it for arm64.")
            await session.run("Go on")
            content = last(script.said[-1])
            own, told = content.split("\n\n", 1)
            assert own == "Go on" and told.splitlines() == [
                '<recovery kind="change">',
                "The user changed this by hand since you were last told; it counts like their own"
                " words:",
                "- What they want now, word for word: Build it for arm64.",
                f"- This rule no longer holds: {RULE.rstrip('.')}",
                "- A standing rule, word for word: keep the public API",
                "- Put on the list: write docs",
                "- Done: a",
                "- Taken off the list: b",
                "Keep these changes when you next send your list.",
                "</recovery>",
            ]
            assert session.history.recovery is None
            await session.change_rule(rule, "keep it")
            await session.run("And now?")
            assert "- A rule reads now: keep it (it was: keep the public API)\n" in last(
                script.said[-1]
            )
            await session.run("Well?")
            assert last(script.said[-1]) == "Well?"
            only_grow(script.said)
            assert endpoint.violations == []

    async def test_what_was_changed_back_is_not_told(self, tmp_path: Path) -> None:
        script = Doing(todo("a"))
        async with talking(tmp_path, script) as (recorded, _):
            session = recorded.session
            await session.run(f"Build it. {RULE}")
            rule, goal = (await session.work_shown()).rules[0], (await session.work_shown()).goal
            await typed(session, "add b")
            await typed(session, "drop b")
            await typed(session, "done a")
            await session.change_progress(Progress(("a",)))
            await session.revoke_rule(rule)
            await session.restore_rule(rule)
            await session.change_goal("Other.")
            await session.change_work(Work(goal=goal))
            await session.run("Go on")
            assert last(script.said[-1]) == "Go on"

    async def test_it_is_told_after_a_restart_and_in_a_branch(self, tmp_path: Path) -> None:
        script = Doing(todo("a"))
        async with talking(tmp_path, script) as (recorded, _):
            await recorded.session.run("Build it.")
            await typed(recorded.session, "add write docs")
            node, end = recorded.session.node, recorded.session.history[-1].id
        async with talking(tmp_path, script, new_id=Ids()) as (recorded, _):
            session = recorded.session
            await session.open(Resume(node))
            await session.run("Go on")
            assert "- Put on the list: write docs\n" in last(script.said[-1])
            await session.open(Fork(node, end))
            await session.run("Go on")
            assert "- Put on the list: write docs\n" in last(script.said[-1])
            await session.open(Resume(node))
            await session.run("And now?")
            assert HEAD not in last(script.said[-1])

    async def test_a_tier_that_told_it_is_enough(self, tmp_path: Path) -> None:
        script = Doing(todo("a"))
        async with talking(tmp_path, script) as (recorded, _):
            session = recorded.session
            await session.run("Build it.")
            await fill(session, 6)
            await typed(session, "add write docs")
            assert await session.compact()
            await session.run("Go on")
            assert last(script.said[-1]) == "Go on"
            assert str(script.said[-1]["messages"]).count("- write docs") == 1
            await typed(session, "add release it")
            await session.run("And now?")
            content = last(script.said[-1])
            assert "- Put on the list: release it\n" in content and "write docs" not in content
            only_grow(script.said[-2:])


class TestTheList:
    async def test_an_entry_stays_until_the_agent_was_told_of_it(self, tmp_path: Path) -> None:
        asked, added = asyncio.Event(), asyncio.Event()
        held = calling(Call("update_todo", {"todo": ["a", "b", "c"], "done": []}))

        class Asked(Doing):
            def play(self, body: Body) -> Step:
                if len(self.said) == 2:
                    asked.set()
                return super().play(body)

        script = Asked(
            todo("a", "b"), replace(held, hold=added), Say("Well."), todo("a", "c", done=("b",))
        )
        async with talking(tmp_path, script) as (recorded, _):
            session = recorded.session
            turn = asyncio.create_task(session.run("Build it."))
            await asked.wait()
            await typed(session, "add write docs")
            await typed(session, "drop b")
            added.set()
            await turn
            progress = session._open.work.log.progress
            assert progress.todo == ("a", "c", "write docs"), "the agent didn't know"
            assert HEAD not in str([body["messages"][1:] for body in script.said])
            await session.run("Go on")
            assert "- Put on the list: write docs\n- Taken off the list: b\n" in last(
                script.said[3]
            )
            progress = session._open.work.log.progress
            assert progress == Progress(("a", "c"), (Done("b"),)), "now it is the agent's to say"
            only_grow(script.said)

    def test_what_the_agent_has_done_counts(self) -> None:
        before = Progress(("mine", "Also mine."), (Done("over"),))
        told = Progress(("over", "gone", "next"), (Done("mine", "make"),))
        changed = ("mine", "also mine", "over", "gone")
        assert heeding(told, before, changed) == Progress(
            ("next", "Also mine."), (Done("over"), Done("mine", "make"))
        )
        assert heeding(told, before, ()) == told

    def test_of_two_lists_that_are_too_long_the_users_stays(self) -> None:
        own, other = Progress(("mine", "t3"), (Done("t1"),)), [f"t{n}" for n in range(MOST)]
        both = with_list(own, Progress(tuple(other), tuple(Done(f"d{n}") for n in range(MOST))))
        assert both.todo == (*other[: MOST - 1], "mine")
        assert len(both.done) == MOST and "t1" not in [one.text for one in both.done]


def test_it_is_read_back_as_it_was_written() -> None:
    changed = ByHand("goal", (("r", ""), ("s", "x")), (("a", ""), ("b", "done")), taken=True)
    work = Work(by_hand=changed, told=True)
    assert Work.from_data(json.loads(json.dumps(work.to_data()))) == work
    broken = {"goal": 1, "rules": [["r"], 3], "entries": [["a", "maybe"], ["b", "todo"]]}
    assert ByHand.from_data(broken) == ByHand(entries=(("b", "todo"),))
    assert ByHand.from_data([]) == ByHand()


def test_of_two_changes_the_first_account_counts() -> None:
    first = ByHand(rules=(("r", "old"),), entries=(("a", "todo"),))
    second = ByHand("g", (("r", "new"), ("s", "")), (("a", ""), ("b", "")), taken=True)
    assert first.then(second) == ByHand(
        "g", (("r", "old"), ("s", "")), (("a", "todo"), ("b", "")), taken=True
    )
