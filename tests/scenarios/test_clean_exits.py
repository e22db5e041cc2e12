"""Leaving and coming back: what `--continue` sends is what one process doing it all would send.

Byte for byte, over HTTP: whatever a session may have done to its history before it was left.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from app.archive.ledger import Ledger
from app.archive.nodes import LayoutEntry, NodeStart
from app.archive.recorder import Recorder
from app.conversation.history import RecoverySlot
from app.conversation.messages import CorrectionPart, MemoryPart, Message, RestoredPart, TextPart
from app.conversation.standing import Standing
from app.conversation.wire import to_wire
from tests.endpoint import Call, Say, Tokens
from tests.scenarios.plug import Home, Wire, agree, with_messages
from tests.scenarios.plugged import Plug
from tests.scenarios.support import Place

READS = (Call("read_file", {"path": "calc.py"}), Call("read_file", {"path": "README.md"}))
TALK = (
    Say("I look.", calls=READS, reasoning="Two files", usage=Tokens(2_000, 40)),
    Say(
        "It adds. \u2028 \x1b[1m \U0001f434 海马", reasoning="Clear", usage=Tokens(2_300, 10, 2_000)
    ),
    Say("One more.", calls=(Call("list_dir", {"path": "."}),), reasoning="A list"),
    Say("That is all.", reasoning="Enough"),
    Say("You are welcome."),
)
PROMPTS = ("What does it do? \u2028 海马 \x07", "And what else?", "Thanks")
PROVIDERS: dict[str, tuple[str, str] | tuple[()]] = {
    "openai": (),
    "deepseek": ("https://api.deepseek.com", "deepseek-v4-flash"),
    "kimi": ("https://api.moonshot.cn/v1", "kimi-k2.6"),
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """One checkout, on `main`."""
    return Place(tmp_path).root


def move(checkout: Path, branch: str) -> None:
    """As `git switch` does."""
    (checkout / ".git" / "HEAD").write_text(f"ref: refs/heads/{branch}\n")


async def in_one(
    checkout: Path, provider: str, prompts: Sequence[str], branches: Sequence[str]
) -> list[bytes]:
    """The requests of one process; before each prompt the branch is another perhaps."""
    coming = iter(branches)
    move(checkout, next(coming))
    home, plug = Home(checkout, checkout.with_name("one")), Plug(provider=PROVIDERS[provider])
    async with Wire(TALK, provider) as endpoint:
        await home.converse(endpoint, plug, prompts, lambda: move(checkout, next(coming)))
        assert endpoint.violations == []
    agree(home.home)
    return endpoint.bodies


async def in_many(
    checkout: Path, provider: str, prompts: Sequence[str], branches: Sequence[str]
) -> list[bytes]:
    """The requests of as many processes as there are prompts."""
    home, went_on = Home(checkout, checkout.with_name("many")), list[str]()
    async with Wire(TALK, provider) as endpoint:
        for number, (prompt, branch) in enumerate(zip(prompts, branches, strict=True)):
            move(checkout, branch)
            # Ids go on counting, so that those of calls are the same as in one process.
            plug = Plug("aa", provider=PROVIDERS[provider], first=1_000 * number)
            ran = await home.plugged(endpoint, plug, *went_on, prompt)
            assert ran.code == 0, ran.err
            assert "Traceback" not in ran.err
            went_on = ["--continue"]
        assert endpoint.violations == []
    agree(home.home)
    return endpoint.bodies


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_three_processes_send_what_one_does(checkout: Path, provider: str) -> None:
    """Reasoning goes back as the provider wants it, or stays away."""
    branches = ("main", "main", "main")
    one = await in_one(checkout, provider, PROMPTS, branches)
    many = await in_many(checkout, provider, PROMPTS, branches)
    assert (b'"reasoning_content":"Two files"' in many[-1]) == (provider != "openai")
    assert [same_calls(body) for body in many] == [same_calls(body) for body in one]
    assert many[:3] == one[:3], "up to the second process's own calls nothing is to be made equal"


def same_calls(body: bytes) -> bytes:
    """The request with its calls named by their order: ids of a second process are its own."""
    names: dict[str, str] = {}
    for message in json.loads(body)["messages"]:
        for call in message.get("tool_calls", ()):
            names[call["id"]] = f"call-{len(names):07}"
    for old, new in names.items():
        body = body.replace(f'"{old}"'.encode(), f'"{new}"'.encode())
    return body


@pytest.mark.parametrize(
    "branches",
    [
        pytest.param(("main", "other", "other"), id="changed"),
        pytest.param(("main", "other", "main"), id="and-back"),
    ],
)
async def test_another_branch_is_told_once(checkout: Path, branches: Sequence[str]) -> None:
    """Changed while Haima was away or between two prompts: it makes no difference."""
    one = await in_one(checkout, "openai", PROMPTS, branches)
    many = await in_many(checkout, "openai", PROMPTS, branches)
    assert [same_calls(body) for body in many] == [same_calls(body) for body in one]
    changes = sum(a != b for a, b in pairwise(branches))
    assert many[-1].count(b"<memory kind=") == changes


BROKEN = Call("read_file", '{"path": calc.py')
CUT = Say(calls=(Call("read_file", '{"path": "calc'),), finish="length")


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param((Say(calls=(BROKEN,)), Say("Sorry")), id="broken"),
        pytest.param((CUT, CUT), id="cut"),
    ],
)
async def test_broken_calls_are_sent_as_before(checkout: Path, steps: tuple[Say, ...]) -> None:
    """FIELD 38: arguments that are no JSON, or end in the middle; the next process's is valid."""
    found: list[list[bytes]] = []
    for name, parts in (("one", ["first\nsecond"]), ("two", ["first", "second"])):
        home = Home(checkout, checkout.with_name(name))
        async with Wire((*steps, Say("Fine"))) as endpoint:
            for number, lines in enumerate(parts):
                went_on = ["--continue"] if number else []
                plug = Plug("aa", first=1_000 * number)
                ran = await home.plugged(endpoint, plug, *went_on, "--lines", stdin=lines)
            assert ran.out == "Fine\n" or name == "one"
            assert (endpoint.violations, endpoint.left) == ([], 0)
        found.append(endpoint.bodies)
        agree(home.home)
    assert found[0] == found[1]


