"""The gauge in the side panel, and looking at other windows with it (STYLE 6 and 14)."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive

from app.view.gauge import GaugeView
from widgets.gauge_base import GaugeWidget
from widgets.gauge_lines import bar_line, head, legend, marks_line
from widgets.marks import marks_block
from widgets.pen import Pen
from widgets.spans import BLANK_LINE, Line
from widgets.windows_block import windows_block, windows_row

TALL_BAR = 50
"""Cells from which on the bar has two rows (STYLE 3, wide)."""

LOW_SCREEN = 40
"""Screens with fewer rows fold the gauge while the panel has the focus (STYLE 14)."""


def panel_lines(view: GaugeView, width: int, pen: Pen, *, folded: bool = False) -> list[Line]:
    """The panel's lines.

    Args:
        view: what is shown.
        width: cells.
        pen: what it is drawn with.
        folded: legend, marks and windows in one row.
    """
    bars = [bar_line(view, width, pen)] * (2 if width >= TALL_BAR else 1)
    top = [*head(view, width, pen), *bars, marks_line(view, width, pen)]
    if folded:
        return [*top, windows_row(view, width, pen)]
    return [
        *top,
        *legend(view, width, pen),
        BLANK_LINE,
        *marks_block(view, width, pen),
        BLANK_LINE,
        *windows_block(view, width, pen),
    ]


class WindowChosen(Message):
    """Enter on a window that is looked at: the user wants it."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size


class ContextOpened(Message):
    """Enter on the gauge: the user wants all of it."""


class Previewed(Message):
    """Another window is looked at, or none any longer."""


class WindowKeys(GaugeWidget, can_focus=True):
    """A form of the gauge with which other windows are looked at."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "window", show=False),
        Binding("enter", "take", show=False),
        Binding("escape", "end_preview", show=False),
    ]

    def action_window(self) -> None:
        """Looks at the next window."""
        self.gauge.preview_next()
        self.draw_now()
        self.post_message(Previewed())

    def action_take(self) -> None:
        """Takes the window that is looked at; else opens the whole context."""
        size = self.gauge.previewed
        if size is None:
            self.nothing_taken()
            return
        self.gauge.preview(None)
        self.draw_now()
        self.post_message(Previewed())
        self.post_message(WindowChosen(size))

    def nothing_taken(self) -> None:
        """Enter while no window is looked at."""
        self.post_message(ContextOpened())

    def action_end_preview(self) -> None:
        """Shows the window in use again."""
        self.gauge.preview(None)
        self.draw_now()
        self.post_message(Previewed())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Esc is only ours while another window is looked at."""
        if action == "end_preview" and self.gauge.previewed is None:
            return False
        return super().check_action(action, parameters)


class GaugePanel(WindowKeys):
    """The panel form."""

    DEFAULT_CSS = """
    GaugePanel { width: 100%; height: auto; background: $surface; }
    """

    folded: reactive[bool] = reactive(False, layout=True)
    """Legend, marks and windows in one row."""

    def draw(self, view: GaugeView, width: int, height: int, pen: Pen) -> list[Line]:  # noqa: ARG002
        """Head, bar, marks, legend, windows."""
        return panel_lines(view, width, pen, folded=self.folded)

    def watch_folded(self) -> None:
        """Other lines."""
        if self.is_mounted:
            self.draw_now()
