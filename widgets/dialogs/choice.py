"""Asks which of a few ways to go; Esc goes none of them (STYLE 7, 8)."""

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.content import Content

from app.boundary import visible
from app.text import Key, Words
from widgets.cjk_wrap import wrap
from widgets.dialogs.base import Plain
from widgets.dialogs.buttons import Button, ButtonRow
from widgets.dialogs.guarded import GuardedDialog
from widgets.look import Look
from widgets.rows import line, stack

Says = Callable[[Words], Sequence[str]]
"""Sentences in a language; each begins a row."""


class ChoiceDialog(GuardedDialog[str]):
    """Dismissed with the name of the button, or None."""

    DEFAULT_CSS = """
    ChoiceDialog {
        .choice-text { margin: 0 0 1 0; }
        .choice-ways { margin: 0 0 1 0; }
        .choice-keys { margin: 1 0 0 0; }
    }
    """

    def __init__(
        self,
        look: Look,
        *,
        title: Key,
        says: Says,
        buttons: tuple[Button, ...],
        esc: Key,
        clock: Callable[[], float],
        ways: Says = lambda _: (),
        typed_at: float | None = None,
        id: str = "choice",
    ) -> None:
        """Prepares the question.

        Args:
            look: words and glyphs.
            title: words of the title.
            says: what is so.
            buttons: the ways to go; the first, a safe one, has the focus.
            esc: words for what Esc does.
            clock: seconds that only go forward.
            ways: what each button does, where its label doesn't say enough.
            typed_at: when something was last typed; None: never.
            id: of the dialog.
        """
        row = ButtonRow(look, buttons)
        super().__init__(look, row, clock=clock, typed_at=typed_at, id=id)
        self._title_key = title
        self._says = says
        self._ways = ways
        self._esc = esc
        self._text = Plain(classes="choice-text")
        self._list = Plain(classes="choice-ways")
        self._keys = Plain(classes="choice-keys")

    def compose_body(self) -> ComposeResult:
        """The sentences, what the ways do, the buttons, what the keys do."""
        yield self._text
        yield self._list
        yield self.buttons
        yield self._keys

    def heading(self) -> str:
        """The title in the border."""
        return self.look.words(self._title_key)

    def write(self) -> None:
        """All texts, in the window's width."""
        super().write()
        width, words = self.window.content_size.width, self.look.words
        if not width:
            return
        self._text.update(_wrapped(self._says(words), width, "$text"))
        ways = self._ways(words)
        self._list.display = bool(ways)
        self._list.update(_wrapped(ways, width, "$text2"))
        keys = (("Tab ← →", words("confirm.choose")), ("Esc", words(self._esc)))
        shown = [line((self.look.keys(key), "$text"), (f" {word}", "$text3")) for key, word in keys]
        self._keys.update(Content("   ").join(shown))

    def act(self, key: str) -> None:
        """Esc goes none of the ways, at any time."""
        if key == "escape":
            self._answer(None)
        else:
            super().act(key)

    def on_button_row_pressed(self, message: ButtonRow.Pressed) -> None:
        """Answers."""
        message.stop()
        self._answer(message.button.name)

    def _answer(self, name: str | None) -> None:
        if self.is_current:
            self.dismiss(name)


def _wrapped(texts: Sequence[str], width: int, style: str) -> Content:
    said = [part for text in texts for part in visible(text).split("\n")]
    rows = [text[start:end].rstrip() for text in said for start, end in wrap(text, width)]
    return stack([line((row, style)) for row in rows])
