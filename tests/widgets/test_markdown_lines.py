"""Markdown as lines: how each thing looks, no line too wide, a list cut in two looks whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.view.test_blocks import TEXTS, split_blocks
from tests.widgets.inks import EN, PLAIN, ZH, colour_of, texts
from widgets.markdown_inline import Voice
from widgets.markdown_lines import (
    FOLD_OVER,
    FOLDED,
    MOST_CHARACTERS,
    PROSE,
    MarkdownOptions,
    is_folded,
    markdown_lines,
)
from widgets.markdown_table import fair_widths
from widgets.palette import DARK
from widgets.spans import BLANK_LINE, Line


def drawn(source: str, width: int = 60, options: MarkdownOptions | None = None) -> list[str]:
    return texts(markdown_lines(source, EN, width, options))


def pieces(source: str, width: int) -> list[Line]:
    """What the conversation shows: its blocks one by one, with their gaps."""
    lines: list[Line] = []
    for block in split_blocks(source):
        if lines and not block.joined:
            lines.append(BLANK_LINE)
        lines += markdown_lines(block.text, EN, width, MarkdownOptions(ordinal=block.ordinal))
    return lines


@given(TEXTS, st.sampled_from([30, 71, 130]))
def test_an_answer_in_blocks_looks_like_the_whole(source: str, width: int) -> None:
    whole = markdown_lines(source.rstrip(), EN, width) if source.strip() else []
    assert texts(pieces(source, width)) == texts(whole)


MARKUP = st.text(alphabet=st.sampled_from("ab 中，*_`[]()#->|\n1.!~<>&:-"), max_size=200)


@given(MARKUP, st.sampled_from([12, 40, 80]))
def test_no_line_is_too_wide_and_nothing_fails(source: str, width: int) -> None:
    for ink in (EN, PLAIN):
        for line in markdown_lines(source, ink, width):
            indent = 4 * source.count("-") + 2 * source.count(">") + 4 * source.count(".")
            assert line.cells <= width + indent
            assert line.strip(width, DARK.style("text", "bg")).cell_length == width


def test_emphasis_is_weight_and_slant_and_code_a_colour() -> None:
    (line,) = markdown_lines("a **b** *c* `d` ~~e~~", EN, 60)
    styles = dict(line.spans)
    assert styles["b"].bold
    assert styles["c"].italic
    assert styles["d"] == DARK.style("code", "bg")
    assert styles["e"].strike
    assert styles["d"].bgcolor == styles["a "].bgcolor


def test_headings_are_bold() -> None:
    first, _, second = markdown_lines("# One\n\n### Two", EN, 60)
    assert first.spans == (("One", DARK.style("text", "bg", bold=True)),)
    assert second.spans == (("Two", DARK.style("text2", "bg", bold=True)),)


def test_a_line_break_is_a_space_but_not_between_chinese_characters() -> None:
    assert drawn("one\ntwo") == ["one two"]
    assert drawn("一\n二") == ["一二"]
    assert drawn("一\n`two`") == ["一 two"]
    assert drawn("one  \ntwo\\\nthree<br>four") == ["one", "two", "three", "four"]


def test_lists_nest_and_numbers_line_up() -> None:
    source = "9. nine\n10. ten\n    - inner\n      1. deep\n- [ ] open\n- [x] done"
    assert drawn(source) == [
        " 9. nine",
        "10. ten",
        "     · inner",
        "        1. deep",
        "",
        " ○ open",
        " ✓ done",
    ]


def test_a_blank_line_between_items_stays_one() -> None:
    assert drawn("- a\n- b\n\n- c\n\n  more") == [" · a", " · b", "", " · c", "", "   more"]


def test_long_items_hang_under_their_words() -> None:
    assert drawn("1. one two three four five", 16) == [" 1. one two", "    three four", "    five"]


def test_a_list_that_began_before_goes_on_counting() -> None:
    assert drawn("1. x\n1. y", 60, MarkdownOptions(ordinal=31)) == ["31. x", "32. y"]


def test_quotations_have_a_bar() -> None:
    lines = markdown_lines("> quoted\n>\n> - item", EN, 60)
    assert texts(lines) == ["│ quoted", "│", "│  · item"]
    assert colour_of(lines, "quoted") == "text2"
    assert texts(markdown_lines("> q", PLAIN, 60)) == ["| q"]


def test_links_are_underlined_and_say_where_they_lead() -> None:
    (line,) = markdown_lines("see [docs](https://a.b) and <https://x.y>", EN, 60)
    assert texts([line]) == ["see docs (https://a.b) and https://x.y"]
    link = dict(line.spans)["docs"]
    assert link.underline
    assert link.link == "https://a.b"


def test_only_web_and_mail_addresses_can_be_opened() -> None:
    (line,) = markdown_lines("[x](javascript:alert) [y](file:///etc/passwd)", EN, 80)
    assert not any(style.link for _, style in line.spans)


def test_images_and_html_are_text() -> None:
    assert drawn("![a cat](cat.png)") == ["image: a cat (cat.png)"]
    assert texts(markdown_lines("![猫](cat.png)", ZH, 60)) == ["图片：猫 (cat.png)"]
    assert drawn("<div>\n<b>x</b>\n</div>") == ["<div>", "<b>x</b>", "</div>"]
    assert drawn("a <kbd>x</kbd>") == ["a <kbd>x</kbd>"]


def test_code_lies_on_its_own_surface_to_the_edge() -> None:
    lines = markdown_lines("```xml\n<a>\n\t<b/>\n</a>\n```", EN, 40)
    assert texts(lines) == ["  <a>", "      <b/>", "  </a>"]
    for line in lines:
        strip = line.strip(40, DARK.style("text", "bg"))
        assert {segment.style.bgcolor for segment in strip if segment.style} == {
            DARK.style("text", "surface").bgcolor
        }


def test_long_lines_of_code_are_broken_not_cut() -> None:
    code = "x" * 100
    lines = drawn(f"```\n{code}\n```", 44)
    assert "".join(line.strip() for line in lines) == code
    assert max(cell_len(line) for line in lines) <= 42


def long_code(lines: int) -> str:
    return "```\n" + "\n".join(f"line {number}" for number in range(lines)) + "\n```"


def test_long_code_is_folded_until_it_is_opened() -> None:
    source = long_code(FOLD_OVER + 40)
    lines = drawn(source)
    assert len(lines) == FOLDED + 1
    assert lines[-1] == f"  … {FOLD_OVER + 40 - FOLDED} more lines  Enter shows all"
    assert is_folded(source, MarkdownOptions())
    assert len(drawn(source, 60, MarkdownOptions(whole=True))) == FOLD_OVER + 40
    assert len(drawn(long_code(FOLD_OVER))) == FOLD_OVER


def test_of_code_that_streams_the_end_is_shown() -> None:
    lines = drawn(long_code(FOLD_OVER + 40), 60, MarkdownOptions(live=True))
    assert lines[0] == f"  {FOLD_OVER + 40 - FOLDED} lines above"
    assert lines[-1] == f"  line {FOLD_OVER + 39}"


def test_a_rule_and_prose_are_at_most_a_hundred_cells_wide() -> None:
    assert max(map(cell_len, drawn("word " * 100, 140))) <= PROSE
    assert drawn("---", 140) == ["─" * PROSE]


def test_tables_align_their_columns_by_cells() -> None:
    source = "| 名称 | n |\n|---|---:|\n| a | 1,200 |\n| 中文 | 7 |"
    assert drawn(source) == ["名称      n", "───────────", "a     1,200", "中文      7"]


def test_a_table_wraps_its_widest_column() -> None:
    source = "| k | v |\n|---|---|\n| key | " + "word " * 20 + "|"
    lines = drawn(source, 40)
    assert max(map(cell_len, lines)) <= 40
    assert lines[2].startswith("key  word")
    assert lines[3].startswith("     word")


def test_a_table_too_narrow_for_columns_becomes_a_list() -> None:
    names = "|".join(f"column{number}" for number in range(8))
    source = f"|{names}|\n|{'|'.join(['---'] * 8)}|\n|{'|'.join(['something'] * 8)}|"
    assert drawn(source, 30)[0] == "column0: something"


@given(st.lists(st.integers(0, 60), min_size=1, max_size=8), st.integers(8, 100))
def test_widths_fit_and_narrow_columns_keep_theirs(natural: list[int], room: int) -> None:
    widths = fair_widths(natural, room)
    assert sum(widths) <= max(room, len(natural))
    assert all(width <= max(1, own) for width, own in zip(widths, natural, strict=True))
    if sum(natural) <= room:
        assert widths == natural


def test_discarded_text_is_quiet_and_struck_through() -> None:
    options = MarkdownOptions(voice=Voice("text3", strike=True))
    (line,) = markdown_lines("gone **bold** `code`", EN, 60, options)
    assert all(style.strike for _, style in line.spans)
    assert {style.color for _, style in line.spans} == {DARK.style("text3").color}


def test_prose_without_end_is_shown_as_it_is() -> None:
    source = "*a* " * (MOST_CHARACTERS // 3)
    assert drawn(source, 80)[0].startswith("*a* *a*")


def test_deep_nesting_does_not_fail() -> None:
    assert drawn("\n".join(f"{'  ' * depth}- {depth}" for depth in range(40)))
    assert drawn("> " * 60 + "deep")
    assert drawn("*" * 500 + "a" + "_" * 500)


@pytest.mark.parametrize("source", ["", "\n", "[a]: http://x"])
def test_there_is_always_a_line(source: str) -> None:
    assert markdown_lines(source, EN, 40)
