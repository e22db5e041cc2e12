"""The gauge's colours: neighbours stay apart in greys, and a terminal's own sixteen suffice."""

from itertools import pairwise

import pytest
from rich.color import ColorType
from textual.color import Color

from app.view.gauge_bar import PartName
from widgets.gauge_colours import gauge_colours, tinted
from widgets.palette import (
    DARK,
    DARK_16,
    DARK_256,
    LIGHT,
    LIGHT_16,
    LIGHT_256,
    PALETTES,
    Palette,
)

TINTED = (DARK, LIGHT, DARK_256, LIGHT_256)

PARTS: tuple[PartName, ...] = ("system", "memory", "history", "results", "free", "reserve")


def luminance(colour: str) -> float:
    parts = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
        for part in Color.parse(colour).normalized
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


@pytest.mark.parametrize("palette", TINTED, ids=lambda palette: palette.name)
def test_neighbours_differ_in_lightness(palette: Palette) -> None:
    """By at least 1.9:1 (STYLE 2)."""
    colours = gauge_colours(palette)
    tones = (colours.system, colours.memory, colours.history, colours.results, colours.free)
    for one, other in pairwise(tones):
        lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= 1.85, (one, other)


@pytest.mark.parametrize("palette", [DARK_16, LIGHT_16], ids=lambda palette: palette.name)
def test_sixteen_colours_tell_neighbours_apart(palette: Palette) -> None:
    styles = [tinted(palette.name, part, "free") for part in PARTS[:5]]
    assert all(one.color != other.color for one, other in pairwise(styles))
    for style in styles:
        assert style.color is not None
        assert style.color.type in (ColorType.STANDARD, ColorType.DEFAULT)


@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_every_part_has_a_colour_in_every_palette(palette: Palette) -> None:
    for part in (*PARTS, "over"):
        assert tinted(palette.name, part, "free").color is not None
