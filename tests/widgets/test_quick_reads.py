"""What is read and made in fewer steps is what Textual reads and makes."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import textual
from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.color import Color
from textual.css.styles import RenderStyles
from textual.dom import DOMNode, NoScreen
from textual.filter import Monochrome
from textual.reactive import Reactive, ReactiveError, reactive
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from widgets import quick_reads
from widgets.quick_reads import ROOM, read_quickly

GREY = Monochrome()

PATCHED: dict[type, str] = {
    Strip: "__init__",
    Reactive: "__get__",
    RenderStyles: "get_rule",
    DOMNode: "screen",
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """In place for one test."""
    for owner, name in PATCHED.items():
        monkeypatch.setattr(owner, name, vars(owner)[name])
    read_quickly()
    yield


def segments() -> list[Segment]:
    return [Segment("one ", Style(bold=True)), Segment("\u6c49\u5b57 two", Style(dim=True))]


@pytest.mark.parametrize(
    ("cache", "work"),
    [
        ("_divide_cache", lambda strip: strip.divide([4, 6, 12])),
        ("_crop_cache", lambda strip: strip.crop(2, 9)),
        ("_style_cache", lambda strip: strip.apply_style(Style(italic=True))),
        ("_filter_cache", lambda strip: strip.apply_filter(GREY, Color(0, 0, 0))),
        ("_line_length_cache", lambda strip: strip.adjust_cell_length(20)),
        ("_crop_extend_cache", lambda strip: strip.crop_extend(1, 30, None)),
        ("_offsets_cache", lambda strip: strip.apply_offsets(3, 4)),
    ],
)
def test_a_line_gives_the_same_and_keeps_it(cache: str, work: Callable[[Strip], Any]) -> None:
    strip, plain = Strip(segments()), Strip([])
    quick_reads._made(plain, segments())
    given = work(strip)
    assert given == work(plain)
    kept = getattr(strip, cache)
    assert kept is getattr(strip, cache) and len(kept) == 1
    assert kept._maxsize == getattr(plain, cache)._maxsize == ROOM[cache]
    assert work(strip) is given
    assert (strip.cell_length, strip.text) == (plain.cell_length, plain.text)


def test_all_of_it_is_in_place() -> None:
    assert vars(Reactive)["__get__"] is quick_reads.read_reactive
    assert vars(RenderStyles)["get_rule"] is quick_reads.style
    assert vars(DOMNode)["screen"].fget is quick_reads.screen_of


@pytest.mark.parametrize("name", ROOM)
def test_a_cache_is_made_when_it_is_asked_for(name: str) -> None:
    strip, slot = Strip(segments()), vars(Strip)[name]
    with pytest.raises(AttributeError):
        slot.__get__(strip)
    assert getattr(strip, name) is slot.__get__(strip)


def test_every_attribute_of_a_line_is_known() -> None:
    strip, plain = Strip(segments(), 12), Strip([])
    quick_reads._made(plain, segments(), 12)
    for name in Strip.__slots__:
        mine, theirs = getattr(strip, name), getattr(plain, name)
        assert type(mine) is type(theirs)
        assert name in ROOM or mine == theirs
    with pytest.raises(AttributeError, match="'Strip' object has no attribute 'colour'"):
        strip.colour  # type: ignore[attr-defined]  # noqa: B018


class Counting(Widget):
    """Has values of each sort."""

    plain = reactive(1)
    made: Reactive[list[int]] = reactive(lambda: [2])
    half: Reactive[int] = reactive(0)

    def compute_half(self) -> int:
        return self.plain // 2


async def test_reactive_values() -> None:
    class One(App[None]):
        def compose(self) -> ComposeResult:
            yield Counting()

    assert isinstance(Counting.plain, Reactive)
    async with One().run_test() as pilot:
        widget = pilot.app.query_one(Counting)
        assert (widget.plain, widget.made, widget.half) == (1, [2], 0)
        assert widget.made is widget.made
        widget.plain = 9
        assert (widget.plain, widget.half) == (9, 4)
        widget.set_reactive(Counting.plain, 21)
        assert widget.half == 10, "worked out each time it is read"


def test_a_value_that_is_read_first_is_begun() -> None:
    assert Counting().plain == 1


def test_a_widget_that_was_never_made_says_so() -> None:
    class Unmade(Widget):
        value = reactive(1)

        def __init__(self) -> None:
            pass

    with pytest.raises(ReactiveError, match="missing data"):
        Unmade().value  # noqa: B018
    with pytest.raises(RuntimeError, match="missing attributes"):
        Unmade().screen  # noqa: B018


def test_styles_of_the_widget_itself_come_first() -> None:
    widget = Static()
    widget._css_styles.opacity = 0.5
    assert (widget.styles.get_rule("opacity"), widget.styles.get_rule("width", 7)) == (0.5, 7)
    widget.styles.opacity = 0.25
    assert widget.styles.get_rule("opacity") == 0.25
    assert widget.styles.get_rule("width") is None


async def test_the_screen_of_a_node() -> None:
    with pytest.raises(NoScreen):
        Static().screen  # noqa: B018
    async with App[None]().run_test() as pilot:
        widget = Static()
        await pilot.app.screen.mount(widget)
        assert widget.screen is pilot.app.screen is pilot.app.screen.screen


def test_with_another_textual_nothing_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textual, "__version__", "8.3.0")
    monkeypatch.setattr(Strip, "__init__", quick_reads._made)
    read_quickly()
    assert vars(Strip)["__init__"] is quick_reads._made
