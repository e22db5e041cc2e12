"""Files that turns outside the conversation changed are told to the agent once, over real HTTP."""

import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from app.session.restore import Fork, Resume
from app.session.session import Session
from app.text import Language
from tests.endpoint import Call, Say
from tests.session.summing import Ids, fill, talking
from tests.session.support import Recorded, TestClock
from tests.session.test_by_hand import blocks, last, only_grow, todo, typed
from tests.session.test_work import Doing, calling

HEAD = {
    "en": "These files were changed since, by turns that are not part of this conversation",
    "zh": "以下文件之后被改动过，改动它们的轮次不在本会话中",
}


KEEP = "Keep these changes when you next send your list."


class Ticking(TestClock):
    """A second goes by whenever it is looked at: which branch did something last is a matter of
    time."""

    def now(self) -> datetime:
        self.seconds += 1
        return super().now() + timedelta(seconds=self.seconds)


def write(path: str, content: str = "new\n") -> Say:
    return calling(Call("write_file", {"path": path, "content": content}))


def shell(command: str) -> Say:
    return calling(Call("execute_command", {"command": command}))


def read(*paths: str) -> Say:
    return calling(*(Call("read_file", {"path": path}) for path in paths))


def told(script: Doing) -> list[str]:
    """The lines that the newest message tells of such files."""
    _, block, rest = last(script.said[-1]).partition('<recovery kind="change">\n')
    lines = rest.splitlines()
    known = (*HEAD.values(), "The user changed this by hand")
    assert not block or lines[0].startswith(known)
    return lines[1:-1]


def files(root: Path, *names: str) -> None:
    for name in names:
        (root / name).write_text("old\n", encoding="utf-8")


def end(session: Session) -> str:
    """The newest message's id."""
    return session.history[-1].id


async def two_turns(recorded: Recorded, script: Doing, *newer: Say) -> str:
    """A turn that reads two files, and one that does something; where the first one ends."""
    files(recorded.root, "a.py", "b.py", "c.py")
    script.steps = [read("a.py", "b.py")]
    await recorded.session.run("Look at a.py and b.py")
    place = end(recorded.session)
    script.steps = list(newer)
    await recorded.session.run("Change them")
    return place


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a_fork_is_told_once(tmp_path: Path, language: Language) -> None:
    script = Doing()
    async with talking(tmp_path, script, allowance="all", language=language) as (
        recorded,
        endpoint,
    ):
        session = recorded.session
        place = await two_turns(
            recorded,
            script,
            write("a.py"),
            write("made.py"),
            shell("rm b.py && echo x > gone.py && rm gone.py"),
        )
        await session.fork(place)
        await session.run("Go on")
        content = last(script.said[-1])
        assert content.startswith(f'Go on\n\n<recovery kind="change">\n{HEAD[language]}')
        end_of_b = {"en": "b.py (no longer there)", "zh": "b.py（已不存在）"}[language]
        made = {"en": "made.py (new)", "zh": "made.py（新建）"}[language]
        assert told(script) == [f"- {end_of_b}", f"- {made}", "- a.py"]
        await session.run("And now?")
        assert last(script.said[-1]) == "And now?"
        only_grow(script.said[-2:])
        assert blocks(script.said[-1]) == 1
        assert endpoint.violations == []


async def test_a_branch_is_told_what_came_after_the_summary(tmp_path: Path) -> None:
    """And not what was changed before it, nor what the branch itself changes."""
    script = Doing()
    async with talking(tmp_path, script, allowance="all") as (recorded, endpoint):
        session = recorded.session
        files(recorded.root, "a.py", "b.py")
        script.steps = [write("a.py", "one\n"), todo("test", done=("a",))]
        await session.run("Begin")
        await fill(session, 6)
        assert await session.compact()
        script.steps = [write("b.py", "two\n"), shell("sh -c 'exit 0'")]
        await session.run("Change b.py")
        await session.branch()
        log = session._open.work.log
        assert log.progress.todo == ("test",)
        assert log.verified_by == "", "only turns that aren't here ran it"
        script.steps = [write("d.py")]
        await session.run("Another way")
        content = str(script.said[-1]["messages"][-3]["content"])
        assert content.startswith("Another way\n\n<recovery")
        assert content.splitlines()[-2:] == ["- b.py", "</recovery>"]
        await session.run("And now?")
        assert last(script.said[-1]) == "And now?"
        known = await session._open.work.known()
        assert known.outside == {"b.py"}, "the agent hasn't looked at it yet"
        script.steps = [read("b.py")]
        await session.run("Look")
        assert (await session._open.work.known()).outside == set()
        assert endpoint.violations == []


async def test_it_outlives_restarts(tmp_path: Path) -> None:
    script = Doing()
    async with talking(tmp_path, script, allowance="all") as (recorded, _):
        place = await two_turns(recorded, script, write("a.py"))
        await recorded.session.fork(place)
        node = recorded.session.node
    for number, expected in ((300, ["- a.py"]), (400, [])):
        start = Resume(node)
        async with talking(tmp_path, script, new_id=Ids(number), start=start) as (recorded, _):
            await recorded.session.run("Go on")
            assert told(script) == expected
            log = recorded.session._open.work.log
            assert [one.entity.name for one in log.elsewhere] == ["a.py"]
    async with talking(tmp_path, script, new_id=Ids(500), start=Resume(node)) as (recorded, _):
        script.steps = [read("a.py")]
        await recorded.session.run("Look")
    async with talking(tmp_path, script, new_id=Ids(600), start=Resume(node)) as (recorded, _):
        assert recorded.session._open.work.log.elsewhere == ()


