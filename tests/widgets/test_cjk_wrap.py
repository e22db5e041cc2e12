"""Lines are full, no longer than they may be, and broken where Chinese and Latin allow it."""

import random
import statistics

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from widgets.cjk_wrap import (
    WIDE_CLOSERS,
    WIDE_OPENERS,
    atoms,
    breakable,
    fold,
    fold_code,
    wrap,
)

LETTERS = (
    "aé0-_/.,:;!?()[]{}'\"“”‘’…— 的一是在不了有和人这中，。、；：？！（）「」《》ー々"
    "\u00a0\u0301👍ভ한カ．"
)
TEXT = st.lists(st.sampled_from([*LETTERS, "word", "  ", "中文"]), max_size=60).map("".join)


def lines(text: str, width: int) -> list[str]:
    return [text[start:end] for start, end in wrap(text, width)]


@given(TEXT, st.integers(min_value=2, max_value=40))
@example("的" + "，" * 30, 10)
@example("(" * 30 + "的", 10)
@example("a" * 100 + "，的", 7)
def test_lines_fit_and_only_spaces_are_dropped_between_them(text: str, width: int) -> None:
    spans = wrap(text, width)
    assert spans
    end = 0
    for start, stop in spans:
        assert not text[end:start].strip()
        assert end <= start <= stop
        end = stop
        assert cell_len(text[start:stop].rstrip()) <= width
    assert not text[end:].strip()


def forced(text: str, width: int) -> bool:
    """Whether something that must stay together is wider than a line."""
    return any(cell_len(text[start:end]) > width for start, end, _ in atoms(text))


@given(TEXT, st.integers(min_value=2, max_value=40))
def test_no_line_begins_or_ends_with_what_must_not(text: str, width: int) -> None:
    if forced(text, width):
        return
    broken = lines(text, width)
    assert [line for line in broken[1:] if line[:1] in set(WIDE_CLOSERS)] == []
    assert [
        line for line in broken[:-1] if line[-1:] in set(WIDE_OPENERS) and not line.endswith(" ")
    ] == []


@pytest.mark.parametrize(("width", "least"), [(40, 0.95), (76, 0.98)])
def test_chinese_lines_are_full(width: int, least: float) -> None:
    """TUI (g): 95 and 99 percent, against 72 and 77 with spaces alone."""
    source = random.Random(7)
    signs = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就" * 2 + "，。、（）「」"
    filled: list[float] = []
    for _ in range(60):
        text = "".join(source.choice(signs) for _ in range(300))
        filled += [cell_len(line) / width for line in lines(text, width)[:-1]]
    assert statistics.mean(filled) >= least


def test_latin_words_stay_whole_among_chinese() -> None:
    text = "先盘点 order-service 里残留的 javax.servlet 引用，再把工具链升到 Java 21。"
    for word in ("order-service", "javax.servlet", "Java"):
        assert any(word in line for line in lines(text, 20))


def test_marks_go_with_their_words() -> None:
    assert lines("一二三四五，六", 10) == ["一二三四", "五，六"]
    assert lines("一二三四（五", 10) == ["一二三四", "（五"]
    assert lines("中文中文(中文)", 10) == ["中文中文", "(中文)"]
    assert lines("中文中文。.gitignore", 14) == ["中文中文。", ".gitignore"]


def test_english_breaks_at_spaces_and_keeps_apostrophes() -> None:
    assert lines("we don’t know why", 8) == ["we don’t", "know why"]


def test_a_word_wider_than_the_line_is_broken_and_begins_where_there_is_room() -> None:
    assert lines("ab abcdefghijklmn", 10) == ["ab abcdefg", "hijklmn"]
    assert lines("a" * 25, 10) == ["a" * 10, "a" * 10, "a" * 5]


def test_emoji_and_marks_are_not_torn() -> None:
    family = "👨‍👩‍👧‍👦"
    assert all(line.count(family) * len(family) == len(line) for line in lines(family * 10, 7))
    assert "".join(lines("e\u0301" * 30, 7)) == "e\u0301" * 30
    assert all(not line.startswith("\u0301") for line in lines("e\u0301" * 30, 7))


def test_a_space_that_must_not_break_does_not() -> None:
    assert lines("aaa bbb\u00a0ccc", 8) == ["aaa", "bbb\u00a0ccc"]


def test_leading_spaces_stay() -> None:
    assert lines("   indented words here", 12)[0] == "   indented"


def test_folding_keeps_every_space() -> None:
    code = "    x  =  1" * 5
    spans = fold(code, 10)
    assert "".join(code[start:end] for start, end in spans) == code
    assert all(cell_len(code[start:end]) <= 10 for start, end in spans)


def _code(text: str, width: int) -> list[str]:
    pieces = [text[start:end] for start, end in fold_code(text, width)]
    assert "".join(pieces) == text
    assert all(cell_len(piece) <= width for piece in pieces)
    return pieces


def test_a_line_of_code_is_cut_behind_a_space_and_not_inside_a_word() -> None:
    assert _code("sleep 1; done; rm -rf target", 25) == ["sleep 1; done; rm -rf ", "target"]
    assert _code("return x * PERCENT / 100)", 23) == ["return x * PERCENT / ", "100)"]


def test_a_line_of_code_fills_its_row_where_the_last_space_is_far() -> None:
    assert _code("a = " + "b" * 20, 12) == ["a = bbbbbbbb", "bbbbbbbbbbbb"]
    assert _code("    " + "c" * 12, 8) == ["    cccc", "cccccccc"]


def test_chinese_in_code_fills_its_row() -> None:
    assert _code("# 先读 再写数据库的结构", 12) == ["# 先读 再写", "数据库的结构"]
    assert _code("    x  =  1" * 5, 10)[0] == "    x  =  "


def test_a_character_wider_than_the_line_stands_alone() -> None:
    assert lines("中文", 1) == ["中", "文"]


def test_what_is_breakable() -> None:
    assert breakable("中")
    assert breakable("，")
    assert not breakable("a")
    assert not breakable("")
