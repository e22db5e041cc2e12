"""The middle of the memory browser: filter, table, what stands there when nothing is listed."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from time import monotonic
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.timer import Timer
from textual.widgets import TextArea

from app.view.facts_record import FactItem
from app.view.facts_view import FactsModel
from widgets.dialogs.base import Plain
from widgets.drawn import Drawn
from widgets.fact_list import FactBar, FactHead, FactList
from widgets.glyphs import FRAME_SECONDS
from widgets.held_lines import wrapped
from widgets.look import Look
from widgets.palette import Token
from widgets.pen import Pen
from widgets.query_field import QueryField
from widgets.rows import line
from widgets.spans import Line
from widgets.unbegun import unbegun

_DEBOUNCE = 0.08
"""Seconds without a key until the filter is applied."""

_AT_ONCE = 2_000
"""So many facts are sorted and filtered between two keys; more of them in a thread."""

Given = tuple[Sequence[FactItem], int]


class FactTable(Vertical):
    """Filter and table.

    Attributes:
        list: the facts.
        field: the filter's text.
        bar: the counts beside it.
        undoable: a change that was made here can be taken back; whoever feeds the list knows.
    """

    DEFAULT_CSS = """
    FactTable {
        width: 1fr;
        height: 100%;
        padding: 1 0 1 0;
        background: $bg;
        .facts-filter { width: 100%; height: 1; padding: 0 2; margin: 0 0 1 0; }
        .facts-sign { display: none; width: 2; }
        QueryField { display: none; background: $bg; }
        NoFacts { display: none; }
        &.-asking .facts-sign, &.-asking QueryField { display: block; }
        &.-empty NoFacts { display: block; }
        &.-empty FactHead { display: none; }
    }
    """

    class Changed(Message):
        """Other facts are listed, others are marked, or the filter's field opened or closed."""

    def __init__(
        self, look: Look, *, now: Callable[[], datetime], query: str = "", begin_at: str = ""
    ) -> None:
        """Shows nothing yet.

        Args:
            look: words and glyphs.
            now: the user's time and zone.
            query: the filter at first.
            begin_at: id of the fact the cursor is on at first.
        """
        super().__init__(id="facts-table")
        self._begin_at = begin_at
        self.undoable = False
        model = FactsModel(query=query)
        self.bar = FactBar(look, model)
        self.head = FactHead(look)
        self.list = FactList(look, model, now)
        self.field = QueryField(query)
        self.nothing = NoFacts(look)
        self._sign = Plain(classes="facts-sign")
        self._query = query
        self._given: Given | None = None
        self._listed: Given | None = None
        self._typed: Timer | None = None

    def compose(self) -> ComposeResult:
        """The filter's line, the columns' names, the facts."""
        with Horizontal(classes="facts-filter"):
            yield self._sign
            yield self.field
            yield self.bar
        yield self.head
        yield self.nothing
        yield self.list

    def on_mount(self) -> None:
        """The sign before the field."""
        self._sign.update(line(("/", "$accent bold")))
        self._since = monotonic()
        self.bar.reading = 0.0
        self._reading = self.set_interval(FRAME_SECONDS, self._read_on)

    def _read_on(self) -> None:
        """The first reading may take a while."""
        self.bar.reading = monotonic() - self._since
        self.bar.draw_now()

    @property
    def model(self) -> FactsModel:
        """What is listed."""
        return self.list.model

    @property
    def asking(self) -> bool:
        """Whether the filter is being typed."""
        return self.has_class("-asking")

    def offers(self, name: str) -> bool:
        """Whether an action has what it needs here: facts, a session of one, a conflict."""
        model, item = self.model, self.list.fact
        match name:
            case "verify" | "delete_fact" | "pin_fact" | "delete_everywhere":
                return bool(model.rows or model.selected)
            case "replace_fact" | "edit_fact" | "mark_fact" | "fact_details":
                return bool(model.rows)
            case "open_source":
                return item is not None and bool(item.node)
            case "fact_inbox":
                return model.waiting > 0
            case "undo_fact":
                return self.undoable
            case _:
                return True

    def show(self, items: Sequence[FactItem], waiting: int, at: str = "") -> None:
        """Lists the facts as they are now; filter and marks stay, the cursor too but for `at`."""
        self._begin_at = at or self._begin_at
        self._given = (items, waiting)
        self._make()

    @property
    def trouble(self) -> str:
        """Why the facts can't be read; "": they can."""
        return self.nothing.trouble

    def fail(self, trouble: str) -> None:
        """Says why nothing can be read, until it can; what is listed stays."""
        if trouble == self.trouble:
            return
        self._stop_reading()
        self.nothing.trouble = trouble
        self.bar.known = bool(self.model.items)
        self.add_class("-empty")
        self._tell()

    def _stop_reading(self) -> None:
        if self.bar.reading is not None:
            self._reading.stop()
            self.bar.reading = None

    def filter(self, query: str) -> None:
        """Lists other ones."""
        if query != self._query:
            self._query = query
            self._make()

    def _make(self) -> None:
        if self._given is None:
            return
        if len(self._given[0]) <= _AT_ONCE:
            self._list(self._given, self._made(self._given))
        else:
            self.run_worker(
                unbegun(self._make_off_loop, self._given),
                group="model",
                exclusive=True,
            )

    async def _make_off_loop(self, given: Given) -> None:
        self._list(given, await asyncio.to_thread(self._made, given))

    def _made(self, given: Given) -> FactsModel:
        old = self.model
        if self._listed is given:
            return old.under(self._query)
        return FactsModel(given[0], self._query, frozenset(old.selected), given[1])

    def _list(self, given: Given, model: FactsModel) -> None:
        old = self.model
        model.selected = {id for id in old.selected if model.get(id) is not None}
        self._listed = given
        self._stop_reading()
        self.nothing.trouble, self.bar.known = "", True
        at = model.find(self._begin_at) if self._begin_at else None
        self._begin_at = ""
        self.list.show(model, model.place_after(old, self.list.cursor) if at is None else at)
        self.bar.model = model
        self.nothing.model = model
        self.set_class(not model.rows, "-empty")
        self._tell()

    def _tell(self) -> None:
        self.bar.draw_now()
        self.nothing.draw_now()
        self.post_message(self.Changed())

    # Marks

    def mark(self) -> None:
        """Marks the fact under the cursor, or no longer, and goes on."""
        if (item := self.list.fact) is not None:
            self.model.toggle(item.id)
            self.list.touch_rows()
            self.list.step(1)
            self._tell()

    def drop_marks(self) -> bool:
        """No fact is marked any more; False: none was."""
        if not self.model.selected:
            return False
        self.model.selected.clear()
        self.list.touch_rows()
        self._tell()
        return True

    # The field

    def open_field(self) -> None:
        """The filter can be typed."""
        self.add_class("-asking")
        self.bar.asks = True
        self.field.fill(self._query)
        self.screen.set_focus(self.field)
        self._tell()

    def close_field(self, *, drop: bool) -> None:
        """The keys are the list's again; `drop`: nothing is filtered any more."""
        self.filter("" if drop else self.field.query_text)
        self.remove_class("-asking")
        self.bar.asks = False
        self.screen.set_focus(self.list)
        self._tell()

    @on(TextArea.Changed)
    def _typing(self, message: TextArea.Changed) -> None:
        message.stop()
        if self._typed is not None:
            self._typed.stop()
        if self.asking:
            self._typed = self.set_timer(_DEBOUNCE, self._typed_enough)

    def _typed_enough(self) -> None:
        self._typed = None
        if self.asking:
            self.filter(self.field.query_text)


