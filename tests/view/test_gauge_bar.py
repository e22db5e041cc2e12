"""The bar: as in the pictures, and never a cell that can't be drawn."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.view.gauge_bar import BarCell, GaugeParts, PartName, bar, letters, stretched

ORDER: tuple[PartName, ...] = (
    "system", "memory", "history", "results", "free", "reserve", "over",
)  # fmt: skip
EXAMPLE = GaugeParts(14_200, 2_100, 117_400, 35_200)


@pytest.mark.parametrize(
    ("parts", "window", "reserve", "width", "ends"),
    [
        (EXAMPLE, 256_000, 33_000, 40, [16, 20, 167, 211, 280, 320]),
        (EXAMPLE, 256_000, 33_000, 52, [23, 26, 217, 274, 360, 416]),
        (EXAMPLE, 256_000, 33_000, 35, [16, 18, 146, 185, 240, 280]),
        (EXAMPLE, 256_000, 33_000, 116, [51, 59, 485, 612, 808, 928]),
        (EXAMPLE, 256_000, 33_000, 76, [32, 39, 318, 401, 528, 608]),
        (EXAMPLE, 200_000, 31_100, 54, [31, 35, 289, 365, 368, 432]),
        (GaugeParts(14_200, 1_200, 13_000, 8_900), 128_000, 33_000, 54,
         [48, 52, 96, 126, 320, 432]),
        (GaugeParts(14_200, 2_100, 96_200, 31_800), 200_000, 33_000, 54,
         [31, 35, 243, 312, 360, 432]),
        (GaugeParts(14_200, 2_100, 168_600, 40_900), 256_000, 30_200, 54,
         [24, 28, 312, 381, 384, 432]),
        (GaugeParts(14_200, 2_100, 303_100, 116_900), 1_000_000, 33_000, 54,
         [6, 8, 138, 188, 416, 432]),
    ],
)  # fmt: skip
def test_boundaries_are_those_of_the_pictures(
    parts: GaugeParts, window: int, reserve: int, width: int, ends: list[int]
) -> None:
    """Measured in the mocks 00, 01, 09 and 09b, in eighths of a cell."""
    found = stretched(parts, window, reserve, width)
    assert [stretch.end for stretch in found] == ends
    assert [stretch.part for stretch in found] == list(ORDER[: len(ends)])


def test_over_the_window_the_last_cell_says_so() -> None:
    """Mock 00, "over the window"."""
    found = stretched(GaugeParts(14_200, 2_100, 196_500, 50_300), 256_000, 0, 54)
    assert [(stretch.part, stretch.end) for stretch in found] == [
        ("system", 23), ("memory", 26), ("history", 343), ("results", 424), ("over", 432),
    ]  # fmt: skip


def test_a_part_that_owns_earlier_cells_gives_its_share_away() -> None:
    cells = bar(EXAMPLE, 256_000, 33_000, 40)
    assert cells[1:4] == [BarCell("system"), BarCell("memory", "history", 4), BarCell("history")]


def test_a_part_that_begins_in_the_cell_stays_and_the_last_one_resumes_behind() -> None:
    cells = bar(GaugeParts(300, 300, 20_000, 0), 100_000, 10_000, 40)
    assert cells[:2] == [BarCell("system", "memory", 2), BarCell("history")]


def test_nothing_used_is_free_and_reserve() -> None:
    found = stretched(GaugeParts(), 128_000, 33_000, 40)
    assert [stretch.part for stretch in found] == ["free", "reserve"]


PARTS = st.builds(
    GaugeParts,
    *(
        st.one_of(st.just(0), st.integers(1, 30), st.integers(1, 3_000), st.integers(1, 400_000))
        for _ in range(4)
    ),
)
WINDOWS = st.integers(100, 1_200_000)
WIDTHS = st.integers(12, 160)


def kept_free(parts: GaugeParts, window: int, tenths: int) -> int:
    """The reserve by STYLE 14."""
    return max(0, min(window * tenths // 100, window - parts.total))


@given(PARTS, WINDOWS, st.integers(1, 40), WIDTHS)
def test_the_bar_can_always_be_drawn(
    parts: GaugeParts, window: int, share: int, width: int
) -> None:
    reserve = kept_free(parts, window, share)
    cells = bar(parts, window, reserve, width)
    assert len(cells) == width
    eighths: dict[PartName, int] = {}
    order: list[PartName] = []
    for cell in cells:
        assert 1 <= cell.eighths <= 8
        assert (cell.eighths == 8) == (cell.right is None)
        pieces = [(cell.left, cell.eighths)]
        if cell.right is not None:
            pieces.append((cell.right, 8 - cell.eighths))
        for part, size in pieces:
            eighths[part] = eighths.get(part, 0) + size
            if not order or order[-1] != part:
                order.append(part)
    assert order == [part for part in ORDER if part in eighths]
    assert sum(eighths.values()) == width * 8
    over = parts.total > window
    there: set[PartName] = {name for name, size in parts.named() if size} | (
        {"reserve"} if reserve else set()
    )
    there |= {"over"} if over else set()
    free = not over and parts.total + reserve < window
    there |= {"free"} if free else set()
    assert there <= set(eighths) <= there | {"free"}
    assert all(eighths[part] >= 2 for part in there)


@given(PARTS, WINDOWS, st.integers(1, 40), WIDTHS)
def test_boundaries_only_go_forward(parts: GaugeParts, window: int, share: int, width: int) -> None:
    ends = [each.end for each in stretched(parts, window, kept_free(parts, window, share), width)]
    assert all(before < after for before, after in pairwise(ends))
    assert ends[-1] == width * 8


@given(
    st.lists(st.integers(5, 30), min_size=4, max_size=4), st.integers(1, 15), st.integers(40, 160)
)
def test_what_is_large_is_off_by_less_than_a_cell(
    shares: list[int], reserve: int, width: int
) -> None:
    parts = GaugeParts(*(share * 1_000 for share in shares))
    window = parts.total + 20_000 + reserve * 1_000
    done = 0
    for stretch, (name, size) in zip(
        stretched(parts, window, reserve * 1_000, width), parts.named(), strict=False
    ):
        done += size
        assert stretch.part == name
        assert abs(stretch.end - done * width * 8 / window) < 8


@given(PARTS, WINDOWS, st.integers(1, 40), WIDTHS)
def test_in_letters_no_part_is_lost_either(
    parts: GaugeParts, window: int, share: int, width: int
) -> None:
    reserve = kept_free(parts, window, share)
    row = letters(parts, window, reserve, width)
    assert len(row) == width
    assert row == sorted(row, key=ORDER.index)
    assert set(row) == {part.part for part in stretched(parts, window, reserve, width)}


@given(PARTS, st.integers(0, 900_000))
def test_fitted_parts_add_up(parts: GaugeParts, total: int) -> None:
    assert parts.fitted(total).total == total
    assert min(size for _, size in parts.fitted(total).named()) >= 0
