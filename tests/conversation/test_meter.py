"""The token meter's anchor: appends, edits, what drops it (PROVIDERS 2.4; FIELD 71, 72)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.conversation.calibration import Ratios
from app.conversation.classes import Coefficients
from app.conversation.estimate import PER_CALL, PER_MESSAGE
from app.conversation.history import History, RecoverySlot
from app.conversation.measured import Measure, shared_out
from app.conversation.messages import (
    Message,
    Reasoning,
    TextPart,
)
from app.conversation.meter import Meter
from tests.conversation.metering import (
    GENERIC,
    HAN,
    QWEN,
    TOOLS,
    anchored,
    answer,
    exchange,
    step,
    system,
    user,
)
from tests.conversation.strategies import Ids, changed, conversations


def test_before_the_first_answer_it_is_an_estimate_with_a_margin() -> None:
    meter, history = Meter(HAN), History([user("u", 995)])
    measure = meter.measure(history, "")
    assert (measure.tokens, measure.source, measure.at_most) == (1000, "estimated", 1100)
    assert (measure.since, measure.ratio) == (0, 1.0)


def test_after_an_answer_it_is_what_was_counted() -> None:
    """FIELD 71: after the first reply the error is nothing, shown as measured."""
    meter, history = anchored(real=1200)
    measure = meter.measure(history, "")
    assert (measure.tokens, measure.source) == (1300, "anchored")
    assert measure.at_most == 1300
    assert measure.parts.total == 1300
    assert measure.ratio == pytest.approx(1.2)


def test_a_count_of_an_earlier_process_is_taken_up() -> None:
    """A session is resumed: the figure is the one it was left with."""
    before, history = anchored(real=1200)
    history.append(user("u2", 495))
    left = before.measure(history, "")
    resumed = Meter(HAN)
    again = History(history.messages)
    answer_ = next(message for message in again if message.role == "assistant")
    resumed.take_up(again, "", answer_, prompt=1200, completion=100)
    measure = resumed.measure(again, "")
    assert (measure.tokens, measure.source) == (left.tokens, "anchored")


def test_an_absurd_count_of_an_earlier_process_is_not_taken_up() -> None:
    _, history = anchored(real=1200)
    resumed = Meter(HAN)
    answer_ = next(message for message in history if message.role == "assistant")
    resumed.take_up(history, "", answer_, prompt=10**9, completion=100)
    assert resumed.measure(history, "").source == "estimated"


def test_what_is_appended_is_added_at_the_running_ratio() -> None:
    meter, history = anchored(real=1200)
    history.append(user("u2", 495))
    measure = meter.measure(history, "")
    assert measure.tokens == 1300 + round(1.2 * 500)
    assert (measure.since, measure.source) == (600, "anchored")


def test_the_running_ratio_is_smoothed() -> None:
    meter, history = anchored(real=1200)
    history.append(user("u2", 995))
    assert exchange(meter, history, answer("a2", 95), prompt=1300 + 1000, completion=100) == (
        "anchored"
    )
    assert meter.measure(history, "").ratio == pytest.approx(0.7 * 1.2 + 0.3 * 1.0)


def test_the_ratio_stays_within_half_and_twice() -> None:
    meter, history = anchored(real=1200)
    for number in range(2, 12):
        before = meter.measure(history, "").tokens
        history.append(user(f"u{number}", 195))
        exchange(meter, history, answer(f"a{number}", 95), prompt=before + 600, completion=100)
    assert meter.measure(history, "").ratio <= 2.0


def test_under_200_tokens_teach_nothing() -> None:
    meter, history = anchored(real=1200)
    history.append(user("u2", 190))
    exchange(meter, history, answer("a2", 95), prompt=1300 + 300, completion=100)
    assert meter.measure(history, "").ratio == pytest.approx(1.2)


@pytest.mark.parametrize(("estimated", "ratio"), [(199, 1.2), (200, 0.7 * 1.2 + 0.3 * 1.5)])
def test_200_tokens_teach(estimated: int, ratio: float) -> None:
    ratios = Ratios(added=1.2)
    ratios.learn_added(1.5 * estimated, estimated)
    assert ratios.added == pytest.approx(ratio)


def test_reasoning_that_is_not_sent_back_leaves_the_anchor() -> None:
    meter = Meter(HAN)
    history = History([user("u1", 995)])
    reply = answer("a1", 95, reasoning=Reasoning("字" * 300, send=False))
    exchange(meter, history, reply, prompt=1000, completion=400, reasoning=300)
    assert meter.measure(history, "").tokens == 1100


def test_reasoning_that_the_provider_does_not_count_apart_is_estimated() -> None:
    meter = Meter(HAN)
    history = History([user("u1", 995)])
    reply = answer("a1", 95, reasoning=Reasoning("字" * 300, send=False))
    exchange(meter, history, reply, prompt=1000, completion=400)
    assert meter.measure(history, "").tokens == 1100


def test_reasoning_that_is_sent_back_stays() -> None:
    meter = Meter(HAN)
    history = History([user("u1", 995)])
    reply = answer("a1", 95, reasoning=Reasoning("字" * 300, send=True))
    exchange(meter, history, reply, prompt=1000, completion=400, reasoning=300)
    assert meter.measure(history, "").tokens == 1400


@pytest.mark.parametrize("completion", [0, 50_000])
def test_an_answer_with_an_impossible_count_is_estimated(completion: int) -> None:
    meter = Meter(HAN)
    history = History([user("u1", 995)])
    exchange(meter, history, answer("a1", 95), prompt=1000, completion=completion)
    assert meter.measure(history, "").tokens == 1100


def test_an_answer_that_did_not_join_the_history() -> None:
    meter, history = Meter(HAN), History([user("u1", 995)])
    meter.sent(history, "")
    history.append(answer("x", 200, discarded=True))
    assert meter.answered(history, None, prompt=1500) == "anchored"
    assert meter.measure(history, "").tokens == 1500


# Edits


def test_an_edit_adjusts_the_anchor_and_is_an_estimate_until_the_next_usage() -> None:
    """FIELD 72: it falls at once, by the anchor's own ratio, then settles."""
    meter = Meter(HAN)
    history = History([system(95), user("u1", 95), *step(1, 1000)])
    exchange(meter, history, answer("a", 95), prompt=1600, completion=100)
    before = meter.measure(history, "")
    covered = 100 + 100 + (PER_MESSAGE + PER_CALL) + 1005 + 100
    history.replace("r1", (TextPart("字" * 200),))
    after = meter.measure(history, "")
    assert after.source == "estimated"
    assert after.tokens == round(1700 - 800 * 1700 / covered)
    assert after.since == after.tokens - 1700 < 0
    assert after.parts.results < before.parts.results
    history.append(user("u2", 95))
    exchange(meter, history, answer("b", 95), prompt=1000, completion=100)
    assert meter.measure(history, "").source == "anchored"
    assert meter.measure(history, "").tokens == 1100


