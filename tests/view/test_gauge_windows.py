"""The four windows: what the present history would mean in each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.events import Paused, SummaryFailed
from app.view.gauge import GaugeModel
from app.view.gauge_marks import Limits
from app.view.gauge_windows import due_at, ruler, window_row, window_sizes
from tests.view.gauges import gauge
from tests.view.test_gauge_marks import limits


def drawn(window: int, used: int, cells: int) -> str:
    row = window_row(window, limits(window), used, due="", active=False, chosen=False)
    signs = {"used": "━", "half": "╸", "left": "─", "clear": "1", "summary": "4"}
    return "".join(signs[part] for part in ruler(row, cells))


@pytest.mark.parametrize(
    ("window", "used", "cells", "shown"),
    [
        (128_000, 168_900, 9, "━━━━1━4━━"),
        (200_000, 168_900, 9, "━━━━1━━4─"),
        (256_000, 168_900, 9, "━━━1━━─4─"),
        (1_000_000, 168_900, 9, "1╸──────4"),
        (256_000, 168_900, 16, "━━━━━━1━━━╸──4──"),
        (1_000_000, 168_900, 16, "━1╸────────────4"),
        (131_072, 62_500, 16, "━━━━━━━1───4────"),
        (1_000_000, 62_500, 16, "━1─────────────4"),
    ],
)
def test_rulers_are_those_of_the_guide(window: int, used: int, cells: int, shown: str) -> None:
    assert drawn(window, used, cells) == shown


@given(st.integers(1, 2_000_000), st.integers(0, 3_000_000), st.integers(2, 60))
def test_a_ruler_always_shows_both_digits(window: int, used: int, cells: int) -> None:
    row = drawn(window, used, cells)
    assert len(row) == cells
    assert row.count("1") == row.count("4") == 1
    assert row.index("1") < row.index("4")
    bare = row.replace("1", "").replace("4", "")
    assert bare == "━" * bare.count("━") + "╸" * bare.count("╸") + "─" * bare.count("─")


def test_the_four_stay_and_another_comes_last() -> None:
    assert window_sizes(200_000) == (128_000, 200_000, 256_000, 1_000_000)
    assert window_sizes(131_072)[-1] == 131_072


def test_a_row_is_not_called_by_the_window_it_comes_near_to() -> None:
    rows = gauge((14_200, 1_200, 30_000, 17_100), 131_072).view.windows
    assert [(row.label, row.percent, row.active) for row in rows] == [
        ("128k", 49, False),
        ("200k", 31, False),
        ("256k", 24, False),
        ("1M", 6, False),
        ("131k", 48, True),
    ]


@pytest.mark.parametrize(
    ("used", "clearable", "due"),
    [
        (99_999, 90_000, ""),
        (100_000, 12_800, "clear"),
        (100_000, 12_799, ""),
        (222_999, 0, ""),
        (223_000, 0, "summary"),
    ],
)
def test_a_clear_is_due_only_if_it_is_worth_it(used: int, clearable: int, due: str) -> None:
    assert due_at(Limits(100_000, None, 179_200, 223_000, 12_800), used, clearable) == due


@pytest.mark.parametrize(
    ("used", "clearable", "clears", "due"),
    [
        (223_000, 0, True, ""),
        (223_000, 1, True, "clear"),
        (223_000, 90_000, True, "clear"),
        (223_000, 90_000, False, ""),
        (100_000, 90_000, False, ""),
    ],
)
def test_where_no_summary_is_made_none_is_due(
    used: int, clearable: int, clears: bool, due: str
) -> None:
    marks = Limits(100_000, None, 179_200, 223_000, 12_800)
    assert due_at(marks, used, clearable, summarises=False, clears=clears) == due


def dues(model: GaugeModel) -> list[str]:
    return [row.due for row in model.view.windows]


def test_none_is_due_while_the_user_paused_them() -> None:
    """But where hardly anything fits, as then one is made all the same."""
    model = gauge()
    assert dues(model) == ["summary", "summary", "", ""]
    model.apply(Paused(tier="summary", on=True))
    assert dues(model) == ["summary", "", "", ""], "168.9k are more than 128k"
    model.preview(200_000)
    assert not model.view.summary_comes
    model.preview(128_000)
    assert model.view.summary_comes
    model.apply(Paused(tier="summary", on=False))
    assert dues(model) == ["summary", "summary", "", ""]


def test_after_failures_another_window_is_tried() -> None:
    model = gauge((14_200, 2_100, 171_000, 40_100))
    model.apply(SummaryFailed(code="headings", reason="x", attempt=3))
    model.apply(Paused(tier="summary", on=True))
    assert dues(model) == ["summary", "summary", "", ""]


def test_none_is_due_where_they_are_switched_off() -> None:
    assert dues(gauge(summarises=False)) == ["", "", "", ""]
    assert dues(gauge(summarises=False, clearable=90_000)) == ["clear", "clear", "clear", "clear"]


def test_marks_of_other_windows_are_those_the_session_would_use() -> None:
    rows = gauge().view.windows
    assert [(row.limits.clear, row.limits.summary) for row in rows] == [
        (57_000, 95_000), (100_000, 167_000), (100_000, 223_000), (100_000, 967_000),
    ]  # fmt: skip


def test_the_window_in_use_has_one_name_in_the_head_and_in_the_list() -> None:
    for size, name in ((131_072, "131k"), (128_000, "128k"), (1_000_000, "1M")):
        view = gauge((14_200, 1_200, 30_000, 17_100), size).view
        (active,) = (row for row in view.windows if row.active)
        assert view.label == active.label == name
