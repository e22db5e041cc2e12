"""Two processes at once, on one session and on one database; and a clock that goes backwards."""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.archive.nodes import LayoutEntry, NodeStart
from app.conversation.messages import Message, TextPart
from tests.endpoint import Call, Endpoint, Say
from tests.scenarios.plug import Home, Wire, agree, with_messages
from tests.scenarios.plugged import Plug
from tests.scenarios.support import Place, at

TURNS = 50


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty home beside a checkout."""
    checkout = Place(tmp_path).root
    return Home(checkout, checkout.with_name("haima"))


def prompts(body: bytes) -> list[str]:
    """What the user said in a request."""
    messages = json.loads(body)["messages"]
    return [message["content"] for message in messages if message["role"] == "user"]


async def test_a_session_open_elsewhere(home: Home) -> None:
    """FIELD 33: the second process is told to fork, can, and both files are valid."""
    held = asyncio.Event()
    steps = [Say("One"), Say("A long answer", hold=held, chunk=4), Say("Beside it"), Say("End")]
    async with Wire(steps) as endpoint:
        assert (await home.plugged(endpoint, Plug(), "first")).code == 0
        (ledger,) = home.ledgers
        command = ("run", *at(endpoint), "--json", "--continue", "second")
        other = await home.start(*command, environ=Plug("bb").environ())
        while b'"type": "text"' not in (line := await other.stdout.readline()):
            assert line
        for asked in (["--continue"], ["--resume", ledger.stem]):
            ran = await home.plugged(endpoint, Plug("cc"), *asked, "third")
            assert (ran.code, ran.out) == (1, "")
            assert f"haima run --fork {ledger.stem}" in ran.err
        beside = await home.plugged(endpoint, Plug("cc"), "--fork", ledger.stem, "beside")
        assert (beside.code, beside.out) == (0, "Beside it\n")
        held.set()
        await asyncio.wait_for(other.communicate(), 30)
        assert other.returncode == 0
        assert prompts(endpoint.bodies[2]) == ["first", "second\n\nbeside"]
        agree(home.home)
        # The fork was made in the middle of the second turn; each goes on with its own.
        ran = await home.plugged(endpoint, Plug("dd"), "--resume", "cc00", "fourth")
        assert ran.code == 0, ran.err
        assert prompts(endpoint.bodies[3]) == ["first", "second\n\nbeside", "fourth"]
        assert endpoint.violations == []
    agree(home.home)
    assert len(home.ledgers) == 2


async def test_two_processes_on_one_database(home: Home) -> None:
    """FIELD 33: fifty turns each, at the same time; every one is there, in its own order."""
    script = [Say("", calls=(Call("list_dir", {"path": "."}),)), Say("Yes")] * TURNS
    lines = ["\n".join(f"{name} {turn}" for turn in range(TURNS)) for name in ("one", "two")]
    async with Wire(script) as first, Wire(script) as second:
        pair: list[tuple[Endpoint, str, str]] = [
            (first, "aa", lines[0]),
            (second, "bb", lines[1]),
        ]
        ran = await asyncio.gather(
            *(home.plugged(one, Plug(ids), "--lines", stdin=text) for one, ids, text in pair)
        )
        assert [one.code for one in ran] == [0, 0]
        assert all("database" not in one.err and "ledger" not in one.err for one in ran)
        assert first.violations + second.violations == []
        assert [prompts(one.bodies[-1]) for one in (first, second)] == [
            text.split("\n") for text in lines
        ]
    agree(home.home)
    with closing(sqlite3.connect(home.paths.database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = connection.execute("SELECT turns, messages, skipped, lost FROM nodes").fetchall()
    assert rows == [(TURNS, 4 * TURNS, 0, 0)] * 2


async def test_a_clock_that_goes_backwards(home: Home) -> None:
    """Each process begins a day before the one before: the rows' numbers say what came last."""
    async with Wire([Say("One"), Say("Two"), Say("Three"), Say("Four")]) as endpoint:
        for day, (ids, prompt) in enumerate([("aa", "first"), ("bb", "second"), ("cc", "third")]):
            plug = Plug(ids, at=f"2026-11-{29 - day}T12:00:00+00:00")
            asked = ["--continue"] if day else []
            assert (await home.plugged(endpoint, plug, *asked, prompt)).code == 0
        assert prompts(endpoint.bodies[2]) == ["first", "second", "third"]
        # A summary's child that is begun still earlier is the node used last.
        async with home.recording("2026-11-26T12:00:00+00:00") as recorder:
            system, *_, asked_last, answer = recorder.layout()
            summary = Message("dd0000000002", "user", (TextPart("Summary: counted."),))
            start = NodeStart(
                chain=recorder.node,
                parent=recorder.node,
                relation="summary",
                project=str(home.root),
                branch="main",
                layout=(system, LayoutEntry(summary.id), asked_last, answer),
                messages=(summary,),
            )
            await recorder.begin(start, "dd0000000001")
        plug = Plug("ee", at="2026-11-25T12:00:00+00:00")
        ran = await home.plugged(endpoint, plug, "--continue", "fourth")
        assert ran.code == 0, ran.err
        before = json.loads(endpoint.bodies[2])["messages"]
        expected = [
            before[0],
            {"role": "user", "content": "Summary: counted.\n\nthird"},
            {"role": "assistant", "content": "Three"},
            {"role": "user", "content": "fourth"},
        ]
        assert endpoint.bodies[3] == with_messages(endpoint.bodies[2], expected)
    agree(home.home)
    (ledger,) = home.ledgers
    times = [row["at"] for row in home.lines()]
    assert times != sorted(times), "the clock did go backwards"
    assert ledger.stem == "aa0000000001"
