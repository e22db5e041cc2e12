"""The marks, row by row as DESIGN has them; windows, their order, and how people write them."""

import dataclasses
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.conversation.window import (
    DEFAULT_PRIVATE,
    DEFAULT_PUBLIC,
    PRESETS,
    RULES,
    SetBy,
    Thresholds,
    Window,
    WindowError,
    choose_window,
    nearest_count,
    parse_window,
    thresholds,
    window_label,
)
from app.text import Words
from app.text.sizes import parse_size

FIXTURE = """
    8_000   3_000   3_000   4_750   5_000    400   500
   16_000   6_000   6_000   9_500  10_000    800   500
   32_000  12_000  12_000  19_000  20_000  1_600   500
   64_000  24_000  24_000  38_000  40_000  3_200   500
  128_000  57_000  57_000  89_600  95_000  6_400   640
  200_000 100_000 100_200 140_000 167_000 10_000 1_000
  256_000 100_000 133_800 179_200 223_000 12_800 1_280
1_000_000 100_000 580_200 700_000 967_000 20_000 5_000
"""
"""DESIGN 4: window, clear, precompute, warn, summary, min gain, memory."""

ROWS = [tuple(map(int, line.split())) for line in FIXTURE.split("\n") if line.strip()]
WINDOWS = st.integers(8_000, 1_000_000)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: window_label(row[0]))
def test_the_table_of_the_design(row: tuple[int, ...]) -> None:
    marks = thresholds(row[0])
    found = (marks.clear, marks.precompute, marks.warn, marks.summary, marks.min_gain, marks.memory)
    assert (marks.window, marks.safe, *found) == (row[0], *row)


@pytest.mark.parametrize(
    ("window", "reserve", "buffer", "offload", "shell", "entities", "pins", "system"),
    [
        (8_000, 2_000, 1_000, 4_000, 4_000, 1_000, 800, 1_000),
        (16_000, 4_000, 2_000, 8_000, 8_000, 1_000, 1_600, 2_000),
        (64_000, 16_000, 8_000, 32_000, 8_000, 1_280, 6_400, 8_000),
        (128_000, 20_000, 13_000, 32_000, 8_000, 2_560, 12_800, 14_000),
        (1_000_000, 20_000, 13_000, 32_000, 8_000, 3_000, 20_000, 14_000),
    ],
)
def test_the_other_numbers(
    window: int,
    reserve: int,
    buffer: int,
    offload: int,
    shell: int,
    entities: int,
    pins: int,
    system: int,
) -> None:
    marks = thresholds(window)
    assert (marks.reserve, marks.buffer) == (reserve, buffer)
    assert (marks.offload, marks.offload_shell) == (offload, shell)
    assert (marks.entities, marks.pins, marks.system) == (entities, pins, system)


def test_one_token_more_or_less() -> None:
    below, exact, above = (thresholds(size).summary for size in (127_999, 128_000, 128_001))
    assert (below, exact, above) == (94_999, 95_000, 95_001)
    assert thresholds(199_999).clear == thresholds(200_001).clear == 100_000
    assert [thresholds(size).summary for size in (7_999, 8_000, 8_001)] == [4_999, 5_000, 5_001]


@pytest.mark.parametrize(
    ("window", "clear", "precompute", "warn", "summary", "min_gain"),
    [
        (7_999, 2_999, 2_999, 4_749, 4_999, 399),
        (4_096, 1_536, 1_536, 2_432, 2_560, 204),
        (2_048, 768, 768, 1_216, 1_280, 102),
        (1, 1, 1, 1, 1, 1),
    ],
)
def test_below_8000_each_mark_shrinks_in_proportion(
    window: int, clear: int, precompute: int, warn: int, summary: int, min_gain: int
) -> None:
    marks = thresholds(window)
    assert (marks.clear, marks.precompute, marks.warn) == (clear, precompute, warn)
    assert (marks.summary, marks.min_gain, marks.window) == (summary, min_gain, window)
    assert marks.safe == 8_000


