"""Characters as people see them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from widgets import graphemes

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
FLAG = "🇨🇳"
THUMB = "👍🏽"
HEART = "❤\ufe0f"
KEYCAP = "1\ufe0f\u20e3"
SCOTLAND = "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
ACCENTED = "e\u0301"
SYLLABLE = "\u1112\u1161\u11ab"

WHOLE = [FAMILY, FLAG, THUMB, HEART, KEYCAP, SCOTLAND, ACCENTED, SYLLABLE, "海", "a", " "]


@pytest.mark.parametrize("character", WHOLE)
def test_one_character_is_taken_whole_from_both_sides(character: str) -> None:
    line = f"x{character}y"
    end = 1 + len(character)
    assert graphemes.before(line, end) == 1
    assert graphemes.after(line, 1) == end


def test_flags_side_by_side_are_two() -> None:
    assert graphemes.boundaries("🇨🇳🇩🇪") == (0, 2, 4)


def test_the_edges_of_a_line() -> None:
    assert graphemes.before("ab", 0) == 0
    assert graphemes.after("ab", 2) == 2
    assert graphemes.boundaries("") == (0,)


def test_a_style_covers_whole_characters() -> None:
    line = f"a{FAMILY}b"
    assert graphemes.cover(line, 2, 3) == (1, 1 + len(FAMILY))
    assert graphemes.cover(line, 0, 1) == (0, 1)


def test_a_long_line_is_not_read_whole() -> None:
    line = "海" * 200_000 + FAMILY
    assert graphemes.before(line, len(line)) == 200_000


@given(st.lists(st.sampled_from(WHOLE), min_size=1, max_size=12))
def test_walking_visits_the_same_places_in_both_directions(characters: list[str]) -> None:
    line = "".join(characters)
    forward = [0]
    while forward[-1] < len(line):
        forward.append(graphemes.after(line, forward[-1]))
    backward = [len(line)]
    while backward[-1] > 0:
        backward.append(graphemes.before(line, backward[-1]))
    assert forward == backward[::-1] == list(graphemes.boundaries(line))


@given(st.text(max_size=80))
def test_any_text_is_covered_without_gaps(text: str) -> None:
    marks = graphemes.boundaries(text)
    assert marks[0] == 0 and marks[-1] == len(text)
    assert list(marks) == sorted(set(marks))
