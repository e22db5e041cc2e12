"""Lines of help are broken by cells."""

from hypothesis import given
from hypothesis import strategies as st

from app.cli.wrap import wrap
from tests.cli.support import cells


def test_words_stay_whole_and_chinese_breaks_anywhere() -> None:
    assert list(wrap("list the sessions of  this project", 12)) == [
        "list the",
        "sessions of",
        "this project",
    ]
    assert list(wrap("显示本项目的会话，最新的在前。", 12)) == [
        "显示本项目的",
        "会话，最新的",
        "在前。",
    ]


def test_no_line_begins_with_what_ends_a_sentence() -> None:
    for width in range(4, 30):
        lines = list(wrap("清空；撤销、恢复，再看（一遍）。好！", width))
        assert [line for line in lines if line[0] in "，。；：、？！）」"] == []


def test_nothing_is_no_line() -> None:
    assert list(wrap("  ", 10)) == []


@given(st.text("ab 会话，。 x/", max_size=60), st.integers(8, 40))
def test_nothing_is_lost(text: str, width: int) -> None:
    lines = list(wrap(text, width))
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    longest = max((cells(word) for word in text.split()), default=0)
    assert all(cells(line) <= max(width, longest) for line in lines)
