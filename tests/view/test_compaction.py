"""The preview's figures: those of the mock, and the gauge as it would be."""

from dataclasses import replace

from app.view.compaction import seen_with, tokens_of
from app.view.gauge_bar import GaugeParts
from tests.screens.compacting import balance, gauge


def test_the_mock_adds_up() -> None:
    shown = balance()
    fixed = shown.before.system + shown.before.memory
    assert (tokens_of(shown.leaving), tokens_of(shown.staying)) == (120_500, 32_100)
    assert tokens_of(shown.carried) == 6_500
    assert tokens_of(shown.leaving) + tokens_of(shown.staying) + fixed == 168_900
    after = shown.summary + tokens_of(shown.staying) + tokens_of(shown.carried) + fixed
    assert round(after, -2) == 56_100 == shown.after.total
    assert shown.freed == 112_800
    assert sum(group.count for group in shown.leaving) == 42


def test_the_gauge_as_it_would_be() -> None:
    view = seen_with(gauge(), balance().after)
    assert (view.used, view.percent, view.stage) == (56_100, 22, "calm")
    assert view.used + view.reserve + view.free == view.window
    coming = view.next_mark
    assert coming is not None
    assert (coming.number, coming.turns) == (1, 12)


def test_what_was_in_the_gauge_otherwise_is_gone() -> None:
    before = replace(gauge(), cleared=(9, 38_200), preview=True)
    view = seen_with(before, balance().before)
    assert (view.cleared, view.preview) == (None, False)


def test_a_request_that_still_does_not_fit_is_over() -> None:
    view = seen_with(gauge(), GaugeParts(system=14_200, history=280_000))
    assert (view.stage, view.free, view.reserve) == ("over", 0, 0)
    due = seen_with(gauge(), GaugeParts(system=14_200, history=220_000))
    assert due.stage == "due"
