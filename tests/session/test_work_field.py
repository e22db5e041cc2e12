"""What users of other agents lost at a compaction (FIELD class A): it is there afterwards."""

import json
from pathlib import Path

import pytest

from app.events import ApprovalRefused
from tests.endpoint import Call, Say
from tests.endpoint.script import Body
from tests.session.summing import Summariser, fill, prose, request, talking, texts
from tests.session.support import Recorded
from tests.session.test_work import Doing, calling

UUID = "6f1c2f0e-9a58-4d0e-8f0b-3a1b7c9d2e44"
LONG = "/".join(["src", *[f"package{number:02}" for number in range(10)], "OrderCodecFactory.java"])


def ran(command: str) -> Say:
    return calling(Call("execute_command", {"command": command}))


async def until_summarised(recorded: Recorded, characters: int, topic: str = "topic") -> None:
    """Turns until there is one more summary."""
    made = len(recorded.of("summarized"))
    while len(recorded.of("summarized")) == made:
        assert len(recorded.of("turn_finished")) < 200
        await fill(recorded.session, 1, characters, topic)


TASK = "Migrate the order service to Java 21. Done when mvn -q verify passes."
REMARK = "Also fix the typo in README."


async def test_3_a_remark_stays_a_remark_whatever_long_messages_come_after_it(
    tmp_path: Path,
) -> None:
    """The task is what was asked for first; the remark stands among the later words."""
    script = Summariser()
    async with talking(tmp_path, script, window=10_000) as (recorded, _):
        session = recorded.session
        for text in (TASK, "Go on.", "Go on.", REMARK):
            assert (await session.run(text)).ok
        for number in range(2):
            for size in (1_200, 240):  # smaller ones take what larger ones leave
                await fill(session, 3, size, f"part {number} of {size}")
            await until_summarised(recorded, 1_200, f"part {number}")
            sent = "\n".join(texts(script.said[-1]))
            assert (sent.count(TASK), sent.count(REMARK)) == (1, 1)
            assert sent.index(TASK) < sent.index(REMARK) < sent.rindex("</earlier_messages>")
            slot = session.history.recovery
            assert slot is not None
            assert TASK in slot.text and REMARK not in slot.text


async def test_4_the_newest_request_is_there_byte_for_byte(tmp_path: Path) -> None:
    """Typed a thousand tokens under the trigger, six thousand long."""
    script = Summariser()
    async with talking(tmp_path, script, window=32_000) as (recorded, _):
        session = recorded.session
        mark = session.context.window.marks.summary
        while (
            session.context.meter.measure(session.history, session.context.tools).tokens
            < mark - 1_500
        ):
            await fill(session, 1, 1_200)
        assert not recorded.of("summarized")
        typed = prose("the newest", 24_000)
        await session.run(typed)
        assert recorded.of("summarized")
        assert typed in "\n".join(texts(script.said[-1]))


async def test_6_what_was_refused_is_refused_afterwards(tmp_path: Path) -> None:
    """The tools on offer and what they may do outlive a summary."""
    write = calling(Call("write_file", {"path": "a.py", "content": "x"}))
    script = Doing(write)
    async with talking(tmp_path, script, allowance="read") as (recorded, _):
        session = recorded.session
        await session.run("Look at it.")
        before = script.said[-1]["tools"]
        await fill(session, 6)
        assert await session.compact()
        script.steps.append(write)
        await session.run("Now write it.")
        assert script.said[-1]["tools"] == before
        refused = [one for one in recorded.events if isinstance(one, ApprovalRefused)]
        assert [one.tool for one in refused] == ["write_file", "write_file"]
        assert not (recorded.root / "a.py").exists()


@pytest.mark.parametrize("window", [8_000, 16_600])
async def test_7_what_had_failed_is_told_with_its_exact_names(tmp_path: Path, window: int) -> None:
    """Three attempts with a code, an id and a long path: listed as failed, word for word."""
    assert len(LONG) >= 120
    commands = (
        "sh build.sh; echo ERR_7f3a2b missing symbol; exit 3",
        f"sh deploy.sh {UUID}; exit 4",
        f"sh compile.sh {LONG}; exit 5",
    )
    script = Doing(*map(ran, commands))
    async with talking(tmp_path, script, window=window, allowance="all") as (recorded, _):
        session = recorded.session
        await session.run("Try all three.")
        for number in range(2):
            await until_summarised(recorded, window // 6, f"part {number}")
            sent = json.loads(request(session))[1]["content"]
            assert "ERR_7f3a2b" in sent and UUID in sent and LONG in sent
            assert sent.count("(failed, exit") == len(commands)


async def test_8_how_the_environment_was_set_up_is_known(tmp_path: Path) -> None:
    """The virtual environment, the port, the variable of the first turns."""
    script = Doing(
        ran("python3 -c 'print(1)' && echo created .venv/order-service"),
        ran("export ORDER_DB_URL=sqlite:///dev.db; export PORT=8137; true"),
        ran(". .venv/order-service/bin/activate 2>/dev/null; true"),
    )
    async with talking(tmp_path, script, allowance="all") as (recorded, _):
        session = recorded.session
        await session.run("Set it up in .venv/order-service, on port 8137.")
        for number in range(2):
            await fill(session, 6, topic=f"part {number}")
            assert await session.compact()
            slot = session.history.recovery
            assert slot is not None
            assert ".venv/order-service" in slot.text
            assert "8137" in slot.text
            assert "ORDER_DB_URL" in slot.text


@pytest.mark.parametrize("window", [8_000, 16_600])
async def test_11_what_was_read_is_known_as_read(tmp_path: Path, window: int) -> None:
    """An agent that goes by its request reads none of the six again."""
    names = [f"part{number}.py" for number in range(6)]
    again: list[str] = []

    def reads_what_it_doesnt_know(body: Body) -> Say:
        told = "\n".join(texts(body))
        again.extend(name for name in names if f"{name} (read" not in told)
        return Say("Known.")

    script = Doing(calling(*(Call("read_file", {"path": name}) for name in names)))
    async with talking(tmp_path, script, window=window) as (recorded, _):
        for name in names:
            (recorded.root / name).write_text(f"def of_{name[:5]}(): ...\n")
        session = recorded.session
        await session.run("Read all parts.")
        await until_summarised(recorded, window // 6)
        script.talk = reads_what_it_doesnt_know
        await session.run("Which parts are there?")
        assert again == []
