"""The colours: the tokens of STYLE 2 in dark and light, for 256 and for sixteen colours too.

A token means something (`warn`: needs you), never a hue. Styles in `.tcss` use it as a variable,
with hyphens (`$accent-bg`); whoever draws lines asks `Palette.style`. With NO_COLOR Textual itself
turns what is drawn grey (with sixteen colours: takes every colour out).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, cast, get_args

from rich.color import Color as RichColor
from rich.style import Style
from textual.color import Color
from textual.theme import Theme

Token = Literal[
    "bg", "surface", "raised", "overlay", "track", "line", "line2", "text", "text2", "text3",
    "accent", "accent_bg", "on_accent", "code", "ok", "ok_bg", "warn", "warn_bg", "danger",
    "danger_bg", "stale", "stale_bg", "info", "info_bg",
]  # fmt: skip
"""A colour by what it is for."""

TOKENS: tuple[Token, ...] = get_args(Token)

_Key = tuple[Token | None, Token | None, bool, bool, bool, bool, bool, str]


@dataclass(frozen=True, eq=False)
class Palette:
    """One set of colours, each a CSS colour (STYLE 2).

    Attributes:
        name: the Textual theme's name.
        dark: whether the background is dark.
        native: colours are the terminal's own sixteen; tinted surfaces are dropped.
        bg: conversation, tables.
        surface: header, footer, side panels, code fences.
        raised: cards, buttons, inactive cursor row, edited block.
        overlay: modal body.
        track: empty meter, future part of a plot.
        line: rules, scrollbar thumb, quiet pane border.
        line2: divider dashes, idle input border, tree guides.
        text: primary.
        text2: secondary, values.
        text3: labels, hints, cleared things.
        accent: focus, active, next, hits.
        accent_bg: focused row.
        on_accent: text on accent fill.
        code: inline code.
        ok, ok_bg: done, fresh, added line.
        warn, warn_bg: needs you, past a mark.
        danger, danger_bg: failed, conflict, removed line.
        stale, stale_bg: stale only.
        info, info_bg: unverified, estimated, notices.
    """

    name: str
    dark: bool
    bg: str
    surface: str
    raised: str
    overlay: str
    track: str
    line: str
    line2: str
    text: str
    text2: str
    text3: str
    accent: str
    accent_bg: str
    on_accent: str
    code: str
    ok: str
    ok_bg: str
    warn: str
    warn_bg: str
    danger: str
    danger_bg: str
    stale: str
    stale_bg: str
    info: str
    info_bg: str
    native: bool = False
    _styles: dict[_Key, Style] = field(default_factory=dict, init=False, repr=False)

    def colour(self, token: Token) -> str:
        """The CSS colour of a token."""
        return cast("str", getattr(self, token))

    def style(
        self,
        token: Token | None = None,
        on: Token | None = None,
        *,
        bold: bool = False,
        italic: bool = False,
        underline: bool = False,
        strike: bool = False,
        dim: bool = False,
        link: str = "",
    ) -> Style:
        """The style for a stretch of text in a drawn line; the same object for the same question.

        On a focused row labels are raised one tier, so that they keep their contrast (STYLE 14).
        With sixteen colours everything on a focused row takes the colour for text on the accent.

        Args:
            token: colour of the text.
            on: colour behind it.
            bold: heavier.
            italic: slanted.
            underline: underlined.
            strike: struck through.
            dim: fainter, where the terminal can.
            link: an address the terminal opens, where it can (OSC 8).
        """
        key = (token, on, bold, italic, underline, strike, dim, link)
        if (style := self._styles.get(key)) is None:
            shown = self._on_focus(token) if on == "accent_bg" else token
            style = Style(
                color=_rich(self.colour(shown)) if shown else None,
                bgcolor=_rich(self.colour(on)) if on else None,
                bold=bold or None,
                italic=italic or None,
                underline=underline or None,
                strike=strike or None,
                dim=dim or None,
                link=link or None,
            )
            self._styles[key] = style
        return style

    def _on_focus(self, token: Token | None) -> Token | None:
        """Which token stands in for `token` on a focused row."""
        if self.native:
            return "on_accent"
        return _RAISED.get(token, token) if token else None

    def variables(self) -> dict[str, str]:
        """The tokens as CSS variables, and Textual's own variables set from them."""
        tokens = {token.replace("_", "-"): self.colour(token) for token in TOKENS}
        own = {name: self.colour(token) for name, token in _TEXTUAL.items()}
        native = {
            "ansi-background": "ansi_black" if self.dark else "ansi_white",
            "ansi-foreground": "ansi_white" if self.dark else "ansi_black",
        }
        return {**own, **_TEXTUAL_STYLES, **tokens, **(native if self.native else {})}

    def theme(self) -> Theme:
        """The Textual theme with these colours."""
        return Theme(
            name=self.name,
            dark=self.dark,
            ansi=self.native,
            primary=self.accent,
            secondary=self.accent,
            accent=self.accent,
            warning=self.warn,
            error=self.danger,
            success=self.ok,
            foreground=self.text,
            background=self.bg,
            surface=self.surface,
            panel=self.raised,
            variables=self.variables(),
        )


