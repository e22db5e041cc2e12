"""A run that is ended from outside: signals, a closed pipe, kill -9; the ledger is whole."""

import asyncio
import json
import signal
from pathlib import Path

import pytest

from app.archive.rebuild import rebuild
from app.archive.rows import BadLine, read_rows
from app.conversation.history import History
from app.text import Words
from tests.endpoint import Call, Endpoint, Say
from tests.scenarios.support import Place, at
from tests.session.support import alive, until
from tests.stem.grown import Grown

SLEEP = "echo $$ > pid; sleep 1000 & sleep 1000"


def history_of(place: Place) -> History:
    """The history as it can be read back."""
    (ledger,) = place.ledgers
    bad: list[BadLine] = []
    rows = list(read_rows(ledger, bad.append))
    assert bad == []
    rebuilt = rebuild(rows, rows[0].node, Words("en"))
    assert rebuilt.skipped == ()
    return rebuilt.history


def pid_of(place: Place) -> int:
    """The command's process, once it has written its number."""
    file = place.root / "pid"
    return int(file.read_text()) if file.exists() and file.read_text().strip() else 0


async def command_runs(place: Place, process: Grown) -> int:
    """Waits until the command runs; its process."""
    await until(lambda: pid_of(place) or process.returncode is not None, 60)
    if process.returncode is not None:
        _, err = await process.communicate()
        pytest.fail(f"haima ended by itself: {err.decode()}")
    return pid_of(place)


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_in_a_command_kills_it_and_closes_the_history(
    tmp_path: Path, kind: signal.Signals
) -> None:
    place = Place(tmp_path)
    calls = (
        Call("read_file", {"path": "calc.py"}),
        Call("execute_command", {"command": SLEEP}),
        Call("read_file", {"path": "README.md"}),
    )
    async with Endpoint([Say("I wait.", calls=calls)]) as endpoint:
        process = await place.start("run", *at(endpoint), "--json", "--allow", "all", "Wait")
        command = await command_runs(place, process)
        process.send_signal(kind)
        out, err = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 130, err
    events = [json.loads(line) for line in out.decode().splitlines()]
    kinds = [event["type"] for event in events if event["type"] != "context"]
    assert kinds[-2:] == ["cancelled", "turn_finished"]
    assert not alive(command)
    history = history_of(place)
    assert not history.open_calls
    texts = [message.text for message in history if message.role == "tool"]
    assert "return a - b" in texts[0]
    assert "while this was running" in texts[1]
    assert texts[2].startswith("Not run")


async def test_a_signal_in_the_text_keeps_what_was_said(tmp_path: Path) -> None:
    place = Place(tmp_path)
    held = asyncio.Event()
    step = Say("The answer to it all is that", chunk=10, hold=held)
    async with Endpoint([step]) as endpoint:
        process = await place.start("run", *at(endpoint), "--json", "Tell me")
        while b'"type": "text"' not in (line := await process.stdout.readline()):
            assert line
        process.send_signal(signal.SIGINT)
        await endpoint.hung_up()
        await asyncio.wait_for(process.communicate(), 30)
        held.set()
    assert process.returncode == 130
    last = history_of(place)[-1]
    assert last.role == "assistant"
    assert last.text.startswith("The answer")


async def test_a_signal_while_waiting_for_a_line_ends_the_run(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with Endpoint([Say("One")]) as endpoint:
        process = await place.start("run", *at(endpoint), "--json", "--lines")
        process.stdin.write(b"first\n")
        while b"turn_finished" not in (line := await process.stdout.readline()):
            assert line
        process.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(process.wait(), 30) == 130
    assert not history_of(place).open_calls


async def test_a_reader_that_goes_away_stops_the_run(tmp_path: Path) -> None:
    """`haima run --json … | head -3`."""
    place = Place(tmp_path)
    steps = [Say("x" * 200_000, calls=(Call("list_dir", {"path": "."}),)) for _ in range(3)]
    async with Endpoint([*steps, Say("Never")]) as endpoint:
        command = f"{place_command(endpoint)} | head -3"
        process = await asyncio.create_subprocess_exec(
            "bash",
            "-c",
            f"{command}; echo ${{PIPESTATUS[0]}}",
            cwd=place.root,
            env=place.environ(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await asyncio.wait_for(process.communicate(), 60)
        assert endpoint.left > 0, "it doesn't work on unseen"
    first, _, _, code = out.decode().splitlines()
    assert json.loads(first)["type"] == "session_started"
    assert code == "130"
    assert b"Traceback" not in err
    assert b"BrokenPipe" not in err
    assert not history_of(place).open_calls


def place_command(endpoint: Endpoint) -> str:
    """The command line for a shell."""
    import sys

    return f"{sys.executable} -m app run {' '.join(at(endpoint))} --json --allow all Go"


async def test_kill_9_in_a_step_leaves_a_whole_ledger(tmp_path: Path) -> None:
    """FIELD 63: finished results are there, the others can be closed."""
    place = Place(tmp_path)
    calls = (
        Call("read_file", {"path": "calc.py"}),
        Call("execute_command", {"command": SLEEP}),
        Call("read_file", {"path": "README.md"}),
    )
    async with Endpoint([Say("I wait.", calls=calls)]) as endpoint:
        process = await place.start("run", *at(endpoint), "--json", "--allow", "all", "Wait")
        command = await command_runs(place, process)
        # A command runs a moment before its watch knows of it; nothing shows when it does.
        await asyncio.sleep(0.5)
        process.kill()
        await process.wait()
    await until(lambda: not alive(command), 30)  # with its Haima, though nobody told it
    history = history_of(place)
    assert [message.role for message in history] == ["system", "user", "assistant", "tool"]
    assert [call.name for call in history.open_calls] == ["execute_command", "read_file"]
    # Another run in the same home isn't disturbed by what lies there.
    async with Endpoint([Say("Fine")]) as endpoint:
        assert (await place.run(endpoint, "Hi")).code == 0
