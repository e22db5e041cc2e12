"""The beginning of a text, over at most so many lines; what is cut says so."""

from widgets.cjk_wrap import wrap
from widgets.palette import Token
from widgets.pen import Pen
from widgets.rows import clip
from widgets.spans import Line


def lines_of(text: str, width: int, most: int) -> int:
    """Lines that a paragraph takes, at most so many; of an empty one something is said in one."""
    return min(most, len(first_lines(text, width, most))) if text else 1


def plain(text: str, tone: Token, pen: Pen) -> Line:
    """Words in one line, not cut."""
    return Line((pen(text, tone),), pen.blank)


def paragraph(text: str, width: int, most: int, tone: Token, pen: Pen) -> list[Line]:
    """Words over at most so many lines; what is cut says so."""
    if not text:
        return []
    pieces = first_lines(text, width, most)
    lines = [plain(piece, tone, pen) for piece in pieces[:most]]
    if len(pieces) > most:
        ellipsis = pen.glyphs.ellipsis
        kept = clip(pieces[most - 1] + ellipsis, width, ellipsis).removesuffix(ellipsis)
        lines[-1] = Line((pen(kept, tone), pen(ellipsis, "text3")), pen.blank)
    return lines


def first_lines(text: str, width: int, most: int) -> list[str]:
    """Lines of a text whose own lines stay; blank ones go.

    At most one more than so many: what follows is cut, and may be very long.
    """
    width = max(1, width)
    pieces: list[str] = []
    for own in text.split("\n"):
        # Some characters take no cell, so more of them than cells are looked at.
        line = own.strip()[: 4 * (most + 2) * (width + 1)].expandtabs(4)
        if line:
            pieces += [line[start:end].rstrip() for start, end in wrap(line, width)]
        if len(pieces) > most:
            break
    return pieces[: most + 1]
