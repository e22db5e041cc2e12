"""`haima replay`: recordings played through the compaction, as a table and as records."""

import gzip
import json
import os
import shutil
from pathlib import Path

import pytest

from app.cli.commands import POLICIES
from app.replay.policy import POLICIES as REAL
from tests.cli.kept import FORK, ID, Kept
from tests.cli.support import Haima, cells

DATA = Path(__file__).parents[1] / "data" / "replay"

FIELDS = (
    "file policy window steps tokens_sent peak cache_reuse cost offloaded cleared summarized "
    "invalid goal_kept rules_kept measures"
)


@pytest.fixture
def replay(capfd: pytest.CaptureFixture[str]) -> Haima:
    return Haima(capfd, "replay")


def test_the_policies_are_those_there_are() -> None:
    assert POLICIES == REAL


def test_one_record_a_file_and_policy(replay: Haima) -> None:
    claude, codex = str(DATA / "claude.jsonl"), str(DATA / "codex.jsonl")
    ran = replay(claude, codex, "--json", "--window", "32k", "--compare", "none", "truncate")
    assert (ran.code, ran.err) == (0, "")
    told = [(one["file"], one["policy"]) for one in ran.records]
    assert told == [
        (path, policy) for path in (claude, codex) for policy in ("haima", "none", "truncate")
    ]
    for record in ran.records:
        assert list(record)[:15] == FIELDS.split()
        assert list(record["measures"]) == list("ABCDEF")
        assert (record["window"], record["invalid"]) == (32_000, 0)
        assert record["goal_kept"] == 1.0
    first = ran.records[0]
    assert (first["steps"], first["format"]) == (3, "claude")
    assert first["skipped"] == {
        "broken": 1,
        "meta": 3,
        "repeated": 1,
        "sidechain": 1,
        "unknown": 1,
    }


def test_a_policy_by_itself(replay: Haima) -> None:
    ran = replay(str(DATA / "chat.jsonl"), "--json", "--policy", "truncate")
    assert [one["policy"] for one in ran.records] == ["truncate"]
    assert ran.records[0]["window"] == 128_000


def test_the_window_is_the_recorded_one_unless_another_is_asked_for(replay: Haima) -> None:
    assert replay(str(DATA / "codex.jsonl"), "--json").records[0]["window"] == 258_400
    asked = replay(str(DATA / "codex.jsonl"), "--json", "--window", "16000")
    assert asked.records[0]["window"] == 16_000