def test_an_edit_of_what_was_not_sent_yet_keeps_the_anchor() -> None:
    meter, history = anchored(real=1000)
    history.append(user("u2", 495))
    meter.measure(history, "")
    history.replace("u2", (TextPart("字" * 295),))
    measure = meter.measure(history, "")
    assert (measure.tokens, measure.source) == (1100 + 300, "anchored")


def test_a_splice_of_most_of_it_is_the_estimate_at_the_anchor_s_ratio() -> None:
    meter = Meter(HAN)
    history = History([system(95), user("u1", 9000), *step(1, 9000), user("u2", 95)])
    exchange(meter, history, answer("a", 95), prompt=27_000, completion=100)
    ratio = 27_100 / (100 + 9005 + 13 + 9005 + 100 + 100)
    history.splice(1, 4, [user("sum", 495)])
    measure = meter.measure(history, "")
    assert measure.source == "estimated"
    assert measure.tokens == pytest.approx((100 + 500 + 100 + 100) * ratio, abs=1)


def test_an_edit_and_appends_between_two_measures() -> None:
    meter, history = anchored(real=1000)
    history.replace("u1", (TextPart("字" * 50),))
    history.append(user("u2", 495))
    once = meter.measure(history, "")
    other, same = anchored(real=1000)
    same.replace("u1", (TextPart("字" * 50),))
    other.measure(same, "")
    same.append(user("u2", 495))
    assert other.measure(same, "") == once


def test_the_recovery_slot_at_a_sent_message_is_an_edit() -> None:
    meter, history = anchored(real=1000)
    history.set_recovery(RecoverySlot("u1", "字" * 200))
    measure = meter.measure(history, "")
    assert measure.source == "estimated"
    assert measure.tokens == pytest.approx(1100 + 200, abs=1)


def test_the_recovery_slot_at_a_new_message_is_not() -> None:
    meter, history = anchored(real=1000)
    history.append(user("u2", 95))
    history.set_recovery(RecoverySlot("u2", "字" * 200))
    measure = meter.measure(history, "")
    assert (measure.tokens, measure.source) == (1100 + 100 + 200, "anchored")


def test_an_edit_while_the_model_answers() -> None:
    meter, history = Meter(HAN), History([system(95), user("u1", 995)])
    meter.sent(history, "")
    history.replace("u1", (TextPart("字" * 495),))
    history.append(answer("a1", 95))
    meter.answered(history, history[2], prompt=1100, completion=100)
    measure = meter.measure(history, "")
    assert measure.source == "estimated"
    assert measure.tokens == 1100 - 500 + 100


# What drops the anchor


def test_other_tools_drop_it() -> None:
    meter, history = anchored(real=1200)
    measure = meter.measure(history, "字" * 100)
    assert measure.source == "estimated"
    assert measure.tokens == round(1.2 * (1000 + 100 + 100))
    assert measure.at_most == round(measure.tokens * 1.1)


