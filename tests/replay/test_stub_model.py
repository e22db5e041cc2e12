"""The fixed summaries of a replay are such as a model's may be."""

import asyncio

import pytest

from app.compaction.summary_check import check_summary
from app.conversation.messages import WireMessage
from app.conversation.meter import Meter
from app.conversation.wire import to_wire
from app.llm.families import coefficients_for
from app.ports import ModelRequest, Reply
from app.replay.counting import Counter
from app.replay.example import example_recording
from app.replay.stub_model import StubModel, Summaries, sentences
from app.text import Language, Words
from tests.replay.recordings import WORDS, recording

COUNTER = Counter(coefficients_for(""))

TALK: tuple[WireMessage, ...] = (
    {"role": "user", "content": "Fix the boiler. It leaks at src/boiler.py."},
    {"role": "assistant", "content": "", "tool_calls": []},
    {"role": "tool", "tool_call_id": "a", "content": "Everything leaks. Always."},
    {"role": "assistant", "content": "它不再漏水了。测试通过。"},
    {"role": "assistant", "content": "It is dry now"},
)


def answer(model: StubModel) -> str:
    async def ask() -> str:
        async for chunk in model.stream(ModelRequest(TALK)):
            if isinstance(chunk, Reply):
                return chunk.text
        raise AssertionError("no reply")

    return asyncio.run(ask())


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", ["worst", "extractive"])
def test_a_summary_can_be_used(kind: Summaries, language: Language) -> None:
    model = StubModel(kind, Words(language), COUNTER)
    text = answer(model)
    assert check_summary(text, limit=8_000) is None
    assert ("boiler" in text) is (kind == "extractive")
    assert (model.calls, model.asked) == (1, COUNTER.request(TALK))


def test_sentences_are_the_first_of_what_people_and_agent_said() -> None:
    assert sentences(TALK).splitlines() == [
        "- Fix the boiler.",
        "- 它不再漏水了。",
        "- It is dry now",
    ]
    many: list[WireMessage] = [
        {"role": "user", "content": f"Wish {number}. More."} for number in range(500)
    ]
    assert len(sentences(many).splitlines()) == 40
    assert "Wish 0." in sentences(many)
    assert "Wish 499." in sentences(many)


def test_who_listens_may_give_the_text() -> None:
    heard: list[int] = []

    async def booked(messages: tuple[WireMessage, ...]) -> str | None:
        heard.append(len(messages))
        return "A text from outside."

    text = answer(StubModel("worst", WORDS, COUNTER, booked))
    assert heard == [len(TALK)]
    assert "A text from outside." in text
    assert check_summary(text, limit=8_000) is None


def test_requests_are_counted_as_the_meter_does() -> None:
    messages = example_recording(WORDS).messages
    meter = Meter(coefficients_for(""))
    estimated = sum(map(meter.weight, messages))
    assert COUNTER.request(to_wire(messages)) == pytest.approx(estimated, rel=0.01)


def test_the_common_beginning_ends_inside_the_first_message_that_differs() -> None:
    told = recording([("user", "word " * 400), ("say", "yes"), ("user", "more"), ("say", "no")])
    before = to_wire(told.messages[:3])
    assert COUNTER.shared((), before) == 0
    assert COUNTER.shared(before, to_wire(told.messages)) == COUNTER.request(before)
    half: tuple[WireMessage, ...] = ({"role": "user", "content": "word " * 200 + "other " * 200},)
    shared = COUNTER.shared(before, half)
    assert 150 < shared < COUNTER.request(half)
    assert COUNTER.shared(before, ({"role": "assistant", "content": "word " * 400},)) == 0
