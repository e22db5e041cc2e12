"""Chooses one of an endpoint's models: typing narrows, Enter uses it (mock 12, what works now)."""

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from app.boundary import visible
from app.text import Key
from widgets.dialogs.base import Plain
from widgets.dialogs.narrowing import NarrowingDialog
from widgets.fuzzy import best
from widgets.listing import Listing
from widgets.look import Look
from widgets.rows import line, spread


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """What was chosen ("": another endpoint), and whether to keep it for the next start."""

    name: str
    keep: bool


class ModelList(Listing):
    """The names that fit."""

    def __init__(self, look: Look, names: tuple[str, ...], current: str) -> None:
        super().__init__(look)
        self.all = names
        self.fitting = names
        self.current = current
        self.set_reactive(Listing.at, names.index(current) if current in names else 0)

    def narrow(self, query: str) -> None:
        """Shows what fits, best first."""
        fitting = tuple(best(query, self.all, len(self.all))) if query else self.all
        if fitting != self.fitting:
            self.fitting = fitting
            self.rebuilt(0)

    def count(self) -> int:
        """How many fit."""
        return len(self.fitting)

    def draw(self, index: int, width: int, *, on: bool) -> Content:
        """Cursor, name, and whether it is the one in use."""
        name = self.fitting[index]
        note = self.look.words("connect.current") if name == self.current else ""
        left = self.cursor_piece(on=on) + line((visible(name), "$text"))
        right = line((note, "$text2" if on else "$text3"))
        return spread(width, left, right, self.look.glyphs.ellipsis)


class ModelDialog(NarrowingDialog[ModelChoice]):
    """Dismissed with the chosen model, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+k", "keep", show=False, priority=True),
        Binding("ctrl+e", "edit", show=False, priority=True),
    ]

    DEFAULT_CSS = """
    ModelDialog {
        .dialog-window { width: 90; }
        &.-compact .dialog-window { width: 76; }
        .models-head { margin: 0 0 1 0; }
    }
    """

    def __init__(
        self,
        look: Look,
        *,
        place: str,
        models: tuple[str, ...],
        current: str = "",
        changes: bool = False,
    ) -> None:
        """Prepares the list.

        Args:
            look: words and glyphs.
            place: the endpoint, as shown.
            models: their names, in its order.
            current: the one in use; the cursor begins there.
            changes: whether keeping it (Ctrl+K) and another endpoint (Ctrl+E) are on offer.
        """
        self.models = ModelList(look, models, current)
        super().__init__(look, self.models, id="models")
        self._changes = changes
        more: tuple[tuple[str, Key], ...] = (
            ("Ctrl+K", "connect.keys_use_keep"),
            ("Ctrl+E", "connect.keys_edit"),
        )
        self.keys = (
            ("↑ ↓", "menu.choose"),
            ("Enter", "connect.keys_use"),
            *(more if changes else ()),
            ("Esc", "connect.keys_cancel"),
        )
        self._place = place
        self._head = Plain(classes="models-head")

    def compose_body(self) -> ComposeResult:
        """Where they are, then field and list."""
        yield self._head
        yield from super().compose_body()

    def heading(self) -> str:
        """The title in the border."""
        return self.look.words("connect.title_models")

    def write(self) -> None:
        """The endpoint above the list."""
        super().write()
        words = self.look.words
        number = words("connect.models_here", n=len(self.models.all))
        self._head.update(
            line(
                (f"{words('connect.endpoint')}   ", "$text3"),
                (visible(self._place), "$text"),
                (f"   {number}", "$text2"),
            )
        )

    def narrow(self, query: str) -> None:
        """Shows what fits."""
        self.models.narrow(query)

    def chosen(self, index: int) -> None:
        """Uses it."""
        self._finish(index, keep=False)

    def action_keep(self) -> None:
        """Uses it and keeps it (Ctrl+K; Ctrl+S stops some terminals, STYLE 8)."""
        self.narrow(self.field.query_text)
        if self._changes and self.models.count():
            self._finish(self.models.at, keep=True)

    def action_edit(self) -> None:
        """Another address or key (Ctrl+E)."""
        if self._changes and self.is_current:
            self.dismiss(ModelChoice("", keep=False))

    def _finish(self, index: int, *, keep: bool) -> None:
        if self.is_current:
            self.dismiss(ModelChoice(self.models.fitting[index], keep))
