"""The field where prompts are written: sending, history, completion. It decides key by key.

What Enter means is decided here and at once, not by a message to a parent: a key typed right after
Enter must not slip into what is sent.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.document._document import Location
from textual.message import Message
from textual.widgets.text_area import Selection
from textual.worker import Worker

from app.boundary import visible
from widgets.actions import bindings
from widgets.completing import OPENERS, Candidate, Offer, Trigger, trigger
from widgets.faults import log_fault
from widgets.field import EDITING, Field
from widgets.pasting import PasteKeeper, mark_ending, mark_near
from widgets.prompt_history import PromptHistory
from widgets.unbegun import unbegun

Commands = Callable[[str], tuple[Candidate, ...]]
"""Commands that the first word (its slash included) may become; at once."""

Files = Callable[[str], Awaitable[tuple[Candidate, ...]]]
"""Files that fit what was typed after `@`; off the loop."""


def _no_commands(_: str) -> tuple[Candidate, ...]:
    return ()


class PromptInput(Field, inherit_bindings=False):
    """A field that sends.

    Attributes:
        sent: what was sent before.
        queued: how many messages wait; with some, ↑ in an empty prompt takes the last one back.
        pastes: keeps long pastes elsewhere; None: they stay here.
        quoting: something goes along with what is sent next; Backspace in an empty prompt drops it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*EDITING, *bindings("prompt")]

    @dataclass
    class Submitted(Message):
        """Enter: `text` is what to send, "" when the prompt was empty; the field is empty now."""

        text: str

    class TakeBack(Message):
        """↑ in an empty prompt while messages wait."""

    class KeepNothingBack(Message):
        """Backspace in an empty prompt while something goes along with what is sent next."""

    class Leave(Message):
        """Tab with nothing to complete: on to the next region."""

    @dataclass
    class Offered(Message):
        """The list of completions opened, changed or closed."""

        offer: Offer | None

    def __init__(self, *, commands: Commands = _no_commands, files: Files | None = None) -> None:
        self.sent = PromptHistory()
        self.pastes: PasteKeeper | None = None
        self.queued = 0
        self.quoting = False
        self._commands = commands
        self._files = files
        self._asked: Trigger | None = None
        self._offer: Offer | None = None
        self._shut: Trigger | None = None
        self._searching = False
        super().__init__(id="prompt-input")

    @property
    def offer(self) -> Offer | None:
        """The list that is open."""
        return self._offer

    def watch_selection(self, _before: Selection, _after: Selection) -> None:
        """The text or the cursor changed: so may what is on offer."""
        if self._searching:
            self._search()
            return
        end = self.document.end
        found = trigger(self.before_cursor, self.get_text_range(self.cursor_location, end))
        if found == self._asked:
            return
        self._asked = found
        if found is None or (self._shut and found.kind != self._shut.kind):
            self._shut = None
        if found is None or self._shut:
            self._set_offer(None)
        elif found.kind == "command":
            self._show(found, self._commands(self.before_cursor))
        elif self._files is not None:
            self.run_worker(
                unbegun(self._find, found),
                group="files",
                exclusive=True,
                exit_on_error=False,
            )

    async def _find(self, asked: Trigger) -> None:
        if self._files is None:
            return
        found = await self._files(asked.query)
        if asked == self._asked and not self._shut:
            self._show(asked, found)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A fault is logged."""
        log_fault(event)

    def _show(self, asked: Trigger, candidates: tuple[Candidate, ...]) -> None:
        self._set_offer(Offer(asked, candidates) if candidates else None)

    def _set_offer(self, offer: Offer | None) -> None:
        if offer != self._offer:
            self._offer = offer
            self.post_message(self.Offered(offer))

    def _search(self) -> None:
        found = self.sent.matching(self.text)
        candidates = tuple(Candidate(entry) for entry in found)
        self._show(Trigger("history", self.text), candidates)

    def close_offer(self) -> bool:
        """Puts the list away until another word asks for one; False: none was open."""
        was_open = self._offer is not None or self._searching
        if self._searching:
            self._searching = False
            self.fill(self.sent.newer() or "")
        self._shut = self._asked
        self._set_offer(None)
        return was_open

    def search_history(self) -> None:
        """Lists what was sent before; what is typed now narrows the list (Ctrl+R)."""
        if self._searching:
            self.move_offer(1)
        elif self.sent.entries:
            self.sent.older(self.text)
            self._searching = True
            self.fill("")
            self._search()

    def move_offer(self, by: int) -> None:
        """Moves the list's cursor."""
        if self._offer:
            self._set_offer(self._offer.move(by))

    def take(self, candidate: Candidate) -> None:
        """Puts a candidate in place of what asked for it."""
        offer = self._offer
        if self._searching:
            self._searching = False
            self.sent.rest()
            self.fill(candidate.text)
        elif offer is not None:
            row, column = self.cursor_location
            typed = len(self.before_cursor) - offer.trigger.start
            text = candidate.text + " "
            start = (row, max(0, column - typed))
            result = self.replace(text, start, (row, column), maintain_selection_offset=False)
            self.move_cursor(result.end_location)
        self._shut = self._asked
        self._set_offer(None)

    def action_complete(self) -> None:
        """Tab: takes what is on offer, else leaves for the next region."""
        if self._offer:
            self.take(self._offer.chosen)
        elif self._asked is None:
            self.post_message(self.Leave())

    def action_submit(self) -> None:
        r"""Enter: takes what is on offer, breaks the line after a backslash, else sends."""
        if self._searching and not self._offer:
            self._searching = False
            self.sent.rest()
            return
        if self._offer and not self._is_whole_command():
            chosen = self._offer.chosen
            sends = chosen.runs and self._offer.trigger.kind == "command"
            self.take(chosen)
            if not sends:
                return
        row, column = self.cursor_location
        if self.document.get_line(row)[:column].endswith("\\"):
            self.replace("\n", (row, column - 1), (row, column), maintain_selection_offset=False)
            return
        text = self.text.strip()
        self.sent.add(text)
        self.fill("")
        self.sent.rest()
        self.post_message(self.Submitted(text))

    def _is_whole_command(self) -> bool:
        """Whether what stands there is a command already: then it runs (DESIGN 5)."""
        offer = self._offer
        if offer is None or offer.trigger.kind != "command" or offer.moved:
            return False
        names = {candidate.text.strip() for candidate in self._commands(self.before_cursor)}
        return f"/{self.text[1:].strip().casefold()}" in names

    def action_delete_left(self) -> None:
        """Backspace: in an empty prompt it drops what was brought back last; a mark goes whole."""
        place = len(self.before_cursor)
        mark = mark_ending(self.text, place) if self.selection.is_empty else None
        if self.quoting and not self.text:
            self.post_message(self.KeepNothingBack())
        elif mark is not None:
            self.history.checkpoint()
            self.delete(self._place(mark.start), self.cursor_location)
        else:
            super().action_delete_left()

    async def _on_paste(self, event: events.Paste) -> None:
        """A long paste goes to a file, and its mark stands here; what is typed meanwhile waits."""
        event.prevent_default()
        event.stop()
        text = event.text.replace("\r\n", "\n").replace("\r", "\n")
        mark = None if self.pastes is None else await self.pastes.keep(text)
        self.put(mark or text)

    async def action_whole_paste(self) -> None:
        """Ctrl+O: the paste at the cursor, or the last one before it, whole; undo: its mark."""
        mark = mark_near(self.text, len(self.before_cursor))
        if mark is None or self.pastes is None:
            return
        before = self.text
        text = await self.pastes.whole(mark.path)
        if text is None or self.text != before:
            return
        start, end = self._place(mark.start), self._place(mark.end)
        self.history.checkpoint()
        result = self.replace(visible(text), start, end, maintain_selection_offset=False)
        self.move_cursor(result.end_location)

    def _place(self, offset: int) -> Location:
        """Row and column of a code point of the text."""
        before = self.text[:offset]
        return before.count("\n"), offset - (before.rfind("\n") + 1)

    def action_newline(self) -> None:
        """A line break."""
        self.put("\n")

    def action_older(self) -> None:
        """↑: the list's cursor, a line up, a queued message back, an earlier prompt."""
        if self._offer:
            self.move_offer(-1)
        elif not self.navigator.is_first_wrapped_line(self.cursor_location):
            self.action_cursor_up()
        elif self._searching:
            return
        elif not self.text and self.queued:
            self.post_message(self.TakeBack())
        elif (text := self.sent.older(self.text)) is not None:
            self.recall(text)

    def action_newer(self) -> None:
        """↓: the list's cursor, a line down, a later prompt."""
        if self._offer:
            self.move_offer(1)
        elif not self.navigator.is_last_wrapped_line(self.cursor_location):
            self.action_cursor_down()
        elif not self._searching and (text := self.sent.newer()) is not None:
            self.recall(text)

    def recall(self, text: str) -> None:
        """Shows an earlier prompt; it opens no list."""
        self.fill(text)
        self._shut = self._asked
        self._set_offer(None)

    def set_aside(self) -> bool:
        """Clears the draft and keeps it for ↑ (Ctrl+C); False: there was none."""
        if not self.text:
            return False
        self.sent.add(self.text)
        self.close_offer()
        self.fill("")
        return True

    def start_with(self, opener: str) -> None:
        """Opens a list by its sign, as if it had been typed."""
        if opener in OPENERS and self.text:
            self.set_aside()
        self.put(opener)
