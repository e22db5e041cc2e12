"""Asks for the text of a memory and where it holds, and before several go."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from app.text import Key, Words
from app.view.facts_record import FactItem
from widgets.dialogs.base import Dialog, Plain
from widgets.dialogs.confirm import ConfirmDialog
from widgets.fact_lines import one_line
from widgets.field import EDITING, Field
from widgets.look import Look
from widgets.rows import line

Scope = Literal["project", "global"]


@dataclass(frozen=True, slots=True)
class FactText:
    """What was written.

    Attributes:
        text: not blank, without space at its ends.
        scope: where it shall hold.
    """

    text: str
    scope: Scope


class FactField(Field, inherit_bindings=False):
    """A few lines; Enter takes them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *EDITING,
        Binding("enter", "screen.take", show=False),
        Binding("ctrl+j,shift+enter", "newline", show=False),
        Binding("tab", "screen.other_scope", show=False),
        Binding("up", "cursor_up", show=False),
        Binding("down", "cursor_down", show=False),
    ]

    DEFAULT_CSS = """
    FactField {
        width: 100%;
        height: auto;
        min-height: 3;
        max-height: 8;
        padding: 0 1;
        background: $raised;
        scrollbar-size: 0 0;
    }
    """

    def action_newline(self) -> None:
        """Ctrl+J."""
        self.put("\n")


class FactDialog(Dialog[FactText]):
    """Dismissed with the text, or None; a blank one is not taken.

    Letters and digits are text here, so it has no buttons, only keys (STYLE 14, editing).
    """

    DEFAULT_CSS = """
    FactDialog .fact-keys { margin: 1 0 0 0; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]

    def __init__(
        self, look: Look, title: Key, text: str = "", *, scope: Scope = "project", chooses: bool
    ) -> None:
        """Prepares the dialog.

        Args:
            look: words and glyphs.
            title: words of the title.
            text: what stands there at first.
            scope: where the memory holds.
            chooses: whether that can be changed.
        """
        super().__init__(look, id="fact-dialog")
        self.field = FactField(text, id="fact-field")
        self._title_key = title
        self._scope: Scope = scope
        self._chooses = chooses
        self._keys = Plain(classes="fact-keys")

    def compose_body(self) -> ComposeResult:
        """The field, and what the keys do."""
        yield self.field
        yield self._keys

    def heading(self) -> str:
        """The title in the border."""
        return self.look.words(self._title_key)

    def on_mount(self) -> None:
        """The cursor stands behind the text."""
        self.field.focus()
        self.field.move_cursor(self.field.document.end)

    def write(self) -> None:
        """Where it holds, and what the keys do."""
        super().write()
        words = self.look.words
        here = words("facts.text_scope_project" if self._scope == "project"
                     else "facts.text_scope_global")  # fmt: skip
        keys = [
            ("Enter", words("facts.text_save")),
            ("Ctrl+J", words("facts.text_line")),
            ("Esc", words("facts.text_leave")),
        ]
        shown = [line((key, "$text"), (f" {word}", "$text3")) for key, word in keys]
        if self._chooses:
            mark = self.look.glyphs.current
            place = line(("Tab", "$text"), (f" {mark} {here}", "$accent"))
            shown.insert(1, place)
        self._keys.update(Content("   ").join(shown))

    def action_other_scope(self) -> None:
        """Tab: the other scope."""
        if self._chooses:
            self._scope = "global" if self._scope == "project" else "project"
            self.write()

    def action_take(self) -> None:
        """Enter."""
        text = self.field.text.strip()
        if text and self.is_current:
            self.dismiss(FactText(text, self._scope))

    def action_leave(self) -> None:
        """Esc."""
        if self.is_current:
            self.dismiss(None)


def delete_question(
    look: Look,
    items: Sequence[FactItem],
    *,
    everywhere: bool,
    clock: Callable[[], float],
    typed_at: float | None,
) -> ConfirmDialog:
    """Asks whether these memories shall go.

    Args:
        look: words and glyphs.
        items: at least one.
        everywhere: for good.
        clock: seconds that only go forward.
        typed_at: when something was last typed; None: never.
    """
    content = one_line(items[0].content)

    def says(words: Words) -> list[str]:
        if everywhere:
            return [words("facts.everywhere_text", n=len(items), content=content)]
        return [words("facts.delete_text", n=len(items))]

    return ConfirmDialog(
        look,
        title="facts.everywhere_title" if everywhere else "facts.delete_title",
        says=says,
        do="facts.everywhere_do" if everywhere else "facts.delete_do",
        keep="facts.everywhere_keep" if everywhere else "facts.delete_keep",
        clock=clock,
        typed_at=typed_at,
        risky=True,
    )
