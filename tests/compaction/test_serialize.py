"""Old messages as one text, and its pieces: nothing is dropped, nothing is too long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.boundary import visible
from app.compaction.serialize import pieces, record, record_of_parts
from app.conversation.messages import (
    CorrectionPart,
    ImagePart,
    MemoryPart,
    Message,
    Reasoning,
    TextPart,
    ToolCall,
    result_of,
)
from tests.compaction.histories import Case, cases
from tests.compaction.summarizing import answered, said

LIMIT = 60_000


@pytest.mark.parametrize(("length", "count"), [(LIMIT, 1), (LIMIT + 1, 2), (2 * LIMIT, 2)])
def test_pieces_are_as_long_as_may_be(length: int, count: int) -> None:
    text = "x" * length
    found = pieces(text, LIMIT)
    assert (len(found), len(found[0]), "".join(found)) == (count, min(length, LIMIT), text)


def test_a_record_of_exactly_the_limit_is_one_piece() -> None:
    empty = record([said(0, "")]).text  # nothing was said: no message
    assert empty == ""
    around = len(record([said(0, "x")]).text) - 1
    whole = record([said(0, "y" * (LIMIT - around))])
    assert len(whole.text) == LIMIT
    assert pieces(whole.text, LIMIT, whole.mark) == (whole.text,)
    more = record([said(0, "y" * (LIMIT - around + 1))])
    assert [len(piece) for piece in pieces(more.text, LIMIT, more.mark)] == [LIMIT, 1]


def test_a_message_over_three_pieces() -> None:
    whole = record([said(0, "y" * 150), answered(0, "end")])
    found = pieces(whole.text, 70, whole.mark)
    assert "".join(found) == whole.text
    starts = [sum(map(len, found[:n])) for n in range(len(found))]
    inside = [whole.inside(start) for start in starts]
    assert inside[0] == ""
    assert inside[1:3] == [f"{whole.mark} user"] * 2


def test_a_piece_ends_before_a_message_or_at_a_line_where_one_is_near() -> None:
    whole = record([said(0, "y" * 80), said(1, "z" * 80)])
    first = pieces(whole.text, 100, whole.mark)[0]
    assert whole.text[len(first) :].startswith(whole.mark)
    assert pieces("a" * 95 + "\n" + "b" * 50, 100)[0] == "a" * 95 + "\n"
    assert pieces("a" * 50 + "\n" + "b" * 150, 100)[0] == "a" * 50 + "\n" + "b" * 49


@given(st.text(alphabet="ab\n", max_size=400), st.integers(1, 50))
def test_pieces_are_the_text(text: str, limit: int) -> None:
    found = pieces(text, limit, "a")
    assert "".join(found) == text
    assert all(0 < len(piece) <= limit for piece in found)


def test_everything_said_called_and_returned_is_there() -> None:
    calls = (ToolCall("c0", "run_command", '{"command": "make -j 4"}'), ToolCall("c1", "x y", "{}"))
    messages = [
        Message("sys", "system", (TextPart("SYSTEM"),)),
        Message(
            "u0",
            "user",
            (
                TextPart("my words\n"),
                ImagePart("data:image/png;base64,iVBORw0KGgo=", name="a.png"),
                MemoryPart("a fact"),
                CorrectionPart("no fact"),
            ),
        ),
        Message("d0", "assistant", (TextPart("BROKEN OFF"),), discarded=True),
        Message(
            "a0", "assistant", (TextPart("I look"),), calls=calls, reasoning=Reasoning("THOUGHT")
        ),
        result_of(calls[0], "r0", "line 1\x1b[31m\nline 2"),
        result_of(calls[1], "r1", ""),
    ]
    whole = record(messages)
    mark = whole.mark
    assert whole.text == "\n\n".join(
        [
            f"{mark} memory\na fact",
            f"{mark} memory\nno fact",
            f"{mark} user\nmy words\n\n[image a.png 8 B]",
            f"{mark} assistant\nI look",
            f'{mark} call run_command c0\n{{"command": "make -j 4"}}',
            f"{mark} call x_y c1\n{{}}",
            f"{mark} result of run_command c0\nline 1\\x1b[31m\nline 2",
            f"{mark} result of x_y c1",
        ]
    )


@given(cases())
def test_random_histories(case: Case) -> None:
    whole = record(case.history)
    assert whole == record(case.history)
    for message in case.history:
        if message.role == "system" or message.discarded:
            continue
        assert visible(message.text) in whole.text
        for call in message.calls:
            assert call.id in whole.text
    bodies = [message.text for message in case.history]
    assert not any(whole.mark in body for body in bodies)


def test_parts_in_order() -> None:
    whole = record_of_parts(["first", "second"])
    assert whole.text == f"{whole.mark} part 1 of 2\nfirst\n\n{whole.mark} part 2 of 2\nsecond"
