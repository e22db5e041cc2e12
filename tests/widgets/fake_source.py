"""A source whose items say who they are: `name:line`, and whose estimates are wrong on purpose."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from widgets.list_source import Lines

PLAIN = Style()


@dataclass
class Thing:
    """An item.

    Attributes:
        name: who it is.
        height: lines at any width.
        moving: whether its last line moves by itself.
        stop: whether the cursor stops at it.
    """

    name: str
    height: int
    moving: bool = False
    stop: bool = True
    revision: int = 0


@dataclass
class FakeSource:
    """Things in order; counts what is drawn."""

    things: list[Thing] = field(default_factory=list)
    guess: int = 2
    drawn: int = 0
    moment: int = 0

    def __len__(self) -> int:
        return len(self.things)

    def key(self, index: int) -> Hashable:
        thing = self.things[index]
        return thing.name, thing.revision, thing.height

    def estimate(self, start: int, stop: int, width: int) -> list[int]:
        return [self.guess] * (stop - start)

    def render(self, index: int, width: int, *, current: bool) -> Lines:
        self.drawn += 1
        thing = self.things[index]
        mark = ">" if current else " "
        strips = tuple(
            Strip([Segment(f"{mark}{thing.name}:{line}"[:width].ljust(width), PLAIN)], width)
            for line in range(thing.height)
        )
        return Lines(strips, (thing.height - 1,) if thing.moving else ())

    def render_live(self, index: int, strip: Strip, *, current: bool) -> Strip:
        text = f"{strip.text.rstrip()} at {self.moment}".ljust(strip.cell_length)
        return Strip([Segment(text, PLAIN)], strip.cell_length)

    def selectable(self, index: int) -> bool:
        return self.things[index].stop

    def text(self, index: int) -> str:
        return f"text of {self.things[index].name}"


def things(heights: Iterable[int], start: int = 0) -> list[Thing]:
    """Things with these heights, named by numbers."""
    return [Thing(str(start + number), height) for number, height in enumerate(heights)]
