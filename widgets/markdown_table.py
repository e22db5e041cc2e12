"""Tables in cells: columns as wide as they need, narrowed fairly where the pane is too narrow."""

from collections.abc import Callable, Sequence

from markdown_it.tree import SyntaxTreeNode

from widgets.ink import Ink
from widgets.markdown_inline import Voice, inline_spans
from widgets.spans import BLANK_LINE, Line, Span, split_spans, width_of, wrap_spans

GAP = 2
"""Blank cells between columns."""

NARROWEST = 6
"""A column narrower than this can't be read: each row becomes a list of its cells."""

Cell = list[list[Span]]
"""A cell's lines before they are wrapped."""


def table_lines(node: SyntaxTreeNode, ink: Ink, voice: Voice, width: int) -> list[Line]:
    """A table, at most `width` cells wide."""
    head, body, aligns = _read(node, ink, voice)
    natural = [
        max((width_of(line) for row in (head, *body) for line in row[column]), default=0)
        for column in range(len(head))
    ]
    widths = fair_widths(natural, width - GAP * (len(head) - 1))
    if min(widths, default=0) < min(NARROWEST, min(natural, default=0)):
        return _records(head, body, ink, voice, width)
    total = sum(widths) + GAP * (len(widths) - 1)
    rule = Line((ink.span(ink.glyphs.rule * total, "line", voice.on),))
    lines = [*_row(head, widths, aligns, ink, voice), rule]
    for row in body:
        lines.extend(_row(row, widths, aligns, ink, voice))
    return lines


def fair_widths(natural: Sequence[int], room: int) -> list[int]:
    """Widths that fit: what is narrow keeps its own, the rest share what is left evenly."""
    widths = list(natural)
    wide = list(range(len(widths)))
    while wide and sum(widths) > room:
        left = room - sum(widths[column] for column in range(len(widths)) if column not in wide)
        share = max(1, left // len(wide))
        fits = [column for column in wide if natural[column] <= share]
        if not fits:
            for rank, column in enumerate(wide):
                widths[column] = max(1, share + (1 if rank < left - share * len(wide) else 0))
            break
        wide = [column for column in wide if column not in fits]
    return widths


def _read(
    node: SyntaxTreeNode, ink: Ink, voice: Voice
) -> tuple[list[Cell], list[list[Cell]], list[str]]:
    """The head's cells, the rows' cells, and how columns are aligned."""
    rows = [row for part in node.children for row in part.children]
    bold = Voice(voice.tone, voice.on, bold=True)
    cells = [
        [
            split_spans(inline_spans(_inside(cell), ink, voice if number else bold))
            for cell in row.children
        ]
        for number, row in enumerate(rows)
    ]
    aligns = [str(cell.attrs.get("style", "")).rpartition(":")[2] for cell in rows[0].children]
    return cells[0], cells[1:], aligns


def _inside(cell: SyntaxTreeNode) -> Sequence[SyntaxTreeNode]:
    return [node for inline in cell.children for node in inline.children]


def _row(
    cells: Sequence[Cell], widths: Sequence[int], aligns: Sequence[str], ink: Ink, voice: Voice
) -> list[Line]:
    wrapped = [
        [piece for line in cell for piece in wrap_spans(line, width)]
        for cell, width in zip(cells, widths, strict=True)
    ]
    blank = ink.style("text", voice.on)
    lines: list[Line] = []
    for number in range(max(len(cell) for cell in wrapped)):
        spans: list[Span] = []
        for cell, width, align in zip(wrapped, widths, aligns, strict=True):
            piece = cell[number] if number < len(cell) else ()
            room = max(0, width - width_of(piece))
            left = _BEFORE.get(align, _none)(room)
            if spans:
                left += GAP
            spans.extend(((" " * left, blank), *piece))
            spans.append((" " * (room - _BEFORE.get(align, _none)(room)), blank))
        lines.append(Line(tuple(span for span in spans if span[0])))
    return lines


def _none(_room: int) -> int:
    return 0


_BEFORE: dict[str, Callable[[int], int]] = {
    "right": lambda room: room,
    "center": lambda room: room // 2,
}
"""Blank cells before a piece, by alignment."""


def _records(
    head: Sequence[Cell], body: Sequence[Sequence[Cell]], ink: Ink, voice: Voice, width: int
) -> list[Line]:
    """Rows as lists `name: value`, where columns would be too narrow."""
    lines: list[Line] = []
    nothing: Cell = [[]]
    for row in body or [[nothing] * len(head)]:
        if lines:
            lines.append(BLANK_LINE)
        for name, value in zip(head, row, strict=True):
            label = [span for line in name for span in line]
            text = [span for line in value for span in line]
            pair = [*label, ink.span(": ", "text3", voice.on), *text]
            lines.extend(Line(piece) for piece in wrap_spans(pair, width))
    return lines
