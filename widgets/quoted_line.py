"""What goes along with the next message, above the prompt until it is sent (STYLE 14)."""

from typing import ClassVar

from rich.cells import cell_len

from app.text.numbers import in_k
from app.view.held import Quoted
from widgets.drawn import Drawn
from widgets.look import Look
from widgets.palette import Token
from widgets.pen import Pen
from widgets.rows import clip_name
from widgets.spans import Line, Span, width_of


class QuotedLine(Drawn):
    """`↩ list_dir src/main/java  +0.6k   with your next message  Backspace takes it back`."""

    SURFACE: ClassVar[Token] = "bg"
    DEFAULT_CSS = """
    QuotedLine { width: 100%; height: 1; display: none; margin: 1 2 0 2; }
    QuotedLine.-some { display: block; }
    """

    def __init__(self, look: Look) -> None:
        super().__init__(look, id="quoted-line")
        self._quoted: tuple[Quoted, ...] = ()

    def show(self, quoted: tuple[Quoted, ...]) -> None:
        """Other results."""
        self._quoted = quoted
        self.set_class(bool(quoted), "-some")
        if self.is_mounted:
            self.draw_now()

    def lines(self, width: int, height: int, pen: Pen) -> list[Line]:  # noqa: ARG002
        """One line, or none."""
        return [quoted_line(self._quoted, width, pen)] if self._quoted else []


def quoted_line(quoted: tuple[Quoted, ...], width: int, pen: Pen) -> Line:
    """What will be quoted, its size, and how it is dropped; that goes first where it is narrow.

    A single path gives up its folders before that.
    """
    ellipsis = pen.glyphs.ellipsis
    listed = pen.say("transcript.comma").join(
        pen.say("held.beginning", label=one.label) if one.cut else one.label for one in quoted
    )
    size = pen(f"  +{in_k(sum(one.tokens for one in quoted))}", "text3")
    restore = pen(f"{pen.glyphs.restore} ", "accent")
    around = width_of((restore, size))
    file = min(cell_len(listed), cell_len(f"{ellipsis}/{listed.rpartition('/')[2]}"))
    least = file if clip_name(listed, file, ellipsis).endswith(listed[-1:]) else cell_len(listed)
    key = (pen("Backspace", "text2"), pen(f" {pen.say('held.takes_back')}", "text3"))
    along = (pen(f"{pen.say('held.with_next')}   ", "text3"), *key)
    right: tuple[Span, ...] = ()
    for right, needed in ((along, cell_len(listed)), (key, least), ((), 0)):
        if around + needed + 3 + width_of(right) <= width:
            break
    gap = (pen("   "),) if right else ()
    room = max(1, width - around - width_of((*gap, *right)))
    return Line(
        (restore, pen(clip_name(listed, room, ellipsis), "text2"), size, *gap, *right), pen.blank
    )
