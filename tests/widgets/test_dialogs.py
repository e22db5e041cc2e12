"""One modal at a time, lists, menus."""

import asyncio

import pytest
from textual.app import ComposeResult
from textual.content import Content
from textual.pilot import Pilot

from app.text import Language, Words
from tests.widgets.desk import Desk, has_row, rows, text
from widgets.dialogs.desk import ModalDesk
from widgets.dialogs.entry import Entry
from widgets.dialogs.menu import MenuDialog, fit
from widgets.dialogs.models import ModelChoice, ModelDialog
from widgets.listing import Listing
from widgets.look import Look
from widgets.rows import line

ENTRIES = (
    Entry("search history", "Ctrl+R", "screen.search"),
    Entry("commands", "/", "screen.type('/')"),
    Entry("keys and help", "F1", "app.help"),
)


class ModalApp(Desk):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[bool] = []
        self.desk = ModalDesk(self, self.open.append)
        self.results: list[object] = []

    def menu(self, title: str = "one") -> MenuDialog:
        entry = Entry(title, "", title)
        return MenuDialog(Look(), "menu.title_here", (entry,))


async def ask(app: ModalApp, title: str) -> str | None:
    return await app.desk.ask(app.menu(title))


async def settled(pilot: Pilot[None], app: ModalApp) -> None:
    await pilot.pause()
    await pilot.pause()


async def test_the_second_waits_for_the_first() -> None:
    app = ModalApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.desk.open(app.menu("one"), app.results.append)
        app.desk.open(app.menu("two"), app.results.append)
        await settled(pilot, app)
        assert "one" in text(app) and "two" not in text(app)
        await pilot.press("enter")
        await settled(pilot, app)
        assert app.results == ["one"] and "two" in text(app)
        await pilot.press("escape")
        await settled(pilot, app)
        assert app.results == ["one", None]
        assert app.open == [True, True, False] and len(app.screen_stack) == 1


async def test_one_that_waits_can_be_withdrawn() -> None:
    app = ModalApp()
    async with app.run_test(size=(80, 24)) as pilot:
        second = app.menu("two")
        app.desk.open(app.menu("one"), app.results.append)
        app.desk.open(second, app.results.append)
        app.desk.withdraw(second)
        await settled(pilot, app)
        await pilot.press("enter")
        await settled(pilot, app)
        assert app.results == ["one"] and len(app.screen_stack) == 1


async def test_one_withdrawn_before_it_could_show_never_shows() -> None:
    app = ModalApp()
    async with app.run_test(size=(80, 24)) as pilot:
        first = app.menu("one")
        app.desk.open(first, app.results.append)
        app.desk.withdraw(first)
        await settled(pilot, app)
        assert app.results == [] and len(app.screen_stack) == 1
        app.desk.open(app.menu("two"), app.results.append)
        await settled(pilot, app)
        assert "two" in text(app)


async def test_the_open_one_can_be_withdrawn_and_the_next_shows() -> None:
    app = ModalApp()
    async with app.run_test(size=(80, 24)) as pilot:
        first = app.menu("one")
        app.desk.open(first, app.results.append)
        app.desk.open(app.menu("two"), app.results.append)
        await settled(pilot, app)
        app.desk.withdraw(first)
        app.desk.withdraw(first)
        await settled(pilot, app)
        assert app.results == [] and "two" in text(app)


async def test_a_cancelled_wait_takes_its_dialog_off() -> None:
    app = ModalApp()
    async with app.run_test(size=(80, 24)) as pilot:
        task = asyncio.create_task(ask(app, "one"))
        await settled(pilot, app)
        assert "one" in text(app)
        task.cancel()
        await settled(pilot, app)
        assert len(app.screen_stack) == 1
        answer = asyncio.create_task(ask(app, "two"))
        await settled(pilot, app)
        await pilot.press("enter")
        assert await answer == "two"


def test_a_whole_stretch_beats_scattered_letters() -> None:
    assert fit("help", ENTRIES) == (ENTRIES[2],)
    assert fit("", ENTRIES) == ENTRIES
    assert fit("zzz", ENTRIES) == ()


