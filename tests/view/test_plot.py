"""Tokens by turn: columns, marks and ticks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.view.plot import TurnEvent, column_of, event_row, heights, row_of, ticks


def test_a_column_is_as_high_as_its_largest_turn() -> None:
    assert heights([10, 80, 20, 40], 80, 2, 1) == [8, 4]


@given(st.integers(1, 200), st.integers(1, 90))
def test_a_turn_stands_where_its_events_stand(turns: int, columns: int) -> None:
    for turn in range(turns):
        values = [0] * turns
        values[turn] = 8
        assert heights(values, 8, columns, 1)[column_of(turn, turns, columns)] == 8


def test_few_turns_share_the_columns() -> None:
    assert heights([40, 80], 80, 4, 1) == [4, 4, 8, 8]


@given(
    st.lists(st.integers(0, 2_000), max_size=300),
    st.integers(1, 1_000),
    st.integers(1, 90),
    st.integers(1, 20),
)
def test_no_turn_is_lost(values: list[int], whole: int, columns: int, rows: int) -> None:
    found = heights(values, whole, columns, rows)
    assert len(found) == columns
    assert all(0 <= height <= rows * 8 for height in found)
    if len(values) >= columns and values:
        most = min(rows * 8, max(1, (2 * max(values) * rows * 8 + whole) // (2 * whole)))
        assert max(found) == (most if max(values) else 0)


@pytest.mark.parametrize(
    ("mark", "rows", "row"), [(223_000, 7, 0), (100_000, 7, 4), (223_000, 19, 2), (100_000, 19, 11)]
)
def test_marks_stand_in_the_rows_of_the_pictures(mark: int, rows: int, row: int) -> None:
    """Mocks 09: 7 rows at 120 columns, 19 at 160."""
    assert row_of(mark, 256_000, rows) == row


@pytest.mark.parametrize(
    ("columns", "at"),
    [(49, [0, 8, 16, 24, 32, 40]), (77, [0, 12, 25, 38, 51, 64])],
)
def test_ticks_stand_where_the_pictures_have_them(columns: int, at: list[int]) -> None:
    found = ticks(96, columns)
    assert list(found) == at
    assert list(found.values()) == [0, 16, 32, 48, 64, 80]


def test_a_summary_hides_a_clear_and_a_clear_an_offload() -> None:
    events = (TurnEvent(1, "offload"), TurnEvent(2, "clear"), TurnEvent(3, "offload"))
    assert event_row(events, 4, 2) == {0: "clear", 1: "offload"}
    assert event_row((*events, TurnEvent(1, "summary")), 4, 2) == {0: "summary", 1: "offload"}
    assert event_row((TurnEvent(9, "clear"),), 4, 2) == {}


def test_without_turns_there_is_nothing() -> None:
    assert heights([], 10, 3, 2) == [0, 0, 0]
    assert ticks(0, 40) == {}
