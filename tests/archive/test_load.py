"""A node's history out of the database is the one its rows come to, whatever was done to it."""

import asyncio
import contextlib
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.archive.intake import take_next
from app.archive.load import LastUsage, LoadedNode, load_live, load_node
from app.archive.rebuild import rebuild
from app.archive.rows import Row, parse_row, read_rows
from app.archive.sessions import NodeNotFound, chain_nodes
from app.conversation.encoding import message_to_json
from app.conversation.history import History, InvalidHistory, RecoverySlot
from app.conversation.messages import Message, TextPart
from app.conversation.standing import BodyRef, Standing
from tests.archive.recording import EN, NODE, result, same, step, user
from tests.archive.tables import (
    ROOT,
    File,
    assert_same_as_built,
    caught_up,
    connect,
    in_pieces,
)
from tests.archive.test_random_operations import Place, operate
from tests.conversation.strategies import Ids, conversations


def answer(message_id: str, text: str = "done") -> Message:
    return Message(message_id, "assistant", (TextPart(text),))


def lines(path: Path) -> Iterator[tuple[Row, int]]:
    """The rows of a ledger, and where each ends."""
    end = 0
    for line in path.read_bytes().splitlines(keepends=True):
        end += len(line)
        yield parse_row(line, path.stem), end


