"""The list above the prompt: what could stand in place of the word being typed."""

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive

from app.boundary import visible
from widgets.completing import Candidate, Offer
from widgets.look import Dressed
from widgets.rows import clip, clip_path, column, line, spread, stack

ROWS = 8
"""Most rows shown at once."""

_NAME = 26
"""Cells of a name; one that is longer moves its note to the right, and cuts it, if it must."""

_NOTE = 24
"""Cells of a note that no long name takes."""


class CompletionList(Dressed):
    """Draws an offer; keys stay with the prompt, a click chooses."""

    DEFAULT_CSS = """
    CompletionList {
        display: none;
        width: 100%;
        height: auto;
        margin: 0 1;
        background: $raised;
        text-wrap: nowrap;
        &.-open { display: block; }
    }
    """

    offer: reactive[Offer | None] = reactive(None, layout=True)

    class Clicked(Message):
        """A row was clicked."""

        def __init__(self, candidate: Candidate) -> None:
            super().__init__()
            self.candidate = candidate

    def watch_offer(self, offer: Offer | None) -> None:
        """Shows itself while there is something to choose."""
        self.set_class(offer is not None, "-open")

    def _first(self, offer: Offer) -> int:
        """The first row shown, so that the cursor is among them."""
        return max(0, min(offer.at - ROWS // 2, len(offer.candidates) - ROWS))

    def render(self) -> Content:
        """The rows around the cursor."""
        if self.offer is None:
            return Content("")
        first = self._first(self.offer)
        shown = self.offer.candidates[first : first + ROWS]
        rows = [
            self._row(candidate, on=first + index == self.offer.at)
            for index, candidate in enumerate(shown)
        ]
        return stack(rows)

    def _row(self, candidate: Candidate, *, on: bool) -> Content:
        glyphs = self.look.glyphs
        width = self.content_size.width
        cursor = f"{glyphs.cursor} " if on else "  "
        text = visible(candidate.label or candidate.text).replace("\n", " ")
        note_style = "$text2" if on else "$text3"
        if candidate.note:
            room = width - cell_len(cursor) - min(_NOTE, cell_len(candidate.note))
            named = max(_NAME, min(cell_len(text) + 2, room))
            name = column(clip(text, named - 1, glyphs.ellipsis), named, "$text")
            left = line((cursor, "$accent")) + name
            row = spread(width, left + line((candidate.note, note_style)), ellipsis=glyphs.ellipsis)
        else:
            cut = clip if self.offer and self.offer.trigger.kind == "history" else clip_path
            row = spread(width, line((cursor, "$accent"), (cut(text, width - 3), "$text")))
        return self.on_row(row) if on else row

    def on_click(self, event: events.Click) -> None:
        """Chooses the row under the pointer."""
        if self.offer is None:
            return
        index = self._first(self.offer) + event.y
        if index < len(self.offer.candidates):
            self.post_message(self.Clicked(self.offer.candidates[index]))