@pytest.mark.parametrize("columns", [40, 80, 140])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_people_get_a_table(
    columns: int, language: str, replay: Haima, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    ran = replay(str(DATA / "claude.jsonl"), "--compare", "none", "--lang", language)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert max(map(cells, lines)) <= columns
    assert lines[0] == "Tide tables for the harbour"
    rows = [line.split()[0] for line in lines if line.split()[:1] and line.split()[0] in REAL]
    assert rows == ["haima", "none"]
    words = {"en": "Claude Code · 8 messages · 3 steps", "zh": "Claude Code · 8 条消息 · 3 步"}
    assert words[language] in " ".join(lines)
    assert ("of sub-agents" if language == "en" else "子 agent 的") in " ".join(lines)


def test_what_would_help_is_shown(replay: Haima) -> None:
    ran = replay(str(DATA / "chat.jsonl"), "--suggest")
    assert ran.code == 0
    assert "no other setting was clearly better than the one in use" in ran.out
    record = replay(str(DATA / "chat.jsonl"), "--suggest", "--json").records[-1]
    assert record["suggestion"] == {}
    assert record["files"] == [str(DATA / "chat.jsonl")]
    assert list(record["before"]) == ["B", "F", "cost"]


def test_a_session_is_found_by_the_beginning_of_its_id(replay: Haima, kept: Kept) -> None:
    ran = replay("7f3a", "--json")
    assert (ran.code, ran.err) == (0, "")
    record = ran.records[0]
    assert (record["file"], record["format"], record["steps"]) == (ID, "haima", 2)
    fork = replay(f"#{FORK[:5]}", "--json").records[0]
    assert (fork["file"], fork["steps"]) == (FORK, 2)
    path = kept.ledger(ID)
    ledger = replay(str(path), "--json").records[0]
    assert (ledger["file"], ledger["format"], ledger["steps"]) == (str(path), "haima", 2)


def test_a_forks_ledger_is_played_with_its_parents(
    replay: Haima, kept: Kept, tmp_path: Path
) -> None:
    """They lie beside it, packed or not; without them it is said that the beginning is missing."""
    deeper = kept.fork("9f20000000aa", FORK, 2, "try it with musl")
    whole = replay(f"#{deeper[:5]}", "--json").records[0]
    assert whole["steps"] == 3
    played = replay(str(kept.ledger(deeper)), "--json")
    record = played.records[0]
    kept_names = ("title", "steps", "messages", "tokens_sent", "measures", "past_missing")
    same = [(record.get(name), whole.get(name)) for name in kept_names]
    assert all(one == other for one, other in same), same
    copied = tmp_path / "copied"
    copied.mkdir()
    for name in (FORK, deeper):
        with gzip.open(copied / f"{name}.jsonl.gz", "wb") as packed:
            packed.write(kept.ledger(name).read_bytes())
    path = copied / f"{deeper}.jsonl.gz"
    part = replay(str(path), "--json").records[0]
    assert (part["steps"], part["past_missing"]) == (2, ID)
    for language, told in (("en", f"{ID}.jsonl isn't beside it"), ("zh", f"旁边没有 {ID}.jsonl")):
        ran = replay(str(path), "--lang", language)
        assert ran.code == 0
        assert told in " ".join(ran.out.split())
    parent = copied / f"{ID}.jsonl.gz"
    parent.write_bytes(gzip.compress(kept.ledger(ID).read_bytes())[:-9])
    assert replay(str(path), "--json").records[0]["past_missing"] == ID, "it is damaged"
    parent.unlink()
    shutil.copy(kept.ledger(ID), copied)
    assert replay(str(path), "--json").records[0]["steps"] == 3
    first, rest = gzip.decompress(path.read_bytes()).split(b"\n", 1)
    row = json.loads(first)
    row["data"]["after"] = ["000000000000", 5]
    path.write_bytes(gzip.compress(json.dumps(row).encode() + b"\n" + rest))
    assert replay(str(path), "--json").records[0]["past_missing"] == "000000000000"
    row["data"]["after"] = [FORK, 5]
    path.write_bytes(gzip.compress(json.dumps(row).encode() + b"\n" + rest))
    assert replay(str(path), "--json").records[0]["steps"] == 3


def test_a_ledger_names_no_file_elsewhere(replay: Haima, kept: Kept, tmp_path: Path) -> None:
    row = json.loads(kept.ledger(FORK).read_text(encoding="utf-8").splitlines()[0])
    row["data"]["after"] = ["../secret", 1]
    rest = kept.ledger(FORK).read_bytes().split(b"\n", 1)[1]
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "forged.jsonl"
    path.write_bytes(json.dumps(row).encode() + b"\n" + rest)
    shutil.copy(kept.ledger(ID), tmp_path / "secret.jsonl")
    record = replay(str(path), "--json").records[0]
    assert record["steps"] == 1


def test_the_id_of_a_chain_means_how_it_stands_now(replay: Haima, kept: Kept) -> None:
    """Its first node has the same id, and may hold a fraction of what was said."""
    after = kept.summary("9d20000000aa", ID, "And now?", "And then?")
    last = kept.summary("9e20000000aa", after, "And that?")
    played = replay(ID, "--json").records[0]
    assert (played["file"], played["steps"]) == (last, 5)
    assert replay(after, "--json").records[0]["steps"] == 4
    assert replay(FORK, "--json").records[0]["steps"] == 2


def test_sessions_that_follow_each_other_in_a_ring_are_played(replay: Haima, kept: Kept) -> None:
    """A damaged ledger: the first session came out of the last."""
    first = kept.talk("5d20000000aa", "Where?")
    last = kept.summary("5e20000000aa", first, "And now?")
    path = kept.ledger(first)
    begun, *more = path.read_text(encoding="ascii").splitlines(keepends=True)
    row = json.loads(begun)
    row["data"] |= {"parent": last, "relation": "summary"}
    path.write_text(json.dumps(row) + "\n" + "".join(more), encoding="ascii")
    assert replay(first, "--json").records[0]["file"] == last


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("none.jsonl",), 4, "There is no file none.jsonl"),
        (("some/where",), 4, "There is no file some/where"),
        (("~nobody-here/a.jsonl",), 4, "There is no file ~nobody-here/a.jsonl"),
        ((str(DATA),), 4, "is a folder; name the recordings in it"),
        (("ffff",), 4, "ffff"),
        ((), 2, "FILE|ID is missing"),
        (("x.jsonl", "--policy", "best"), 2, "--policy is best, but must be one of haima"),
        (("x.jsonl", "--compare", "none", "nothing"), 2, "--compare is nothing"),
        (("x.jsonl", "--window", "0"), 2, "window"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    arguments: tuple[str, ...], code: int, sentence: str, replay: Haima
) -> None:
    ran = replay(*arguments)
    assert ran.code == code
    assert sentence in ran.err
    assert ran.err.count("\n") == 1
    assert ran.out == ""


