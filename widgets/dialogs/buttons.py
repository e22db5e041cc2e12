"""A row of buttons: digit, letter, label (STYLE 14)."""

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive

from app.text import Key
from widgets.look import Dressed, Look
from widgets.palette import palette_of
from widgets.rows import line


@dataclass(frozen=True, slots=True)
class Button:
    """One button.

    Attributes:
        name: what is reported when it is pressed.
        key: the letter or key that presses it (`y`, `Esc`).
        label: the key of its words.
        risky: it destroys something: drawn in danger, never in the accent.
        backed: evidence speaks for it: a tick behind the label (STYLE 14).
    """

    name: str
    key: str
    label: Key
    risky: bool = False
    backed: bool = False


class ButtonRow(Dressed, can_focus=True):
    """Buttons counted from left to right; the one that is on is filled while the row has focus."""

    DEFAULT_CSS = """
    ButtonRow { width: 100%; height: 1; text-wrap: nowrap; }
    """

    at: reactive[int] = reactive(0)
    """Which one is on."""

    buttons: reactive[tuple[Button, ...]] = reactive(tuple[Button, ...])

    bare: reactive[bool] = reactive(False)
    """Only labels: letters and digits are text where a field has the focus (STYLE 14)."""

    gap: reactive[int] = reactive(2)
    """Cells between two."""

    class Pressed(Message):
        """A button was pressed."""

        def __init__(self, button: Button) -> None:
            super().__init__()
            self.button = button

    def __init__(self, look: Look, buttons: tuple[Button, ...], *, at: int = 0) -> None:
        super().__init__(look)
        self.set_reactive(ButtonRow.buttons, buttons)
        self.set_reactive(ButtonRow.at, at)

    def move(self, by: int) -> None:
        """To the next button; over the end back to the first."""
        self.at = (self.at + by) % len(self.buttons)

    def press(self, index: int | None = None) -> bool:
        """Presses a button, the one that is on by default; False: there is none of that number."""
        index = self.at if index is None else index
        if not 0 <= index < len(self.buttons):
            return False
        self.at = index
        self.post_message(self.Pressed(self.buttons[index]))
        return True

    def press_key(self, character: str) -> bool:
        """Presses by digit or letter; False: no button has it."""
        if character.isdecimal() and character.isascii():
            return self.press(int(character) - 1)
        keys = [button.key for button in self.buttons]
        return self.press(keys.index(character)) if character in keys else False

    def stands_for(self, character: str) -> bool:
        """Whether a digit or letter presses a button."""
        if character.isdecimal() and character.isascii():
            return 0 < int(character) <= len(self.buttons)
        return character in {button.key for button in self.buttons}

    def render(self) -> Content:
        """The buttons, some cells apart."""
        return Content(" " * self.gap).join(
            [self._piece(number) for number in range(len(self.buttons))]
        )

    def _piece(self, index: int) -> Content:
        button = self.buttons[index]
        label = self.look.words(button.label)
        if self.bare:
            return line((f" {label} ", "$text")).stylize_before("on $raised")
        tick = f"{self.look.glyphs.ok} " if button.backed else ""
        text = f" {index + 1} {button.key} {label} {tick}"
        native = palette_of(self.app.theme).native
        if self.has_focus and index == self.at:
            if button.risky:
                mark = " underline" if native else ""
                return Content.styled(text, f"$danger on $danger-bg bold{mark}")
            return Content.styled(text, "$on-accent on $accent bold")
        fill = "$danger-bg" if button.risky else "$raised"
        return line(
            (f" {index + 1} ", "$text3"),
            (button.key, "$danger bold" if button.risky else "$accent bold"),
            (f" {label} ", "$text"),
            (tick, "$ok"),
        ).stylize_before(f"on {fill}")

    def on_focus(self) -> None:
        """The fill shows where the focus is."""
        self.refresh()

    def on_blur(self) -> None:
        """No focus, no fill."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Presses the button under the pointer."""
        start = 0
        for index in range(len(self.buttons)):
            end = start + self._piece(index).cell_length
            if start <= event.x < end:
                self.press(index)
            start = end + self.gap
