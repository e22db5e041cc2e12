"""Each kind of row in the tables; what can't be taken in costs that row only."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.archive.load import load_node
from app.archive.nodes import LayoutEntry, NodeStart
from app.archive.rows import encode_bytes
from app.archive.schema import (
    MIGRATIONS,
    VERSION,
    NewerDatabase,
    _summaries,
    migrate,
    storable,
    transaction,
    version_of,
)
from app.archive.usage import calls_of
from app.conversation.encoding import message_to_json
from app.conversation.messages import Message, TextPart
from tests.archive.recording import EN, result, step, user
from tests.archive.tables import ROOT, File, caught_up, connect, one, stamp, table


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    with closing(connect()) as connection:
        yield connection


@pytest.fixture
def file(folder: Path) -> File:
    return File(folder)


def entries(database: sqlite3.Connection, node: str = ROOT) -> list[str]:
    rows = database.execute("SELECT message FROM entries WHERE node = ? ORDER BY place", (node,))
    return [str(message) for (message,) in rows]


def node(database: sqlite3.Connection, columns: str, node: str = ROOT) -> list[object]:
    return list(one(database, f"SELECT {columns} FROM nodes WHERE id = ?", node))


def told(*messages: Message) -> list[object]:
    return [message_to_json(message) for message in messages]


def test_a_node_row(database: sqlite3.Connection, file: File) -> None:
    file.row(
        "node",
        {
            "chain": ROOT,
            "parent": None,
            "relation": None,
            "project": "/p",
            "mode": "react",
            "model": "m",
            "version": "0.1.0",
            "branch": "main",
            "tools": "abcabcabcabc",
            "layout": ["s1", ["u0", "live", True, None]],
            "messages": told(Message("s1", "system", (TextPart("You are Haima"),)), user("u0")),
            "recovery": {"message": "u0", "text": "known", "first": True},
            "fork_at": None,
            "fork_turn": None,
        },
    )
    caught_up(database, file.path.parent)
    assert node(database, "chain, parent, relation, ledger, conversation") == [
        *(ROOT, None, None, ROOT, "main")
    ]
    assert node(database, "project, mode, model, version, branch, tools, system") == [
        *("/p", "react", "m", "0.1.0", "main", "abcabcabcabc", "s1")
    ]
    assert node(database, "created, used, deleted, messages, turns, title") == [
        *(stamp(1), stamp(1), None, 0, 0, "")
    ]
    assert json.loads(str(node(database, "recovery")[0]))["text"] == "known"
    assert table(database, "messages", "id, node, ledger, seq, part, role, at") == [
        ("s1", ROOT, ROOT, 1, 0, "system", stamp(1)),
        ("u0", ROOT, ROOT, 1, 1, "user", stamp(1)),
    ]
    assert table(database, "entries", "message, place, state, pinned, body_seq") == [
        ("s1", 1, "live", 0, None),
        ("u0", 2, "live", 1, None),
    ]


def test_an_older_ledger_has_no_node_row(database: sqlite3.Connection, file: File) -> None:
    file.row("session", {"project": "/p", "model": "m", "version": "0.1.0"})
    file.say(user("u1"))
    file.row("clear", {"node": "bbbbbbbbbbbb"})
    file.say(user("u2", "again"), node="bbbbbbbbbbbb")
    caught_up(database, file.path.parent)
    assert node(database, "chain, parent, ledger, project, model, messages") == [
        *(ROOT, None, ROOT, "/p", "m", 1)
    ]
    assert node(database, "chain, ledger, project, model, title", "bbbbbbbbbbbb") == [
        *(ROOT, ROOT, "/p", "m", "again")
    ]


def test_a_session_row_changes_what_it_names(database: sqlite3.Connection, file: File) -> None:
    file.row("session", {"project": "/p", "model": "m", "version": "1", "branch": "main"})
    file.row("session", {"model": "n", "branch": "next", "project": 5})
    caught_up(database, file.path.parent)
    assert node(database, "project, model, version, branch, used") == [
        *("/p", "n", "1", "next", stamp(2))
    ]


def test_messages_with_bytes_and_outcome(database: sqlite3.Connection, file: File) -> None:
    file.say(user("u1"), step("a1", "c1", "c2", "c3"))
    big = bytes(range(256)) * 4_001
    outcome = {"ok": False, "seconds": 1.5, "characters": 3, "reason": "exit 1"}
    file.say(result("t2", "c2"), raw=encode_bytes(b"\xff\x00"), outcome=outcome)
    file.say(result("t1", "c1"), raw=encode_bytes(big))
    file.say(result("t3", "c3"), raw={"$bytes": "not base64!"}, outcome="none")
    caught_up(database, file.path.parent)
    found = dict(database.execute("SELECT id, raw FROM messages WHERE role = 'tool'"))
    assert found == {"t2": b"\xff\x00", "t1": big, "t3": None}
    stored = dict(database.execute("SELECT id, outcome FROM messages WHERE role = 'tool'"))
    assert json.loads(stored.pop("t2")) == outcome
    assert stored == {"t1": None, "t3": None}
    assert entries(database) == ["u1", "a1", "t2", "t1", "t3"]


@pytest.mark.parametrize("size", [0, 1, 2, 3, (1 << 18) // 4 * 3 - 1, (1 << 18) // 4 * 3 + 1])
def test_bytes_of_any_length(database: sqlite3.Connection, file: File, size: int) -> None:
    file.say(user("u1"), raw=encode_bytes(b"\xfe" * size))
    caught_up(database, file.path.parent)
    assert list(one(database, "SELECT raw FROM messages")) == [b"\xfe" * size]


def test_titles(database: sqlite3.Connection, file: File) -> None:
    begun = {"chain": ROOT, "parent": ROOT, "layout": ["u1"]}
    file.say(Message("u1", "user", (TextPart("\n  \x0c\n  fix\tthe " + "海" * 99),)))
    file.say(user("u2", "and more"))
    caught_up(database, file.path.parent)
    title = "fix the " + "海" * 72
    assert node(database, "title") == [title]
    file.row("node", begun | {"relation": "summary"}, node="bbbbbbbbbbbb")
    file.row("title", {"title": " Upgrade\n to Java 21 "})
    file.row("title", {"title": None})
    file.say(user("u3"))
    fork = File(file.path.parent, "cccccccccccc")
    fork.row("node", begun | {"relation": "fork"})
    caught_up(database, file.path.parent)
    assert node(database, "title, used, skipped") == ["Upgrade to Java 21", stamp(6), 1]
    assert node(database, "title", "bbbbbbbbbbbb") == [title]
    assert node(database, "title", "cccccccccccc") == [""]
    fork.say(user("u4", "try GraalVM"))
    caught_up(database, file.path.parent)
    assert node(database, "title", "cccccccccccc") == ["try GraalVM"]


def test_usage_adds_up(database: sqlite3.Connection, file: File) -> None:
    figures = {"prompt": 100, "cached": 40, "completion": 7, "reasoning": 3, "cost": 0.25}
    file.row("usage", figures | {"message": "a1", "model": "m"})
    file.row("usage", {"prompt": 50, "completion": 1, "model": "m"}, conversation="task-1")
    odd = {"prompt": -5, "cached": True, "completion": 10**30, "reasoning": "7", "cost": "x"}
    file.row("usage", odd)
    file.row("usage", {"prompt": 1, "cost": 10**400})
    caught_up(database, file.path.parent)
    assert node(database, "prompt, cached, completion, reasoning, cost, peak") == [
        *(151, 40, 8, 3, 0.25, 100)
    ]
    found = table(database, "usage", "seq, conversation, model, message, prompt, completion, cost")
    assert found == [
        (1, "main", "m", "a1", 100, 7, 0.25),
        (2, "task-1", "m", None, 50, 1, None),
        (3, "main", "", None, 0, 0, None),
        (4, "main", "", None, 1, 0, None),
    ]


def test_what_a_summary_cost_counts_and_is_told_apart(
    database: sqlite3.Connection, file: File
) -> None:
    """FIELD 74: the sums hold it; largest request and last answer are the conversation's."""
    file.row("usage", {"prompt": 100, "completion": 7, "model": "m", "message": "a1"})
    summary = {"prompt": 900, "completion": 50, "model": "small", "message": None}
    file.row("usage", summary | {"purpose": "summary"})
    file.row("usage", {"prompt": 40, "completion": 1, "purpose": "of a later version"})
    caught_up(database, file.path.parent)
    assert node(database, "prompt, completion, peak") == [1_040, 58, 100]
    assert [(one.purpose, one.model, one.prompt) for one in calls_of(database)] == [
        ("answer", "m", 100),
        ("summary", "small", 900),
        ("answer", "", 40),
    ]
    database.execute("DELETE FROM usage WHERE seq = 3")
    last = load_node(database, ROOT, EN).last_usage
    assert last is not None
    assert (last.message, last.prompt) == ("a1", 100)


