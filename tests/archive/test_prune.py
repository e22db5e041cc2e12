"""Deleting is soft; pruning takes whole chains, all that belongs to them, and never an open one."""

import json
import os
import shutil
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.archive import prune as prune_module
from app.archive.ledger import Ledger
from app.archive.outside import ChainOpen, LedgerGone, delete_chain, set_title, undelete_chain
from app.archive.prune import BadAge, OldChain, finish_prunes, parse_age, plan_prune, prune
from app.archive.rows import read_rows
from app.archive.schema import TABLES
from app.archive.sessions import find_node, list_nodes
from app.storage import StorageError
from tests.archive.chains import Chains, user

NOW = datetime(2026, 6, 1, tzinfo=UTC)
DAY = timedelta(days=1)


class Place:
    """A database with chains, their ledgers and folders of big results.

    `old`: used in January, with a summary and a fork; `new`: used an hour ago.
    """

    def __init__(self, folder: Path) -> None:
        self.ledgers = folder / "raw"
        self.project = folder / "project"
        self.ledgers.mkdir()
        self.project.mkdir()
        self.chains = Chains()
        self.connection = self.chains.connection
        self.chains.node("old", project=str(self.project), title="Old one")
        self.chains.say("old", user("u1"))
        self.chains.fail("old", "no answer")
        self.chains.node("kid", parent="old", relation="summary", project=str(self.project))
        self.chains.node("fork", parent="old", relation="fork", project=str(self.project))
        self.chains.say("fork", user("u2"))
        self.chains.sql(
            """INSERT INTO usage (ledger, seq, node, conversation, at, model, prompt, cached,
            completion, reasoning) VALUES ('old', 9, 'old', 'main', '', 'm', 1, 0, 1, 0)"""
        )
        self.chains.sql("""INSERT INTO bodies (ledger, seq, message, chain, content)
            VALUES ('old', 8, 'u1', 'old', '{}')""")
        self.chains.node("new", project=str(self.project))
        self.chains.say("new", user("u3"))
        self.chains.sql("UPDATE nodes SET used = '2026-05-31T23:00:00.000Z' WHERE id = 'new'")
        for name in ("old", "fork", "new"):
            for suffix in ("", ".torn-20260101T000000Z-ab12", ".replaced-20260101T000000Z-cd34"):
                (self.ledgers / f"{name}.jsonl{suffix}").write_text("{}\n")
        for chain in ("old", "new"):
            for place in (self.outputs(chain), self.pastes(chain)):
                place.mkdir(parents=True)
                (place / "001-read_file.txt").write_text("big")

    def outputs(self, chain: str) -> Path:
        return self.project / ".haima" / "tool-outputs" / chain

    def pastes(self, chain: str) -> Path:
        return self.project / ".haima" / "pastes" / chain

    def files(self) -> set[str]:
        """The chains whose files are there."""
        return {path.name.split(".")[0] for path in self.ledgers.iterdir()}

    def plan(self, days: float = 30) -> tuple[OldChain, ...]:
        return plan_prune(self.connection, self.ledgers, days * DAY, NOW)

    def prune(self, days: float = 30) -> list[str]:
        return [old.chain for old in prune(self.connection, self.ledgers, self.plan(days))]

    def rows_of(self, chain: str) -> int:
        """How many rows of all tables tell of a chain."""
        count = 0
        for table in TABLES:
            for row in self.connection.execute(f"SELECT * FROM {table}"):
                count += chain in tuple(row)
        return count


@pytest.fixture
def place(folder: Path) -> Place:
    return Place(folder)


def test_a_dry_run_lists_and_touches_nothing(place: Place) -> None:
    (old,) = place.plan()
    assert (old.chain, old.title, old.nodes) == ("old", "Old one", 3)
    assert (old.ledgers, old.size) == (("fork", "old"), 6)
    assert old.used.startswith("2026-01-01")
    assert old.project == str(place.project)
    assert place.files() == {"old", "fork", "new"}
    assert place.outputs("old").exists()


def test_a_chain_goes_with_all_that_belongs_to_it(place: Place) -> None:
    assert place.prune() == ["old"]
    assert place.files() == {"new"}
    assert not place.outputs("old").exists()
    assert not place.pastes("old").exists()
    assert place.outputs("new").exists()
    assert place.pastes("new").exists()
    assert place.rows_of("old") == 0
    assert [node.id for node in list_nodes(place.connection, None)] == ["new"]
    assert place.connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert place.prune() == []


def test_one_use_of_a_fork_keeps_its_whole_chain(place: Place) -> None:
    place.chains.sql("UPDATE nodes SET used = '2026-05-31T00:00:00.000Z' WHERE id = 'fork'")
    assert place.prune() == []
    assert place.files() == {"old", "fork", "new"}


