"""The gauge's own colours (STYLE 2, `g_…` and `area_…`), by palette.

Neighbours in the bar differ in lightness by at least 1.9:1, so they stay apart in greys.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast

from rich.style import Style
from textual.color import Color

from app.view.gauge_bar import PartName
from widgets.palette import (
    DARK,
    DARK_16,
    DARK_256,
    LIGHT,
    LIGHT_16,
    LIGHT_256,
    Palette,
    Token,
    palette_of,
)

Tint = PartName | Literal["area", "area_b"]
"""A part of the bar, or what a plot is filled with."""


@dataclass(frozen=True, slots=True)
class GaugeColours:
    """CSS colours of one palette.

    Attributes:
        system: system message and tools.
        memory: remembered facts.
        history: messages, answers, calls.
        results: tool results, and rulers of windows not in use.
        free: what is not used.
        reserve: the hatch over what is kept free.
        area: what a plot is filled with.
        area_b: the second of two plots.
    """

    system: str
    memory: str
    history: str
    results: str
    free: str
    reserve: str
    area: str
    area_b: str


_COLOURS: Mapping[str, GaugeColours] = {
    DARK.name: GaugeColours(
        "#6B7A87", "#C9F5EC", "#4ABBAC", "#2A7971", "#222B33", "#4A5864", "#2C7E76", "#4A5763"
    ),
    LIGHT.name: GaugeColours(
        "#8796A1", "#06443E", "#0B7F74", "#5DAFA5", "#E1E8EA", "#A9B5BC", "#63B5AB", "#A9B5BC"
    ),
    DARK_256.name: GaugeColours(
        "#767676", "#D7FFFF", "#5FAFAF", "#005F5F", "#262626", "#585858", "#008787", "#585858"
    ),
    LIGHT_256.name: GaugeColours(
        "#949494", "#262626", "#00875F", "#87AFAF", "#F5F5F5", "#B8B8B8", "#5FAFAF", "#B8B8B8"
    ),
    DARK_16.name: GaugeColours(
        "ansi_bright_black",
        "ansi_bright_white",
        "ansi_bright_cyan",
        "ansi_cyan",
        "ansi_black",
        "ansi_bright_black",
        "ansi_cyan",
        "ansi_default",
    ),
    LIGHT_16.name: GaugeColours(
        "ansi_bright_black",
        "ansi_black",
        "ansi_cyan",
        "ansi_bright_cyan",
        "ansi_white",
        "ansi_bright_black",
        "ansi_cyan",
        "ansi_default",
    ),
}


def gauge_colours(palette: Palette) -> GaugeColours:
    """The gauge's colours in a palette."""
    return _COLOURS[palette.name]


@lru_cache(maxsize=512)
def tinted(palette: str, tint: Tint, behind: Tint | Token, *, on: bool = False) -> Style:
    """The style of something in a colour of the gauge.

    Args:
        palette: the palette's name.
        tint: the colour in front.
        behind: what is behind it.
        on: `behind` is a surface, else another part of the gauge.
    """
    colours = palette_of(palette)
    back = colours.colour(cast("Token", behind)) if on else _tint(colours, cast("Tint", behind))
    return Style(
        color=Color.parse(_tint(colours, tint)).rich_color, bgcolor=Color.parse(back).rich_color
    )


def _tint(palette: Palette, tint: Tint) -> str:
    if tint == "over":
        return palette.danger
    return cast("str", getattr(gauge_colours(palette), tint))
