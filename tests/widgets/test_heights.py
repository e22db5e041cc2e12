"""Sums over blocks agree with adding everything up."""

from hypothesis import given
from hypothesis import strategies as st

from widgets.heights import BLOCK, Heights

HEIGHT = st.integers(min_value=1, max_value=40)
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("set"), st.integers(0, 1_000), HEIGHT),
        st.tuples(
            st.just("splice"),
            st.integers(0, 1_000),
            st.tuples(st.integers(0, 90), st.lists(HEIGHT, max_size=90)),
        ),
    ),
    max_size=12,
)


@given(st.lists(HEIGHT, max_size=3 * BLOCK), CHANGES, st.lists(st.integers(0, 9_000), max_size=9))
def test_offsets_and_places_agree_with_plain_sums(
    start: list[int], changes: list[tuple[str, int, object]], asked: list[int]
) -> None:
    heights, plain = Heights(start), list(start)
    for kind, at, value in changes:
        if kind == "set" and plain and isinstance(value, int):
            plain[at % len(plain)] = value
            heights.set(at % len(plain), value)
        elif isinstance(value, tuple):
            removed, added = value
            first = at % (len(plain) + 1)
            removed = min(removed, len(plain) - first)
            plain[first : first + removed] = added
            heights.splice(first, removed, added)
    assert len(heights) == len(plain)
    assert heights.total == sum(plain)
    for number in asked:
        index = number % (len(plain) + 1)
        assert heights.offset(index) == sum(plain[:index])
        if plain:
            line = number % sum(plain)
            item, within = heights.locate(line)
            assert sum(plain[:item]) + within == line
            assert 0 <= within < plain[item]


def test_lines_beyond_the_ends_belong_to_the_first_and_the_last() -> None:
    heights = Heights([2, 3])
    assert heights.locate(-5) == (0, 0)
    assert heights.locate(99) == (1, 2)
    assert Heights().locate(3) == (0, 0)
