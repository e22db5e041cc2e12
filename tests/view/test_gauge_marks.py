"""The marks: where they stand, and which comes next."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.conversation.window import thresholds
from app.view.gauge_marks import Limits, mark_columns, marks_of, turns_to


def limits(window: int, *, background: bool = True) -> Limits:
    marks = thresholds(window)
    early = marks.precompute if background else None
    return Limits(marks.clear, early, marks.warn, marks.summary, marks.min_gain)


@pytest.mark.parametrize(
    ("window", "width", "columns"),
    [
        (256_000, 54, {1: 21, 2: 28, 3: 37, 4: 47}),
        (256_000, 40, {1: 15, 2: 20, 3: 28, 4: 34}),
        (200_000, 54, {1: 27, 2: 28, 3: 37, 4: 45}),
        (128_000, 54, {1: 24, 2: 25, 3: 37, 4: 40}),
        (256_000, 116, {1: 45, 2: 60, 3: 81, 4: 101}),
    ],
)
def test_columns_are_those_of_the_pictures(
    window: int, width: int, columns: dict[int, int]
) -> None:
    assert mark_columns(marks_of(limits(window), 0, None), window, width) == columns


@given(
    st.lists(st.integers(0, 1_000_000), min_size=4, max_size=4),
    st.integers(1, 1_000_000),
    st.integers(4, 160),
)
def test_every_digit_has_a_cell_of_its_own(values: list[int], window: int, width: int) -> None:
    clear, early, warn, summary = (value % window for value in values)
    marks = marks_of(Limits(clear, early, warn, summary), 0, None)
    columns = mark_columns(marks, window, width)
    assert set(columns) == {1, 2, 3, 4}
    assert len(set(columns.values())) == 4
    assert all(0 <= column < width for column in columns.values())
    by_place = sorted(marks, key=lambda mark: (mark.tokens, mark.number))
    placed = [columns[mark.number] for mark in by_place]
    assert placed == sorted(placed)


@pytest.mark.parametrize(
    ("used", "passed", "coming"),
    [
        (0, [], 1),
        (56_999, [], 1),
        (57_000, [1, 2], 3),
        (89_600, [1, 2, 3], 4),
        (94_999, [1, 2, 3], 4),
        (95_000, [1, 2, 3, 4], None),
    ],
)
def test_a_mark_is_passed_when_it_is_reached(
    used: int, passed: list[int], coming: int | None
) -> None:
    marks = marks_of(limits(128_000), used, 1_000)
    assert [mark.number for mark in marks if mark.passed] == passed
    assert [mark.number for mark in marks if mark.next] == ([coming] if coming else [])
    assert all(mark.turns is None for mark in marks if mark.passed)


def test_without_background_there_is_no_second_mark() -> None:
    marks = marks_of(limits(256_000, background=False), 168_900, 3_900)
    assert [(mark.number, mark.turns) for mark in marks] == [(1, None), (3, 3), (4, 14)]


@pytest.mark.parametrize(
    ("used", "growth", "turns"),
    [
        (90_000, 5_000, 2),
        (90_000, 4_999, 3),
        (99_999, 50_000, 1),
        (100_000, 5_000, None),
        (90_000, None, None),
        (90_000, 0, None),
        (90_000, -1, None),
    ],
)
def test_turns_are_rounded_up(used: int, growth: int | None, turns: int | None) -> None:
    assert turns_to(100_000, used, growth) == turns
