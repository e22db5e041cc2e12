"""Diffs: applying what a card shows gives the new text."""

from hypothesis import given
from hypothesis import strategies as st

from app.events import DiffLine
from app.tools.diff import MOST_COMPARED, MOST_SHOWN, difference

lines = st.lists(st.sampled_from(["a", "b", "c", "中", ""]), max_size=30)


def shown(before: str, after: str) -> list[str]:
    return [f"{line.sign}{line.number} {line.text}" for line in difference(before, after).lines]


def test_a_changed_line_has_three_lines_around_it() -> None:
    before = "".join(f"{n}\n" for n in range(1, 11))
    assert shown(before, before.replace("5\n", "five\n")) == [
        " 2 2",
        " 3 3",
        " 4 4",
        "-5 5",
        "+5 five",
        " 6 6",
        " 7 7",
        " 8 8",
    ]


def test_changes_near_each_other_share_their_lines() -> None:
    assert shown("a\nb\nc\nd\ne\n", "A\nb\nc\nd\nE\n") == [
        "-1 a",
        "+1 A",
        " 2 b",
        " 3 c",
        " 4 d",
        "-5 e",
        "+5 E",
    ]


def test_a_missing_line_end_is_a_change() -> None:
    assert shown("a\nb", "a\nb\n") == [" 1 a", "-2 b", "+2 b"]


def test_line_ends_are_not_shown_but_counted() -> None:
    change = difference("a\r\nb\r\n", "a\nb\n")
    assert (change.added, change.removed) == (2, 2)
    assert [line.text for line in change.lines] == ["a", "b", "a", "b"]


def test_nothing_changed() -> None:
    change = difference("a\nb\n", "a\nb\n")
    assert (change.added, change.removed, change.lines) == (0, 0, ())


def test_control_characters_are_visible() -> None:
    assert difference("", "\x1b[2Jx\n").lines == (DiffLine(number=1, sign="+", text="\\x1b[2Jx"),)


@given(lines, lines)
def test_the_counts_and_the_lines_agree(before: list[str], after: list[str]) -> None:
    old, new = "".join(f"{line}\n" for line in before), "".join(f"{line}\n" for line in after)
    change = difference(old, new)
    assert change.added == sum(line.sign == "+" for line in change.lines)
    assert change.removed == sum(line.sign == "-" for line in change.lines)
    assert len(before) - change.removed + change.added == len(after)
    for line in change.lines:
        source = before if line.sign == "-" else after
        assert source[line.number - 1] == line.text
    seen = [line.number for line in change.lines if line.sign != "-"]
    assert seen == sorted(set(seen))


def test_a_huge_change_is_one_block_and_cut() -> None:
    before = "".join(f"old {n}\n" for n in range(MOST_COMPARED))
    after = "".join(f"new {n}\n" for n in range(MOST_COMPARED))
    change = difference(before, after)
    assert (change.added, change.removed) == (MOST_COMPARED, MOST_COMPARED)
    assert len(change.lines) == MOST_SHOWN


def test_a_small_change_of_a_big_file_is_found() -> None:
    before = "".join(f"line {n}\n" for n in range(50_000))
    change = difference(before, before.replace("line 30000\n", "changed\n"))
    assert (change.added, change.removed, len(change.lines)) == (1, 1, 8)