def test_failures_are_kept(database: sqlite3.Connection, file: File) -> None:
    file.row("error", {"code": "model", "text": "no answer \ud83d"})
    caught_up(database, file.path.parent)
    assert table(database, "failures") == [(ROOT, 1, ROOT, stamp(1), "model", r"no answer \ud83d")]


def test_bodies_states_and_pins(database: sqlite3.Connection, file: File) -> None:
    file.say(user("u1"), step("a1", "c1"), result("t1", "c1", "long"))
    pointer = told(result("t1", "c1", "(cleared)"))[0]
    file.row("replace", {"id": "t1", "message": pointer, "state": "cleared"})
    file.row("state", {"id": "u1", "state": "offloaded"})
    file.row("pin", {"ids": ["t1", "gone"], "pinned": True})
    file.row("replace", {"id": "none", "message": told(user("none"))[0]})
    file.row("replace", {"id": "u1", "message": 7})
    caught_up(database, file.path.parent)
    assert table(database, "entries", "message, state, pinned, body_ledger, body_seq") == [
        ("a1", "live", 0, None, None),
        ("t1", "cleared", 1, ROOT, 4),
        ("u1", "offloaded", 0, None, None),
    ]
    assert [row[:3] for row in table(database, "bodies")] == [(ROOT, 4, "t1")]
    assert "long" in str(next(one(database, "SELECT content FROM messages WHERE id = 't1'")))
    assert node(database, "skipped") == [2]


