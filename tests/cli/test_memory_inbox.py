"""`haima memory inbox`: nothing overwrites a memory before the user has decided."""

import json
from pathlib import Path

import pytest

from tests.cli.remembered import HERE, Remembered
from tests.cli.support import Haima

NEW = "项目使用 JDK 21"


def test_a_conflict_is_not_written_but_waits(memory: Haima, remembered: Remembered) -> None:
    before = remembered.file.read_bytes()
    ran = memory("add", NEW)
    assert (ran.code, ran.out) == (3, "")
    assert NEW in ran.err
    assert "haima memory inbox" in ran.err
    assert remembered.file.read_bytes() == before
    listed = memory("list")
    assert "1 conflict waits for you: haima memory inbox" in listed.out
    (row,) = [line for line in listed.out.splitlines() if HERE in line]
    assert "≠ conflicting" in row


def test_the_inbox_shows_both_sides(memory: Haima) -> None:
    assert memory("inbox").out == "Nothing waits for a decision.\n"
    (pending,) = memory("add", NEW, "--json").records
    ran = memory("inbox")
    assert ran.code == 0
    head, new, old, _, how = ran.out.splitlines()
    assert head.split()[:3] == ["1", pending["id"], "project"]
    assert new.split(maxsplit=1) == ["new", NEW]
    assert old.split(maxsplit=2) == ["existing", HERE, "项目使用 JDK 17"]
    assert "--keep-both N" in how
    (record,) = memory("inbox", "--json").records
    assert record == pending
    assert (record["content"], record["existing"], record["state"]) == (NEW, [HERE], "conflicting")


@pytest.mark.parametrize(
    ("decision", "contents"),
    [
        ("--replace", {NEW}),
        ("--keep-both", {NEW, "项目使用 JDK 17"}),
        ("--keep-existing", {"项目使用 JDK 17"}),
    ],
)
def test_the_user_decides(
    memory: Haima, remembered: Remembered, decision: str, contents: set[str]
) -> None:
    before = remembered.file.read_bytes()
    (pending,) = memory("add", NEW, "--json").records
    by = "1" if decision == "--replace" else pending["id"][:-1]
    ran = memory("inbox", decision, by)
    assert (ran.code, ran.err) == (0, "")
    assert {text for text in remembered.contents if "JDK 8" not in text and "JDK" in text} == (
        contents
    )
    if decision == "--keep-existing":
        assert remembered.file.read_bytes() == before
    assert memory("inbox", "--json").out == ""
    assert {one["state"] for one in memory("search", "JDK", "--json").records} == {"fresh"}


@pytest.mark.parametrize("decision", ["--replace", "--keep-both"])
def test_what_came_since_is_asked_about_too(
    memory: Haima, remembered: Remembered, decision: str
) -> None:
    """The decision is about what was shown; with the rest it goes on waiting."""
    (pending,) = memory("add", NEW, "--json").records
    (since,) = memory("add", "--force", "项目使用 JDK 25", "--json").ids
    before = remembered.file.read_bytes()
    assert memory("inbox", decision, "1").code == 3
    assert remembered.file.read_bytes() == before
    (left,) = memory("inbox", "--json").records
    assert (left["id"], left["existing"]) == (pending["id"], [HERE, since])
    assert memory("inbox", decision, "1").code == 0
    assert NEW in remembered.contents
    assert ("项目使用 JDK 25" in remembered.contents) is (decision == "--keep-both")
    assert memory("inbox", "--json").out == ""


def test_who_decides_about_an_import_confirms_it(memory: Haima, tmp_path: Path) -> None:
    file = tmp_path / "texts.json"
    file.write_text(json.dumps([NEW]), encoding="utf-8")
    assert memory("import", str(file)).code == 3
    (record,) = memory("inbox", "--keep-both", "1", "--json").records
    assert record["state"] == "fresh"


@pytest.mark.parametrize("name", ["2", "0", "zzzz"])
def test_a_conflict_that_does_not_wait_is_not_found(
    memory: Haima, remembered: Remembered, name: str
) -> None:
    assert memory("add", NEW).code == 3
    file = remembered.file.with_name("inbox.json")
    (row,) = json.loads(file.read_bytes())
    # A number is a place in the list, though an id may begin with it.
    file.write_text(json.dumps([row | {"id": "ask-2022beef"}]), encoding="utf-8")
    ran = memory("inbox", "--replace", name)
    assert (ran.code, ran.out) == (4, "")
    assert memory("inbox", "--json").records
    assert memory("inbox", "--replace", "2022").code == 0


def test_force_keeps_both(memory: Haima, remembered: Remembered) -> None:
    assert memory("add", "--force", NEW).code == 0
    assert NEW in remembered.contents
    assert "项目使用 JDK 17" in remembered.contents
    assert memory("inbox", "--json").out == ""


def test_a_replacement_may_contradict_another_memory(memory: Haima, remembered: Remembered) -> None:
    (port,) = memory("add", "The port is 8080", "--json").ids
    ran = memory("replace", port, NEW, "--json")
    assert ran.code == 3
    assert ran.records[0]["existing"] == [port, HERE]
    assert memory("inbox", "--replace", "1").code == 0
    assert NEW in remembered.contents
    assert not {"The port is 8080", "项目使用 JDK 17"} & set(remembered.contents)


def test_a_replacement_by_force(memory: Haima, remembered: Remembered) -> None:
    (port,) = memory("add", "The port is 8080", "--json").ids
    assert memory("replace", port, NEW, "--force").code == 0
    assert {NEW, "项目使用 JDK 17"} <= set(remembered.contents)


def test_two_decisions_at_once_are_none(memory: Haima) -> None:
    ran = memory("inbox", "--replace", "1", "--keep-both", "1")
    assert (ran.code, ran.out) == (2, "")
