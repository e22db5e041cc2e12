"""Versions and ranges as spans."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.evidence_versions import Bare, Span, allowed, family, java_family, maven


def span(low: str, high: str | None = None) -> Span:
    first = family(low)
    last = family(high) if high else None
    assert first is not None
    return Span(first.low, last.low if last is not None else None)


@pytest.mark.parametrize(
    ("spec", "bare", "low", "high"),
    [
        ("18.2.0", "exact", "18.2.0", "18.2.1"),
        ("^18.2.0", "exact", "18.2", "19"),
        ("^0.3.1", "exact", "0.3.1", "0.4"),
        ("^0.0.3", "exact", "0.0.3", "0.0.4"),
        ("~1.2.3", "exact", "1.2.3", "1.3"),
        ("~1", "exact", "1", "2"),
        ("~=2.0.25", "exact", "2.0.25", "2.1"),
        ("~=2.1", "exact", "2.1", "3"),
        (">=3.11", "exact", "3.11", None),
        (">=3.11,<3.14", "exact", "3.11", "3.14"),
        (">= 20 < 21", "exact", "20", "21"),
        ("1.2.x", "exact", "1.2", "1.3"),
        ("5.*", "exact", "5", "6"),
        ("==3.11.*", "exact", "3.11", "3.12"),
        ("<=1.2", "exact", "0", "1.3"),
        ("1.2 - 1.4", "exact", "1.2", "1.5"),
        ("1.35", "caret", "1.35", "2"),
        ("0.7", "caret", "0.7", "0.8"),
        ("=1.35.0", "caret", "1.35", "1.35.1"),
        ("v1.9.1", "exact", "1.9.1", "1.9.2"),
        ("33.0.0-jre", "exact", "33", "33.0.1"),
        (">=2,!=2.1", "exact", "2", None),
        ("*", "exact", "0", None),
    ],
)
def test_ranges(spec: str, bare: Bare, low: str, high: str | None) -> None:
    assert allowed(spec, bare=bare) == (span(low, high),)


def test_one_of_several() -> None:
    assert allowed("^16 || ^18.1") == (span("16", "17"), span("18.1", "19"))


@pytest.mark.parametrize(
    "spec",
    ["latest", "", "workspace:*", "git+https://a/b", "file:../a", "1.2;x", ">2,<1", "9" * 30],
)
def test_no_range(spec: str) -> None:
    assert allowed(spec) is None


def test_of_java_and_maven() -> None:
    assert java_family("1.8") == java_family("8") == span("8", "9")
    assert java_family("17.0.2+8-tem") == span("17.0.2", "17.0.3")
    assert maven("[17,18)") == (span("17", "18"),)
    assert maven("[1.5,)") == (span("1.5"),)
    assert maven("3.2.0-SNAPSHOT") == (span("3.2.0", "3.2.1"),)
    assert maven("${x}") is None


numbers = st.lists(st.integers(0, 30), min_size=1, max_size=4).map(
    lambda parts: ".".join(map(str, parts))
)


@given(numbers, numbers)
def test_families_lie_in_each_other_or_apart(one: str, other: str) -> None:
    a, b = family(one), family(other)
    assert a is not None
    assert b is not None
    assert a.overlaps(b) == b.overlaps(a) == (a.covers(b) or b.covers(a))
    assert a.holds(a.low)
    assert a.covers(a)


@given(st.text("0123456789.^~<>=!|,*x- v", max_size=40) | st.text(max_size=40))
def test_any_text_is_a_range_or_none(spec: str) -> None:
    for bare in ("exact", "caret"):
        for one in allowed(spec, bare=bare) or ():
            assert one.high is None or one.low < one.high
