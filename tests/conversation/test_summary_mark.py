"""The figures of a summary, written down and read back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.archive.nodes import NodeStart
from app.conversation.summary_mark import SummaryMark
from app.events import KeptBySummary

counts = st.integers(0, (1 << 53) - 1)
marks = st.builds(
    SummaryMark,
    messages=counts,
    tokens=counts,
    tokens_before=counts,
    tokens_after=counts,
    generation=st.integers(1, 99),
    how=st.sampled_from(["model", "cut"]),
    in_turn=st.booleans(),
    summary=st.text(),
    model=st.text(),
    focus=st.text(st.characters(codec=None)),
    seconds=st.floats(0, 1e6),
    by_hand=st.booleans(),
    kept=st.builds(KeptBySummary, goal=st.booleans(), files=counts, said_tokens=counts),
)


@given(mark=marks)
def test_what_is_written_is_read(mark: SummaryMark) -> None:
    start = NodeStart("c", "p", "summary", summary=mark)
    again = NodeStart.from_data(json.loads(json.dumps(start.to_data())))
    assert again == start


def test_a_node_without_a_summary_says_nothing_of_one() -> None:
    assert "summary" not in NodeStart("c").to_data()
    assert NodeStart.from_data({"chain": "c"}).summary is None


@pytest.mark.parametrize("data", [None, 3, "x", ["messages"], True])
def test_what_is_no_mark(data: object) -> None:
    assert SummaryMark.from_data(data) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=2),
    max_leaves=3,
)


@given(data=st.dictionaries(st.sampled_from([*SummaryMark.__slots__, "other"]), json_values))
def test_any_values_make_a_mark_that_can_be_shown(data: dict[str, object]) -> None:
    mark = SummaryMark.from_data(data)
    assert mark is not None
    assert min(mark.messages, mark.tokens, mark.tokens_before, mark.tokens_after) >= 0
    assert mark.generation >= 1
    assert mark.how in {"model", "cut"}
    assert 0 <= mark.seconds < float("inf")
    assert SummaryMark.from_data(mark.to_data()) == mark
