"""A summary taken apart into its four sections, and put together again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.compaction.sections import Sections, sections_of
from app.compaction.summary_check import check_summary
from tests.session.summing import HEADINGS, summary

LINES = st.lists(
    st.sampled_from(["- a", "b  ", "", "### sub", "```", "x```y", "海马", "1. c"]), max_size=6
)
BODIES = st.tuples(*[LINES.map("\n".join)] * 4)


def test_each_body_stands_under_its_heading() -> None:
    found = sections_of(summary("goal", "decided", "done", "open"))
    assert found.heads == HEADINGS
    assert found.bodies == ("- goal", "- decided", "- done", "- open")
    assert found.text == summary("goal", "decided", "done", "open")


def test_what_stands_before_the_first_heading_is_shown_too() -> None:
    found = sections_of("Here it is:\n\n" + summary("goal"))
    assert found.bodies[0] == "Here it is:\n\n- goal"


def test_a_heading_in_a_code_fence_is_text() -> None:
    text = summary("goal\n```\n## Done, with evidence\n```")
    found = sections_of(text)
    assert "## Done, with evidence" in found.bodies[0]
    assert found.bodies[2] == "- two"


@pytest.mark.parametrize("style", ["### {}", "**{}**", "#### 1. {}", "## {}:"])
def test_headings_stay_as_they_were_written(style: str) -> None:
    heads = [style.format(head.removeprefix("## ")) for head in HEADINGS]
    text = "\n\n".join(f"{head}\n- x" for head in heads)
    assert check_summary(text, limit=8_000) is None
    assert sections_of(text).heads == tuple(heads)
    assert sections_of(text).text == text


def test_line_ends_and_blanks_at_the_ends_go() -> None:
    found = sections_of(summary("goal").replace("\n", " \r\n"))
    assert found.bodies[0] == "- goal"


@given(BODIES)
def test_what_the_check_lets_pass_comes_apart_again(bodies: tuple[str, ...]) -> None:
    text = Sections(HEADINGS, bodies).text
    if check_summary(text, limit=8_000) is None:
        again = sections_of(text)
        assert again.heads == HEADINGS
        assert again.text == text
        assert again.edited(again.bodies) == again
