"""Forks: the exact beginning of their parent, and a parent that nothing happens to."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from tests.endpoint import Call, Say
from tests.endpoint.script import Body
from tests.scenarios.plug import Home, Wire, agree, nodes, with_messages
from tests.scenarios.plugged import Plug
from tests.scenarios.support import Place

ROOT = "aa0000000001"
TALK = (
    Say("I look.", calls=(Call("read_file", {"path": "calc.py"}), Call("list_dir", {"path": "."}))),
    Say("It adds."),
    Say("Nothing else."),
    Say("You are welcome."),
)
PROMPTS = ("What does it do?", "And what else?", "Thanks")


@dataclass(frozen=True)
class Parent:
    """A session of three turns.

    Attributes:
        home: where.
        messages: what a request holds that goes on with it, without the new prompt.
        body: such a request.
        ids: the messages' ids.
    """

    home: Home
    messages: list[Body]
    body: bytes
    ids: list[str]

    def fork_of(self, upto: int, prompt: str) -> bytes:
        """The request that shares the first messages."""
        return with_messages(self.body, [*self.messages[:upto], asked(prompt)])


def asked(prompt: str) -> Body:
    """What the user says."""
    return {"role": "user", "content": prompt}


def answered(text: str) -> Body:
    """What the model said."""
    return {"role": "assistant", "content": text}


@pytest.fixture(scope="module")
def parent(tmp_path_factory: pytest.TempPathFactory) -> Parent:
    """The session."""
    checkout = Place(tmp_path_factory.mktemp("forks")).root
    home = Home(checkout, checkout.with_name("parent"))

    async def talk() -> bytes:
        async with Wire(TALK) as endpoint:
            ran = await home.plugged(endpoint, Plug(), "--lines", stdin="\n".join(PROMPTS))
            assert ran.code == 0, ran.err
        return endpoint.bodies[-1]

    body = asyncio.run(talk())
    rows = home.lines()
    ids = [message["id"] for message in rows[0]["data"]["messages"]]
    ids += [row["data"]["message"]["id"] for row in rows if row["kind"] == "message"]
    messages = [*json.loads(body)["messages"], answered("You are welcome.")]
    assert len(messages) == len(ids) == 10
    return Parent(home, messages, body, ids)


async def forked(home: Home, ids: str, *arguments: str) -> bytes:
    """Goes on with a prompt; the one request."""
    async with Wire([Say(f"From {ids}")]) as endpoint:
        ran = await home.plugged(endpoint, Plug(ids), *arguments)
        assert ran.code == 0, ran.err
        assert endpoint.violations == []
    (body,) = endpoint.bodies
    return body


# The system message, a user's, the answer with calls, each of its results, answers.
@pytest.mark.parametrize(("message", "upto"), [(2, 5), (3, 5), (5, 6), (7, 8), (9, 10)], ids=str)
async def test_a_fork_is_the_exact_beginning(parent: Parent, message: int, upto: int) -> None:
    """FIELD 31: a message inside a step takes the whole step; the parent stays as it is."""
    home = parent.home.copy(f"fork-{message}")
    before = ledgers(home)
    body = await forked(home, "bb", "--fork", f"{ROOT}:{parent.ids[message]}", "Otherwise?")
    assert body == parent.fork_of(upto, "Otherwise?")
    after = ledgers(home)
    assert after.pop("bb0000000001")
    assert after == before
    agree(home.home)


@pytest.mark.parametrize(("kill", "upto"), [("row_torn", 10), ("row_after", 6)])
async def test_a_fork_that_dies_at_its_beginning(parent: Parent, kill: str, upto: int) -> None:
    """FIELD 63: with half its first row it isn't there; with all of it, it goes on."""
    home = parent.home.copy(f"fork-{kill}")
    before = ledgers(home)
    async with Wire([]) as endpoint:
        plug = Plug("bb", at="2026-11-29T13:00:00+00:00", kill=kill)
        fork = ("--fork", f"{ROOT}:{parent.ids[5]}", "Otherwise?")
        assert (await home.plugged(endpoint, plug, *fork)).code == -9
    assert ledgers(home)[ROOT] == before[ROOT]
    body = await forked(home, "cc", "--continue", "Further")
    assert body == parent.fork_of(upto, "Further")
    if kill == "row_after":
        agree(home.home)
        assert ledgers(home)[ROOT] == before[ROOT]


