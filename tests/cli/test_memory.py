"""`haima memory`: what is remembered is listed, searched, changed, written out and in."""

import json
import re

import pytest

from tests.cli.remembered import EVERYWHERE, GUESS, HERE, OLD, THERE, Remembered
from tests.cli.support import Haima, cells, imported


def test_the_list_shows_this_projects_and_global_memories(memory: Haima) -> None:
    ran = memory("list")
    assert (ran.code, ran.err) == (0, "")
    head, *rows, blank, counts = ran.out.splitlines()
    assert head.split() == ["id", "state", "memory", "scope", "confirmed"]
    assert [re.split(r"  +", row) for row in rows] == [
        [OLD, "~ stale", "Releases are cut on Fridays", "project", rows[0].split()[-1]],
        [GUESS, "? unverified", "The tests need a running Redis", "project", "never"],
        [HERE, "✓ fresh", "项目使用 JDK 17", "project", "2 d"],
        [EVERYWHERE, "✓ fresh", "The user prefers short answers", "global", "3 d"],
    ]
    assert blank == ""
    assert counts == "4 memories · 1 stale · 1 unverified · 2 fresh"


def test_a_record_is_the_files_own_fields_and_the_state(
    memory: Haima, remembered: Remembered
) -> None:
    ran = memory("list", "--json")
    assert ran.ids == [HERE, EVERYWHERE, GUESS, OLD], "in the file's order"
    assert ran.records == [
        entry | {"state": state}
        for entry, state in zip(
            remembered.entries, ("fresh", "fresh", "unverified", "stale"), strict=False
        )
    ]
    assert ran.records[0]["note"] == "kept"


def test_all_shows_other_projects_marked(memory: Haima) -> None:
    assert memory("list", "--all", "--json").ids[-1] == THERE
    (row,) = [line for line in memory("list", "--all").out.splitlines() if THERE in line]
    assert "  /elsewhere  " in row


def test_a_narrow_terminal_gets_narrow_lines(
    memory: Haima, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "48")
    for language in ("en", "zh"):
        lines = memory("list", "--lang", language).out.splitlines()
        assert max(map(cells, lines[:-2])) <= 48
        assert any(OLD in line and ("stale" in line or "过时" in line) for line in lines)


def test_where_nothing_is_remembered(memory: Haima, remembered: Remembered) -> None:
    remembered.file.unlink()
    assert "Nothing is remembered" in memory("list").out
    assert memory("list", "--all").out == "Nothing is remembered yet.\n"
    ran = memory("list", "--json")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert memory("export").out.strip() == "[]"
    assert memory("search", "JDK").code == 0
    assert list(remembered.file.parent.iterdir()) == [], "looking makes nothing"
    assert memory("clear").code == 0
    assert not remembered.file.exists()


def test_a_search_gives_the_nearest(memory: Haima) -> None:
    assert memory("search", "which", "JDK", "--json").ids == [HERE], "never another project's"
    ran = memory("search", "JDK")
    assert HERE in ran.out
    assert "3 others have none of these words" in ran.out


def test_a_search_without_hits_is_no_failure(memory: Haima) -> None:
    ran = memory("search", "kubernetes")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "No memory has a word of that.\n"
    assert memory("search", "kubernetes", "--json").out == ""


def test_a_new_memory_belongs_to_this_project(memory: Haima, remembered: Remembered) -> None:
    ran = memory("add", "The", "port is 8080")
    assert (ran.code, ran.err) == (0, "")
    assert "The port is 8080" in ran.out
    entry = remembered.entries[-1]
    assert entry["content"] == "The port is 8080"
    assert entry["metadata"]["scope"] == "project"
    assert entry["metadata"]["project"] == remembered.project
    assert entry["metadata"]["author"] == "you"
    assert memory("list", "--json").records[-1]["state"] == "fresh"


def test_a_global_memory_is_seen_everywhere(memory: Haima, remembered: Remembered) -> None:
    (record,) = memory("add", "--global", "--json", "Commit messages are in English").records
    assert record["state"] == "fresh"
    assert record["metadata"]["scope"] == "global"
    other = remembered.home / "other"
    other.mkdir()
    assert memory("list", "--project", str(other), "--json").ids == [EVERYWHERE, record["id"]]


