"""Server-sent events: however the bytes are cut, the same events come out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.sse import EventParser, ServerEvent


def parse(*pieces: bytes) -> list[ServerEvent]:
    parser = EventParser()
    found = [event for piece in pieces for event in parser.feed(piece)]
    return [*found, *parser.finish()]


def data(*pieces: bytes) -> list[str]:
    return [event.data for event in parse(*pieces)]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_every_kind_of_line_end(end: bytes) -> None:
    stream = end.join([b"data: a", b"", b"data: b", b"data: c", b"", b""])
    assert data(stream) == ["a", "b\nc"]


def test_a_line_end_cut_in_two_is_one_and_the_next_one_counts() -> None:
    parser = EventParser()
    pieces = [b"data: a\r", b"\n", b"\n", b"data: b\r", b"\n\r", b"\n"]
    assert [event.data for piece in pieces for event in parser.feed(piece)] == ["a", "b"]


def test_a_line_end_cut_in_two_ends_no_event() -> None:
    assert data(b"data: a\r", b"\ndata: b\r", b"\n", b"\r\n") == ["a\nb"]


def test_the_space_after_the_colon_is_not_needed_and_only_one_is_taken() -> None:
    assert data(b"data:a\n\ndata:  b\n\n") == ["a", " b"]


def test_comments_blank_lines_and_other_fields_give_nothing() -> None:
    quiet = b": keep-alive\n\nid: 7\n\nretry: 3000\n\nevent: ping\n\n\n\n\n: more\n\n"
    assert data(quiet + b"data: a\n\n" + quiet) == ["a"]


def test_an_event_keeps_its_name_and_the_next_has_none() -> None:
    assert parse(b"event: error\ndata: a\n\ndata: b\n\n") == [
        ServerEvent("error", "a"),
        ServerEvent("", "b"),
    ]


def test_a_name_without_data_does_not_stick_to_the_next_event() -> None:
    assert parse(b"event: ping\n\ndata: a\n\n") == [ServerEvent("", "a")]


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert data(b"\xef", b"\xbb", b"\xbfdata: a\n\n") == ["a"]


def test_the_end_of_the_body_completes_the_last_event() -> None:
    assert data(b"data: a\n\ndata: b") == ["a", "b"]


def test_a_byte_that_is_no_utf8_is_replaced() -> None:
    assert data(b"data: a\xffb\n\n") == ["a\ufffdb"]


@pytest.mark.parametrize(
    "body", [b'{"error": "x"}', b'\n  {"a": 1}', b"\xef\xbb\xbf[1]", b"<html>"]
)
def test_a_body_that_is_no_stream_is_kept_whole(body: bytes) -> None:
    parser = EventParser()
    for piece in (body[i : i + 1] for i in range(len(body))):
        assert list(parser.feed(piece)) == []
    assert list(parser.finish()) == []
    assert parser.other is not None
    assert bytes(parser.other) == body.removeprefix(b"\xef\xbb\xbf").strip()


def test_a_body_that_is_no_stream_is_kept_up_to_a_megabyte() -> None:
    parser = EventParser()
    for _ in range(30):
        list(parser.feed(b"<" * 100_000))
    assert parser.other is not None
    assert len(parser.other) == 1_000_000


EVENTS = (
    'data: 你好\n\n: c\r\n\r\nevent: x\rdata: 👩‍👩‍👧\rdata:\r\rid: 1\n\n\n\ndata: {"a": 1}\r\n\r\n'
)


@given(st.lists(st.integers(1, 40), max_size=30))
def test_it_does_not_matter_where_the_bytes_are_cut(sizes: list[int]) -> None:
    raw = EVENTS.encode()
    pieces, start = [], 0
    for size in sizes:
        pieces.append(raw[start : start + size])
        start += size
    assert parse(*pieces, raw[start:]) == parse(raw)


def test_the_uncut_stream_reads_right() -> None:
    assert parse(EVENTS.encode()) == [
        ServerEvent("", "你好"),
        ServerEvent("x", "👩‍👩‍👧\n"),
        ServerEvent("", '{"a": 1}'),
    ]
