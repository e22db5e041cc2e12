"""Lines of large files by index, against splitting all of it; files that change while open."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.view.file_pages import Page, gone_to, page_at, paged, scrolled, stepped
from app.view.file_source import Change, FileSource, TextSource
from app.view.file_window import HEAD, FileWindow
from app.view.line_index import LineIndex, block_size, characters

BYTES = st.one_of(
    st.binary(max_size=300),
    st.lists(st.sampled_from([b"\n", b"a", b"\r", b"\xff", "中".encode(), b"\x00", b"\n\n"])).map(
        b"".join
    ),
)
BLOCKS = st.sampled_from([1, 2, 7, 64, 1 << 16])


class Bytes(TextSource):
    """A source of any bytes."""

    def __init__(self, data: bytes) -> None:
        super().__init__("bytes", "")
        self.hold(data)

    def hold(self, data: bytes) -> None:
        self._bytes = data
        self.size = len(data)


def window(data: bytes, block: int = 0, *, counted: bool = True) -> FileWindow:
    result = FileWindow(Bytes(data), block)
    while counted and result.index.advance():
        pass
    return result


def lines_of(data: bytes) -> list[bytes]:
    """What the lines are: nothing behind a last newline is none."""
    lines = data.split(b"\n")
    return lines if lines[-1] else lines[:-1]


def starts_of(data: bytes) -> list[int]:
    starts, at = [], 0
    for line in lines_of(data):
        starts.append(at)
        at += len(line) + 1
    return starts


# Any bytes


@given(BYTES, BLOCKS, st.booleans())
def test_lines_by_index_are_what_splitting_gives(data: bytes, block: int, counted: bool) -> None:
    shown = window(data, block, counted=counted)
    found = shown.lines(0, 1_000)
    assert [line.start for line in found] == starts_of(data)
    assert [data[line.start : line.end] for line in found] == lines_of(data)
    assert all(line.more == 0 and not line.at_least for line in found)


@given(BYTES, BLOCKS)
def test_the_count_is_right(data: bytes, block: int) -> None:
    shown = window(data, block)
    assert shown.total() == len(lines_of(data))
    assert shown.index.newlines == data.count(b"\n")
    assert shown.index.characters == characters(data)
    for number, start in enumerate(starts_of(data)):
        assert shown.number(start) == number + 1
        assert shown.at_number(number + 1) == (start, True)
        assert shown.index.exact_number(start) == number


@given(BYTES, BLOCKS, st.data())
def test_windows_are_slices(data: bytes, block: int, draw: st.DataObject) -> None:
    shown, starts = window(data, block, counted=draw.draw(st.booleans())), starts_of(data)
    if not starts:
        assert shown.lines(0, 5) == ()
        return
    first = draw.draw(st.integers(0, len(starts) - 1))
    count = draw.draw(st.integers(1, 12))
    found = shown.lines(starts[first], count)
    assert [line.start for line in found] == starts[first : first + count]
    assert shown.back(starts[first], count) == starts[max(0, first - count)]
    assert shown.last() == starts[-1]
    offset = draw.draw(st.integers(0, max(0, len(data) - 1)))
    assert shown.start_of(offset) == max(start for start in starts if start <= offset)


@given(BYTES, BLOCKS, st.integers(0, 300), st.integers(0, 300))
def test_counting_goes_on_where_a_file_grew(data: bytes, block: int, cut: int, more: int) -> None:
    source = Bytes(data[:cut])
    index = LineIndex(source, block)
    while index.advance(0):
        pass
    source.hold(data)
    while index.advance(0):
        pass
    assert (index.newlines, index.characters) == (data.count(b"\n"), characters(data))
    low, high = sorted((min(cut, len(data)), min(more, len(data))))
    assert index.characters_between(low, high) == characters(data[low:high])


@given(BYTES, BLOCKS, st.lists(st.sampled_from(["up", "down", "pgup", "pgdn", "on", "off", "end"])))
def test_a_page_is_always_a_slice_with_the_cursor_in_it(
    data: bytes, block: int, keys: list[str]
) -> None:
    shown, starts, rows = window(data, block), starts_of(data), 4
    page = page_at(shown, 0, 0, rows)
    for key in keys:
        before = page
        match key:
            case "up" | "down":
                by = -1 if key == "up" else 1
                page = stepped(shown, page, by, rows)
            case "pgup" | "pgdn":
                page = paged(shown, page, -1 if key == "pgup" else 1, rows)
            case "on" | "off":
                page = scrolled(shown, page, 3 if key == "on" else -3, rows)
            case _:
                page = gone_to(shown, page, shown.last(), rows)
        if not starts:
            assert page.lines == ()
            continue
        first = starts.index(page.top)
        assert [line.start for line in page.lines] == starts[first : first + rows]
        assert len(page.lines) == min(rows, len(starts))
        assert 0 <= page.at < len(page.lines)
        assert page.number == first + 1
        if key in ("up", "down"):
            moved = starts.index(page.cursor) - starts.index(before.cursor)
            edge = page.cursor in (starts[0], starts[-1])
            assert moved == by or (moved == 0 and edge)


# What is shown


def text_of(data: bytes) -> list[str]:
    return [line.text for line in window(data).lines(0, 100)]


def test_what_would_move_the_cursor_is_shown_as_an_escape() -> None:
    data = "a\x00b\x1b[31m\rc\u2028d\u2029e\u0085\n".encode() + b"\xff\xe4\xb8\n\tx\r\n"
    assert text_of(data) == [
        r"a\x00b\x1b[31m\x0dc\u2028d\u2029e\x85",
        r"\xff\xe4\xb8",
        "    x",
    ]


def test_what_is_hidden_is_counted_in_the_files_characters() -> None:
    line = window(b"\x00" * 10_000).lines(0, 1)[0]
    assert line.text.startswith(r"\x00\x00") and line.hidden(9) == 10_000 - 2
    line = window("a\t中\x1b".encode() + b"\xffb").lines(0, 1)[0]
    assert line.text == r"a   中\x1b\xffb"
    assert [line.hidden(end) for end in (0, 1, 3, 4, 5, 8, 9, 13, 14)] == [
        6,
        5,
        5,
        4,
        3,
        3,
        2,
        1,
        0,
    ]


def test_lone_surrogates_of_a_text_in_memory() -> None:
    assert FileWindow(TextSource("t", "a\ud83d\nb")).lines(0, 9)[0].text == r"a\ud83d"


@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize("letter", ["x", "中", "\U0001f600"])
def test_a_line_of_two_megabytes_is_cut_and_the_rest_counted(letter: str, counted: bool) -> None:
    size = 2_000_000
    data = f"first\n{letter * (size // len(letter.encode()))}\nlast".encode()
    shown = window(data, counted=counted)
    found = shown.lines(0, 10)
    total = size // len(letter.encode())
    assert len(found[1].text) <= HEAD
    if counted:
        assert [line.text for line in found][::2] == ["first", "last"]
        assert len(found[1].text) + found[1].more == total
        assert set(found[1].text) == {letter}
    else:
        assert found[1].end is None and found[1].at_least and len(found) == 2
        assert 0 < found[1].more < total
    assert shown.back(shown.last(), 1) == 6
    assert shown.start_of(1_000_000) == 6


def test_a_file_without_any_newline() -> None:
    data = b"z" * 3_000_000
    shown = window(data)
    (line,) = shown.lines(0, 10)
    assert len(line.text) + line.more == len(data)
    assert (shown.total(), shown.last(), shown.at_share(50)) == (1, 0, 0)
    open_ended = window(data, counted=False).lines(0, 10)[0]
    assert open_ended.at_least and open_ended.end is None
    assert page_at(shown, 0, 0, 5).lines == (line,)


def test_two_million_lines() -> None:
    data = b"".join(b"line %d\n" % number for number in range(1, 2_000_001))
    shown = window(data)
    assert shown.total() == 2_000_000
    for number in (1, 1_000, 1_234_567, 2_000_000):
        offset, exact = shown.at_number(number)
        assert exact
        assert shown.lines(offset, 1)[0].text == f"line {number}"
    assert shown.at_number(9_999_999) == (shown.last(), True)


def test_before_counting_a_number_is_estimated() -> None:
    shown = window(b"12345678\n" * 100_000, counted=False)
    assert shown.at_number(1) == (0, True)
    shown.index.advance(0)
    offset, exact = shown.at_number(50_000)
    assert not exact and offset % 9 == 0
    assert abs(offset // 9 - 50_000) < 10
    assert shown.number(offset) is None and shown.total() is None
    assert shown.index.estimated_lines() == 100_000
    assert shown.excerpt(offset, offset, 99).first == offset // 9 + 1


def test_shares() -> None:
    shown = window(b"ab\n" * 100)
    assert [shown.at_share(share) for share in (0, 50, 100, 999)] == [0, 150, 297, 297]


def test_an_excerpt_has_whole_lines_and_ends_somewhere() -> None:
    shown = window(b"one\r\ntwo\n\xff three\nfour")
    assert shown.excerpt(0, 5, 100).text == "one\ntwo"
    three = shown.excerpt(9, shown.last(), 100)
    assert (three.first, three.last, three.text) == (3, 4, "\\xff three\nfour")
    cut = window(b"x" * 100_000).excerpt(0, 0, 32_000)
    assert len(cut.text) == 32_000 and cut.cut


def test_memory_is_bounded() -> None:
    assert block_size(100 << 20) == 1 << 16
    for size in (1 << 30, 1 << 36, 1 << 45):
        assert size // block_size(size) <= 1 << 16


# Files that change


def test_a_file_that_grows_shrinks_is_replaced_and_deleted(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"one\n")
    source = FileSource(path)
    looks: list[Change | None] = [source.look()]
    path.write_bytes(b"one\ntwo\n")
    looks.append(source.look())
    path.write_bytes(b"x")
    looks.append(source.look())
    path.write_bytes(b"y")
    os.utime(path, ns=(1, 1))
    looks.append(source.look())
    other = tmp_path / "b.log"
    other.write_bytes(b"other")
    other.replace(path)
    looks.append(source.look())
    assert source.read(0, 99) == b"other"
    path.unlink()
    looks += [source.look(), source.look()]
    assert source.read(0, 99) == b"other"
    path.write_bytes(b"again")
    looks += [source.look(), source.look()]
    assert looks == [
        None, "grew", "shrank", "changed", "replaced", "deleted", None, "replaced", None,
    ]  # fmt: skip
    assert source.read(2, 2) == b"ai"
    source.close()
    source.close()
    assert source.read(0, 9) == b""


def test_a_shorter_file_than_was_counted_breaks_nothing() -> None:
    source = Bytes(b"ab\n" * 1_000)
    shown = FileWindow(source, 64)
    while shown.index.advance():
        pass
    source._bytes = b"ab"
    for offset in (0, 1_500, 2_997):
        shown.lines(offset, 5)
        shown.back(offset, 5)
        shown.start_of(offset)
        page = page_at(shown, offset, offset, 5)
        paged(shown, page, 1, 5)
        stepped(shown, page, 9, 5)
    shown.at_number(900)
    shown.excerpt(1_500, 1_503, 100)
    assert Page().cursor == 0


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe", "locked"])
def test_what_is_no_readable_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "locked":
        path.write_text("x")
        path.chmod(0)
        if os.access(path, os.R_OK):
            pytest.skip("root reads everything")
    with pytest.raises(OSError):
        FileSource(path)
