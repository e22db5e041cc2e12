"""The memory browser: what is remembered, how old and how well founded it is (mock 02)."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.timer import Timer

from app.paths import styles_folder
from app.view.facts_record import FactDetail, FactItem
from app.view.facts_view import FactsModel, RailRow
from widgets import fact_requests as asks
from widgets.actions import Region, bindings
from widgets.dialogs.desk import Ask
from widgets.fact_detail import FactDetailPane
from widgets.fact_list import FactList
from widgets.fact_questions import gone, new_fact, rewritten
from widgets.fact_rail import FactRail
from widgets.fact_table import FactTable
from widgets.header import HeaderState
from widgets.list_messages import Activated, CopyRequested
from widgets.listing import Listing
from widgets.look import Look
from widgets.pen_list import PenList
from widgets.requests import Request
from widgets.toasts import Toast
from widgets.unbegun import unbegun
from widgets.work_screen import WorkScreen

REFRESH_SECONDS = 2.0
"""So often the facts are looked at again while the screen is open: others write them too."""

_REST_SECONDS = 0.12
"""The cursor rests so long until a fact's history is read."""

_COMPACT = ("verify", "replace_fact", "edit_fact", "delete_fact", "add_fact", "undo_fact",
            "pin_fact", "leave_facts")  # fmt: skip


