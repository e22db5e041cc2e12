"""Scrollbars for terminals that can't draw eighths of a cell: whole cells alone (STYLE 5)."""

from typing import ClassVar

from textual.scrollbar import ScrollBar, ScrollBarRender


class WholeCells(ScrollBarRender):
    """A thumb made of whole cells."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "] * 8


def draw_scrollbars(*, ascii_only: bool) -> None:
    """How all scrollbars are drawn from now on."""
    ScrollBar.renderer = WholeCells if ascii_only else ScrollBarRender
