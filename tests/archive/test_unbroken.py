"""A stop that comes while something is written down: it is done whole, then the stop strikes."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.archive.ledger import Ledger
from app.archive.nodes import NodeStart
from app.archive.recorder import Recorder
from app.archive.rows import Row
from app.archive.unbroken import unbroken
from app.conversation.history import History, InvalidHistory, RecoverySlot
from app.conversation.messages import Message, TextPart
from app.conversation.outcome import ToolOutcome
from app.ports import Usage
from app.storage.faults import FaultPoint, install
from tests.archive.recording import NODE, agrees, content, result, rows, step, user
from tests.conversation.strategies import Ids

Operation = Callable[[Recorder], Awaitable[object]]

OPERATIONS: dict[str, Operation] = {
    "append": lambda recorder: recorder.append(
        result("t1", "c1"), outcome=ToolOutcome(ok=True, seconds=1.0, characters=4)
    ),
    "close": lambda recorder: recorder.close_step("stopped", Ids()),
    "replace": lambda recorder: recorder.replace("u1", (TextPart("x"),), state="cut"),
    "pin": lambda recorder: recorder.pin(["u1"], pinned=True),
    "splice": lambda recorder: recorder.splice(0, 1, (user("u2"), user("u3"))),
    "recovery": lambda recorder: recorder.set_recovery(RecoverySlot("u1", "known")),
    "usage": lambda recorder: recorder.usage(Usage(prompt=1), message=None, model="m"),
    "error": lambda recorder: recorder.error("model", "no answer"),
    "title": lambda recorder: recorder.title("Greetings"),
    "opened": lambda recorder: recorder.opened(project="/", model="m", version="0", branch=""),
    "begin": lambda recorder: recorder.begin(
        NodeStart(chain=NODE, parent=NODE, relation="fork", layout=recorder.layout()), "second"
    ),
    "clear": lambda recorder: recorder.clear("second"),
}
ROWS = {"close": 2}
"""How many rows an operation writes, where it isn't one."""


