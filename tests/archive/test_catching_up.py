"""From the ledgers into the tables: any way of catching up gives the same, and nothing twice."""

import sqlite3
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.archive.compare import Difference, compare
from app.archive.intake import forget_chain, stand_of, take_next, take_piece
from app.archive.rebuilding import build
from app.archive.rows import dump_row, encode_bytes, parse_row
from app.archive.schema import TABLES, VERSION, NewerDatabase, transaction
from app.conversation.encoding import message_to_json
from app.conversation.messages import Message, TextPart
from app.conversation.work import Progress, Rule, Stamp, Touch, Work
from tests.archive.recording import result, step, user
from tests.archive.tables import (
    ROOT,
    File,
    assert_same_as_built,
    caught_up,
    connect,
    in_pieces,
    stamp,
    table,
)

FORK = "bbbbbbbbbbbb"

READ = Work(
    touches=(
        Touch("file", "app/a.py", "edited", stamp=Stamp(7, 9)),
        Touch("file", "app/a.py", "read", "1–20"),
        Touch("command", "pytest", "ran", "exit 1", ok=False),
    )
)
SAID = Work(
    touches=(Touch("command", "pytest", "ran", "exit 1", ok=False),),
    rules=(Rule("r1", "Never use npm."),),
    progress=Progress(("test it",)),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "haima.db"


@pytest.fixture
def database(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(connect(path)) as connection:
        yield connection


def chain(folder: Path) -> File:
    """A chain with a bit of everything."""
    file = File(folder)
    file.row("session", {"project": "/p", "model": "m", "version": "1", "branch": "main"})
    file.say(user("u1"), step("a1", "c1", "c2"), result("t2", "c2"))
    file.say(result("t1", "c1"), raw=encode_bytes(b"\xff" * 900), work=READ.to_data())
    file.row("usage", {"prompt": 10, "completion": 2, "message": "a1", "model": "m"})
    cleared = message_to_json(result("t1", "c1", "(cleared)"))
    file.row("replace", {"id": "t1", "message": cleared, "state": "cleared"})
    file.row("pin", {"ids": ["u1"], "pinned": True})
    file.row("error", {"code": "model", "text": "no answer"})
    kept = ["u1", ["t1", "cleared", False, [ROOT, 7]]]
    begun: dict[str, object] = {"chain": ROOT, "parent": ROOT, "relation": "summary"}
    begun["layout"] = [*kept, "n1"]
    file.row("node", begun | {"messages": [message_to_json(user("n1"))]}, node="cccccccccccc")
    file.say(user("u2"), node="cccccccccccc", work=SAID.to_data())
    removed = {"removed": ["n1"], "before": "u2", "messages": [message_to_json(user("n2"))]}
    file.row("splice", removed, node="cccccccccccc")
    file.row("title", {"title": "Everything"})
    file.row("work", {"work": {"forgotten": [["file", "app/a.py"]]}, "taken_from": "0"})
    file.row("later", {})
    return file


def fork(folder: Path, name: str = FORK, parent: str = ROOT, kept: tuple[str, ...] = ()) -> File:
    """A fork with a message of its own."""
    file = File(folder, name)
    layout = list(kept or ("u1",))
    file.row("node", {"chain": ROOT, "parent": parent, "relation": "fork", "layout": layout})
    file.say(user(f"u-{name}"), work=SAID.to_data())
    return file


@settings(max_examples=40, deadline=None)
@given(cuts=st.lists(st.integers(0, 6_000), max_size=6), budget=st.sampled_from([1, 500, 1 << 20]))
def test_a_ledger_may_grow_by_any_bytes(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int], budget: int
) -> None:
    """As when another process is writing to it: half a line isn't there yet."""
    folder = tmp_path_factory.mktemp("chain")
    whole = chain(folder / "whole").path.read_bytes()
    growing = File(folder / "raw")
    growing.raw(b"")
    with closing(connect(folder / "haima.db")) as database:
        end = 0
        for cut in [*sorted(cuts), len(whole)]:
            growing.raw(whole[end:cut])
            end = max(end, cut)
            in_pieces(database, growing.path, budget)
    assert_same_as_built(folder / "haima.db", folder / "whole")


@settings(max_examples=40, deadline=None)
@given(times=st.lists(st.integers(0, 14), max_size=30))
def test_rows_may_be_told_again_and_left_out(
    tmp_path_factory: pytest.TempPathFactory, times: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("chain")
    file = chain(folder / "raw")
    told, end = [], 0
    for line in file.path.read_bytes().splitlines(keepends=True):
        end += len(line)
        told.append((parse_row(line, ROOT), end))
    with closing(connect(folder / "haima.db")) as database:
        for number in times:
            before = stand_of(database, ROOT)
            there = take_next(database, ROOT, *told[number])
            assert there == (number == (before.seq if before else 0))
        caught_up(database, folder / "raw")
        assert not any(take_next(database, ROOT, row, size) for row, size in told)
    assert_same_as_built(folder / "haima.db", folder / "raw")


def test_lines_told_twice_change_nothing(
    database: sqlite3.Connection, path: Path, folder: Path, tmp_path: Path
) -> None:
    whole = chain(folder).path.read_bytes().splitlines(keepends=True)
    doubled = File(tmp_path / "doubled")
    doubled.raw(b"".join(whole[:9]) + b"".join(whole[3:9]) + b"".join(whole[9:]))
    caught_up(database, doubled.path.parent)
    new = tmp_path / "new.db"
    build(new, folder)
    found = compare(path, new)
    assert [difference.table for difference in found] == ["ledgers"]


def test_a_second_message_under_a_number_is_taken_in(
    database: sqlite3.Connection, folder: Path
) -> None:
    """Where locks don't work, two processes may count the same; no message is lost by that."""
    file = File(folder)
    file.say(user("u1"), user("u2"))
    file.row("message", {"message": message_to_json(user("u3"))}, seq=2)
    file.row("usage", {"prompt": 7}, seq=2)
    file.seq = 2
    file.say(user("u4"))
    for _ in range(2):
        caught_up(database, folder)
    entries = table(database, "entries", "place, message")
    assert [message for _, message in entries] == ["u1", "u2", "u3", "u4"]
    assert table(database, "nodes", "messages, skipped, prompt") == [(4, 0, 0)]


def test_bad_lines_cost_themselves_only(database: sqlite3.Connection, folder: Path) -> None:
    file = File(folder)
    file.say(user("u1"))
    file.raw(b"\xff\xfe not a row\n\n[1]\n")
    file.raw(b"\0" * 4096)
    file.say(user("u2", "one\u2028two\x85three"))
    file.raw(b'{"seq": 3, "at"\n')
    file.seq = 3
    file.say(user("u4"))
    file.raw(b'{"seq":5,"at":"2026')
    done = caught_up(database, folder)
    assert [row[1] for row in table(database, "entries", "place, message")] == ["u1", "u2", "u4"]
    assert (done.taken.rows, done.taken.unreadable) == (3, 3)
    assert [(notice.key, notice.values["n"]) for notice in done.notices()] == [
        ("database.unreadable", 3)
    ]
    assert table(database, "ledgers", "seq") == [(4,)]
    again = caught_up(database, folder)
    assert (again.taken.rows, again.notices()) == (0, [])
    file.raw(b'-11-29T10:00:00Z","kind":"pin","node":"aaaaaaaaaaaa","data":{"ids":[]}}\n')
    assert caught_up(database, folder).taken.rows == 1


def test_a_bad_line_at_the_end_is_told_once(tmp_path: Path, folder: Path) -> None:
    file, path = File(folder), tmp_path / "haima.db"

    def told() -> int:
        with closing(connect(path)) as connection:
            found = caught_up(connection, folder).taken.unreadable
        assert_same_as_built(path, folder)
        return found

    file.say(user("u1"))
    file.raw(b"not a row\n")
    assert [told(), told()] == [1, 0]
    file.raw(b"[1]\n[2]\n")
    assert [told(), told()] == [2, 0]
    file.say(user("u2"))
    assert told() == 0
    file.raw(b"[3]\n")
    assert [told(), told()] == [1, 0]
    file.path.write_bytes(b"[4]\n" + file.path.read_bytes())
    assert [told(), told()] == [5, 0], "another file: each is told once more"


def test_bad_lines_longer_than_a_piece_are_passed(
    database: sqlite3.Connection, folder: Path
) -> None:
    file = File(folder)
    file.say(user("u1"))
    file.raw(b"x" * 5_000 + b"\n")
    file.raw(b"y" * 5_000 + b"\n")
    file.say(user("u2"))
    in_pieces(database, file.path, 100)
    assert len(table(database, "entries")) == 2


@pytest.mark.parametrize("how", ["shrunk", "exchanged", "longer", "unended"])
def test_a_ledger_that_is_another_now_is_read_afresh(
    database: sqlite3.Connection, path: Path, folder: Path, tmp_path: Path, how: str
) -> None:
    file = chain(folder)
    fork(folder)
    caught_up(database, folder)
    whole = file.path.read_bytes()
    if how == "shrunk":
        file.path.write_bytes(b"".join(whole.splitlines(keepends=True)[:6]))
    else:
        other = File(tmp_path / "other")
        other.say(user("u1"), user("u9", "x" * (len(whole) if how == "longer" else 50)))
        if how == "longer":
            other.say(user("u8"))
        data = other.path.read_bytes()
        file.path.write_bytes(whole[:-1] + b" " + data if how == "unended" else data)
    done = caught_up(database, folder)
    assert done.again == (ROOT, FORK)
    assert [notice.key for notice in done.notices()][-1] == "database.again"
    assert_same_as_built(path, folder)
    assert caught_up(database, folder).again == ()


def test_a_row_after_a_ledger_was_exchanged_is_not_the_next_one(
    database: sqlite3.Connection, folder: Path
) -> None:
    file = chain(folder)
    caught_up(database, folder)
    stand = stand_of(database, ROOT)
    assert stand is not None
    row = replace(parse_row(dump_row(file.row("pin", {"ids": []}))), seq=stand.seq + 1)
    assert not take_next(database, ROOT, row, stand.size)
    assert not take_next(database, ROOT, replace(row, seq=stand.seq + 2), file.size)
    assert take_next(database, ROOT, row, file.size)


def test_parents_come_before_their_forks(
    database: sqlite3.Connection, path: Path, folder: Path
) -> None:
    """Names are random: here a fork of a fork sorts first, and the root last."""
    root = File(folder, "ffffffffffff")
    root.say(*(user(f"u{number}", "word " * 200) for number in range(20)))
    chain_of: dict[str, object] = {"chain": "ffffffffffff", "relation": "fork"}
    middle = File(folder, "222222222222")
    middle.row("node", chain_of | {"parent": "ffffffffffff", "layout": ["u19"]})
    middle.say(user("m1"))
    kept: dict[str, object] = {"parent": "222222222222", "relation": "summary"}
    kept["layout"] = ["u19", "m1"]
    middle.row("node", chain_of | kept, node="333333333333")
    middle.say(user("m2"), node="333333333333")
    last = File(folder, "111111111111")
    last.row("node", chain_of | {"parent": "333333333333", "layout": ["u19", "m1", "m2"]})
    caught_up(database, folder)
    assert table(database, "nodes", "id, lost") == [
        ("111111111111", 0),
        ("222222222222", 0),
        ("333333333333", 0),
        ("ffffffffffff", 0),
    ]
    assert_same_as_built(path, folder)


def test_a_lost_parent_costs_only_what_it_had(
    database: sqlite3.Connection, path: Path, folder: Path
) -> None:
    file = chain(folder)
    fork(folder, kept=("u1", "a1"))
    whole = file.path.read_bytes()
    file.path.unlink()
    caught_up(database, folder)
    found = "SELECT message FROM entries WHERE node = ? ORDER BY place"
    assert database.execute(found, (FORK,)).fetchall() == [(f"u-{FORK}",)]
    assert table(database, "nodes", "id, parent, lost, messages") == [(FORK, ROOT, 2, 1)]
    assert caught_up(database, folder).again == ()
    file.path.write_bytes(whole)
    done = caught_up(database, folder)
    assert done.again == (ROOT, FORK)
    assert database.execute(found, (FORK,)).fetchall() == [("u1",), ("a1",), (f"u-{FORK}",)]
    assert table(database, "nodes", "lost")[-1] == (0,)
    assert_same_as_built(path, folder)


def test_a_fork_of_a_ledger_that_is_behind_waits_for_it(
    database: sqlite3.Connection, folder: Path
) -> None:
    chain(folder)
    new = fork(folder)
    first = next(iter(new.path.read_bytes().splitlines(keepends=True)))
    assert not take_next(database, FORK, parse_row(first, FORK), len(first))
    assert table(database, "ledgers") == []


def test_ledgers_that_can_not_be_read_cost_themselves_only(
    database: sqlite3.Connection, folder: Path
) -> None:
    chain(folder)
    (folder / "0000.jsonl").mkdir()
    done = caught_up(database, folder)
    assert [fault.key for fault in done.faults] == ["storage.in_the_way"]
    assert done.notices()[0] is done.faults[0]
    assert len(table(database, "nodes")) == 2
    assert caught_up(database, folder / "none").taken.rows == 0


def test_a_chain_can_be_forgotten(database: sqlite3.Connection, path: Path, folder: Path) -> None:
    chain(folder)
    fork(folder)
    other = File(folder, "dddddddddddd")
    other.say(user("u1"))
    caught_up(database, folder)
    with transaction(database):
        assert forget_chain(database, ROOT) == (ROOT, FORK)
    left = {name: len(table(database, name)) for name in TABLES}
    assert left == {
        **dict.fromkeys(TABLES, 0),
        **dict.fromkeys(("ledgers", "nodes", "messages", "entries"), 1),
    }
    caught_up(database, folder)
    assert_same_as_built(path, folder)


def test_a_file_a_newer_haima_took_over_is_left_alone(
    database: sqlite3.Connection, folder: Path
) -> None:
    """It may be migrated while this process has it open."""
    file = chain(folder)
    database.execute(f"PRAGMA user_version = {VERSION + 1}")
    row = parse_row(file.path.read_bytes().splitlines()[0], ROOT)
    with pytest.raises(NewerDatabase):
        take_next(database, ROOT, row, 10)
    with pytest.raises(NewerDatabase):
        take_piece(database, file.path)
    assert table(database, "ledgers") == []


def test_differences_are_told_table_by_table(tmp_path: Path, folder: Path) -> None:
    chain(folder)
    one, other = tmp_path / "one.db", tmp_path / "other.db"
    build(one, folder)
    build(other, folder)
    assert compare(one, other) == ()
    with closing(sqlite3.connect(other, isolation_level=None)) as connection:
        connection.execute("UPDATE nodes SET title = 'x' WHERE id = ?", (ROOT,))
        connection.execute("DELETE FROM usage")
        connection.execute("INSERT INTO ledgers (name, chain, seq, size) VALUES ('b', 'b', 1, 2)")
    assert compare(one, other) == (
        Difference("ledgers", 0, 1, 0, ("b",)),
        Difference("nodes", 0, 0, 1, (ROOT,)),
        Difference("usage", 1, 0, 0, (f"{ROOT} 6",)),
    )
    assert one.stat().st_mode & 0o777 == 0o600


def test_what_failed_to_be_built_leaves_nothing(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise sqlite3.OperationalError("the disk failed")

    chain(folder)
    monkeypatch.setattr("app.archive.rebuilding.catch_up", failing)
    with pytest.raises(sqlite3.OperationalError):
        build(tmp_path / "new.db", folder)
    assert not list(tmp_path.glob("new.db*"))


def test_many_bytes_are_not_held_several_times(database: sqlite3.Connection, folder: Path) -> None:
    size = 8 << 20
    file = File(folder)
    file.say(user("u1"), step("a1", "c1"))
    file.say(result("t1", "c1"), raw=encode_bytes(b"\xfe" * size))
    line = file.path.stat().st_size
    tracemalloc.start()
    try:
        caught_up(database, folder)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # The line, its text and the value in it: as JSON is read; no copy of the bytes beside these.
    assert peak < 3.2 * line
    assert database.execute("SELECT length(raw) FROM messages WHERE id = 't1'").fetchone() == (
        size,
    )


def test_a_ledger_of_many_rows_is_read_as_a_stream(
    database: sqlite3.Connection, folder: Path
) -> None:
    file = File(folder)
    said = [Message(f"u{n}", "user", (TextPart("word " * 2_000),)) for n in range(600)]
    file.say(*said)
    tracemalloc.start()
    try:
        caught_up(database, folder)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert file.size > 6_000_000
    assert peak < 1_000_000
    assert table(database, "nodes", "messages, used") == [(600, stamp(600))]
