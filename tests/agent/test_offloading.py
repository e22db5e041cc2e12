"""Big results go to files as they come; a step's results fit together before the next request."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from app.compaction import output_files
from app.config import Settings
from app.config.model import ModelSettings
from app.conversation.standing import Standing
from app.events import Offloaded, OffloadFailed, ToolFinished
from app.session.restore import Resume
from app.storage import faults
from app.storage.files import write_all
from app.text import Words
from tests.session.support import Recorded, ScriptedModel, call, make_session, says, sendable

EN = Words("en")
WINDOW = Settings(model=ModelSettings(window=128_000))


def big(number: int, size: int = 40_000) -> str:
    """A text of lines, about so long."""
    line = f"src/part{number}/module_{{}}.py says something\n"
    return "".join(line.format(count) for count in range(size // len(line)))


def outputs(made: Recorded) -> list[str]:
    """The files of the chain."""
    folder = made.root / ".haima" / "tool-outputs" / made.session.chain
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def results(made: Recorded) -> list[str]:
    """The texts of the results, in the history's order."""
    return [message.text for message in made.session.history if message.role == "tool"]


async def asked(made: Recorded, prompt: str = "Go") -> None:
    """One turn, from the opening on."""
    if not made.session.chain:
        await made.session.open()
    assert (await made.session.run(prompt)).ok
    sendable(made.session.history)


async def test_a_big_result_is_a_note_from_the_first_request_on(tmp_path: Path) -> None:
    model = ScriptedModel(says("", call("read_file", path="a.txt")), says("ok"))
    made = make_session(tmp_path, model, settings=WINDOW)
    text = big(1)
    (made.root / "a.txt").write_text(text)
    await asked(made)
    (result,) = results(made)
    assert result.startswith("[Long result, whole in a file: read_file, ")
    assert len(result) < 5_000
    assert result in str(model.requests[1].messages[-1]["content"])
    (name,) = outputs(made)
    path = made.root / ".haima" / "tool-outputs" / made.session.chain / name
    assert path.read_text() == text
    (event,) = (one for one in made.events if isinstance(one, Offloaded))
    assert (event.tool, event.characters, event.lines) == (
        "read_file",
        len(text),
        text.count("\n"),
    )
    assert made.root / event.path == path
    assert event.tokens_before > 5 * event.tokens_after > 0
    kinds = [one.type for one in made.events]
    assert kinds.index("tool_finished") + 1 == kinds.index("offloaded")
    finished = next(one for one in made.events if isinstance(one, ToolFinished))
    assert (finished.characters, finished.message, finished.body) == (
        len(text),
        event.message,
        result,
    )
    await made.session.close()


async def test_the_ledger_says_where_it_is_and_has_not_its_bytes(tmp_path: Path) -> None:
    model = ScriptedModel(says("", call("read_file", path="a.txt")), says("ok"))
    made = make_session(tmp_path, model, settings=WINDOW)
    (made.root / "a.txt").write_text(big(1))
    await asked(made)
    (row,) = (
        row["data"]
        for row in made.ledger
        if isinstance(row["data"], dict) and "offloaded" in row["data"]
    )
    assert isinstance(row, dict)
    assert row["offloaded"]["path"].endswith("/001-read_file.txt")
    assert "raw" not in row
    assert row["outcome"]["characters"] == len(big(1))
    await made.session.close()


async def test_the_names_only_the_middle_held_are_in_the_note(tmp_path: Path) -> None:
    model = ScriptedModel(says("", call("read_file", path="a.txt")), says("ok"))
    made = make_session(tmp_path, model, settings=WINDOW)
    lines = [f"noise {number} without names" for number in range(2_000)]
    lines[1_000] = "error in src/orders/codec.py: OrderCodec.read_field()"
    (made.root / "a.txt").write_text("\n".join(lines))
    await asked(made)
    assert "src/orders/codec.py" in results(made)[0]
    await made.session.close()