class Rounds:
    """A projection that takes three rounds of the loop for each row."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    async def commit(self, ledger: str, row: Row, size: int) -> None:
        """Takes a while."""
        for _ in range(3):
            await asyncio.sleep(0)
        self.rows.append(row)


async def prepared(ledger: Ledger, projection: Rounds) -> Recorder:
    recorder = Recorder(History(), ledger, NODE, projection=projection)
    await recorder.append(user("u1"))
    await recorder.append(step("a1", "c1", "c2"))
    return recorder


async def settle(rounds: int) -> None:
    for _ in range(rounds):
        await asyncio.sleep(0)


@pytest.mark.parametrize("name", OPERATIONS)
async def test_a_stop_at_any_moment_leaves_it_done_once(name: str, folder: Path) -> None:
    stopped_in_it = 0
    for moment in range(1, 100):
        path = folder / f"{moment}.jsonl"
        with Ledger.open(path) as ledger:
            projection = Rounds()
            recorder = await prepared(ledger, projection)
            steps: list[str] = []

            async def work(recorder: Recorder = recorder, steps: list[str] = steps) -> None:
                await OPERATIONS[name](recorder)
                steps.append("done")
                try:
                    await asyncio.sleep(0)
                    steps.append("on")
                except asyncio.CancelledError:
                    task = asyncio.current_task()
                    assert task is not None
                    steps.append(f"stopped by {task.cancelling()}")
                    raise

            task = asyncio.create_task(work())
            await settle(moment)
            over = task.done()
            task.cancel()
            await asyncio.wait({task})
            assert steps[0] == "done"
            found = rows(path)
            assert len(found) == 2 + ROWS.get(name, 1)
            assert projection.rows == found
            if recorder.node == NODE or name == "begin":
                agrees(recorder, path)
        if over:
            break
        if steps == ["done", "stopped by 1"]:
            assert task.cancelled()
            stopped_in_it += 1
    assert over
    assert stopped_in_it > 3, "the loop has that many rounds in it"


async def test_a_stop_while_another_is_written_down_waits_for_its_turn_too(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = await prepared(ledger, Rounds())
        first = asyncio.create_task(recorder.append(result("t1", "c1")))
        second = asyncio.create_task(recorder.append(result("t2", "c2")))
        await settle(2)
        second.cancel()
        await asyncio.wait({first, second})
        assert [message.id for message in recorder.history] == ["u1", "a1", "t1", "t2"]
        agrees(recorder, path)


async def test_a_timeout_strikes_after_it_and_is_told_from_a_stop(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = await prepared(ledger, Rounds())
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await recorder.append(result("t1", "c1"))
                await asyncio.sleep(10)
        await asyncio.sleep(0)
        agrees(recorder, path)


async def test_what_it_raises_comes_before_the_stop(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = await prepared(ledger, Rounds())
        told: list[str] = []

        async def work() -> None:
            try:
                await recorder.append(user("u1"))
            except InvalidHistory:
                told.append("refused")
            await asyncio.sleep(0)
            told.append("on")

        task = asyncio.create_task(work())
        await settle(1)
        task.cancel()
        await asyncio.wait({task})
        assert told == ["refused"]
        assert task.cancelled()


async def test_all_stops_are_counted() -> None:
    gate = asyncio.Event()
    counts: list[int] = []

    async def work() -> None:
        task = asyncio.current_task()
        assert task is not None
        await unbroken(gate.wait())
        counts.append(task.cancelling())
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            counts.append(task.cancelling())

    task = asyncio.create_task(work())
    for _ in range(2):
        await settle(2)
        task.cancel()
    await settle(2)
    assert not task.done()
    gate.set()
    await task
    assert counts == [2, 2]


async def test_the_end_of_the_loop_leaves_history_and_ledger_alike(path: Path) -> None:
    """`asyncio.run` cancels every task there is, those that write too."""
    with Ledger.open(path) as ledger:
        recorder = await prepared(ledger, Rounds())
        before = asyncio.all_tasks()
        task = asyncio.create_task(recorder.append(result("t1", "c1")))
        await settle(3)
        assert len(rows(path)) == 3
        inner = asyncio.all_tasks() - before
        assert len(inner) == 2
        for one in inner:
            one.cancel()
        await asyncio.wait(inner)
        assert task.cancelled()
        assert [message.id for message in recorder.history] == ["u1", "a1", "t1"]
        agrees(recorder, path)


async def test_trouble_of_the_projection_loses_nothing(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        async def commit(self, ledger: str, row: Row, size: int) -> None:
            raise RuntimeError(f"{ledger} {row.seq} {size == len(content(path))}")

    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE, projection=Broken())
        kept = await recorder.append(user("u1"))
        assert recorder.history.messages == (kept,)
        agrees(recorder, path)
    assert "a 1 True" in caplog.text


async def test_the_projection_comes_between_the_ledger_and_the_history(path: Path) -> None:
    seen: list[tuple[int, int]] = []

    class Looking:
        async def commit(self, ledger: str, row: Row, size: int) -> None:
            await asyncio.sleep(0)
            seen.append((len(rows(path)), len(recorder.history)))

    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE, projection=Looking())
        await recorder.append(user("u1"))
        await recorder.append(Message("a1", "assistant", (TextPart("hi"),)))
    assert seen == [(1, 0), (2, 1)]


async def test_fault_points_stand_where_they_say(path: Path) -> None:
    seen: list[tuple[FaultPoint, int, int]] = []

    def hook(name: FaultPoint) -> None:
        content = path.read_bytes() if path.exists() else b""
        seen.append((name, content.count(b"\n"), len(recorder.history)))

    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        remove = install(hook)
        try:
            await recorder.append(user("u1"))
            await recorder.sync()
        finally:
            remove()
        await recorder.append(user("u2"))
        agrees(recorder, path)
    assert seen == [
        ("row_before", 0, 0),
        ("row_torn", 0, 0),
        ("row_after", 1, 0),
        ("commit_after", 1, 0),
        ("sync_before", 1, 1),
        ("sync_after", 1, 1),
    ]
