"""Answers of the worklog."""

import pytest

from app.conversation.work import Done, EntityKey, Progress, Work
from app.memory.work_query import answer, work_question
from app.memory.worklog import Worklog
from app.text import Words
from tests.memory.work_desk import AT, ROOT, Session

EN, ZH = Words("en"), Words("zh")


def session() -> Worklog:
    made = Session()
    made.user("Build the shop. Never use npm.")
    made.call("read_file", path="src/a.py", offset=1, limit=200)
    made.call("edit_file", path="src/b.py", old="x", new="def load_b():\n    pass")
    made.run("mv src/c.py src/d.py")
    made.run("pytest -q", "exit code: 1\n1 failed", ok=False)
    made.run("pytest -q", "exit code: 1\n1 failed", ok=False)
    made.run("make", "exit code: 0\n")
    made.log.apply(Work(progress=Progress(("pay",), (Done("cart", "pytest"),))), at=AT)
    return made.log


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("work: changed", "changed"),
        ("Work:changed", "changed"),
        ("work：改动", "改动"),
        ("工作：改动", "改动"),
        ("work:", ""),
        ("work", ""),
        ("workflow: x", None),
        ("network: x", None),
        ("what work", None),
    ],
)
def test_questions(query: str, asked: str | None) -> None:
    assert work_question(query) == asked


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        (
            "changed",
            [
                "- src/d.py: renamed from src/c.py",
                "- src/c.py: deleted → src/d.py",
                "- src/b.py: edited",
            ],
        ),
        (
            "files",
            [
                "- src/d.py: renamed from src/c.py",
                "- src/c.py: deleted → src/d.py",
                "- src/b.py: edited",
                "- src/a.py: read 1–200",
            ],
        ),
        (
            "commands",
            [
                "- make: succeeded",
                "- pytest -q: failed 2 times, exit 1",
                "- mv src/c.py src/d.py: succeeded",
            ],
        ),
        ("failed", ["- pytest -q: failed 2 times, exit 1"]),
        ("Failed commands", ["- pytest -q: failed 2 times, exit 1"]),
        ("symbols", ["- load_b: created, src/b.py"]),
        ("goal", ["Build the shop. Never use npm."]),
        ("todo", ["1. pay"]),
        ("done", ["- cart (shown by: pytest)"]),
        ("src/b", ["- src/b.py: edited", "- load_b: created, src/b.py"]),
        ("LOAD", ["- load_b: created, src/b.py"]),
        (
            "改动",
            [
                "- src/d.py: renamed from src/c.py",
                "- src/c.py: deleted → src/d.py",
                "- src/b.py: edited",
            ],
        ),
    ],
)
def test_answers(query: str, lines: list[str]) -> None:
    assert answer(session(), query, EN).split("\n")[1:] == lines


def test_rules_and_those_that_were_taken_back() -> None:
    log = session()
    (rule,) = log.rules
    assert answer(log, "rules", EN).split("\n")[1:] == [f"- {rule.text}"]
    assert answer(log, "NPM", EN).split("\n")[1:] == [
        "Build the shop. Never use npm.",
        f"- {rule.text}",
    ]
    log.apply(Work(revoked=(rule.id,)), at=AT)
    assert answer(log, "rules", EN).split("\n")[1:] == [f"- no longer holds: {rule.text}"]


def test_in_chinese() -> None:
    assert answer(session(), "failed", ZH).split("\n") == [
        "上次失败的，由新到旧：",
        "- pytest -q：连续失败 2 次，exit 1",
    ]


def test_nothing_and_too_much() -> None:
    assert answer(session(), "tables", EN) == "Tables and columns, newest first: nothing."
    assert answer(session(), "unheard", EN) == "In the worklog for “unheard”: nothing."
    short = answer(session(), "files", EN, limit=2).split("\n")
    assert len(short) == 4
    assert short[-1].startswith("… and 2 more")


def test_an_overview_counts() -> None:
    told = answer(session(), "", EN).split("\n")
    assert "- changed: 3" in told
    assert "- commands: 3" in told


def test_what_is_forgotten_isnt_told() -> None:
    log = session()
    log.apply(Work(forgotten=(EntityKey("file", "src/b.py"),)), at=AT)
    assert "src/b.py:" not in answer(log, "changed", EN)
    assert answer(Worklog(ROOT), "goal", EN) == "Goal: nothing."