class NoFacts(Drawn):
    """Says why nothing is listed (STYLE 10).

    Attributes:
        model: what is listed; None: not read yet.
        trouble: why it can't be read; "": it can.
    """

    SURFACE: ClassVar[Token] = "bg"

    DEFAULT_CSS = """
    NoFacts { width: 100%; height: auto; padding: 0 2; background: $bg; }
    """

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.model: FactsModel | None = None
        self.trouble = ""

    def lines(self, width: int, height: int, pen: Pen) -> list[Line]:  # noqa: ARG002
        """Two sentences; of trouble what, why, and what follows (STYLE 10)."""
        model = self.model
        if self.trouble:
            head = f"{pen.glyphs.failed} {pen.say('facts.unreadable')}"
            more = pen.say("facts.unreadable_more")
            said: tuple[tuple[str, Token], ...]
            said = ((head, "danger"), (self.trouble, "text2"), (more, "text3"))
            return [row for text, tone in said for row in wrapped(text, width, pen, tone)]
        if model is None:
            return []
        if model.items:
            first, more = pen.say("facts.none_fit"), pen.say("facts.none_fit_more")
        else:
            first, more = pen.say("facts.empty"), pen.say("facts.empty_more")
        return [*wrapped(first, width, pen, "text2"), *wrapped(more, width, pen, "text3")]
