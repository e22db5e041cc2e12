"""A modal with buttons that keys meant for the prompt can't press (STYLE 8, point 4)."""

from collections.abc import Callable
from typing import TypeVar

from textual import events

from widgets.dialogs.base import Dialog
from widgets.dialogs.buttons import ButtonRow
from widgets.dialogs.guard import ALONE, KeyGuard
from widgets.graphemes import JOINERS
from widgets.look import Look

Result = TypeVar("Result")


class GuardedDialog(Dialog[Result]):
    """Lets the guard judge every key that no field took.

    Attributes:
        buttons: the answers; the safe one is on.
    """

    def __init__(
        self,
        look: Look,
        buttons: ButtonRow,
        *,
        clock: Callable[[], float],
        typed_at: float | None = None,
        id: str | None = None,
    ) -> None:
        """Prepares the guard.

        Args:
            look: words and glyphs.
            buttons: the answers.
            clock: seconds that only go forward.
            typed_at: when something was last typed; None: never.
            id: of the dialog.
        """
        super().__init__(look, id=id)
        self.buttons = buttons
        self._guard = KeyGuard(clock, typed_at)

    def on_mount(self) -> None:
        """The buttons have the focus."""
        self.buttons.focus()

    # What a subclass may add

    def press_in_field(self, _key: str) -> bool:
        """A key while a field has the focus; False: none has, the guard judges."""
        return False

    def stands_for(self, character: str) -> bool:
        """Whether a character that stands alone does something."""
        return self.buttons.stands_for(character)

    def take(self, character: str) -> None:
        """A character that stood alone."""
        self.buttons.press_key(character)

    def act(self, key: str) -> None:
        """A key that types nothing."""
        match key:
            case "enter":
                self.buttons.press()
            case "tab" | "right":
                self.buttons.move(1)
            case "shift+tab" | "left":
                self.buttons.move(-1)

    # The guard

    def on_key(self, event: events.Key) -> None:
        """Every key that no field took."""
        event.stop()
        event.prevent_default()
        if self.is_hidden or self.press_in_field(event.key):
            return
        character = event.character or ""
        if not (event.is_printable or character in JOINERS):
            character = ""
        verdict = self._guard.press(event.key, character, shortcut=self.stands_for(character))
        if verdict.draft:
            self.post_message(self.Typed(verdict.draft))
        if verdict.does == "wait":
            self.set_timer(ALONE, self._settle)
        elif verdict.does == "act":
            self.act(event.key)

    def on_paste(self, event: events.Paste) -> None:
        """A paste never answers."""
        event.stop()
        if held := self._guard.paste("").draft:
            self.post_message(self.Typed(held))
        if event.text:
            self.post_message(self.Typed(event.text))

    def _settle(self) -> None:
        if letter := self._guard.settle():
            self.take(letter)
