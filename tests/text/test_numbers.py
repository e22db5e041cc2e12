"""Numbers as STYLE 6 wants them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.numbers import percent, ratio, share, tokens


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1.0k"),
        (14_249, "14.2k"),
        (14_250, "14.3k"),
        (168_900, "168.9k"),
        (999_949, "999.9k"),
        (999_950, "1.00M"),
        (1_048_576, "1.05M"),
    ],
)
def test_tokens(count: int, shown: str) -> None:
    assert tokens(count) == shown


@given(st.integers(0, 90_000_000))
def test_tokens_take_six_cells_at_most(count: int) -> None:
    assert len(tokens(count)) <= 6


def test_percentages() -> None:
    assert (percent(168_900, 256_000), percent(263_100, 256_000), percent(1, 0)) == (66, 103, 0)
    assert (share(2_100, 256_000), share(3_100, 256_000), share(0, 5)) == ("< 1%", "1%", "0%")
    assert ratio(0.008) == "0.8%"