async def test_a_command_keeps_its_exit_code_before_the_note(tmp_path: Path) -> None:
    command = call("execute_command", command="seq 1 20000; exit 3")
    model = ScriptedModel(says("", command), says("ok"))
    made = make_session(tmp_path, model, settings=WINDOW)
    await asked(made)
    assert results(made)[0].startswith("exit code: 3\n[Long result, whole in a file: ")
    await made.session.close()


@pytest.mark.parametrize(("window", "size", "moved"), [(128_000, 32_000, 0), (128_000, 32_001, 1)])
async def test_the_limit_counts_the_bare_content(
    tmp_path: Path, window: int, size: int, moved: int
) -> None:
    """In code points: these have three bytes each."""
    model = ScriptedModel(says("", call("read_file", path="a.txt")), says("ok"))
    made = make_session(tmp_path, model, settings=Settings(model=ModelSettings(window=window)))
    (made.root / "a.txt").write_text("海" * size)
    await asked(made)
    assert len(outputs(made)) == moved
    await made.session.close()


async def test_a_stretch_of_a_file_stays(tmp_path: Path) -> None:
    model = ScriptedModel(says("", call("read_file", path="a.txt", offset=1)), says("ok"))
    made = make_session(tmp_path, model, settings=WINDOW)
    (made.root / "a.txt").write_text(big(1))
    await asked(made)
    assert outputs(made) == []
    await made.session.close()


async def test_a_read_of_900_000_tokens_costs_no_more_than_a_note(tmp_path: Path) -> None:
    """FIELD 28."""
    model = ScriptedModel(says("", call("read_file", path="a.txt")), says("ok"))
    made = make_session(tmp_path, model, settings=WINDOW)
    (made.root / "a.txt").write_text(big(1, 3_600_000))
    await asked(made)
    assert len(outputs(made)) == 1
    assert max(event.tokens for event in made.contexts) < 10_000
    assert len(json.dumps(model.requests[1].messages)) < 30_000
    await made.session.close()


async def test_four_results_fit_together_before_the_next_request(tmp_path: Path) -> None:
    """Each is under its own limit; the largest goes first."""
    calls = [call("read_file", path=f"{number}.txt") for number in range(4)]
    model = ScriptedModel(says("", *calls), says("ok"))
    made = make_session(tmp_path, model, settings=WINDOW)
    sizes = [20_000, 31_000, 12_000, 25_000]
    for number, size in enumerate(sizes):
        (made.root / f"{number}.txt").write_text(big(number, size))
    await asked(made)
    texts = results(made)
    assert [text.startswith("[Long result") for text in texts] == [False, True, False, False]
    assert sum(map(len, texts)) <= 64_000
    assert outputs(made) == ["001-read_file.txt"]
    sent = [m["content"] for m in model.requests[1].messages if m["role"] == "tool"]
    assert all(text in str(content) for text, content in zip(texts, sent, strict=True))
    (event,) = (one for one in made.events if isinstance(one, Offloaded))
    moved = made.session.history.get(event.message)
    assert moved is not None
    assert moved.text == texts[1]
    await made.session.close()


async def test_a_small_free_window_makes_the_joint_limit_smaller(tmp_path: Path) -> None:
    calls = [call("read_file", path=f"{number}.txt") for number in range(4)]
    model = ScriptedModel(says("", *calls), says("ok"))
    made = make_session(tmp_path, model, settings=Settings(model=ModelSettings(window=32_000)))
    for number in range(4):
        (made.root / f"{number}.txt").write_text(big(number, 8_000))
    await asked(made)
    texts = results(made)
    assert 1 <= len(outputs(made)) < 4
    assert sum(map(len, texts)) <= 24_000
    await made.session.close()


