"""The database of a running session: it follows the ledgers, and trouble with it costs nothing."""

import asyncio
import errno
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from app.archive.database import Database
from app.archive.health import check
from app.archive.ledger import Ledger
from app.archive.load import load_node
from app.archive.nodes import NodeStart
from app.archive.recorder import Recorder
from app.archive.rows import Row
from app.archive.schema import VERSION, NewerDatabase
from app.archive.sessions import NodeNotFound
from app.archive.trouble import DatabaseTrouble
from app.conversation.history import History
from app.conversation.messages import TextPart
from app.errors import HaimaError
from app.paths import Paths
from app.ports import Usage
from app.storage.faults import FaultPoint, install
from app.text import Words
from tests.archive.recording import EN, result, same, step, user
from tests.archive.tables import ROOT, File, assert_same_as_built, stamp, table


class Home:
    """The paths of a home, and what its databases reported.

    Attributes:
        told: each trouble and repair.
    """

    def __init__(self, folder: Path) -> None:
        paths = Paths(folder / ".haima")
        self.path = paths.database
        self.ledgers = paths.ledgers
        self.told: list[HaimaError] = []

    @asynccontextmanager
    async def database(self) -> AsyncIterator[Database]:
        database = await Database.open(self.path, self.ledgers, report=self.told.append)
        try:
            yield database
        finally:
            await database.close()

    @property
    def keys(self) -> list[str]:
        return [error.key for error in self.told]

    def connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, isolation_level=None, timeout=0)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


async def recorded(ledger: Ledger, database: Database, node: str = ROOT) -> Recorder:
    """A session that has begun."""
    recorder = Recorder(History(), ledger, node, projection=database)
    await recorder.begin(NodeStart(chain=node, project="/p", model="m"))
    return recorder


async def say(recorder: Recorder, *texts: str) -> None:
    for text in texts:
        await recorder.append(user(f"{recorder.node}-{text}", text))


def messages(connection: sqlite3.Connection) -> list[object]:
    return [row[1] for row in table(connection, "messages", "seq, id")]


async def test_it_follows_a_recorder(home: Home) -> None:
    async with home.database() as database:
        with Ledger.open(home.ledgers / f"{ROOT}.jsonl") as ledger:
            recorder = await recorded(ledger, database)
            await say(recorder, "u1")
            await recorder.append(step("a1", "c1", "c2"))
            await recorder.append(result("t2", "c2"), raw=b"\xff")
            await recorder.append(result("t1", "c1"))
            await recorder.usage(Usage(prompt=10, completion=2), message="a1", model="m")
            await recorder.replace("t1", (TextPart("(cleared)"),), state="cleared")
            loaded = await database.run(lambda db: load_node(db, ROOT, EN))
            assert same(loaded.history, recorder.history)
            assert loaded.standings == recorder.standings
            assert loaded.last_seq == ledger.seq
        assert database.trouble is None
        assert database.repairs == ()
    assert home.told == []
    assert_same_as_built(home.path, home.ledgers)


async def test_only_the_user_can_read_it(home: Home) -> None:
    before = os.umask(0)
    try:
        async with home.database() as database:
            with Ledger.open(home.ledgers / f"{ROOT}.jsonl") as ledger:
                await recorded(ledger, database)
                files = sorted(home.path.parent.glob("haima.db*"))
                assert [file.name for file in files] == ["haima.db", "haima.db-shm", "haima.db-wal"]
                assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
            modes = await database.run(
                lambda db: [
                    db.execute(f"PRAGMA {name}").fetchone()[0]
                    for name in ("journal_mode", "foreign_keys", "busy_timeout", "synchronous")
                ]
            )
            assert modes == ["wal", 1, 5000, 1]
    finally:
        os.umask(before)
    home.path.chmod(0o644)
    async with home.database():
        assert stat.S_IMODE(home.path.stat().st_mode) == 0o600


async def test_rows_that_are_lacking_are_taken_in_first(home: Home) -> None:
    file = File(home.ledgers)
    file.say(user("u1"), user("u2"))
    async with home.database() as database:
        row = file.row("error", {"code": "model", "text": "x"})
        await database.commit(file.name, row, file.size)
        await database.commit(file.name, row, file.size)
        assert await database.run(messages) == ["u1", "u2"]
        assert len(await database.run(lambda db: table(db, "failures"))) == 1
    assert_same_as_built(home.path, home.ledgers)


