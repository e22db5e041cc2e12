"""The figures of REPLAY, worked out by hand on small recordings."""

import asyncio

import pytest

from app.conversation.estimate import PER_MESSAGE
from app.replay.measures import measures_of, totals_of
from app.replay.replayed import Kept, MissClass, Missing, Replayed, Step
from app.replay.run import Player
from tests.replay.recordings import WORDS, Told, recording


def step(number: int, **given: object) -> Step:
    """A step that needs nothing and misses nothing."""
    usual: dict[str, object] = {
        "number": number,
        "position": 2 * number,
        "at": "",
        "calls": (),
        "asked": "",
        "tokens": 1_000,
        "full": 0,
        "peak": 1_000,
        "cached": 0,
        "cost": 1_000.0,
        "over": False,
        "invalid": None,
        "happened": (),
        "needed": 0,
        "needed_far": False,
        "needed_touched": False,
        "missing": (),
        "misses": frozenset[MissClass](),
        "kept": Kept(),
        "since": None,
    }
    return Step(**{**usual, **given})  # type: ignore[arg-type]


def lost(*, far: bool = False, touched: bool = False) -> tuple[Missing, ...]:
    return (Missing("path", "a/b.py", far, touched),)


def test_measures_count_steps_that_need_something() -> None:
    steps = [
        step(1),
        step(2, needed=2),
        step(3, needed=1, missing=lost()),
        step(4, needed=1, full=101, needed_touched=True, missing=lost()),
        step(5, needed=1, full=101, needed_touched=True, missing=lost(touched=True)),
        step(6, needed=1, full=101, needed_far=True, missing=lost(far=True)),
        step(7, needed=3, full=100, needed_far=True, missing=lost()),
        step(8, full=101),
    ]
    found = measures_of(steps, 100)
    assert found.a == pytest.approx(5 / 6)
    assert found.b == pytest.approx(3 / 3)
    assert found.c == pytest.approx(1 / 2), "of the steps with a name that was touched"
    assert found.f == pytest.approx(1 / 2)
    assert (found.d, found.e) == (None, None)


def test_what_follows_a_compaction_is_d_and_e() -> None:
    since = [None, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 1, 0]
    missing = {6: lost(), 11: lost(), 13: lost()}
    steps = [
        step(number, since=one, needed=1, missing=missing.get(number - 1, ()))
        for number, one in enumerate(since, start=1)
    ]
    found = measures_of(steps, 100)
    assert found.d == pytest.approx(1 / 8), "the first five after each"
    assert found.e == pytest.approx(2 / 3)


def test_without_any_step_there_are_no_shares() -> None:
    found = measures_of([], 100)
    assert (found.a, found.b, found.c, found.d, found.e, found.f) == (None,) * 6
    totals = totals_of([], 100, (0, 0))
    assert (totals.cache_reuse, totals.goal_kept, totals.rules_kept) == (0.0, None, None)


def test_a_request_that_lacks_one_rule_keeps_not_all() -> None:
    steps = [
        step(1, kept=Kept(goal=True, rules=2, rules_all=2, changed=1, changed_all=1)),
        step(2, kept=Kept(goal=False, rules=1, rules_all=2, changed=1, changed_all=2)),
        step(3, kept=Kept(goal=True)),
    ]
    totals = totals_of(steps, 100, (2, 1))
    assert totals.goal_kept == pytest.approx(2 / 3)
    assert totals.rules_kept == pytest.approx(1 / 2), "a request before any rule doesn't count"
    assert totals.changed_named == pytest.approx(1 / 2)
    assert (totals.rules, totals.rules_always) == (2, 1)


