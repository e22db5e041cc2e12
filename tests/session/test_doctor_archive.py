"""The doctor looks at the database, at SQLite, and at what is open."""

import sqlite3
from pathlib import Path

import pytest

import app.archive.health
from app.archive.database import Database
from app.archive.ledger import Ledger
from app.archive.schema import VERSION
from app.paths import Paths
from app.session.doctor import Finding, archive
from app.text import Words

EN, ZH = Words("en"), Words("zh")
ENVIRON = {"HOME": "/home/u"}
NODE = "7f3a9c01d2e4"


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    """A home with one ledger."""
    paths = Paths(tmp_path / "haima")
    write(paths, NODE)
    return paths


def write(paths: Paths, node: str) -> None:
    with Ledger.open(paths.ledger(node)) as ledger:
        ledger.append("session", {"project": "/p", "model": "m"}, node=node)


async def take_in(paths: Paths) -> None:
    database = await Database.open(paths.database, paths.ledgers)
    await database.catch_up()
    await database.close()


async def looked_at(paths: Paths, words: Words = EN) -> Finding:
    """The finding about the database."""
    found = await archive.database(paths, ENVIRON, words)
    return found[0]


async def test_there_is_none_yet(paths: Paths) -> None:
    found = await looked_at(paths)
    assert (found.state, found.value, found.note) == ("ok", "comes with the next session", "")
    assert not paths.database.exists()


async def test_a_sound_one(paths: Paths) -> None:
    await take_in(paths)
    found = await looked_at(paths)
    assert (found.state, found.note, found.cure) == ("ok", "sound", "")
    assert found.value.startswith(f"version {VERSION}, 0.")
    assert (await looked_at(paths, ZH)).note == "完好"


async def test_one_that_lacks_rows(paths: Paths) -> None:
    await take_in(paths)
    write(paths, "2b77000000aa")
    write(paths, NODE)
    found = await looked_at(paths)
    assert (found.state, found.note) == (
        "ok",
        "2 ledgers have news, taken in at the next start",
    )


async def test_a_newer_one(paths: Paths) -> None:
    await take_in(paths)
    connection = sqlite3.connect(paths.database)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    found = await looked_at(paths)
    assert found.state == "fail"
    assert found.value.startswith("version 99")
    assert "update Haima" in found.cure


async def test_a_damaged_one(paths: Paths) -> None:
    paths.database.write_bytes(b"rubbish" * 1000)
    found = await looked_at(paths)
    assert (found.state, found.cure) == ("fail", "haima doctor --rebuild")
    await take_in(paths)
    found = await looked_at(paths)
    assert (found.state, found.note) == ("ok", "sound")
    assert "corrupt-" in found.details[0], "what was put aside is named"


async def test_sqlite_without_full_text_search(
    paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = (await archive.database(paths, ENVIRON, EN))[1]
    assert (whole.check, whole.state, whole.value) == ("sqlite", "ok", sqlite3.sqlite_version)
    monkeypatch.setattr(app.archive.health, "has_fts5", lambda: False)
    found = (await archive.database(paths, ENVIRON, EN))[1]
    assert (found.state, found.note) == ("warn", "no full-text search")
    assert found.cure


async def test_open_sessions_are_named(paths: Paths) -> None:
    none, locks = await archive.locks(paths, EN)
    assert (none.check, none.value, none.note, locks.check) == ("in_use", "none", "", "locks")
    with Ledger.open(paths.ledger(NODE)), Ledger.open(paths.ledger("2b77000000aa")):
        found, locks = await archive.locks(paths, EN)
    assert (found.state, found.value, found.note) == ("ok", "2b770000, 7f3a9c01", "2 open")
    assert locks.value.startswith("2 in use")
