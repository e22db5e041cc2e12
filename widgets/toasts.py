"""Short messages at the lower right that go away by themselves (STYLE 7 and 14, mock 07)."""

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.containers import Container
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive

from app.boundary import visible
from widgets.cjk_wrap import wrap
from widgets.look import Dressed, Look
from widgets.rows import clip, line, spread, stack

if TYPE_CHECKING:  # pydantic isn't needed for the first paint
    from app.events import Severity

MOST = 3
"""How many at once (STYLE 7)."""

_SECONDS: dict[str, float | None] = {"ok": 4, "info": 4, "warn": 8, "danger": None}
_LINES = 3


@dataclass(frozen=True, slots=True)
class Toast:
    """One message.

    Attributes:
        title: bold, one line.
        text: names a way on.
        severity: sets bar, glyph and how long it stays; danger stays until Esc.
        seconds: another time than the severity's.
    """

    title: str
    text: str = ""
    severity: "Severity" = "info"
    seconds: float | None = None

    @property
    def stays(self) -> float | None:
        """Seconds it stays; None: until Esc."""
        return self.seconds if self.seconds is not None else _SECONDS[self.severity]


class ToastStack(Dressed):
    """Up to three toasts, newest at the bottom; the others wait."""

    DEFAULT_CSS = """
    ToastStack {
        visibility: visible;
        width: 48;
        height: auto;
        background: $raised;
        text-wrap: nowrap;
    }
    """

    shown: reactive[tuple[Toast, ...]] = reactive((), layout=True)
    held: reactive[bool] = reactive(False, init=False)
    """While a modal is open nothing new appears (STYLE 7)."""

    class Emptied(Message):
        """Nothing is shown any more."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, id="toast-stack")
        self.display = False
        self._waiting: deque[Toast] = deque()

    def add(self, toast: Toast) -> None:
        """Shows a toast, or keeps it until there is room."""
        if toast not in self.shown and toast not in self._waiting:
            self._waiting.append(toast)
            self._fill()

    def withdraw(self, toast: Toast) -> None:
        """What it says is no longer so: it goes, also from those that wait."""
        self._waiting = deque(other for other in self._waiting if other != toast)
        self._remove(toast)

    def dismiss(self) -> bool:
        """Takes the newest one away that stays until Esc; False: there is none."""
        lasting = [toast for toast in self.shown if toast.stays is None]
        if lasting:
            self._remove(lasting[-1])
        return bool(lasting)

    def on_mount(self) -> None:
        """What was said before there was a screen appears."""
        self._fill()

    def watch_held(self) -> None:
        """What waited for the modal appears."""
        self._fill()

    def _fill(self) -> None:
        while self.is_attached and self._waiting and not self.held and len(self.shown) < MOST:
            toast = self._waiting.popleft()
            self.shown = (*self.shown, toast)
            if (seconds := toast.stays) is not None:
                self.set_timer(seconds, lambda toast=toast: self._remove(toast))

    def _remove(self, toast: Toast) -> None:
        self.shown = tuple(other for other in self.shown if other != toast)
        self._fill()

    def watch_shown(self, shown: tuple[Toast, ...]) -> None:
        """Takes no room while empty."""
        self.display = bool(shown)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """As many rows as the texts need."""
        return len(self._all_rows(width))

    def render(self) -> Content:
        """All toasts."""
        return stack(self._all_rows(self.size.width))

    def _all_rows(self, width: int) -> list[Content]:
        """Two rows a toast or more, and a quiet one under each."""
        rows: list[Content] = []
        for toast in self.shown:
            rows.extend(self._rows(toast, width))
            rows.append(spread(width, line((self.look.glyphs.bar, "$line"))))
        return rows

    def _rows(self, toast: Toast, width: int) -> list[Content]:
        glyphs = self.look.glyphs
        mark = {"ok": glyphs.ok, "warn": glyphs.attention, "danger": glyphs.failed}
        colour = f"${toast.severity}"
        bar = line((glyphs.bar, colour), (" ", ""))
        room = width - 6
        title = clip(visible(toast.title), room, glyphs.ellipsis)
        head = line((f"{mark.get(toast.severity, 'i')} ", f"{colour} bold"), (title, "bold $text"))
        text = visible(toast.text).replace("\n", " ")
        spans = wrap(text, room) if text else []
        pieces = [text[start:end] for start, end in spans[:_LINES]]
        if len(spans) > _LINES:
            pieces[-1] = clip(text[spans[_LINES - 1][0] :], room, glyphs.ellipsis)
        body = [line((f"  {piece}", "$text2")) for piece in pieces]
        return [spread(width, bar + row, ellipsis=glyphs.ellipsis) for row in (head, *body)]


class ToastShelf(Container):
    """Fills the region toasts appear in and lets everything else through.

    A transparent container on a higher layer still paints its background: so it is hidden and only
    the stack in it is visible (STYLE 13). (Textual has a `ToastRack` of its own: a style for that
    name would be taken for this one too.)
    """

    DEFAULT_CSS = """
    ToastShelf {
        layer: toasts;
        width: 100%;
        height: 100%;
        align: right bottom;
        visibility: hidden;
    }
    """

    def __init__(self, look: Look) -> None:
        self.stack = ToastStack(look)
        super().__init__(self.stack, id="toasts")
