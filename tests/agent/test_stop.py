"""A stop at any moment: the history is valid, what was shown or finished is kept (FIELD 63)."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from app.conversation.history import History
from app.events import Cancelled, Event, ToolFinished, TurnFinished
from app.ports import ModelChunk, ModelRequest, Reply, Retrying, TextDelta
from app.tools.base import ToolOutput
from app.tools.list_dir import ListDir
from app.tools.read_file import ReadFile
from tests.session.support import (
    Answers,
    Recorded,
    ScriptedModel,
    alive,
    call,
    make_session,
    reasoning,
    says,
    sendable,
    until,
)


async def stopped(made: Recorded) -> None:
    """Stops, and checks what holds after every stop."""
    assert made.session.stop()
    await asyncio.wait_for(made.session.wait_idle(), 10)
    assert not made.session.stop()
    assert [type(event) for event in made.events[-2:]] == [Cancelled, TurnFinished]
    assert not made.events[-1].model_dump()["ok"]
    assert made.session.outcome.cancelled
    sendable(made.session.history)


async def goes_on(made: Recorded, model: ScriptedModel, text: str = "Go on") -> None:
    """The next message is answered, on a history any provider takes."""
    model.answers.append(says("Fine"))
    assert (await made.session.run(text)).ok
    sendable(made.session.history)


async def test_before_anything_came(tmp_path: Path) -> None:
    model = ScriptedModel([asyncio.Event()])
    made = make_session(tmp_path, model)
    await made.session.open()
    made.session.send("Hi")
    await model.reached.wait()
    await stopped(made)
    assert model.closed == 1, "hung up"
    assert [message.role for message in made.session.history] == ["system", "user"]
    await goes_on(made, model)


async def test_before_the_turn_even_began(tmp_path: Path) -> None:
    model = ScriptedModel()
    made = make_session(tmp_path, model)
    await made.session.open()
    made.session.send("Hi")
    await stopped(made)
    assert model.requests == []
    assert made.session.history[-1].text == "Hi", "no message is lost"
    await goes_on(made, model)


async def test_in_reasoning(tmp_path: Path) -> None:
    model = ScriptedModel([reasoning("hm"), asyncio.Event()])
    made = make_session(tmp_path, model)
    await made.session.open()
    made.session.send("Hi")
    await model.reached.wait()
    await stopped(made)
    assert [message.role for message in made.session.history] == ["system", "user"]
    await goes_on(made, model)


async def test_in_text_what_was_read_is_kept_with_a_mark(tmp_path: Path) -> None:
    model = ScriptedModel([TextDelta("The answer is"), asyncio.Event()])
    made = make_session(tmp_path, model)
    await made.session.open()
    made.session.send("Hi")
    await model.reached.wait()
    await stopped(made)
    last = made.session.history[-1]
    assert last.role == "assistant"
    assert last.text.startswith("The answer is")
    assert "Interrupted by the user" in last.text
    assert not last.discarded
    await goes_on(made, model)
    assert model.requests[-1].messages[-2]["content"] == last.text


async def test_in_text_after_tools_reasoning_goes_back_as_before(tmp_path: Path) -> None:
    from app.conversation.messages import Reasoning

    kept = Reasoning("first", "reasoning_content", send=True)
    step = Reply("", (call("list_dir", path="."),), reasoning=kept)
    model = ScriptedModel([step], [reasoning("second"), TextDelta("It"), asyncio.Event()])
    made = make_session(tmp_path, model)
    await made.session.open()
    made.session.send("Hi")
    await model.reached.wait()
    await stopped(made)
    assert made.session.history[-1].reasoning == Reasoning("second", "reasoning_content", send=True)
    await goes_on(made, model)


async def test_in_a_retry_wait(tmp_path: Path) -> None:
    model = ScriptedModel([TextDelta("Half"), Retrying(2, "broke off", 60), asyncio.Event()])
    made = make_session(tmp_path, model)
    await made.session.open()
    made.session.send("Hi")
    await model.reached.wait()
    await stopped(made)
    assert [message.role for message in made.session.history if not message.discarded] == [
        "system",
        "user",
    ]
    await goes_on(made, model)


async def test_in_the_hook_before_a_call(tmp_path: Path) -> None:
    """FIELD 76: sending doesn't abort what runs before the call; Esc does, and nothing changes."""
    reached, gate = asyncio.Event(), asyncio.Event()

    async def hook(_: History) -> None:
        reached.set()
        await gate.wait()

    model = ScriptedModel()
    made = make_session(tmp_path, model, before_call=hook)
    await made.session.open()
    made.session.send("Hi")
    await reached.wait()
    before = made.session.history.messages
    made.session.send("One more thing")
    await asyncio.sleep(0)
    assert made.session.busy
    assert [message.text for message in made.session.queued] == ["One more thing"]
    await stopped(made)
    assert made.session.history.messages == before
    assert [message.text for message in made.session.queued] == ["One more thing"]
    gate.set()
    await goes_on(made, model)


