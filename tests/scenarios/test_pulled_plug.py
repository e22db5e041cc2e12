"""The plug is pulled in the middle of a turn: `haima run --continue` goes on as if it hadn't been.

A real process kills itself (SIGKILL) at one of its fault points; another one goes on in the same
home. What it sends is worked out from the requests of a control run that nobody killed, and from
which rows were whole when the first one died. It may differ from the control's in two things only:

- what wasn't committed isn't there: the answer that was being given, the user's message before its
  row was whole;
- each call of the last step without a committed result has the note of `agent.interrupted_earlier`
  for one.

If the last thing committed is the user's message, the next one is sent as one with it: two user
messages in a row are (`conversation.wire`). All else is the control's byte for byte.
"""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.endpoint import Call, Say, Tokens
from tests.endpoint.script import Body
from tests.scenarios.plug import Home, Wire, agree, encode, note_of, with_messages
from tests.scenarios.plugged import Plug
from tests.scenarios.support import Place, Ran

TURN = (
    Say(
        "I look.",
        calls=(Call("read_file", {"path": "calc.py"}), Call("read_file", {"path": "README.md"})),
        usage=Tokens(2_000, 40),
    ),
    Say(
        calls=(Call("execute_command", {"command": "cat README.md"}),),
        usage=Tokens(2_200, 20, 2_000),
    ),
    Say("It adds numbers.", usage=Tokens(2_300, 10, 2_200)),
)
NEXT = Say("Nothing more.", usage=Tokens(2_400, 10, 2_300))
STEP = ("assistant", "usage")
ROWS = ("node", "user", *STEP, "tool", "tool", *STEP, "tool", *STEP)
"""What the turn writes, in order."""

Point = tuple[str, int]
"""A fault point, and at which time it is reached."""

POINTS: tuple[Point, ...] = (
    ("row_before", 1),  # nothing is there yet
    ("row_torn", 1),  # half of the node's row
    ("row_torn", 2),  # half of the user's message
    ("commit_after", 2),  # the user's message; nothing was sent
    ("row_torn", 3),  # half of the answer with the calls
    ("database_transaction", 3),  # the ledger has it, the database not yet
    ("row_after", 5),  # one of two parallel results
    ("row_torn", 6),  # half of the other
    ("commit_after", 6),  # both; not yet on the disk
    ("sync_before", 1),
    ("row_before", 9),  # the command ran, its result isn't written
    ("row_torn", 10),  # half of the last answer
    ("database_transaction", 10),
    ("sync_after", 3),  # all is done but the end of the turn
)
FIRST, SECOND = "What does it do?", "And what else?"


@dataclass(frozen=True)
class Control:
    """One process that did both prompts, nobody killed it.

    Attributes:
        bodies: its requests.
        points: the fault points of the first turn, in order.
    """

    bodies: list[bytes]
    points: list[Point]

    @property
    def messages(self) -> list[Body]:
        """The messages of its last request: all of the first turn, and the second prompt."""
        return list(json.loads(self.bodies[-1])["messages"])