async def test_a_ledger_that_was_removed_and_begun_again(home: Home) -> None:
    """Its first rows have numbers that were used: they are in it nevertheless."""
    File(home.ledgers).say(user("u1"), user("u2"), user("u3"))
    async with home.database() as database:
        await database.catch_up()
        (home.ledgers / f"{ROOT}.jsonl").unlink()
        with Ledger.open(home.ledgers / f"{ROOT}.jsonl") as ledger:
            recorder = await recorded(ledger, database)
            await say(recorder, "new")
            assert await database.run(messages) == [f"{ROOT}-new"]
    assert_same_as_built(home.path, home.ledgers)


async def test_catching_up_lets_others_come_between(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.archive.intake.PIECE", 1)
    monkeypatch.setattr("app.archive.intake.take_piece.__defaults__", (1,))
    file = File(home.ledgers)
    file.say(*(user(f"u{number}") for number in range(50)))
    async with home.database() as database:
        catching = asyncio.ensure_future(database.catch_up())
        seen = [len(await database.run(messages)) for _ in range(10)]
        done = await catching
        assert seen[0] < seen[-1] < 50
        assert (done.ledgers, done.taken.rows) == (1, 50)
        assert (await database.catch_up()).ledgers == 0


async def test_a_fork_is_taken_in_after_what_it_builds_on(home: Home) -> None:
    root = File(home.ledgers)
    root.say(user("u1"))
    async with home.database() as database:
        fork = File(home.ledgers, "bbbbbbbbbbbb")
        data = {"chain": ROOT, "parent": ROOT, "relation": "fork", "layout": ["u1"]}
        await database.commit(fork.name, fork.row("node", data), fork.size)
        assert await database.run(lambda db: table(db, "nodes", "id, lost")) == [
            (ROOT, 0),
            ("bbbbbbbbbbbb", 0),
        ]


async def test_a_newer_file_is_refused_and_stays_as_it_is(home: Home) -> None:
    async with home.database():
        pass
    with closing(home.connect()) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = home.path.read_bytes()
    with pytest.raises(NewerDatabase) as caught:
        await Database.open(home.path, home.ledgers)
    assert home.path.read_bytes() == before
    assert sorted(file.name for file in home.path.parent.iterdir()) == ["haima.db"]
    assert str(home.path) in str(caught.value)
    facts = check(home.path, home.ledgers)
    assert (facts.newer, facts.version) == (True, VERSION + 1)
    assert sorted(file.name for file in home.path.parent.iterdir()) == ["haima.db"]


def drop_a_table(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DROP TABLE entries")


DAMAGE: dict[str, Callable[[Path], object]] = {
    "text": lambda path: path.write_text("no database\n" * 500),
    "header": lambda path: path.write_bytes(b"\xff" * 100 + path.read_bytes()[100:]),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:5000]),
    "zeroed": lambda path: path.write_bytes(path.read_bytes()[:4096] + bytes(60_000)),
    "tables": drop_a_table,
}


@pytest.mark.parametrize("how", DAMAGE)
async def test_a_damaged_file_is_put_aside_and_made_anew(home: Home, how: str) -> None:
    file = File(home.ledgers)
    file.say(*(user(f"u{number}") for number in range(200)))
    async with home.database() as database:
        await database.catch_up()
    DAMAGE[how](home.path)
    damaged = home.path.read_bytes()
    async with home.database() as database:
        await database.catch_up()
        assert len(await database.run(messages)) == 200
        assert [repair.key for repair in database.repairs] == ["database.damaged"]
    assert home.keys == ["database.damaged"]
    (aside,) = home.path.parent.glob("haima.db.corrupt-*")
    assert aside.name in str(home.told[0])
    if how != "tables":
        assert aside.read_bytes() == damaged
    assert_same_as_built(home.path, home.ledgers)
    assert check(home.path, home.ledgers).aside == (aside,)


async def test_an_empty_file_is_no_damage(home: Home) -> None:
    File(home.ledgers).say(user("u1"))
    home.path.write_bytes(b"")
    async with home.database() as database:
        await database.catch_up()
        assert await database.run(messages) == ["u1"]
    assert home.told == []


