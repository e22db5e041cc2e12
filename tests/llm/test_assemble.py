"""One answer out of its chunks: text, reasoning, calls, usage, and what its end means."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.conversation.messages import Reasoning
from app.llm.assemble import Assembler
from app.llm.dialects import UNKNOWN, Dialect, dialect_for
from app.llm.errors import (
    BrokenStream,
    CallError,
    ContentFiltered,
    ContextOverflow,
    EmptyReply,
    NoRoomToAnswer,
    TruncatedCall,
)
from app.ports import ReasoningDelta, Reply, RequestedCall, TextDelta, Usage

CALL = [{"index": 0, "id": "a", "function": {"name": "read", "arguments": '{"path": "a"}'}}]
HALF = [{"index": 0, "id": "a", "function": {"name": "read", "arguments": '{"path": "a'}}]


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def feed(
    chunks: Iterable[dict[str, Any]], dialect: Dialect = UNKNOWN
) -> tuple[Assembler, list[TextDelta | ReasoningDelta]]:
    assembler = Assembler(dialect)
    deltas = [delta for one in chunks for delta in assembler.feed(one)]
    return assembler, [*deltas, *assembler.rest()]


def reply(*chunks: dict[str, Any], dialect: Dialect = UNKNOWN) -> Reply:
    return feed(chunks, dialect)[0].finish()


def test_text_as_it_streams_and_whole() -> None:
    chunks = [chunk(role="assistant", content=""), chunk(content="Hel"), chunk(content="lo")]
    assembler, deltas = feed([*chunks, chunk("stop")])
    assert deltas == [TextDelta("Hel"), TextDelta("lo")]
    assert assembler.finish() == Reply("Hello")


def test_reasoning_and_text_stay_apart() -> None:
    assembler, deltas = feed([chunk(reasoning="Hm"), chunk(content="Yes"), chunk("stop")])
    assert deltas == [ReasoningDelta("Hm"), TextDelta("Yes")]
    assert assembler.finish().reasoning == Reasoning("Hm", "reasoning", send=False)


def test_the_key_that_came_first_is_the_key_it_goes_back_under() -> None:
    dialect = dialect_for("https://api.deepseek.com", "deepseek-v4-pro")
    whole = reply(
        chunk(reasoning="a"),
        chunk(reasoning_content="b"),
        chunk("stop", tool_calls=CALL),
        dialect=dialect,
    )
    assert whole.reasoning == Reasoning("ab", "reasoning", send=True)


def test_calls_count_whatever_the_finish_reason() -> None:
    for reason in ("tool_calls", "stop", "function_call", "eos", "length"):
        whole = reply(chunk(content="So:"), chunk(tool_calls=CALL), chunk(reason))
        assert whole.calls == (RequestedCall("read", '{"path": "a"}'),)


def test_text_may_come_with_and_after_calls() -> None:
    whole = reply(chunk(content="a", tool_calls=CALL), chunk("stop", content="b"))
    assert (whole.text, len(whole.calls)) == ("ab", 1)


def test_a_refusal_is_what_the_model_says() -> None:
    assert reply(chunk(content=None, refusal="I won't"), chunk("stop")).text == "I won't"


def test_text_in_parts() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "image"}, "x", {"text": "b"}]
    assert reply(chunk("stop", content=parts)).text == "ab"


def test_a_whole_answer_instead_of_a_stream() -> None:
    message = {"role": "assistant", "content": "Hi", "tool_calls": CALL}
    whole = reply({"choices": [{"message": message, "finish_reason": "tool_calls"}]})
    assert (whole.text, len(whole.calls)) == ("Hi", 1)


@pytest.mark.parametrize(
    "strange",
    [
        {},
        {"choices": None},
        {"choices": []},
        {"choices": [None]},
        {"choices": [{"delta": None}]},
        {"choices": [{"delta": {"content": 5, "tool_calls": "x"}, "finish_reason": None}]},
        {"id": "other", "model": "another", "created": 0, "choices": [], "surprise": {"a": 1}},
    ],
)
def test_chunks_without_anything_of_an_answer(strange: dict[str, Any]) -> None:
    assert reply(strange, chunk(content="a"), strange, chunk("stop"), strange) == Reply("a")


def test_the_first_finish_reason_holds() -> None:
    assert not reply(chunk("stop", content="a"), chunk("length")).truncated


def test_only_the_first_choice_counts() -> None:
    two = chunk(content="a")
    two["choices"].append({"index": 1, "delta": {"content": "b"}, "finish_reason": None})
    assert reply(two, chunk("stop")).text == "a"


@pytest.mark.parametrize(
    "chunks",
    [
        [chunk(content="a"), {**chunk("stop"), "usage": {"prompt_tokens": 9}}],
        [chunk(content="a"), chunk("stop"), {"choices": [], "usage": {"prompt_tokens": 9}}],
        [{**chunk(content="a"), "usage": None}, {**chunk("stop"), "usage": {"prompt_tokens": 9}}],
        [{**chunk("stop", content="a"), "usage": {"prompt_tokens": n}} for n in (3, 9)],
        [
            {
                "choices": [
                    {**chunk("stop", content="a")["choices"][0], "usage": {"prompt_tokens": 9}}
                ]
            }
        ],
        [
            {**chunk("stop", content="a"), "usage": {"prompt_tokens": 9}},
            {"usage": {"prompt_tokens": 0}},
        ],
    ],
)
def test_the_last_usage_that_can_be_believed(chunks: list[dict[str, Any]]) -> None:
    assert reply(*chunks).usage == Usage(9)


@pytest.mark.parametrize(
    ("chunks", "error"),
    [
        ([], EmptyReply),
        ([chunk()], EmptyReply),
        ([chunk("stop")], EmptyReply),
        ([chunk("stop", content=" \n")], EmptyReply),
        ([chunk("stop", reasoning="only this")], EmptyReply),
        ([chunk("length")], NoRoomToAnswer),
        ([chunk("length", reasoning="only this")], NoRoomToAnswer),
        ([chunk(content="half a w")], BrokenStream),
        ([chunk("error")], BrokenStream),
        ([chunk("network_error", content="half")], BrokenStream),
        ([chunk(tool_calls=HALF)], TruncatedCall),
        ([chunk(tool_calls=CALL)], TruncatedCall),
        ([chunk("length", tool_calls=HALF)], TruncatedCall),
        ([chunk("tool_calls", tool_calls=HALF)], TruncatedCall),
        ([chunk("error", tool_calls=CALL)], TruncatedCall),
        ([chunk("content_filter")], ContentFiltered),
        ([chunk("sensitive", tool_calls=CALL)], ContentFiltered),
        ([chunk(content="a"), chunk("sensitive", tool_calls=CALL)], ContentFiltered),
        ([chunk("model_context_window_exceeded")], ContextOverflow),
    ],
)
def test_ends_that_are_no_answer(chunks: list[dict[str, Any]], error: type[CallError]) -> None:
    with pytest.raises(error):
        reply(*chunks)


def test_an_answer_cut_at_its_limit_says_so() -> None:
    assert reply(chunk("length", content="half a w")).truncated


@pytest.mark.parametrize("reason", ["content_filter", "sensitive"])
def test_an_answer_withheld_half_way_says_so(reason: str) -> None:
    whole = reply(chunk(content="half"), chunk(reason))
    assert (whole.text, whole.stopped) == ("half", reason)


def test_a_call_with_wrong_arguments_that_are_whole_is_passed_on() -> None:
    wrong = [{"index": 0, "function": {"name": "read", "arguments": '{"path": "a",}'}}]
    assert reply(chunk("tool_calls", tool_calls=wrong)).calls[0].arguments == '{"path": "a",}'


ROCKET = "\U0001f680"
HIGH, LOW = "\ud83d", "\ude80"


def test_halves_of_a_character_in_two_deltas_are_joined() -> None:
    assembler, deltas = feed([chunk(content=f"a{HIGH}"), chunk(content=f"{LOW}b"), chunk("stop")])
    assert [delta.text for delta in deltas] == ["a", f"{ROCKET}b"]
    assert assembler.finish().text == f"a{ROCKET}b"


def test_a_half_without_its_other_is_shown() -> None:
    assert reply(chunk(content=f"{LOW}a{HIGH}"), chunk("stop", content="b")).text == (
        r"\ude80a\ud83db"
    )
    assembler, deltas = feed([chunk("stop", content=f"a{HIGH}")])
    assert [delta.text for delta in deltas] == ["a", r"\ud83d"]
    assert assembler.finish().text == r"a\ud83d"


def test_halves_in_reasoning_and_arguments() -> None:
    def arguments(piece: str) -> list[dict[str, Any]]:
        return [{"index": 0, "function": {"name": "say", "arguments": piece}}]

    whole = reply(
        chunk(reasoning=HIGH),
        chunk(reasoning=LOW),
        chunk(tool_calls=arguments(f'{{"a": "{HIGH}')),
        chunk("stop", tool_calls=arguments(f'{LOW}{HIGH}"}}')),
    )
    assert whole.reasoning is not None
    assert whole.reasoning.text == ROCKET
    assert whole.calls[0].arguments == f'{{"a": "{ROCKET}\\ud83d"}}'


@given(st.lists(st.text(alphabet=["a", "你", ROCKET, HIGH, LOW], max_size=5)))
def test_however_text_is_cut_it_never_holds_half_a_character(pieces: list[str]) -> None:
    whole = "".join(pieces)
    assembler, deltas = feed([*(chunk(content=piece) for piece in pieces), chunk("stop")])
    shown = "".join(delta.text for delta in deltas)
    shown.encode()  # raises on half a character
    joined = whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    assert shown == "".join(rf"\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in joined)
    if shown:
        assert assembler.finish().text == shown


def test_control_characters_are_left_as_they_came() -> None:
    assert reply(chunk("stop", content="\x1b[31mred\x07")).text == "\x1b[31mred\x07"
