"""Reads what a running App shows, cell by cell."""

from collections.abc import Iterator
from typing import Any

from rich.style import Style
from rich.terminal_theme import DEFAULT_TERMINAL_THEME
from textual.app import App

from tests.pictures.draw import Cell


def _colour(style: Style, *, front: bool) -> str:
    colour = style.color if front else style.bgcolor
    if colour is None or colour.is_default:
        return "#d8dfe5" if front else "#10151a"
    red, green, blue = colour.get_truecolor(DEFAULT_TERMINAL_THEME, foreground=front)
    return f"#{red:02x}{green:02x}{blue:02x}"


def _cells(text: str, style: Style) -> Iterator[Cell]:
    fg, bg = _colour(style, front=True), _colour(style, front=False)
    if style.reverse:
        fg, bg = bg, fg
    for char in text:
        yield Cell(
            char,
            fg,
            bg,
            bold=bool(style.bold),
            italic=bool(style.italic),
            underline=bool(style.underline),
            strike=bool(style.strike),
        )


def grid(app: App[Any]) -> list[list[Cell]]:
    """The screen of a running App, as cells."""
    strips = app.screen._compositor.render_strips()
    return [
        [
            cell
            for segment in strip
            if not segment.control
            for cell in _cells(segment.text, segment.style or Style.null())
        ]
        for strip in strips
    ]
