"""The menu after Ctrl+G: one more key, a letter or its digit (STYLE 8, mock 00b)."""

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from widgets.actions import ACTIONS, Action
from widgets.look import Dressed, Look
from widgets.rows import column, line, stack

SECONDS = 2.0
"""How long it waits for the second key (STYLE 8)."""

_COLUMN = 16
_TWINS = {"？": "?"}


class LeaderMenu(Dressed, can_focus=True):
    """Rows over the footer while it waits; it takes the focus and gives it back."""

    DEFAULT_CSS = """
    LeaderMenu {
        dock: bottom;
        width: 100%;
        height: auto;
        padding: 0 1;
        background: $raised;
        text-wrap: nowrap;
    }
    """

    @dataclass
    class Chosen(Message):
        """A second key was pressed that stands for something."""

        runs: str
        """The Textual action to run."""

    def __init__(self, look: Look, seconds: float = SECONDS) -> None:
        super().__init__(look)
        self.display = False
        self._seconds = seconds
        self._timer: Timer | None = None
        self._before: Widget | None = None
        self.entries: tuple[Action, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether it waits for the second key."""
        return bool(self.display)

    def open(self, available: tuple[Action, ...] = ACTIONS) -> None:
        """Shows what can be chosen and waits; the very next key is its own."""
        self.entries = tuple(action for action in available if action.leader)
        self._before = self.screen.focused
        self.display = True
        self.refresh(layout=True)
        self.screen.set_focus(self)
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(self._seconds, self.close)

    def close(self) -> None:
        """Puts it away and gives the focus back."""
        if not self.is_open:
            return
        if self._timer is not None:
            self._timer.stop()
        had_focus = self.screen.focused is self
        self.display = False
        if had_focus:
            self.screen.set_focus(self._before)
        self._before = None

    def render(self) -> Content:
        """As many columns of sixteen cells as fit."""
        columns = max(1, self.content_size.width // _COLUMN)
        cells = [self._cell(action) for action in self.entries]
        rows = [cells[start : start + columns] for start in range(0, len(cells), columns)]
        return stack(Content("").join(row) for row in rows)

    def _cell(self, action: Action) -> Content:
        named = self.look.words.named
        label = named(f"actions.{action.name}_leader", named(f"actions.{action.name}_label"))
        key = line((action.leader[0], "$accent bold"), (f" {action.leader[1:] or ' '} ", "$text3"))
        return key + column(label, _COLUMN - key.cell_length, "$text", self.look.glyphs.ellipsis)

    async def on_key(self, event: events.Key) -> None:
        """Runs what the key stands for; any other key only closes the menu.

        A third key that came before the focus went back belongs to whatever has it now.
        """
        event.stop()
        event.prevent_default()
        if not self.is_open:
            self.app.post_message(events.Key(event.key, event.character))
            return
        character = _TWINS.get(event.character or "", event.character or "")
        chosen = [a for a in self.entries if character and character.lower() in a.leader]
        self.close()
        if chosen:
            self.post_message(self.Chosen(chosen[0].runs))

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is not a choice: it goes where the focus was."""
        event.stop()
        self.close()
        self.app.call_later(self.app.post_message, events.Paste(event.text))

    def on_blur(self) -> None:
        """A click elsewhere puts it away."""
        self.close()
