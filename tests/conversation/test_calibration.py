"""Which usage is believed, and the meter's own error (PROVIDERS 1.3, 2.4; 4, row 11)."""

import pytest

from app.conversation.history import History
from app.conversation.meter import Meter
from tests.conversation.metering import (
    HAN,
    anchored,
    answer,
    exchange,
    system,
    user,
)


def test_missing_usage_keeps_the_anchor_and_estimates_on() -> None:
    meter, history = anchored(real=1000)
    history.append(user("u2", 95))
    assert exchange(meter, history, answer("a2", 95), prompt=None) == "missing"
    measure = meter.measure(history, "")
    assert (measure.tokens, measure.source) == (1100 + 200, "anchored")


def test_never_any_usage_is_an_estimate() -> None:
    meter, history = Meter(HAN), History([user("u1", 995)])
    exchange(meter, history, answer("a1", 95), prompt=None)
    measure = meter.measure(history, "")
    assert (measure.tokens, measure.source, measure.at_most) == (1100, "estimated", 1210)
    assert meter.error is None


@pytest.mark.parametrize("prompt", [0, -5, 10**9])
def test_absurd_usage_is_ignored(prompt: int) -> None:
    meter, history = anchored(real=1000)
    before = meter.measure(history, "").tokens
    assert exchange(meter, history, answer("a2", 95), prompt=prompt) == "ignored"
    assert meter.measure(history, "").tokens == before + 100


def test_a_usage_that_comes_twice_counts_once() -> None:
    meter, history = anchored(real=1000)
    assert meter.answered(history, history[-1], prompt=1000, completion=100) == "late"
    assert meter.measure(history, "").tokens == 1100


def test_doubled_usage_is_ignored() -> None:
    meter, history = anchored(real=1000)
    history.append(user("u2", 95))
    assert exchange(meter, history, answer("a2", 95), prompt=2400) == "ignored"
    assert meter.measure(history, "").tokens == 1300


def test_summed_up_usage_is_ignored_for_good() -> None:
    """A provider, or a proxy, that adds up all calls so far."""
    meter, history = anchored(real=1000)
    summed, real = 1000, 1100
    for number in range(2, 12):
        history.append(user(f"u{number}", 295))
        real += 300
        summed += real
        exchange(meter, history, answer(f"a{number}", 95), prompt=summed, completion=100)
        real += 100
        assert meter.measure(history, "").tokens == real


def test_silent_truncation_is_reported_and_not_believed() -> None:
    """PROVIDERS 1.3: Ollama drops the oldest messages and says nothing."""
    meter = Meter(HAN)
    history = History([system(2995)])
    full = 3000
    for number in range(12):
        history.append(user(f"u{number}", 995))
        full += 1000
        reply = answer(f"a{number}", 95)
        verdict = exchange(meter, history, reply, prompt=min(full, 4096), completion=100)
        assert verdict == ("truncated" if full * 0.7 > 4096 else "anchored")
        full += 100
    assert meter.measure(history, "").tokens == full


def test_truncation_from_one_call_to_the_next() -> None:
    meter, history = anchored(real=5000, estimate=5000)
    history.append(user("u2", 95))
    assert exchange(meter, history, answer("a2", 95), prompt=2048) == "truncated"
    measure = meter.measure(history, "")
    assert (measure.tokens, measure.source) == (5300, "estimated")


def test_other_contents_are_no_truncation() -> None:
    """The ratio may fall by a third when prose follows figures: the prompt still grows."""
    meter, history = anchored(real=1300, estimate=1000)
    real = 1400
    for number in range(2, 20):
        history.append(user(f"u{number}", 995))
        real += 700
        reply = answer(f"a{number}", 95)
        assert exchange(meter, history, reply, prompt=real, completion=70) == "anchored"
        real += 70


def test_a_small_prompt_is_never_taken_for_a_truncated_one() -> None:
    meter, history = Meter(HAN), History([user("u", 95)])
    assert exchange(meter, history, answer("a", 5), prompt=30) == "anchored"


def test_a_count_that_stays_odd_but_grows_rightly_is_believed() -> None:
    """FIELD 71: 55k shown, 215k real; the gauge must not insist for ever."""
    meter, history = Meter(HAN), History([system(9_000)])
    real, verdicts = 30_000, []
    for number in range(4):
        history.append(user(f"u{number}", 495))
        real += 500
        verdicts.append(
            exchange(meter, history, answer(f"a{number}", 95), prompt=real, completion=100)
        )
        real += 100
    assert verdicts == ["ignored", "ignored", "anchored", "anchored"]
    assert meter.measure(history, "").tokens == real


def test_error() -> None:
    meter, history = Meter(HAN), History([user("u1", 995)])
    assert meter.error is None
    exchange(meter, history, answer("a1", 95), prompt=1250, completion=100)
    error = meter.error
    assert error is not None
    assert (error.calls, error.median, error.worst) == (1, pytest.approx(0.2), pytest.approx(0.2))
    assert error.last == pytest.approx(-0.2)
    for number in range(2, 23):
        history.append(user(f"u{number}", 95))
        expected = meter.measure(history, "").tokens
        exchange(meter, history, answer(f"a{number}", 95), prompt=expected, completion=100)
    error = meter.error
    assert (error.calls, error.worst) == (20, pytest.approx(0.0, abs=1e-3))