class MemoryScreen(WorkScreen):
    """Shows the facts; what is to be done with them goes up as a request (`fact_requests`).

    Whoever carries a request out calls `show` with the facts as they are then.

    Attributes:
        rail: the filters.
        table: filter and facts.
        pane: what is said of the fact under the cursor.
    """

    CSS_PATH = styles_folder() / "memory.tcss"

    BINDINGS: ClassVar[list[BindingType]] = bindings("facts")

    def __init__(
        self,
        look: Look,
        state: HeaderState,
        *,
        now: Callable[[], datetime],
        ask: Ask,
        detail: Callable[[FactItem], Awaitable[FactDetail]],
        clock: Callable[[], float],
        typed_at: Callable[[], float | None] = lambda: None,
        held: Callable[[], bool] = lambda: False,
        query: str = "",
        begin_at: str = "",
    ) -> None:
        """Prepares the screen; the facts come by `show`.

        Args:
            look: words and glyphs.
            state: for the header.
            now: the user's time and zone.
            ask: shows a dialog.
            detail: reads what else is known of a fact; never raises.
            clock: seconds that only go forward, for dialogs.
            typed_at: when something was last typed, for dialogs.
            held: whether a question is about to open: keys meant for it do nothing here.
            query: the filter at first.
            begin_at: id of the fact the cursor is on at first.
        """
        super().__init__(look, state)
        self._ask = ask
        self._detail = detail
        self._clock = clock
        self._typed_at = typed_at
        self._held = held
        self._resting: Timer | None = None
        self.rail = FactRail(look, FactsModel(query=query))
        self.table = FactTable(look, now=now, query=query, begin_at=begin_at)
        self.pane = FactDetailPane(look, now)

    def compose_body(self) -> ComposeResult:
        """Rail, table, detail; toasts over them."""
        with Container(classes="work-body facts"):
            yield self.rail
            yield self.table
            yield self.pane
            yield self.rack

    def on_mount(self) -> None:
        """The keys are the table's; the facts are looked at again and again."""
        self.set_interval(REFRESH_SECONDS, self._refresh)
        self.list.focus()

    def on_screen_resume(self, _event: events.ScreenResume) -> None:
        """It opens, or another screen went: what happened there shows here."""
        self._refresh()

    def on_app_focus(self, _event: events.AppFocus) -> None:
        """The terminal is looked at again."""
        self._refresh()

    def _refresh(self) -> None:
        if self.is_current:
            self.post_message(asks.FactsWanted())

    @property
    def list(self) -> FactList:
        """The facts."""
        return self.table.list

    @property
    def model(self) -> FactsModel:
        """What is listed."""
        return self.table.model

    def show(self, items: Sequence[FactItem], waiting: int, at: str = "") -> None:
        """Lists the facts as they are now; filter, cursor and marks stay.

        Args:
            items: all that are visible here.
            waiting: how many texts wait in the inbox.
            at: id of a fact the cursor goes to, where it is listed; "": it stays.
        """
        self.table.show(items, waiting, at)

    # What works now

    def regions(self) -> tuple[Region, ...]:
        """The list, or the field."""
        return ("facts_field",) if self.table.asking else ("facts",)

    def offers(self, name: str) -> bool:
        """Most needs a fact (`FactTable.offers`), Enter one that leads somewhere."""
        if name in ("open_source", "fact_details"):
            wanted = "fact_details" if self._opens_detail else "open_source"
            if name != wanted or self.rail.has_focus:
                return False
            if self.pane.has_focus and self.pane.target is not None:
                return True
        elif name == "choose_filter":
            return self.rail.has_focus
        return self.table.offers(name)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Between two conflicts of the inbox nothing is done by a key that came too early."""
        return not self._held() and super().check_action(action, parameters)

    @property
    def _opens_detail(self) -> bool:
        """On a small screen Enter first opens the detail."""
        return self.has_class("-compact") and not self.has_class("-detail")

    def footer_names(self) -> tuple[str, ...]:
        """All of them, where there is room."""
        compact = self.has_class("-compact") and not self.table.asking
        return _COMPACT if compact else super().footer_names()

    def last_name(self) -> str:
        """The keys."""
        return "help_sign"

    def watch_look(self) -> None:
        """Another language, other glyphs."""
        self.state = replace(self.state, title=self.look.words("facts.title"), alert="")
        super().watch_look()
        self.list.look = self.pane.look = self.look

    @on(FactTable.Changed)
    def _changed(self, message: FactTable.Changed) -> None:
        message.stop()
        self.rail.show(self.model)
        if self.list.fact is None:
            self.pane.show(None)
        self.refresh_footer()

    # Where the cursor is

    @on(PenList.Moved)
    def _moved(self, message: PenList.Moved) -> None:
        message.stop()
        self.refresh_footer()
        if message.list is not self.list:
            return
        item, shown = self.list.fact, self.pane.shown
        if item is None:
            self.pane.show(None)
            return
        if shown is None or shown.item.id != item.id:
            self.pane.show(FactDetail(item))
        elif shown.item != item:
            self.pane.show(replace(shown, item=item))
        if self._resting is not None:
            self._resting.stop()
        self._resting = self.set_timer(_REST_SECONDS, self._read_detail)

    def _read_detail(self) -> None:
        self._resting = None
        if (item := self.list.fact) is not None:
            fill = unbegun(self._fill, item)
            self.run_worker(fill, group="detail", exclusive=True, exit_on_error=False)

    async def _fill(self, item: FactItem) -> None:
        detail = await self._detail(item)
        if self.list.fact == item and detail != self.pane.shown:
            self.pane.show(detail)

    def action_next_part(self, by: int) -> None:
        """Tab: rail, table, detail; with the detail over the table there is nothing else."""
        if self.has_class("-compact"):
            return
        parts = (self.rail, self.list, self.pane)
        at = next((n for n, one in enumerate(parts) if one.has_focus), 1)
        self.set_focus(parts[(at + by) % len(parts)])

    # The filter

    def action_filter_facts(self) -> None:
        """/ types the filter."""
        self._close_detail()
        self.table.open_field()

    def action_take(self) -> None:
        """Enter in the field: to the list."""
        self.table.close_field(drop=False)

    def action_step(self, by: int) -> None:
        """↑ ↓ in the field: the list's cursor."""
        self.list.step(by)

    def action_leap(self, by: int) -> None:
        """PgUp PgDn in the field."""
        self.list.action_page(by)

    @on(Listing.Chosen)
    def _rail_chosen(self, message: Listing.Chosen) -> None:
        message.stop()
        self._choose(self.rail.row_at(message.index))

    def _choose(self, row: RailRow) -> None:
        if row.kind == "inbox":
            self.action_fact_inbox()
        else:
            self.table.filter(self.model.chosen(row))

    # What the user does

    @on(Activated)
    def _activated(self, message: Activated) -> None:
        message.stop()
        if self._held():
            return
        if message.list is self.pane:
            self._follow()
        elif self._opens_detail:
            self.action_fact_details()
        else:
            self.action_open_source()

    def _follow(self) -> None:
        """Enter in the detail: where the row leads."""
        target = self.pane.target
        if target is None or target.kind == "session":
            self.action_open_source()
        elif target.kind == "waiting":
            self.post_message(asks.DecideInbox(target.name))
        else:
            self.post_message(asks.OpenProof(target.name, max(1, target.line)))

    @on(CopyRequested)
    def _copy(self, message: CopyRequested) -> None:
        message.stop()
        self.app.copy_to_clipboard(message.text)
        self.show_toast(Toast(self.look.words("chat.copied"), severity="ok"))

    def action_fact_details(self) -> None:
        """All that is known of the fact, where the pane has no room beside the table."""
        if self.offers("fact_details"):
            self.add_class("-detail")
            self.set_focus(self.pane)

    def action_open_source(self) -> None:
        """To the session it was said in."""
        if (item := self.list.fact) is not None:
            self.post_message(asks.OpenSource(item.node, item.message))

    def action_mark_fact(self) -> None:
        """Space: marks the fact and goes on; in the rail it chooses."""
        if self.rail.has_focus:
            self._choose(self.rail.row)
        else:
            self.table.mark()

    def _meant(self) -> tuple[FactItem, ...]:
        """The marked facts, else the one under the cursor; the marks are used up."""
        items = self.model.meant(self.list.cursor)
        self.table.drop_marks()
        return items

    def action_verify(self) -> None:
        """The facts still hold; the cursor goes on, so that ten keys verify ten facts."""
        one = not self.model.selected
        if items := self._meant():
            if one and not self.has_class("-detail"):
                self.list.step(1)
            self.post_message(asks.VerifyFacts(_ids(items)))

    def action_pin_fact(self) -> None:
        """Pins the facts; where all are pinned already, no longer."""
        if items := self._meant():
            self.post_message(asks.PinFacts(_ids(items), not all(item.pinned for item in items)))

    def action_delete_fact(self) -> None:
        """They go, and `u` brings them back; several are asked about first."""
        if len(self.model.meant(self.list.cursor)) > 1:
            self._ask_to_delete(everywhere=False)
        elif items := self._meant():
            self.post_message(asks.DeleteFacts(_ids(items)))

    def action_delete_everywhere(self) -> None:
        """They go for good, after a question."""
        if self.model.meant(self.list.cursor):
            self._ask_to_delete(everywhere=True)

    def action_undo_fact(self) -> None:
        """Takes back the last change that was made here."""
        self.post_message(asks.UndoFacts())

    def action_fact_inbox(self) -> None:
        """What waits for a decision; that of the fact under the cursor first."""
        if self.model.waiting:
            item = self.list.fact
            self.post_message(asks.DecideInbox(item.waits[0].id if item and item.waits else ""))
            return
        words = self.look.words
        self.show_toast(Toast(words("facts.inbox_empty"), words("facts.inbox_empty_text")))

    def action_add_fact(self) -> None:
        """Asks for something to remember."""
        self._question(unbegun(new_fact, self.look, self._ask))

    def action_rewrite_fact(self, edits: bool) -> None:
        """Asks for the fact's text as it should be, or for the fact that takes its place."""
        if (item := self.list.fact) is not None:
            self._question(unbegun(rewritten, self.look, self._ask, item, edits=edits))

    def _ask_to_delete(self, *, everywhere: bool) -> None:
        items, when = self.model.meant(self.list.cursor), (self._clock, self._typed_at())
        self._question(unbegun(gone, self.look, self._ask, items, when, everywhere=everywhere))

    def _question(self, ask: Callable[[], Awaitable[Request | None]]) -> None:
        work = unbegun(self._asked, ask)
        self.run_worker(work, group="ask", exclusive=True, exit_on_error=False)

    async def _asked(self, ask: Callable[[], Awaitable[Request | None]]) -> None:
        if request := await ask():
            if isinstance(request, asks.DeleteFacts):
                self.table.drop_marks()
            self.post_message(request)

    def _close_detail(self) -> bool:
        if not (self.has_class("-compact") and self.has_class("-detail")):
            return False
        self.remove_class("-detail")
        self.set_focus(self.list)
        self.refresh_footer()
        return True

    def close_popup(self) -> bool:
        """Esc drops the filter, closes the detail, drops the marks."""
        if self.table.asking:
            self.table.close_field(drop=True)
            return True
        return self._close_detail() or self.table.drop_marks()

    async def leave(self) -> None:
        """Esc: back to where it was opened."""
        self.app.pop_screen()


def _ids(items: Sequence[FactItem]) -> tuple[str, ...]:
    return tuple(item.id for item in items)
