"""What stands in a conversation in which nothing has been said (STYLE 10); in the demo, a start."""

from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message

from app.text import Key
from widgets.cjk_wrap import wrap
from widgets.look import Dressed, Look
from widgets.rows import EMPTY, clip, line, stack

_WIDEST = 100
"""Cells of a line of prose (STYLE 3)."""

_LEAST_TITLE = 8
"""Cells of a title that say something."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Work that another conversation of the project left undone.

    Attributes:
        title: of that conversation, safe to show.
        todo: how many things are left.
        all: of how many.
    """

    title: str
    todo: int
    all: int


class EmptyState(Dressed):
    """Two sentences, what is left undone, and prompts to try by their number or a click."""

    DEFAULT_CSS = """
    EmptyState { width: 100%; height: auto; padding: 1 2; text-wrap: nowrap; }
    """

    class Clicked(Message):
        """A suggestion was clicked."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, look: Look, *, says: tuple[Key, Key], suggestions: tuple[Key, ...]) -> None:
        super().__init__(look, id="empty")
        self._says = says
        self._suggestions = suggestions
        self._offer: Offer | None = None

    def offer(self, offer: Offer | None) -> None:
        """Says what is left undone elsewhere; None: nothing, or not any more."""
        if offer != self._offer:
            self._offer = offer
            self.refresh(layout=True)

    def suggestion(self, typed: str) -> str:
        """The prompt that a typed number stands for; "" for anything else."""
        typed = typed.strip()
        if len(typed) == 1 and typed.isdecimal() and 0 < int(typed) <= len(self._suggestions):
            return self.look.words(self._suggestions[int(typed) - 1])
        return ""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """As many rows as the texts need."""
        return len(self._rows(width))

    def _rows(self, room: int) -> list[tuple[Content, str]]:
        """Each row, and the suggestion it belongs to."""
        words = self.look.words
        width = max(20, min(_WIDEST, room))
        rows: list[tuple[Content, str]] = []
        for key, style in zip(self._says, ("$text2", "$text3"), strict=True):
            text = words(key)
            rows += [(line((text[start:end], style)), "") for start, end in wrap(text, width)]
        if self._offer is not None:
            rows.append((EMPTY, ""))
            rows += [(one, "") for one in self._offered(self._offer, width)]
        if self._suggestions:
            rows.append((EMPTY, ""))
        for number, key in enumerate(self._suggestions, 1):
            text = words(key)
            for start, end in wrap(text, width - 4):
                lead = (f"{number}   ", "$accent bold") if start == 0 else ("    ", "")
                rows.append((line(lead, (text[start:end], "$text")), text))
        return rows

    def _offered(self, offer: Offer, width: int) -> list[Content]:
        """`Unfinished in …: 3 of 8 open · /todo take`, in one row: the title is cut."""
        words, dot = self.look.words, self.look.glyphs.dot

        def said(title: str) -> str:
            return words("todo.unfinished", title=title, n=offer.todo, all=offer.all)

        how = "/todo take"
        room = width - cell_len(said("")) - cell_len(how) - 3
        title = clip(offer.title, max(_LEAST_TITLE, room), self.look.glyphs.ellipsis)
        return [line((said(title), "$text2"), (f" {dot} ", "$text3"), (how, "$text"))]

    def render(self) -> Content:
        """The sentences, then the suggestions."""
        return stack(row for row, _ in self._rows(self.content_size.width))

    def on_click(self, event: events.Click) -> None:
        """A click on a suggestion takes it."""
        rows = self._rows(self.content_size.width)
        index = event.y - 1
        if 0 <= index < len(rows) and rows[index][1]:
            self.post_message(self.Clicked(rows[index][1]))