def test_deleted_chains_are_pruned_by_the_same_age(place: Place) -> None:
    place.chains.sql("UPDATE nodes SET deleted = '2026-05-31T00:00:00.000Z'")
    assert place.prune() == ["old"]


def test_the_age_is_strict(place: Place) -> None:
    used = datetime.fromisoformat(place.plan()[0].used)
    assert plan_prune(place.connection, place.ledgers, NOW - used, NOW) == ()
    less = NOW - used - timedelta(milliseconds=1)
    assert [old.chain for old in plan_prune(place.connection, place.ledgers, less, NOW)] == ["old"]


@pytest.mark.parametrize("used", ["", "0", "nonsense"])
def test_a_time_of_use_that_cannot_be_read_keeps_the_chain(place: Place, used: str) -> None:
    place.chains.sql("UPDATE nodes SET used = ?", used)
    assert place.plan() == ()


def test_an_age_beyond_all_time_keeps_everything(place: Place) -> None:
    assert place.plan(999_999) == ()


@pytest.mark.parametrize("name", ["old", "fork"])
def test_an_open_chain_stays(place: Place, name: str) -> None:
    plan = place.plan()
    with Ledger.open(place.ledgers / f"{name}.jsonl"):
        assert place.plan() == ()
        assert prune(place.connection, place.ledgers, plan) == ()
    assert place.outputs("old").exists()
    assert place.prune() == ["old"]


def test_a_chain_used_since_the_plan_stays(place: Place) -> None:
    plan = place.plan()
    place.chains.say("fork", user("u9"))
    assert prune(place.connection, place.ledgers, plan) == ()
    plan = place.plan()
    place.chains.node("late", parent="old", relation="fork")
    place.chains.sql("UPDATE nodes SET used = '2026-01-01T00:00:00.000Z' WHERE id = 'late'")
    assert prune(place.connection, place.ledgers, plan) == ()
    assert place.files() == {"old", "fork", "new"}


class Crash(BaseException):
    """The process ends here."""


CRASHES = ["unlink", "rmtree", "sync_folder", "forget_chain"]


def crash(place: Place, monkeypatch: pytest.MonkeyPatch, where: str, after: int = 0) -> None:
    """Prunes up to a step, where the process ends."""
    plan = place.plan()
    left = after

    def stop(*_: object, **__: object) -> None:
        nonlocal left
        if left == 0:
            raise Crash
        left -= 1
        original(*_, **__)

    owner: object = prune_module
    if where == "unlink":
        owner = Path
    if where == "rmtree":
        owner = shutil
    original = getattr(owner, where)
    with monkeypatch.context() as patch:
        patch.setattr(owner, where, stop)
        with pytest.raises(Crash):
            prune(place.connection, place.ledgers, plan)


@pytest.mark.parametrize("where", CRASHES)
@pytest.mark.parametrize("again", ["prune", "finish"])
def test_a_second_run_finishes_a_half_one(
    place: Place, monkeypatch: pytest.MonkeyPatch, where: str, again: str
) -> None:
    crash(place, monkeypatch, where)
    if again == "prune":
        place.prune()
    else:
        assert finish_prunes(place.connection, place.ledgers) == ("old",)
    assert place.files() == {"new"}
    assert not place.outputs("old").exists()
    assert place.rows_of("old") == 0


