"""Asks before something is done that may be a mistake; by default it isn't done (STYLE 7, 8)."""

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


class ConfirmDialog(GuardedDialog[bool]):
    """Dismissed with whether to do it."""

    DEFAULT_CSS = """
    ConfirmDialog {
        .confirm-text { margin: 0 0 1 0; }
        .confirm-keys { margin: 1 0 0 0; }
    }
    """

    def __init__(
        self,
        look: Look,
        *,
        title: Key,
        says: Callable[[Words], Sequence[str]],
        do: Key,
        keep: Key,
        clock: Callable[[], float],
        typed_at: float | None = None,
        risky: bool = False,
    ) -> None:
        """Prepares the question.

        Args:
            look: words and glyphs.
            title: words of the title.
            says: the sentences in a language, each begins a row.
            do: words of the button that does it.
            keep: words of the button that leaves all as it is; it has the focus.
            clock: seconds that only go forward.
            typed_at: when something was last typed; None: never.
            risky: doing it destroys something.
        """
        choices = Button("do", "y", do, risky=risky), Button("keep", "n", keep)
        buttons = ButtonRow(look, choices, at=1)
        super().__init__(look, buttons, clock=clock, typed_at=typed_at, id="confirm")
        self._title_key = title
        self._says = says
        self._keep = keep
        self._text = Plain(classes="confirm-text")
        self._keys = Plain(classes="confirm-keys")

    def compose_body(self) -> ComposeResult:
        """The sentences, the buttons, what the keys do."""
        yield self._text
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
        said = [part for text in self._says(words) for part in visible(text).split("\n")]
        rows = [text[start:end].rstrip() for text in said for start, end in wrap(text, width)]
        self._text.update(stack([line((row, "$text")) for row in rows]))
        keys = (("Tab ← →", words("confirm.choose")), ("Esc", words(self._keep)))
        shown = [line((self.look.keys(key), "$text"), (f" {word}", "$text3")) for key, word in keys]
        self._keys.update(Content("   ").join(shown))

    def act(self, key: str) -> None:
        """Esc keeps all as it is, at any time."""
        if key == "escape":
            self._answer(yes=False)
        else:
            super().act(key)

    def on_button_row_pressed(self, message: ButtonRow.Pressed) -> None:
        """Answers."""
        message.stop()
        self._answer(yes=message.button.name == "do")

    def _answer(self, *, yes: bool) -> None:
        if self.is_current:
            self.dismiss(yes)