def test_a_splice_keeps_what_it_takes_out(database: sqlite3.Connection, file: File) -> None:
    file.say(user("u1"), step("a1", "c1", "c2"), result("t2", "c2"), result("t1", "c1"))
    file.say(user("u2"), user("u3"))
    file.row("recovery", {"slot": {"message": "t1", "text": "known", "first": False}})
    new = {"removed": ["a1", "t1", "t2"], "before": "u2", "messages": told(user("n1"), user("n2"))}
    file.row("splice", new)
    file.row("splice", {"removed": [], "before": None, "messages": told(user("n3"))})
    file.row("splice", {"removed": [], "before": "u3", "messages": told(user("n4"))})
    file.row("splice", {"removed": [], "before": "t1", "messages": told(user("n5"))})
    file.row("splice", {"removed": ["u1"], "before": None, "messages": "none"})
    caught_up(database, file.path.parent)
    assert entries(database) == ["u1", "n1", "n2", "u2", "n4", "u3", "n3"]
    kept = {str(row[0]) for row in table(database, "messages", "id")}
    assert kept == {"u1", "a1", "t1", "t2", "u2", "u3", "n1", "n2", "n3", "n4"}
    assert node(database, "recovery, skipped, messages") == [None, 2, 6]


def test_an_older_splice_names_the_outermost_ones(database: sqlite3.Connection, file: File) -> None:
    file.say(user("u1"), step("a1", "c1", "c2"), result("t2", "c2"), result("t1", "c1"))
    file.say(user("u2"))
    old = {"start": 1, "end": 4, "first": "a1", "last": "t2", "messages": told(user("n1"))}
    file.row("splice", old)
    nothing = {"start": 1, "end": 1, "first": None, "last": None, "messages": told(user("n2"))}
    file.row("splice", nothing)
    caught_up(database, file.path.parent)
    assert entries(database) == ["u1", "n2", "n1", "u2"]