async def test_in_an_approval(tmp_path: Path) -> None:
    decisions = Answers(None)
    step = says("", call("write_file", path="a.txt", content="x"), call("list_dir", path="."))
    model = ScriptedModel(step)
    made = make_session(tmp_path, model, decisions=decisions)
    await made.session.open()
    made.session.send("Hi")
    await decisions.reached.wait()
    await asyncio.sleep(0.02)
    await stopped(made)
    assert decisions.open == 0, "the question is taken off"
    assert not (made.root / "a.txt").exists()
    results = [message.text for message in made.session.history if message.role == "tool"]
    assert len(results) == 2
    assert all(text.startswith("Not run") for text in results)
    (finished,) = made.of("tool_finished")
    assert finished.model_dump()["reason"] == "stopped by you"
    assert finished.model_dump()["stopped"] is True
    assert finished.model_dump()["seconds"] == 0, "it waited, and never ran"
    await goes_on(made, model)


async def test_in_a_command_the_whole_group_dies(tmp_path: Path) -> None:
    model = ScriptedModel(
        says("", call("execute_command", command="echo $$ > pid; sleep 1000 & sleep 1000"))
    )
    made = make_session(tmp_path, model)
    await made.session.open()
    made.session.send("Hi")
    pid_file = made.root / "pid"
    await until(lambda: pid_file.exists() and pid_file.read_text().strip())
    await stopped(made)
    assert not alive(int(pid_file.read_text()))
    finished = next(event for event in made.events if isinstance(event, ToolFinished))
    assert (finished.ok, finished.stopped, finished.reason) == (False, True, "stopped by you")
    assert "may have taken effect" in made.session.history[-1].text
    await goes_on(made, model)


