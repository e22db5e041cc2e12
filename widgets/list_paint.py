"""Paints the lines of a long list without Textual's own pass over them."""

from collections.abc import Callable

from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget


def paint_lines(widget: Widget, crop: Region, line: Callable[[int], Strip]) -> list[Strip]:
    """The strips of a region.

    Lines come ready from a cache, so borders, tints and opacity are left out: a line that only
    moved costs next to nothing. Padding above and at the right is kept.

    Args:
        widget: the list; without a border, and without padding at the left.
        crop: the region, in the widget's own coordinates.
        line: gives a line of the content by its number in view.
    """
    width, look = widget.outer_size.width, widget.rich_style
    filters, top = widget.get_line_filters(), widget.styles.gutter.top
    _, background = widget.background_colors
    strips: list[Strip] = []
    for y in crop.line_range:
        strip = line(y - top).adjust_cell_length(width, look)
        for line_filter in filters:
            strip = strip.apply_filter(line_filter, background)
        strips.append(strip)
    if crop.column_span != (0, width):
        return [strip.crop(*crop.column_span) for strip in strips]
    return strips
