"""What stands above and below the lists of the panel: the tabs, and what is said under a list."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from app.view.held import KEPT, HeldItem, HeldModel
from widgets.drawn import Drawn
from widgets.held_lines import (
    empty_lines,
    preview_lines,
    sentence_lines,
    strip_lines,
    tab_spans,
    wrapped,
)
from widgets.look import Look
from widgets.palette import Token, palette_of
from widgets.pen import Pen
from widgets.recalled_lines import blank_and, empty_words, head_line, rest_lines
from widgets.spans import BLANK_LINE, Line, width_of

_STRIP = 2
_PREVIEW = 4
"""Rows a preview is worth at least: a blank one, the name, two lines."""


@dataclass(frozen=True, slots=True)
class Limits:
    """From where on something leaves the context.

    Attributes:
        offload: characters of a result.
        clear: tokens of a request.
    """

    offload: int
    clear: int


class _Surfaced(Drawn):
    """Lines on the panel's own surface."""

    def __init__(self, look: Look, surface: Token, *, id: str | None = None) -> None:
        super().__init__(look, id=id)
        self._surface = surface

    @property
    def surface(self) -> Token:
        """A panel lies beside the conversation, or on it."""
        return self._surface


class TabStrip(_Surfaced):
    """The tabs; over the memory's list what it comes to.

    Args:
        look: words, glyphs.
        model: what they are of.
        surface: what is behind them.
    """

    DEFAULT_CSS = """
    TabStrip { width: 100%; height: 2; }
    """

    class Clicked(Message):
        """A tab was clicked; the model shows it already."""

    def __init__(self, look: Look, model: HeldModel, surface: Token) -> None:
        super().__init__(look, surface)
        self.model = model

    @property
    def rows(self) -> int:
        """How many lines there are."""
        return _STRIP + self._has_head

    def fit(self) -> None:
        """Takes as much room as is needed."""
        self.styles.height = self.rows
        self.draw_now()

    def lines(self, width: int, height: int, pen: Pen) -> list[Line]:  # noqa: ARG002
        """The tabs, and the rule under them."""
        lines = strip_lines(self.model, width, pen)
        return [*lines, head_line(self.model.recalled, width, pen)] if self._has_head else lines

    @property
    def _has_head(self) -> bool:
        recalled = self.model.recalled
        return self.model.active == "memory" and bool(recalled.message) and not recalled.off

    def on_click(self, event: events.Click) -> None:
        """Shows the tab under the pointer."""
        start = 0
        pen = self.pen(palette_of(self.app.theme))
        gap, tabs = tab_spans(self.model, self.size.width, pen)
        for tab, words in tabs:
            end = start + width_of(words)
            if start <= event.x < end:
                self.model.choose(tab)
                self.post_message(self.Clicked())
                return
            start = end + gap


class HeldNotes(_Surfaced):
    """What is said under the list: a file's first lines, a sentence, that there is nothing.

    Attributes:
        rows: how many there are, a blank one above included.
        text: the first lines of the file under the cursor; None: they can't be had.
    """

    DEFAULT_CSS = """
    HeldNotes { width: 100%; height: 1fr; }
    """

    def __init__(
        self,
        look: Look,
        model: HeldModel,
        surface: Token,
        *,
        limits: Callable[[], Limits],
    ) -> None:
        super().__init__(look, surface)
        self.model = model
        self.rows = 0
        self.text: Sequence[str] | None = ()
        self.item: HeldItem | None = None
        self._limits = limits

    def wanted(self, width: int) -> int:
        """Rows that what is said takes at least, the blank one above it included."""
        if self.model.active == "work":
            return 0
        if self.model.active == "offloaded":
            return _PREVIEW
        if self.model.active == "memory":
            return len(self._rest(width, self.pen(palette_of(self.app.theme))))
        return 1 + len(self._sentence(width, self.pen(palette_of(self.app.theme))))

    def lines(self, width: int, height: int, pen: Pen) -> list[Line]:  # noqa: ARG002
        """The lines."""
        model, limits = self.model, self._limits()
        if model.active == "work":
            return []
        if model.active == "memory":
            return self._of_memory(width, pen)
        if not model.items:
            return empty_lines(model.active, width, pen, offload=limits.offload, clear=limits.clear)
        if self.rows < 2:
            return []
        if model.active == "cleared":
            return [BLANK_LINE, *self._sentence(width, pen)][: self.rows]
        if self.item is None:
            return []
        return [BLANK_LINE, *preview_lines(self.item, self.text, width, self.rows - 1, pen)]

    def _of_memory(self, width: int, pen: Pen) -> list[Line]:
        recalled = self.model.recalled
        if recalled.facts:
            return self._rest(width, pen)[: self.rows]
        first, then = empty_words(recalled)
        return [
            *wrapped(pen.say(first), width, pen, "text2"),
            *wrapped(pen.say(then), width, pen, "text3"),
            *self._rest(width, pen),
        ]

    def _rest(self, width: int, pen: Pen) -> list[Line]:
        said = rest_lines(self.model.recalled, pen)
        return blank_and([line for one in said for line in wrapped(one, width, pen, "text3")])

    def _sentence(self, width: int, pen: Pen) -> list[Line]:
        return sentence_lines(width, pen, clear=self._limits().clear, keep=KEPT)
