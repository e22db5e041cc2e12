"""The side of the workbench: how full the window is; on a small screen, one line (mock 01)."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Container

from app.events import Event
from app.view.gauge import GaugeModel
from widgets.gauge import LOW_SCREEN, GaugePanel
from widgets.gauge_line import GaugeLine
from widgets.look import Look
from widgets.toasts import ToastShelf


class Side(Container):
    """The panel beside the conversation, with the toasts over it.

    Attributes:
        gauge: what panel, line and `/context` show; the screen feeds it by `take`.
        line: the one-line form, which stands above the prompt of a small screen.
        panel: the full form.
        rack: the toasts over the panel.
    """

    DEFAULT_CSS = """
    Side {
        width: 44;
        height: 100%;
        background: $surface;
        layers: base toasts;
        #side-body { width: 100%; height: 100%; padding: 1 2 0 2; }
    }
    """

    def __init__(self, look: Look, *, clock: Callable[[], float]) -> None:
        """Shows nothing yet.

        Args:
            look: words, glyphs.
            clock: seconds that only go forward.
        """
        super().__init__(id="side")
        self.gauge = GaugeModel()
        self.line = GaugeLine(look, self.gauge, id="gauge-line", clock=clock)
        self.panel = GaugePanel(look, self.gauge, id="gauge", clock=clock)
        self.rack = ToastShelf(look)

    def compose(self) -> ComposeResult:
        """The gauge; the toasts over it."""
        with Container(id="side-body"):
            yield self.panel
        yield self.rack

    def take(self, event: Event) -> None:
        """Takes in one event of the session."""
        self.gauge.apply(event)

    def fold(self) -> None:
        """On a low screen the gauge makes room while someone is in the panel (STYLE 14)."""
        self.panel.folded = self.panel.has_focus and self.app.size.height < LOW_SCREEN