def test_a_file_that_cannot_be_played_costs_itself_only(replay: Haima) -> None:
    bad = Path(os.environ["HOME"], "notes.txt")
    bad.write_text("milk, bread\n", encoding="utf-8")
    ran = replay(str(bad), str(DATA / "chat.jsonl"), "--json")
    assert ran.code == 1
    assert [one["file"] for one in ran.records] == [str(DATA / "chat.jsonl")]
    assert "notes.txt is in no format that is known" in ran.err


def test_files_of_one_name_are_told_apart(replay: Haima, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Path(os.environ["HOME"])
    monkeypatch.chdir(home)
    given = ["one/chat.jsonl", "two/chat.jsonl"]
    for path in map(Path, given):
        path.parent.mkdir()
        shutil.copyfile(DATA / "chat.jsonl", path)
    ran = replay(*given, "--json", "--suggest", "--policy", "none")
    assert [one["file"] for one in ran.records[:2]] == given
    assert ran.records[2]["files"] == given


def test_a_packed_ledger_is_played(replay: Haima, kept: Kept) -> None:
    path = kept.ledger(ID)
    there = Path(os.environ["HOME"], f"{path.name}.gz")
    there.write_bytes(gzip.compress(path.read_bytes()))
    record = replay(str(there), "--json").records[0]
    assert (record["file"], record["format"], record["steps"]) == (str(there), "haima", 2)


def test_nothing_is_left_behind(replay: Haima) -> None:
    home = Path(os.environ["HOME"])
    before = sorted(map(str, home.rglob("*")))
    data = json.dumps(sorted(path.name for path in DATA.iterdir()))
    replay(str(DATA / "chat.jsonl"), "--json")
    after = [one for one in sorted(map(str, home.rglob("*"))) if ".haima" not in one]
    assert after == [one for one in before if ".haima" not in one]
    assert json.dumps(sorted(path.name for path in DATA.iterdir())) == data


def test_progress_is_one_line_on_stderr_where_somebody_looks(
    replay: Haima, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    ran = replay(str(DATA / "claude.jsonl"), "--json", "--window", "32k")
    assert len(ran.records) == 1
    assert "claude.jsonl · haima · step 3 of 3" in ran.err
    assert "\n" not in ran.err
    assert ran.err.endswith("\r\x1b[K"), "nothing of it stays"