def test_another_system_message_drops_it() -> None:
    meter, history = anchored(real=1200)
    history.replace("s", (TextPart("字" * 95),))
    assert meter.measure(history, "").tokens == round(1.2 * (100 + 105 + 100))


def test_another_model_drops_it_and_keeps_the_last_whole_ratio() -> None:
    meter, history = anchored(real=1200)
    meter.use(Coefficients._make(2 * value for value in HAN), ("there", "other"))
    measure = meter.measure(history, "")
    fixed = 3 * PER_MESSAGE
    assert measure.source == "estimated"
    assert measure.tokens == round(1.2 * (2 * (1100 - fixed) + fixed))


def test_a_model_s_own_ratio_is_remembered() -> None:
    meter, history = anchored(real=1200)
    meter.use(HAN, ("there", "other"))
    exchange(meter, history, answer("a2", 95), prompt=1100, completion=100)
    meter.use(HAN, ("there", "model"))
    assert meter.measure(history, "").tokens == round(1.2 * 1200)
    meter.use(HAN, ("there", "other"))
    assert meter.measure(history, "").tokens == 1200


def test_the_same_model_again_keeps_the_anchor() -> None:
    meter, history = anchored(real=1200)
    meter.use(HAN, ("there", "model"))
    assert meter.measure(history, "").source == "anchored"


def test_usage_of_a_model_that_was_left_meanwhile() -> None:
    meter, history = Meter(HAN, ("there", "model")), History([user("u1", 995)])
    meter.sent(history, "")
    meter.use(HAN, ("there", "other"))
    history.append(answer("a1", 95))
    assert meter.answered(history, history[1], prompt=1500, completion=100) == "late"
    assert meter.measure(history, "").source == "estimated"


def test_another_history_drops_it() -> None:
    meter, _ = anchored(real=1200)
    measure = meter.measure(History([user("u", 95)]), "")
    assert (measure.tokens, measure.source) == (120, "estimated")


def fresh(history: History, tools: str, coefficients: Coefficients = GENERIC) -> Measure:
    return Meter(coefficients).measure(history, tools)


@given(st.data())
def test_the_running_sums_are_those_of_a_fresh_meter(data: st.DataObject) -> None:
    ids = Ids()
    history = History(data.draw(conversations(ids, max_turns=2)))
    meter = Meter(GENERIC)
    tools = data.draw(st.sampled_from(["", TOOLS]))
    for _ in range(data.draw(st.integers(1, 5))):
        data.draw(changed(history, ids))
        if data.draw(st.booleans()):
            assert meter.measure(history, tools) == fresh(history, tools)
        if data.draw(st.booleans()):
            tools = data.draw(st.sampled_from(["", TOOLS, "[]"]))
    assert meter.measure(history, tools) == fresh(history, tools)
    assert meter.composition(history, tools) == Meter(GENERIC).composition(history, tools)
    meter.use(QWEN, ("", "qwen"))
    assert meter.measure(history, tools) == fresh(history, tools, QWEN)


@given(st.data())
def test_the_parts_always_add_up(data: st.DataObject) -> None:
    ids = Ids()
    history = History(data.draw(conversations(ids, max_turns=2)))
    meter = Meter(GENERIC)
    for _ in range(data.draw(st.integers(1, 5))):
        if not history.open_calls and len(history):
            meter.sent(history, TOOLS)
            said = Message(ids(), "assistant", (TextPart("Answered."),))
            history.append(said)
            prompt = data.draw(st.none() | st.integers(0, 5000))
            meter.answered(history, said, prompt=prompt, completion=data.draw(st.integers(0, 9)))
        data.draw(changed(history, ids))
        measure = meter.measure(history, TOOLS)
        assert measure.tokens == measure.parts.total >= 0
        assert min(measure.parts.system, measure.parts.memory, measure.parts.results) >= 0
        assert sum(one.tokens for one in meter.composition(history, TOOLS)) == measure.tokens
        assert all(one.items >= 0 for one in meter.composition(history, TOOLS))


@given(st.integers(0, 10_000), st.lists(st.floats(0, 1e6), min_size=1, max_size=10))
def test_shares_add_up(total: int, estimates: list[float]) -> None:
    shares = shared_out(total, estimates)
    assert sum(shares) == (total if sum(estimates) > 0 else 0)
    for share, estimate in zip(shares, estimates, strict=True):
        assert sum(estimates) == 0 or abs(share - total * estimate / sum(estimates)) <= 1


def test_an_append_counts_only_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def counted(message: Message) -> tuple[()]:
        seen.append(message.id)
        return ()

    monkeypatch.setattr("app.conversation.tally.message_loads", counted)
    history, meter = History([user("u1", 5), answer("a1", 5)]), Meter(GENERIC)
    meter.measure(history, "")
    meter.measure(history, "")
    history.append(user("u2", 5))
    meter.measure(history, "")
    history.replace("u1", (TextPart("other"),))
    meter.measure(history, "")
    history.splice(1, 2, [answer("a9", 5)])
    meter.measure(history, "")
    assert seen == ["u1", "a1", "u2", "u1", "a9"]
