"""Tabs over the lists of what left the context and of the memory's facts (mock 01, 01b, 09b)."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.worker import Worker

from app.view.gauge import GaugeModel
from app.view.held import KEPT, HeldItem, HeldModel, Marked, Room, share_room
from app.view.recalled import RecalledFact
from widgets.drawn import Drawn
from widgets.faults import log_fault
from widgets.gauge import WindowChosen
from widgets.held_lines import (
    empty_lines,
    preview_lines,
    sentence_lines,
    strip_lines,
    tab_spans,
    wrapped,
)
from widgets.held_list import HeldList
from widgets.list_messages import Activated
from widgets.look import Look
from widgets.palette import Token, palette_of
from widgets.pen import Pen
from widgets.recalled_lines import EACH, blank_and, empty_words, head_line, rest_lines
from widgets.requests import OpenMemory, RecalledAgain, ViewResult
from widgets.spans import BLANK_LINE, Line, width_of

Peek = Callable[[str], Awaitable[tuple[str, ...] | None]]
"""The first lines of a file of the project, safe to show; None: it can't be read."""


async def nothing_to_peek(_path: str) -> tuple[str, ...] | None:
    """Where there are no files."""
    return None


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
        for tab, words in tab_spans(self.model, self.pen(palette_of(self.app.theme))):
            end = start + width_of(words)
            if start <= event.x < end:
                self.model.choose(tab)
                self.post_message(self.Clicked())
                return
            start = end + 2


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
        if self.model.active == "offloaded":
            return _PREVIEW
        if self.model.active == "memory":
            return len(self._rest(width, self.pen(palette_of(self.app.theme))))
        return 1 + len(self._sentence(width, self.pen(palette_of(self.app.theme))))

    def lines(self, width: int, height: int, pen: Pen) -> list[Line]:  # noqa: ARG002
        """The lines."""
        model, limits = self.model, self._limits()
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


