"""Measuring and cutting bytes gives what decoding all of them would give."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.conversation import content as module
from app.conversation.content import Content
from app.conversation.offloaded import Offloaded
from app.conversation.truncate import cut

BITS = [
    b"a",
    b"word ",
    b"\n",
    b"\r\n",
    b"\r",
    b"\0",
    b"\x1b[31m",
    "海".encode(),
    "👩‍🚀".encode(),
    "é".encode(),
    b"\xff",
    b"\x80\x80\x80\x80\x80",
    b"\xe6\xb5",  # a character cut short
    b"\xf0\x9f\x91",
    b"\xed\xa0\x80",  # half of a surrogate pair
]
raws = st.one_of(
    st.lists(st.sampled_from(BITS), max_size=120).map(b"".join),
    st.binary(max_size=300),
)


def decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace").replace("\r\n", "\n")


@pytest.fixture(autouse=True, scope="module")
def small_pieces() -> object:
    """Pieces of a few bytes, so that every border is met."""
    patch = pytest.MonkeyPatch()
    patch.setattr(module, "_PIECE", 7)
    patch.setattr(module, "_LINES_AT_ONCE", 5)
    patch.setattr(module, "_SLACK", 20)
    yield None
    patch.undo()


@given(raws)
@example(b"\x80" * 40)
@example(b"abcdef\r\nabcde\r\n\r\n")
def test_its_measures_are_those_of_the_text(raw: bytes) -> None:
    content, text = Content.of(raw), decoded(raw)
    assert content.characters == len(text)
    assert content.newlines == text.count("\n")
    assert content.crlf == raw.count(b"\r\n")
    assert content.lines == text.count("\n") + (not text.endswith("\n") and bool(text))
    assert content.invalid == len(
        [c for c in raw.decode("utf-8", "surrogateescape") if "\udc80" <= c <= "\udcff"]
    )
    assert content.text() == text
    assert content.raw is raw


@given(raws, st.integers(0, 130))
def test_both_ends_are_the_text_s_own(raw: bytes, characters: int) -> None:
    content, text = Content.of(raw), decoded(raw)
    assert content.beginning(characters) == text[:characters]
    assert content.ending(characters) == text[max(0, len(text) - characters) :]


@given(raws, st.integers(1, 60), st.none() | st.integers(0, 60))
def test_a_cut_is_that_of_the_text(raw: bytes, limit: int, head: int | None) -> None:
    head = None if head is None else min(head, limit)
    assert Content.of(raw).cut(limit, head) == cut(decoded(raw), limit, head)


@given(raws, st.integers(1, 30))
def test_a_line_begins_after_so_many_line_ends(raw: bytes, line: int) -> None:
    content = Content.of(raw)
    lines = raw.split(b"\n")
    expected = sum(len(one) + 1 for one in lines[: line - 1])
    assert content.line_at(line) == min(expected, len(raw))
    at = content.line_at(line)
    assert content.beginning(8, at) == decoded(raw[at:])[:8]
    end = content.line_at(line + 1)
    assert content.beginning(8, at, end) == decoded(raw[at:end])[:8]


@given(raws.map(lambda raw: raw.replace(b"\n", b"")), st.integers(0, 200))
def test_the_bytes_of_what_is_shown(raw: bytes, characters: int) -> None:
    shown = decoded(raw)[:characters]
    size = Content.of(raw).bytes_shown(characters, 0)
    assert shown.startswith(decoded(raw[:size]))
    assert decoded(raw[: size + 4]).startswith(shown) or size == len(raw)


@given(raws, st.integers(1, 60), st.integers(0, 20), st.integers(0, 20))
def test_a_sample_is_bounded(raw: bytes, most: int, after: int, before: int) -> None:
    content, text = Content.of(raw), decoded(raw)
    sample = content.sample(most, after=after, before=before)
    if len(text) <= most + after + before:
        assert sample == text[after : max(after, len(text) - before)]
    else:  # an escape has four characters a byte
        assert len(sample) <= 4 * most + 16


def test_a_sample_shows_places_from_all_of_it() -> None:
    raw = b"".join(b"%06d\n" % number for number in range(100_000))
    sample = Content.of(raw).sample(3_500, after=700, before=70)
    numbers = [int(line) for line in sample.split("\n") if len(line) == 6]
    assert 100 <= min(numbers) <= 102
    assert 99_980 <= max(numbers) <= 99_990
    assert all(any(n // 10_000 == part for n in numbers) for part in range(10))
    assert len(sample) <= 3_600


def test_a_mark_is_no_text() -> None:
    content = Content.of(b"\xef\xbb\xbfone\ntwo", start=3)
    assert (content.characters, content.lines, content.text()) == (7, 2, "one\ntwo")
    assert content.line_at(2) == 7
    assert content.beginning(3) == "one"
    assert Content.of(b"\xef\xbb\xbf", start=3).lines == 0


class TestOffloaded:
    FILE = Offloaded(".haima/tool-outputs/c/001-x.txt", 3, 2, 1, "ab")

    def test_it_survives_json(self) -> None:
        assert Offloaded.from_data(self.FILE.to_data()) == self.FILE

    @pytest.mark.parametrize("lost", ["path", "bytes", "characters", "lines", "sha256"])
    def test_what_is_none(self, lost: str) -> None:
        data = {name: value for name, value in self.FILE.to_data().items() if name != lost}
        assert Offloaded.from_data(data) is None
        assert Offloaded.from_data({**self.FILE.to_data(), lost: [1]}) is None
        assert Offloaded.from_data(None) is None
