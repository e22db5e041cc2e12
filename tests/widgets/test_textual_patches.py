"""The patches work in both libraries, and change nothing for English."""

from collections.abc import Iterator
from functools import partial, wraps
from inspect import signature
from itertools import pairwise
from typing import Any

import pytest
import rich._wrap
import textual._callback
import textual._wrap
import textual.screen
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from textual import on
from textual.app import App, ComposeResult
from textual.css.styles import RenderStyles
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.events import Event, Key, Mount
from textual.message import Message
from textual.message_pump import MessagePump
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Button, Static, TextArea

from tests.widgets import test_shared_styles
from widgets.textual_patches import FRAMES, _search, apply_patches, handlers, parameters

CHINESE = (
    "先盘点服务里残留的引用，再把工具链升到新版本，然后把容器的基础镜像也一起换掉（见说明）。" * 4
)
ENGLISH = "the quick brown fox jumps over the lazy dog " * 6

PATCHED: dict[type, tuple[str, ...]] = {
    Stylesheet: test_shared_styles.PATCHED,
    Strip: ("__init__",),
    Reactive: ("__get__",),
    RenderStyles: ("get_rule",),
    DOMNode: ("screen",),
}


@pytest.fixture(autouse=True)
def patched(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Patches for one test."""
    monkeypatch.setattr(rich._wrap, "words", rich._wrap.words)
    monkeypatch.setattr(textual._wrap, "chunks", textual._wrap.chunks)
    for owner, names in PATCHED.items():
        for name in names:
            monkeypatch.setattr(owner, name, vars(owner)[name])
    monkeypatch.setattr(MessagePump, "_get_dispatch_methods", MessagePump._get_dispatch_methods)
    counts = textual._callback._count_parameters
    monkeypatch.setattr(textual._callback, "_count_parameters", counts)
    monkeypatch.setattr(textual.screen, "UPDATE_PERIOD", textual.screen.UPDATE_PERIOD)
    apply_patches()
    yield


def pieces(text: str, offsets: list[int]) -> list[str]:
    edges = [0, *offsets, len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


@pytest.mark.parametrize("wrapper", ["rich", "textual"])
def test_chinese_fills_its_lines(wrapper: str) -> None:
    if wrapper == "rich":
        broken = pieces(CHINESE, rich._wrap.divide_line(CHINESE, 40))
    else:
        broken = pieces(CHINESE, textual._wrap.compute_wrap_offsets(CHINESE, 40, 4))
    assert "".join(broken) == CHINESE
    assert all(36 <= cell_len(line) <= 40 for line in broken[:-1])
    assert not any(line.startswith(tuple("，。）")) for line in broken)


def test_english_breaks_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    rich_now = rich._wrap.divide_line(ENGLISH, 30)
    textual_now = textual._wrap.compute_wrap_offsets(ENGLISH, 30, 4)
    monkeypatch.undo()
    assert rich_now == rich._wrap.divide_line(ENGLISH, 30)
    assert textual_now == textual._wrap.compute_wrap_offsets(ENGLISH, 30, 4)


def test_leading_spaces_and_spaces_alone_survive() -> None:
    for text in ("   spaces first", "    ", "", "\tx"):
        assert "".join(word for _, _, word in textual._wrap.chunks(text)) == text
    console = Console(width=20)
    assert [line.plain for line in Text("  two spaces").wrap(console, 20)] == ["  two spaces"]


class Writing(App[None]):
    CSS = "TextArea, Static { width: 40; height: 12; border: none; padding: 0; }"

    def compose(self) -> ComposeResult:
        yield TextArea(CHINESE, soft_wrap=True)
        yield Static(CHINESE)


async def test_the_prompt_and_plain_text_use_it() -> None:
    app = Writing()
    async with app.run_test(size=(60, 30)):
        area = app.query_one(TextArea)
        widths = [cell_len(line) for line in area.wrapped_document.lines[0]]
        assert min(widths[:-1]) >= area.wrap_width - 4
        strips = app.query_one(Static).render_lines(app.query_one(Static).size.region)
        first = strips[0].text.rstrip()
        assert cell_len(first) >= 36


def test_a_paint_does_not_hold_up_the_next_one() -> None:
    assert pytest.approx(1 / FRAMES) == textual.screen.UPDATE_PERIOD


class Called:
    """Has methods of every sort."""

    def plain(self, one: int, two: int = 2) -> None: ...

    def starred(*everything: int) -> None: ...

    def __call__(self, one: int) -> None: ...

    @classmethod
    def of_class(cls, one: int) -> None: ...

    @staticmethod
    def of_none(one: int, *more: int, named: int, **others: int) -> None: ...


def two(one: int, two: int) -> None: ...


@wraps(two)
def stands_for_two(*given: int) -> None: ...


@pytest.mark.parametrize(
    "callback",
    [
        Called().plain,
        Called().starred,  # type: ignore[misc]
        Called(),
        Called().of_class,
        Called.plain,
        Called.of_none,
        lambda: None,
        lambda one, /, *, named: one,
        partial(two, 1),
        two,
        stands_for_two,
    ],
)
def test_parameters_are_counted_as_by_their_signature(callback: Any) -> None:
    assert parameters(callback) == len(signature(callback).parameters)


class Below(Widget):
    """Takes messages in each way there is."""

    def on_mount(self, event: Mount) -> None: ...

    async def _on_key(self, event: Key) -> None: ...

    def on_key(self, event: Key) -> None: ...


class Above(Below):
    """Takes some of them before."""

    def on_mount(self, event: Mount) -> None: ...

    @on(Button.Pressed, "#yes")
    def agree(self, event: Button.Pressed) -> None: ...

    @on(Button.Pressed)
    def on_button_pressed(self, event: Button.Pressed) -> None: ...

    def on_key(self, event: Key) -> None:
        event.prevent_default()


@pytest.mark.parametrize("receiver", [Above, Below, Static])
@pytest.mark.parametrize("button", ["yes", "no"])
def test_a_message_is_taken_by_who_takes_it_without_the_patch(
    receiver: type[Widget], button: str
) -> None:
    widget = receiver()
    pressed = Button.Pressed(Button("x", id=button))
    pressed._sender = widget
    messages: list[Message] = [Mount(), Key("a", "a"), Event(), pressed]
    for message in messages * 2:
        name = message.handler_name
        found = list(handlers(widget, name, message))
        assert found == list(_search(widget, name, message))
        assert found or receiver is not Above or type(message) is Event


def test_one_that_prevents_the_default_is_the_last() -> None:
    widget, key = Above(), Key("a", "a")
    taken = []
    for cls, method in handlers(widget, key.handler_name, key):
        taken.append(cls)
        method(key)
    assert taken == [Above]
