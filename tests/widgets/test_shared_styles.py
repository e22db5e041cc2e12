"""Styles that were worked out once are those that Textual works out itself."""

from collections.abc import Iterator
from typing import Any

import pytest
import textual
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.widgets import Input, Static

from widgets import shared_styles
from widgets.palette import PALETTES
from widgets.shared_styles import share_styles

PATCHED = (
    "apply",
    "replace_rules",
    "_process_component_classes",
    "_parse_rules",
    "set_variables",
)


@pytest.fixture(autouse=True)
def shared(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """In place for one test, and nothing is known from another."""
    for name in PATCHED:
        monkeypatch.setattr(Stylesheet, name, vars(Stylesheet)[name])
    for kept in (shared_styles._parsed, shared_styles._books, shared_styles._made):
        kept.clear()
    share_styles()
    yield


class Styled(App[None]):
    """Selectors of every sort."""

    CSS = """
    Static { color: $text-muted; height: 1; width: auto; }
    .open Static { color: $accent; }
    #one.loud { text-style: bold; }
    Vertical > .loud { margin: 1; }
    Horizontal Static { color: $error; }
    Static:first-child { background: $surface; }
    Static:disabled { color: $warning; }
    Vertical:disabled Static { text-style: italic; }
    Vertical:focus-within { background: $primary; }
    Input:focus { border: none; }
    Input > .input--cursor { color: $accent; }
    Input:focus > .input--cursor { text-style: underline; }
    .open .input--placeholder { color: $error; }
    """

    def __init__(self, theme: str) -> None:
        super().__init__()
        for palette in PALETTES:
            self.register_theme(palette.theme())
        self.theme = theme

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("one", id="one")
            yield Static("two", classes="loud")
            yield Static("three")
            yield Input(id="field")
        with Horizontal():
            yield Static("four")
            yield Static("five", classes="loud")
        yield Input(id="other")


class Plain(Styled):
    """No selector asks about siblings or what is inside."""

    CSS = "Static { height: 1; } .open Static { color: $accent; } Input:focus { border: none; }"


def nodes(app: App[None]) -> list[DOMNode]:
    return [app, *app.screen.walk_children(with_self=True)]


def values(app: App[None]) -> list[dict[str, Any]]:
    """All values of all widgets and their parts; a layout has no equal but its name."""
    return [
        {
            name: getattr(value, "name", value) if name == "layout" else value
            for name, value in styles._rules.items()
        }
        for node in nodes(app)
        for styles in (
            node._css_styles,
            *(part.base for _, part in sorted(node._component_styles.items())),
        )
    ]


def worked_out(app: App[None]) -> list[dict[str, Any]]:
    """The same as Textual works it out, from nothing."""
    with pytest.MonkeyPatch.context() as plain:
        plain.setattr(Stylesheet, "apply", shared_styles._apply)
        plain.setattr(Stylesheet, "replace_rules", classmethod(shared_styles._replace_rules))
        parts = shared_styles._process_component_classes
        plain.setattr(Stylesheet, "_process_component_classes", parts)
        plain.setattr(Stylesheet, "_parse_rules", shared_styles._parse_rules)
        for node in nodes(app):
            node._css_styles.reset()
        app.stylesheet._parse_cache.clear()
        app.stylesheet.reparse()
        for node in nodes(app):
            app.stylesheet.apply(node)
    return values(app)


async def change(app: App[None], pilot: Any, what: str) -> None:
    """One thing that a selector asks about."""
    one = app.query_one("#one", Static)
    if what == "class":
        one.add_class("loud")
    elif what == "class above":
        app.query_one(Vertical).add_class("open")
    elif what == "disabled above":
        app.query_one(Vertical).disabled = True
    elif what == "disabled":
        one.disabled = True
    elif what == "focus":
        app.query_one("#field").focus()
    elif what == "theme":
        app.theme = "haima-light"
    elif what == "inline":
        one.styles.color = "red"
    await pilot.pause()


@pytest.mark.parametrize(
    "what", ["", "class", "class above", "disabled above", "disabled", "focus", "theme", "inline"]
)
async def test_the_values_are_those_of_textual(what: str) -> None:
    for _ in range(2):  # the second app takes what the first has left
        app = Styled("haima-dark")
        async with app.run_test() as pilot:
            await pilot.pause()
            await change(app, pilot, what)
            shown = values(app)
            assert shown == worked_out(app)


async def test_a_change_that_is_taken_back_leaves_what_was() -> None:
    app = Styled("haima-dark")
    async with app.run_test() as pilot:
        await pilot.pause()
        before = values(app)
        vertical = app.query_one(Vertical)
        vertical.add_class("open")
        await pilot.pause()
        assert values(app) != before
        vertical.remove_class("open")
        await pilot.pause()
        assert values(app) == before


async def test_what_is_known_is_not_matched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    matched: list[int] = []
    check = vars(Stylesheet)["_check_rule"].__func__

    def counted(cls: type[Stylesheet], rule: Any, path: list[DOMNode]) -> Any:
        matched[-1] += 1
        return check(cls, rule, path)

    monkeypatch.setattr(Stylesheet, "_check_rule", classmethod(counted))
    for _ in range(2):
        matched.append(0)
        async with Plain("haima-dark").run_test() as pilot:
            await pilot.pause()
    assert matched[1] < matched[0] / 4


async def test_a_part_keeps_its_node_and_a_part_that_changes_is_drawn_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Textual makes the nodes anew, and draws again where their values are others."""
    async with Styled("haima-dark").run_test() as pilot:
        field = pilot.app.query_one("#field", Input)
        await pilot.pause()
        before = {name: part.node for name, part in field._component_styles.items()}
        drawn: list[Input] = []
        monkeypatch.setattr(Input, "refresh", lambda self, *_, **more: drawn.append(self))
        pilot.app.stylesheet._process_component_classes(field)
        assert drawn == []
        pilot.app.query_one(Vertical).set_class(True, "open", update=False)
        pilot.app.stylesheet._process_component_classes(field)
        assert drawn == [field]
        after = {name: part.node for name, part in field._component_styles.items()}
        assert before.keys() == after.keys() == field._get_component_classes()
        assert all(before[name] is after[name] for name in before)


async def test_each_widget_has_a_layout_of_its_own() -> None:
    app = Styled("haima-dark")
    async with app.run_test():
        first = app.query_one(Vertical).styles.layout
    again = Styled("haima-dark")
    async with again.run_test():
        assert again.query_one(Vertical).styles.layout is not first


def test_with_another_textual_nothing_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textual, "__version__", "8.3.0")
    monkeypatch.setattr(Stylesheet, "apply", shared_styles._apply)
    share_styles()
    assert Stylesheet.apply is shared_styles._apply
