"""Stretches of styled text, and lines made of them: wrapped, cut and padded by cells."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from widgets.cjk_wrap import fold, fold_code, wrap

Span = tuple[str, Style]
"""Text and how it looks."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line before it is given its width.

    Attributes:
        spans: from left to right.
        fill: how the rest of the line looks; None: like the pane.
    """

    spans: tuple[Span, ...] = ()
    fill: Style | None = None

    @property
    def cells(self) -> int:
        """Its width so far."""
        return width_of(self.spans)

    @property
    def text(self) -> str:
        """Its words."""
        return "".join(text for text, _ in self.spans)

    def after(self, *spans: Span) -> "Line":
        """The same line with something before it."""
        return Line((*spans, *self.spans), self.fill)

    def strip(self, width: int, blank: Style) -> Strip:
        """The line, exactly `width` cells wide; `blank`: how the pane looks."""
        used = self.cells
        segments = [Segment(text, style) for text, style in self.spans if text]
        if used < width:
            segments.append(Segment(" " * (width - used), self.fill or blank))
        strip = Strip(segments, max(used, width))
        return strip if used <= width else strip.adjust_cell_length(width, self.fill or blank)


BLANK_LINE = Line()


def width_of(spans: Iterable[Span]) -> int:
    """Cells of some spans."""
    return sum(cell_len(text) for text, _ in spans)


def wrap_spans(spans: Sequence[Span], width: int, *, code: bool = False) -> list[tuple[Span, ...]]:
    """Breaks a paragraph into lines of at most `width` cells; `code`: every space kept."""
    text = "".join(text for text, _ in spans)
    lines = fold_code(text, width) if code else wrap(text, width)
    if len(lines) == 1 and lines[0] == (0, len(text)):
        return [tuple(spans)]
    edges = [0]
    for piece, _ in spans:
        edges.append(edges[-1] + len(piece))
    result: list[tuple[Span, ...]] = []
    at = 0
    for start, end in lines:
        while edges[at + 1] <= start and at + 2 < len(edges):
            at += 1
        cut: list[Span] = []
        for index in range(at, len(spans)):
            first, last = edges[index], edges[index + 1]
            if first >= end:
                break
            piece, style = spans[index]
            if kept := piece[max(0, start - first) : min(last, end) - first]:
                cut.append((kept, style))
        result.append(tuple(cut))
    return result


def split_spans(spans: Iterable[Span]) -> list[list[Span]]:
    """Cuts at newlines."""
    lines: list[list[Span]] = [[]]
    for text, style in spans:
        first, *others = text.split("\n")
        if first:
            lines[-1].append((first, style))
        lines.extend([(other, style)] if other else [] for other in others)
    return lines


def clip_spans(spans: Sequence[Span], width: int, ellipsis: Span) -> tuple[Span, ...]:
    """Cuts the end off what is wider than `width` cells, and says so."""
    if width_of(spans) <= width:
        return tuple(spans)
    room = max(0, width - cell_len(ellipsis[0]))
    kept: list[Span] = []
    for text, style in spans:
        cells = cell_len(text)
        if cells > room:
            (start, end), *_ = fold(text, room) if room else [(0, 0)]
            kept.append((text[start:end] if cell_len(text[start:end]) <= room else "", style))
            break
        kept.append((text, style))
        room -= cells
    return (*kept, ellipsis)


def beside(left: Sequence[Span], right: Sequence[Span], width: int, blank: Style) -> Line:
    """Words at both ends of a line; `left` must fit."""
    gap = max(1, width - width_of(left) - width_of(right))
    return Line((*left, (" " * gap, blank), *right), blank)


def joined(parts: Iterable[Sequence[Span]], between: Span) -> tuple[Span, ...]:
    """Parts with something between each two."""
    spans: list[Span] = []
    for part in parts:
        if spans:
            spans.append(between)
        spans.extend(part)
    return tuple(spans)
