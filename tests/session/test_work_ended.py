"""What the user took back isn't told as if it held, over summaries and restarts."""

import json
from pathlib import Path

import pytest

from app.conversation.work import EntityKey, EntityKind
from app.session.restore import Resume
from tests.endpoint import Call
from tests.session.summing import Ids, Summariser, fill, request, talking
from tests.session.test_work import RULE, Doing, calling


@pytest.mark.parametrize("by_hand", [True, False])
async def test_a_rule_that_ended_is_told_beside_the_goal_that_says_it(
    tmp_path: Path, by_hand: bool
) -> None:
    """The goal stays word for word; what ended the rule leaves the history with the rest."""
    async with talking(tmp_path, Summariser()) as (recorded, _):
        session = recorded.session
        await session.run(f"Build it. {RULE}")
        if by_hand:
            await session.revoke_rule((await session.work_shown()).rules[0])
        await session.run("Hm." if by_hand else "You can use npm in this project now.")
        await fill(session, 10)
        assert recorded.of("summarized")
        node = session.node
    async with talking(tmp_path, Summariser(), new_id=Ids(), start=Resume(node)) as (recorded, _):
        session = recorded.session
        await fill(session, 7, topic="more")
        assert recorded.of("summarized")
        said = json.loads(request(session))[1]["content"]
        assert said.count(RULE) == 1
        assert f"only the standing rules count:\n- {RULE.rstrip('.')}\n" in said


async def test_a_file_that_was_read_again_is_no_longer_marked(tmp_path: Path) -> None:
    """Else it would be read again after every compaction."""
    name = "theirs.py"
    script = Doing(calling(Call("write_file", {"path": name, "content": "B = 1\n"})))
    async with talking(tmp_path, script, allowance="write") as (recorded, _):
        session = recorded.session
        await session.run("Write it.")
        (recorded.root / name).write_text("B = 2 # changed\n")
        assert (await session.work_shown()).changed[0].outside
        script.steps.append(calling(Call("read_file", {"path": name})))
        await session.run("Read it again.")
        assert not (await session.work_shown()).changed[0].outside
        node = session.node
    start = Resume(node)
    async with talking(tmp_path, Summariser(), new_id=Ids(), start=start) as (recorded, _):
        session = recorded.session
        assert not (await session.work_shown()).changed[0].outside
        (recorded.root / name).write_text("B = 3 # and again\n")
        assert (await session.work_shown()).changed[0].outside


async def test_what_the_user_wants_untold_is_told_in_no_way(tmp_path: Path) -> None:
    """Nor among the names alone, nor as a symbol's file; until it is touched again."""
    read, written = "lib/readme.md", "src/second.py"
    script = Doing(
        calling(
            Call("write_file", {"path": "src/first.py", "content": "def first_one(): 1\n"}),
            Call("write_file", {"path": written, "content": "def second_one(): 2\n"}),
            Call("read_file", {"path": read}),
        ),
    )
    untold: list[tuple[EntityKind, str]] = [
        ("file", read),
        ("file", written),
        ("symbol", "first_one"),
    ]
    async with talking(tmp_path, script, allowance="write") as (recorded, _):
        (recorded.root / "lib").mkdir()
        (recorded.root / read).write_text("Read me.\n")
        session = recorded.session
        await session.run("Write both.")
        for kind, name in untold:
            await session.forget_entity(EntityKey(kind, name))
        await fill(session, 4)
        assert await session.compact()
        told = session.history.recovery
        assert told is not None
        assert "src/first.py" in told.text and "second_one" in told.text
        assert [name for _, name in untold if name in told.text] == []
        script.steps.append(calling(Call("read_file", {"path": read})))
        await session.run("Read it again.")
        await fill(session, 4, topic="more")
        assert await session.compact()
        told = session.history.recovery
        assert told is not None and read in told.text