async def test_a_fork_behind_a_question_asks_it_too(parent: Parent) -> None:
    """Two of the user's messages in a row go as one."""
    home = parent.home.copy("fork-user")
    body = await forked(home, "bb", "--fork", f"{ROOT}:{parent.ids[6]}", "Be brief.")
    both = asked(f"{PROMPTS[1]}\n\nBe brief.")
    assert body == with_messages(parent.body, [*parent.messages[:6], both])


def ledgers(home: Home) -> dict[str, bytes]:
    """Each ledger's bytes."""
    return {path.stem: path.read_bytes() for path in home.ledgers}


def without(home: Home, *names: str) -> None:
    """Removes ledgers, and the database with all it knows."""
    for name in names:
        home.paths.ledger(name).unlink()
    for path in home.home.glob("haima.db*"):
        path.unlink()


async def test_going_on_from_a_node_with_children_makes_another(parent: Parent) -> None:
    """Its other children, and their ledgers, stay as they are; so with a fork of a fork."""
    home = parent.home.copy("tree")
    await forked(home, "bb", "--fork", f"{ROOT}:{parent.ids[5]}", "One way")
    before = ledgers(home)
    body = await forked(home, "cc", "--resume", ROOT, "Another way")
    assert body == parent.fork_of(10, "Another way")
    assert {name: ledgers(home)[name] for name in before} == before
    # A fork of the first fork, before what was said in it, and at its end.
    body = await forked(home, "dd", "--fork", f"bb00:{parent.ids[5]}", "A third way")
    assert body == parent.fork_of(6, "A third way")
    body = await forked(home, "ee", "--fork", "bb00", "A fourth way")
    way = [*parent.messages[:6], asked("One way"), answered("From bb")]
    assert body == with_messages(parent.body, [*way, asked("A fourth way")])
    # The fork of a fork has no children: it goes on in its own ledger.
    body = await forked(home, "ff", "--resume", "ee00", "Further")
    way += [asked("A fourth way"), answered("From ee")]
    assert body == with_messages(parent.body, [*way, asked("Further")])
    # What a fork says besides is no part of its siblings.
    body = await forked(home, "ab", "--resume", "cc00", "Further")
    assert body == with_messages(
        parent.body,
        [*parent.messages, asked("Another way"), answered("From cc"), asked("Further")],
    )
    chain = {f"{digits}0000000001" for digits in ("bb", "cc", "dd", "ee")} | {ROOT}
    # Its first own message is of a session of its own: a node in another's place is none.
    assert set(nodes(home.home)) == set(ledgers(home)) == chain
    assert {name: ledgers(home)[name] for name in before} == before
    agree(home.home)


async def test_a_chain_whose_parent_is_missing(parent: Parent) -> None:
    """What the fork has by itself goes on; with the parent's ledger back all of it is there."""
    home = parent.home.copy("orphan")
    await forked(home, "bb", "--fork", ROOT, "Beside")
    root = home.paths.ledger(ROOT).read_bytes()
    way = [*parent.messages, asked("Beside"), answered("From bb")]
    # The database still has what the parent said.
    home.paths.ledger(ROOT).unlink()
    body = await forked(home, "cc", "--resume", "bb00", "And now?")
    assert body == with_messages(parent.body, [*way, asked("And now?")])
    way += [asked("And now?"), answered("From cc")]
    # Made anew from the ledgers that are left, it hasn't: the fork says so and goes on.
    without(home)
    async with Wire([Say("From dd")]) as endpoint:
        ran = await home.plugged(endpoint, Plug("dd"), "--resume", "bb00", "Still there?")
        assert (ran.code, endpoint.violations) == (0, []), ran.err
    assert "can't be read and" in ran.err
    assert "Traceback" not in ran.err
    assert said(endpoint.bodies[0]) == said_in([*way[10:], asked("Still there?")])
    way += [asked("Still there?"), answered("From dd")]
    home.paths.ledger(ROOT).write_bytes(root)
    body = await forked(home, "ee", "--resume", "bb00", "And now?")
    assert body == with_messages(parent.body, [*way, asked("And now?")])
    agree(home.home)


def said(body: bytes) -> list[tuple[str, str]]:
    """Who said what in a request."""
    return said_in(json.loads(body)["messages"])


def said_in(messages: Sequence[Body]) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in messages]


def test_the_parent_was_never_touched(parent: Parent) -> None:
    """The session all these forked from is what it was."""
    assert list(ledgers(parent.home)) == [ROOT]
    assert len(parent.home.lines()) == 10
    agree(parent.home.home)
