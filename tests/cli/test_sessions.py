"""`haima sessions`: what earlier sessions left is listed, shown, deleted, restored and pruned."""

import json
import os
import re
from pathlib import Path

import pytest

from app.archive.ledger import Ledger
from tests.cli.kept import ELSEWHERE, FORK, ID, OTHER, Kept
from tests.cli.support import Haima, haima, shell


def test_the_list_shows_this_projects_chains_as_trees(sessions: Haima) -> None:
    ran = sessions("list")
    assert (ran.code, ran.err) == (0, "")
    head, *lines = ran.out.splitlines()
    assert head.split() == ["session", "title", "turns", "messages", "used", "model"]
    assert [re.split(r"  +", line)[:2] for line in lines] == [
        ["7f3a9c01", "Upgrade to Java 21"],
        ["└─ 8e100000", "fork at 1 · try GraalVM"],
        ["2b770000", "审计日志过滤器"],
    ]


def test_the_records_have_their_fields(sessions: Haima) -> None:
    ran = sessions("list", "--json")
    assert ran.ids == [FORK, ID, OTHER]
    fork, root, _ = ran.records
    fields = "id parent_id chain relation title model mode messages tokens created used"
    assert list(fork)[:11] == fields.split()
    assert (fork["parent_id"], fork["chain"], fork["relation"]) == (ID, ID, "fork")
    assert (root["parent_id"], root["relation"]) == (None, None)
    assert (root["title"], root["model"], root["mode"]) == (
        "Upgrade to Java 21",
        "deepseek-v3.2",
        "react",
    )
    assert root["tokens"] == 2 * 1_050
    assert root["created"] < root["used"] < fork["used"]


def test_all_shows_other_projects_too(sessions: Haima) -> None:
    assert sessions("list", "--all", "--json").ids == [FORK, ID, ELSEWHERE, OTHER]
    text = sessions("list", "--all").out
    assert text.index("/elsewhere\n") > text.index("8e100000")