@pytest.mark.parametrize("window", [0, -1, -128_000])
def test_no_window_at_all_is_a_usage_error(window: int) -> None:
    for make in (thresholds, lambda size: choose_window(configured=(size, "flag"))):
        with pytest.raises(WindowError, match=re.escape(f"{window:,} tokens")) as caught:
            make(window)
        assert caught.value.code == "usage"
        assert "窗口" in caught.value.sentence(Words("zh"))


@pytest.mark.parametrize(
    ("window", "clear_at", "clear"),
    [
        (200_000, 500_000, 166_999),
        (200_000, 167_000, 166_999),
        (200_000, 166_999, 166_999),
        (200_000, 20_000, 20_000),
        (200_000, 0, 1),
        (8_000, 100_000, 4_999),
        (4_000, 100_000, 2_499),
        (4_000, 100, 100),
        (1, 100, 1),
    ],
)
def test_clear_at_overrides_the_mark_below_the_summary(
    window: int, clear_at: int, clear: int
) -> None:
    marks, usual = thresholds(window, clear_at=clear_at), thresholds(window)
    assert marks.clear == clear
    assert (marks.summary, marks.precompute) == (usual.summary, usual.precompute)


def test_the_gain_follows_the_clear_mark() -> None:
    assert thresholds(1_000_000, clear_at=900_000).min_gain == 90_000


@given(WINDOWS, st.none() | st.integers(1, 2_000_000))
def test_the_marks_stand_in_their_order(window: int, clear_at: int | None) -> None:
    marks = thresholds(window, clear_at=clear_at)
    assert 0 < marks.clear < marks.summary < marks.window
    assert marks.precompute < marks.warn < marks.summary
    assert marks.summary + marks.reserve + marks.buffer <= marks.safe
    assert all(type(value) is int and value > 0 for value in dataclasses.asdict(marks).values())


@given(st.integers(1, 1_000_000))
def test_a_larger_window_never_has_an_earlier_mark(window: int) -> None:
    # By more than 1: reserve and buffer are rounded down on their own.
    smaller, larger = thresholds(window), thresholds(window + 1)
    for name in ("clear", "precompute", "warn", "summary", "memory", "system", "offload"):
        assert getattr(smaller, name) <= getattr(larger, name) + 1, name