# States that no command makes yet: what is done to the history stands in the ledger, and another
# process goes on with it.

Change = Callable[[Recorder], Awaitable[object]]


def first(recorder: Recorder, role: str) -> Message:
    """The first message of somebody."""
    return next(message for message in recorder.history if message.role == role)


def last(recorder: Recorder, role: str) -> Message:
    """The last message of somebody."""
    return next(message for message in reversed(recorder.history.messages) if message.role == role)


async def cleared(recorder: Recorder) -> None:
    """A result's body is a pointer."""
    pointer = TextPart("[read_file calc.py, 61 characters: read it again] </tool_result> 海马")
    await recorder.replace(first(recorder, "tool").id, [pointer], state="cleared")


async def back_again(recorder: Recorder) -> None:
    """Cleared, then as it was."""
    before = first(recorder, "tool")
    await cleared(recorder)
    await recorder.replace(before.id, before.parts, state="live")


async def pinned(recorder: Recorder) -> None:
    """Pins are kept."""
    await recorder.pin([message.id for message in recorder.history[1:]], True)
    await recorder.pin([last(recorder, "assistant").id], False)


async def recovery_at_the_user(recorder: Recorder) -> None:
    """A recovery block before the user's words."""
    await recorder.set_recovery(RecoverySlot(first(recorder, "user").id, "Goal: <recovery>", True))


async def recovery_at_a_result(recorder: Recorder) -> None:
    """One behind a result; the one before it is gone."""
    await recovery_at_the_user(recorder)
    await recorder.set_recovery(RecoverySlot(last(recorder, "tool").id, "Goal: add"))


async def blocks(recorder: Recorder) -> None:
    """A user's message with a fact, a correction, something restored; nothing was answered."""
    parts = (
        TextPart("Go on"),
        MemoryPart("uses pytest", ("f1",)),
        CorrectionPart("uses unittest"),
        RestoredPart("r1", "x" * 10),
    )
    await recorder.append(Message("cc0000000001", "user", parts))


