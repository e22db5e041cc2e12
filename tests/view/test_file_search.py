"""Searching a large file by blocks, against searching all of it at once."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.view.file_search import FileSearch, pattern_for_text
from app.view.file_source import TextSource
from tests.view.test_file_window import Bytes

DATA = st.lists(st.sampled_from([b"a", b"A", b"ab", b"\n", "中".encode(), b"\x1b", b"aa"])).map(
    b"".join
)


def searched(data: bytes, query: str, block: int = 0) -> FileSearch:
    search = FileSearch(Bytes(data), query, block)
    while search.advance(0):
        pass
    return search


def all_hits(search: FileSearch) -> list[int]:
    found, at = [], search.after(0)
    while at is not None:
        found.append(at)
        at = search.after(at + 1)
    return found


@given(DATA, st.sampled_from(["a", "ab", "aa", "aba", "A", "中", "a中"]), st.integers(1, 9))
def test_hits_are_those_of_one_search(data: bytes, query: str, block: int) -> None:
    flags = 0 if query.isupper() else re.IGNORECASE
    wanted = [match.start() for match in re.finditer(re.escape(query.encode()), data, flags)]
    search = searched(data, query, block)
    assert search.complete and search.hits == len(wanted)
    assert all_hits(search) == wanted
    backwards, at = [], search.before(len(data) + 1)
    while at is not None:
        backwards.append(at)
        at = search.before(at)
    assert backwards == wanted[::-1]
    assert [search.ordinal(hit) for hit in wanted] == list(range(1, len(wanted) + 1))


@pytest.mark.parametrize(
    ("query", "hits"),
    [("error", 3), ("Error", 1), ("ÉTÉ", 1), ("été", 2), ("straße", 1), ("订单", 1), ("x.y", 0)],
)
def test_smart_case(query: str, hits: int) -> None:
    data = "error Error ERROR été ÉTÉ straße 订单 xzy".encode()
    assert searched(data, query).hits == hits


def test_what_is_shown_as_an_escape_is_found_as_such() -> None:
    data = b"\x1b[31m red \\x1b[31m \xff " + "中".encode()
    assert searched(data, r"\x1b[31m").hits == 2
    assert searched(data, r"\xff").hits == 1
    assert searched(data, r"\xe4").hits == 0
    assert searched("a\u2028b".encode(), r"\u2028").hits == 1


def test_hits_are_there_before_the_search_is_over() -> None:
    search = FileSearch(Bytes(b"needle " * 1_000), "needle", 64)
    assert search.advance(0)
    assert (search.searched, search.hits, search.after(0)) == (64, 10, 0)
    assert search.after(64) is None and search.before(64) == 63
    assert search.ordinal(63) == 10


def test_it_goes_on_where_a_file_grew() -> None:
    source = Bytes(b"needle need")
    search = FileSearch(source, "needle", 8)
    while search.advance(0):
        pass
    assert search.hits == 1
    source.hold(b"needle needle")
    while search.advance(0):
        pass
    assert (search.hits, search.after(1)) == (2, 7)


def test_a_source_that_cannot_be_read_ends_it() -> None:
    source = TextSource("t", "abc")
    source.size = 1_000
    search = FileSearch(source, "b", 16)
    while search.advance(0):
        pass
    assert search.hits == 1 and not search.complete


def test_hits_in_what_is_shown() -> None:
    assert pattern_for_text("a.b").findall("A.B a.b axb") == ["A.B", "a.b"]
    assert pattern_for_text("A.b").findall("A.B A.b") == ["A.b"]
