"""Tabs over the lists of what left the context and of the memory's facts (mock 01, 01b, 09b)."""

from collections.abc import Awaitable, Callable
from datetime import datetime

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.worker import Worker

from app.view.gauge import GaugeModel
from app.view.held import HeldItem, HeldModel, Marked, Room, share_room
from app.view.recalled import RecalledFact
from widgets.faults import log_fault
from widgets.gauge import WindowChosen
from widgets.held_list import HeldList
from widgets.held_parts import HeldNotes, Limits, TabStrip
from widgets.list_messages import Activated
from widgets.look import Look
from widgets.palette import Token
from widgets.pen_list import PenList
from widgets.recalled_lines import EACH
from widgets.requests import OpenMemory, RecalledAgain, ViewResult
from widgets.unbegun import unbegun
from widgets.work_list import WorkPane
from widgets.work_requests import OpenWork, WorkWanted

Peek = Callable[[str], Awaitable[tuple[str, ...] | None]]
"""The first lines of a file of the project, safe to show; None: it can't be read."""


async def nothing_to_peek(_path: str) -> tuple[str, ...] | None:
    """Where there are no files."""
    return None


class HeldPanel(Container):
    """Tabs, list and notes over one model; in the Work tab the pane of its own.

    Enter shows the item in the viewer (`ViewResult`), a fact among all of them (`OpenMemory`), all
    of the work (`OpenWork`); on the last row of a list that doesn't fit it opens all of it, until
    the panel is left.

    Attributes:
        model: what is shown; its owner feeds it.
        work: what the agent is told of the work.
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
        self._list = HeldList(look, model, surface=surface, now=now)
        self.work = WorkPane(look, now, surface=surface)
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
        yield self._list
        yield self._notes
        yield self.work

    def on_mount(self) -> None:
        """Follows the model."""
        self.model.listeners.append(self.show)
        self.work.display = False
        if self._tab == "work":
            self._change_lists()
        self._gauge.listeners += (self._notes.touch, self._dim)
        self._dim()
        self.show()

    def on_unmount(self) -> None:
        """Follows it no more."""
        self.model.listeners.remove(self.show)
        for listener in (self._notes.touch, self._dim):
            self._gauge.listeners.remove(listener)

    @property
    def list(self) -> HeldList | WorkPane:
        """What takes the focus."""
        return self.work if self.model.active == "work" else self._list

    def dress(self, look: Look) -> None:
        """Another language, other glyphs."""
        self._list.look = self.work.look = look

    @property
    def item(self) -> HeldItem | None:
        """The item under the cursor, where it is something that left the context."""
        return None if self.model.active == "work" else self._list.item

    @property
    def marked(self) -> Marked | None:
        """The same, for keys."""
        return None if self.item is None else self.item.marked

    @property
    def fact(self) -> RecalledFact | None:
        """The fact under the cursor."""
        return None if self.model.active == "work" else self._list.fact

    def on_descendant_focus(self) -> None:
        """Someone looks: other programs may have changed the memory."""
        if self.model.recalled.facts:
            self.post_message(RecalledAgain())
        if self.model.active == "work":
            self.post_message(WorkWanted())

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
            self._change_lists()
        if model.active == "work":
            height = max(0, self.size.height - self._strip.rows)
            self.work.show_work(model.work, self.size.width, height)
            self._strip.fit()
            return
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
            self._list.set_class(self._all, "-all")
            self._list.styles.height = room.rows
            self._list.list_rows(rows, at=at)
            self._notes.rows = room.under
            self.post_message(self.Moved())
        self._strip.fit()
        self._say()

    def _change_lists(self) -> None:
        """The list or the pane; where the focus was in the one, it is in the other."""
        work = self.model.active == "work"
        before, after = (self._list, self.work) if work else (self.work, self._list)
        after.display = True
        self._notes.display = not work
        if before.has_focus:
            self.screen.set_focus(after)
        before.display = False
        self._shown = ()
        if work:
            self.post_message(WorkWanted())
        self.post_message(self.Moved())

    def open_all(self, *, all: bool) -> None:
        """Lists everything, to be scrolled through; else as much as fits."""
        if self.model.active != "work" and self._all != all:
            self._all = all
            if self._room is not None and all:
                first = self.model.rows[self._room.items]
                self._places[self.model.active] = first.key
            self.show()

    def _dim(self) -> None:
        """While another window is looked at, that is what is lit."""
        for one in (self._list, self.work):
            one.step_aside(aside=self.previews)

    @property
    def takes_back(self) -> bool:
        """Whether there is something of the work to take back: a change, a new or ended rule."""
        return bool(self.work.ended) or self.model.work_takes_back

    @property
    def previews(self) -> bool:
        """Whether another window is looked at: Enter takes it, Esc ends that."""
        return self._gauge.previewed is not None

    # What the list tells

    @on(HeldList.Moved)
    def _moved(self, message: HeldList.Moved) -> None:
        message.stop()
        self._say()
        self.post_message(self.Moved())

    @on(PenList.Moved)
    def _moved_in_work(self, message: PenList.Moved) -> None:
        message.stop()
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
        self.post_message(self.Moved())

    @on(Activated)
    def _activated(self, message: Activated) -> None:
        message.stop()
        if (size := self._gauge.previewed) is not None:
            self._gauge.preview(None)
            self.post_message(self.Moved())
            self.post_message(WindowChosen(size))
        elif self.model.active == "work":
            self.post_message(OpenWork(self.work.key))
        elif self._list.on_more:
            self.open_all(all=True)
        elif (item := self.item) is not None:
            self.post_message(ViewResult(item.message, item.label, item.path))
        elif (fact := self.fact) is not None:
            self.post_message(OpenMemory(fact.id))

    def _say(self) -> None:
        """Says what is under the cursor; a file is read beside everything else."""
        item, notes, row = self.item, self._notes, self._list.row
        if row is not None:
            stays = self._list.has_focus or self._list.cursor  # else: what is new comes first
            self._places[self.model.active] = row.key if stays else ""
        if item is not None:
            notes.item = item
            if self.model.active == "offloaded" and item.path and item.path != self._peeked:
                self._peeked, notes.text = item.path, ()
                self.run_worker(
                    unbegun(self._read, item),
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