@dataclass(frozen=True)
class Aftermath:
    """What came of a process that died, and of the one that went on.

    Attributes:
        died: how the first ended.
        sent: the requests of the first.
        kept: the rows that were whole when it died.
        after: how the second ended.
        bodies: its requests.
        home: where.
    """

    died: Ran
    sent: list[bytes]
    kept: list[dict[str, Any]]
    after: Ran
    bodies: list[bytes]
    home: Path


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One checkout for all: its path is in the system message."""
    return Place(tmp_path_factory.mktemp("plug")).root


@pytest.fixture(scope="module")
def control(checkout: Path) -> Control:
    """The control run."""
    home, seen = Home(checkout, checkout.with_name("control")), checkout.with_name("seen")

    async def run() -> list[bytes]:
        async with Wire(TURN) as endpoint:
            ran = await home.plugged(endpoint, Plug(seen=str(seen)), FIRST)
            assert ran.code == 0, ran.err
        both = Home(checkout, checkout.with_name("both"))
        async with Wire((*TURN, NEXT)) as endpoint:
            ran = await both.plugged(endpoint, Plug(), "--lines", stdin=f"{FIRST}\n{SECOND}\n")
            assert ran.code == 0, ran.err
            assert endpoint.violations == []
        agree(both.home)
        return endpoint.bodies

    bodies = asyncio.run(run())
    lines = [line.split() for line in seen.read_text().splitlines()]
    return Control(bodies, [(name, int(nth)) for name, nth in lines])


def pull(checkout: Path, points: Sequence[Point]) -> dict[Point, Aftermath]:
    """Kills a process at each of these points, and goes on in a second one; two at a time."""
    two = asyncio.Semaphore(2)

    async def one(point: Point) -> Aftermath:
        async with two:
            return await killed_at(checkout, point)

    async def every() -> list[Aftermath]:
        return list(await asyncio.gather(*map(one, points)))

    return dict(zip(points, asyncio.run(every()), strict=True))


async def killed_at(checkout: Path, point: Point) -> Aftermath:
    """One process that dies there, and one that goes on with `--continue`."""
    name, nth = point
    home = Home(checkout, checkout.with_name(f"{name}-{nth}"))
    async with Wire(TURN) as first:
        died = await home.plugged(first, Plug(kill=name, nth=nth), FIRST)
    kept = home.lines() if home.ledgers else []
    async with Wire([NEXT]) as second:
        after = await home.plugged(second, Plug("bb"), "--continue", SECOND)
        assert second.violations == []
    return Aftermath(died, first.bodies, kept, after, second.bodies, home.home)


def expected(control: Control, kept: Sequence[dict[str, Any]]) -> list[Body]:
    """The messages of the next request, by what the ledger held when the process died."""
    said = [row["data"]["message"] for row in kept if row["kind"] == "message"]
    answers = sum(message["role"] == "assistant" for message in said)
    results = {message["call_id"] for message in said if message["role"] == "tool"}
    found = list(begun(control.messages, answers, results))
    *before, last = found
    if last["role"] == "user":
        return [*before, {**last, "content": f"{last['content']}\n\n{SECOND}"}]
    return [*found, {"role": "user", "content": SECOND}]


def begun(messages: Sequence[Body], answers: int, results: set[str]) -> Iterator[Body]:
    """The control's messages up to the cut, a note for each result that isn't there."""
    *first_turn, _ = messages
    calls: dict[str, Body] = {}
    for message in first_turn:
        if message["role"] == "tool":
            call = message["tool_call_id"]
            yield message if call in results else note_of(calls[call])
            continue
        if message["role"] == "assistant":
            if not answers:
                return
            answers -= 1
            calls = {call["id"]: call for call in message.get("tool_calls", ())}
        yield message


def check(control: Control, point: Point, found: Aftermath) -> None:
    """What must hold after a process died at a point and another went on."""
    assert found.died.code == -9
    whole = control.points[: control.points.index(point) + 1]
    assert [kind_of(row) for row in found.kept] == list(ROWS)[
        : sum(n == "row_after" for n, _ in whole)
    ]
    if "user" not in map(kind_of, found.kept):
        assert (found.after.code, found.bodies) == (4, [])
        assert "Traceback" not in found.after.err
        return
    assert found.after.code == 0, found.after.err
    (body,) = found.bodies
    assert body == with_messages(control.bodies[-1], expected(control, found.kept))
    for sent in found.sent:  # what the model had seen is the beginning of what it sees now
        seen = encode(json.loads(sent)["messages"]).removesuffix(b'"}]')
        assert encode(json.loads(body)["messages"]).startswith(seen)
    assert ("cut by a crash" in found.after.err) == (point[0] == "row_torn")
    agree(found.home)
    (ledger,) = found.home.glob("history/raw/*.jsonl")
    after = ledger.read_bytes().splitlines()
    assert [json.loads(line) for line in after[: len(found.kept)]] == found.kept


def kind_of(row: dict[str, Any]) -> str:
    """A row's kind, or who says its message."""
    return str(row["data"]["message"]["role"] if row["kind"] == "message" else row["kind"])


def test_the_control_reaches_every_fault_point(control: Control) -> None:
    """Each row has its five, and each step a sync; `POINTS` are among them."""
    of_a_row = ["row_before", "row_torn", "row_after", "database_transaction", "commit_after"]
    found = [name for name, _ in control.points if not name.startswith("sync")]
    assert found == of_a_row * len(ROWS)
    assert [p for p in control.points if p[0].startswith("sync")] == [
        (name, nth) for nth in (1, 2, 3) for name in ("sync_before", "sync_after")
    ]
    assert set(POINTS) <= set(control.points)
    assert all(with_messages(body, json.loads(body)["messages"]) == body for body in control.bodies)


def test_going_on_after_a_kill(checkout: Path, control: Control) -> None:
    """FIELD 63: nothing committed is lost, nothing is doubled, open calls have their note."""
    for point, found in pull(checkout, POINTS).items():
        check(control, point, found)


async def test_going_on_dies_too(checkout: Path, control: Control) -> None:
    """FIELD 63: killed in the middle of the second note; the third process sees one of each."""
    home = Home(checkout, checkout.with_name("twice"))
    async with Wire(TURN) as first:
        died = await home.plugged(first, Plug(kill="commit_after", nth=3), FIRST)
    kept = home.lines()
    async with Wire([NEXT]) as second:
        again = await home.plugged(second, Plug("bb", kill="row_torn", nth=2), "--continue", "Hm")
        assert (died.code, again.code, second.bodies) == (-9, -9, [])
        assert len(home.lines()) == len(kept) + 1
        ran = await home.plugged(second, Plug("cc"), "--continue", SECOND)
        assert (ran.code, second.violations) == (0, []), ran.err
    assert second.bodies == [with_messages(control.bodies[-1], expected(control, kept))]
    agree(home.home)


@pytest.mark.soak
@pytest.mark.timeout(1_200)
def test_going_on_after_a_kill_anywhere(checkout: Path, control: Control) -> None:
    """FIELD 63: every fault point of the turn."""
    points = [point for point in control.points if point not in POINTS]
    for point, found in pull(checkout, points).items():
        check(control, point, found)
