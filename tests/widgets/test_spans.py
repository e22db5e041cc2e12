"""Styled text keeps its styles when it is broken, cut and padded."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from widgets.cjk_wrap import wrap
from widgets.spans import Line, beside, clip_spans, split_spans, width_of, wrap_spans

RED, BLUE = Style(color="red"), Style(color="blue")
PIECES = st.lists(
    st.tuples(
        st.text(alphabet="ab 中，（", max_size=12), st.sampled_from([RED, BLUE])
    ),
    max_size=6,
)  # fmt: skip


def joined(spans: list[tuple[str, Style]]) -> str:
    return "".join(text for text, _ in spans)


@given(PIECES, st.integers(min_value=2, max_value=20))
def test_broken_spans_are_the_broken_text(spans: list[tuple[str, Style]], width: int) -> None:
    text = joined(spans)
    lines = wrap_spans(spans, width)
    assert ["".join(piece for piece, _ in line) for line in lines] == [
        text[start:end] for start, end in wrap(text, width)
    ]
    letters = [(letter, style) for piece, style in spans for letter in piece]
    kept = [(letter, style) for line in lines for piece, style in line for letter in piece]
    rest = iter(letters)
    assert all(letter in rest for letter in kept)


@given(PIECES, st.integers(min_value=1, max_value=20))
def test_cut_spans_fit(spans: list[tuple[str, Style]], width: int) -> None:
    cut = clip_spans(spans, width, ("…", RED))
    assert width_of(cut) <= width
    if width_of(spans) <= width:
        assert joined(list(cut)) == joined(spans)
    else:
        assert cut[-1] == ("…", RED)


@given(PIECES, st.integers(min_value=0, max_value=30))
def test_a_strip_is_exactly_as_wide_as_asked(spans: list[tuple[str, Style]], width: int) -> None:
    strip = Line(tuple(spans)).strip(width, BLUE)
    assert strip.cell_length == width
    assert cell_len(strip.text) == width


def test_newlines_cut_spans() -> None:
    assert split_spans([("a\n\nb", RED), ("c", BLUE)]) == [
        [("a", RED)],
        [],
        [("b", RED), ("c", BLUE)],
    ]


def test_words_at_both_ends() -> None:
    line = beside([("left", RED)], [("right", BLUE)], 20, RED)
    assert "".join(text for text, _ in line.spans) == "left" + " " * 11 + "right"


def test_a_line_that_is_filled_keeps_its_colour_to_the_end() -> None:
    strip = Line((("x", RED),), BLUE).strip(5, RED)
    assert [segment.style for segment in strip] == [RED, BLUE]
