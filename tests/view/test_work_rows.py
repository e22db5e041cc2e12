"""Which rows the Work tab and the Work view have, without an app."""

from dataclasses import replace

import pytest

from app.conversation.work import Goal, Progress, Rule
from app.view.held import HeldModel
from app.view.work_rows import (
    Blank,
    EntitiesHead,
    EntityRow,
    GoalRow,
    GroupHead,
    MoreRow,
    NamesRow,
    ProgressRow,
    RuleRow,
    RulesHead,
    Sentence,
    TaskRow,
    Title,
    WorkRow,
    key_of,
    left_rows,
    right_rows,
    tab_rows,
)
from app.view.work_shown import NO_WORK_SHOWN, WorkShown
from tests.view.some_work import CHANGED, NAMES, NEAREST, RULES, WORK


def height(rows: tuple[WorkRow, ...], goal: int) -> int:
    lines: dict[type, int] = {Title: 2, GoalRow: 1 + goal, ProgressRow: 2}
    return sum(lines.get(type(row), 1) for row in rows)


def named(rows: tuple[WorkRow, ...]) -> list[str]:
    return [row.entity.name for row in rows if isinstance(row, EntityRow)]


class TestTheTab:
    @pytest.mark.parametrize("lines", [*range(1, 12), 17, 22, 24, 30, 60])
    def test_it_fits_and_says_what_is_missing(self, lines: int) -> None:
        rows = tab_rows(WORK, lines, goal_lines=2)
        assert height(rows, 2) <= lines
        told = WORK.full + len(WORK.rules) + 2  # the goal and the progress
        shown = sum(bool(key_of(row)) for row in rows if not isinstance(row, MoreRow))
        more = sum(row.count for row in rows if isinstance(row, MoreRow))
        assert shown + more == told

    def test_in_five_lines_goal_and_rules_come_before_any_title(self) -> None:
        rows = tab_rows(WORK, 5, goal_lines=1)
        assert [type(row) for row in rows[:3]] == [GoalRow, RulesHead, RuleRow]
        assert isinstance(rows[-1], MoreRow) and height(rows, 1) <= 5

    def test_progress_stays_and_every_kind_is_there(self) -> None:
        rows = tab_rows(WORK, 24, goal_lines=2)
        assert isinstance(rows[-2], ProgressRow) and isinstance(rows[-1], MoreRow)
        assert [row.group for row in rows if isinstance(row, GroupHead)] == [
            *("changed", "symbols", "commands", "tables")
        ]
        assert named(rows)[0] == "pom.xml"

    def test_with_room_all_of_it_is_there(self) -> None:
        rows = tab_rows(WORK, 60, goal_lines=2)
        assert not any(isinstance(row, MoreRow) for row in rows)
        assert sorted(named(rows)) == sorted(one.name for one in (*CHANGED[:7], *NEAREST))

    def test_of_many_rules_the_newest_are_shown(self) -> None:
        rules = tuple(Rule(f"r{n}", f"rule {n}", turn=n) for n in range(1, 10))
        rows = tab_rows(replace(WORK, rules=rules), 60, goal_lines=1)
        assert [row.id for row in rows if isinstance(row, RuleRow)] == ["r6", "r7", "r8", "r9"]
        assert RulesHead(9, tab=True) in rows and rows[-1] == MoreRow(5)

    def test_only_the_newest_new_rule_offers_its_undo(self) -> None:
        shown = replace(WORK, new_rules=frozenset({"r1", "r2"}))
        rules = [row for row in tab_rows(shown, 40, goal_lines=2) if isinstance(row, RuleRow)]
        assert [(row.new, row.undo) for row in rules] == [(True, False), (True, True)]

    def test_the_last_revoked_rule_stays_in_view(self) -> None:
        shown = replace(WORK, rules=RULES[:1], revoked=(Rule("r0", "no npm"), RULES[1]))
        rules = [row for row in tab_rows(shown, 40, goal_lines=2) if isinstance(row, RuleRow)]
        assert [(row.id, row.revoked) for row in rules] == [("r1", False), ("r2", True)]

    def test_before_anything_is_known_it_says_so(self) -> None:
        assert tab_rows(NO_WORK_SHOWN, 20, goal_lines=1) == (Sentence("nothing"),)
        assert Sentence("nothing") in left_rows(NO_WORK_SHOWN)
        assert right_rows(NO_WORK_SHOWN) == ()

    def test_a_goal_alone(self) -> None:
        rows = tab_rows(WorkShown(goal=Goal("Do it.", "u1", 1)), 20, goal_lines=1)
        assert [type(row) for row in rows] == [Title, Blank, GoalRow]


