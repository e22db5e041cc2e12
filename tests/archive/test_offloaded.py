"""Where contents are that were moved to files: kept with each row, over nodes and new processes."""

import sqlite3
from contextlib import closing
from pathlib import Path

from app.archive.database import Database
from app.archive.ledger import Ledger
from app.archive.load import load_node
from app.archive.nodes import NodeStart
from app.archive.recorder import Recorder
from app.archive.schema import MIGRATIONS, migrate, version_of
from app.conversation.history import History
from app.conversation.messages import TextPart
from app.conversation.offloaded import Offloaded
from app.conversation.standing import Standing
from tests.archive.recording import EN, NODE, agrees, result, rows, step, user

FILE = Offloaded(f".haima/tool-outputs/{NODE}/001-read_file.txt", 40_000, 39_000, 7, "00ff")
OTHER = Offloaded(f".haima/tool-outputs/{NODE}/002-read_file.txt", 9_000, 9_000, 1, "11aa")


async def begun(ledger: Ledger, projection: Database | None = None) -> Recorder:
    """Two calls, the second answered first."""
    recorder = Recorder(History(), ledger, NODE, projection=projection)
    await recorder.begin(NodeStart(chain=NODE, project="/p"))
    await recorder.append(user("u1"))
    await recorder.append(step("a1", "c1", "c2"))
    return recorder


async def test_a_result_comes_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / f"{NODE}.jsonl"
    with Ledger.open(path) as ledger:
        recorder = await begun(ledger)
        await recorder.append(result("t1", "c1", "the note"), file=FILE)
        await recorder.append(result("t2", "c2"))
        assert dict(recorder.files) == {"t1": FILE}
        assert recorder.standings == {"t1": Standing("offloaded")}
        agrees(recorder, path)
    row = next(row for row in rows(path) if row.data.get("offloaded"))
    assert row.data["offloaded"] == FILE.to_data()
    assert "raw" not in row.data


async def test_what_waits_for_its_turn_keeps_its_file(tmp_path: Path) -> None:
    """A process that dies between two parallel results has the file of the one that is there."""
    path = tmp_path / f"{NODE}.jsonl"
    database = await Database.open(tmp_path / "haima.db", tmp_path)
    with Ledger.open(path) as ledger:
        recorder = await begun(ledger, database)
        await recorder.append(result("t2", "c2", "the note"), file=FILE)
        agrees(recorder, path)
    loaded = await database.run(lambda connection: load_node(connection, NODE, EN))
    assert [message.id for message in loaded.waiting] == ["t2"]
    assert loaded.files == {"t2": FILE}
    assert loaded.standings == {"t2": Standing("offloaded")}
    with Ledger.open(path) as ledger:
        again = Recorder(
            loaded.history,
            ledger,
            NODE,
            waiting=loaded.waiting,
            standings=loaded.standings,
            files=loaded.files,
            projection=database,
        )
        await again.append(result("t1", "c1"))
        assert [message.id for message in again.history] == ["u1", "a1", "t1", "t2"]
        assert again.standings["t2"].state == "offloaded"
        agrees(again, path)
    await database.close()


async def test_the_file_stays_whatever_becomes_of_the_body(tmp_path: Path) -> None:
    """Cleared, undone, in a child, in a fork, and read back by another process."""
    path, fork_path = tmp_path / f"{NODE}.jsonl", tmp_path / "ffffffffffff.jsonl"
    database = await Database.open(tmp_path / "haima.db", tmp_path)
    with Ledger.open(path) as ledger, Ledger.open(fork_path) as its_own:
        recorder = await begun(ledger, database)
        await recorder.append(result("t1", "c1", "the note"), file=FILE)
        await recorder.append(result("t2", "c2", "long"))
        await recorder.replace("t2", (TextPart("note"),), state="offloaded", file=OTHER)
        await recorder.replace("t1", (TextPart("pointer"),), state="cleared")
        await recorder.replace("t2", (TextPart("pointer"),), state="cleared")
        assert dict(recorder.files) == {"t1": FILE, "t2": OTHER}
        agrees(recorder, path)
        fork = Recorder(
            History(recorder.history.messages),
            its_own,
            "ffffffffffff",
            standings=dict(recorder.standings),
            files=dict(recorder.files),
            projection=database,
        )
        await fork.begin(NodeStart(chain=NODE, parent=NODE, relation="fork", layout=fork.layout()))
        agrees(fork, path, fork_path)
        child = NodeStart(chain=NODE, parent=NODE, relation="summary", layout=recorder.layout()[1:])
        await recorder.begin(child, "eeeeeeeeeeee")
        assert dict(recorder.files) == {"t1": FILE, "t2": OTHER}
        agrees(recorder, path)
        for node in (NODE, "ffffffffffff", "eeeeeeeeeeee"):
            found = await database.run(lambda c, node=node: load_node(c, node, EN))  # type: ignore[misc]
            assert found.files == {"t1": FILE, "t2": OTHER}
    await database.close()


async def test_what_leaves_the_history_takes_its_file_along(tmp_path: Path) -> None:
    path = tmp_path / f"{NODE}.jsonl"
    with Ledger.open(path) as ledger:
        recorder = await begun(ledger)
        await recorder.append(result("t1", "c1", "the note"), file=FILE)
        await recorder.append(result("t2", "c2"))
        await recorder.begin(
            NodeStart(
                chain=NODE,
                parent=NODE,
                relation="summary",
                layout=recorder.layout()[:1],
            ),
            "eeeeeeeeeeee",
        )
        assert dict(recorder.files) == {}
        agrees(recorder, path)


async def test_a_file_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    path = tmp_path / f"{NODE}.jsonl"
    with Ledger.open(path) as ledger:
        recorder = await begun(ledger)
        await recorder.append(result("t1", "c1", "the note"), file=FILE)
        await recorder.append(result("t2", "c2"))
    path.write_bytes(path.read_bytes().replace(b'"sha256"', b'"sha999"'))
    database = await Database.open(tmp_path / "haima.db", tmp_path)
    await database.catch_up()
    loaded = await database.run(lambda connection: load_node(connection, NODE, EN))
    assert (loaded.files, loaded.standings, loaded.skipped) == ({}, {}, 0)
    assert loaded.history[2].text == "the note"
    await database.close()


def test_a_database_of_the_version_before_is_brought_up(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "old.db", isolation_level=None)) as connection:
        migrate(connection, MIGRATIONS[:1])
        connection.execute("INSERT INTO ledgers VALUES ('l', 'l', 1, 1, '')")
        connection.execute(
            """INSERT INTO nodes (id, chain, ledger, conversation, project, mode, model, version,
            branch, created, used) VALUES ('n', 'l', 'l', 'main', '', '', '', '', '', '', '')"""
        )
        connection.execute(
            """INSERT INTO messages (chain, id, node, ledger, seq, part, role, at, content)
            VALUES ('l', 'm', 'n', 'l', 1, 0, 'user', '', '{}')"""
        )
        migrate(connection)
        assert version_of(connection) == len(MIGRATIONS)
        assert connection.execute("SELECT id, offloaded FROM messages").fetchall() == [("m", None)]