class HeldPanel(Container):
    """Tabs, list and notes over one model.

    Enter shows the item in the viewer (`ViewResult`), a fact among all of them (`OpenMemory`); on
    the last row of a list that doesn't fit it opens all of it, until the panel is left.

    Attributes:
        model: what is shown; its owner feeds it.
        list: the list, which takes the focus.
    """

    DEFAULT_CSS = """
    HeldPanel { width: 100%; height: 1fr; layout: vertical; background: $surface; }
    HeldPanel HeldList { background: $surface; width: 100%; }
    """

    class Moved(Message):
        """Another item is under the cursor, or another list is shown."""

    def __init__(
        self,
        look: Look,
        model: HeldModel,
        gauge: GaugeModel,
        *,
        limits: Callable[[], Limits],
        peek: Peek,
        now: Callable[[], datetime],
        surface: Token = "surface",
        margin: int = 1,
    ) -> None:
        """Shows a model.

        Args:
            look: words, glyphs.
            model: what left the context.
            gauge: shows other windows for `w`.
            limits: from where on something leaves the context.
            peek: reads a file's first lines.
            now: the present, with the user's zone.
            surface: what is behind everything.
            margin: rows that stay free at the bottom.
        """
        super().__init__(classes="held-panel")
        self.model = model
        self.list = HeldList(look, model, surface=surface, now=now)
        self._gauge = gauge
        self._peek = peek
        self._margin = margin
        self._strip = TabStrip(look, model, surface)
        self._notes = HeldNotes(look, model, surface, limits=limits)
        self._all = False
        self._room: Room | None = None
        self._shown: tuple[object, ...] = ()
        self._places = dict.fromkeys(model.counts, "")
        self._peeked = ""
        self._tab = model.active

    def compose(self) -> ComposeResult:
        """Tabs, list, notes."""
        yield self._strip
        yield self.list
        yield self._notes

    def on_mount(self) -> None:
        """Follows the model."""
        self.model.listeners.append(self.show)
        self._gauge.listeners.append(self._notes.touch)
        self.show()

    def on_unmount(self) -> None:
        """Follows it no more."""
        self.model.listeners.remove(self.show)
        self._gauge.listeners.remove(self._notes.touch)

    @property
    def item(self) -> HeldItem | None:
        """The item under the cursor, where it is something that left the context."""
        return self.list.item

    @property
    def marked(self) -> Marked | None:
        """The same, for keys."""
        return None if self.item is None else self.item.marked

    @property
    def fact(self) -> RecalledFact | None:
        """The fact under the cursor."""
        return self.list.fact

    def on_descendant_focus(self) -> None:
        """Someone looks: other programs may have changed the memory."""
        if self.model.recalled.facts:
            self.post_message(RecalledAgain())

    def on_resize(self) -> None:
        """Shares the rows out anew."""
        self.show()

    def show(self) -> None:
        """Shows the model as it is; the cursor stays on its item."""
        if not self.is_mounted or not self.size.width:
            return
        model, items = self.model, self.model.rows
        if model.active != self._tab:
            self._tab, self._all = model.active, False
        height = max(0, self.size.height - self._strip.rows - self._margin)
        wanted = self._notes.wanted(self.size.width)
        each = EACH if model.active == "memory" else 1
        room = share_room(len(items), height, wanted, all=self._all, each=each)
        shown = (items, model.active, room, self._all, self.size.width)
        if shown != self._shown:
            self._shown, self._room = shown, room
            kept = self._places[model.active]
            at = next((index for index, item in enumerate(items) if item.key == kept), 0)
            rows = len(items) if self._all else room.items
            self.list.set_class(self._all, "-all")
            self.list.styles.height = room.rows
            self.list.list_rows(rows, at=at)
            self._notes.rows = room.under
            self.post_message(self.Moved())
        self._strip.fit()
        self._say()

    def open_all(self, *, all: bool) -> None:
        """Lists everything, to be scrolled through; else as much as fits."""
        if self._all != all:
            self._all = all
            if self._room is not None and all:
                first = self.model.rows[self._room.items]
                self._places[self.model.active] = first.key
            self.show()

    # What the list tells

    @on(HeldList.Moved)
    def _moved(self, message: HeldList.Moved) -> None:
        message.stop()
        self._say()
        self.post_message(self.Moved())

    @on(HeldList.TabWanted)
    def _other_tab(self, message: HeldList.TabWanted) -> None:
        message.stop()
        self.model.step(message.by)
        self.post_message(self.Moved())

    @on(HeldList.WindowWanted)
    def _other_window(self, message: HeldList.WindowWanted) -> None:
        message.stop()
        self._gauge.preview_next()

    @on(Activated)
    def _activated(self, message: Activated) -> None:
        message.stop()
        if (size := self._gauge.previewed) is not None:
            self._gauge.preview(None)
            self.post_message(WindowChosen(size))
        elif self.list.on_more:
            self.open_all(all=True)
        elif (item := self.item) is not None:
            self.post_message(ViewResult(item.message, item.label, item.path))
        elif (fact := self.fact) is not None:
            self.post_message(OpenMemory(fact.id))

    def _say(self) -> None:
        """Says what is under the cursor; a file is read beside everything else."""
        item, notes, row = self.item, self._notes, self.list.row
        if row is not None:
            self._places[self.model.active] = row.key
        if item is not None:
            notes.item = item
            if self.model.active == "offloaded" and item.path and item.path != self._peeked:
                self._peeked, notes.text = item.path, ()
                self.run_worker(
                    partial(self._read, item),  # type: ignore[arg-type]  # no coroutine yet
                    group="peek",
                    exclusive=True,
                    exit_on_error=False,
                )
        notes.draw_now()

    async def _read(self, item: HeldItem) -> None:
        text = await self._peek(item.path)
        if self._peeked == item.path:
            self._notes.text = text
            self._notes.draw_now()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A fault is logged."""
        log_fault(event)
