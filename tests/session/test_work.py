"""The worklog in a session, over real HTTP: code keeps what was said and done."""

import asyncio
import json
import os
from collections.abc import Generator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.archive.recorder import Recorder
from app.archive.work import load_work
from app.config import CompactionSettings
from app.conversation.work import Done, EntityKey, Progress, Work
from app.events import RecoveryTold, WorkNoted
from app.memory import name_index
from app.memory.name_index import NameIndex
from app.memory.names import Name
from app.memory.worklog import Worklog
from app.session import past_names
from app.session.restore import Fork, Resume
from app.session.session import Session
from app.session.summarising import ChainPast
from tests.endpoint import Call, Say
from tests.endpoint.script import Body, Step
from tests.session.summing import Ids, Summariser, counted, fill, request, talking
from tests.session.support import TestClock

RULE = "Never use npm in this project."


def calling(*calls: Call) -> Say:
    return Say(calls=list(calls))


class Doing(Summariser):
    """Plays these calls, one answer each, then says that it is done."""

    def __init__(self, *steps: Say) -> None:
        super().__init__()
        self.steps = list(steps)
        self.talk = self.play

    def play(self, body: Body) -> Step:
        if self.steps and body["messages"][-1]["role"] in ("user", "tool"):
            return self.steps.pop(0)
        return Say("Done.", usage=counted(body, 3))


def rules(session: Session) -> list[str]:
    return [rule.text for rule in session._open.work.log.rules]


def written(session: Session) -> list[str]:
    return [one.name for one in session._open.work.log.changed]


class TestWhatIsKept:
    async def test_the_row_of_a_result_holds_what_it_adds(self, tmp_path: Path) -> None:
        """DESIGN 3.5: written before the result joins the history, in the same row."""
        script = Doing(
            calling(Call("write_file", {"path": "./src/a.py", "content": "def one(): 1"}))
        )
        async with talking(tmp_path, script, allowance="write") as (recorded, _):
            await recorded.session.run(f"Write a.py. {RULE}")
            rows: list[Any] = recorded.ledger
            said = next(row for row in rows if row["data"].get("message", {}).get("role") == "user")
            assert said["data"]["work"]["goal"][0] == f"Write a.py. {RULE}"
            assert [rule[1] for rule in said["data"]["work"]["rules"]] == [RULE.rstrip(".")]
            result = next(
                row for row in rows if row["data"].get("message", {}).get("role") == "tool"
            )
            touches = result["data"]["work"]["touches"]
            assert [one[:3] for one in touches if one[0] == "file"] == [
                ["file", "src/a.py", "created"]
            ]
            assert written(recorded.session) == ["src/a.py"]

    async def test_what_was_refused_did_nothing(self, tmp_path: Path) -> None:
        script = Doing(calling(Call("write_file", {"path": "a.py", "content": "x"})))
        async with talking(tmp_path, script, allowance="read") as (recorded, _):
            await recorded.session.run("Write a.py")
            assert written(recorded.session) == []

    async def test_a_call_that_cannot_be_run_did_nothing(self, tmp_path: Path) -> None:
        """No such tool, or arguments it can't be run with: neither names a file that failed."""
        script = Doing(
            calling(
                Call("open_file", {"path": "src/a.py"}),
                Call("read_file", {"path": "src/b.py", "offset": "first"}),
                Call("read_file", {"path": "src/c.py"}),
            )
        )
        async with talking(tmp_path, script) as (recorded, _):
            await recorded.session.run("Look at it")
            log = recorded.session._open.work.log
            assert [one.name for one in log.entities("file")] == ["src/c.py"], "it isn't there"

    async def test_the_list_is_kept_with_what_showed_it(self, tmp_path: Path) -> None:
        script = Doing(
            calling(Call("update_todo", {"todo": ["compile", "test"], "done": []})),
            calling(Call("execute_command", {"command": "sh -c 'exit 0'"})),
            calling(Call("update_todo", {"todo": ["test"], "done": ["compile"]})),
        )
        async with talking(tmp_path, script, allowance="all") as (recorded, _):
            await recorded.session.run("Go")
            progress = recorded.session._open.work.log.progress
            assert progress == Progress(("test",), (Done("compile", "sh"),)) or (
                progress.done[0].by.startswith("sh")
            )
            told = [one for one in recorded.of("work") if isinstance(one, WorkNoted)]
            assert [(one.todo, one.done) for one in told] == [(2, 0), (1, 1)]

    async def test_lists_of_one_step_count_in_their_order(self, tmp_path: Path) -> None:
        """The newest says what is left; what either says is done is done, whatever the other."""
        script = Doing(
            calling(Call("update_todo", {"todo": ["a", "b", "c", "d"], "done": []})),
            calling(Call("execute_command", {"command": "sh -c 'exit 0'"})),
            calling(
                Call("update_todo", {"todo": ["b", "c", "d"], "done": ["a"]}),
                Call("read_file", {"path": "none.py"}),
                Call("update_todo", {"todo": ["a", "e", "c"], "done": ["b"]}),
                Call("update_todo", {"done": ["d"]}),
            ),
            calling(Call("update_todo", {"todo": ["a", "e"]})),
        )
        async with talking(tmp_path, script, allowance="all") as (recorded, _):
            await recorded.session.run("Go")
            rows: list[Any] = recorded.ledger
            works = (row["data"].get("work", {}) for row in rows)
            told = [one["progress"] for one in works if "progress" in one]
            shown = [(one["todo"], [text for text, _ in one["done"]]) for one in told]
            assert shown == [
                (["a", "b", "c", "d"], []),
                (["b", "c", "d"], ["a"]),
                (["e", "c"], ["a", "b"]),
                (["e", "c"], ["a", "b", "d"]),
                (["a", "e"], ["b", "d"]),  # a later step takes up again what it names
            ]
            assert all(by.startswith("sh") for _, by in told[3]["done"])

    async def test_update_todo_needs_no_allowance(self, tmp_path: Path) -> None:
        script = Doing(calling(Call("update_todo", {"todo": ["one"], "done": []})))
        async with talking(tmp_path, script, allowance="none") as (recorded, _):
            await recorded.session.run("Go")
            assert recorded.session._open.work.log.progress.todo == ("one",)


