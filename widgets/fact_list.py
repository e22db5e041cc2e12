"""The facts of the memory browser: a table of any length, and the line above it (mock 02)."""

from collections.abc import Callable
from datetime import datetime
from typing import ClassVar

from app.view.facts_record import FactItem
from app.view.facts_view import FactsModel
from widgets.drawn import Drawn
from widgets.fact_lines import fact_line, head_lines
from widgets.list_source import Lines
from widgets.look import Look
from widgets.palette import Token
from widgets.pen import Pen
from widgets.pen_list import PenList, PenSource
from widgets.spans import Line, Span, clip_spans, width_of

QUIET_SECONDS = 0.2
"""So long nothing is said of loading (STYLE 10)."""


class FactSource(PenSource):
    """Draws the rows of a model.

    Attributes:
        model: what is listed.
        now: the present, for ages.
    """

    def __init__(self, look: Look, model: FactsModel, now: Callable[[], datetime]) -> None:
        super().__init__(look, "bg")
        self.model = model
        self.now = now

    def __len__(self) -> int:
        return len(self.model.rows)

    def render(self, index: int, width: int, *, current: bool) -> Lines:
        """Draws a fact."""
        item = self.model.rows[index]
        line = fact_line(
            item,
            width,
            self.now(),
            self.pen,
            current=current,
            lit=self.lit,
            marked=item.id in self.model.selected,
        )
        return Lines((line.strip(width, self.pen.blank),))

    def selectable(self, index: int) -> bool:  # noqa: ARG002
        """All of them."""
        return True

    def text(self, index: int) -> str:
        """What is remembered."""
        return self.model.rows[index].content


class FactList(PenList):
    """The table."""

    DEFAULT_CSS = """
    FactList { background: $bg; height: 1fr; }
    """

    def __init__(self, look: Look, model: FactsModel, now: Callable[[], datetime]) -> None:
        self._facts = FactSource(look, model, now)
        super().__init__(look, self._facts, id="facts-list")

    @property
    def model(self) -> FactsModel:
        """What is listed."""
        return self._facts.model

    @property
    def fact(self) -> FactItem | None:
        """The fact under the cursor."""
        return self.model.row(self.cursor)

    def show(self, model: FactsModel, at: int | None) -> None:
        """Lists other facts, the cursor on a row."""
        self._facts.model = model
        self.show_rows(at)

    def step(self, by: int) -> None:
        """Moves the cursor, wherever the focus is."""
        if self.model.rows:
            at = 0 if self.cursor is None else self.cursor + by
            self.put_cursor(max(0, min(at, len(self.model.rows) - 1)))

    def touch_rows(self) -> None:
        """Some rows look different: marked ones, ages."""
        self._facts.version += 1
        self._schedule()


class FactHead(Drawn):
    """The columns' names and a rule."""

    SURFACE: ClassVar[Token] = "bg"

    DEFAULT_CSS = """
    FactHead { width: 100%; height: 2; background: $bg; }
    """

    def lines(self, width: int, height: int, pen: Pen) -> list[Line]:  # noqa: ARG002
        """Two lines; the scrollbar's column stays free."""
        return head_lines(width - 1, pen)


class FactBar(Drawn):
    """How many facts there are, and how many wait; what is filtered, unless it is being typed.

    Attributes:
        model: what is counted.
        asks: the field beside it is open.
        known: there is something to count.
        reading: seconds for which the facts have been read the first time; None: they are there.
    """

    SURFACE: ClassVar[Token] = "bg"

    DEFAULT_CSS = """
    FactBar { width: 1fr; height: 1; background: $bg; }
    """

    def __init__(self, look: Look, model: FactsModel) -> None:
        super().__init__(look, id="facts-bar")
        self.model = model
        self.asks, self.known = False, True
        self.reading: float | None = None

    def lines(self, width: int, height: int, pen: Pen) -> list[Line]:  # noqa: ARG002
        """One line."""
        counts = self._counts(width, pen)
        return [pen.spread(width, self._asked(width - width_of(counts) - 2, pen), counts)]

    def _counts(self, room: int, pen: Pen) -> tuple[Span, ...]:
        """`3 marked  23 of 128 facts  ≠ 5 in the inbox`; words go where it is narrow."""
        if self.reading is not None:
            if self.reading < QUIET_SECONDS:
                return ()
            frame = pen.glyphs.frame(self.reading)
            return (pen(f"{frame} ", "accent"), pen(pen.say("facts.loading"), "text2"))
        if not self.known:
            return ()
        ways = (self._counted(pen, words=words) for words in (2, 1, 0))
        spans = next((way for way in ways if width_of(way) <= room), self._counted(pen, words=0))
        return clip_spans(spans, room, pen(pen.glyphs.ellipsis, "text3"))

    def _counted(self, pen: Pen, *, words: int) -> tuple[Span, ...]:
        """With a word for the inbox (2) and for the marked ones (1), else their figures alone."""
        model, spans = self.model, list[Span]()
        if marked := len(model.selected):
            said = pen.say("facts.marked", n=marked) if words else f"{marked:,}"
            spans.append(pen(f"{pen.glyphs.current} {said}  ", "accent"))
        count = len(model.items)
        if model.asked:
            spans.append(pen(pen.say("facts.count_of", shown=len(model.rows), n=count), "text2"))
        else:
            spans.append(pen(pen.say("facts.count", n=count), "text2"))
        if model.waiting:
            waiting = model.waiting
            said = pen.say("facts.in_inbox", n=waiting) if words > 1 else f"{waiting:,}"
            spans.append(pen(f"  {pen.glyphs.conflicting} {said}", "danger"))
        return tuple(spans)

    def _asked(self, room: int, pen: Pen) -> tuple[Span, ...]:
        if self.asks:
            return ()
        sign = pen("/ ", "accent", bold=True)
        if self.model.query:
            return (sign, pen(self.model.query, "text"))
        hint = (pen(pen.say("facts.filter"), "text3"), pen("  is:stale by:you", "text3"))
        return (sign, *hint) if width_of((sign, *hint)) <= room else (sign, hint[0])
