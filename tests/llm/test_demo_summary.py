"""The demo writes summaries that may stand, from what its requests hold."""

import pytest

from app.compaction.asking import auxiliary_writer, main_writer
from app.compaction.summarize import Summarizer
from app.compaction.summary_check import check_summary
from app.conversation.history import History
from app.conversation.messages import Message, Said, SummaryPart, TextPart, WordsPart
from app.conversation.meter import Meter
from app.conversation.shares import shares
from app.conversation.window import thresholds
from app.llm.demo import WINDOW, DemoModel
from app.llm.demo_summary import summary_of
from app.ports import ModelRequest
from app.text import LANGUAGES, Language, Words
from tests.compaction.histories import GENERIC
from tests.compaction.summarizing import answered, cut_at, said, stepped, talk
from tests.llm.support import FakeClock


async def summary(language: Language, messages: list[Message], *, apart: bool) -> str:
    history = History(messages)
    cut = cut_at(history, len(messages) - 1)
    model = DemoModel(language, clock=FakeClock(), pace=0)
    marks = thresholds(WINDOW)
    writer = (
        auxiliary_writer(model, WINDOW)
        if apart
        else main_writer(model, marks, Meter(GENERIC).text_tokens)
    )
    summarizer = Summarizer(writer, Words(language))
    old = [one for one in messages[:-1] if one.role != "system"]
    plan = summarizer.plan(old, history=history, cut=cut, schemas=(), shares=shares(marks, 3_000))
    text = await summarizer.ask(plan)
    assert check_summary(text.text, limit=plan.limit.characters) is None
    assert summarizer.calls == len(plan.pieces) + (len(plan.pieces) > 1) or not apart
    return text.text


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("language", LANGUAGES)
async def test_it_says_what_was_asked_and_called(language: Language, apart: bool) -> None:
    messages = [*talk([("Fix it", "x\n" * 800), ("And the log", "y\n" * 800)]), said(9, "newest")]
    text = await summary(language, messages, apart=apart)
    words = Words(language)
    assert text.startswith(f"## {words('summary.heading_goal')}\n- Fix it\n")
    assert "- And the log" in text
    assert "- `read_file` a.py" in text
    assert "newest" not in text


@pytest.mark.parametrize("apart", [False, True])
async def test_it_carries_an_earlier_summary_on(apart: bool) -> None:
    points = "## Goal and success criteria\n- EARLIER POINT\n## Done, with evidence\n- none"
    front = Message("m0", "user", (SummaryPart(points), WordsPart((Said("u0", "first words"),))))
    messages = [front, answered(0), said(1, "go on"), *stepped(1, "b"), answered(1), said(2, "new")]
    text = await summary("en", messages, apart=apart)
    assert "- EARLIER POINT" in text
    assert text.count("- none") <= 1


async def test_what_is_open_is_the_last_answer_in_a_plain_line() -> None:
    last = Message(
        "a9", "assistant", (TextPart("**Nothing was booked.** Line 188:\n\n```text\nlog\n```"),)
    )
    text = await summary(
        "en", [*talk([("Fix it", "x")])[:-1], last, said(9, "newest")], apart=False
    )
    assert text.endswith("\n- Nothing was booked. Line 188:")


async def test_a_long_record_goes_in_pieces() -> None:
    messages = [*talk([("Fix it", "word and word\n" * 9_000)]), said(9, "newest")]
    assert "- Fix it" in await summary("en", messages, apart=True)


async def test_an_ordinary_request_is_no_summary() -> None:
    assert summary_of(ModelRequest(({"role": "user", "content": "Summarise this"},))) is None
    assert summary_of(ModelRequest(())) is None