@lru_cache(maxsize=128)
def _rich(colour: str) -> RichColor:
    """A CSS colour as Rich knows it; `ansi_…` stays the terminal's own."""
    return Color.parse(colour).rich_color


_RAISED: Mapping[Token, Token] = {"text3": "text2"}

_TEXTUAL: Mapping[str, Token] = {
    "text-muted": "text2",
    "text-disabled": "text3",
    "foreground-muted": "text2",
    "foreground-disabled": "text3",
    "border": "accent",
    "border-blurred": "line2",
    "scrollbar": "line",
    "scrollbar-hover": "line2",
    "scrollbar-active": "accent",
    "scrollbar-background": "bg",
    "scrollbar-background-hover": "bg",
    "scrollbar-background-active": "bg",
    "scrollbar-corner-color": "bg",
    "block-cursor-background": "accent_bg",
    "block-cursor-foreground": "text",
    "block-cursor-blurred-background": "raised",
    "block-cursor-blurred-foreground": "text",
    "block-hover-background": "raised",
    "input-cursor-background": "accent",
    "input-cursor-foreground": "on_accent",
    "input-selection-background": "accent_bg",
    "input-selection-foreground": "text",
    "screen-selection-background": "accent_bg",
    "screen-selection-foreground": "text",
    "link-color": "text",
    "link-color-hover": "accent",
    "footer-foreground": "text2",
    "footer-background": "surface",
    "footer-key-foreground": "text",
    "footer-description-foreground": "text3",
    "button-foreground": "text",
    "button-color-foreground": "on_accent",
}
"""Textual's own variables (`textual/design.py`, 8.2.8) by token, for its stock widgets."""

_TEXTUAL_STYLES: Mapping[str, str] = {
    "block-cursor-text-style": "none",
    "button-focus-text-style": "bold",
    "input-cursor-text-style": "none",
    "link-style": "underline",
    "link-style-hover": "underline",
    "link-background": "transparent",
    "link-background-hover": "transparent",
}

DARK = Palette(
    name="haima-dark",
    dark=True,
    bg="#10151A",
    surface="#151B21",
    raised="#1C242B",
    overlay="#182027",
    track="#27313A",
    line="#2B353F",
    line2="#43505C",
    text="#D8DFE5",
    text2="#A3AFBA",
    text3="#8793A0",
    accent="#52C7B8",
    accent_bg="#17332F",
    on_accent="#0B1514",
    code="#9ADBD1",
    ok="#93C572",
    ok_bg="#1C2B1C",
    warn="#E2B355",
    warn_bg="#302816",
    danger="#EC7A74",
    danger_bg="#371F20",
    stale="#B4A3D6",
    stale_bg="#27233A",
    info="#74AEE6",
    info_bg="#182A3C",
)
LIGHT = Palette(
    name="haima-light",
    dark=False,
    bg="#FBFCFC",
    surface="#F2F5F6",
    raised="#EBEFF1",
    overlay="#FFFFFF",
    track="#DDE4E7",
    line="#D3DBDF",
    line2="#A9B5BC",
    text="#1B252C",
    text2="#4A5862",
    text3="#5C6A74",
    accent="#0A766C",
    accent_bg="#D8EFEB",
    on_accent="#FFFFFF",
    code="#0B5E56",
    ok="#3F7321",
    ok_bg="#E4F0DB",
    warn="#8A5A00",
    warn_bg="#F9EBCB",
    danger="#B3302B",
    danger_bg="#FAE0DE",
    stale="#6A51A6",
    stale_bg="#EAE4F6",
    info="#1D62A8",
    info_bg="#DDEBF8",
)

