"""The token meter: estimate, anchor, edits, what usage to believe (PROVIDERS 2.3, 2.4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.conversation.classes import NOTHING, Coefficients, count_classes
from app.conversation.estimate import PER_CALL, PER_IMAGE, PER_MESSAGE, message_loads
from app.conversation.history import History, RecoverySlot
from app.conversation.measured import Measure, shared_out
from app.conversation.messages import (
    CorrectionPart,
    ImagePart,
    MemoryPart,
    Message,
    Part,
    Reasoning,
    RestoredPart,
    TextPart,
    ToolCall,
)
from app.conversation.meter import Meter
from app.conversation.wire import to_wire
from app.llm.families import coefficients_of
from tests.conversation.strategies import Ids, changed, conversations

GENERIC = coefficients_of("generic")
QWEN = coefficients_of("qwen3.6")
HAN = Coefficients._make(float(name == "han") for name in Coefficients._fields)
"""One token an ideograph, all else free: a text of n ideographs is n tokens, its tags none."""

TOOLS = '[{"type": "function", "function": {"name": "read_file", "parameters": {}}}]'


def system(length: int = 1000, message_id: str = "s") -> Message:
    return Message(message_id, "system", (TextPart("字" * length),))


def user(message_id: str, length: int, *parts: Part) -> Message:
    return Message(message_id, "user", (TextPart("字" * length), *parts))


def answer(message_id: str, length: int, **more: object) -> Message:
    return Message(message_id, "assistant", (TextPart("字" * length),), **more)  # type: ignore[arg-type]


def step(number: int, length: int) -> tuple[Message, Message]:
    """A call and its result of so many ideographs."""
    call = ToolCall(f"c{number}", "read_file", "{}")
    return (
        Message(f"a{number}", "assistant", calls=(call,)),
        Message(
            f"r{number}", "tool", (TextPart("字" * length),), call_id=call.id, tool="read_file"
        ),
    )


def exchange(
    meter: Meter,
    history: History,
    reply: Message,
    *,
    prompt: int | None,
    completion: int | None = None,
    reasoning: int = 0,
    tools: str = "",
) -> str:
    """One call to the model: sent, answered, the answer appended."""
    meter.sent(history, tools)
    history.append(reply)
    real = meter.message_tokens(reply) if completion is None else completion
    return meter.answered(history, reply, prompt=prompt, completion=real, reasoning=reasoning)


def anchored(real: int = 1200, estimate: int = 1000) -> tuple[Meter, History]:
    """A meter after one answer of 100 tokens; the prompt was estimated and came to `real`."""
    meter = Meter(HAN, ("there", "model"))
    history = History([system(estimate - 100 - 2 * PER_MESSAGE), user("u1", 100)])
    assert exchange(meter, history, answer("a1", 95), prompt=real, completion=100) == "anchored"
    return meter, history


# What a message is measured as


def text_of(message: Message, recovery: RecoverySlot | None = None) -> str:
    """All that is sent of it, as one text."""
    wire = to_wire((message,), recovery)[0]
    content = wire["content"]
    assert isinstance(content, str)
    return content


@pytest.mark.parametrize(
    "message",
    [
        Message("m", "system", (TextPart("You are careful. 请用中文回答。"),)),
        Message("m", "user", (TextPart("Look at a\x1b[31m.py </summary>"),)),
        Message("m", "tool", (TextPart("<tool_result> forged"),), call_id="c", tool="a b"),
        Message("m", "tool", (TextPart(""),), call_id="c", tool="read_file"),
        Message("m", "assistant", (TextPart("Done."),)),
    ],
)
def test_a_message_is_measured_as_it_goes_over_the_wire(message: Message) -> None:
    loads = message_loads(message)
    assert [load.counts for load in loads] == [count_classes(text_of(message))]
    assert sum(load.fixed for load in loads) == PER_MESSAGE


def test_calls_count_with_names_and_arguments() -> None:
    calls = (ToolCall("c1", "read_file", '{"path": "a.py"}'), ToolCall("c2", "坏 name", "broken"))
    loads = message_loads(Message("m", "assistant", (TextPart("I look."),), calls=calls))
    assert [(load.kind, load.fixed, load.items) for load in loads] == [
        ("answers", PER_MESSAGE, 1),
        ("calls", 2 * PER_CALL, 2),
    ]
    sent = count_classes('read_file {"path": "a.py"}').plus(count_classes("__name {}"))
    assert loads[1].counts == sent
    silent = message_loads(Message("m", "assistant", calls=calls))
    assert [(load.kind, load.fixed) for load in silent] == [("calls", PER_MESSAGE + 2 * PER_CALL)]


def test_only_reasoning_that_is_sent_back_counts() -> None:
    kept = Reasoning("字" * 40, send=True)
    dropped = Reasoning("字" * 40, send=False)
    details = Reasoning("字" * 40, "reasoning_details", send=True, details='[{"data": "x"}]')
    meter = Meter(HAN)
    assert meter.message_tokens(answer("m", 10, reasoning=kept)) == 50 + PER_MESSAGE
    assert meter.message_tokens(answer("m", 10, reasoning=dropped)) == 10 + PER_MESSAGE
    assert meter.message_tokens(answer("m", 10, reasoning=details)) == 50 + PER_MESSAGE


def test_a_picture_costs_what_it_costs_however_long_its_address_is() -> None:
    meter = Meter(GENERIC)
    short = user("m", 3, ImagePart("https://example.org/a.png"))
    long = user("m", 3, ImagePart("data:image/png;base64," + "aB3/" * 50_000))
    assert meter.message_tokens(long) == meter.message_tokens(short)
    assert meter.message_tokens(short) - meter.message_tokens(user("m", 3)) == PER_IMAGE


def test_discarded_text_counts_nothing() -> None:
    history = History([user("u", 10)])
    meter = Meter(HAN)
    before = meter.measure(history, "")
    history.append(answer("x", 500, discarded=True))
    assert meter.measure(history, "") == before
    assert meter.message_tokens(history[1]) == 0


def test_parts() -> None:
    history = History(
        [
            Message("s", "system", (TextPart("字" * 100), TextPart("字" * 30))),
            user(
                "u", 20, MemoryPart("字" * 7), CorrectionPart("字" * 3), RestoredPart("r", "字字")
            ),
            *step(1, 400),
        ],
        RecoverySlot("r1", "字" * 11),
    )
    meter = Meter(HAN)
    parts = meter.measure(history, "字" * 50).parts
    assert (parts.system, parts.tools, parts.memory) == (130 + PER_MESSAGE, 50, 10)
    assert parts.results == 400 + PER_MESSAGE
    assert parts.history == 20 + 2 + 11 + 2 * PER_MESSAGE + PER_CALL
    assert parts.total == meter.measure(history, "字" * 50).tokens


def test_composition() -> None:
    history = History(
        [
            Message("s", "system", (TextPart("字" * 100), TextPart("字" * 30), TextPart("字"))),
            user("u", 20, MemoryPart("字" * 7)),
            *step(1, 400),
            *step(2, 40),
            answer("a", 60),
        ],
        RecoverySlot("r1", "字" * 11),
    )
    meter = Meter(HAN)
    made = {
        one.kind: (one.items, one.tokens)
        for one in meter.composition(history, TOOLS, {"r2": "pointers", "gone": "summary"})
    }
    assert made == {
        "prompt": (1, 105),
        "tools": (1, 0),
        "documents": (2, 31),
        "memory": (1, 7),
        "summary": (1, 11),
        "user": (1, 25),
        "answers": (1, 65),
        "calls": (2, 2 * (PER_MESSAGE + PER_CALL)),
        "pointers": (1, 45),
        "results": (1, 405),
    }


def test_largest() -> None:
    history = History([system(50), user("u", 300), *step(1, 400), answer("a", 10)])
    meter = Meter(HAN)
    meter.measure(history, "")
    largest = meter.largest(history, 2)
    assert [(item.message.id, item.tokens) for item in largest] == [("r1", 405), ("u", 305)]


def test_empty() -> None:
    measure = Meter(GENERIC).measure(History(), "")
    assert (measure.tokens, measure.parts.total, measure.source) == (0, 0, "estimated")


def test_tools_and_system_are_in_the_estimate() -> None:
    """FIELD 71."""
    meter = Meter(GENERIC)
    bare = meter.measure(History([user("u", 10)]), "").tokens
    whole = meter.measure(History([system(500), user("u", 10)]), TOOLS).tokens
    assert whole - bare > 500 * 0.6 + 20


# The anchor


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
    estimate = before.tokens / 1.0
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
    assert estimate == 1700


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


# Usage that can't be believed


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


# Its own error


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


# Whatever happens


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


def test_nothing_counted() -> None:
    assert NOTHING.tokens(GENERIC) == 0.0
