"""What may have become of the files meanwhile: going on says so in one sentence, and loses nothing.

Each case damages a home in which two turns were had, then goes on with `--continue` in a process of
its own. The ledgers are the truth: what they still hold is what the model sees, byte for byte.
"""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.archive.schema import TABLES, VERSION
from app.text import Key
from tests.endpoint import Call, Say, Tokens
from tests.endpoint.script import Body
from tests.scenarios.plug import EN, Home, Wire, agree, note_of, with_messages
from tests.scenarios.plugged import Plug
from tests.scenarios.support import Place, Ran

TALK = (
    Say("I look.", calls=(Call("read_file", {"path": "calc.py"}),), usage=Tokens(2_000, 40)),
    Say("It adds. \u2028 海马", usage=Tokens(2_300, 10, 2_000)),
    Say("You are welcome."),
)
LAST = Say("And so on.")
FIRST, SECOND, THIRD = "What does it do? \u2028 \x85 海马", "Thanks", "Go on"
# The rows: 1 node, 2 user, 3 assistant with a call, 4 usage, 5 result, 6 assistant, 7 usage,
# 8 user, 9 assistant.
ROWS = 9


@dataclass(frozen=True)
class Kept:
    """A home in which two turns were had.

    Attributes:
        home: as it was left.
        body: the request that goes on with it.
    """

    home: Home
    body: bytes

    @property
    def messages(self) -> list[Body]:
        """The messages of that request."""
        return list(json.loads(self.body)["messages"])


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """The home, and what a copy of it sends next."""
    checkout = Place(tmp_path_factory.mktemp("damage")).root
    home = Home(checkout, checkout.with_name("kept"))

    async def talk() -> bytes:
        async with Wire(TALK) as endpoint:
            ran = await home.plugged(endpoint, Plug(), "--lines", stdin=f"{FIRST}\n{SECOND}\n")
            assert ran.code == 0, ran.err
        ran, bodies = await going_on(home.copy("control"))
        assert ran.code == 0, ran.err
        return bodies[0]

    body = asyncio.run(talk())
    assert len(home.lines()) == ROWS
    return Kept(home, body)


async def going_on(home: Home, *arguments: str, plug: Plug = Plug("bb")) -> tuple[Ran, list[bytes]]:  # noqa: B008 - frozen
    """`haima run --continue` with the third prompt; how it ended, and its requests."""
    async with Wire([LAST]) as endpoint:
        ran = await home.plugged(endpoint, plug, *(arguments or ("--continue",)), THIRD)
        assert endpoint.violations == []
    assert "Traceback" not in ran.err + ran.out
    return ran, endpoint.bodies


def ledger_of(home: Home) -> Path:
    """Its only ledger."""
    (ledger,) = home.ledgers
    return ledger


def rewritten(home: Home, change: Callable[[list[bytes]], list[bytes]]) -> None:
    """Changes the lines of the ledger."""
    ledger = ledger_of(home)
    ledger.write_bytes(b"".join(change(ledger.read_bytes().splitlines(keepends=True))))


def without(*numbers: int) -> Callable[[list[bytes]], list[bytes]]:
    """These lines, counted from 1, become garbage that is no UTF-8."""
    return lambda lines: [
        b"\xff\xfe garbage\n" if number in numbers else line
        for number, line in enumerate(lines, start=1)
    ]


def plain(lines: list[bytes]) -> list[bytes]:
    """Written again by a program that doesn't escape: line separators stand there as they are."""
    return [json.dumps(json.loads(line), ensure_ascii=False).encode() + b"\n" for line in lines]


@dataclass(frozen=True)
class Damage:
    """What is done to a ledger, and what comes of it.

    Attributes:
        change: of its lines.
        says: a part of what is told on stderr; "" where nothing needs telling.
        left: how many messages of the undamaged request are left, the new prompt apart.
        note: `left` ends with a call whose result has this text in its place.
    """

    change: Callable[[list[bytes]], list[bytes]]
    says: str = ""
    left: int = 6
    note: Key | None = None