# What Rich takes for our colours where there are 256: a green for the focused row, no tint for an
# added line. These it takes as they are, but for the lighter greys, which come out a step darker.
DARK_256 = replace(
    DARK, name="haima-dark-256",
    bg="#121212", surface="#1C1C1C", raised="#262626", overlay="#1C1C1C", track="#303030",
    line="#303030", line2="#4E4E4E", text="#E0E0E0", text2="#B8B8B8", text3="#949494",
    accent="#5FD7AF", accent_bg="#3A3A3A", on_accent="#121212", code="#87D7D7",
    ok="#87D75F", ok_bg="#005F00", warn="#D7AF5F", warn_bg="#303030",
    danger="#FF8787", danger_bg="#5F0000", stale="#AFAFD7", stale_bg="#303030",
    info="#87AFD7", info_bg="#303030",
)  # fmt: skip
LIGHT_256 = replace(
    LIGHT, name="haima-light-256",
    bg="#FFFFFF", surface="#F5F5F5", raised="#EBEBEB", overlay="#FFFFFF", track="#E0E0E0",
    line="#D6D6D6", line2="#ADADAD", text="#1C1C1C", text2="#4E4E4E", text3="#626262",
    accent="#005F5F", accent_bg="#D7FFFF", on_accent="#FFFFFF", code="#005F5F",
    ok="#005F00", ok_bg="#D7FFD7", warn="#875F00", warn_bg="#FFFFD7",
    danger="#AF0000", danger_bg="#FFD7D7", stale="#5F00AF", stale_bg="#D7D7FF",
    info="#005FAF", info_bg="#D7D7FF",
)  # fmt: skip


def _sixteen(name: str, *, dark: bool) -> Palette:
    """The terminal's own colours: no tinted surface, as its background is unknown (STYLE 2)."""
    plain, faint = "ansi_default", "ansi_bright_black"
    return Palette(
        name=name,
        dark=dark,
        bg=plain,
        surface=plain,
        raised=plain,
        overlay=plain,
        track=plain,
        line=faint,
        line2=faint,
        text=plain,
        text2=plain,
        text3=faint,
        accent="ansi_cyan",
        accent_bg="ansi_cyan",
        on_accent="ansi_black",
        code="ansi_cyan",
        ok="ansi_green",
        ok_bg=plain,
        warn="ansi_yellow",
        warn_bg=plain,
        danger="ansi_red",
        danger_bg=plain,
        stale="ansi_magenta",
        stale_bg=plain,
        info="ansi_blue",
        info_bg=plain,
        native=True,
    )


DARK_16 = _sixteen("haima-dark-16", dark=True)
LIGHT_16 = _sixteen("haima-light-16", dark=False)

PALETTES: tuple[Palette, ...] = (DARK, LIGHT, DARK_256, LIGHT_256, DARK_16, LIGHT_16)
"""All of them; the app registers `palette.theme()` of each."""

_BY_NAME = {palette.name: palette for palette in PALETTES}


def palette_of(theme: str) -> Palette:
    """The palette of a Textual theme's name; dark for a theme that is not ours."""
    return _BY_NAME.get(theme, DARK)


def choose_palette(*, dark: bool, color_system: str | None) -> Palette:
    """The palette for a background and what the terminal can show.

    Args:
        dark: whether the user's theme is the dark one.
        color_system: as `app.console.color_system` says: `standard` and `windows` have sixteen
            colours, None has none.
    """
    sixteen = color_system in ("standard", "windows", None)
    if sixteen:
        return DARK_16 if dark else LIGHT_16
    if color_system == "256":
        return DARK_256 if dark else LIGHT_256
    return DARK if dark else LIGHT