@given(st.integers(1, 7_999))
def test_small_marks_are_those_of_8000_in_proportion(window: int) -> None:
    whole, small = thresholds(8_000), thresholds(window)
    for field in dataclasses.fields(Thresholds):
        if field.name != "safe":
            expected = max(1, getattr(whole, field.name) * window // 8_000)
            assert getattr(small, field.name) == expected, field.name


def test_the_rules_can_be_other_ones() -> None:
    late = dataclasses.replace(RULES, clear_most=150_000)
    assert thresholds(1_000_000, rules=late).clear == 150_000


def state(used: int, window: int) -> str:
    """What is due at this use, as whoever compares does it: `>=`."""
    marks = thresholds(window)
    due = {"summary": marks.summary, "clear": marks.clear}
    return next((name for name, mark in due.items() if used >= mark), "nothing")


def test_the_same_history_at_the_four_windows() -> None:
    # FIELD 57: a model of 1M was compacted near 200K, or never.
    used = 170_000
    assert [state(used, window) for window in PRESETS] == ["summary", "summary", "clear", "clear"]
    for window in PRESETS:
        marks = thresholds(window)
        assert state(marks.summary - 1, window) == "clear"
        assert state(marks.summary, window) == "summary"
        assert state(marks.clear - 1, window) == "nothing"


def test_a_smaller_window_in_mid_session_is_due_at_once() -> None:
    assert (state(150_000, 1_000_000), state(150_000, 128_000)) == ("clear", "summary")


@pytest.mark.parametrize("by", ["flag", "environment", "config"])
def test_what_the_user_set_wins(by: SetBy) -> None:
    window = choose_window(configured=(1_000_000, by), live=65_536, table=200_000)
    assert (window.size, window.source, window.effective) == (1_000_000, by, 1_000_000)
    assert (window.certain, window.largest) == (True, 65_536)


def test_then_the_endpoint_the_table_the_default() -> None:
    assert choose_window(live=65_536, table=200_000) == Window(65_536, "live", largest=65_536)
    assert choose_window(table=200_000) == Window(200_000, "table", largest=200_000)
    unknown, near = choose_window(), choose_window(private=True)
    assert (unknown.size, near.size) == (DEFAULT_PUBLIC, DEFAULT_PRIVATE) == (128_000, 32_768)
    assert not unknown.certain
    assert unknown.largest is None


@pytest.mark.parametrize(
    ("size", "max_input", "learned", "effective"),
    [
        (400_000, 272_000, None, 272_000),
        (1_050_000, 922_000, None, 922_000),
        (1_000_000, 983_616, None, 983_616),
        (200_000, 272_000, None, 200_000),
        (400_000, 272_000, 100_000, 100_000),
        (400_000, 272_000, 300_000, 272_000),
        (128_000, None, 128_000, 128_000),
        (128_000, None, 4_096, 4_096),
    ],
)
def test_the_longest_prompt_and_a_learned_limit_count(
    size: int, max_input: int | None, learned: int | None, effective: int
) -> None:
    window = choose_window(configured=(size, "config"), max_input=max_input, learned=learned)
    assert window.effective == effective
    assert window.size == size
    below = learned is not None and learned < size
    assert window.source == ("learned" if below else "config")


def test_a_learned_limit_makes_a_default_certain() -> None:
    assert choose_window(learned=65_536).certain
    assert not choose_window(learned=200_000).certain


@pytest.mark.parametrize(
    ("window", "label", "exact"),
    [
        (128_000, "128k", "128k"),
        (131_072, "128k", "131k"),
        (134_400, "128k", "134k"),
        (134_401, "134k", "134k"),
        (121_600, "128k", "121k"),
        (121_599, "121k", "121k"),
        (204_800, "200k", "204k"),
        (262_144, "256k", "262k"),
        (272_000, "272k", "272k"),
        (1_000_000, "1M", "1M"),
        (1_048_576, "1M", "1M"),
        (1_050_000, "1M", "1M"),
        (922_000, "922k", "922k"),
        (2_000_000, "2M", "2M"),
        (1_310_720, "1.3M", "1.3M"),
        (32_768, "32k", "32k"),
        (8_000, "8k", "8k"),
        (999, "999", "999"),
        (1, "1", "1"),
    ],
)
def test_labels(window: int, label: str, exact: str) -> None:
    assert window_label(window) == label
    assert window_label(window, exact=True) == exact


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("128k", 128_000),
        ("200K", 200_000),
        (" 1m ", 1_000_000),
        ("1M", 1_000_000),
        ("1.05m", 1_050_000),
        ("204.8k", 204_800),
        ("131072", 131_072),
        ("131,072", 131_072),
        ("131_072", 131_072),
        ("128 k", 128_000),
        ("1", 1),
    ],
)
def test_a_window_as_people_write_it(text: str, size: int) -> None:
    assert parse_window(text) == size


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "k", "0", "0k", "-5", "1e6", "128kb", "1,5k", "0.5", "1.2345k", "１２８k", "²"),
        *("half", "1g", "1 000", "9" * 30, "9" * 5_000, "1000m", "0x10", "true", "12\n8"),
    ],
)
def test_what_is_no_window(text: str) -> None:
    with pytest.raises(WindowError, match="128k") as caught:
        parse_window(text)
    assert caught.value.code == "usage"
    assert len(str(caught.value)) < 200


@given(st.integers(1, 100_000_000))
def test_a_plain_number_means_itself(size: int) -> None:
    assert parse_window(str(size)) == parse_size(f"{size:,}") == size
    assert parse_size(f"{size}k") == size * 1_000


@pytest.mark.parametrize("size", PRESETS)
def test_the_label_of_a_preset_means_the_preset(size: int) -> None:
    assert parse_window(window_label(size)) == size


def test_more_entities_are_told_in_a_wide_window() -> None:
    """FACTS 4: 15, and 25 for large windows; the user's own number wins."""
    assert [nearest_count(window) for window in (8_000, 199_999, 200_000)] == [15, 15, 25]
    assert nearest_count(8_000, 7) == 7


def test_a_clear_frees_at_least_what_the_user_says() -> None:
    for window in (4_000, 32_000):
        assert thresholds(window, min_gain=77).min_gain == 77
        assert thresholds(window, clear_at=1_000, min_gain=77).clear == 1_000