# Messages of the request: system, user, assistant with a call, result, answer, user "Thanks",
# answer; the new prompt comes behind.
LEDGERS = {
    "half-a-row": Damage(lambda lines: [*lines, lines[-1][:40]], "cut by a crash", 7),
    "last-row-torn": Damage(lambda lines: [*lines[:-1], lines[-1][:-30]], "cut by a crash", 6),
    "no-line-end": Damage(lambda lines: [*lines[:-1], lines[-1][:-1]], "lacked its line end", 7),
    "zeroes": Damage(lambda lines: [*lines, b"\0" * 5_000], "cut by a crash", 7),
    "zeroes-and-half": Damage(
        lambda lines: [*lines[:-1], lines[-1][:30], b"\0" * 5_000], "cut by a crash", 6
    ),
    "line-separators": Damage(plain, "exchanged, cut or came back", 7),
    "garbage-between": Damage(
        lambda lines: [*lines[:4], b"\xff\xc3(\n", *lines[4:]], "exchanged, cut or came back", 7
    ),
    "shrunk": Damage(lambda lines: lines[:5], "exchanged, cut or came back", 4),
    "shrunk-in-a-step": Damage(
        lambda lines: lines[:4], "exchanged, cut or came back", 4, "agent.interrupted_earlier"
    ),
    "a-result-lost": Damage(
        without(5), "1 result of this session is lost", 7, "ledger.result_lost"
    ),
}


@pytest.mark.parametrize("name", LEDGERS)
async def test_a_damaged_ledger(kept: Kept, name: str) -> None:
    """FIELD 31: what is whole in it is what the model sees."""
    damage, home = LEDGERS[name], kept.home.copy(name)
    rewritten(home, damage.change)
    damaged = ledger_of(home).read_bytes()
    ran, (body,) = await going_on(home)
    assert ran.code == 0, ran.err
    assert ran.out == "And so on.\n"
    assert (damage.says in ran.err) == bool(damage.says), ran.err
    messages = kept.messages[: damage.left]
    if damage.note:
        messages[3] = note_of(messages[2]["tool_calls"][0], damage.note)
    if messages[-1]["role"] == "user":
        messages[-1] = {**messages[-1], "content": f"{messages[-1]['content']}\n\n{THIRD}"}
    else:
        messages.append({"role": "user", "content": THIRD})
    assert body == with_messages(kept.body, messages)
    # Nothing that lay there is gone: it is in the ledger still, or in a file beside it.
    beside = b"".join(path.read_bytes() for path in ledger_of(home).parent.glob("*.jsonl.torn-*"))
    now = ledger_of(home).read_bytes()
    assert all(line in now + beside for line in damaged.split(b"\n"))


@pytest.mark.parametrize("name", ["half-a-row", "shrunk", "a-result-lost"])
async def test_what_was_put_right_is_told_once(kept: Kept, name: str) -> None:
    """What stays lost is told each time."""
    damage, home = LEDGERS[name], kept.home.copy(f"{name}-again")
    rewritten(home, damage.change)
    told = []
    for ids in ("bb", "cc"):
        ran, _ = await going_on(home, plug=Plug(ids))
        assert ran.code == 0
        told.append(damage.says in ran.err)
    assert told == [True, name == "a-result-lost"]


async def test_a_message_lost_in_the_middle(kept: Kept) -> None:
    """The user's first message can't be read: it is missed and said, all others are there."""
    home = kept.home.copy("no-first-message")
    rewritten(home, without(2))
    ran, (body,) = await going_on(home)
    assert ran.code == 0, ran.err
    assert "exchanged, cut or came back" in ran.err
    system, _, *others = kept.messages
    assert json.loads(body)["messages"] == [system, *others]


async def test_a_removed_ledger(kept: Kept) -> None:
    """It isn't gone on with as if it were empty; what the database has can still be read."""
    home = kept.home.copy("removed")
    ledger = ledger_of(home)
    rows = ledger.read_bytes()
    ledger.unlink()
    ran, bodies = await going_on(home)
    assert (ran.code, ran.out, bodies) == (1, "", [])
    told = EN("session.ledger_short", node=ledger.stem[:4], path=ledger)
    assert ran.err == f"haima: {told}\n"
    assert not ledger.exists()
    shown = await home.haima("sessions", "export", ledger.stem, "--format", "openai")
    assert shown.code == 0, shown.err
    assert SECOND in shown.out
    ledger.write_bytes(rows)
    ran, bodies = await going_on(home)
    assert (ran.code, bodies) == (0, [kept.body])
    agree(home.home)


