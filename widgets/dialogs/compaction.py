"""Compact this session: look at what a summary would do before it does it (mock 04).

It only shows and asks: whoever opened it plans, writes, weighs and carries out, and hands each new
`Preview` down. Dismissed with True once the summary stands, or the cut.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive

from app.text import Key
from app.view.compaction import Preview
from app.view.gauge import GaugeView
from widgets.dialogs.action_menu import ActionMenu
from widgets.dialogs.base import Plain
from widgets.dialogs.buttons import Button, ButtonRow
from widgets.dialogs.compaction_keys import (
    REGIONS,
    Place,
    buttons_for,
    entries_for,
    keys_line,
    next_place,
    said_lines,
)
from widgets.dialogs.guarded import GuardedDialog
from widgets.listing import Listing
from widgets.look import Look
from widgets.preview_lines import PreviewBars, Shown
from widgets.preview_list import PreviewColumn
from widgets.requests import Request
from widgets.rows import line
from widgets.summary_sections import SummarySections

Wish = Literal["accept", "edit", "pin", "again", "cut", "stop"]
"""What whoever opened it is asked for; `edit`: the texts under the headings are others."""

_MOST_ROWS = 24
"""Rows of the two columns; on a screen of 36 rows they have 17 (mock)."""

_AROUND, _AROUND_LOW = 19, 13
"""Rows of the screen beside the columns: the window's own, and those left free around it."""


