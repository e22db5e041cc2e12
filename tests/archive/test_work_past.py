"""What a node knows of the work by its own past, and of other chains of the project."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from app.archive import work as loading
from app.archive.work import Unbegun, Unfinished, load_work, older_work, unfinished
from app.conversation.by_hand import ByHand
from app.conversation.encoding import message_to_json
from app.conversation.messages import Message, ToolCall
from app.conversation.outcome import ToolOutcome
from app.conversation.work import (
    Done,
    EntityKey,
    Goal,
    Progress,
    Work,
)
from app.conversation.work_state import LoadedWork
from app.memory.worklog import Worklog
from tests.archive.recording import result, user
from tests.archive.tables import ROOT, File, caught_up, connect
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


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(connect(tmp_path / "haima.db")) as connection:
        yield connection


def test_rules_and_progress_are_those_of_the_path(
    database: sqlite3.Connection, folder: Path
) -> None:
    root, fork = File(folder), File(folder, FORK)
    begin(root, ROOT)
    say(root, 1, rule("one"))
    act(root, 1, todo("early"))
    root.row("work", {"work": rule("by hand").to_data()})
    begin(fork, FORK, parent=ROOT, relation="fork", layout=["u1"], fork_at="ac", fork_turn=1)
    fork.seq = 40
    begin(fork, OTHER, parent=ROOT, relation="fork", layout=["u1"], fork_at="tc1-0", fork_turn=1)
    say(fork, 9, rule("nine"), node=OTHER)
    say(root, 2, rule("two"))
    act(root, 2, todo("late"))
    begin(root, CHILD, parent=ROOT, relation="summary", layout=["u1", "u2"])
    say(root, 3, rule("three"), node=CHILD)
    begin(root, "agent0000000", parent=CHILD, relation="agent")
    say(root, 4, rule("four"), node="agent0000000")

    child = loaded(database, folder, CHILD)
    assert said(child) == ["one", "by hand", "two", "three"]
    assert [m.work.progress.todo for m in child.marks if m.work.progress] == [("late",)]
    assert child.turns == 3
    other = loaded(database, folder, OTHER)
    assert said(other) == ["one", "by hand", "nine"]
    assert other.marks[-1].work.progress == Progress(("early",))
    assert other.turns == 2
    assert said(loaded(database, folder, "agent0000000")) == ["four"]
    assert said(loaded(database, folder, "none")) == []


def test_what_was_changed_by_hand_in_an_undone_summary_holds(
    database: sqlite3.Connection, folder: Path
) -> None:
    root = File(folder)
    begin(root, ROOT)
    say(root, 1, rule("one"))
    begin(root, CHILD, parent=ROOT, relation="summary", layout=["u1"])
    root.row("work", {"work": (rule("two")).to_data()}, node=CHILD)
    begin(root, OTHER, parent=CHILD, relation="expand", layout=["u1"])
    root.row("work", {"work": todo("x").to_data()}, node=OTHER)
    root.row("undo", {"parent": CHILD}, node=OTHER)
    root.row("undo", {"parent": ROOT}, node=CHILD)
    say(root, 2, rule("three"))
    found = loaded(database, folder, ROOT)
    assert said(found) == ["one", "two", "three"]
    assert found.marks[-1].work.progress == Progress(("x",))


def test_what_the_agent_was_not_told_yet_is_that_of_the_path(
    database: sqlite3.Connection, folder: Path
) -> None:
    root, fork = File(folder), File(folder, FORK)
    begin(root, ROOT)
    say(root, 1)
    added = replace(todo("mine"), by_hand=ByHand(entries=(("mine", ""),)))
    root.row("work", {"work": added.to_data()})
    fork.seq = 40
    begin(fork, FORK, parent=ROOT, relation="fork", layout=["u1"], fork_at="u1", fork_turn=1)
    say(root, 2, Work(told=True))
    log = Worklog("/p")
    log.restore(loaded(database, folder, FORK))
    assert log.untold == added.by_hand and log.progress.todo == ("mine",)
    log = Worklog("/p")
    log.restore(loaded(database, folder, ROOT))
    assert log.untold == ByHand()


def test_entities_are_of_the_whole_chain_the_own_ledger_last(
    database: sqlite3.Connection, folder: Path
) -> None:
    root, fork = File(folder), File(folder, FORK)
    begin(root, ROOT)
    say(root, 1)
    act(root, 1, file("both.py"), file("root.py"))
    begin(fork, FORK, parent=ROOT, relation="fork", layout=["u1"], fork_at="u1", fork_turn=1)
    act(fork, 2, file("both.py", "read"), file("fork.py", "created"))
    act(root, 3)
    act(root, 4, file("late.py"))

    seen = loaded(database, folder, FORK)
    assert names(seen) == ["root.py", "late.py", "both.py", "fork.py"]
    both = seen.entities[2]
    assert (both.action, both.changed, both.times, both.step) == ("read", "edited", 2, 3)
    assert (seen.steps, seen.entities[1].step) == (3, 2)
    assert names(loaded(database, folder, ROOT)) == ["fork.py", "both.py", "root.py", "late.py"]


def test_a_forgotten_entity_comes_back_with_a_touch(
    database: sqlite3.Connection, folder: Path
) -> None:
    root, fork = File(folder), File(folder, FORK)
    begin(root, ROOT)
    say(root, 1)
    act(root, 1, file("a.py"), file("b.py"))
    gone = Work(forgotten=(EntityKey("file", "a.py"), EntityKey("file", "none")))
    root.row("work", {"work": gone.to_data()})
    begin(fork, FORK, parent=ROOT, relation="fork", layout=["u1"], fork_at="u1", fork_turn=1)
    fork.row("work", {"work": {"forgotten": [["file", "b.py"]]}})
    found = loaded(database, folder, FORK)
    assert [(one.name, one.forgotten) for one in found.entities] == [
        ("a.py", True),
        ("b.py", True),
    ]
    assert found.marks == ()
    act(fork, 2, file("b.py", "read"))
    found = loaded(database, folder, FORK)
    assert [(one.name, one.forgotten) for one in found.entities] == [
        ("a.py", True),
        ("b.py", False),
    ]


def test_changed_files_are_loaded_however_many_entities_there_are(
    database: sqlite3.Connection, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "MOST", 3)
    root, fork = File(folder), File(folder, FORK)
    begin(root, ROOT)
    say(root, 1)
    act(root, 1, file("old.py"), file("seen.py", "read"))
    act(root, 2, *(file(f"{number}.py", "read") for number in range(4)))
    assert names(loaded(database, folder, ROOT)) == ["old.py", "1.py", "2.py", "3.py"]
    begin(fork, FORK, parent=ROOT, relation="fork", layout=["u1"], fork_at="u1", fork_turn=1)
    fork.row("message", {"message": message_to_json(user("u7")), **told(file("2.py", "read"))},
             at="2026-11-30T00:00:00.000Z")  # fmt: skip
    found = loaded(database, folder, FORK)
    assert names(found) == ["old.py", "1.py", "3.py", "2.py"]
    assert found.entities[-1].times == 2


def test_a_chain_of_an_older_haima_knows_its_changed_files(
    database: sqlite3.Connection, folder: Path
) -> None:
    root = File(folder)
    begin(root, ROOT)
    ok = ToolOutcome(ok=True, seconds=0.1, characters=4).to_data()
    for number, name in enumerate(("b.py", "a.py", "b.py")):
        call = ToolCall(f"c{number}", "edit_file", f'{{"path":"{name}"}}')
        root.say(Message(f"a{number}", "assistant", calls=(call,)))
        root.say(replace(result(f"t{number}", call.id), tool="edit_file"), outcome=ok)
    found = loaded(database, folder, ROOT)
    assert found.older and names(found) == []
    older = older_work(database, ROOT)
    assert [(one.name, one.action) for one in older.touches] == [
        ("a.py", "edited"),
        ("b.py", "edited"),
    ]
    root.row("work", {"work": older.to_data()})
    kept = loaded(database, folder, ROOT)
    assert names(kept) == ["a.py", "b.py"]
    assert not kept.older


def chain_of(folder: Path, name: str, minute: int, *works: Work, title: str = "") -> File:
    """A chain with a message of the user, at a time, and what is said by hand."""
    ledger = File(folder, name)
    at = f"2026-11-29T12:{minute:02}:00.000Z"
    start = {"chain": name, "project": "/p"}
    ledger.row("node", start, at=at)
    message = {"message": message_to_json(user(f"u-{name}", title or "hello"))}
    ledger.row("message", message, at=at)
    for work in works:
        ledger.row("work", {"work": work.to_data()}, at=at)
    return ledger


def test_unfinished_work_is_that_of_the_chain_used_last(
    database: sqlite3.Connection, folder: Path
) -> None:
    goal = Work(goal=Goal("Mend the parser", "u", 1), progress=Progress(("a", "b"), (Done("c"),)))
    old = chain_of(folder, "a" * 12, 1, goal, title="The parser")
    chain_of(folder, "b" * 12, 2, todo("x"), todo())
    chain_of(folder, "c" * 12, 3)
    caught_up(database, folder)
    found = Unfinished(
        "a" * 12, "a" * 12, "The parser", "Mend the parser", 2, 1, "2026-11-29T12:01:00.000Z"
    )
    assert unfinished(database, "/p") == found
    assert unfinished(database, "/p", but="a" * 12) is None
    assert unfinished(database, "/other") is None
    chain = chain_of(folder, "d" * 12, 4, todo("y"))
    caught_up(database, folder)
    newer = unfinished(database, "/p")
    assert newer is not None
    assert newer.chain == "d" * 12
    # Taken over, or settled by the user: not offered again.
    at = "2026-11-29T12:05:00.000Z"
    chain_of(folder, "e" * 12, 5).row("work", {"work": {}, "taken_from": "d" * 12}, at=at)
    caught_up(database, folder)
    assert unfinished(database, "/p") == found
    # It went on there: that is news.
    chain.row("work", {"work": todo("z").to_data()}, at="2026-11-29T12:06:00.000Z")
    caught_up(database, folder)
    again = unfinished(database, "/p")
    assert again is not None and again.chain == "d" * 12
    chain.row("delete", {"deleted": True})
    old.row("delete", {"deleted": True})
    caught_up(database, folder)
    assert unfinished(database, "/p") is None


def elsewhere(work: LoadedWork) -> list[str]:
    """What turns outside a node's past had to do with last."""
    return [one.entity.name for one in work.elsewhere]


