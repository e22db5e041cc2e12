"""What all forms of the gauge share: the model they show, and when they draw it again."""

from collections.abc import Callable
from time import monotonic

from textual.timer import Timer

from app.view.gauge import GaugeModel, GaugeView
from widgets.drawn import LEAST_SECONDS, Drawn
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
        self._ticks: Timer | None = None

    def on_mount(self) -> None:
        """Listens."""
        self.gauge.listeners.append(self.touch)
        self._keep_time()

    def touch(self) -> None:
        """What is shown may have changed, or change with the seconds from now on."""
        super().touch()
        self._keep_time()

    def _keep_time(self) -> None:
        """While a summary is made, its seconds go on; without motion only they."""
        if self.gauge.keeps_time and self._ticks is None:
            every = LEAST_SECONDS if self.look.motion else 1.0
            self._ticks = self.set_interval(every, self._tick)
        elif not self.gauge.keeps_time and self._ticks is not None:
            self._ticks.stop()
            self._ticks = None

    def _tick(self) -> None:
        self.gauge.tick()
        self.draw_now()

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
            self._keep_time()

    def lines(self, width: int, height: int, pen: Pen) -> list[Line]:
        """The gauge as it stands."""
        return self.draw(self.gauge.view, width, height, pen)

    def draw(self, view: GaugeView, width: int, height: int, pen: Pen) -> list[Line]:
        """The lines of this form."""
        raise NotImplementedError
