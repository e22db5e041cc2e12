"""Rows of text that fill a width exactly: words left, figures right, cut by cells."""

from collections.abc import Iterable

from rich.cells import cell_len, set_cell_size
from textual.content import Content

ELLIPSIS = "…"
EMPTY = Content("")

Piece = tuple[str, str]
"""Text and its style, in the theme's words: `("Help", "$text3")`."""


def clip(text: str, width: int, ellipsis: str = ELLIPSIS) -> str:
    """Cuts the end off what is wider than `width` cells."""
    if cell_len(text) <= width:
        return text
    room = width - cell_len(ellipsis)
    return set_cell_size(text, room).rstrip() + ellipsis if room > 0 else ellipsis[: max(0, width)]


def clip_path(path: str, width: int, ellipsis: str = ELLIPSIS) -> str:
    """Cuts whole folders off the front: a path's end tells most (STYLE 3)."""
    if cell_len(path) <= width:
        return path
    parts = path.split("/")
    for first in range(1, len(parts)):
        shorter = f"{ellipsis}/{'/'.join(parts[first:])}"
        if cell_len(shorter) <= width:
            return shorter
    return clip(parts[-1], width, ellipsis)


def clip_name(name: str, width: int, ellipsis: str = ELLIPSIS) -> str:
    """Cuts what something is called: a path, perhaps with lines, keeps its end (STYLE 3)."""
    is_path = "/" in name and " " not in name and "://" not in name
    return clip_path(name, width, ellipsis) if is_path else clip(name, width, ellipsis)


def line(*pieces: Piece) -> Content:
    """Pieces of styled text, one after the other."""
    return Content.assemble(*(piece for piece in pieces if piece[0]))


def spread(width: int, left: Content, right: Content = EMPTY, ellipsis: str = ELLIPSIS) -> Content:
    """A row of exactly `width` cells; where both don't fit, the left one is cut."""
    if not right:
        return _fit(left, width, ellipsis)
    room = max(0, width - right.cell_length - 1)
    return _fit(_fit(left, room, ellipsis) + " " + right, width, ellipsis)


def column(text: str, width: int, style: str = "", ellipsis: str = ELLIPSIS) -> Content:
    """One left-aligned cell of a grid."""
    return Content.styled(set_cell_size(clip(text, width, ellipsis), width), style)


def _fit(content: Content, width: int, ellipsis: str) -> Content:
    over = content.cell_length > width
    if not over:
        return content.pad_right(width - content.cell_length)
    kept = content.truncate(max(0, width - cell_len(ellipsis)))
    return (kept + ellipsis).truncate(width, pad=True)


def key_rows(pieces: Iterable[Content], width: int) -> Content:
    """What keys do, three cells apart; a row ends between two of them, never within one."""
    rows: list[Content] = []
    for piece in pieces:
        longer = rows[-1] + "   " + piece if rows else piece
        if rows and longer.cell_length <= width:
            rows[-1] = longer
        else:
            rows.append(piece)
    return stack(rows)


def stack(rows: Iterable[Content]) -> Content:
    """Rows one under the other."""
    return Content("\n").join(list(rows))