@pytest.fixture
def waiting_reads(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """`read_file` of the path `slow` never ends; of `done` it counts itself finished."""
    reached = asyncio.Event()

    async def run(self: ReadFile, arguments: object) -> ToolOutput:
        path = str(getattr(arguments, "path", ""))
        if path == "slow":
            await asyncio.Event().wait()
        if path == "last":
            asyncio.get_running_loop().call_soon(reached.set)
        return ToolOutput(f"content of {path}")

    monkeypatch.setattr(ReadFile, "run", run)
    return reached


async def test_three_parallel_calls_of_which_two_finished(
    tmp_path: Path, waiting_reads: asyncio.Event
) -> None:
    """FIELD 63: results for 1 and 3, Esc during 2."""
    calls = [call("read_file", path=path) for path in ("first", "slow", "last")]
    model = ScriptedModel(says("", *calls))
    made = make_session(tmp_path, model)
    await made.session.open()
    made.session.send("Hi")
    await waiting_reads.wait()
    await until(lambda: "content of last" in str(made.ledger))  # a kill now would not lose it
    await stopped(made)
    results = [message.text for message in made.session.history if message.role == "tool"]
    assert results[0] == "content of first"
    assert "Interrupted by the user" in results[1]
    assert results[2] == "content of last"
    await goes_on(made, model)
    sent = [message for message in model.requests[-1].messages if message["role"] == "tool"]
    asked = [one.id for message in made.session.history for one in message.calls]
    assert [message["tool_call_id"] for message in sent] == asked


async def test_between_calls_those_not_begun_say_so(
    tmp_path: Path, waiting_reads: asyncio.Event
) -> None:
    model = ScriptedModel(
        says(
            "",
            call("read_file", path="slow"),
            call("write_file", path="b.txt", content="x"),
            call("read_file", path="c"),
        )
    )
    made = make_session(tmp_path, model)
    await made.session.open()
    made.session.send("Hi")
    await until(lambda: made.of("tool_started"))
    await stopped(made)
    results = [message.text for message in made.session.history if message.role == "tool"]
    assert "while this was running" in results[0]
    assert results[1].startswith("Not run")
    assert results[2].startswith("Not run")
    assert not (made.root / "b.txt").exists()
    await goes_on(made, model)


async def test_read_only_neighbours_run_side_by_side_and_writes_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running: set[str] = set()
    most: list[set[str]] = []

    async def run(self: ListDir, arguments: object) -> ToolOutput:
        name = str(getattr(arguments, "path", ""))
        running.add(name)
        most.append(set(running))
        for _ in range(5):
            await asyncio.sleep(0)
        running.discard(name)
        return ToolOutput(f"content of {name}")

    monkeypatch.setattr(ListDir, "run", run)
    order = ["a", "b", "W", "c", "d", "e", "f", "g"]
    calls = [
        call("write_file", path="w.txt", content="x") if n == "W" else call("list_dir", path=n)
        for n in order
    ]
    made = make_session(tmp_path, ScriptedModel(says("", *calls), says("Done")))
    await made.session.open()
    await made.session.run("Hi")
    assert {"a", "b"} in most
    assert max(map(len, most)) == 4
    assert not any({"b", "c"} <= names for names in most)
    results = [message.text for message in made.session.history if message.role == "tool"]
    for name, text in zip(order, results, strict=True):
        assert name == "W" or text == f"content of {name}"


async def test_a_stop_in_the_very_moment_of_the_end_loses_nothing(tmp_path: Path) -> None:
    model = ScriptedModel(says("Hello"))
    made = make_session(tmp_path, model)
    await made.session.open()

    def stop_at_the_end(event: Event) -> None:
        if event.type == "message_finished":
            made.session.stop()

    made.session.publish.listeners.append(stop_at_the_end)
    outcome = await made.session.run("Hi")
    assert made.session.history[-1].text == "Hello"
    assert isinstance(made.events[-1], TurnFinished)
    assert made.events[-1].ok is outcome.ok
    sendable(made.session.history)


async def test_after_the_answer_before_its_calls_began(tmp_path: Path) -> None:
    class Slow(ScriptedModel):
        """Takes its time to hang up."""

        async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
            try:
                async for chunk in super().stream(request):
                    yield chunk
            finally:
                if not self.reached.is_set():
                    self.reached.set()
                    await asyncio.sleep(60)

    model = Slow(says("I read.", call("read_file", path="a.txt"), call("list_dir", path=".")))
    made = make_session(tmp_path, model)
    await made.session.open()
    made.session.send("Hi")
    await model.reached.wait()
    await stopped(made)
    results = [message.text for message in made.session.history if message.role == "tool"]
    assert len(results) == 2
    assert all(text.startswith("Not run") for text in results)
    await goes_on(made, model)


@pytest.mark.parametrize("start", range(0, 90, 15))
async def test_at_any_tick_of_the_loop(tmp_path: Path, start: int) -> None:
    """The same turn, stopped one tick later each time: never anything a provider would refuse."""
    for ticks in range(start, start + 15):
        folder = tmp_path / str(ticks)
        folder.mkdir()
        model = ScriptedModel(
            [
                reasoning("hm"),
                TextDelta("Half"),
                Retrying(2, "broke off", 0.1),
                *says(
                    "I work.",
                    call("read_file", path="a.txt"),
                    call("list_dir", path="."),
                    call("write_file", path="b.txt", content="b\n"),
                    call("read_file", path="b.txt"),
                ),
            ],
            says("", call("execute_command", command="echo done")),
            says("All done."),
        )
        made = make_session(folder, model)
        (made.root / "a.txt").write_text("salt\n")
        await made.session.open()
        made.session.send("Work")
        made.session.send("And more")
        for _ in range(ticks):  # from the 40th on with time for threads and processes
            await asyncio.sleep(0 if ticks < 40 else 0.0007)
        finished = len(made.of("tool_finished"))
        made.session.stop()
        await asyncio.wait_for(made.session.wait_idle(), 30)
        results = [m for m in made.session.history if m.role == "tool"]
        assert len(results) >= finished
        asked = sum(len(message.calls) for message in made.session.history)
        assert len(results) == asked
        sendable(made.session.history)
        model.answers = []
        await goes_on(made, model)
        words = [m.text for m in made.session.history if m.role == "user"]
        assert words == ["Work", "And more", "Go on"]
        await made.session.close()