class TestLoadedAgain:
    async def test_it_is_as_it_was_live(self, tmp_path: Path) -> None:
        """Steps that touch nothing, what the user names, takes up and changes, a summary."""
        script = Doing(calling(Call("write_file", {"path": "old.py", "content": "x"})))
        script.steps.append(calling(Call("update_todo", {"todo": ["old thing"], "done": []})))
        async with talking(tmp_path, script, allowance="write") as (recorded, _):
            await recorded.session.run("Begin")
        script = Doing(
            calling(Call("update_todo", {"todo": ["a"], "done": []})),
            calling(Call("read_file", {"path": "old.py"}), Call("read_file", {"path": "no.py"})),
            calling(Call("execute_command", {"command": "make"})),  # refused
            calling(Call("write_file", {"path": "b.py", "content": "def two(): 2"})),
        )
        async with talking(tmp_path, script, new_id=Ids(), clock=Ticking(), allowance="write") as (
            recorded,
            _,
        ):
            session = recorded.session
            await session.run("Look at port 8080 and ERR_1042.")
            assert session._open.work.log.step == 2
            await same_when_loaded(session)
            await session.run("And SERVICE_URL?")
            await same_when_loaded(session)
            found = await session.unfinished()
            assert found is not None
            await session.take_up(found)
            await session.forget_entity(EntityKey("file", "b.py"))
            await same_when_loaded(session)
            await fill(session, 6)
            assert await session.compact()
            await session.run("What of ERR_1043?")
            script.steps.append(calling(Call("read_file", {"path": "b.py"})))
            await session.run("Go on with TASK_9.")
            assert session._open.work.log.step > 2
            await same_when_loaded(session)


class Ticking(TestClock):
    """Each look at it is a millisecond later."""

    looks = 0

    def now(self) -> datetime:
        self.looks += 1
        return super().now() + timedelta(milliseconds=self.looks)


async def same_when_loaded(session: Session) -> None:
    chain = session._open
    await session._caught_up()
    loaded = await session.database.run(lambda one: load_work(one, chain.id, chain.node))
    log = Worklog(str(session.parts.project.root), resolve=os.path.realpath)
    log.restore(loaded)
    assert as_kept(log) == as_kept(chain.work.log)


def as_kept(log: Worklog) -> list[object]:
    entities = tuple(one for one in log.every_entity() if one.times)
    rules = (log.rules, log.revoked_rules)
    goals = (log.goal, log.first_goal)
    return [log.step, entities, log.turn, *rules, *goals, log.progress, log.verified_by, log.untold]