async def test_damage_while_it_is_open_loses_nothing(home: Home) -> None:
    async with home.database() as database:
        with Ledger.open(home.ledgers / f"{ROOT}.jsonl") as ledger:
            recorder = await recorded(ledger, database)
            await say(recorder, *map(str, range(100)))
            await database.run(lambda db: db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())
            size = home.path.stat().st_size
            with home.path.open("r+b") as file:
                file.write(b"\xff" * size)
            await database.run(lambda db: db.execute("PRAGMA shrink_memory").fetchall())
            for number in range(100, 104):
                await say(recorder, str(number))
            assert len(recorder.history) == 104
            assert database.trouble is None
            assert len(await database.run(messages)) == 104
    assert home.keys[-1] == "database.damaged"
    assert_same_as_built(home.path, home.ledgers)


async def test_a_damaged_file_others_have_open_is_left_to_them(home: Home) -> None:
    File(home.ledgers).say(user("u1"))
    async with home.database() as database:
        await database.catch_up()
    holder = hold(home.path, "SELECT count(*) FROM messages")
    try:
        home.path.write_bytes(b"\xff" * 8192)
        async with home.database() as database:
            assert isinstance(database.trouble, DatabaseTrouble)
            assert home.keys == ["database.damaged_in_use"]
            assert not list(home.path.parent.glob("*.corrupt-*"))
    finally:
        release(holder)
    async with home.database() as database:
        await database.catch_up()
        assert await database.run(messages) == ["u1"]