def test_a_half_run_is_finished_after_the_database_was_built_anew(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash(place, monkeypatch, "unlink", after=3)
    for table in reversed(TABLES):
        place.chains.sql(f"DELETE FROM {table}")
    assert finish_prunes(place.connection, place.ledgers) == ("old",)
    assert place.files() == {"new"}
    assert not place.outputs("old").exists()


def test_what_is_left_of_a_half_run_and_used_again_stays(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash(place, monkeypatch, "unlink")
    mark = place.ledgers / "old.prune"
    os.utime(mark, ns=(0, 0))
    assert finish_prunes(place.connection, place.ledgers) == ()
    assert not mark.exists()
    assert (place.ledgers / "old.jsonl").exists()


def test_what_is_left_of_a_half_run_and_open_waits(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash(place, monkeypatch, "unlink")
    with Ledger.open(place.ledgers / "old.jsonl"):
        assert finish_prunes(place.connection, place.ledgers) == ()
    assert finish_prunes(place.connection, place.ledgers) == ("old",)


@pytest.mark.parametrize("text", ["", "[]", '{"ledgers": 1}', '{"ledgers": ["../x"]}'])
def test_a_mark_that_says_nothing_removes_nothing_but_itself(place: Place, text: str) -> None:
    outside = place.ledgers.parent / "x.jsonl"
    outside.write_text("")
    (place.ledgers / "old.prune").write_text(text)
    before = place.rows_of("old")
    assert finish_prunes(place.connection, place.ledgers) == ()
    assert outside.exists()
    assert place.files() == {"old", "fork", "new"}
    assert not (place.ledgers / "old.prune").exists()
    assert place.rows_of("old") == before


def test_a_mark_names_only_the_chains_own_folder(place: Place) -> None:
    told = {"ledgers": ["odd"], "folders": [str(place.project), str(place.outputs("new"))]}
    (place.ledgers / "odd.prune").write_text(json.dumps(told))
    assert finish_prunes(place.connection, place.ledgers) == ("odd",)
    assert place.outputs("new").exists()


@pytest.mark.parametrize("link", ["", "tool-outputs", "tool-outputs/old"])
def test_a_link_in_the_projects_folder_leads_nowhere(place: Place, link: str) -> None:
    elsewhere = place.ledgers.parent / "elsewhere"
    linked = place.project / ".haima" / link
    linked.rename(elsewhere)
    linked.symlink_to(elsewhere)
    assert place.prune() == ["old"]
    assert list(elsewhere.rglob("*.txt"))


def test_a_file_that_cannot_go_is_an_error_and_tried_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", refuse)
        with pytest.raises(StorageError):
            place.prune()
    assert place.rows_of("old") > 0
    place.prune()
    assert place.rows_of("old") == 0


@pytest.mark.parametrize(
    ("text", "hours"), [("12h", 12), ("30d", 720), (" 4W ", 672), ("0d", 0), ("7 d", 168)]
)
def test_ages(text: str, hours: int) -> None:
    assert parse_age(text) == timedelta(hours=hours)


@pytest.mark.parametrize("text", ["", "d", "30", "2m", "-1d", "1.5d", "٣d", "1d2h", "9999999d"])
def test_what_is_no_age_is_a_sentence(text: str) -> None:
    with pytest.raises(BadAge, match="30d"):
        parse_age(text)


@given(st.text(max_size=8))
def test_any_text_is_an_age_or_an_error(text: str) -> None:
    try:
        assert parse_age(text) >= timedelta(0)
    except BadAge as error:
        assert error.code == "bad_age"


@pytest.fixture
def kept(folder: Path) -> Path:
    """A folder with one whole ledger, `old`."""
    path = folder / "old.jsonl"
    with Ledger.open(path) as ledger:
        ledger.append("session", {}, node="old")
    return folder


@pytest.fixture
def connection() -> sqlite3.Connection:
    chains = Chains()
    chains.node("old")
    chains.node("fork", parent="old", relation="fork")
    return chains.connection


def test_deleting_and_undeleting_are_rows_of_the_roots_ledger(
    kept: Path, connection: sqlite3.Connection
) -> None:
    written = [
        delete_chain(connection, kept, "old"),
        undelete_chain(connection, kept, "old"),
    ]
    rows = list(read_rows(kept / "old.jsonl"))
    assert [(row.kind, row.node, row.data) for row in rows[1:]] == [
        ("delete", "old", {"deleted": True}),
        ("delete", "old", {"deleted": False}),
    ]
    assert [(one.ledger, one.row.seq) for one in written] == [("old", 2), ("old", 3)]
    assert written[-1].size == (kept / "old.jsonl").stat().st_size
    assert [path.name for path in kept.iterdir()] == ["old.jsonl"]


@pytest.mark.parametrize("name", ["old", "fork"])
def test_what_is_open_anywhere_is_not_deleted(
    kept: Path, connection: sqlite3.Connection, name: str
) -> None:
    size = (kept / "old.jsonl").stat().st_size
    with Ledger.open(kept / f"{name}.jsonl"), pytest.raises(ChainOpen) as caught:
        delete_chain(connection, kept, "old")
    assert caught.value.code == "session_open"
    assert (kept / "old.jsonl").stat().st_size == size


def test_without_its_ledger_nothing_can_be_told(
    folder: Path, connection: sqlite3.Connection
) -> None:
    with pytest.raises(LedgerGone):
        delete_chain(connection, folder, "old")
    assert list(folder.iterdir()) == []


def test_a_title_is_one_line_in_the_nodes_ledger(
    kept: Path, connection: sqlite3.Connection
) -> None:
    node = find_node(connection, "old")
    set_title(kept, node, "  Fix\nthe   parser " + "x" * 100)
    *_, row = read_rows(kept / "old.jsonl")
    assert (row.kind, row.node) == ("title", "old")
    assert row.data == {"title": "Fix the parser " + "x" * 65}
    with Ledger.open(kept / "old.jsonl"), pytest.raises(ChainOpen):
        set_title(kept, node, "other")