def test_tokens_cache_and_cost_are_those_worked_out_by_hand() -> None:
    texts = ["A first question, " * 40, "one", "A second, " * 30, "two", "A third, " * 20, "three"]
    told: list[Told] = [
        ("user" if number % 2 == 0 else "say", text) for number, text in enumerate(texts)
    ]
    player = Player(recording(told), window=8_000, words=WORDS)
    count = player.conditions().counter.text
    first, one, second, two, third = (PER_MESSAGE + count(text.strip()) for text in texts[:5])
    done = asyncio.run(player.play("none"))
    sent = [first, first + one + second, first + one + second + two + third]
    assert [step.tokens for step in done.steps] == pytest.approx(sent, abs=2)
    first, second, third = (step.tokens for step in done.steps)
    assert [step.cached for step in done.steps] == [0, first, second]
    assert [step.cost for step in done.steps] == pytest.approx(
        [first, second - 0.9 * first, third - 0.9 * second]
    )
    totals = done.totals
    assert (totals.tokens_sent, totals.peak) == (first + second + third, third)
    assert totals.cache_reuse == (first + second) / (first + second + third)
    assert totals.cost == pytest.approx(0.1 * (first + second) + third)
    # In a window that the third request would fill, its first three messages are summarised.
    small = Player(recording(told), window=third * 100 // 81, words=WORDS)
    last = asyncio.run(small.play("summarise-80")).steps[-1]
    assert [(one.kind, one.count) for one in last.happened] == [("summarized", 3)]
    assert last.cost == pytest.approx(last.tokens - 0.9 * last.cached + second), "and what it asked"


FILLED = "word " * 3_000
TOLD: list[Told] = [
    ("user", "Rename total_sum in src/money/sum.py. Never use npm in this project."),
    ("read_file", {"path": "src/money/sum.py"}, "def total_sum(x):\n    return see_also(x)\n"),
    (
        "edit_file",
        {"path": "src/money/sum.py", "old": "def total_sum(x):", "new": "def grand_total(x):"},
        "replaced once",
    ),
    ("execute_command", {"command": "pytest -q tests/test_sum.py"}, "2 passed\nexit 0"),
    *(
        ("read_file", dict[str, object](path=f"docs/page{number}.md"), FILLED)
        for number in range(4)
    ),
    ("read_file", {"path": "src/money/sum.py"}, "def grand_total(x):\n"),
    ("search_files", {"pattern": "see_also"}, "src/money/sum.py:2"),
    ("execute_command", {"command": "pytest -q tests/test_sum.py"}, "2 passed\nexit 0"),
    ("say", "Done."),
]


def play(policy: str) -> Replayed:
    player = Player(recording(TOLD), window=8_000, words=WORDS)
    return asyncio.run(player.play(policy))  # type: ignore[arg-type]


def test_misses_are_told_by_what_they_come_to() -> None:
    done = play("truncate")
    again, search, run, last = done.steps[-4:]
    assert [(one.kind, one.text) for one in again.missing] == [("path", "src/money/sum.py")]
    assert again.misses == {"repeated_work", "wrong_state", "goal_drift"}
    assert [(one.text, one.touched) for one in search.missing] == [("see_also", False)]
    assert "repeated_work" not in search.misses
    assert {one.kind for one in run.missing} == {"path", "command"}
    assert last.missing == ()
    assert last.kept == Kept(goal=False, rules=0, rules_all=1, changed=1, changed_all=1)
    assert done.totals.rules_always == 0


def test_haima_misses_nothing_that_was_touched() -> None:
    done = play("haima")
    assert any(one.kind == "offloaded" for step in done.steps for one in step.happened)
    assert [one for step in done.steps for one in step.missing if one.touched] == []
    assert done.totals.measures.c == 0.0
    assert done.totals.rules_kept == done.totals.goal_kept == done.totals.changed_named == 1.0
    assert dict(done.totals.misses) == {"repeated_work": 0, "wrong_state": 0, "goal_drift": 0}


MOVED: list[Told] = [
    ("user", "Sort the helpers."),
    ("execute_command", {"command": "cd src/core && git mv shell.ts utils/shell.ts"}, "exit 0"),
    ("execute_command", {"command": "cd docs && touch notes/new.md"}, "exit 0"),
    ("say", "Done."),
    *(
        ("read_file", dict[str, object](path=f"docs/page{number}.md"), FILLED)
        for number in range(4)
    ),
    ("say", "Done."),
]


@pytest.mark.parametrize(("policy", "named"), [("none", 3), ("haima", 3), ("truncate", 0)])
def test_a_changed_file_is_named_by_the_call_that_changed_it(policy: str, named: int) -> None:
    player = Player(recording(MOVED), window=8_000, words=WORDS)
    last = asyncio.run(player.play(policy)).steps[-1].kept  # type: ignore[arg-type]
    assert (last.changed, last.changed_all) == (named, 3), "no path was spelt from the root"


def test_everything_sent_misses_nothing() -> None:
    done = play("none")
    assert all(not step.missing for step in done.steps)
    assert (done.totals.measures.a, done.totals.measures.b) == (0.0, 0.0)
    assert done.totals.over > 0
