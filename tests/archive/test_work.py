"""The work of a chain in the tables: any way of catching up gives the same, seen from each node."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import reduce
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.archive import work_tables
from app.archive.database import Database
from app.archive.intake import forget_chain, take_piece
from app.archive.ledger import Ledger
from app.archive.nodes import NodeStart
from app.archive.recorder import Recorder
from app.archive.rows import parse_row
from app.archive.schema import TABLES, VERSION, migrate, transaction, version_of
from app.archive.work import load_work
from app.conversation.encoding import message_to_json
from app.conversation.history import History
from app.conversation.work import (
    NOTHING,
    Done,
    EntityKey,
    Goal,
    Progress,
    Rule,
    Stamp,
    Touch,
    Work,
)
from app.conversation.work_state import Entity, joined, touched
from tests.archive.recording import NODE, content, result, rows, step, user
from tests.archive.tables import ROOT, File, assert_same_as_built, caught_up, connect, table
from tests.archive.working import (
    CHILD,
    FORK,
    OTHER,
    act,
    begin,
    file,
    loaded,
    names,
    rule,
    said,
    say,
    todo,
    told,
)

KEY = "sk-0123456789abcdef"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(connect(tmp_path / "haima.db")) as connection:
        yield connection


async def test_a_message_and_its_work_are_one_row(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE, credentials=[KEY])
        work = Work(goal=Goal(f"use {KEY}", "u1", 1), rules=(Rule("r", f"no {KEY}"),))
        await recorder.append(user("u1"), work=work)
        await recorder.append(step("a1", "c1"))
        touch = Touch("command", f"curl -H {KEY}", "ran", KEY, file=KEY)
        progress = Progress((f"a {KEY}",), (Done(f"b {KEY}", KEY),))
        told = Work(touches=(touch,), progress=progress, forgotten=(EntityKey("identifier", KEY),))
        await recorder.append(result("t1", "c1"), work=told)
        kept = await recorder.work(rule(f"never {KEY}"), taken_from=OTHER)
        as_kept = recorder.as_kept(told)
    found = rows(path)
    assert [row.kind for row in found] == ["message", "message", "message", "work"]
    assert "work" not in found[1].data
    assert KEY.encode() not in content(path)
    assert Work.from_data(found[2].data["work"]) == as_kept != told
    assert found[3].data == {"work": kept.to_data(), "taken_from": OTHER}
    assert kept.rules[0].text != f"never {KEY}"


TOUCHES = st.builds(
    Touch,
    kind=st.sampled_from(["file", "command"]),
    name=st.sampled_from(["a", "b", "文"]),
    action=st.sampled_from(["edited", "read", "named", "ran"]),
    detail=st.sampled_from(["", "x"]),
    ok=st.booleans(),
    file=st.sampled_from(["", "f"]),
    stamp=st.sampled_from([None, Stamp(1, 2), Stamp(3, 4)]),
)


@given(
    parts=st.lists(
        st.lists(TOUCHES.map(lambda one: replace(one, kind="file", name="a"))),
        min_size=1,
        max_size=4,
    )
)
def test_branches_join_as_if_one_came_after_the_other(parts: list[list[Touch]]) -> None:
    number = 0
    whole: Entity | None = None
    branches: list[Entity] = []
    for part in parts:
        own: Entity | None = None
        for touch in part:
            number += 1
            whole = touched(whole, touch, at=f"{number:04}", step=number)
            own = touched(own, touch, at=f"{number:04}", step=number)
        branches += [own] if own else []
    assert not whole or reduce(joined, branches) == whole


WORKS = st.builds(
    Work,
    touches=st.lists(TOUCHES, max_size=3).map(tuple),
    rules=st.sampled_from([(), (Rule("r", "Never."),)]),
    progress=st.sampled_from([None, Progress(("x",))]),
    forgotten=st.sampled_from([(), (), (EntityKey("file", "a"),)]),
)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_way_of_catching_up_gives_the_same_work(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Ledgers of a chain grow side by side, and are taken in as they come or all at the end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(work_tables, "TOGETHER", data.draw(st.integers(1, 4)))
        grow(tmp_path_factory.mktemp("work"), data)


def grow(base: Path, data: st.DataObject) -> None:
    folder = base / "raw"
    root, fork = File(folder), File(folder, FORK)
    begin(root, ROOT)
    say(root, 0)
    begin(fork, FORK, parent=ROOT, relation="fork", layout=["u0"], fork_at="u0", fork_turn=1)
    with closing(connect(base / "haima.db")) as connection:
        caught_up(connection, folder)
        node = ROOT
        for number in range(1, data.draw(st.integers(1, 9))):
            ledger, where = data.draw(st.sampled_from([(root, node), (fork, FORK)]))
            match data.draw(st.sampled_from(["act", "act", "say", "hand", "summary", "undo"])):
                case "act":
                    works = data.draw(st.lists(WORKS, min_size=1, max_size=2))
                    act(ledger, number, *works, node=where)
                case "say":
                    say(ledger, number, data.draw(WORKS), node=where)
                case "hand":
                    ledger.row("work", {"work": data.draw(WORKS).to_data()}, node=where)
                case "summary" if node == ROOT:
                    node = CHILD + str(number)
                    begin(root, node, parent=ROOT, relation="summary", layout=["u0"])
                case "undo" if node != ROOT:
                    root.row("undo", {"parent": ROOT}, node=node)
                    node = ROOT
                case _:
                    pass
            if data.draw(st.booleans()):
                take_piece(connection, data.draw(st.sampled_from([root, fork])).path, 1)
        for one in data.draw(st.permutations([root, fork])):
            while take_piece(connection, one.path).more:
                pass
        for viewed in (ROOT, FORK, node, "none"):
            loaded(connection, folder, viewed)
    assert_same_as_built(base / "haima.db", folder)


def test_rows_that_make_no_sense_cost_themselves(
    database: sqlite3.Connection, folder: Path
) -> None:
    root = File(folder)
    begin(root, ROOT)
    for number, work in enumerate((7, {"touches": [["file", 3]], "goal": [1]}, [], {"x": 1})):
        root.say(user(f"u{number}"), work=work)
        root.row("work", {"work": work, "taken_from": 9})
    root.row("work", {})
    root.row("work", {"work": rule("of another").to_data()})
    row = parse_row(root.path.read_bytes().splitlines()[-1])
    root.row("work", row.data, node=ROOT, conversation="task-3")
    done = caught_up(database, folder)
    assert done.taken.passed_over == 1
    assert said(load_work(database, ROOT, ROOT)) == ["of another"]
    assert table(database, "entities") == []


def test_a_second_message_under_a_number_keeps_its_work(
    database: sqlite3.Connection, folder: Path
) -> None:
    root = File(folder)
    begin(root, ROOT)
    say(root, 1, rule("one"))
    message = {"message": message_to_json(user("u2")), **told(rule("two"))}
    root.row("message", message, seq=root.seq)
    assert sorted(said(loaded(database, folder, ROOT))) == ["one", "two"]


_LATER = {
    4: ("DROP TABLE entities", "DROP TABLE touches", "DROP TABLE work",
        "ALTER TABLE ledgers DROP COLUMN steps", "ALTER TABLE ledgers DROP COLUMN stepped"),
    5: ("DROP INDEX nodes_after", "ALTER TABLE nodes DROP COLUMN after_ledger",
        "ALTER TABLE nodes DROP COLUMN after_seq", "ALTER TABLE ledgers DROP COLUMN told"),
}  # fmt: skip
"""What a version doesn't have yet; rows are taken in by this version's code."""


@pytest.mark.parametrize("version", _LATER)
def test_a_database_of_an_earlier_version_is_brought_to_this_one(
    version: int, tmp_path: Path, folder: Path
) -> None:
    root = File(folder)
    begin(root, ROOT)
    say(root, 1)
    act(root, 1, NOTHING)
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection)
        caught_up(connection, folder)
        for later in range(version, VERSION):
            for statement in _LATER[later]:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {version}")
        migrate(connection)
        assert version_of(connection) == VERSION
        say(root, 2, rule("new"))
        act(root, 2, file("a.py"))
        found = loaded(connection, folder, ROOT)
        assert (said(found), names(found), found.steps, found.turns) == (["new"], ["a.py"], 1, 2)
    assert_same_as_built(path, folder)


async def test_rows_the_database_lacks_after_a_crash_are_taken_in(
    tmp_path: Path, folder: Path
) -> None:
    """The ledger had them, the tables had not."""
    path = tmp_path / "haima.db"
    database = await Database.open(path, folder)
    with Ledger.open(folder / f"{ROOT}.jsonl") as ledger:
        recorder = Recorder(History(), ledger, ROOT, projection=database)
        await recorder.begin(NodeStart(chain=ROOT, project="/p"))
        await recorder.append(user("u1"), work=rule("one"))
        await recorder.append(step("a1", "c1"))
        await database.close()  # from here on nothing is taken in
        await recorder.append(result("t1", "c1"), work=file("a.py"))
        await recorder.work(todo("x"))
    database = await Database.open(path, folder)
    await database.catch_up()
    found = await database.run(lambda one: load_work(one, ROOT, ROOT))
    await database.close()
    assert (said(found), names(found)) == (["one"], ["a.py"])
    assert_same_as_built(path, folder)


def test_touches_are_folded_up_together_and_forgotten_with_their_chain(
    database: sqlite3.Connection, folder: Path
) -> None:
    root = File(folder)
    begin(root, ROOT)
    say(root, 0, rule("one"))
    for number in range(work_tables.TOGETHER + 2):
        act(root, number, file(f"{number % 5}.py"))
    found = loaded(database, folder, ROOT)
    assert (len(table(database, "entities")), len(table(database, "touches"))) == (5, 2)
    assert [one.times for one in found.entities] == [6, 7, 7, 7, 7]
    assert found.steps == work_tables.TOGETHER + 2
    with transaction(database):
        forget_chain(database, ROOT)
    assert {name: len(table(database, name)) for name in TABLES} == dict.fromkeys(TABLES, 0)
