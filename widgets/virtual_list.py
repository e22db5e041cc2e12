"""A long list that draws only what is in view: the base of the conversation and every list to come.

One widget, one line at a time, over a `ListSource` (TUI, recommended architecture). Whoever owns
the items calls `spliced` after each change; all changes of a thirtieth of a second are shown at
once.
"""

from time import monotonic
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.theme import Theme
from textual.timer import Timer

from widgets.glyphs import FRAME_SECONDS
from widgets.line_selection import highlighted, line_key, overlaid, selected_text
from widgets.list_cursor import ListCursor
from widgets.list_messages import Activated, CopyRequested, NewBelow
from widgets.list_paint import paint_lines
from widgets.list_scrollbar import place_scrollbar
from widgets.list_source import ListSource
from widgets.viewport import ShownLine, Viewport, differing

FLUSH_SECONDS = 1 / 30
"""Changes are shown at most so often (TUI, recommended architecture)."""

STILL_FRAMES = 10
"""Without motion only timers move, once in so many frames: once a second."""

FAR = 4
"""Scrolling over so many windows at once is a jump: what lies between is not drawn."""


class VirtualList(ScrollView, can_focus=True):
    """The list.

    Args:
        source: its items.

    Attributes:
        motion: spinners and carets move; else they stand still and only timers count.
    """

    DEFAULT_CSS = """
    VirtualList {
        width: 1fr;
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "cursor(-1)", show=False),
        Binding("down", "cursor(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home", "start", show=False),
        Binding("end", "end", show=False),
        Binding("enter", "activate", show=False),
        Binding("c", "copy", show=False),
    ]

    def __init__(
        self,
        source: ListSource,
        *,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.source = source
        self.viewport = Viewport(source)
        self.motion = True
        self._shown: list[ShownLine] = []
        self._shown_for: tuple[int, int] = (0, 0)
        self._cursor = ListCursor(self.viewport)
        self._clicked: int | None = None
        self._new_below = 0
        self._flush_due = False
        self._flushed = self._took = 0.0
        self._ticker: Timer | None = None
        self._ticks = 0
        self._settling = False
        self._thumb = (0, 0)

    @property
    def cursor(self) -> int | None:
        """The item the cursor is on; None before the list was first used."""
        return self._cursor.item

    @property
    def following(self) -> bool:
        """Whether the end stays in view as items come."""
        return self.viewport.following

    @property
    def new_below(self) -> int:
        """Items that came below what is in view since the reader left the end."""
        return self._new_below

    @property
    def waits(self) -> bool:
        """Whether changes are not shown yet."""
        return self._flush_due

    @property
    def moves(self) -> bool:
        """Whether a line in view moves by itself."""
        return any(shown.live for shown in self._shown)

    def spliced(self, start: int, removed: int, added: int) -> None:
        """At `start`, `removed` items went and `added` came; equal: they only look different."""
        is_below = 0 < start >= self.viewport.seen.stop
        self.viewport.splice(start, removed, added)
        self._cursor.splice(start, removed, added)
        self._clicked = self._clicked if removed == added else None
        if self.viewport.current is not None:
            self.viewport.current = self._cursor.item
        if added > removed and is_below and not self.viewport.following:
            self._set_new_below(self._new_below + added - removed)
        self._schedule()

    def restart(self) -> None:
        """Everything may look different: words, glyphs, theme."""
        self.viewport.restart()
        self._schedule()

    def follow_end(self) -> None:
        """Goes to the end and stays there."""
        self.viewport.following = True
        self._settle()

    def go_to(self, item: int) -> None:
        """Puts the cursor on an item, in view."""
        self._catch_up()
        self.hold()
        self._cursor.item = item
        self.focus()
        self.viewport.reveal(item)
        self._show_cursor()

    def hold(self) -> None:
        """Before the reader changes something: what is read stays where it is."""
        self.viewport.following = False

    def settle_here(self) -> None:
        """Shows the change at once; where the end is still in view, it is followed again."""
        self._settle(reach_end=True)

    def _size_of_lines(self) -> tuple[int, int]:
        """Width and height for lines; the scrollbar's column is always kept free."""
        width, height = self.size
        return max(0, width - self.styles.scrollbar_size_vertical), height

    def on_resize(self) -> None:
        """Draws for the new size."""
        self._settle()

    def on_mount(self) -> None:
        """Watches for another theme; the clock of moving lines stands still."""
        self._ticker = self.set_interval(FRAME_SECONDS, self._tick, pause=True)
        self.app.theme_changed_signal.subscribe(self, self.on_theme)

    def on_theme(self, _theme: Theme) -> None:
        """Draws anew in other colours."""
        self.viewport.forget_drawn()
        self._schedule()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Paints; right after a layout, before its event came, what is in view is settled first."""
        if self._shown_for != self._size_of_lines():
            self._settle()
        selection = self.text_selection
        return paint_lines(self, crop, lambda y: self._line(y, selection))

    def render_line(self, y: int) -> Strip:
        """One line with the offsets by which Textual finds what is selected; not painted."""
        strip = self._line(y, self.text_selection)
        if not 0 <= y < len(self._shown):
            return strip
        return strip.apply_offsets(0, line_key(self._shown[y].item, self._shown[y].line))

    def _line(self, y: int, selection: Selection | None) -> Strip:
        """A line of the view, with what is laid over it."""
        if not 0 <= y < len(self._shown):
            return Strip.blank(self.viewport.width, self.rich_style)
        strip, item, line, _ = self._shown[y]
        if y == self.viewport.height - 1:
            strip = overlaid(strip, self.badge(self._new_below))
        if selection and (span := selection.get_span(line_key(item, line))):
            style = self.screen.get_component_rich_style("screen--selection")
            strip = highlighted(strip, *span, style)
        return strip

    def badge(self, _count: int) -> Strip | None:
        """What lies over the right end of the last line while new items wait below."""
        return None

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Something scrolled: the wheel, the scrollbar, a selection at the edge."""
        lines = round(new_value) - round(old_value)
        # Textual itself moves it where a larger window leaves less to scroll: nobody scrolled.
        resized = self._shown_for != self._size_of_lines()
        if self._settling or resized or not lines:
            return
        if abs(lines) <= FAR * max(1, self.viewport.height):
            self.viewport.scroll(lines)
        else:
            self.viewport.jump(round(new_value))
        self._settle(reach_end=lines > 0)

    def scroll_to(self, x: float | None = None, y: float | None = None, **options: object) -> None:
        """Scrolls at once: heights are corrected on the way, so there is no gliding."""
        options["animate"] = False
        super().scroll_to(x, y, **options)  # type: ignore[arg-type]

    def _schedule(self) -> None:
        """Shows what changed, at most thirty times a second; less often where it takes long."""
        if self._flush_due or not self.is_mounted:
            return
        self._flush_due = True
        wait = self._flushed + max(FLUSH_SECONDS, 2 * self._took) - monotonic()
        if wait > 0:
            self.set_timer(wait, self._flush)
        else:
            self.call_later(self._flush)

    def _flush(self) -> None:
        self._flush_due = False
        started = monotonic()
        self._settle()
        self._flushed = monotonic()
        self._took = self._flushed - started

    def _settle(self, *, reach_end: bool = False) -> None:
        """Brings into view what belongs there and repaints the lines that differ."""
        size = self._size_of_lines()
        if not size[0]:
            return
        before, view = self._shown, self.viewport
        view.resize(*size)
        self._shown_for = size
        self._shown = view.show(reach_end=reach_end)
        if self.has_focus and self._cursor.item is None:
            self._cursor.enter()
            view.current = self._cursor.item
            self._shown = view.show()
        self._tick_lines()
        if view.following:
            self._set_new_below(0)
        self._settling = True
        self._thumb = place_scrollbar(self, view, self._thumb)
        self._settling = False
        self._repaint(before)
        self._run_ticker()

    def _repaint(self, before: list[ShownLine]) -> None:
        """Has the lines painted that look different."""
        changed = differing(before, self._shown)
        if len(changed) * 2 > self.viewport.height or self.text_selection:
            self.refresh()
        elif changed:
            self._refresh_lines(changed)

    def _refresh_lines(self, lines: list[int]) -> None:
        self.refresh(*(Region(0, y, self.size.width, 1) for y in lines))

    def _tick_lines(self) -> list[int]:
        """Draws the moving lines as they look now; gives the lines that look different."""
        changed: list[int] = []
        view = self.viewport
        for y, shown in enumerate(self._shown):
            if shown.live:
                drawn = view.lines(shown.item).strips[shown.line]
                current = shown.item == view.current
                strip = self.source.render_live(shown.item, drawn, current=current)
                if strip != shown.strip:
                    self._shown[y] = shown._replace(strip=strip)
                    changed.append(y)
        return changed

    def _run_ticker(self) -> None:
        """The clock runs only while a moving line is in view."""
        if self._ticker is not None and self.moves:
            self._ticker.resume()
        elif self._ticker is not None:
            self._ticker.pause()

    def _tick(self) -> None:
        self._ticks += 1
        due = not self._flush_due and (self.motion or self._ticks % STILL_FRAMES == 0)
        if due and (lines := self._tick_lines()):
            self._refresh_lines(lines)

    def _catch_up(self) -> None:
        """Before something is done with what is shown: changes that wait are shown first."""
        if self._flush_due:
            self._settle()

    def watch_has_focus(self, has_focus: bool) -> None:
        """The cursor shows only with the focus; it comes back where it was, if that is in view."""
        super().watch_has_focus(has_focus)
        self._catch_up()
        if has_focus:
            self._cursor.enter()
        self._show_cursor()

    def _show_cursor(self, *, reach_end: bool = False) -> None:
        self.viewport.current = self._cursor.item if self.has_focus else None
        self._settle(reach_end=reach_end)

    def action_cursor(self, step: int) -> None:
        """Moves the cursor."""
        self._catch_up()
        self._clicked = None
        self._cursor.move(step)
        self._show_cursor(reach_end=step > 0)

    def action_page(self, step: int) -> None:
        """Moves by a windowful less one line; the cursor stays in view."""
        self._catch_up()
        self.viewport.scroll(step * max(1, self.viewport.height - 1))
        self._settle(reach_end=step > 0)
        if self._cursor.item is not None:
            self._cursor.enter(step)
            self._show_cursor(reach_end=step > 0)

    def action_start(self) -> None:
        """Goes to the first item."""
        self.viewport.jump(0)
        self._cursor.go_to_edge(-1)
        self._show_cursor()

    def action_end(self) -> None:
        """Goes to the last item and follows the end."""
        self.viewport.following = True
        self._cursor.go_to_edge(1)
        self._show_cursor()

    def action_activate(self) -> None:
        """Tells that the item under the cursor is meant."""
        if self._cursor.item is not None:
            self.post_message(Activated(self, self._cursor.item))

    def action_copy(self) -> None:
        """Asks for the item under the cursor to be copied."""
        if self._cursor.item is not None:
            text = self.source.text(self._cursor.item)
            self.post_message(CopyRequested(self, text))

    def on_click(self, event: events.Click) -> None:
        """A click puts the cursor on an item; the next one on the same item is Enter."""
        self._catch_up()
        offset = event.get_content_offset(self)
        if offset is None or self.text_selection or not 0 <= offset.y < len(self._shown):
            return
        badge, view = self.badge(self._new_below), self.viewport
        room = view.width - badge.cell_length if badge else view.width
        if offset.y == view.height - 1 and offset.x >= room:
            self.follow_end()
            return
        item = self._shown[offset.y].item
        if not self.source.selectable(item):
            return
        again, self._clicked = item == self._clicked, item
        self._cursor.item = item
        self._show_cursor()
        if again:
            self.action_activate()

    def on_mouse_scroll_down(self) -> None:
        """The wheel at the end: follow again."""
        if not self.viewport.following and self.is_vertical_scroll_end:
            self.follow_end()

    def _set_new_below(self, count: int) -> None:
        if count != self._new_below:
            self._new_below = count
            self._refresh_lines([self.viewport.height - 1])
            self.post_message(NewBelow(self, count))

    def text_select_all(self) -> None:
        """A double click selects nothing: all of a long conversation is never meant."""

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text: lines as shown where an item is cut, else the item's own text."""
        return selected_text(self.source, self.viewport, selection), "\n"

    def selection_updated(self, _selection: Selection | None) -> None:
        """Paints the selection."""
        self.refresh()