async def test_a_menu_is_narrowed_by_typing_and_enter_in_one_go() -> None:
    app = ModalApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.desk.open(MenuDialog(Look(), "menu.title_here", ENTRIES), app.results.append)
        await settled(pilot, app)
        assert has_row(app, "╭─ Actions ─") and has_row(app, "▸ search history", "Ctrl+R")
        await pilot.press("down", "up", *"hel", "enter")
        await settled(pilot, app)
        assert app.results == ["app.help"]


async def test_the_model_in_use_is_where_the_cursor_begins() -> None:
    app = ModalApp()
    dialog = ModelDialog(Look(), place="host", models=("a", "b\x1b[2J", "c"), current="c")
    async with app.run_test(size=(80, 24)) as pilot:
        app.desk.open(dialog, app.results.append)
        await settled(pilot, app)
        assert has_row(app, "▸ c", "in use") and has_row(app, "b\\x1b[2J")
        assert "Ctrl+K" not in text(app)
        await pilot.press("ctrl+k", "ctrl+e", "up", "enter")
        await settled(pilot, app)
        assert app.results == [ModelChoice("b\x1b[2J", keep=False)]


@pytest.mark.parametrize(("language", "esc"), [("en", "Esc cancel"), ("zh", "Esc 取消")])
async def test_a_row_of_keys_ends_between_two_of_them(language: Language, esc: str) -> None:
    app = ModalApp()
    dialog = ModelDialog(Look(Words(language)), place="host", models=("a",), changes=True)
    async with app.run_test(size=(80, 24)) as pilot:
        app.desk.open(dialog, app.results.append)
        await settled(pilot, app)
        assert has_row(app, f"│  {esc}") and "Ctrl+K" in text(app)


class Numbers(Listing):
    """Even numbers can be chosen."""

    def __init__(self, total: int) -> None:
        super().__init__(Look())
        self.total = total
        self.styles.max_height = 6

    def count(self) -> int:
        return self.total

    def can_choose(self, index: int) -> bool:
        return 0 <= index < self.total and index % 2 == 0

    def draw(self, index: int, width: int, *, on: bool) -> Content:
        return self.cursor_piece(on=on) + line((f"number {index}", "$text"))


class NumbersDesk(Desk):
    def __init__(self, total: int) -> None:
        super().__init__()
        self.list = Numbers(total)
        self.chosen: list[int] = []

    def compose(self) -> ComposeResult:
        yield self.list

    def on_listing_chosen(self, message: Listing.Chosen) -> None:
        self.chosen.append(message.index)


async def test_the_cursor_skips_what_cannot_be_chosen() -> None:
    app = NumbersDesk(5)
    async with app.run_test(size=(40, 10)) as pilot:
        app.list.focus()
        await pilot.press("down", "enter", "down", "down", "down", "enter", "home", "enter")
        assert app.chosen == [2, 4, 0]
        assert len([row for row in rows(app) if "number" in row]) == 5


async def test_what_does_not_fit_is_counted_and_comes_into_view() -> None:
    app = NumbersDesk(20)
    async with app.run_test(size=(40, 10)) as pilot:
        app.list.focus()
        await pilot.pause()
        assert rows(app)[5] == "  15 more"
        await pilot.press("end")
        await pilot.pause()
        assert "▸ number 18" in text(app) and "number 0" not in text(app)
        await pilot.press("pageup", "pageup", "pageup", "pageup")
        await pilot.pause()
        assert "▸ number 0" in text(app)


async def test_a_click_chooses() -> None:
    app = NumbersDesk(5)
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.click(Numbers, offset=(3, 2))
        await pilot.click(Numbers, offset=(3, 1))
        assert app.chosen == [2]


async def test_a_list_without_focus_keeps_a_grey_cursor() -> None:
    app = NumbersDesk(5)
    async with app.run_test(size=(40, 10)) as pilot:
        app.list.focus()
        await pilot.pause()
        lit = app.screen._compositor.render_strips()[0]
        app.screen.set_focus(None)
        await pilot.pause()
        grey = app.screen._compositor.render_strips()[0]
        assert lit.text == grey.text
        assert [s.style for s in lit] != [s.style for s in grey]
