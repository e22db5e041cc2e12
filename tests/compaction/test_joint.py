"""A step's results together: the largest leave first, what must stay is made shorter."""

from pathlib import Path

import pytest

from app.compaction.joint import Shortened, StepResult, fit, joint_limit
from app.compaction.offload import Offload, Offloader, OffloadFailed
from app.conversation.content import Content
from app.text import Words


@pytest.fixture
def offloader(tmp_path: Path) -> Offloader:
    return Offloader(tmp_path, "chain", Words("en"))


def result(id: str, size: int) -> StepResult:
    return StepResult(id, "read_file", size, Content.of(b"x" * size))


def stretch(id: str, size: int) -> StepResult:
    return StepResult(id, "read_file", size, shorter=lambda most: f"{most} of {id}")


@pytest.mark.parametrize(
    ("free", "limit"),
    [
        (-5, 0),
        (0, 0),
        (1_000, 750),
        (85_333, 63_999),
        (85_334, 64_000),
        (85_336, 64_000),
        (10**6, 64_000),
    ],
)
def test_three_characters_for_each_token_of_a_quarter(free: int, limit: int) -> None:
    assert joint_limit(free) == limit


async def test_what_fits_is_left_alone(offloader: Offloader) -> None:
    results = [result("a", 32_000), stretch("b", 32_000)]
    assert await fit(results, 64_000, offloader) == {}
    assert await fit([], 0, offloader) == {}


async def test_the_largest_goes_first_and_only_as_many_as_must(offloader: Offloader) -> None:
    results = [result("a", 20_000), result("b", 31_000), result("c", 30_000)]
    changes = await fit(results, 64_000, offloader)
    assert list(changes) == ["b"]
    assert isinstance(changes["b"], Offload)
    changes = await fit([*results, result("d", 29_000)], 64_000, offloader)
    assert list(changes) == ["b", "c"]


async def test_what_must_stay_is_made_shorter(offloader: Offloader) -> None:
    changes = await fit([stretch("a", 32_000), stretch("b", 31_000)], 50_000, offloader)
    assert changes == {"a": Shortened("19000 of a")}
    changes = await fit([stretch("a", 32_000), stretch("b", 31_000)], 10_000, offloader)
    assert changes == {"a": Shortened("2000 of a"), "b": Shortened("8000 of b")}


async def test_what_can_go_goes_before_anything_is_made_shorter(offloader: Offloader) -> None:
    changes = await fit([stretch("a", 32_000), result("b", 10_000)], 40_000, offloader)
    assert list(changes) == ["b"]


async def test_small_ones_stay_whatever_the_limit(offloader: Offloader) -> None:
    results = [result("a", 1_999), stretch("b", 2_000), StepResult("c", "x", 50_000)]
    assert await fit(results, 0, offloader) == {}


async def test_where_nothing_can_be_written_they_are_cut(
    tmp_path: Path, offloader: Offloader
) -> None:
    (tmp_path / ".haima").write_text("in the way")
    changes = await fit([result("a", 30_000), result("b", 20_000)], 40_000, offloader)
    assert list(changes) == ["a"]
    assert isinstance(changes["a"], OffloadFailed)
    assert 19_000 < len(changes["a"].text) < 20_400