async def spliced(recorder: Recorder) -> None:
    """The first turn is three words."""
    end = recorder.history.index(last(recorder, "user").id)
    said = [
        Message("cc0000000001", "user", (TextPart("Summary: it adds."),)),
        Message("cc0000000002", "assistant", (TextPart("Understood."),)),
    ]
    await recorder.splice(1, end, said)


async def summarised(recorder: Recorder) -> None:
    """A child with a summary in place of the first turn, and a recovery block in it."""
    await cleared(recorder)
    await pinned(recorder)
    await summary(recorder, "cc0000000001", last(recorder, "user").id)


async def summarised_twice(recorder: Recorder) -> None:
    """A child of the child; the tail is kept with what was done to it."""
    await cleared(recorder)
    await pinned(recorder)
    await summary(recorder, "cc0000000001", last(recorder, "user").id)
    await recorder.append(Message("cc0000000011", "user", (TextPart("More"),)))
    await recorder.append(Message("cc0000000012", "assistant", (TextPart("Yes."),)))
    await recorder.replace("cc0000000012", [TextPart("Y.")], state="cut")
    await summary(recorder, "cc0000000021", "cc0000000011")


def project_of(recorder: Recorder) -> str:
    """Where it is at work, by its ledger's first row."""
    ledger = recorder._ledger
    assert isinstance(ledger, Ledger)
    first = json.loads(ledger.path.read_text().split("\n")[0])
    return str(first["data"]["project"])


async def summary(recorder: Recorder, new: str, tail: str) -> None:
    """A child: the system message, a summary under a new id, the rest from `tail` on."""
    layout = {entry.id: entry for entry in recorder.layout()}
    at = list(layout).index(tail)
    said = Message(new, "user", (TextPart(f"Summary up to {tail}."),))
    heard = Message(f"{new[:-1]}f", "assistant", (TextPart("Understood."),))
    start = NodeStart(
        chain="aa0000000001",
        parent=recorder.node,
        relation="summary",
        project=project_of(recorder),
        model="scripted",
        branch="main",
        layout=(
            next(iter(layout.values())),
            LayoutEntry(new, Standing(pinned=True)),
            LayoutEntry(heard.id),
            *list(layout.values())[at:],
        ),
        messages=(said, heard),
        recovery=RecoverySlot(new, "Goal: know what it does", True),
    )
    await recorder.begin(start, f"dd{new[2:]}")


CHANGES: tuple[Change, ...] = (
    cleared,
    back_again,
    pinned,
    recovery_at_the_user,
    recovery_at_a_result,
    blocks,
    spliced,
    summarised,
    summarised_twice,
)


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, bytes]:
    """A home with two turns in it, and its first request."""
    checkout = Place(tmp_path_factory.mktemp("talked")).root
    home = Home(checkout, checkout.with_name("talked"))

    async def talk() -> bytes:
        async with Wire(TALK) as endpoint:
            ran = await home.plugged(endpoint, Plug(), "--lines", stdin="\n".join(PROMPTS[:2]))
            assert ran.code == 0, ran.err
        return endpoint.bodies[0]

    return home, asyncio.run(talk())


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: str(change.__name__))
async def test_whatever_was_done_to_the_history(talked: tuple[Home, bytes], change: Change) -> None:
    """FIELD 31: also after one summary, and after two."""
    before, first_body = talked
    home = before.copy(str(change.__name__))
    async with Wire(TALK[-1:]) as endpoint:
        async with home.recording() as recorder:
            await change(recorder)
            asked = Message("ee0000000001", "user", (TextPart(PROMPTS[2]),))
            going = [*recorder.history.messages, asked]
            wire = to_wire(going, recorder.history.recovery)
            standings, node = dict(recorder.standings), recorder.node
        ran = await home.plugged(endpoint, Plug("bb"), "--continue", PROMPTS[2])
        assert ran.code == 0, ran.err
        assert endpoint.violations == []
    assert endpoint.bodies[-1] == with_messages(first_body, wire)
    agree(home.home)
    async with home.recording() as recorder:
        assert (recorder.node, recorder.standings) == (node, standings)
        asked = replace(asked, id=recorder.history[len(going) - 1].id)
        assert list(recorder.history.messages)[: len(going)] == [*going[:-1], asked]
