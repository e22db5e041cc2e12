"""The frame of every modal: title in the border, body, buttons, its keys (STYLE 3, 4, 7)."""

from typing import ClassVar, Generic, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.reactive import reactive
from textual.screen import ModalScreen
from textual.widgets import Static
from textual.worker import Worker

from widgets.faults import log_fault
from widgets.look import HEIGHTS, WIDTHS, Dressed, Look, is_too_small, too_small
from widgets.requests import Request

Result = TypeVar("Result")


class Plain(Static):
    """Text that is never markup."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(markup=False, id=id, classes=classes)


class Dialog(ModalScreen[Result], Generic[Result]):
    """A modal over the workbench; Esc always leaves it with the safe answer."""

    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    AUTO_FOCUS = ""

    DEFAULT_CSS = """
    Dialog {
        align: center middle;
        background: $bg 62%;
        layers: base notice;
        .dialog-window {
            width: 84;
            max-width: 100%;
            height: auto;
            max-height: 100%;
            padding: 1 2;
            background: $overlay;
            border: round $line2;
            border-title-color: $text;
            border-title-style: bold;
        }
        &.-compact .dialog-window { width: 74; }
        &.-low .dialog-window { padding: 0 2; }
        &.-ascii .dialog-window { border: ascii $line2; }
        .dialog-too-small {
            layer: notice;
            display: none;
            width: 100%;
            height: 100%;
            content-align: center middle;
            background: $bg;
            color: $text2;
        }
        &.-too-small .dialog-too-small { display: block; }
    }
    """

    look: reactive[Look] = reactive(Look)

    is_question: ClassVar[bool] = False
    """Whether it opened by itself, because a run waits for the answer."""

    class Typed(Request):
        """Text that was meant for the prompt, as it came: typed, or one paste."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, look: Look, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.set_reactive(Dialog.look, look)
        self.window = Vertical(classes="dialog-window")
        self._too_small = Plain(classes="dialog-too-small")

    def compose(self) -> ComposeResult:
        """The window around what the dialog brings."""
        with self.window:
            yield from self.compose_body()
        yield self._too_small

    def compose_body(self) -> ComposeResult:
        """What stands in the window."""
        yield from ()

    def heading(self) -> str:
        """The title in the border."""
        return ""

    def on_mount(self) -> None:
        """Writes what it says."""
        self.write()

    def watch_look(self) -> None:
        """Says everything again, in another language or other glyphs."""
        for widget in self.query(Dressed):
            widget.look = self.look
        self.write()

    def write(self) -> None:
        """Writes title and texts; safe to call at any time."""
        self.set_class(self.look.ascii, "-ascii")
        self.window.border_title = self.heading()
        self._too_small.update(too_small(self.look, self.app.size))

    def on_resize(self, event: events.Resize) -> None:
        """Texts fill the new width; what can't be read on a small screen can't be answered."""
        self.set_class(is_too_small(event.size), "-too-small")
        self.call_after_refresh(self.write)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A fault is logged."""
        log_fault(event)

    @property
    def is_hidden(self) -> bool:
        """Whether the screen is too small for it."""
        return self.has_class("-too-small")
