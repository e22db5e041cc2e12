"""Glyphs are one cell wide, and each has a twin in ASCII."""

from dataclasses import fields

from rich.cells import cell_len

from widgets.glyphs import ASCII, FRAME_SECONDS, UNICODE, Glyphs, glyphs_for

WIDE_TWINS = {"arrow", "ellipsis", "up"}


def values(glyphs: Glyphs) -> dict[str, tuple[str, ...]]:
    result = {}
    for field in fields(glyphs):
        value = getattr(glyphs, field.name)
        result[field.name] = value if isinstance(value, tuple) else (value,)
    return result


def test_every_glyph_is_one_cell_wide() -> None:
    assert [
        (name, glyph)
        for name, glyphs in values(UNICODE).items()
        for glyph in glyphs
        if cell_len(glyph) != 1
    ] == []


def test_the_twins_are_ascii_and_as_wide_but_for_three() -> None:
    for name, glyphs in values(ASCII).items():
        assert all(glyph.isascii() for glyph in glyphs), name
        assert name in WIDE_TWINS or all(len(glyph) == 1 for glyph in glyphs), name


def test_no_variation_selectors() -> None:
    """Nor anything else that a terminal may draw wider (STYLE 5)."""
    assert all(len(glyph) == 1 for glyphs in values(UNICODE).values() for glyph in glyphs)


def test_the_spinner_turns_once_in_ten_frames() -> None:
    frames = [UNICODE.frame(number * FRAME_SECONDS + 0.01) for number in range(11)]
    assert len(set(frames)) == 10
    assert frames[10] == frames[0]
    assert ASCII.frame(0.3) == "*"


def test_the_mode_chooses() -> None:
    assert glyphs_for(ascii_only=True) is ASCII
    assert glyphs_for(ascii_only=False) is UNICODE
