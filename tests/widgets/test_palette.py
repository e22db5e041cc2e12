"""Colours: every token in every palette, readable, and the same in styles and in drawn lines."""

import pytest
from rich.color import ColorSystem, ColorType
from textual.app import App, ComposeResult
from textual.color import Color
from textual.widgets import Static

from widgets.palette import (
    DARK,
    DARK_16,
    DARK_256,
    LIGHT,
    LIGHT_16,
    LIGHT_256,
    PALETTES,
    TOKENS,
    Palette,
    Token,
    choose_palette,
    palette_of,
)

TINTED = (DARK, LIGHT, DARK_256, LIGHT_256)
SURFACES: tuple[Token, ...] = ("bg", "surface", "raised", "overlay")
WORDS: tuple[Token, ...] = (
    "text", "text2", "text3", "accent", "code", "ok", "warn", "danger", "stale", "info",
)  # fmt: skip


def shown(palette: Palette, colour: str) -> Color:
    """A colour as the terminal shows it."""
    meant = Color.parse(colour)
    if palette not in (DARK_256, LIGHT_256):
        return meant
    return Color(*meant.rich_color.downgrade(ColorSystem.EIGHT_BIT).get_truecolor())


def contrast(palette: Palette, token: Token, on: Token) -> float:
    """WCAG contrast of two tokens."""

    def luminance(colour: str) -> float:
        parts = [
            part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
            for part in shown(palette, colour).normalized
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    lighter, darker = sorted(
        (luminance(palette.colour(token)), luminance(palette.colour(on))), reverse=True
    )
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("palette", TINTED, ids=lambda palette: palette.name)
def test_words_are_readable_on_every_surface(palette: Palette) -> None:
    """At least 4.5:1 (STYLE 12)."""
    worst = {
        (token, on): round(contrast(palette, token, on), 2)
        for token in WORDS
        for on in SURFACES
        if contrast(palette, token, on) < 4.5
    }
    assert worst == {}


@pytest.mark.parametrize("palette", TINTED, ids=lambda palette: palette.name)
def test_labels_are_raised_on_a_focused_row(palette: Palette) -> None:
    assert palette.style("text3", "accent_bg").color == palette.style("text2", "bg").color
    assert contrast(palette, "text2", "accent_bg") >= 4.5


def test_sixteen_colours_are_the_terminals_own() -> None:
    for palette in (DARK_16, LIGHT_16):
        assert palette.theme().ansi
        for token in TOKENS:
            style = palette.style(token, "bg")
            assert style.color is not None
            assert style.color.type in (ColorType.STANDARD, ColorType.DEFAULT)
        assert palette.style("danger", "accent_bg") == palette.style("on_accent", "accent_bg")


@pytest.mark.parametrize("palette", [DARK_256, LIGHT_256], ids=lambda palette: palette.name)
def test_256_colours_have_about_these_colours(palette: Palette) -> None:
    """In Terminal.app the focused row was green, and an added line had no tint."""
    for token in TOKENS:
        colour = palette.style(token).color
        assert colour is not None
        shown = colour.downgrade(ColorSystem.EIGHT_BIT).get_truecolor()
        meant = colour.get_truecolor()
        assert max(abs(a - b) for a, b in zip(shown, meant, strict=True)) <= 8, token
    for tint in ("accent_bg", "ok_bg", "danger_bg"):
        assert palette.colour(tint) not in {palette.bg, palette.raised}


def test_the_same_question_gets_the_same_style() -> None:
    assert DARK.style("ok", "raised", bold=True) is DARK.style("ok", "raised", bold=True)


def test_the_palette_follows_the_terminal() -> None:
    assert choose_palette(dark=True, color_system="truecolor") is DARK
    assert choose_palette(dark=False, color_system="256") is LIGHT_256
    assert choose_palette(dark=True, color_system="256") is DARK_256
    assert choose_palette(dark=True, color_system="standard") is DARK_16
    assert choose_palette(dark=False, color_system=None) is LIGHT_16


def test_a_foreign_theme_has_the_dark_palette() -> None:
    assert palette_of("textual-dark") is DARK
    assert palette_of("haima-light") is LIGHT


class Painted(App[None]):
    CSS = "Static { background: $accent-bg; color: $text3; }"

    def compose(self) -> ComposeResult:
        yield Static("x")


@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
async def test_styles_know_the_tokens(palette: Palette) -> None:
    app = Painted()
    for each in PALETTES:
        app.register_theme(each.theme())
    app.theme = palette.name
    async with app.run_test():
        styles = app.query_one(Static).styles
        assert styles.background == Color.parse(palette.accent_bg)
        assert styles.color == Color.parse(palette.text3)


def test_stock_widgets_take_our_colours() -> None:
    variables = DARK.variables()
    assert variables["input-cursor-background"] == DARK.accent
    assert variables["scrollbar"] == DARK.line
    assert not [name for name in variables if "_" in name]
