"""The bottom row: the keys that work now, made from the actions."""

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive

from widgets.actions import Action
from widgets.look import Dressed, Look
from widgets.rows import EMPTY, line, spread

_GAP = "  "


@dataclass(frozen=True, slots=True)
class Hint:
    """A key and its word.

    Attributes:
        key: as the footer writes it.
        label: one word.
        runs: the Textual action of a click.
        stays: not left out where the row is too narrow.
    """

    key: str
    label: str
    runs: str = ""
    stays: bool = False


def hint(action: Action, look: Look, *, stays: bool = False) -> Hint:
    """The footer's entry for an action."""
    label = look.words.named(f"actions.{action.name}_label")
    return Hint(look.keys(action.footer), label, action.runs or action.binds, stays)


class Footer(Dressed):
    """One row on `surface`: hints from the left, one at the right edge."""

    DEFAULT_CSS = """
    Footer {
        dock: bottom;
        width: 100%;
        height: 1;
        padding: 0 1;
        background: $surface;
        text-wrap: nowrap;
    }
    """

    hints: reactive[tuple[Hint, ...]] = reactive(tuple[Hint, ...])
    last: reactive[Hint | None] = reactive(None)
    """The one at the right edge."""

    @dataclass
    class Chosen(Message):
        """A hint was clicked."""

        runs: str
        """The Textual action behind it."""

    def render(self) -> Content:
        """The row; what doesn't fit is left out from the right, but for the hints that stay."""
        width = self.content_size.width
        right = self._piece(self.last) if self.last else EMPTY
        left = Content(_GAP).join([self._piece(hint) for hint in self._fitting(width, right)])
        return spread(width, left, right, self.look.glyphs.ellipsis)

    def _piece(self, hint: Hint) -> Content:
        return line((hint.key, "$text"), (" ", ""), (hint.label, "$text3"))

    def _fitting(self, width: int, right: Content) -> list[Hint]:
        hints = list(self.hints)
        room = width - right.cell_length - 1
        while hints and self._width(hints) > room:
            spare = [hint for hint in hints if not hint.stays]
            hints.remove(spare[-1] if spare else hints[-1])
        return hints

    def _width(self, hints: list[Hint]) -> int:
        return sum(self._piece(h).cell_length for h in hints) + len(_GAP) * (len(hints) - 1)

    def on_click(self, event: events.Click) -> None:
        """Runs what stands under the pointer."""
        width = self.content_size.width
        right = self._piece(self.last) if self.last else EMPTY
        at = event.x - 1
        start = 0
        for shown in self._fitting(width, right):
            end = start + self._piece(shown).cell_length
            if start <= at < end and shown.runs:
                self.post_message(self.Chosen(shown.runs))
            start = end + len(_GAP)
        if self.last and self.last.runs and at >= width - right.cell_length:
            self.post_message(self.Chosen(self.last.runs))
