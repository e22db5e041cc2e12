"""What a summary may leave of a history: DESIGN 4, Numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.conversation.shares import Shares, TextLimit, piece_characters, shares
from app.conversation.window import thresholds

WINDOWS = [8_000, 16_000, 32_000, 64_000, 128_000, 200_000, 256_000, 1_000_000]


def test_the_room_is_shared_out_as_designed() -> None:
    assert shares(thresholds(128_000), 8_000) == Shares(
        room=87_000,
        block=34_800,
        tail_min=20_000,
        tail_most=26_100,
        user_words=17_400,
        summary_text=TextLimit(8_000, 17_400),
        references=1_087,
        rules=17_400,
        goal=4_000,
        files=12_800,
        progress=4_350,
        entities=2_560,
        target=68_900,
    )


def test_a_small_window_has_small_shares() -> None:
    found = shares(thresholds(8_000), 2_000)
    assert (found.room, found.block, found.tail_min, found.user_words) == (3_000, 1_200, 750, 600)
    assert found.summary_text == TextLimit(8_000, 600)
    assert found.target == 5_000 - 900
    assert not found.too_small


@pytest.mark.parametrize(("fixed", "too_small"), [(3_000, False), (3_001, True), (9_000, True)])
def test_too_little_room_is_told(fixed: int, too_small: bool) -> None:
    assert shares(thresholds(8_000), fixed).too_small is too_small


@given(st.sampled_from(WINDOWS) | st.integers(1, 2_000_000), st.integers(0, 100_000))
def test_what_is_shared_out_fits_the_room(window: int, fixed: int) -> None:
    marks = thresholds(window)
    found = shares(marks, fixed)
    assert min(found.block, found.tail_min, found.tail_most, found.references, found.goal) >= 0
    assert found.tail_min <= found.tail_most
    assert found.block + found.tail_most <= found.room
    if fixed <= marks.summary:
        # Front and tail at their most, with what is fixed, are just the target.
        assert fixed + found.block + found.tail_most == found.target
    assert max(found.summary_text.tokens, found.user_words) <= found.room // 5 + 1
    assert found.goal <= found.room * 3 // 10
    assert found.references + found.summary_text.tokens <= max(1, found.block)


@pytest.mark.parametrize(
    ("window", "reserve", "characters"),
    [
        (128_000, 20_000, 60_000),
        (32_000, 8_000, 23_000),
        (8_000, 2_000, 5_000),
        (1_000, 250, 1_000),
    ],
)
def test_a_piece_fits_the_model_that_summarises(window: int, reserve: int, characters: int) -> None:
    assert piece_characters(window, reserve) == characters


def test_cheaper_text_comes_in_longer_pieces() -> None:
    assert piece_characters(32_000, 8_000, 0.5) == 46_000
    assert piece_characters(32_000, 8_000, 0.0) == 60_000