def hold(path: Path, statement: str) -> subprocess.Popen[str]:
    """Another process that has done something with the file and keeps it open."""
    code = (
        "import sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute(sys.argv[2]).fetchall()\n"
        "print('ready', flush=True)\n"
        "sys.stdin.readline()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path), statement],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def release(process: subprocess.Popen[str]) -> None:
    process.communicate("\n", timeout=20)


async def test_a_file_that_is_locked_is_made_good_later(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.archive.opening.PATIENCE", 0.2)
    async with home.database() as database:
        with Ledger.open(home.ledgers / f"{ROOT}.jsonl") as ledger:
            recorder = await recorded(ledger, database)
            holder = hold(home.path, "BEGIN IMMEDIATE")
            try:
                await say(recorder, "u1", "u2")
                assert [message.text for message in recorder.history] == ["u1", "u2"]
                assert isinstance(database.trouble, DatabaseTrouble)
            finally:
                release(holder)
            assert home.keys == ["database.busy"]
            await say(recorder, "u3")
            assert database.trouble is None
            timeout = await database.run(lambda db: db.execute("PRAGMA busy_timeout").fetchone())
            assert timeout == (5000,)
            assert await database.run(messages) == [f"{ROOT}-u{n}" for n in (1, 2, 3)]
    assert home.keys == ["database.busy"]
    assert_same_as_built(home.path, home.ledgers)


async def test_a_full_disk_is_told_once_and_made_good(home: Home) -> None:
    async with home.database() as database:
        with Ledger.open(home.ledgers / f"{ROOT}.jsonl") as ledger:
            recorder = await recorded(ledger, database)
            pages = await database.run(lambda db: db.execute("PRAGMA page_count").fetchone()[0])
            await database.run(lambda db: db.execute(f"PRAGMA max_page_count = {pages}").fetchone())
            await say(recorder, "u1", *("word " * 9_000 + str(n) for n in range(3)))
            assert len(recorder.history) == 4
            assert home.keys == ["database.full"]
            with pytest.raises(NodeNotFound):
                await database.run(lambda db: load_node(db, "cccccccccccc", EN))
            await database.run(lambda db: db.execute("PRAGMA max_page_count = 99999").fetchone())
            await say(recorder, "u5")
            assert database.trouble is None
            assert len(await database.run(messages)) == 5
    assert home.keys == ["database.full"]
    assert_same_as_built(home.path, home.ledgers)


FULL = """
import asyncio, resource, sys
from pathlib import Path
from app.archive.database import Database
from app.archive.ledger import Ledger

async def main():
    told = []
    path, ledgers = Path(sys.argv[1]), Path(sys.argv[2])
    database = await Database.open(path, ledgers, report=told.append)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
    with Ledger.open(ledgers / "aaaaaaaaaaaa.jsonl") as ledger:
        for _ in range(170):
            data = {"code": "model", "text": "x" * 1000}
            row = ledger.write("error", data, node="aaaaaaaaaaaa")
            await database.commit(ledger.name, row, ledger.size)
    await database.close()
    print({error.code for error in told}, database.trouble is not None)

asyncio.run(main())
"""


async def test_a_limit_of_the_system_is_trouble_and_no_crash(home: Home) -> None:
    home.ledgers.mkdir(parents=True)
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", FULL, str(home.path), str(home.ledgers)],
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("{'database'} True\n", "")
    async with home.database() as database:
        assert (await database.catch_up()).taken.rows > 0
        assert len(await database.run(lambda db: table(db, "failures"))) == 170
    assert_same_as_built(home.path, home.ledgers)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
async def test_a_read_only_folder_is_told_and_costs_nothing(home: Home, tmp_path: Path) -> None:
    ledgers = tmp_path / "ledgers"
    home.path.parent.mkdir(mode=0o500)
    try:
        database = await Database.open(home.path, ledgers, report=home.told.append)
        with Ledger.open(ledgers / f"{ROOT}.jsonl") as ledger:
            recorder = await recorded(ledger, database)
            await say(recorder, "u1")
            assert len(recorder.history) == 1
        await database.close()
    finally:
        home.path.parent.chmod(0o700)
    assert home.keys == ["database.denied"]


@pytest.mark.parametrize(
    ("number", "key"),
    [
        (errno.EACCES, "denied"),
        (errno.EROFS, "denied"),
        (errno.ENOSPC, "full"),
        (errno.EIO, "failed"),
    ],
)
async def test_what_the_system_refuses_is_told(
    home: Home, monkeypatch: pytest.MonkeyPatch, number: int, key: str
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("app.archive.opening.open_private", refuse)
    async with home.database() as database:
        with Ledger.open(home.ledgers / f"{ROOT}.jsonl") as ledger:
            recorder = await recorded(ledger, database)
            await say(recorder, "u1")
            assert len(recorder.history) == 1
            monkeypatch.undo()
            await say(recorder, "u2")
            assert len(await database.run(messages)) == 2
    assert home.keys == [f"database.{key}"]
    assert home.told[0].sentence(Words("zh")) != home.told[0].sentence(EN)


async def test_a_folder_in_its_place_is_trouble(home: Home) -> None:
    home.path.mkdir(parents=True)
    async with home.database() as database:
        with Ledger.open(home.ledgers / f"{ROOT}.jsonl") as ledger:
            recorder = await recorded(ledger, database)
            await say(recorder, "u1", "u2")
            assert len(recorder.history) == 2
            with pytest.raises(HaimaError):
                await database.run(messages)
            home.path.rmdir()
            await say(recorder, "u3")
            assert len(await database.run(messages)) == 3
    assert len(home.told) == 1


async def test_a_transaction_of_a_failing_reader_is_undone(home: Home) -> None:
    def failing(connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN")
        connection.execute("INSERT INTO ledgers (name, chain, seq, size) VALUES ('a', '', 1, 1)")
        connection.execute("SELECT nothing FROM nowhere")

    async with home.database() as database:
        with pytest.raises(DatabaseTrouble):
            await database.run(failing)
        assert await database.run(lambda db: table(db, "ledgers")) == []
        assert not await database.run(lambda db: db.in_transaction)


async def test_a_rebuilt_database_is_the_same(home: Home, tmp_path: Path) -> None:
    async with home.database() as database:
        with Ledger.open(home.ledgers / f"{ROOT}.jsonl") as ledger:
            recorder = await recorded(ledger, database)
            await say(recorder, "u1", "u2")
            await database.run(lambda db: db.execute("UPDATE nodes SET title = 'wrong'"))
            with closing(home.connect()) as other:
                seen = other.execute("SELECT title FROM nodes").fetchone()
                done = await database.rebuild()
                assert (done.ledgers, done.taken.rows) == (1, 3)
                assert seen == ("wrong",)
                assert other.execute("SELECT title FROM nodes").fetchone() == ("u1",)
                assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            await say(recorder, "u3")
            assert len(await database.run(messages)) == 3
    assert_same_as_built(home.path, home.ledgers)
    assert not list(home.path.parent.glob("haima.db.*"))


async def test_a_rebuild_that_fails_leaves_the_old_tables(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    File(home.ledgers).say(user("u1"))
    monkeypatch.setattr("app.archive.rebuilding._TRIES", 0)
    monkeypatch.setattr("app.archive.opening.PATIENCE", 0.2)
    async with home.database() as database:
        await database.catch_up()
        with closing(home.connect()) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(DatabaseTrouble) as caught:
                await database.rebuild()
            other.execute("ROLLBACK")
        assert caught.value.key == "database.busy"
        assert await database.run(messages) == ["u1"]
        assert not list(home.path.parent.glob("*rebuild*"))


async def test_a_commit_that_dies_in_the_transaction_is_not_in(home: Home) -> None:
    class Died(BaseException):
        """The process is gone."""

    def die(point: FaultPoint) -> None:
        if point == "database_transaction":
            raise Died

    file = File(home.ledgers)
    async with home.database() as database:
        row = file.row("error", {"code": "model", "text": "x"})
        uninstall = install(die)
        try:
            with pytest.raises(Died):
                await database.commit(file.name, row, file.size)
        finally:
            uninstall()
        assert await database.run(lambda db: table(db, "ledgers")) == []
        await database.commit(file.name, row, file.size)
        assert len(await database.run(lambda db: table(db, "failures"))) == 1


async def test_after_the_end_nothing_is_taken_in(home: Home) -> None:
    database = await Database.open(home.path, home.ledgers)
    await database.close()
    await database.close()
    await database.commit(ROOT, Row(1, stamp(1), "error", ROOT, "main", {}), 10)
    with closing(home.connect()) as connection:
        assert table(connection, "ledgers") == []


async def test_what_the_doctor_is_told(home: Home) -> None:
    facts = check(home.path, home.ledgers)
    assert (facts.exists, facts.size, facts.version, facts.sound) == (False, 0, None, None)
    assert facts.fault is None
    file = File(home.ledgers)
    file.say(user("u1"))
    async with home.database() as database:
        await database.catch_up()
        file.say(user("u2"))
        facts = check(home.path, home.ledgers)
    assert (facts.exists, facts.version, facts.known, facts.journal) == (
        True,
        VERSION,
        VERSION,
        "wal",
    )
    assert (facts.sound, facts.ledgers, facts.behind) == (True, 1, 1)
    assert facts.size >= home.path.stat().st_size
    assert facts.fts5 == any(
        "ENABLE_FTS5" in str(row)
        for row in sqlite3.connect(":memory:").execute("PRAGMA compile_options")
    )
    assert facts.sqlite == sqlite3.sqlite_version
    home.path.write_bytes(b"\xff" * 9_000)
    facts = check(home.path, home.ledgers)
    assert (facts.sound, facts.version) == (False, None)
    assert facts.fault is not None
    assert facts.fault.key == "database.damaged_now"


COMMITS = 200

WRITER = """
import asyncio, sys
from pathlib import Path
from app.archive.database import Database
from app.archive.ledger import Ledger
from app.archive.nodes import NodeStart
from app.archive.recorder import Recorder
from app.conversation.history import History
from app.conversation.messages import Message, TextPart

async def main():
    path, ledgers, node, count = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    told = []
    database = await Database.open(path, ledgers, report=told.append)
    with Ledger.open(ledgers / f"{node}.jsonl") as ledger:
        recorder = Recorder(History(), ledger, node, projection=database)
        await recorder.begin(NodeStart(chain=node, project="/p"))
        for number in range(count - 1):
            text = TextPart(f"{number} " + "word " * 50)
            await recorder.append(Message(f"{node}-{number}", "user", (text,)))
            if number % 50 == 0:
                await database.catch_up()
    await database.close()
    print([str(error) for error in told])

asyncio.run(main())
"""


def test_two_processes_write_to_one_database(home: Home) -> None:
    nodes = ("bbbbbbbbbbbb", "cccccccccccc")
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, home.path, home.ledgers, node, str(COMMITS)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for node in nodes
    ]
    for writer in writers:
        assert writer.communicate(timeout=100) == ("[]\n", "")
    with closing(home.connect()) as connection:
        assert table(connection, "nodes", "id, messages, skipped, lost") == [
            (node, COMMITS - 1, 0, 0) for node in nodes
        ]
        assert table(connection, "ledgers", "name, seq") == [(node, COMMITS) for node in nodes]
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert_same_as_built(home.path, home.ledgers)