def test_what_builds_on_nothing_is_passed_over_and_counted(
    database: sqlite3.Connection, file: File
) -> None:
    file.say(user("u1"), result("t1", "c1"), user("u1"))
    file.row("message", {"message": {"id": "x", "role": "user", "parts": [{"kind": "later"}]}})
    file.row("message", {"message": None})
    file.row("recovery", {"slot": "broken"})
    file.row("delete", {"deleted": "yes"})
    file.row("replace", {"id": "u1", "message": told(user("u1", "x"))[0]}, conversation="task-1")
    file.row("later", {"anything": 1})
    file.say(user("u2"))
    done = caught_up(database, file.path.parent)
    assert (done.taken.rows, done.taken.passed_over, done.taken.unknown) == (2, 7, 1)
    assert entries(database) == ["u1", "u2"]
    assert node(database, "skipped, messages, turns") == [7, 2, 2]
    assert [notice.key for notice in done.notices()] == [
        "database.passed_over",
        "database.unknown_rows",
    ]


def test_rows_of_a_node_of_another_ledger_are_a_copy(
    database: sqlite3.Connection, file: File
) -> None:
    file.say(user("u1"))
    file.row("usage", {"prompt": 10})
    copy = file.path.with_name("copied.jsonl")
    copy.write_bytes(file.path.read_bytes())
    caught_up(database, file.path.parent)
    assert node(database, "prompt, messages, ledger, skipped") == [10, 1, ROOT, 0]
    assert len(table(database, "usage")) == 1


def test_deletion_is_of_the_chain(database: sqlite3.Connection, file: File) -> None:
    file.say(user("u1"))
    begun = {"chain": ROOT, "parent": ROOT, "relation": "fork", "layout": ["u1"]}
    File(file.path.parent, "bbbbbbbbbbbb").row("node", begun)
    caught_up(database, file.path.parent)
    file.row("delete", {"deleted": True})
    caught_up(database, file.path.parent)
    assert {row[0] for row in table(database, "nodes", "deleted")} == {stamp(2)}
    assert node(database, "used") == [stamp(1)]
    late = File(file.path.parent, "cccccccccccc")
    late.row("node", begun)
    caught_up(database, file.path.parent)
    assert node(database, "deleted", "cccccccccccc") == [stamp(2)]
    file.row("delete", {"deleted": False})
    caught_up(database, file.path.parent)
    assert {row[0] for row in table(database, "nodes", "deleted")} == {None}


def test_a_clock_that_jumps_back_changes_no_order(database: sqlite3.Connection, file: File) -> None:
    for number, minute in enumerate([500, 20, 300]):
        message = {"message": message_to_json(user(f"u{number}"))}
        file.row("message", message, at=stamp(minute))
    caught_up(database, file.path.parent)
    assert entries(database) == ["u0", "u1", "u2"]
    assert node(database, "created, used") == [stamp(500), stamp(500)]


def test_texts_that_no_utf8_has(database: sqlite3.Connection, file: File) -> None:
    odd = "half \ud83d\x00海"
    file.row("session", {"project": odd, "model": "m"}, node="n\udc80")
    file.say(user("u\ud83d", odd), node="n\udc80")
    caught_up(database, file.path.parent)
    assert table(database, "nodes", "id, project, messages") == [
        (r"n\udc80", "half \\ud83d\x00海", 1)
    ]
    assert storable(odd) == "half \\ud83d\x00海"
    assert storable("海") == "海"


def test_a_message_with_lone_surrogates_comes_back_as_it_was(
    database: sqlite3.Connection, file: File
) -> None:
    file.say(user("u1", "half \ud83d \x00\x1b[31m"))
    caught_up(database, file.path.parent)
    content = str(next(one(database, "SELECT content FROM messages")))
    assert content.isascii()
    assert json.loads(content) == message_to_json(user("u1", "half \ud83d \x00\x1b[31m"))


