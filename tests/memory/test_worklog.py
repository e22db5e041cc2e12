"""The worklog: what was done, folded up, whatever happens to the conversation (FACTS 4, FIELD)."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.conversation.work import (
    ACTIONS,
    KINDS,
    Done,
    EntityKey,
    Goal,
    Progress,
    Rule,
    Touch,
    Work,
)
from app.conversation.work_state import LoadedWork, Mark
from app.memory import worklog
from app.memory.worklog import Worklog
from tests.memory.work_desk import AT, ROOT, Session, told

SECRET_CODE = "def frobnicate_it(): return 4711_0815"
LONGER = "keep it simple, and never use npm"
UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"


def state(log: Worklog) -> object:
    return (
        log.entities(),
        log.changed,
        log.rules,
        log.revoked_rules,
        log.goal,
        log.first_goal,
        log.progress,
        log.step,
    )


def test_the_same_file_is_one_entity(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").touch()
    (tmp_path / "link.py").symlink_to("src/a.py")
    session = Session(Worklog(str(tmp_path), resolve=os.path.realpath))
    for spelt in (
        "src/a.py",
        "./src/a.py",
        f"{tmp_path}/src/a.py",
        "src/../src/a.py",
        "src\\a.py",
        "link.py",
    ):
        session.call("read_file", path=spelt)
    (entity,) = session.log.entities()
    assert (entity.name, entity.times, entity.step) == ("src/a.py", 6, 6)


def test_a_step_counts_with_the_first_result_that_touches_something() -> None:
    """The archive tells no others: a log that is loaded must be as old as the live one."""
    log = Worklog(ROOT)
    touch = Work(touches=(Touch("file", "a.py", "read"),))
    log.next_step()
    log.apply(Work(progress=Progress(("x",))), at=AT, result=True)
    log.apply(touch, at=AT)  # the user named it meanwhile
    assert log.step == 0
    log.next_step()
    log.apply(touch, at=AT, result=True)
    log.apply(touch, at=AT, result=True)
    assert log.step == 1


def test_renamed_and_deleted_files_are_marked() -> None:
    session = Session()
    session.call("write_file", path="a.py", content="")
    session.run("git mv a.py b.py")
    session.call("edit_file", path="c.py", old="x", new="y")
    session.run("rm c.py")
    assert [(one.name, one.changed, one.file) for one in session.log.changed] == [
        ("c.py", "deleted", ""),
        ("b.py", "renamed", "a.py"),
        ("a.py", "deleted", ""),
    ]


def test_a_folder_takes_its_files_with_it() -> None:
    session = Session()
    session.call("write_file", path="old/a.py", content="")
    session.call("read_file", path="old/sub/b.py")
    session.call("read_file", path="older/c.py")
    session.run("mv old new")
    changed = {one.name: one.changed for one in session.log.changed}
    assert changed["old/a.py"] == "deleted"
    assert changed["new/a.py"] == changed["new/sub/b.py"] == "renamed"
    assert "older/c.py" not in changed
    session.run("rm -r new")
    assert {one.changed for one in session.log.changed} == {"deleted"}


def test_a_file_outside_the_project_is_whole() -> None:
    session = Session()
    session.call("read_file", path="/etc/hosts")
    session.call("read_file", path="../other/a.py")
    assert [one.name for one in session.log.entities("file")] == [
        "/home/lin/other/a.py",
        "/etc/hosts",
    ]


def test_reading_a_changed_file_doesnt_hide_the_change() -> None:
    session = Session()
    session.call("edit_file", path="a.py", old="x", new="y")
    session.call("read_file", path="a.py", offset=1, limit=9)
    (entity,) = session.log.entities("file")
    assert (entity.changed, entity.action, entity.detail) == ("edited", "read", "1–9")
    assert session.log.changed == (entity,)


def test_no_code_is_kept() -> None:
    session = Session()
    session.call("write_file", path="a.py", content=SECRET_CODE)
    session.call("edit_file", path="a.py", old="x", new=SECRET_CODE)
    session.call("read_file", path="a.py", result=SECRET_CODE)
    session.run(f"cat > b.py <<'EOF'\n{SECRET_CODE}\nEOF", SECRET_CODE)
    session.run(f"python -c '{SECRET_CODE}'", SECRET_CODE)
    session.run(f"echo '{SECRET_CODE}' >> c.py", f"Error: {SECRET_CODE}", ok=False)
    session.call("apply_patch", input=f"*** Begin Patch\n*** Add File: d.py\n+{SECRET_CODE}\n")
    told = repr([work.to_data() for _, work in session.rows])
    assert "4711" not in told
    assert "return" not in told


def test_what_failed_is_kept_exactly() -> None:
    """FIELD 7: three failed attempts with an id, a UUID and a path of 120 characters."""
    path = "services/" + "a" * 50 + "/" + "b" * 50 + "/conf.py"
    assert len(path) == 118
    session = Session()
    session.run("deploy one", "exit code: 1\nError ERR_7f3a9c02", ok=False)
    session.run("deploy two", f"exit code: 1\nfailed: request {UUID}", ok=False)
    session.run("deploy three", f"exit code: 1\ncannot open {path}: no such file", ok=False)
    log = session.log
    assert {one.name for one in log.entities("identifier")} == {"ERR_7f3a9c02", UUID}
    assert [one.name for one in log.entities("file")] == [path]
    assert [(one.name, one.ok, one.failed) for one in log.entities("command")] == [
        ("deploy three", False, 1),
        ("deploy two", False, 1),
        ("deploy one", False, 1),
    ]


def test_the_environment_that_was_set_up_is_known() -> None:
    """FIELD 8."""
    session = Session()
    session.user("虚拟环境在 /opt/venvs/shop，端口用 8123")
    session.run("source .venv/bin/activate && export SHOP_MODE=dev PORT=8124")
    known = {one.name for one in session.log.entities("identifier")}
    assert {"/opt/venvs/shop", ":8123", ".venv", "SHOP_MODE", "PORT", ":8124"} <= known


def test_a_value_that_changed_is_the_new_one() -> None:
    session = Session()
    session.run("export PORT=8124")
    session.run("export PORT=9000 && ls")
    session.user("Which PORT was it?")
    port = session.log.entity("identifier", "PORT")
    assert port is not None
    assert port.detail == "9000"


def test_changed_files_equal_the_log_of_tools() -> None:
    """FIELD 12."""
    session = Session()
    wanted = set()
    for number in range(120):
        name = f"src/m{number % 40}.py"
        match number % 4:
            case 0:
                session.call("edit_file", path=name, old="x", new="y")
                wanted.add(name)
            case 1:
                session.call("Write", file_path=f"{ROOT}/{name}", content="x")
                wanted.add(name)
            case 2:
                session.call("read_file", path=name)
            case 3:
                session.call("edit_file", path=f"no/{number}.py", old="x", new="y", ok=False)
    assert {one.name for one in session.log.changed} == wanted


def test_what_the_user_says() -> None:
    session = Session()
    first = session.user("Build the shop. Never use npm. Done when all tests pass.")
    assert first.goal == Goal("Build the shop. Never use npm. Done when all tests pass.", "u0", 1)
    assert [rule.id for rule in first.rules] == ["u0#1", "u0#2"]
    assert {rule.kind for rule in session.log.rules} == {"rule", "acceptance"}
    session.user("Looks good, go on.")
    assert session.log.goal == first.goal
    again = session.log.of_user("u9", "Thanks.")
    assert again == session.log.of_user("u9", "Thanks.")
    assert session.log.turn == 3
    session.log.apply(Work(goal=Goal("Something else")), at=AT)
    assert session.log.goal == Goal("Something else")
    assert session.log.first_goal == first.goal
    session.log.apply(Work(goal=Goal("")), at=AT)  # put down by hand, and taken back
    assert session.log.goal is None and session.log.first_goal is None
    again = session.log.of_user("u9", "Build the shop.").goal
    assert again is not None and again.text == "Build the shop."


def test_a_contrary_sentence_revokes_and_is_undone() -> None:
    session = Session()
    session.user("Build the shop. Never use npm.")
    (rule,) = session.log.rules
    session.user("You may use npm now.")
    assert not session.log.rules
    assert session.log.revoked_rules == (rule,)
    session.log.apply(Work(restored=(rule.id,)), at=AT)
    assert session.log.rules == (rule,)
    session.log.apply(Work(rules=(replace(rule, text="Never use yarn."),)), at=AT)
    assert [one.text for one in session.log.rules] == ["Never use yarn."]


def test_what_ended_is_what_was_said_and_holds_no_longer() -> None:
    session = Session()
    session.user("Build the shop. Never use npm. Don't touch the vendor folder.")
    assert not session.log.ended
    npm, vendor = session.log.rules
    session.user("You may use npm now.")
    assert list(session.log.ended) == ["Never use npm"]
    session.log.apply(Work(rules=(replace(vendor, text="Ask about vendor"),)), at=AT)
    assert list(session.log.ended) == ["Don't touch the vendor folder", "Never use npm"]
    session.user("Never use NPM!")  # said again, it holds
    assert list(session.log.ended) == ["Don't touch the vendor folder"]
    session.log.apply(Work(rules=(vendor,), restored=(npm.id,)), at=AT)
    assert list(session.log.ended) == ["Ask about vendor"]


def test_the_contrary_of_what_ended_doesnt_say_it_still() -> None:
    log = Worklog(ROOT)
    rules = (Rule("a", "Use tabs"), Rule("b", "Never use tabs"))
    log.apply(Work(rules=rules, revoked=("a",)), at=AT)
    assert log.ended == ("Use tabs",)
    log.apply(Work(rules=(Rule("c", "Run mypy, and use tabs."),)), at=AT)
    assert not log.ended


def test_what_is_forgotten_comes_back_with_a_touch() -> None:
    session = Session()
    session.call("edit_file", path="a.py", old="x", new="y")
    session.log.apply(Work(forgotten=(EntityKey("file", "a.py"),)), at=AT)
    assert not session.log.entities()
    assert not session.log.changed
    session.call("read_file", path="a.py")
    assert [one.name for one in session.log.changed] == ["a.py"]


def test_progress_is_replaced_whole() -> None:
    log = Worklog(ROOT)
    log.apply(Work(progress=Progress(("a", "b"))), at=AT)
    log.apply(Work(progress=Progress(("b",), (Done("a", "pytest"),))), at=AT)
    assert log.progress == Progress(("b",), (Done("a", "pytest"),))


def test_the_untouched_fade_but_no_changed_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worklog, "MOST", 50)
    monkeypatch.setattr(worklog, "_SLACK", 0)
    session = Session()
    session.call("edit_file", path="kept.py", old="x", new="y")
    for number in range(100):
        session.call("read_file", path=f"f{number}.py")
    names = [one.name for one in session.log.entities("file")]
    assert names == [f"f{number}.py" for number in range(99, 49, -1)] + ["kept.py"]


def test_any_spelling_finds_an_entity() -> None:
    session = Session()
    session.call("read_file", path="src/a.py")
    assert session.log.entity("file", f"{ROOT}/src/./a.py") is not None
    assert session.log.entity("file", "b.py") is None


NAMES = st.sampled_from(["a.py", "b.py", "c", "d"])
TOUCHES = st.builds(
    Touch,
    st.sampled_from(KINDS),
    NAMES,
    st.sampled_from(ACTIONS),
    st.sampled_from(["", "x"]),
    st.booleans(),
)
RULES = st.builds(Rule, st.sampled_from(["1", "2", "3"]), st.sampled_from(["never", "always"]))
IDS = st.lists(st.sampled_from(["1", "2", "3"]), max_size=2).map(tuple)
WORK = st.builds(
    Work,
    st.lists(TOUCHES, max_size=3).map(tuple),
    st.lists(RULES, max_size=2).map(tuple),
    IDS,
    IDS,
    st.none() | st.builds(Goal, st.sampled_from(["x", "y"])),
    st.none() | st.builds(Progress, st.lists(NAMES, max_size=2).map(tuple)),
    st.lists(st.builds(EntityKey, st.sampled_from(KINDS), NAMES), max_size=1).map(tuple),
)
ROWS = st.lists(st.tuples(st.booleans(), WORK), max_size=12)


def applied(log: Worklog, rows: list[tuple[bool, Work]], start: int = 0) -> Worklog:
    """Rows of results, each of a step of its own, and rows of the user."""
    for number, (result, work) in enumerate(rows, start=start):
        if result:
            log.next_step()
        log.apply(work, at=f"2026-11-30T09:00:{number:02d}Z", result=result)
    return log


@given(ROWS)
def test_the_same_rows_give_the_same_state(rows: list[tuple[bool, Work]]) -> None:
    log = applied(Worklog(ROOT), rows)
    assert state(log) == state(applied(Worklog(ROOT), rows))
    through = [(one, Work.from_data(work.to_data())) for one, work in rows]
    assert state(log) == state(applied(Worklog(ROOT), through))


@given(ROWS, ROWS)
def test_restored_and_gone_on_is_as_if_never_left(
    before: list[tuple[bool, Work]], after: list[tuple[bool, Work]]
) -> None:
    earlier = applied(Worklog(ROOT), before)
    kept = Worklog(ROOT)
    marks = tuple(
        Mark(f"2026-11-30T09:00:{number:02d}Z", replace(work, touches=(), forgotten=()))
        for number, (_, work) in enumerate(before)
    )
    kept.restore(
        LoadedWork(tuple(earlier.every_entity()), marks, turns=earlier.turn, steps=earlier.step)
    )
    assert state(kept) == state(earlier)
    whole = applied(Worklog(ROOT), before + after)
    assert state(applied(kept, after, len(before))) == state(whole)


@given(WORK)
def test_what_is_said_twice_holds_once(work: Work) -> None:
    log = Worklog(ROOT)
    log.apply(work, at=AT)
    once = (log.rules, log.revoked_rules, log.goal, log.progress)
    log.apply(work, at=AT)
    assert (log.rules, log.revoked_rules, log.goal, log.progress) == once
    assert len(log.entities()) <= len({(one.kind, one.name) for one in work.touches})


def test_nothing_counts_before_it_is_applied() -> None:
    log = Worklog(ROOT)
    assert told("edit_file", log=log, path="a.py", old="x", new="y")
    assert not log.entities()


def test_a_goal_is_told_once_and_a_longer_rule_keeps_its_id() -> None:
    log = Worklog(ROOT)
    log.apply(log.of_user("m1", "Move the service to Java 21 and keep the tests green."), at=AT)
    log.apply(log.of_user("m2", "never use npm"), at=AT)
    log.apply(log.of_user("m3", LONGER), at=AT)
    log.apply(log.of_user("m4", "Never use npm!"), at=AT)
    told_rules = [(rule.id, rule.text, rule.message) for rule in log.rules]
    assert told_rules == [("m1#1", "keep the tests green", "m1"), ("m2#1", LONGER, "m3")]
    alone = Worklog(ROOT)
    alone.apply(alone.of_user("m1", "内容一定要详尽便于理解"), at=AT)
    alone.apply(alone.of_user("m2", "内容一定要详尽 便 于理解。"), at=AT)
    assert alone.goal is not None and alone.rules == ()
