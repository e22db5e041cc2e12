"""A long conversation, always the same, and the app that shows it."""

import asyncio
import random
import re
import time
from collections.abc import Iterator

from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import TextArea

from app.events import (
    Event,
    MessageFinished,
    Text,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from app.text import Words
from app.view.transcript import TranscriptStore
from widgets.glyphs import UNICODE
from widgets.look import Look
from widgets.palette import PALETTES
from widgets.transcript_view import TranscriptView

SIZE = (120, 36)
ENGLISH = re.findall(
    r"\w+",
    "the order service keeps its codec in one class and reads every field twice before it is "
    "written so that a migration can be undone while the tests are still running on the old one",
)
CHINESE = "先盘点服务里残留的引用再把工具链升到新版本然后把容器的基础镜像也一起换掉"


def _words(source: random.Random, count: int) -> str:
    return " ".join(source.choices(ENGLISH, k=count))


def _paragraph(source: random.Random) -> str:
    """Prose, a tenth of it Chinese, a tenth code, a tenth lists (as in TUI (a))."""
    kind = source.random()
    if kind < 0.1:
        return "".join(source.choices(CHINESE, k=source.randint(30, 120))) + "。"
    if kind < 0.2:
        body = "\n".join(f"def f{number}(x):\n    return x + {number}" for number in range(4))
        return f"```py\n{body}\n```"
    if kind < 0.3:
        return "\n".join(f"- item `{number}` {_words(source, 8)}" for number in range(4))
    return f"{_words(source, source.randint(10, 90))}."


def events(messages: int) -> Iterator[Event]:
    """So many messages: a question, a call, an answer, and again."""
    source = random.Random(7)
    for number in range(messages):
        id = f"{number:012x}"
        match number % 3:
            case 0:
                yield TurnStarted(message=id, text=_words(source, 12))
            case 1:
                yield ToolStarted(id=id, tool="read_file", arguments={}, subject="src/a.py")
                yield ToolFinished(id=id, tool="read_file", ok=True, characters=9, seconds=0.1)
            case _:
                blocks = [_paragraph(source) for _ in range(source.randint(1, 4))]
                yield Text(message=id, text="\n\n".join(blocks))
                yield MessageFinished(message=id)
    yield TurnFinished(ok=True, steps=1, seconds=1.0)


def conversation(messages: int) -> TranscriptStore:
    """A store that has heard so many messages."""
    store = TranscriptStore()
    for event in events(messages):
        store.apply(event)
    return store


class TimedView(TranscriptView):
    """Knows when it first painted lines."""

    def __init__(self, store: TranscriptStore, look: Look) -> None:
        super().__init__(store, look)
        self.first_paint: asyncio.Future[float] = asyncio.get_running_loop().create_future()

    def render_lines(self, crop: Region) -> list[Strip]:
        strips = super().render_lines(crop)
        if not self.first_paint.done() and any(strip.text.strip() for strip in strips):
            self.first_paint.set_result(time.process_time())
        return strips


class TimedField(TextArea):
    """Tells when what was typed is painted."""

    expected = ""
    painted: asyncio.Future[float]

    def expect(self, text: str) -> asyncio.Future[float]:
        """When this text is painted."""
        self.expected = text
        self.painted = asyncio.get_running_loop().create_future()
        return self.painted

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        if self.expected and self.text == self.expected:
            self.expected = ""
            self.painted.set_result(time.perf_counter())
        return strip


class Bench(App[None]):
    """The conversation above a prompt, as the workbench has them."""

    AUTO_FOCUS = "TimedField"
    CSS = "Screen { background: $bg; } TimedField { height: 4; }"

    def __init__(self, store: TranscriptStore) -> None:
        super().__init__()
        for palette in PALETTES:
            self.register_theme(palette.theme())
        self.theme = PALETTES[0].name
        self.store = store
        self.view = TimedView(store, Look(Words("en"), UNICODE))
        self.field = TimedField()
        self.field.cursor_blink = False

    def compose(self) -> ComposeResult:
        yield self.view
        yield self.field