class Followed:
    """A database that follows the ledgers of a place in any way there is."""

    def __init__(self, connection: sqlite3.Connection, place: Place) -> None:
        self._connection = connection
        self._place = place
        self._seen: dict[Path, int] = {}

    def follow(self, data: st.DataObject) -> None:
        """Takes in what is new: row by row, some twice, some not at all, or all of it."""
        before: list[Path] = []
        paths = sorted(self._place.paths, key=lambda path: (path.stem != NODE, path))
        for path in paths:
            if path not in self._seen:  # a fork comes when what it builds on is there (`order`)
                for earlier in before:
                    in_pieces(self._connection, earlier)
            before.append(path)
            for row, end in lines(path):
                if end <= self._seen.get(path, 0):
                    continue
                for _ in range(data.draw(st.integers(0, 2))):
                    take_next(self._connection, path.stem, row, end)
                self._seen[path] = end
            if path != paths[-1] or data.draw(st.booleans()):
                in_pieces(self._connection, path, data.draw(st.sampled_from([1, 300, 1 << 20])))


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_the_database_agrees_with_the_recorder_and_the_rows(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    asyncio.run(random_operations(tmp_path_factory.mktemp("chain"), data))


async def random_operations(folder: Path, data: st.DataObject) -> None:
    ledgers, path = folder / "raw", folder / "haima.db"
    ledgers.mkdir()
    ids = Ids()
    with ExitStack() as stack, closing(connect(path)) as connection:
        place = Place(ledgers, stack)
        followed = Followed(connection, place)
        for message in data.draw(conversations(ids)):
            await place.recorder.append(message)
        for _ in range(data.draw(st.integers(0, 8))):
            with contextlib.suppress(InvalidHistory):
                await operate(place, data, ids)
            followed.follow(data)
        caught_up(connection, ledgers)
        if place.paths:
            assert_loaded_as_kept(connection, place)
            assert_same_as_built(path, ledgers)


def assert_loaded_as_kept(connection: sqlite3.Connection, place: Place) -> None:
    """The history is the recorder's, and that of the rows."""
    recorder = place.recorder
    loaded = load_node(connection, recorder.node, EN)
    rows = (row for path in place.paths for row in read_rows(path))
    rebuilt = rebuild(rows, recorder.node, EN)
    assert same(loaded.history, recorder.history)
    assert same(loaded.history, rebuilt.history)
    gone = {message.id for message in loaded.waiting} ^ {m.id for m in rebuilt.waiting}
    # A result that waits for a step that was cut out never finds its call again.
    assert gone <= {m.id for m in rebuilt.waiting} - {c.id for c in recorder.history.open_calls}
    assert loaded.skipped == len(gone)
    assert loaded.lost == ()
    assert recorder.standings == rebuilt.standings
    assert recorder.files == rebuilt.files
    assert loaded.paused == recorder.paused == rebuilt.paused
    assert loaded.standings == {k: v for k, v in recorder.standings.items() if k not in gone}
    assert loaded.files == {k: v for k, v in recorder.files.items() if k not in gone}
    nodes = chain_nodes(connection, NODE)
    there = {node.id for node in nodes}
    assert loaded.way_back == (recorder.way_back if recorder.way_back in there else None)
    assert {node.id for node in nodes if node.undone is not None} == place.undone
    for node in place.lives.keys() & there:  # an empty root has no row
        live = place.lives[node]
        came = [one for one in nodes if one.parent == node and one.id not in place.undone]
        assert set(load_node(connection, node, EN).children) == {one.id for one in came}
        if live.history.open_calls == ():
            again = load_live(connection, node, EN) if not gone else live
            assert same(again.history, live.history)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_lost_rows_leave_a_valid_history(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    asyncio.run(lost_rows(tmp_path_factory.mktemp("chain"), data))


async def lost_rows(folder: Path, data: st.DataObject) -> None:
    ids = Ids()
    with ExitStack() as stack:
        place = Place(folder, stack)
        for message in data.draw(conversations(ids)):
            await place.recorder.append(message)
        for _ in range(data.draw(st.integers(0, 6))):
            with contextlib.suppress(InvalidHistory):
                await operate(place, data, ids)
    node, paths = place.recorder.node, place.paths
    begun = sum(row.kind == "node" for path in paths for row in read_rows(path))
    for path in paths:
        kept = path.read_bytes().splitlines(keepends=True)
        lost = data.draw(st.sets(st.integers(0, len(kept)), max_size=3))
        path.write_bytes(b"".join(b"\xff\n" if n in lost else line for n, line in enumerate(kept)))
    with closing(connect(folder / "haima.db")) as connection:
        caught_up(connection, folder)
        rows = [row for path in paths for row in read_rows(path)]
        rebuilt = rebuild(rows, node, EN)
        try:
            loaded = load_node(connection, node, EN)
        except NodeNotFound:  # nothing of it could be taken in
            assert not rebuilt.history.messages
            return
        there, expected = [m.id for m in loaded.history], [m.id for m in rebuilt.history]
        if sum(row.kind == "node" for row in rows) == begun:
            assert there == expected
        else:  # whose chain a ledger is of may be lost with that: its messages aren't found then
            assert set(there) <= set(expected)
        assert {call.id for call in loaded.lost} <= {call.id for call in rebuilt.lost}


def chain(folder: Path) -> File:
    """A chain whose root has a step with parallel results, one of them cleared."""
    file = File(folder)
    file.row("session", {"project": "/p", "model": "m", "version": "1", "branch": "main"})
    file.say(Message("s1", "system", (TextPart("You are Haima"),)), user("u1", "fix it"))
    file.say(step("a1", "c1", "c2"), result("t2", "c2", "second"), result("t1", "c1", "first"))
    file.say(answer("a2"))
    return file


def replaced(message: Message, text: str) -> dict[str, object]:
    """The data of a row that gives a message another body."""
    changed = replace(message, parts=(TextPart(text),))
    return {"id": message.id, "message": message_to_json(changed), "state": "cleared"}


def loaded(folder: Path, node: str = ROOT) -> LoadedNode:
    with closing(connect()) as connection:
        caught_up(connection, folder)
        return load_node(connection, node, EN)


def test_what_a_session_needs_to_go_on(folder: Path) -> None:
    file = chain(folder)
    file.row("usage", {"prompt": 90, "cached": 10, "completion": 5, "message": "a1", "model": "m"})
    last = {"prompt": 100, "cached": 80, "completion": 7, "message": "a2", "model": "n"}
    file.row("usage", last)
    file.row("replace", replaced(result("t1", "c1"), "(cleared)"))
    file.row("pin", {"ids": ["u1"], "pinned": True})
    file.row("recovery", {"slot": {"message": "t2", "text": "known", "first": False}})
    found = loaded(folder)
    assert [m.id for m in found.history] == ["s1", "u1", "a1", "t1", "t2", "a2"]
    assert [m.text for m in found.history if m.role == "tool"] == ["(cleared)", "second"]
    assert found.history.recovery == RecoverySlot("t2", "known")
    assert found.standings == {
        "t1": Standing("cleared", body=BodyRef(ROOT, 10)),
        "u1": Standing(pinned=True),
    }
    assert found.last_usage == LastUsage("a2", "n", 100, 80, 7, BodyRef(ROOT, 9))
    assert not found.last_usage.counts(found.history, found.standings), "a body changed since"
    assert (found.ledger, found.last_seq) == (ROOT, 12)
    assert (found.waiting, found.skipped, found.lost, found.children) == ((), 0, (), ())
    assert (found.node.id, found.node.chain, found.node.project) == (ROOT, ROOT, "/p")
    assert (found.node.messages, found.node.turns, found.node.title) == (5, 1, "fix it")
    assert (found.node.prompt, found.node.peak) == (190, 100)


def test_figures_count_until_what_they_counted_changes(folder: Path) -> None:
    file = chain(folder)
    last = {"prompt": 100, "cached": 80, "completion": 7, "message": "a2", "model": "n"}
    file.row("replace", replaced(result("t1", "c1"), "(cleared)"))
    file.row("usage", last)
    file.say(user("u2"), step("a3", "c3"), result("t3", "c3"))
    file.row("replace", replaced(result("t3", "c3"), "(in a file)"))
    usage = loaded(folder).last_usage
    found = loaded(folder)
    assert usage is not None
    assert usage.counts(found.history, found.standings), "what came later wasn't counted"
    shorter = History([one for one in found.history if one.id not in {"a2", "u2", "a3", "t3"}])
    assert not usage.counts(shorter, found.standings), "the answer isn't there"
    elsewhere = {"t1": Standing("cleared", body=BodyRef("bbbbbbbbbbbb", 99))}
    assert usage.counts(found.history, elsewhere), "kept with the parent's body"
    file.row("replace", replaced(user("u1"), "shorter"))
    found = loaded(folder)
    assert not usage.counts(found.history, found.standings)


def test_tiers_that_wait(folder: Path) -> None:
    file = chain(folder)
    assert loaded(folder).paused == frozenset()
    for tier, on in (("clear", True), ("summary", True), ("clear", True), ("summary", False)):
        file.row("paused", {"tier": tier, "on": on})
    assert loaded(folder).paused == {"clear"}
    file.row("paused", {"tier": "offload", "on": True})
    file.row("paused", {"tier": ["clear"], "on": False})
    found, again = loaded(folder), rebuild(read_rows(file.path), ROOT, EN)
    assert (set(found.paused), found.skipped) == ({"clear"}, 2)
    assert (set(again.paused), len(again.skipped)) == ({"clear"}, 2)


def test_an_open_step_stays_open_and_early_results_wait(folder: Path) -> None:
    file = File(folder)
    file.say(user("u1"), step("a1", "c1", "c2", "c3"), result("t3", "c3"), result("t1", "c1"))
    found = loaded(folder)
    assert [m.id for m in found.history] == ["u1", "a1", "t1"]
    assert [m.id for m in found.waiting] == ["t3"]
    assert [call.id for call in found.history.open_calls] == ["c2", "c3"]


def test_a_lost_result_is_closed_as_when_it_is_rebuilt(folder: Path) -> None:
    file = File(folder)
    file.say(user("u1"), step("a1", "c1", "c2"), result("t1", "c1"))
    file.raw(b"\xff garbage\n")
    file.seq += 1
    file.say(answer("a2"))
    found = loaded(folder)
    assert same(found.history, rebuild(read_rows(file.path), ROOT, EN).history)
    assert [call.id for call in found.lost] == ["c2"]
    assert [m.id for m in found.history][2] == "t1"
    assert len(found.history) == 5


def test_children_are_those_that_go_on(folder: Path) -> None:
    chain(folder)
    begun = {"chain": ROOT, "parent": ROOT, "layout": ["s1", "u1"], "project": "/p"}
    summary = File(folder)
    summary.seq = 7
    summary.row("node", begun | {"relation": "summary"}, node="bbbbbbbbbbbb")
    summary.row("node", begun | {"relation": "agent"}, node="cccccccccccc", conversation="task-1")
    fork = File(folder, "dddddddddddd")
    fork.seq = 20
    fork.row("node", begun | {"relation": "fork", "fork_at": "u1"})
    other = File(folder, "eeeeeeeeeeee")
    other.row("node", begun | {"chain": "eeeeeeeeeeee", "relation": "clear", "layout": []})
    found = loaded(folder)
    assert found.children == ("bbbbbbbbbbbb", "dddddddddddd")
    assert [m.id for m in loaded(folder, "dddddddddddd").history] == ["s1", "u1"]
    assert loaded(folder, "eeeeeeeeeeee").history.messages == ()


def test_an_unknown_node_is_not_found(folder: Path) -> None:
    chain(folder)
    with pytest.raises(NodeNotFound):
        loaded(folder, "ffffffffffff")


def test_a_message_of_a_later_version_is_left_out_and_counted(folder: Path) -> None:
    chain(folder)
    with closing(connect()) as connection:
        caught_up(connection, folder)
        connection.execute(
            """UPDATE messages SET content = '{"id":"u1","role":"user","parts":[{"kind":"new"}]}'
            WHERE id = 'u1'"""
        )
        found = load_node(connection, ROOT, EN)
    assert [m.id for m in found.history] == ["s1", "a1", "t1", "t2", "a2"]
    assert found.skipped == 1


def test_only_the_live_history_is_read(folder: Path) -> None:
    """What was said before a summary costs nothing: its rows aren't touched."""
    file = File(folder)
    for turn in range(50):
        file.say(user(f"u{turn}"), answer(f"a{turn}"))
    begun = {"chain": ROOT, "parent": ROOT, "relation": "summary", "layout": ["u49", "a49"]}
    file.row("node", begun, node="bbbbbbbbbbbb")
    with closing(connect()) as connection:
        caught_up(connection, folder)
        statements: list[str] = []
        connection.execute("UPDATE messages SET content = 'broken' WHERE id NOT IN ('u49', 'a49')")
        connection.set_trace_callback(statements.append)
        found = load_node(connection, "bbbbbbbbbbbb", EN)
    assert [m.id for m in found.history] == ["u49", "a49"]
    assert found.skipped == 0
    assert not [text for text in statements if text.startswith(("INSERT", "UPDATE", "DELETE"))]