class TestRules:
    async def test_stand_in_every_request_after_three_compactions(self, tmp_path: Path) -> None:
        """FIELD 5, 12: the user's sentence, once, word for word."""
        async with talking(tmp_path, Summariser()) as (recorded, endpoint):
            session = recorded.session
            await session.run(f"Move the service to Java 21. {RULE}")
            await session.run("改的时候不要改 schema")
            for number in range(3):
                await fill(session, 6, topic=f"part {number}")
                assert await session.compact()
                sent = request(session)
                assert sent.count(f"- {RULE.rstrip('.')}") == 1
                assert sent.count("- 改的时候不要改 schema") == 1
            assert endpoint.violations == []

    async def test_a_contrary_sentence_revokes_visibly(self, tmp_path: Path) -> None:
        async with talking(tmp_path, Summariser()) as (recorded, _):
            session = recorded.session
            await session.run(f"Build it. {RULE}")
            await session.run("You can use npm in this project now.")
            events = [one for one in recorded.of("work") if isinstance(one, WorkNoted)]
            assert [one.revoked for one in events] == [(), (RULE.rstrip("."),)]
            assert rules(session) == []
            (rule,) = (await session.work_shown()).revoked
            await session.restore_rule(rule)
            assert rules(session) == [rule.text]

    async def test_a_remark_is_no_new_goal(self, tmp_path: Path) -> None:
        """FIELD 3: the first message stays the task."""
        async with talking(tmp_path, Summariser()) as (recorded, _):
            session = recorded.session
            await session.run("Port the parser to Rust.")
            await session.run("Also add timeouts.")
            await fill(session, 6)
            assert await session.compact()
            goal = session._open.work.log.goal
            assert goal is not None and (goal.text, goal.turn) == ("Port the parser to Rust.", 1)
            assert (
                "word for word:\nPort the parser to Rust."
                in json.loads(request(session))[1]["content"]
            )

    async def test_a_greeting_is_no_goal(self, tmp_path: Path) -> None:
        """Nor is it news that there is a first one then."""
        async with talking(tmp_path, Summariser()) as (recorded, _):
            session = recorded.session
            await session.run("Hi!")
            await session.run("Port the parser to Rust.")
            assert recorded.of("work") == []
            await fill(session, 6)
            assert await session.compact()
            slot = session.history.recovery
            assert slot is not None
            assert slot.text.startswith(
                "What the user asked for first, word for word:\nPort the parser to Rust.\n\n"
            )

    async def test_are_changed_by_hand(self, tmp_path: Path) -> None:
        async with talking(tmp_path, Summariser()) as (recorded, _):
            session = recorded.session
            await session.run("Build it.")
            rule = await session.add_rule("  keep\nthe API ")
            assert rule.text == "keep the API"
            await session.change_rule(rule, "keep the public API")
            await session.change_goal("Build it for arm64.")
            shown = await session.work_shown()
            assert [one.text for one in shown.rules] == ["keep the public API"]
            assert shown.goal is not None and shown.goal.text == "Build it for arm64."
            assert shown.first is not None and shown.first.text == "Build it."


