"""`edit_file`: one passage, found once, everything else byte for byte as it was."""

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tools.edit_file import _places, _with_line_ends
from tests.tools.conftest import Call


async def test_the_passage_is_replaced(root: Path, call: Call) -> None:
    (root / "a.py").write_text("".join(f"line {n}\n" for n in range(1, 10)))
    (root / "a.py").chmod(0o755)
    output = await call("edit_file", path="a.py", old="line 4\nline 5", new="four\nfive\nmore")
    assert output.ok
    assert output.text == "Edited a.py at line 4: +3 −2 lines."
    assert (output.added, output.removed) == (3, 2)
    assert [f"{line.sign}{line.number}" for line in output.diff] == (
        [" 1", " 2", " 3", "-4", "-5", "+4", "+5", "+6", " 7", " 8", " 9"]
    )
    assert stat.S_IMODE((root / "a.py").stat().st_mode) == 0o755


async def test_a_tag_copied_from_a_result_is_found_in_the_file(root: Path, call: Call) -> None:
    (root / "a.html").write_text("<summary>one</summary>\n")
    shown = r"\x3csummary>one\x3c/summary>"
    output = await call("edit_file", path="a.html", old=shown, new=shown.replace("one", "two"))
    assert output.ok
    assert (root / "a.html").read_text() == "<summary>two</summary>\n"


async def test_an_escape_that_stands_in_the_file_is_found_as_it_is(root: Path, call: Call) -> None:
    (root / "a.py").write_text(r'TAG = "\x3csummary>"')
    await call("edit_file", path="a.py", old=r"\x3csummary>", new=r"\x3cmemory>")
    assert (root / "a.py").read_text() == r'TAG = "\x3cmemory>"'


async def test_deleting_a_passage(root: Path, call: Call) -> None:
    (root / "a").write_text("keep\ndrop\nkeep\n")
    await call("edit_file", path="a", old="drop\n", new="")
    assert (root / "a").read_text() == "keep\nkeep\n"


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny", b"x\r\ny\r\nc\r\n"),
        (b"a\r\nb\r\nc\r\n", "b", "1\n2", b"a\r\n1\r\n2\r\nc\r\n"),
        (b"a\nb\nc\n", "a\r\nb", "x\r\ny", b"x\ny\nc\n"),
        (b"a\r\nb\nc\nd\n", "b\nc", "x\ny", b"a\r\nx\ny\nd\n"),
        (b"a\nb\nc\r\nd\r\n", "c\nd", "x\ny", b"a\nb\nx\r\ny\r\n"),
        (b"\xef\xbb\xbfa\r\nb\r\n", "a", "z", b"\xef\xbb\xbfz\r\nb\r\n"),
        (b"caf\xe9 old \xff\n", "old", "new", b"caf\xe9 new \xff\n"),
        (b"no line end", "end", "END", b"no line END"),
        (b"a\r\n\r\nb\r\n", "\n\nb", "\nb", b"a\r\nb\r\n"),
        ("全角，标点\n".encode(), "，", "。", "全角。标点\n".encode()),
        (b"a.b* (x) \\1\n", ".b* (x) \\1", "\\1", b"a\\1\n"),
    ],
)
async def test_bytes_around_stay(
    root: Path, call: Call, before: bytes, old: str, new: str, after: bytes
) -> None:
    (root / "a").write_bytes(before)
    assert (await call("edit_file", path="a", old=old, new=new)).ok
    assert (root / "a").read_bytes() == after


async def test_a_passage_that_occurs_several_times_is_refused_with_its_lines(
    root: Path, call: Call
) -> None:
    (root / "a").write_text("x = 1\ny = 2\nx = 1\nx = 1\n")
    output = await call("edit_file", path="a", old="x = 1", new="x = 3")
    assert not output.ok
    assert "3 times" in output.text
    assert "lines 1, 3, 4" in output.text
    assert (root / "a").read_text() == "x = 1\ny = 2\nx = 1\nx = 1\n"


async def test_overlapping_places_count(root: Path, call: Call) -> None:
    (root / "a").write_text("aaa\n")
    assert "2 times" in (await call("edit_file", path="a", old="aa", new="b")).text


async def test_a_passage_that_is_missing(root: Path, call: Call) -> None:
    (root / "a").write_text("def f():\n    return  1\n")
    output = await call("edit_file", path="a", old="nothing like it", new="x")
    assert not output.ok
    assert "does not occur" in output.text
    near = await call("edit_file", path="a", old="def f():\n  return 1", new="x")
    assert "line 1" in near.text
    assert "indentation" in near.text
    assert (root / "a").read_text() == "def f():\n    return  1\n"


async def test_nothing_to_do_is_an_error(root: Path, call: Call) -> None:
    (root / "a").write_text("x\n")
    assert "empty" in (await call("edit_file", path="a", old="", new="y")).text
    assert "same" in (await call("edit_file", path="a", old="x", new="x")).text
    assert "same" in (await call("edit_file", path="a", old="x\r\n", new="x\n")).text


async def test_what_cannot_be_edited(root: Path, call: Call) -> None:
    (root / "bin").write_bytes(b"a\0b")
    (root / ".haima").mkdir()
    (root / ".haima" / "x").write_text("a")
    (root / "folder").mkdir()
    for path in ("bin", ".haima/x", "folder", "missing", "../x"):
        output = await call("edit_file", path=path, old="a", new="b")
        assert not output.ok, path
        assert output.reason
    assert (root / "bin").read_bytes() == b"a\0b"
    assert (root / ".haima" / "x").read_text() == "a"


@given(
    st.text(alphabet=st.sampled_from("ab\n\r中"), max_size=30),
    st.text(alphabet=st.sampled_from("ab\n中"), min_size=1, max_size=4),
)
def test_places_are_where_the_text_without_cr_has_them(text: str, old: str) -> None:
    normal = text.replace("\r\n", "\n")
    expected = sum(normal.startswith(old, place) for place in range(len(normal)))
    places = _places(text, old)
    assert len(places) == expected
    for start, end in places:
        assert text[start:end].replace("\r\n", "\n") == old


def test_line_ends_follow_what_is_replaced_then_the_file() -> None:
    assert _with_line_ends("a\nb", "x\r\ny\n", "x\r\n") == "a\r\nb"
    assert _with_line_ends("a\nb", "x\r\ny\r\nz\n", "y") == "a\r\nb"
    assert _with_line_ends("a\nb", "x\r\ny\n", "y") == "a\nb"