def garbage(path: Path) -> None:
    """No database at all."""
    forget(path)
    path.write_bytes(b"\xff" * 9_000)


def forget(path: Path) -> None:
    """Removed with what lies beside it."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def torn(path: Path) -> None:
    """Its pages end in the middle."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2 + 100)


def emptied(path: Path) -> None:
    """Without a byte."""
    forget(path)
    path.touch()


def of_version(path: Path, version: int) -> None:
    """Another Haima's."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")


def oldest(path: Path) -> None:
    """As the first step of the migrations finds it."""
    forget(path)
    of_version(path, 0)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")


def behind(path: Path) -> None:
    """As it was before the second turn."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM entries")
        for table in reversed(TABLES):
            connection.execute(f"DELETE FROM {table}")
        connection.commit()


DATABASES: dict[str, tuple[Callable[[Path], None], str]] = {
    "deleted": (forget, ""),
    "emptied": (emptied, ""),
    "oldest": (oldest, ""),
    "behind": (behind, ""),
    "garbage": (garbage, "made anew from the ledgers"),
    "torn": (torn, "made anew from the ledgers"),
}


@pytest.mark.parametrize("name", DATABASES)
async def test_a_damaged_database_is_made_anew(kept: Kept, name: str) -> None:
    """FIELD 31: the request is the same to the byte, whatever the database was."""
    damage, says = DATABASES[name]
    home = kept.home.copy(f"db-{name}")
    damage(home.paths.database)
    ran, bodies = await going_on(home)
    assert (ran.code, ran.out, bodies) == (0, "And so on.\n", [kept.body]), ran.err
    assert ("database" in ran.err) == bool(says), ran.err
    assert says in ran.err
    assert bool(list(home.home.glob("haima.db.corrupt-*"))) == bool(says)
    agree(home.home)


async def test_a_newer_database_is_left_alone(kept: Kept) -> None:
    """Nothing is gone on with, and nothing is changed; a new session can be had all the same."""
    home = kept.home.copy("db-newer")
    of_version(home.paths.database, 99)
    before = home.paths.database.read_bytes()
    ran, bodies = await going_on(home)
    assert (ran.code, ran.out, bodies) == (1, "", [])
    path = home.paths.database
    told = EN("database.newer", path=path, version=99, known=VERSION)
    assert ran.err == f"haima: {told}\n"
    ran, bodies = await going_on(
        home, "--project", ".", plug=Plug("bb", at="2026-11-29T13:00:00+00:00")
    )
    assert (ran.code, ran.out, len(bodies)) == (0, "And so on.\n", 1), ran.err
    assert "newer Haima" in ran.err
    assert home.paths.database.read_bytes() == before
    of_version(home.paths.database, VERSION)
    ran, bodies = await going_on(home, plug=Plug("cc", at="2026-11-30T12:00:00+00:00"))
    assert ran.code == 0
    assert json.loads(bodies[0])["messages"][-3]["content"] == THIRD
    agree(home.home)


def writable(home: Home, yes: bool) -> None:
    """The database may be written, or only read."""
    for file in home.home.glob("haima.db*"):
        file.chmod(0o600 if yes else 0o400)


async def test_a_database_that_can_only_be_read(kept: Kept) -> None:
    """It goes on once; then the database lacks what was said, and nothing is sent without that."""
    home = kept.home.copy("db-read-only")
    writable(home, False)
    ran, bodies = await going_on(home, plug=Plug("bb", humble=True))
    told = EN("database.denied", path=home.paths.database)
    assert (ran.code, ran.out, bodies) == (0, "And so on.\n", [kept.body])
    assert told in ran.err
    ran, bodies = await going_on(home, plug=Plug("cc", humble=True))
    assert (ran.code, ran.out, bodies) == (1, "", [])
    assert ran.err == f"haima: {told}\n"
    writable(home, True)
    ran, bodies = await going_on(home, plug=Plug("dd"))
    assert ran.code == 0, ran.err
    assert json.loads(bodies[0])["messages"] == [
        *kept.messages,
        {"role": "assistant", "content": "And so on."},
        {"role": "user", "content": THIRD},
    ]
    agree(home.home)
