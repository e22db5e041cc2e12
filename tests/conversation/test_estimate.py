"""What messages come to, part by part, as they go over the wire (PROVIDERS 2.3; FIELD 71)."""

from dataclasses import replace

import pytest

from app.conversation.classes import count_classes
from app.conversation.estimate import PER_CALL, PER_MESSAGE, message_loads
from app.conversation.history import History, RecoverySlot
from app.conversation.images import picture
from app.conversation.messages import (
    CorrectionPart,
    ImagePart,
    MemoryPart,
    Message,
    Reasoning,
    RestoredPart,
    SummaryPart,
    TextPart,
    ToolCall,
)
from app.conversation.meter import Meter
from app.conversation.wire import to_wire
from tests.conversation.metering import (
    GENERIC,
    HAN,
    TOOLS,
    answer,
    step,
    system,
    user,
)

PNG = b"\x89PNG\r\n\x1a\n"


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
    assert (PER_MESSAGE, PER_CALL) == (5, 8), "PROVIDERS 2.3"


def test_only_reasoning_that_is_sent_back_counts() -> None:
    kept = Reasoning("字" * 40, send=True)
    dropped = Reasoning("字" * 40, send=False)
    details = Reasoning("字" * 40, "reasoning_details", send=True, details='[{"data": "x"}]')
    meter = Meter(HAN)
    assert meter.message_tokens(answer("m", 10, reasoning=kept)) == 50 + PER_MESSAGE
    assert meter.message_tokens(answer("m", 10, reasoning=dropped)) == 10 + PER_MESSAGE
    assert meter.message_tokens(answer("m", 10, reasoning=details)) == 50 + PER_MESSAGE


@pytest.mark.parametrize(
    ("size", "tokens"),
    # FACTS 1.1: bytes / 768, at least 256, at most 4,096.
    [(0, 256), (768 * 256, 256), (768 * 300, 300), (2_000_000, 2_604), (4_900_000, 4_096)],
)
def test_a_picture_costs_by_its_bytes(size: int, tokens: int) -> None:
    meter = Meter(GENERIC)
    shot = picture("a.png", PNG + bytes(max(0, size - len(PNG))))
    assert shot is not None
    without = meter.message_tokens(user("m", 3))
    assert meter.message_tokens(user("m", 3, shot)) - without == tokens
    assert meter.message_tokens(user("m", 3, shot, shot)) - without == 2 * tokens


def test_an_address_costs_the_same_however_long_it_is() -> None:
    meter = Meter(GENERIC)
    short = user("m", 3, ImagePart("https://example.org/a.png"))
    long = user("m", 3, ImagePart("https://example.org/" + "a" * 5_000))
    assert meter.message_tokens(long) == meter.message_tokens(short)
    assert meter.message_tokens(short) - meter.message_tokens(user("m", 3)) == 1_024


def test_a_picture_of_a_result_counts_with_the_message_it_goes_out_in() -> None:
    meter = Meter(GENERIC)
    text = Message("t", "tool", (TextPart("seen"),), call_id="c", tool="read_file")
    shot = replace(text, parts=(*text.parts, ImagePart("https://example.org/a.png")))
    assert meter.message_tokens(shot) - meter.message_tokens(text) == 1_024 + PER_MESSAGE


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


def test_memory_that_a_summary_brings_again_is_memory() -> None:
    summary, memory = SummaryPart("字" * 90), MemoryPart("字" * 30)
    meter = Meter(GENERIC)
    one, both = (
        meter.measure(History([system(5), Message("b", "user", parts)]), "").parts
        for parts in ((summary,), (summary, memory))
    )
    assert (one.memory, both.history) == (0, one.history)
    assert both.memory > 20


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