class CompactionDialog(GuardedDialog[bool]):
    """The preview.

    Attributes:
        preview: what is shown.
        place: what has the focus.
    """

    DEFAULT_CSS = """
    CompactionDialog {
        .dialog-window { width: 110; }
        &.-compact .dialog-window { width: 78; }
        #preview-body { width: 100%; height: 17; margin: 0 0 1 0; }
        #preview-text {
            width: 1fr;
            height: 100%;
            margin: 0 0 0 1;
            padding: 0 0 0 1;
            background: $overlay;
            border-left: solid $line;
        }
        &.-ascii #preview-text { border-left: ascii $line; }
        &.-compact #preview-text { margin: 0; padding: 0; border-left: none; }
        &.-lists PreviewColumn { display: block; }
        &.-compact.-lists #preview-text { display: none; }
        &.-ascii ActionMenu { border: ascii $accent; }
        &.-menu ActionMenu { display: block; }
        .preview-keys { width: 100%; height: auto; min-height: 1; max-height: 3; }
    }
    """

    place: reactive[Place] = reactive[Place]("buttons", init=False)

    @dataclass
    class Wanted(Request):
        """Something is asked for."""

        dialog: "CompactionDialog"
        wish: Wish
        bodies: tuple[str, ...] = ()
        """The texts under the headings; () where there are none."""

        messages: tuple[str, ...] = ()
        """Ids of messages to pin, or to let go of."""

    def __init__(
        self,
        look: Look,
        preview: Preview,
        gauge: GaugeView,
        *,
        clock: Callable[[], float],
        typed_at: float | None = None,
    ) -> None:
        """Prepares it.

        Args:
            look: words and glyphs.
            preview: what is shown at first.
            gauge: as it is; gives window, marks and growth.
            clock: seconds that only go forward; `preview.since` is of it.
            typed_at: when something was last typed; None: never.
        """
        row = ButtonRow(look, buttons_for(preview))
        super().__init__(look, row, clock=clock, typed_at=typed_at, id="compaction")
        self.preview = preview
        self.set_reactive(CompactionDialog.place, "buttons")
        self._gauge = gauge
        self._said, self._good = "", False
        self._bars = PreviewBars(look, Shown(gauge, preview.balance))
        self._column = PreviewColumn(look, preview.balance)
        self.list = self._column.list
        self.sections = SummarySections(look, clock)
        text = Vertical(self.sections, id="preview-text")
        self._body = Horizontal(self._column, text, id="preview-body")
        self._keys = Plain(classes="preview-keys")
        self._menu = ActionMenu(look)
        self._back: Place = "buttons"
        self._section = 0

    def compose_body(self) -> ComposeResult:
        """Bars, the two columns, buttons, what the keys do."""
        yield self._bars
        yield self._body
        yield self.buttons
        yield self._keys

    def compose(self) -> ComposeResult:
        """The window, and the menu over it."""
        yield from super().compose()
        yield self._menu

    def on_mount(self) -> None:
        """The buttons have the focus."""
        super().on_mount()
        self.sections.can_focus = False
        self.buttons.buttons = self._fitting()
        self.write()
        self.call_after_refresh(self.write)

    def heading(self) -> str:
        """The title in the border."""
        editing = self.place == "field" or self._back == "field"
        title: Key = "compaction_preview.title_editing" if editing else "compaction_preview.title"
        return self.look.words(title)

    # What is shown

    def show(self, preview: Preview) -> None:
        """Other figures, another text, another phase; also before it is on the screen."""
        before, self.preview = self.preview.phase, preview
        if not self.is_mounted:
            return
        if before != preview.phase:
            self.buttons.buttons = self._fitting()
            self.buttons.at = 0
            if self.place == "menu" or (preview.phase != "ready" and self.place != "list"):
                self.place = "buttons"
        self._said, self._good = "" if preview.phase == "failed" else preview.said, False
        self.write()

    def say(self, text: str, *, good: bool = False) -> None:
        """Says something in the last row, until the next key; `good`: that something was done."""
        self._said, self._good = text, good
        self._write_keys()

    def _fitting(self) -> tuple[Button, ...]:
        return buttons_for(self.preview, editing=self.place == "field")

    def write(self) -> None:
        """Everything, in the window's width."""
        super().write()
        if not self.is_mounted:
            return
        compact, low = self._take_turns(), self.has_class("-low")
        rows = self.app.size.height - (_AROUND_LOW if low else _AROUND)
        self._body.styles.height = max(4, min(_MOST_ROWS, rows))
        self.sections.set_class(compact, "-tight")
        self.buttons.gap = 1 if compact else 2
        self.buttons.bare = self.place == "field"
        shown = self.has_class("-lists"), self.place == "field"
        self._bars.show(Shown(self._gauge, self.preview.balance, compact, *shown))
        self._column.show(self.preview.balance, self.look, bare=compact)
        self.sections.show(self.preview, self.look)
        self._write_keys()

    def _take_turns(self) -> bool:
        """Shows the list in place of the text where both don't fit; whether that is so."""
        place = self._back if self.place == "menu" else self.place
        self.set_class((compact := self.has_class("-compact")) and place == "list", "-lists")
        return compact

    def _write_keys(self) -> None:
        if not (width := self.window.content_size.width):
            return
        if self._said:
            self._keys.update(said_lines(self._said, width, self.look, good=self._good))
            return
        keys = keys_line(self.place, self.look, compact=self.has_class("-compact"))
        if not keys and self.preview.phase == "ready":
            keys = line((self.sections.written, "$text3"))
        self._keys.update(keys)

    # Where the focus is

    def watch_place(self, before: Place, now: Place) -> None:
        """The focus goes there; other keys count."""
        self.set_class(now == "menu", "-menu")
        if now == "menu":
            self._back = before
            self._section = self.sections.at or 0
        elif before == "menu":
            self._back = "buttons"
        self._take_turns()
        match now:
            case "list":
                self.list.focus()
            case "menu":
                self._menu.list.focus()
            case "field":
                if self.sections.at is None:
                    self.sections.edit(self._section)
            case _:
                self.buttons.focus()
        if now != "menu":
            self.buttons.buttons = self._fitting()
            if "field" in (before, now):
                self.buttons.at = 0
        self.write()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """A click into a section begins to edit it; Tab goes to the next."""
        if event.widget is not self.focused:
            return  # it went on meanwhile
        if event.widget in self.sections.fields:
            if self.preview.phase != "ready":
                self.buttons.focus()
            elif self.place != "field":
                self.place = "field"
            else:
                self.sections.write()
        elif event.widget is self.list and self.place not in ("list", "menu"):
            self.place = "list"

    def _tell_edit(self) -> None:
        bodies = self.sections.bodies
        if self.preview.phase == "ready" and bodies != self.preview.bodies:
            self._want("edit", bodies)

    # Keys

    def on_key(self, event: events.Key) -> None:
        """What was said is gone with the next key."""
        if self._said and event.key not in ("escape",):
            self._said = ""
            self._write_keys()
        super().on_key(event)

    def press_in_field(self, key: str) -> bool:
        """What a section's field doesn't do itself; in the menu the arrows."""
        if self.place == "menu":
            self._in_menu(key)
            return True
        if self.place != "field":
            return False
        at = self.sections.at or 0
        match key:
            case "escape":
                self._tell_edit()
                self.place = "buttons"
            case "tab":
                self.sections.edit(at + 1)
            case "shift+tab":
                self.sections.edit(at - 1)
            case "pageup" | "pagedown":
                self.sections.scroll_by_key(key)
            case "f9":
                self._open_menu()
        return True

    def act(self, key: str) -> None:
        """A key that types nothing, while no field has the focus."""
        match key:
            case "escape":
                self._escape()
            case "enter":
                if self.place == "buttons":
                    self.buttons.press()
                elif self.preview.phase == "ready":
                    self._want("accept", self.sections.bodies)
            case "tab" | "shift+tab":
                by = -1 if key == "shift+tab" else 1
                self.place = next_place(self.place, by, compact=self.has_class("-compact"))
            case "left" | "right" if self.place == "buttons":
                self.buttons.move(-1 if key == "left" else 1)
            case "f9":
                self._open_menu()
            case "up" | "down" if self.place != "text" and self._list_is_shown:
                self.list.move_by_key(key)
            case _ if self.place == "list":
                self.list.move_by_key(key)
            case _:
                self.sections.scroll_by_key(key)

    @property
    def _list_is_shown(self) -> bool:
        return not self.has_class("-compact") or self.has_class("-lists")

    def _escape(self) -> None:
        if self.preview.phase == "writing" and self.preview.bodies:
            self._want("stop")
        elif self.is_current:
            self.dismiss(False)

    # The menu

    def _open_menu(self) -> None:
        entries = entries_for(
            self.preview,
            self.look,
            editing=self.place == "field",
            compact=self.has_class("-compact"),
            lists=self.has_class("-lists"),
        )
        self._menu.open(entries, "menu.title_here")
        self.place = "menu"

    def _in_menu(self, key: str) -> None:
        match key:
            case "up" | "down":
                self._menu.move(key)
            case "enter":
                self._choose(self._menu.runs())
            case "escape" | "f9":
                self.place = self._back

    def on_listing_chosen(self, message: Listing.Chosen) -> None:
        """A click into the menu, or on a row."""
        message.stop()
        if message.listing is self._menu.list:
            self._choose(self._menu.runs(message.index))

    def _choose(self, runs: str) -> None:
        if self._back == "field" and runs != "accept":
            self._tell_edit()
        self.place = "list" if (self._back == "list") != (runs == REGIONS) else "buttons"
        if runs != REGIONS:
            self._run(runs)

    # What is asked for

    def on_button_row_pressed(self, message: ButtonRow.Pressed) -> None:
        """A button, by key, digit or click."""
        message.stop()
        if self.place == "field":
            if message.button.name != "accept":
                self._tell_edit()
            self.place = "buttons"
        self._run(message.button.name)

    def _run(self, name: str) -> None:
        match name:
            case "accept":
                self._want("accept", self.sections.bodies)
            case "edit":
                self._section = 0
                self.place = "field"
            case "pin":
                self._pin()
            case "again" | "cut":
                self._want(name)
            case "cancel" | "stop":
                self._escape()

    def _pin(self) -> None:
        """The row under the cursor; where it can't be seen, it is shown first."""
        if not self._list_is_shown:
            self.place = "list"
            return
        self.buttons.at = 0
        if messages := self.list.messages:
            self._want("pin", messages=messages)
        else:
            self.say(self.look.words("compaction_preview.pin_nothing"))

    def _want(
        self, wish: Wish, bodies: tuple[str, ...] = (), messages: tuple[str, ...] = ()
    ) -> None:
        self.post_message(self.Wanted(self, wish, bodies, messages))