class TestAcrossProcesses:
    async def test_a_resumed_session_knows_it_all(self, tmp_path: Path) -> None:
        script = Doing(
            calling(Call("write_file", {"path": "a.py", "content": "A = 1\n"})),
            calling(Call("update_todo", {"todo": ["more"], "done": ["a"]})),
        )
        async with talking(tmp_path, script, allowance="write") as (recorded, _):
            await recorded.session.run(f"Write a.py. {RULE}")
            node, before = recorded.session.node, recorded.session._open.work.log
        async with talking(tmp_path, Summariser(), new_id=Ids()) as (recorded, _):
            await recorded.session.open(Resume(node))
            log = recorded.session._open.work.log
            names = len(recorded.session._open.work.index)
            await recorded.session.work_shown()
            assert len(recorded.session._open.work.index) > names == 0, "a tier by hand has them"
            assert (log.goal, log.rules, log.progress) == (
                before.goal,
                before.rules,
                before.progress,
            )
            assert [one.name for one in log.changed] == ["a.py"]
            assert log.entities() == before.entities(), "as it was live, times included"
            await fill(recorded.session, 6)
            assert await recorded.session.compact()
            sent = request(recorded.session)
            assert "- a.py (" in sent and RULE.rstrip(".") in sent and "Still to do" in sent

    async def test_what_an_older_version_changed_is_kept_once(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its rows tell no work; a stop while it is looked for, or two at once, lose nothing."""
        found, older = asyncio.Event(), ChainPast.older

        async def slow(self: ChainPast) -> Work:
            await found.wait()
            return await older(self)

        monkeypatch.setattr(ChainPast, "older", slow)
        script = Doing(calling(Call("write_file", {"path": "./a.py", "content": "A = 1\n"})))
        async with talking(tmp_path, script, allowance="write") as (recorded, _):
            await recorded.session.run("Write a.py.")
            node, ledger = recorded.session.node, recorded.session._open.ledger
            database = recorded.session.database.path
        rows = [json.loads(line) for line in ledger.read_text().splitlines()]
        for row in rows:
            row["data"].pop("work", None)
        ledger.write_text("".join(json.dumps(row) + "\n" for row in rows))
        for path in database.parent.glob(f"{database.name}*"):
            path.unlink()
        async with talking(tmp_path, Summariser(), new_id=Ids()) as (recorded, _):
            session = recorded.session
            await session.open(Resume(node))
            looking = [asyncio.create_task(session.work_shown()) for _ in range(2)]
            await asyncio.sleep(0)
            looking[0].cancel()
            going = asyncio.create_task(session.run("Go on."))
            await asyncio.sleep(0)
            assert written(session) == []
            found.set()
            await asyncio.gather(*looking, going, return_exceptions=True)
            assert written(session) == ["a.py"]
            kept: list[Any] = [row for row in recorded.ledger if row["kind"] == "work"]
            assert [row["data"]["work"]["touches"][0][1] for row in kept] == ["a.py"]
        async with talking(tmp_path, Summariser(), new_id=Ids(0xC00000000000)) as (recorded, _):
            await recorded.session.open(Resume(node))
            assert written(recorded.session) == ["a.py"]

    async def test_the_names_of_a_long_past_are_taken_up_meanwhile(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(past_names, "AT_ONCE", 2)
        monkeypatch.setattr(past_names, "_PAGE", 2)
        monkeypatch.setattr(name_index, "_PIECE", 2)
        async with talking(tmp_path, Summariser()) as (recorded, _):
            session = recorded.session
            for number in range(2):
                await session.run(f"Look at first_name_{number} please.")
            await fill(session, 6)
            assert await session.compact()
            node, whole = session.node, session._open.work.index
        ticks, at_pieces = 0, list[int]()
        join = NameIndex.beginning_with

        def watched(self: NameIndex, earlier: NameIndex) -> Generator[None, None, None]:
            for piece in join(self, earlier):
                at_pieces.append(ticks)
                yield piece

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        monkeypatch.setattr(NameIndex, "beginning_with", watched)
        async with talking(tmp_path, Summariser(), new_id=Ids()) as (recorded, _):
            session = recorded.session
            ticking = asyncio.create_task(tick())
            await session.open(Resume(node))
            await session.run("Go on.")
            task = session._open._names._task
            assert task is not None
            await task
            ticking.cancel()
            assert len(set(at_pieces)) == len(at_pieces) > 2, "others get their turn in between"
            index = session._open.work.index
            assert Name("symbol", "first_name_1") in index
            assert {*whole.names()} <= {*index.names()}
            assert index.step > whole.step

    async def test_a_fork_has_what_was_said_before_it(self, tmp_path: Path) -> None:
        async with talking(tmp_path, Summariser()) as (recorded, _):
            session = recorded.session
            await session.run("Build it.")
            first = session.history[-1].id
            await session.run(f"Go on. {RULE}")
            node = session.node
            await session.open(Fork(node, first))
            assert rules(session) == []
            await session.run("Always run the tests.")
            assert rules(session) == ["Always run the tests"]
            await session.open(Resume(node))
            assert rules(session) == [RULE.rstrip(".")]

    async def test_unfinished_work_is_taken_up(self, tmp_path: Path) -> None:
        script = Doing(
            calling(Call("write_file", {"path": "a.py", "content": "A = 1\n"})),
            calling(Call("update_todo", {"todo": ["b", "c"], "done": ["a"]})),
        )
        async with talking(tmp_path, script, allowance="write") as (recorded, _):
            await recorded.session.run(f"Write three files. {RULE}")
            archive = recorded.session.database.path
        for path in archive.parent.glob(f"{archive.name}*"):
            path.unlink()  # it is asked while the ledgers are still taken in
        async with talking(tmp_path, Summariser(), new_id=Ids()) as (recorded, _):
            session = recorded.session
            found = await session.unfinished()
            assert found is not None
            assert (found.todo, found.done) == (2, 1)
            await session.change_progress(Progress(("mine", "C")))
            await session.add_rule(RULE.rstrip("."))
            await session.take_up(found)
            log = session._open.work.log
            assert log.progress.todo == ("b", "c", "mine"), "what the user put there stays"
            assert [rule.text for rule in log.rules] == [RULE.rstrip(".")]
            assert [one.name for one in log.changed] == ["a.py"]
            assert log.goal is not None and log.goal.text == f"Write three files. {RULE}"
            told = (log.goal.message, log.goal.turn, log.rules[0].message, log.rules[0].turn)
            assert told == ("", 0, "", 0), "that conversation's messages can't be quoted here"
            await session.run("Go on with it.")
            assert log.goal.text == f"Write three files. {RULE}", "taken up, it is the goal"
            assert await session.unfinished() is None, "it isn't offered again"


class TestRecovery:
    async def test_a_file_changed_outside_is_marked(self, tmp_path: Path) -> None:
        script = Doing(
            calling(Call("write_file", {"path": "mine.py", "content": "A = 1\n"})),
            calling(Call("write_file", {"path": "theirs.py", "content": "B = 1\n"})),
        )
        async with talking(tmp_path, script, allowance="write") as (recorded, _):
            session = recorded.session
            await session.run("Write both.")
            (recorded.root / "theirs.py").write_text("B = 2 # changed\n")
            await fill(session, 6)
            assert await session.compact()
            sent = json.loads(request(session))[1]["content"]
            assert "- mine.py (created, 12:00)" in sent
            assert "- theirs.py (created, 12:00, changed outside since)" in sent
            assert "except files marked" in sent
            event = recorded.of("recovery")[-1]
            assert isinstance(event, RecoveryTold) and event.outside == ("theirs.py",)

    async def test_a_summary_that_claims_more_changes_nothing(self, tmp_path: Path) -> None:
        """FACTS 4: code keeps it; what a summary says proves nothing."""
        script = Summariser()
        good = script.good
        script.good = lambda body: Say(
            good(body).text.replace("- three", "- wrote src/invented.py, all tests pass"),  # type: ignore[union-attr]
            usage=counted(body, 80),
        )
        async with talking(tmp_path, script) as (recorded, _):
            session = recorded.session
            await session.run("Build it.")
            await fill(session, 6)
            assert await session.compact()
            assert "src/invented.py" in request(session)
            assert session._open.work.log.changed == ()
            slot = session.history.recovery
            assert slot is not None and "invented" not in slot.text
            await fill(session, 6, topic="more")
            assert await session.compact()
            slot = session.history.recovery
            assert slot is not None and "invented" not in slot.text

    async def test_the_agent_asks_for_it(self, tmp_path: Path) -> None:
        script = Doing(
            calling(Call("write_file", {"path": "a.py", "content": "A = 1\n"})),
            calling(Call("read_history", {"query": "work: changed"})),
            calling(Call("read_history", {"query": "three words here"})),
            calling(Call("read_history", {"query": "nothing like it"})),
            calling(Call("read_history", {})),
        )
        async with talking(tmp_path, script, allowance="write") as (recorded, _):
            session = recorded.session
            await session.run("Write it, with three words here.")
            results = [one.text for one in session.history if one.tool == "read_history"]
            assert "a.py" in results[0]
            assert "with three words here" in results[1] and 'read_history(ref="' in results[1]
            assert "Nothing in this conversation holds" in results[2]
            assert "needs a ref" in results[3]


async def test_a_row_that_cannot_be_written_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talking(tmp_path, Summariser()) as (recorded, _):
        session = recorded.session
        await session.run("Build it.")

        async def failing(self: Recorder, work: object, **_: object) -> None:
            raise OSError

        monkeypatch.setattr(Recorder, "work", failing)
        with pytest.raises(OSError):
            await session.add_rule("keep the API")
        assert rules(session) == []


async def test_the_users_own_number_of_entities_is_told(tmp_path: Path) -> None:
    """`compaction.top_n`, which `haima replay --suggest` proposes."""
    reads = calling(*(Call("read_file", {"path": f"part{number}.py"}) for number in range(6)))
    compaction = CompactionSettings(top_n=2)
    async with talking(tmp_path, Doing(reads), compaction=compaction) as (recorded, _):
        for number in range(6):
            (recorded.root / f"part{number}.py").write_text(f"PART = {number}\n")
        session = recorded.session
        await session.run("Read all parts.")
        await fill(session, 6)
        assert await session.compact()
        assert len((await session.work_shown()).nearest) == 2
        event = recorded.of("recovery")[-1]
        assert isinstance(event, RecoveryTold) and event.entities == 2