def test_an_equal_one_is_confirmed_not_doubled(memory: Haima, remembered: Remembered) -> None:
    (record,) = memory("add", "releases are cut on Fridays.", "--json").records
    assert (record["id"], record["state"]) == (OLD, "fresh")
    assert len(remembered.entries) == 5


def test_haimas_own_key_is_masked(
    memory: Haima, remembered: Remembered, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-" + "proj4f9A1b7C2d8E3f6G5h0J" * 2
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert memory("add", f"The staging key is {key}").code == 0
    assert key not in remembered.file.read_text(encoding="utf-8")
    assert "The staging key is" in remembered.contents[-1]


def test_verified_by_the_beginning_of_an_id(memory: Haima) -> None:
    ran = memory("verify", "fact-3d", "#fact-2", "--json")
    assert ran.code == 0
    assert {one["id"]: one["state"] for one in ran.records} == {OLD: "fresh", GUESS: "fresh"}


def test_what_is_only_near_is_told(memory: Haima) -> None:
    assert memory("add", "Releases are cut on Monday").code == 0
    out = memory("add", "Releases are cut on Tuesdays and Fridays").out
    assert "close to “Releases are cut on " in out
    assert "相近" in memory("add", "Releases are cut on Mondays at noon", "--lang", "zh").out


def test_confirming_what_the_files_deny_says_so(memory: Haima, remembered: Remembered) -> None:
    """FIELD 49: a fact about a file that is gone, 90 days old."""
    gone = remembered.fact("fact-5f000000", "Deploys run scripts/deploy.sh", days=90)
    remembered.write((*remembered.entries, gone))
    (row,) = [one for one in memory("list").out.splitlines() if "deploy.sh" in one]
    assert "✗ contradicted" in row
    ran = memory("verify", "fact-5f", "--json")
    assert (ran.code, [one["state"] for one in ran.records]) == (0, ["contradicted"])
    assert "Files say otherwise" in ran.err and "scripts/deploy.sh is not there" in ran.err
    assert memory("verify", "fact-5f", "--lang", "zh").err.count("不存在") == 1
    assert "Files" not in memory("verify", OLD).err


@pytest.mark.parametrize("action", [("verify",), ("replace", "x"), ("delete",), ("restore",)])
def test_what_is_not_there_is_not_found(
    memory: Haima, remembered: Remembered, action: tuple[str, ...]
) -> None:
    before = remembered.file.read_bytes()
    for name in ("fact-ffff", THERE):
        ran = memory(action[0], name, *action[1:])
        assert (ran.code, ran.out) == (4, "")
        assert name in ran.err
        assert ran.err.count("\n") == 1
    assert remembered.file.read_bytes() == before


@pytest.mark.parametrize("action", [("verify",), ("replace", "x"), ("delete",)])
def test_an_ambiguous_beginning_lists_the_candidates(
    memory: Haima, remembered: Remembered, action: tuple[str, ...]
) -> None:
    before = remembered.file.read_bytes()
    ran = memory(action[0], "fact-1a", *action[1:])
    assert (ran.code, ran.out) == (2, "")
    assert HERE in ran.err
    assert EVERYWHERE in ran.err
    assert remembered.file.read_bytes() == before


def test_one_unknown_id_among_several_changes_nothing(
    memory: Haima, remembered: Remembered
) -> None:
    before = remembered.file.read_bytes()
    assert memory("delete", HERE, "fact-ffff").code == 4
    assert remembered.file.read_bytes() == before


def test_replaced_and_brought_back(memory: Haima, remembered: Remembered) -> None:
    (record,) = memory("replace", HERE, "项目使用", "JDK 21", "--json").records
    assert record["content"] == "项目使用 JDK 21"
    assert record["id"] != HERE
    assert "项目使用 JDK 17" not in remembered.contents
    assert memory("delete", record["id"]).code == 0
    assert memory("restore", HERE[:9], "--json").ids == [HERE]
    assert "项目使用 JDK 17" in remembered.contents


def test_deleted_and_brought_back_as_it_was(memory: Haima, remembered: Remembered) -> None:
    before = remembered.entries
    ran = memory("delete", HERE, GUESS)
    assert ran.code == 0
    assert [entry["id"] for entry in remembered.entries] == [EVERYWHERE, OLD, THERE]
    (change,) = re.findall(r"haima memory restore ([0-9a-f]{12})", ran.out)
    ran = memory("restore", change)
    assert (ran.code, ran.err) == (0, "")
    assert remembered.entries == before
    assert memory("restore", change).code == 4, "it is taken back already"


def test_deleted_for_good(memory: Haima, remembered: Remembered) -> None:
    assert memory("delete", OLD).code == 0
    assert memory("delete", HERE, OLD, "--everywhere", "--json").ids == [HERE, OLD]
    assert memory("restore", HERE).code == 4
    assert memory("restore", OLD).code == 4
    kept = b"".join(path.read_bytes() for path in remembered.file.parent.iterdir())
    assert b"JDK 17" not in kept
    assert b"Fridays" not in kept


def test_cleared_by_scope_and_undone(memory: Haima, remembered: Remembered) -> None:
    before = remembered.entries
    ran = memory("clear", "--scope", "global", "--json")
    assert ran.ids == [EVERYWHERE]
    (record,) = ran.records
    assert memory("restore", record["change"]).code == 0, "a script can take it back"
    assert memory("clear", "--scope", "global", "--json").ids == [EVERYWHERE]
    ran = memory("clear")
    assert remembered.contents == ["The other project uses JDK 8"]
    (change,) = re.findall(r"haima memory restore ([0-9a-f]{12})", ran.out)
    assert memory("restore", change, EVERYWHERE, "--json").ids == [HERE, GUESS, OLD, EVERYWHERE]
    assert remembered.entries == before


def test_the_export_is_the_files_own_format(memory: Haima, remembered: Remembered) -> None:
    out = memory("export").out
    assert json.loads(out) == remembered.entries[:-1]
    text = remembered.file.read_text(encoding="utf-8")
    assert out.rstrip().removesuffix("]").rstrip() in text, "byte for byte"
    assert memory("export", "--all", "--json").out == text


def test_a_damaged_file_is_put_aside_and_told(memory: Haima, remembered: Remembered) -> None:
    whole = remembered.file.read_text(encoding="utf-8")
    remembered.file.write_text(whole[: whole.index(THERE)], encoding="utf-8")
    ran = memory("list", "--json")
    assert ran.ids == [HERE, EVERYWHERE, GUESS, OLD]
    assert ran.code == 0
    assert ran.err.count("\n") == 1
    assert memory("add", "The port is 8080").code == 0
    (copy,) = remembered.file.parent.glob("*.corrupt-*")
    assert copy.read_text(encoding="utf-8") == whole[: whole.index(THERE)]


def test_what_can_not_be_written_is_a_failure(memory: Haima, remembered: Remembered) -> None:
    before = remembered.file.read_bytes()
    journal = remembered.file.with_name("long_term_memory.journal.jsonl")
    journal.mkdir()
    ran = memory("add", "The port is 8080")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.count("\n") == 1
    assert remembered.file.read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("forget",),
        ("add",),
        ("add", "  "),
        ("search", ""),
        ("replace", HERE),
        ("verify",),
        ("verify", "#"),
        ("clear", "--scope", "all"),
        ("list", "more"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_sentence(
    memory: Haima, remembered: Remembered, arguments: tuple[str, ...]
) -> None:
    before = remembered.file.read_bytes()
    ran = memory(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("\n") == 1
    assert remembered.file.read_bytes() == before


def test_a_text_may_begin_with_a_dash(memory: Haima, remembered: Remembered) -> None:
    assert memory("add", "--", "-Xmx2g is needed for the tests").code == 0
    assert remembered.contents[-1] == "-Xmx2g is needed for the tests"


def test_nothing_heavy_is_imported_to_look() -> None:
    packages = imported("memory", "list")
    assert "pydantic" in packages, "the settings are read"
    assert not packages & {"openai", "httpx", "httpx2", "textual", "jieba"}
