"""What all forms of the gauge share: the model they show, and when they draw it again."""

from collections.abc import Callable
from time import monotonic

from app.view.gauge import GaugeModel, GaugeView
from widgets.drawn import Drawn
from widgets.look import Look
from widgets.pen import Pen
from widgets.spans import Line


class GaugeWidget(Drawn):
    """Shows a gauge model.

    Args:
        look: words, glyphs.
        gauge: what is shown; its owner feeds it.
        clock: seconds that only go forward.
    """

    def __init__(
        self,
        look: Look,
        gauge: GaugeModel,
        *,
        id: str | None = None,
        classes: str | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        super().__init__(look, id=id, classes=classes, clock=clock)
        self.gauge = gauge

    def on_mount(self) -> None:
        """Listens."""
        self.gauge.listeners.append(self.touch)

    def on_unmount(self) -> None:
        """Listens no longer."""
        self.gauge.listeners.remove(self.touch)

    def show(self, gauge: GaugeModel) -> None:
        """Shows another model: another session's."""
        if self.is_mounted:
            self.gauge.listeners.remove(self.touch)
            gauge.listeners.append(self.touch)
        self.gauge = gauge
        if self.is_mounted:
            self.draw_now()

    def lines(self, width: int, height: int, pen: Pen) -> list[Line]:
        """The gauge as it stands."""
        return self.draw(self.gauge.view, width, height, pen)

    def draw(self, view: GaugeView, width: int, height: int, pen: Pen) -> list[Line]:
        """The lines of this form."""
        raise NotImplementedError