def test_another_folder_has_sessions_of_its_own(sessions: Haima, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    ran = sessions("list", "--project", str(empty))
    assert (ran.code, ran.out) == (
        0,
        f"No conversation in {empty} yet; --all shows those of other projects.\n",
    )
    assert sessions("list", "--project", str(empty), "--json").out == ""


def test_a_session_in_use_has_a_mark(sessions: Haima, kept: Kept) -> None:
    with Ledger.open(kept.ledger(FORK)):
        lines = sessions("list").out.splitlines()
    assert ["●" in line for line in lines] == [False, False, True, False]


def test_a_session_is_shown_with_its_turns(sessions: Haima) -> None:
    ran = sessions("show", "8e1")
    assert (ran.code, ran.err) == (0, "")
    text = ran.out
    assert text.splitlines()[0] == "try GraalVM"
    assert f"came from   {ID} (fork at 1)" in text
    assert "chain of 2" in text
    assert "1.0k prompt (40% cached), 50 answer" in text
    turns = [line.split() for line in text.splitlines()[-3:]]
    assert turns[0][:2] == ["1", "7f3a01bb"], "where a fork keeps the whole turn"
    assert turns[0][-4:] == ["Upgrade", "to", "Java", "21"]
    assert turns[1][1:] == ["8e100000:", "forked", "off", "here"]
    assert turns[2][:2] == ["2", "8e1001bb"]


def test_a_session_is_one_record(sessions: Haima) -> None:
    (record,) = sessions("show", ID, "--json").records
    assert record["id"] == ID
    assert [prompt["text"] for prompt in record["prompts"]] == ["Upgrade to Java 21", "go ahead"]
    assert record["prompts"][1]["turn"] == 2
    assert record["prompts"][1]["message"] == "7f3a02aa"
    assert record["prompts"][1]["last"] == "7f3a02bb"


def test_prompts_are_shown_without_secrets(sessions: Haima, kept: Kept) -> None:
    """FIELD 46: a list of them is pasted into reports, as titles are."""
    key = "AKIAQ3EGRTWO5XHZLM4P"
    kept.talk("9d4e000000aa", "Deploy it", f"the key is {key}, go on", f"{'x' * 190} {key}")
    for ran in (sessions("show", "9d4e"), sessions("show", "9d4e", "--json")):
        assert ran.code == 0
        assert key[:10] not in ran.out
    assert "the key is ‹secret›, go on" in sessions("show", "9d4e").out


@pytest.mark.parametrize("action", ["show", "export", "delete", "restore"])
def test_an_unknown_id_is_not_found(sessions: Haima, action: str) -> None:
    ran = sessions(action, "ffff")
    assert (ran.code, ran.out) == (4, "")
    assert "ffff" in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("action", ["show", "export", "delete"])
def test_an_ambiguous_prefix_lists_the_candidates(sessions: Haima, kept: Kept, action: str) -> None:
    kept.talk("7f3b000000aa", "Another one")
    ran = sessions(action, "7f3")
    assert (ran.code, ran.out) == (2, "")
    assert ID in ran.err
    assert "7f3b000000aa" in ran.err
    assert ran.err.count("\n") == 1


def test_a_session_of_this_project_comes_before_others(sessions: Haima, kept: Kept) -> None:
    kept.talk("7f3b000000aa", "Another one", project="/elsewhere")
    assert sessions("show", "7f3", "--json").ids == [ID]
    assert sessions("show", "7f3b", "--json").ids == ["7f3b000000aa"]


def test_a_deleted_chain_is_gone_until_it_is_restored(sessions: Haima, kept: Kept) -> None:
    before = kept.ledger(ID).read_bytes()
    ran = sessions("delete", "8e1")
    assert ran.code == 0
    assert ran.out == (
        f"Deleted: Upgrade to Java 21, 2 sessions. haima sessions restore {ID} brings it back.\n"
    )
    assert kept.ledger(ID).read_bytes().startswith(before)
    assert sessions("list", "--json").ids == [OTHER]
    assert sessions("list", "--deleted", "--json").ids == [FORK, ID, OTHER]
    assert "deleted · Upgrade" in sessions("list", "--deleted").out
    assert sessions("show", "8e1").code == 4
    assert sessions("restore", "8e1").out == "Restored: Upgrade to Java 21, 2 sessions.\n"
    assert sessions("list", "--json").ids == [FORK, ID, OTHER]
    assert sessions("restore", "8e1").code == 4, "it isn't deleted"


def test_delete_and_restore_print_the_sessions_as_they_are(sessions: Haima) -> None:
    gone = sessions("delete", ID, "--json").records
    assert [(record["id"], bool(record["deleted"])) for record in gone] == [
        (ID, True),
        (FORK, True),
    ]
    back = sessions("restore", ID, "--json").records
    assert [(record["id"], record["deleted"]) for record in back] == [(ID, None), (FORK, None)]


def test_a_session_in_use_is_not_deleted(sessions: Haima, kept: Kept) -> None:
    with Ledger.open(kept.ledger(FORK)):
        ran = sessions("delete", ID)
    assert ran.code == 1
    assert "open" in ran.err
    assert ID in sessions("list", "--json").ids


def test_prune_removes_what_is_old(sessions: Haima, kept: Kept) -> None:
    kept.talk("ffff000000aa", "Fresh")
    assert sessions("prune", "--older-than", "36h", "--dry-run", "--json").ids == [
        OTHER,
        ELSEWHERE,
    ], "a fork keeps its chain"
    tried = sessions("prune", "--older-than", "12h", "--dry-run", "--json")
    assert tried.ids == [OTHER, ELSEWHERE, ID]
    assert {record["removed"] for record in tried.records} == {False}
    assert tried.records[2]["nodes"] == 2
    assert kept.ledger(OTHER).exists()
    text = sessions("prune", "--older-than", "12h", "--dry-run").out
    assert "审计日志过滤器" in text
    assert text.splitlines()[-1].startswith("3 conversations would go")
    assert kept.ledger(OTHER).exists()
    ran = sessions("prune", "--older-than", "12h", "--json")
    assert (ran.code, ran.ids) == (0, tried.ids)
    assert {record["removed"] for record in ran.records} == {True}
    assert not any(kept.ledger(name).exists() for name in (ID, FORK, OTHER, ELSEWHERE))
    assert sessions("list", "--all", "--json").ids == ["ffff000000aa"]
    assert sessions("prune", "--older-than", "12h").out.count("\n") == 1


@pytest.mark.parametrize("age", ["long", "", "-3d", "5"])
def test_what_is_no_age_is_a_usage_error(sessions: Haima, kept: Kept, age: str) -> None:
    ran = sessions("prune", f"--older-than={age}")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("\n") == 1
    assert not kept.paths.database.exists(), "nothing was opened"


def test_a_bad_line_is_told_and_the_rest_is_there(sessions: Haima, kept: Kept) -> None:
    with kept.ledger(OTHER).open("ab") as file:
        file.write(b'{"seq": nonsense\n')
    ran = sessions("list", "--json")
    assert ran.code == 0
    assert OTHER in ran.ids
    assert ran.err.startswith("haima: 1 line ")


def test_a_newer_database_is_left_alone(sessions: Haima, kept: Kept) -> None:
    import sqlite3

    kept.paths.home.mkdir(exist_ok=True)
    database = sqlite3.connect(kept.paths.database)
    database.execute("CREATE TABLE t (a)")
    database.execute("PRAGMA user_version = 99")
    database.close()
    before = kept.paths.database.read_bytes()
    ran = sessions("list")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.count("\n") == 1
    assert kept.paths.database.read_bytes() == before


def test_looking_makes_nothing() -> None:
    for command in (("sessions", "list"), ("sessions", "show", "7f3a"), ("usage",)):
        ran = haima(*command)
        assert ran.returncode == (4 if "show" in command else 0)
    assert list(Path(os.environ["HOME"]).iterdir()) == []


def test_in_chinese(sessions: Haima) -> None:
    text = sessions("list", "--lang", "zh").out
    assert "自 1 轮分叉 · try GraalVM" in text
    assert sessions("show", "2b77", "--lang", "zh").out.splitlines()[0] == "审计日志过滤器"


def test_a_reader_that_goes_away_is_no_fault(kept: Kept) -> None:
    for number in range(200):
        kept.talk(f"{number:012x}", f"Conversation {number} " + "x" * 60, days=number)
    kept.talk("ffff000000aa", *("x" * 1_000 for _ in range(200)))
    for command in ("list --json", "export ffff"):
        ran = shell(f"$haima sessions {command} | head -c 1; echo ${{PIPESTATUS[0]}}")
        assert (ran.stdout[1:], ran.stderr) == ("0\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
def test_a_full_disk_is_said(kept: Kept) -> None:
    ran = shell("$haima sessions list > /dev/full; echo $?")
    assert (ran.stdout, ran.stderr.count("\n")) == ("1\n", 1)
    assert "full" in ran.stderr


def test_a_process_of_its_own(kept: Kept) -> None:
    ran = haima("sessions", "list", "--json")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert [json.loads(line)["id"] for line in ran.stdout.splitlines()] == [FORK, ID, OTHER]
