"""Cutting: limits kept, nothing invented, whole lines and whole characters."""

from hypothesis import given
from hypothesis import strategies as st

from app.conversation.truncate import clip, cut, cut_end

texts = st.text(alphabet=st.sampled_from("ab中\n é\u0301👩\u200d🚀"), max_size=400)


def test_what_fits_stays() -> None:
    assert cut("x" * 100, 100) is None
    assert cut("x" * 101, 100) is not None
    assert cut_end("x" * 100, 100) == "x" * 100
    assert clip("x" * 100, 100) == "x" * 100


@given(texts, st.integers(10, 80))
def test_head_and_tail_are_the_text_s_own(text: str, limit: int) -> None:
    piece = cut(text, limit)
    if piece is None:
        assert len(text) <= limit
        return
    assert len(piece.head) + len(piece.tail) <= limit
    assert text.startswith(piece.head)
    assert text.endswith(piece.tail)
    left_out = len(text) - len(piece.head) - len(piece.tail)
    assert left_out - 1 <= piece.characters <= left_out  # the newline of the cut itself
    assert piece.total == len(text)


@given(st.lists(st.text(alphabet="abc中", min_size=1, max_size=12), min_size=30, max_size=80))
def test_the_lines_left_out_are_named(lines: list[str]) -> None:
    piece = cut("\n".join(lines) + "\n", 140)
    if piece is None:
        return
    kept_before, kept_after = piece.head.split("\n"), piece.tail.split("\n")[:-1]
    assert lines[: piece.first - 1] == kept_before
    assert lines[piece.last :] == kept_after


def test_one_long_line_is_cut_inside() -> None:
    piece = cut("x" * 1000, 100)
    assert piece is not None
    assert (len(piece.head) + len(piece.tail), piece.first, piece.last) == (100, 1, 1)


def test_no_character_is_cut_through() -> None:
    for shift in range(12):
        text = "." * shift + "👩‍🚀é" * 60
        piece = cut(text, 100)
        assert piece is not None
        whole = ("👩‍🚀", "é", ".")
        assert piece.head.endswith(whole)
        assert piece.tail.startswith(whole)


def test_the_beginning_is_cut_at_a_line_or_inside_the_first() -> None:
    assert cut_end("aaa\nbbb\nccc\n", 9) == "aaa\nbbb\n"
    assert cut_end("a" * 50 + "\nb", 10) == "a" * 10
    assert cut_end("aaa\n" + "b" * 50, 10) == "aaa\n"


@given(st.text(min_size=1, max_size=900), st.integers(0, 900))
def test_a_clipped_line_fits_and_shows_the_place(text: str, place: int) -> None:
    place = min(place, len(text) - 1)
    shown = clip(text, 300, place)
    assert len(shown) <= 300
    if len(text) > 300:
        assert text[place] in shown
        assert shown.strip("…") in text or "…" in text
