"""What the gauge says of summaries, as in the pictures 00-states, 01c, 01d and 01e."""

from dataclasses import dataclass

from app.events import Event, HistoryCleared, Paused
from app.view.gauge import GaugeModel
from tests.screens.left import cleared
from tests.screens.summed import expanded, failed, smaller, started, summarised, undone
from tests.view.gauges import DONE, TURN, measured
from tests.widgets.gauge_rows import EN, PLAIN, ZH, both, colours, shown
from widgets.gauge_line import gauge_line
from widgets.gauge_lines import state
from widgets.marks import marks_block

W = 40
DUE = (14_200, 2_100, 168_500, 41_000)
PAUSED = (14_200, 2_100, 171_000, 40_100)
OVER = (14_200, 2_100, 196_500, 50_300)


@dataclass
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


def gauge(*events: Event, clock: Clock | None = None) -> GaugeModel:
    model = GaugeModel(summarises=True, clock=clock or Clock())
    for event in events:
        model.apply(event)
    return model


def says(model: GaugeModel, width: int = W) -> list[str]:
    return shown([state(model.view, width, EN), state(model.view, width, ZH)])


def test_while_one_is_made_the_seconds_go_on() -> None:
    clock = Clock()
    model = gauge(measured(DUE), started(), clock=clock)
    clock.now += 8.24
    model.tick()
    assert says(model) == [
        both("⠹ summarising before the next call", "8s", W),
        both("⠹ 下次调用前先做摘要", "8s", W),
    ]
    assert colours(state(model.view, W, EN))[0] == ("⠹", "accent")
    clock.now += 120
    assert model.keeps_time
    model.tick()
    assert says(model)[0] == both("⠹ summarising before the next call", "2m", W)
    assert says(model, 54)[0].endswith("2m 08s")
    model.apply(failed())
    assert not model.keeps_time
    assert says(model)[0] == "! summarising before the next call"


def test_one_by_hand_says_how_many() -> None:
    model = gauge(measured(), started("user"))
    assert says(model) == [
        both("⠋ summarising 42 messages", "0s", W),
        both("⠋ 正在为 42 条消息做摘要", "0s", W),
    ]
    row = gauge_line(model.view, 78, EN).text
    assert row.endswith("168.9k/256k  ⠋ summarising 0s  F5")
    assert gauge_line(model.view, 78, ZH).text.endswith("⠋ 正在做摘要 0s  F5")


def test_just_summarised_for_one_turn() -> None:
    model = gauge(measured(), TURN, started(), summarised(), smaller())
    assert says(model) == ["Σ summarised 42 · freed 112.8k", "Σ 已摘要 42 条 · 释放 112.8k"]
    assert says(model, 54)[0] == "Σ summarised 42 · freed 112.8k"
    assert shown([state(model.view, W, PLAIN)]) == ["S summarised 42 - freed 112.8k"]
    model.apply(DONE)
    assert says(model)[0].startswith("Σ")
    model.apply(TURN)
    assert not says(model)[0].startswith("Σ")


def test_a_cut_says_that_there_is_no_summary() -> None:
    model = gauge(measured(), summarised(how="cut"), smaller())
    assert says(model) == ["∅ left out 42 · freed 112.8k", "∅ 已移出 42 条 · 释放 112.8k"]


def test_the_newest_thing_is_said() -> None:
    model = gauge(measured(), cleared("c1"), summarised(), smaller())
    assert says(model)[0].startswith("Σ summarised")
    model.apply(cleared("c1"))
    assert says(model)[0].startswith("∅ cleared 1 result")


def test_paused_by_the_user() -> None:
    model = gauge(measured(PAUSED), summarised(), *undone())
    assert says(model) == [
        both("↩ summaries paused by you", "F7 compact", W),
        both("↩ 自动摘要已由你暂停", "F7 压缩", W),
    ]
    assert gauge_line(model.view, 78, EN).text.endswith("227.4k ↩ paused by you  F5")
    row = marks_block(model.view, W, EN)[-1]
    assert row.text == "4 summarise         223.0k paused by you"
    assert colours(row)[-1] == ("paused by you", "warn")
    model.apply(Paused(tier="summary", on=False))
    assert says(model)[0] == "! summarising before the next call"


def test_an_expansion_pauses_as_an_undo_does() -> None:
    model = gauge(measured(PAUSED), *expanded())
    assert says(model)[0].startswith("↩ summaries paused by you")


def test_after_failures_it_is_not_the_user_who_paused() -> None:
    model = gauge(measured(PAUSED), failed(), Paused(tier="summary", on=True))
    assert says(model) == [
        "! summaries paused after failures     F7",
        both("! 多次失败，自动摘要已暂停", "F7 压缩", W),
    ]
    assert marks_block(model.view, W, EN)[-1].text.endswith(" paused")
    assert gauge_line(model.view, 78, ZH).text.endswith("227.4k ! 已暂停  F5")


def test_too_large_and_past_the_mark_lead_to_compact() -> None:
    assert says(gauge(measured(OVER))) == [
        both("! too large to send", "F7 compact", W),
        both("! 太大，无法发送", "F7 压缩", W),
    ]
    model = gauge(measured(DUE))
    model.summarises = False
    model.apply(DONE)
    assert says(model)[0] == both("! past the summarise mark", "F7 compact", W)


def test_another_conversation_knows_nothing_of_it() -> None:
    model = gauge(measured(DUE), summarised(), *undone(), started(), HistoryCleared())
    view = model.view
    assert (view.summarising, view.summarised, view.paused) == (None, None, frozenset())