async def test_stretches_that_are_too_much_together_show_less(tmp_path: Path) -> None:
    calls = [call("read_file", path=f"{number}.txt", offset=1) for number in range(3)]
    model = ScriptedModel(says("", *calls), says("ok"))
    made = make_session(tmp_path, model, settings=WINDOW)
    for number in range(3):
        (made.root / f"{number}.txt").write_text(big(number, 31_000))
    await asked(made)
    assert outputs(made) == []
    texts = results(made)
    assert sum(map(len, texts)) <= 64_000 + 600
    assert any("reads on" in text for text in texts)
    await made.session.close()


async def test_a_repeated_big_result_has_its_remark_after_the_note(tmp_path: Path) -> None:
    again = says("", call("read_file", path="a.txt"))
    model = ScriptedModel(again, again, again, says("ok"))
    made = make_session(tmp_path, model, settings=WINDOW)
    (made.root / "a.txt").write_text(big(1))
    await asked(made)
    assert results(made)[2].endswith(EN("agent.repeat_remark", n=3))
    assert results(made)[2].startswith("[Long result")
    await made.session.close()


async def test_a_stop_while_the_file_is_written_keeps_the_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What finished is kept: the file, its row and the note are one thing."""
    loop, writing = asyncio.get_running_loop(), asyncio.Event()
    goes_on = __import__("threading").Event()

    def slow(descriptor: int, raw: bytes) -> None:
        if len(raw) > 1_000:
            loop.call_soon_threadsafe(writing.set)
            assert goes_on.wait(10)
        write_all(descriptor, raw)

    monkeypatch.setattr(output_files, "write_all", slow)
    model = ScriptedModel(says("", call("read_file", path="a.txt")), says("ok"))
    made = make_session(tmp_path, model, settings=WINDOW)
    (made.root / "a.txt").write_text(big(1))
    await made.session.open()
    made.session.send("Go")
    await writing.wait()
    assert made.session.stop()
    goes_on.set()
    await made.session.wait_idle()
    assert results(made)[0].startswith("[Long result")
    assert outputs(made) == ["001-read_file.txt"]
    assert [one.ok for one in made.events if isinstance(one, ToolFinished)] == [True]
    assert made.of("cancelled")
    await made.session.close()


async def test_results_of_a_stopped_step_are_brought_together_before_the_next_request(
    tmp_path: Path,
) -> None:
    calls = [call("read_file", path=f"{number}.txt") for number in range(3)]
    waits = call("execute_command", command="echo begun > begun; sleep 30")
    model = ScriptedModel(says("", *calls, waits), says("ok"))
    made = make_session(tmp_path, model, settings=WINDOW)
    for number in range(3):
        (made.root / f"{number}.txt").write_text(big(number, 31_000))
    await made.session.open()
    made.session.send("Go")
    while not (made.root / "begun").exists():  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    made.session.stop()
    await made.session.wait_idle()
    assert outputs(made) == []
    assert (await made.session.run("Go on")).ok
    assert outputs(made) == ["001-read_file.txt", "002-read_file.txt"]
    await made.session.close()


async def test_results_of_a_process_that_died_are_brought_together_too(tmp_path: Path) -> None:
    """FIELD 63 and the joint limit: what finished is kept, and what is too much goes to files."""
    read = [call("read_file", path=f"{number}.txt") for number in range(2)]
    runs = call("execute_command", command="cat 2.txt; exit 3")
    waits = call("execute_command", command="echo begun > begun; sleep 30")
    made = make_session(
        tmp_path, ScriptedModel(says("", *read, runs, waits), says("no")), settings=WINDOW
    )
    texts = [big(number, size) for number, size in enumerate((31_500, 31_000, 7_500))]
    for number, text in enumerate(texts):
        (made.root / f"{number}.txt").write_text(text)
    await made.session.open()
    made.session.send("Go")
    while not (made.root / "begun").exists():  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    made.session.stop()
    await made.session.wait_idle()
    node = made.session.node
    await made.session.close()
    numbers = iter(range(1, 1_000))
    model = ScriptedModel(says("ok"))
    again = make_session(tmp_path, model, settings=WINDOW, new_id=lambda: f"b{next(numbers):011x}")
    await again.session.open(Resume(node))
    await asked(again, "Go on")
    folder = again.root / ".haima" / "tool-outputs" / again.session.chain
    assert outputs(again) == ["001-read_file.txt"]
    assert (folder / "001-read_file.txt").read_text() == texts[0]
    moved, whole, command, _ = results(again)
    assert moved.startswith("[Long result")
    assert whole == texts[1]
    assert command.startswith("exit code: 3\n")
    await again.session.close()


class TestNotWritable:
    async def test_it_is_cut_and_said_and_the_bytes_are_in_the_ledger(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(descriptor: int, raw: bytes) -> None:
            raise OSError(28, os.strerror(28))

        monkeypatch.setattr(output_files, "write_all", full)
        model = ScriptedModel(says("", call("read_file", path="a.txt")), says("ok"))
        made = make_session(tmp_path, model, settings=WINDOW)
        (made.root / "a.txt").write_text(big(1, 200_000))
        await asked(made)
        (event,) = (one for one in made.events if isinstance(one, OffloadFailed))
        assert event.reason
        assert event.reason in results(made)[0]
        assert len(results(made)[0]) < 33_000
        raw = [row["data"]["raw"] for row in made.ledger if "raw" in row["data"]]  # type: ignore[index, operator]
        assert len(raw) == 1
        await made.session.close()

    async def test_a_folder_that_leads_elsewhere_is_refused(self, tmp_path: Path) -> None:
        """FIELD 68."""
        model = ScriptedModel(says("", call("read_file", path="a.txt")), says("ok"))
        made = make_session(tmp_path, model, settings=WINDOW)
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        (made.root / ".haima").symlink_to(elsewhere)
        (made.root / "a.txt").write_text(big(1))
        await asked(made)
        assert made.of("offload_failed")
        assert list(elsewhere.iterdir()) == []
        await made.session.close()

    async def test_a_row_that_cannot_be_written_leaves_no_file(self, tmp_path: Path) -> None:
        model = ScriptedModel(says("", call("read_file", path="a.txt")), says("ok"))
        made = make_session(tmp_path, model, settings=WINDOW)
        (made.root / "a.txt").write_text(big(1))
        await made.session.open()

        def full(point: str) -> None:
            if point == "row_before" and outputs(made):
                raise OSError(28, os.strerror(28))

        away = faults.install(full)
        try:
            await made.session.run("Go")
        finally:
            away()
        assert outputs(made) == []
        await made.session.close()


async def test_another_process_sends_the_same_and_goes_on_numbering(tmp_path: Path) -> None:
    """A file no row names (the process died between the two) is passed over, never written over."""
    model = ScriptedModel(says("", call("read_file", path="a.txt")), says("ok"))
    made = make_session(tmp_path, model, settings=WINDOW)
    (made.root / "a.txt").write_text(big(1))
    await asked(made)
    before, node = sendable(made.session.history), made.session.node
    folder = made.root / ".haima" / "tool-outputs" / made.session.chain
    await made.session.close()
    (folder / "002-read_file.txt").write_text("of a process that died")
    second = ScriptedModel(says("", call("read_file", path="a.txt")), says("ok"))
    numbers = iter(range(1, 1_000))
    again = make_session(tmp_path, second, settings=WINDOW, new_id=lambda: f"b{next(numbers):011x}")
    await again.session.open(Resume(node))
    assert sendable(again.session.history) == before
    chain = again.session._chain
    assert chain is not None
    recorder = chain._recorder
    (file,) = recorder.files.values()
    assert file.path.endswith("001-read_file.txt")
    assert list(recorder.standings.values()) == [Standing("offloaded")]
    await asked(again, "Again")
    assert list(second.requests[0].messages[: len(before)]) == list(before)
    assert outputs(again) == ["001-read_file.txt", "002-read_file.txt", "003-read_file.txt"]
    assert (folder / "002-read_file.txt").read_text() == "of a process that died"
    await again.session.close()