async def test_what_another_branch_did_meanwhile_is_told_where_one_goes_on(tmp_path: Path) -> None:
    script = Doing()
    async with talking(tmp_path, script, allowance="all", clock=Ticking()) as (recorded, _):
        session = recorded.session
        place = await two_turns(recorded, script, write("a.py"))
        await session.fork(place)
        await session.run("Go on")
        branch = session.node
        assert told(script) == ["- a.py"]
        await session.fork(place)
        script.steps = [write("c.py"), write("a.py", "newer\n")]
        await session.run("A third way")
        await session.resume(branch)
        await session.run("Go on")
        assert told(script) == ["- a.py", "- c.py"]


async def test_with_a_summary_undone_in_between(tmp_path: Path) -> None:
    """Before it is told and after: once, and the branch's own files aren't told."""
    script = Doing()
    async with talking(tmp_path, script, allowance="all") as (recorded, endpoint):
        session = recorded.session
        files(recorded.root, "a.py")
        await fill(session, 6)
        place = end(session)
        script.steps = [write("a.py")]
        await session.run("Change it")
        await session.fork(place)
        assert await session.compact()
        assert await session.undo_summary()
        script.steps = [write("own.py")]
        await session.run("Go on")
        first = str(script.said[-1]["messages"][-3]["content"])
        assert first.splitlines()[-2:] == ["- a.py", "</recovery>"]
        assert await session.compact()
        assert await session.undo_summary()
        await session.run("And now?")
        assert last(script.said[-1]) == "And now?"
        assert endpoint.violations == []


async def test_nothing_is_told_where_no_file_is_otherwise(tmp_path: Path) -> None:
    """Put back as it was; made and gone again; a write that failed; a fork from the end."""
    script = Doing()
    async with talking(tmp_path, script, allowance="all") as (recorded, _):
        session = recorded.session
        files(recorded.root, "a.py")
        os.utime(recorded.root / "a.py", (1_000_000_000, 1_000_000_000))
        before = (recorded.root / "a.py").stat()
        place = await two_turns_of_one(recorded, script)
        (recorded.root / "a.py").write_text("old\n", encoding="utf-8")
        os.utime(recorded.root / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))
        await session.fork(place)
        await session.run("Go on")
        assert last(script.said[-1]) == "Go on"
        script.steps = [write("b.py")]
        await session.run("Write b.py")
        await session.fork(None)
        await session.run("Another way")
        assert last(script.said[-1]) == "Another way"


async def two_turns_of_one(recorded: Recorded, script: Doing) -> str:
    script.steps = [read("a.py")]
    await recorded.session.run("Look at it")
    place = end(recorded.session)
    script.steps = [
        write("a.py", "changed\n"),
        shell("echo x > t.py; rm t.py"),
        calling(Call("edit_file", {"path": "none.py", "old": "a", "new": "b"})),
    ]
    await recorded.session.run("Change it")
    return place


async def test_many_are_counted_and_the_users_own_changes_stand_behind(tmp_path: Path) -> None:
    script = Doing()
    async with talking(tmp_path, script, allowance="all") as (recorded, _):
        session = recorded.session
        await session.run("Begin")
        place = end(session)
        names = [f"f{number:02}.py" for number in range(20)]
        script.steps = [calling(*(Call("write_file", {"path": n, "content": n}) for n in names))]
        await session.run("Write them")
        await session.fork(place)
        await typed(session, "add write docs")
        await session.run("Go on")
        lines = told(script)
        assert lines[:12] == [f"- {name} (new)" for name in reversed(names[8:])]
        assert lines[12] == '- and 8 older ones: read_history(query="work: changed")'
        assert "- Put on the list: write docs" in lines
        assert blocks(script.said[-1]) == 1
        script.steps = [calling(Call("read_history", {"query": "work: changed"}))]
        await session.run("Which?")
        assert all(name in last(script.said[-1]) for name in names)


async def test_a_fork_of_a_node_from_the_command_line(tmp_path: Path) -> None:
    """`haima --fork ID:MESSAGE`: by another process."""
    script = Doing()
    async with talking(tmp_path, script, allowance="all") as (recorded, _):
        place = await two_turns(recorded, script, write("a.py"))
        node = recorded.session.node
    async with talking(tmp_path, script, new_id=Ids(300), start=Fork(node, place)) as (forked, _):
        await forked.session.run("Go on")
        assert told(script) == ["- a.py"]


async def test_where_the_agent_goes_on_from_a_message_of_the_user(tmp_path: Path) -> None:
    """Without another one: it is asked again, and the message itself tells it."""
    script = Doing()
    async with talking(tmp_path, script, allowance="all") as (recorded, endpoint):
        session = recorded.session
        await two_turns(recorded, script, write("a.py"))
        asked = next(one for one in session.history if one.text == "Change them")
        await session.fork(asked.id)
        script.steps = [write("c.py")]
        await typed(session, "add write docs")
        assert session.go_on()
        await session.wait_idle()
        content = str(script.said[-1]["messages"][-3]["content"])
        assert content.startswith(f"Change them\n\n<recovery>\n{HEAD['en']}")
        assert content.endswith("\n- a.py\n</recovery>")
        await session.run("And now?")
        assert told(script) == ["- Put on the list: write docs", KEEP]
        only_grow(script.said[-3:])
        assert blocks(script.said[-1]) == 2
        node = session.node
        assert endpoint.violations == []
    async with talking(tmp_path, script, new_id=Ids(300), start=Resume(node)) as (recorded, _):
        await recorded.session.run("Go on")
        assert last(script.said[-1]) == "Go on"
