"""The side of the workbench: how full the window is, and what left it (mock 01).

On a small screen it is one line, and what left the context is on a screen of its own.
"""

from collections.abc import Callable
from datetime import datetime

from textual.app import ComposeResult
from textual.containers import Container

from app.events import Event, HistoryCleared, MemoryInjected, TurnStarted
from app.view.gauge import GaugeModel
from app.view.held import HeldModel, usual_limits
from app.view.recalled import Recalled, of_event
from widgets.gauge import LOW_SCREEN, GaugePanel
from widgets.gauge_line import GaugeLine
from widgets.held_panel import HeldPanel, Peek
from widgets.held_parts import Limits
from widgets.look import Look
from widgets.toasts import ToastShelf


class Side(Container):
    """The panel beside the conversation, with the toasts over it.

    Attributes:
        gauge: what panel, line and `/context` show; the screen feeds it by `take`.
        line: the one-line form, which stands above the prompt of a small screen.
        panel: the full form.
        model: what left the context; its owner feeds it.
        held: the panel that lists it.
        rack: the toasts over the panel.
    """

    DEFAULT_CSS = """
    Side {
        width: 44;
        height: 100%;
        background: $surface;
        layers: base toasts;
        #side-body { width: 100%; height: 100%; padding: 1 2 0 2; }
        HeldPanel { margin-top: 1; }
    }
    """

    def __init__(
        self,
        look: Look,
        *,
        clock: Callable[[], float],
        peek: Peek,
        now: Callable[[], datetime],
    ) -> None:
        """Shows nothing yet.

        Args:
            look: words, glyphs.
            clock: seconds that only go forward.
            peek: reads the first lines of a file.
            now: the present, with the user's zone.
        """
        super().__init__(id="side")
        self.gauge = GaugeModel(clock=clock)
        self.line = GaugeLine(look, self.gauge, id="gauge-line", clock=clock)
        self.panel = GaugePanel(look, self.gauge, id="gauge", clock=clock)
        self.model = HeldModel()
        self.held = HeldPanel(
            look,
            self.model,
            self.gauge,
            limits=lambda: limits_of(self.gauge),
            peek=peek,
            now=now,
        )
        self.rack = ToastShelf(look)
        self._read = False

    def compose(self) -> ComposeResult:
        """The gauge, what left the context; the toasts over them."""
        with Container(id="side-body"):
            yield self.panel
            yield self.held
        yield self.rack

    def take(self, event: Event) -> None:
        """Takes in one event of the session."""
        self.gauge.apply(event)
        if event.conversation != "main":
            return
        if isinstance(event, MemoryInjected):
            self.model.recall(of_event(event))
        elif isinstance(event, HistoryCleared):
            self.model.recall(Recalled(off=self.model.recalled.off))
        elif isinstance(event, TurnStarted) and self._read:
            self._read = False
            self.fold()

    @property
    def is_used(self) -> bool:
        """Whether the focus is in the panel."""
        return self.panel.has_focus or self.held.list.has_focus

    def on_resize(self) -> None:
        """Another height: the gauge has to make room now, or no longer."""
        self.fold()

    def fold(self) -> None:
        """On a low screen the gauge makes room while someone is in the panel (STYLE 14)."""
        self._read = self._read and not self.is_used
        used = self.is_used or self._read
        self.panel.folded = used and self.app.size.height < LOW_SCREEN
        if not self.is_used:
            self.held.open_all(all=False)

    def show_work(self) -> None:
        """The tab of the work, to be read from the prompt, until the next turn begins."""
        self.model.choose("work")
        self._read = True
        self.fold()

    def enter(self) -> bool:
        """F5: to what left the context, or to the gauge; again: to the next tab.

        Returns:
            Whether there was somewhere to go; else all of the context is wanted.
        """
        if self.model.is_empty:
            if self.panel.has_focus:
                return False
            self.panel.focus()
        elif self.held.list.has_focus:
            self.model.step(1)
        else:
            self.model.choose_filled()
            self.held.list.focus()
        return True


def limits_of(gauge: GaugeModel) -> Limits:
    """From where on something leaves the context, in the window that is shown."""
    view = gauge.view
    mark = view.mark(1)
    offload, clear = usual_limits(view.window)
    return Limits(offload=offload, clear=mark.tokens if mark else clear)
