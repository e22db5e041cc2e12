"""Plain tables for a terminal of any width, by cells."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

_GAP = "  "


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        head: what stands above it.
        right: whether it ends at the same cell.
        keep: the higher, the longer it stays while room gets scarce; 0: it always does.
        least: cells it can be cut down to; None: it is never cut.
    """

    head: str
    right: bool = False
    keep: int = 0
    least: int | None = None


def table_lines(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], *, width: int, ascii_only: bool
) -> Iterator[str]:
    """The head and a line a row, none wider than `width` cells.

    Args:
        columns: from left to right; the one with `least` is cut first, then columns are left out
            by `keep`, the lowest first.
        rows: one text a column, each on one line (`one_line`).
        width: cells.
        ascii_only: an ellipsis in ASCII.
    """
    cells = [[column.head for column in columns], *rows]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    shown = _that_fit(columns, widths, width)
    _shrink(columns, widths, shown, width)
    for row in cells:
        parts = [
            _fit(row[n], widths[n], right=columns[n].right, ascii_only=ascii_only) for n in shown
        ]
        yield fit(_GAP.join(parts).rstrip(), width, ascii_only=ascii_only)


def fit(text: str, width: int, *, ascii_only: bool = False) -> str:
    """The text, cut to a number of cells; a cut is marked."""
    if cell_len(text) <= width:
        return text
    mark = "..." if ascii_only else "…"
    return set_cell_size(text, max(0, width - len(mark))).rstrip() + mark[: max(0, width)]


def _that_fit(columns: Sequence[Column], widths: Sequence[int], width: int) -> list[int]:
    """The numbers of the columns there is room for."""
    shown = list(range(len(columns)))
    droppable = sorted((n for n in shown if columns[n].keep), key=lambda n: columns[n].keep)
    for number in droppable:
        least = sum(min(widths[n], columns[n].least or widths[n]) for n in shown)
        if least + len(_GAP) * (len(shown) - 1) <= width:
            break
        shown.remove(number)
    return shown


def _shrink(columns: Sequence[Column], widths: list[int], shown: Sequence[int], width: int) -> None:
    """Takes what is too much from the columns that can be cut."""
    over = sum(widths[n] for n in shown) + len(_GAP) * (len(shown) - 1) - width
    for number in shown:
        least = columns[number].least
        if least is not None and over > 0:
            taken = min(over, max(0, widths[number] - least))
            widths[number] -= taken
            over -= taken


def _fit(text: str, width: int, *, right: bool, ascii_only: bool) -> str:
    text = fit(text, width, ascii_only=ascii_only)
    room = " " * (width - cell_len(text))
    return room + text if right else text + room