def test_what_turns_outside_the_past_did(database: sqlite3.Connection, folder: Path) -> None:
    """After the branch point in a shared ledger, and in ledgers of other branches."""
    root, fork, other = File(folder), File(folder, FORK), File(folder, OTHER)
    begin(root, ROOT)
    say(root, 1)
    act(root, 1, file("a"))
    say(root, 2)
    act(root, 2, file("b"), ran("make"))
    begin(root, CHILD, parent=ROOT, relation="summary", layout=["u1", "u2"])
    say(root, 3, node=CHILD)
    act(root, 3, file("c"), file("a", "read"), ran("pytest"), node=CHILD)
    act(root, 4, file("d", "named"), node=CHILD)
    shared = {"parent": ROOT, "relation": "fork"}
    fork.seq = 40
    begin(fork, FORK, **shared, layout=["u1"], fork_at="tc1-0", fork_turn=1)
    assert elsewhere(loaded(database, folder, CHILD)) == []
    assert elsewhere(loaded(database, folder, FORK)) == ["pytest", "c", "make", "b"]
    end = load_work(database, ROOT, OTHER, Unbegun(ROOT, "tc2-1", 2))
    assert elsewhere(end) == ["pytest", "c"], "what came after the summary"

    say(fork, 5)
    act(fork, 5, file("c", "read"), file("a"), ran("make"))
    assert elsewhere(loaded(database, folder, FORK)) == ["pytest", "b"], "it knows them again"
    assert elsewhere(loaded(database, folder, CHILD)) == ["make", "a"]
    other.seq = 80
    begin(other, OTHER, **shared, layout=["u1", "u2"], fork_at="tc2-1", fork_turn=2)
    say(other, 6)
    act(other, 6, file("a"), file("c", "deleted"))
    assert elsewhere(loaded(database, folder, FORK)) == ["c", "a", "pytest", "b"]
    assert elsewhere(loaded(database, folder, OTHER)) == ["make", "pytest"]
    last = load_work(database, ROOT, "eeeeeeeeeeee", Unbegun(FORK, None, None))
    assert elsewhere(last) == ["c", "a", "pytest", "b"]


def ran(command: str) -> Work:
    return Work.from_data({"touches": [["command", command, "ran", "", True, "", None]]})