def test_numbers_beyond_counting_are_no_rows(database: sqlite3.Connection, file: File) -> None:
    file.say(user("u1"))
    kept = file.seq
    file.row("message", {"message": told(user("u2"))[0]}, seq=1 << 70)
    file.seq = kept
    file.say(user("u3"))
    done = caught_up(database, file.path.parent)
    assert done.taken.unreadable == 1
    assert entries(database) == ["u1", "u3"]


def test_a_spoilt_body_in_the_database_stops_nothing(
    database: sqlite3.Connection, file: File
) -> None:
    file.say(user("u1"), step("a1", "c1"))
    caught_up(database, file.path.parent)
    database.execute("UPDATE messages SET content = 'broken' WHERE id = 'a1'")
    file.say(result("t1", "c1"), user("u2"))
    done = caught_up(database, file.path.parent)
    assert (done.taken.rows, done.taken.passed_over) == (1, 1)
    assert entries(database) == ["u1", "a1", "u2"]


def test_migrations_go_step_by_step_and_each_as_a_whole(tmp_path: Path) -> None:
    def third(connection: sqlite3.Connection) -> None:
        connection.execute("ALTER TABLE nodes ADD COLUMN extra TEXT")
        if broken:
            raise sqlite3.OperationalError("the disk failed")

    path = tmp_path / "old.db"
    steps = (*MIGRATIONS, third)
    with closing(connect(path)) as connection:
        assert version_of(connection) == VERSION == len(MIGRATIONS)
        broken = True
        with pytest.raises(sqlite3.OperationalError):
            migrate(connection, steps)
        assert version_of(connection) == VERSION
        assert "extra" not in str(table(connection, "sqlite_master", "sql"))
        broken = False
        migrate(connection, steps)
        migrate(connection, steps)
        assert version_of(connection) == VERSION + 1
        with pytest.raises(NewerDatabase) as caught:
            migrate(connection)
    assert str(path) in str(caught.value)


def test_what_an_older_file_knows_of_its_nodes_is_what_a_rebuilt_one_does(folder: Path) -> None:
    """A root, a summary of it and a fork, as version 2 had them."""
    file = File(folder)
    system = Message("s1", "system", (TextPart("Be brief."),))
    first = NodeStart(ROOT, layout=(LayoutEntry("s1"),), messages=(system,))
    file.row("node", first.to_data())
    file.say(user("u1"))
    summary = NodeStart(ROOT, ROOT, "summary", layout=(LayoutEntry("m1"),), messages=(user("m1"),))
    file.row("node", summary.to_data(), node="bbbbbbbbbbbb")
    fork = File(folder, "dddddddddddd")
    start = NodeStart(ROOT, ROOT, "fork", layout=(LayoutEntry("s1"), LayoutEntry("u1")))
    fork.row("node", start.to_data())
    fork.say(user("u2"))
    wanted = [("seq", "touched"), (1, 1), (3, 0), (1, 1)]
    with closing(connect()) as connection:
        caught_up(connection, folder)
        rows = "SELECT seq, touched FROM nodes ORDER BY id"
        assert connection.execute(rows).fetchall() == wanted[1:]
        for column in ("summary", "undone", "seq", "touched"):
            connection.execute(f"ALTER TABLE nodes DROP COLUMN {column}")
        connection.execute("ALTER TABLE usage DROP COLUMN purpose")
        _summaries(connection)
        assert connection.execute(rows).fetchall() == wanted[1:]


def test_a_transaction_is_all_or_nothing(database: sqlite3.Connection) -> None:
    with pytest.raises(RuntimeError), transaction(database):
        database.execute("INSERT INTO ledgers (name, chain, seq, size) VALUES ('a', '', 1, 1)")
        raise RuntimeError
    assert table(database, "ledgers") == []
    assert not database.in_transaction
