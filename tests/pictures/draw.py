"""Draws a terminal screen cell by cell, so that Chinese stands on the grid as in a real terminal.

Textual's own SVG gives `textLength` by characters, not cells, and every converter then squeezes
wide characters (LIBRARIES, point 10); here each character is placed by itself. Blocks and box lines
are drawn as shapes, since fonts leave seams between them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from rich.cells import cell_len

CELL = 12.0
LINE = 26.0
SIZE = 20.0
FONTS = "JetBrains Mono, DejaVu Sans Mono, Noto Sans Mono CJK SC, Noto Sans CJK SC, monospace"

_EIGHTHS = {c: i / 8 for i, c in enumerate("▏▎▍▌▋▊▉█", 1)}
_LOWER = {c: i / 8 for i, c in enumerate("▁▂▃▄▅▆▇█", 1)}


@dataclass(frozen=True, slots=True)
class Cell:
    """One character as it stands on the screen; colours as `#rrggbb`."""

    text: str
    fg: str
    bg: str
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False


Grid = Sequence[Sequence[Cell]]


def _shape(cell: Cell, x: float, y: float) -> str | None:
    """A block or box character as a rectangle or path, or None: text."""
    char, fill = cell.text, f'fill="{cell.fg}"'
    middle, across = y + LINE / 2, x + CELL / 2
    thin = f'stroke="{cell.fg}" stroke-width="1.4" fill="none"'
    heavy = f'stroke="{cell.fg}" stroke-width="3" fill="none"'
    if char in _EIGHTHS:
        return f'<rect x="{x}" y="{y}" width="{CELL * _EIGHTHS[char]}" height="{LINE}" {fill}/>'
    if char in _LOWER:
        height = LINE * _LOWER[char]
        top = y + LINE - height
        return f'<rect x="{x}" y="{top}" width="{CELL}" height="{height}" {fill}/>'
    paths = {
        "─": (thin, f"M{x} {middle}H{x + CELL}"),
        "━": (heavy, f"M{x} {middle}H{x + CELL}"),
        "╸": (heavy, f"M{x} {middle}H{across}"),
        "│": (thin, f"M{across} {y}V{y + LINE}"),
        "╭": (
            thin,
            f"M{x + CELL} {middle}H{across + 4}Q{across} {middle} {across} {middle + 4}V{y + LINE}",
        ),
        "╮": (
            thin,
            f"M{x} {middle}H{across - 4}Q{across} {middle} {across} {middle + 4}V{y + LINE}",
        ),
        "╰": (
            thin,
            f"M{x + CELL} {middle}H{across + 4}Q{across} {middle} {across} {middle - 4}V{y}",
        ),
        "╯": (thin, f"M{x} {middle}H{across - 4}Q{across} {middle} {across} {middle - 4}V{y}"),
    }
    if char in paths:
        stroke, path = paths[char]
        return f'<path d="{path}" {stroke}/>'
    return None


def _words(cell: Cell, x: float, y: float) -> str:
    styles = ""
    if cell.bold:
        styles += ' font-weight="bold"'
    if cell.italic:
        styles += ' font-style="italic"'
    place = f'x="{x}" y="{y + LINE * 0.72}" fill="{cell.fg}"'
    text = f"<text {place}{styles}>{escape(cell.text)}</text>"
    width = CELL * cell_len(cell.text)
    for wanted, height in ((cell.underline, 0.86), (cell.strike, 0.5)):
        if wanted:
            level = y + LINE * height
            text += f'<path d="M{x} {level}h{width}" stroke="{cell.fg}" stroke-width="1.2"/>'
    return text


def svg(grid: Grid) -> str:
    """The screen as SVG, one `<text>` a character."""
    columns = max(sum(cell_len(cell.text) for cell in row) for row in grid)
    width, height = columns * CELL, len(grid) * LINE
    backs: list[str] = []
    fronts: list[str] = []
    for number, row in enumerate(grid):
        x, y = 0.0, number * LINE
        for cell in row:
            wide = CELL * cell_len(cell.text)
            size = f'width="{wide + 0.3}" height="{LINE + 0.3}"'
            backs.append(f'<rect x="{x}" y="{y}" {size} fill="{cell.bg}"/>')
            if cell.text.strip():
                fronts.append(_shape(cell, x, y) or _words(cell, x, y))
            x += wide
    body = "\n".join(backs + fronts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'font-family="{FONTS}" font-size="{SIZE}" xml:space="preserve">{body}</svg>'
    )


def png(grid: Grid) -> bytes:
    """The screen as PNG (needs the `pictures` extra)."""
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=svg(grid), font_family="JetBrains Mono"))
