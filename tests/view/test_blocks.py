"""Streamed answers are cut into the same blocks however they came, and nothing is torn or lost."""

from hypothesis import given
from hypothesis import strategies as st

from app.view.blocks import LIST_LINES, Block, LiveText

PIECES = st.sampled_from(
    [
        "plain words",
        "two lines\nof one paragraph",
        "# heading",
        "title\n=====",
        "- a\n- b\n- c",
        "- a\n\n- b\n\n  more of b\n- c",
        "1. one\n1. two\n1. three",
        "9. nine\n10. ten",
        "```py\ndef f():\n\n    return 1\n```",
        "~~~\n```\n~~~",
        "```\nnever closed\n\n",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "> quoted\nlazily\n> - list",
        "<div>\nhtml\n</div>",
        "    indented\n\n    code",
        "***",
        "",
        "- ",
        "1.",
        "[a]: http://example.org",
        "中文段落，没有空格。",
        "\n".join(f"- item {number}" for number in range(LIST_LINES + 5)),
        "\n\n".join(f"{number}. item" for number in range(1, LIST_LINES + 5)),
    ]
)
TEXTS = st.lists(st.tuples(PIECES, st.sampled_from(["\n", "\n\n", "\n\n\n"])), max_size=6).map(
    lambda parts: "".join(piece + between for piece, between in parts)
)


def split_blocks(text: str) -> list[Block]:
    """The blocks of a text that came at once."""
    live = LiveText()
    return [*live.append(text), *live.finish()]


def streamed(text: str, cuts: list[int]) -> list[Block]:
    live, blocks, start = LiveText(), [], 0
    for end in [*sorted(cut % (len(text) + 1) for cut in cuts), len(text)]:
        blocks += live.append(text[start:end])
        start = end
    return blocks + live.finish()


@given(TEXTS, st.lists(st.integers(min_value=0, max_value=10_000), max_size=40))
def test_how_a_text_is_streamed_does_not_matter(text: str, cuts: list[int]) -> None:
    assert streamed(text, cuts) == split_blocks(text)


@given(TEXTS)
def test_nothing_but_blank_lines_is_lost(text: str) -> None:
    def bare(source: str) -> list[str]:
        return [line.rstrip() for line in source.split("\n") if line.strip()]

    assert [line for block in split_blocks(text) for line in bare(block.text)] == bare(text)


@given(TEXTS, st.integers(min_value=1, max_value=30))
def test_the_tail_is_what_is_not_finished(text: str, size: int) -> None:
    live, finished = LiveText(), ""
    for start in range(0, len(text), size):
        for block in live.append(text[start : start + size]):
            finished += block.text + "\n"
        shown = finished + live.tail.text
        assert shown.split() == text[: start + size].split()


def test_a_block_is_finished_once_another_has_begun() -> None:
    live = LiveText()
    assert live.append("first\n\n") == []
    assert live.append("se") == []
    assert live.append("cond\n") == [Block("first")]
    assert live.tail == Block("second\n")


def test_a_word_that_may_still_go_on_a_list_does_not_end_it() -> None:
    live = LiveText()
    assert live.append("1. a\n\n2") == []
    assert live.append(". b\n") == []
    assert live.finish() == [Block("1. a\n\n2. b")]


def test_a_fence_with_blank_lines_stays_whole() -> None:
    code = "```py\na = 1\n\n\nb = 2\n# ``` not the end\n```"
    assert split_blocks(f"{code}\n\nafter") == [Block(code), Block("after")]


def test_a_longer_fence_holds_a_shorter_one() -> None:
    code = "````md\n```\ninner\n```\n````"
    assert split_blocks(f"{code}\nafter") == [Block(code), Block("after")]


def test_a_long_list_is_cut_between_items_and_keeps_its_numbers() -> None:
    text = "\n".join(f"1. item {number}" for number in range(70))
    blocks = split_blocks(text)
    assert [(block.joined, block.ordinal) for block in blocks] == [
        (False, None),
        (True, LIST_LINES + 1),
        (True, 2 * LIST_LINES + 1),
    ]


def test_a_list_cut_at_a_blank_line_keeps_the_blank_line() -> None:
    text = "\n\n".join(f"- item {number}" for number in range(LIST_LINES))
    assert [block.joined for block in split_blocks(text)] == [False, False]


def test_a_table_is_never_cut() -> None:
    table = "| a |\n|---|\n" + "\n".join(f"| {number} |" for number in range(100))
    assert split_blocks(f"{table}\n\nafter") == [Block(table), Block("after")]


def test_definitions_of_links_are_not_swallowed() -> None:
    assert split_blocks("see [a]\n\n[a]: http://example.org") == [
        Block("see [a]"),
        Block("[a]: http://example.org"),
    ]
