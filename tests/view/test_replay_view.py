"""A replay as columns, marks, axis and table; recordings of any length."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.view.plot import TurnEvent
from app.view.replay_view import (
    Figures,
    Pane,
    ReplayView,
    RowName,
    Track,
    axis,
    kept,
    plot_of,
    share,
    step_at,
    step_column,
    table,
)
from tests.view.some_replays import SOME, A, B, short

SIZES = st.tuples(st.integers(1, 400), st.integers(1, 120))


def test_the_marks_stand_in_the_rows_of_the_picture() -> None:
    """Mock 08 at 120 columns: 11 rows, 12.0k and 20.0k of 32k."""
    assert plot_of(SOME, "a", 73, 11).marks == {4: 4, 6: 1}
    assert plot_of(SOME, "a", 69, 6).marks == {2: 4, 3: 1}


def test_where_both_marks_share_a_row_the_summary_is_named() -> None:
    tight = replace(SOME, a=replace(A, clear=19_000))
    assert plot_of(tight, "a", 73, 6).marks == {2: 4}


def test_what_is_under_the_scrubber() -> None:
    plot = plot_of(SOME, "a", 73, 11)
    assert plot.at == 52
    assert plot.past == 53
    assert plot.events[52] == "clear"
    assert plot.dot == 10 - plot.heights[52] // 8


def test_a_column_is_as_high_as_its_largest_step() -> None:
    steps = short(20_000, at=20_000)
    plot = plot_of(steps, "a", 50, 4)
    assert plot.heights == (32,) * 50
    assert plot.at == 49


def test_three_steps_fill_the_width() -> None:
    plot = plot_of(short(3, at=2), "a", 73, 11)
    assert len(plot.heights) == 73
    assert len(set(plot.heights)) == 3
    assert plot.at == 24
    assert plot.past == 48
    assert plot_of(short(3, at=3), "a", 73, 11).past == 73


def test_nothing_is_under_a_scrubber_that_is_not_there() -> None:
    plot = plot_of(ReplayView(window=8_000), "a", 40, 5)
    assert plot.at is None
    assert plot.past == 0
    assert set(plot.heights) == {0}


@given(SIZES)
def test_each_step_has_its_column_and_is_past_once_it_is_looked_at(size: tuple[int, int]) -> None:
    steps, columns = size
    for step in {1, steps // 2 + 1, steps}:
        column = step_column(step, steps, columns)
        assert 0 <= column < columns
        assert step_at(column, steps, columns) <= step
        assert plot_of(short(steps, step), "a", columns, 3).past > column


@given(SIZES)
def test_a_click_on_a_column_shows_that_column(size: tuple[int, int]) -> None:
    steps, columns = size
    for column in range(columns):
        step = step_at(column, steps, columns)
        assert 1 <= step <= steps
        begins = step_column(step, steps, columns)
        assert begins == column or (steps < columns and begins <= column)


def test_the_axis_of_the_picture() -> None:
    for columns in (69, 73, 103):
        assert list(axis(96, columns).values())[:8] == [0, 12, 24, 36, 48, 60, 72, 84]
    assert axis(0, 73) == {}
    assert list(axis(3, 73).values()) == [1, 2, 3]
    assert list(axis(20_000, 73).values())[:3] == [0, 2_500, 5_000]


@given(SIZES)
def test_numbers_on_the_axis_stand_apart_under_their_step(size: tuple[int, int]) -> None:
    steps, columns = size
    end = -2
    for column, step in axis(steps, columns).items():
        assert column >= end + 2
        assert step == 0 or column == step_column(step, steps, columns)
        end = column + len(str(step))


def test_marks_are_gone_to_in_both_plots() -> None:
    assert SOME.next_mark(1) == 73
    assert SOME.next_mark(-1) == 63
    at_61 = replace(SOME, at=61)
    assert at_61.next_mark(1) == 62  # B's summary
    assert replace(SOME, at=1).next_mark(-1) == 1
    assert replace(SOME, at=96).next_mark(1) == 96
    assert short(3).next_mark(1) == 1


def test_a_step_there_is_not_becomes_the_nearest() -> None:
    assert (SOME.clamped(-4), SOME.clamped(40), SOME.clamped(400)) == (1, 40, 96)
    assert ReplayView().clamped(3) == 0


def row(name: RowName, a: Figures, b: Figures) -> tuple[str, str, str | None]:
    view = replace(
        SOME, a=Pane("x", track=Track((), figures=a)), b=Pane("y", track=Track((), figures=b))
    )
    found = next(one for group in table(view, wide=True) for one in group if one.name == name)
    return found.a, found.b, found.better


@pytest.mark.parametrize(
    ("name", "a", "b", "shown"),
    [
        ("b", Figures(b=0.049), Figures(b=0.154), ("4.9 %", "15.4 %", "a")),
        ("c", Figures(c=0.2), Figures(c=None), ("20.0 %", "-", None)),
        ("f", Figures(f=0.75), Figures(f=0.0), ("75.0 %", "0.0 %", "b")),
        ("goal", Figures(goal=1.0), Figures(goal=0.12), ("100 %", "12 %", "a")),
        ("goal", Figures(goal=0.999), Figures(goal=1.0), ("99 %", "100 %", "b")),
        ("rules", Figures(rules=(2, 2)), Figures(rules=(0, 2)), ("2 / 2", "0 / 2", "a")),
        ("rules", Figures(), Figures(), ("-", "-", None)),
        ("sent", Figures(sent=1_270_000), Figures(sent=1_550_000), ("1.27M", "1.55M", "a")),
        ("peak", Figures(peak=19_801), Figures(peak=19_800), ("19.8k", "19.8k", None)),
        ("cache", Figures(cache=0.8), Figures(cache=0.9), ("80.0 %", "90.0 %", "b")),
        ("invalid", Figures(invalid=0), Figures(invalid=1_200), ("0", "1,200", "a")),
        ("clear", Figures(clear=8), Figures(clear=12), ("8", "12", None)),
    ],
)
def test_rows(name: RowName, a: Figures, b: Figures, shown: tuple[str, str, str | None]) -> None:
    assert row(name, a, b) == shown


def test_a_share_is_all_or_nothing_only_where_it_is() -> None:
    assert share(0.00001, digits=1) == "0.1 %"
    assert share(0.99999, digits=1) == "99.9 %"


def test_a_narrow_table_has_one_group_and_a_wide_one_more_rows() -> None:
    (narrow,) = table(SOME, wide=False)
    assert [one.name for one in narrow] == [
        *("b", "c", "f", "goal", "rules", "sent", "cost", "offload", "clear", "summary")
    ]
    assert [len(group) for group in table(SOME, wide=True)] == [3, 2, 8]


def test_a_policy_that_is_not_played_has_no_figures_and_is_not_compared() -> None:
    view = replace(SOME, b=replace(B, track=None, done=40))
    for group in table(view, wide=True):
        for one in group:
            assert one.a and not one.b and one.better is None
    assert view.tokens_at("b") is None
    assert view.left_out_at("b") is None
    assert view.missing_at("b") == ()


def test_what_was_kept_of_a_steps_results() -> None:
    assert kept(SOME, "a") == (2_800, 36_902)
    assert kept(SOME, "b") == (36_902, 36_902)
    assert kept(short(3), "a") is None


def test_an_event_outside_the_recording_is_left_out() -> None:
    odd = replace(A, track=Track((1_000,) * 96, (TurnEvent(97, "clear"),)))
    assert plot_of(replace(SOME, a=odd), "a", 73, 11).events == {}
