"""Shows a file of any size, or a text in memory: lines, a cursor, a search (STYLE 15).

Nothing is read on the event loop: what a key asks for waits in a line and is done in a thread, one
after the other; a file's lines are counted behind that.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.worker import Worker, WorkType

from app.view.file_pages import Page, gone_to, page_at, paged, scrolled, stepped
from app.view.file_source import Change, Source
from app.view.file_window import Excerpt, FileWindow
from widgets.drawn import Drawn
from widgets.faults import log_fault
from widgets.file_finder import Finder
from widgets.file_lines import Marks, page_lines
from widgets.look import Look
from widgets.pen import Pen
from widgets.spans import Line
from widgets.unbegun import unbegun

LOOK_SECONDS = 1.0
"""How often the disk is asked whether the file is still the same."""

MOST = 32_000
"""Characters that are taken out at once: as many as one result may have (DESIGN 4)."""

_WHEEL = 3

Move = Callable[[FileWindow, Page, int], Page]
"""Makes the next page of the present one, for so many rows; reads from the disk."""


class FileView(Drawn, can_focus=True):
    """The lines of one source.

    Args:
        look: words, glyphs.
        source: what is shown; closed with the widget.
        line: where to begin, from 1.
        clock: seconds that only go forward.

    Attributes:
        window: finds lines.
        page: what is in view.
        finder: the search.
        change: what happened to the file last.
    """

    SURFACE = "bg"
    DEFAULT_CSS = """
    FileView { width: 100%; height: 1fr; background: $bg; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(-1)", show=False),
        Binding("down", "step(1)", show=False),
        Binding("shift+up", "select(-1)", show=False),
        Binding("shift+down", "select(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home", "edge(0)", show=False),
        Binding("end", "edge(1)", show=False),
    ]

    class Changed(Message):
        """Something that is said about the file is to be said anew."""

    def __init__(
        self,
        look: Look,
        source: Source,
        *,
        line: int | None = None,
        id: str | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        super().__init__(look, id=id, clock=clock)
        self.source = source
        self.window = FileWindow(source)
        self.page = Page()
        self.finder = Finder(source, found=self._go_to_hit, changed=self._tell)
        self.change: Change | None = None
        self.grown = 0
        self.counting = False
        self._opened_at = line
        self._bytes = source.size
        self._anchor: int | None = None
        self._wanted: int | None = None
        self._moves: deque[Move] = deque()
        self._moving = False
        self._stands = False
        self._begun = False
        self._looking = False
        self._on_hit = False

    # What is shown

    def lines(self, width: int, height: int, pen: Pen) -> list[Line]:  # noqa: ARG002
        """The page."""
        marks = Marks(
            lit=self.has_focus,
            selected=self.selected,
            pattern=self.finder.pattern,
            nothing="viewer.unread" if self.source.size else "viewer.empty",
        )
        return page_lines(self.page, marks, width, pen) if self._stands else []

    @property
    def selected(self) -> tuple[int, int] | None:
        """Where the first and the last selected line begin; None: none is selected."""
        if self._anchor is None:
            return None
        cursor = self.page.cursor
        return min(self._anchor, cursor), max(self._anchor, cursor)

    @property
    def rows(self) -> int:
        """Lines there is room for."""
        return max(1, self.content_size.height)

    @property
    def is_ready(self) -> bool:
        """Whether nothing is still to be done."""
        return not (self._moving or self.counting or self.finder.running)

    def _tell(self) -> None:
        if self.is_mounted:
            self.post_message(self.Changed())

    # Moving

    def move(self, move: Move) -> None:
        """Has the next page made; moves are done in the order in which they came."""
        self._moves.append(move)
        if not self._moving and self.is_mounted:
            self._moving = True
            self.run_worker(unbegun(self._move), group="move", exit_on_error=False)

    async def _move(self) -> None:
        try:
            while self._moves:
                move = self._moves.popleft()
                self.page = await asyncio.to_thread(move, self.window, self.page, self.rows)
                self._stands = True
                self.draw_now()
                self._tell()
        finally:
            self._moving = False
        if not self._begun:
            self._begun = True
            self._begin()

    def _begin(self) -> None:
        """After the first page stands: to the line that was asked for; counts."""
        if self._opened_at is not None:
            self.go_to_number(self._opened_at)
        if not self.window.index.complete:
            self._count()

    def reload(self) -> None:
        """Reads what is in view anew."""
        self.move(_reloaded)

    def go_to(self, start: int) -> None:
        """To the line that begins there."""
        self._leave()
        self.move(lambda window, page, rows: gone_to(window, page, start, rows))

    def go_to_number(self, number: int) -> None:
        """To line `number`: at once about where it is, and to itself once it is counted."""
        self._leave()
        self._wanted = number

        def move(window: FileWindow, page: Page, rows: int) -> Page:
            start, exact = window.at_number(number)
            if exact and self._wanted == number:
                self._wanted = None
            return gone_to(window, page, start, rows)

        self.move(move)

    def go_to_share(self, percent: int) -> None:
        """To so many hundredths of the file."""
        self._leave()
        self.move(lambda window, page, rows: gone_to(window, page, window.at_share(percent), rows))

    def _go_to_hit(self, offset: int) -> None:
        self._wanted, self._anchor, self._on_hit = None, None, True
        self.move(lambda window, page, rows: gone_to(window, page, window.start_of(offset), rows))

    def action_step(self, by: int) -> None:
        """↑ ↓."""
        self._leave()
        self.move(lambda window, page, rows: stepped(window, page, by, rows))

    def action_select(self, by: int) -> None:
        """Shift+↑ ↓: selects whole lines."""
        anchor = self.page.cursor if self._anchor is None else self._anchor
        self._leave()
        self._anchor = anchor
        self.move(lambda window, page, rows: stepped(window, page, by, rows))

    def action_page(self, by: int) -> None:
        """PgUp PgDn."""
        self._leave()
        self.move(lambda window, page, rows: paged(window, page, by, rows))

    def action_edge(self, end: int) -> None:
        """Home, End."""
        self._leave()
        self.move(
            lambda window, page, rows: gone_to(window, page, window.last() if end else 0, rows)
        )

    def _leave(self) -> None:
        """The reader goes elsewhere: nothing is selected, nothing waited for."""
        self._anchor = self._wanted = None
        self._on_hit = False
        self.finder.forget()

    def on_mouse_scroll_down(self) -> None:
        """The wheel."""
        self._scroll(_WHEEL)

    def on_mouse_scroll_up(self) -> None:
        """The wheel."""
        self._scroll(-_WHEEL)

    def _scroll(self, by: int) -> None:
        self._wanted = None
        self.finder.forget()
        self.move(lambda window, page, rows: scrolled(window, page, by, rows))

    def on_click(self, event: events.Click) -> None:
        """The cursor goes to the line under the pointer."""
        offset = event.get_content_offset(self)
        if offset is not None and offset.y < len(self.page.lines):
            self.go_to(self.page.lines[offset.y].start)

    # Searching

    def find(self, query: str) -> None:
        """Looks for a text from the cursor's line on; "": for nothing any more."""
        self._search(self.finder.begin(query, self.page.cursor))
        self.draw_now()

    def next_hit(self, by: int) -> None:
        """To the next hit, or the one before; where it isn't known yet, once it is."""
        page, hit = self.page, self.finder.hit
        line = page.lines[page.at] if page.lines else None
        if line is None:
            return
        end = line.end if line.end is not None else line.start
        if hit is None or not self._on_hit:
            hit = end if by > 0 else line.start
        self._search(self.finder.wish(hit + 1 if by > 0 else hit, forward=by > 0))

    def _search(self, starts: bool) -> None:
        if starts:
            work: WorkType[None] = self.finder.run
            self.run_worker(work, group="search", exclusive=True, exit_on_error=False)

    # Taking out

    async def excerpt(self, *, visible_too: bool) -> Excerpt | None:
        """The selected lines; else those in view, or the cursor's own. None: there are none."""
        page = self.page
        if not page.lines:
            return None
        first = last = page.cursor
        if self.selected is not None:
            first, last = self.selected
        elif visible_too:
            first, last = page.top, page.lines[-1].start
        return await asyncio.to_thread(self.window.excerpt, first, last, MOST)

    # Counting, and looking whether the file changed

    def _count(self) -> None:
        self.counting = True
        self.run_worker(unbegun(self._count_on), group="count", exclusive=True, exit_on_error=False)

    async def _count_on(self) -> None:
        index = self.window.index
        more = True
        while more and index is self.window.index:
            more = await asyncio.to_thread(index.advance)
            self._counted()
        if index is self.window.index:
            self.counting = False
            self.reload()

    def _counted(self) -> None:
        """What could not be said yet can perhaps be said now."""
        index, wanted = self.window.index, self._wanted
        if wanted is not None and (index.complete or index.newlines >= wanted - 1):
            self.go_to_number(wanted)
        elif self.page.number is None or any(line.end is None for line in self.page.lines):
            self.reload()
        self._tell()

    def _look(self) -> None:
        if not self._looking:
            self._looking = True
            self.run_worker(unbegun(self._look_once), group="look", exit_on_error=False)

    async def _look_once(self) -> None:
        try:
            change = await asyncio.to_thread(self.source.look)
        finally:
            self._looking = False
        if change is not None:
            self._take(change)

    def _take(self, change: Change) -> None:
        """The file is another one now, or gone: says so, and reads anew what there is."""
        grown, self._bytes = self.source.size - self._bytes, self.source.size
        self.change = change
        self.grown = self.grown + grown if change == "grew" else 0
        if change == "grew":
            self._search(self.finder.go_on())
            if not self.counting:
                self._count()
        elif change not in ("deleted", "unreadable"):
            self._leave()
            self.window.recount()
            self.reload()
            self._count()
            self._search(self.finder.again(self.page.cursor))
        self._tell()

    def on_mount(self) -> None:
        """Looks after the file."""
        if self.source.path is not None:
            self.set_interval(LOOK_SECONDS, self._look)

    def on_resize(self) -> None:
        """Reads as many lines as there is room for."""
        self.reload()

    def on_unmount(self) -> None:
        """Lets the file go."""
        self.finder.stop()
        self.source.close()

    def watch_has_focus(self, has_focus: bool) -> None:
        """The cursor is lit while the focus is here, else it stays, in grey."""
        super().watch_has_focus(has_focus)
        if self.is_mounted:
            self.draw_now()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A fault is logged."""
        log_fault(event)


def _reloaded(window: FileWindow, page: Page, rows: int) -> Page:
    """The same page, of the file as it is now."""
    size = window.source.size
    top, cursor = page.top, page.cursor
    if cursor >= size or top >= size:
        top = cursor = window.last()
    return page_at(window, window.start_of(top), window.start_of(cursor), rows)
