"""Selecting text in a long list: positions that survive scrolling, highlighting, copying.

A position on the screen would move with every correction of a height, so a line is named by its
item and its number in it, packed in one integer that sorts as the lines do.
"""

from rich.segment import Segment
from rich.style import Style
from textual.selection import Selection
from textual.strip import Strip

from widgets.list_source import ListSource
from widgets.viewport import Place, Viewport

MARGIN = 2
"""Blank cells left of every line, not part of what is copied (STYLE 3)."""

_LINES = 1 << 24
"""More lines than an item has."""


def line_key(item: int, line: int) -> int:
    """One integer for a line of an item."""
    return item * _LINES + line


def line_at(key: int) -> Place:
    """The line an integer stands for."""
    return Place(*divmod(key, _LINES))


def highlighted(strip: Strip, start: int, end: int, style: Style) -> Strip:
    """A line with a stretch of its characters in another style; `end` -1: to its end."""
    segments: list[Segment] = []
    position = 0
    stop = strip.cell_count if end == -1 else end
    for text, own, _ in strip:
        first, last = (max(0, min(len(text), edge - position)) for edge in (start, stop))
        position += len(text)
        for piece, look in ((text[:first], None), (text[first:last], style), (text[last:], None)):
            if piece:
                segments.append(Segment(piece, own + look if own and look else look or own))
    return Strip(segments, strip.cell_length)


def overlaid(strip: Strip, badge: Strip | None) -> Strip:
    """A line with something laid over its right end."""
    if badge is None:
        return strip
    return Strip.join([strip.crop(0, strip.cell_length - badge.cell_length), badge])


def selected_text(source: ListSource, view: Viewport, selection: Selection) -> str:
    """What a selection covers: lines as shown at its ends, between them the items' own text."""
    last_item = len(source) - 1
    if last_item < 0:
        return ""
    start, start_x = _edge(selection.start, Place(0, 0))
    end, end_x = _edge(selection.end, Place(last_item, _LINES - 1))
    parts: list[str] = []
    for item in range(max(0, start.item), min(end.item, last_item) + 1):
        if start.item < item < end.item:
            parts.append(source.text(item))
            continue
        first = start.line if item == start.item else 0
        last = end.line if item == end.item else _LINES
        shown = [strip.text for strip in view.lines(item).strips]
        lines: list[str] = []
        for number in range(first, min(last + 1, len(shown))):
            left = start_x if item == start.item and number == start.line else 0
            at_end = item == end.item and number == end.line
            right = end_x if at_end and end_x >= 0 else len(shown[number])
            lines.append(shown[number][max(left, MARGIN) : right].rstrip())
        parts.append("\n".join(lines).strip("\n"))
    return "\n".join(parts)


def _edge(edge: tuple[int, int] | None, default: Place) -> tuple[Place, int]:
    """Where a selection begins or ends: the line and the character in it (-1: all of it)."""
    if edge is None:
        return default, -1
    x, y = edge
    return line_at(y), x
