"""The gauge as events move it."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from app.conversation.window import thresholds
from app.events import AnyEvent, ContextMeasured, HistoryCleared, TurnResumed
from app.view.gauge import GaugeModel
from tests.view.gauges import DONE, TURN, gauge, measured


def turn(model: GaugeModel, history: int) -> None:
    """One turn that ends with so many tokens of history."""
    model.apply(TURN)
    model.apply(measured((10_000, 0, history, 0)))
    model.apply(DONE)


def test_the_event_survives_its_json() -> None:
    event = measured()
    read = TypeAdapter[AnyEvent](AnyEvent).validate_json(event.model_dump_json())
    assert isinstance(read, ContextMeasured)
    assert read == event


def test_the_legend_adds_up_to_the_window() -> None:
    view = gauge().view
    assert (view.reserve, view.free, view.parts.total) == (33_000, 54_100, 168_900)
    assert view.reserve + view.free + view.parts.total == 256_000


@given(st.integers(0, 300_000), st.sampled_from([8_000, 32_768, 128_000, 131_072, 256_000]))
def test_the_legend_always_adds_up(used: int, window: int) -> None:
    view = gauge((used // 7, used // 11, used - used // 7 - used // 11, 0), window).view
    assert min(view.reserve, view.free) >= 0
    assert view.reserve + view.free + view.parts.total == max(window, used)


@pytest.mark.parametrize(
    ("used", "stage"),
    [
        (179_199, "calm"),
        (179_200, "warned"),
        (222_999, "warned"),
        (223_000, "due"),
        (256_000, "due"),
        (256_001, "over"),
    ],
)
def test_each_stage_begins_at_its_mark(used: int, stage: str) -> None:
    assert gauge((0, 0, used, 0)).view.stage == stage


def test_no_forecast_before_the_third_turn() -> None:
    model = GaugeModel()
    turn(model, 4_000)
    assert model.growth is None
    assert model.view.marks[0].turns is None
    turn(model, 8_000)
    assert model.growth == 4_000
    assert model.view.marks[0].turns == 21


def test_growth_is_the_median_of_the_last_five_turns() -> None:
    model = GaugeModel()
    for history in (50_000, 51_000, 53_000, 56_000, 60_000, 90_000):
        turn(model, history)
    assert model.growth == 3_000


def test_no_forecast_where_nothing_grows() -> None:
    model = GaugeModel()
    for history in (30_000, 20_000, 10_000):
        turn(model, history)
    assert model.growth is None


def test_a_turn_that_went_on_counts_once() -> None:
    model = GaugeModel()
    turn(model, 4_000)
    turn(model, 5_000)
    model.apply(TurnResumed())
    model.apply(measured((10_000, 0, 8_000, 0)))
    model.apply(DONE)
    assert model.growth == 4_000


def test_a_resumed_session_does_not_count_its_past_as_one_turn() -> None:
    model = GaugeModel()
    model.apply(measured((10_000, 0, 90_000, 0)))
    turn(model, 92_000)
    turn(model, 94_000)
    assert model.growth == 2_000


def test_after_clear_it_falls_at_once() -> None:
    model = gauge(growth=3_900)
    model.apply(HistoryCleared())
    view = model.view
    assert (view.used, view.estimated, view.growth) == (14_200, True, None)
    assert view.parts.total == 14_200
    assert view.stage == "calm"


def test_other_conversations_are_not_shown() -> None:
    model = gauge()
    model.apply(measured((1, 1, 1, 1)).model_copy(update={"conversation": "task-3"}))
    assert model.view.used == 168_900


def test_listeners_hear_of_changes_only() -> None:
    model = gauge()
    heard: list[int] = []
    model.listeners.append(lambda: heard.append(model.view.used))
    model.apply(TURN)
    model.clearable(0)
    model.preview(256_000)
    assert heard == []
    model.apply(measured((1_000, 0, 0, 0)))
    assert heard == [1_000]
    assert model.view is model.view


def test_a_preview_shows_another_window_and_changes_nothing_else() -> None:
    model = gauge()
    model.preview(200_000)
    view = model.view
    assert (view.label, view.percent, view.stage, view.preview) == ("200k", 84, "due", True)
    assert [row.size for row in view.windows if row.active] == [256_000]
    assert [row.size for row in view.windows if row.chosen] == [200_000]
    model.preview(None)
    assert (model.view.label, model.view.preview) == ("256k", False)


def test_looking_round_ends_at_the_window_in_use() -> None:
    model = gauge()
    seen = []
    for _ in range(5):
        model.preview_next()
        seen.append(model.previewed)
    assert seen == [1_000_000, 128_000, 200_000, None, 1_000_000]


def test_a_preview_ends_when_the_window_changes() -> None:
    model = gauge()
    model.preview(1_000_000)
    model.apply(measured(window=1_000_000))
    assert model.previewed is None
    model.preview(64_000)
    assert model.previewed is None


def test_an_assumed_window_is_known_once_another_is_looked_at() -> None:
    model = gauge(window=128_000, certain=False)
    assert not model.view.certain
    model.preview(256_000)
    assert model.view.certain


def test_parts_that_do_not_add_up_are_brought_to_the_number_shown() -> None:
    model = GaugeModel()
    model.apply(measured(tokens=84_450))
    assert model.view.parts.total == 84_450
    assert model.view.parts.results == 17_600


def test_marks_of_other_windows_follow_the_settings() -> None:
    model = GaugeModel(marks=partial(thresholds, clear_at=50_000))
    model.apply(measured())
    assert [row.limits.clear for row in model.view.windows] == [50_000, 50_000, 100_000, 50_000]


def test_before_anything_is_measured_it_shows_nothing_used() -> None:
    model = GaugeModel()
    assert not model.measured
    assert (model.view.used, model.view.label, model.view.certain) == (0, "128k", False)


def test_marks_of_another_session() -> None:
    model = GaugeModel()
    model.use_marks(partial(thresholds, clear_at=50_000))
    assert {row.limits.clear for row in model.view.windows if not row.active} == {50_000}