class TestTheView:
    def test_left_has_goal_rules_and_tasks_in_order(self) -> None:
        rows = left_rows(WORK)
        (goal,) = [row for row in rows if isinstance(row, GoalRow)]
        assert WORK.goal is not None and (goal.text, goal.turn) == (WORK.goal.text, 1)
        tasks = [row for row in rows if isinstance(row, TaskRow)]
        assert [row.state for row in tasks] == [*["done"] * 5, "now", "later", "later"]
        assert (tasks[1].by, tasks[2].by) == ("mvn -v", "")
        assert rows[-1] == Sentence("checked", 1)

    def test_right_has_each_kind_in_the_blocks_order(self) -> None:
        rows = right_rows(WORK)
        assert rows[0] == EntitiesHead(15, 7)
        changed = [row.entity.name for row in rows if isinstance(row, EntityRow)][:7]
        assert changed == [one.name for one in CHANGED if one.told == "full"]
        symbols = [row for row in rows if isinstance(row, EntityRow) and row.group == "symbols"]
        assert [row.entity.name for row in symbols] == [
            *("OrderCodec#decode", "AuditFilter#doFilter", "VarHandle")
        ]
        names = [row for row in rows if isinstance(row, NamesRow)]
        assert [len(row.names) for row in names] == [2, 5]
        assert names[1].names == tuple(name.text for name in NAMES)
        assert rows[-1] == Sentence("more", 31)

    def test_changed_files_without_room_are_counted(self) -> None:
        changed = tuple(replace(one, told="not") for one in CHANGED[3:])
        rows = right_rows(replace(WORK, changed=(*CHANGED[:3], *changed)))
        assert GroupHead("changed", 9) in rows and NamesRow("changed", (), 6) in rows

    def test_escape_sequences_are_visible(self) -> None:
        shown = WorkShown(goal=Goal("a\x1b[31mb"), progress=Progress(("c\x1b[1m",)))
        texts = [row.text for row in left_rows(shown) if isinstance(row, GoalRow | TaskRow)]
        assert texts == [r"a\x1b[31mb", r"c\x1b[1m"]


def test_the_model_knows_that_work_has_begun_before_anyone_looks() -> None:
    model, told = HeldModel(), list[int]()
    model.listeners.append(lambda: told.append(1))
    model.begin_work(begun=True)
    assert not model.is_empty and not model.has_rows
    model.choose_filled()
    assert model.active == "work" and model.rows == () and model.items == ()
    model.show_work(WORK)
    model.show_work(WORK)
    assert model.work is WORK and len(told) == 3
    model.begin_work(begun=False)
    assert model.work == NO_WORK_SHOWN and model.is_empty


def test_what_of_the_list_has_no_room_says_so() -> None:
    told = Progress(WORK.progress.todo[:1], WORK.progress.done[1:])
    rows = left_rows(replace(WORK, told_progress=told))
    untold = [row.text for row in rows if isinstance(row, TaskRow) and not row.told]
    assert untold == [WORK.progress.done[0].text, *WORK.progress.todo[1:]]
    assert all(row.told for row in left_rows(WORK) if isinstance(row, TaskRow))
