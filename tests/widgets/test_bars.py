"""Header, footer, leader menu."""

from dataclasses import replace

import pytest
from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult

from app.text import Words
from tests.widgets.desk import Desk, has_row, rows, text
from widgets.actions import ACTIONS
from widgets.footer import Footer, Hint
from widgets.glyphs import ASCII
from widgets.header import Header, HeaderState
from widgets.leader import LeaderMenu
from widgets.look import Look

FULL = HeaderState(
    project="order-service",
    branch="main",
    changes=3,
    model="deepseek-v3.2",
    title="Upgrade to Java 21",
    session="7f3a",
)


async def header_row(state: HeaderState, width: int, look: Look | None = None) -> str:
    app = Desk(Header(look or Look(), state))
    async with app.run_test(size=(width, 24)) as pilot:
        await pilot.pause()
        return rows(app)[0]


async def test_header_order() -> None:
    row = await header_row(FULL, 120)
    assert row.startswith(" ≋ haima  order-service main ±3   deepseek-v3.2")
    assert row.endswith("Upgrade to Java 21  #7f3a")
    assert len(row) == 119


async def test_a_header_without_memory_says_so() -> None:
    row = await header_row(replace(FULL, memory_off=True), 80)
    assert row.startswith(" ≋ haima  order-service   deepseek-v3.2   memory off ")
    assert "memory" not in await header_row(FULL, 80)


async def test_a_compact_header_drops_the_branch() -> None:
    row = await header_row(FULL, 80)
    assert "main" not in row
    assert row.endswith("Upgrade to Java 21  #7f3a")


async def test_the_title_gives_way_first() -> None:
    state = HeaderState(project="p" * 30, model="m" * 30, title="A long title", session="7f3a")
    row = await header_row(state, 80)
    assert "p" * 30 in row and "m" * 30 in row and "#7f3a" in row
    assert "A long title" not in row
    assert cell_len(row) <= 79


async def test_an_alert_stands_at_the_edge() -> None:
    row = await header_row(HeaderState(project="order-service", alert="未连接模型"), 80)
    assert row.endswith("未连接模型")
    assert cell_len(row) == 79


async def test_foreign_text_in_the_header_cannot_steer_the_terminal() -> None:
    row = await header_row(HeaderState(project="a\x1b[31mb", title="t\x07"), 120)
    assert "a\\x1b[31mb" in row and "t\\x07" in row


async def test_an_ascii_header() -> None:
    row = await header_row(FULL, 120, Look(glyphs=ASCII))
    assert row.isascii()
    assert "main +-3" in row


HINTS = (
    Hint("F1", "Help", "app.help", stays=True),
    *(Hint(f"F{n}", "Something long") for n in range(2, 9)),
    Hint("Esc", "Stop", "screen.back", stays=True),
)


class FooterDesk(Desk):
    def __init__(self) -> None:
        super().__init__(Footer(Look()))

    def on_footer_chosen(self, message: Footer.Chosen) -> None:
        self.note(message)


async def test_the_footer_leaves_out_what_does_not_fit() -> None:
    app = FooterDesk()
    async with app.run_test(size=(80, 24)) as pilot:
        footer = app.query_one(Footer)
        footer.hints, footer.last = HINTS, Hint("^G", "more", "app.leader")
        await pilot.pause()
        row = rows(app)[-1]
        assert row.startswith(" F1 Help  F2") and row.endswith("^G more")
        assert "Esc Stop" in row and "F8" not in row


async def test_a_click_in_the_footer_runs_the_action() -> None:
    app = FooterDesk()
    async with app.run_test(size=(80, 24)) as pilot:
        footer = app.query_one(Footer)
        footer.hints, footer.last = HINTS[:1], Hint("^G", "more", "app.leader")
        await pilot.pause()
        await pilot.click(Footer, offset=(2, 0))
        await pilot.click(Footer, offset=(77, 0))
        assert [m.runs for m in app.seen if isinstance(m, Footer.Chosen)] == [
            "app.help",
            "app.leader",
        ]


class LeaderDesk(Desk):
    def __init__(self, look: Look | None = None, seconds: float = 2.0) -> None:
        super().__init__()
        self.menu = LeaderMenu(look or Look(), seconds)

    def compose(self) -> ComposeResult:
        yield self.menu

    def on_leader_menu_chosen(self, message: LeaderMenu.Chosen) -> None:
        self.note(message)

    @property
    def chosen(self) -> list[str]:
        return [m.runs for m in self.seen if isinstance(m, LeaderMenu.Chosen)]


async def test_the_leader_menu_shows_what_works() -> None:
    app = LeaderDesk()
    async with app.run_test(size=(80, 24)) as pilot:
        app.menu.open()
        await pilot.pause()
        assert has_row(app, "?   Keys", "m 1 Memory", "s 2 Sessions", "x 4 Context")
        assert has_row(app, "r 6 Replay") and has_row(app, "l 8 语言 zh")
        assert "Settings" not in text(app)


@pytest.mark.parametrize(
    ("key", "character", "runs"),
    [
        ("l", "l", "app.language"),
        ("8", "8", "app.language"),
        ("L", "L", "app.language"),
        ("question_mark", "?", "app.help"),
        ("fullwidth_question_mark", "？", "app.help"),
        ("9", "9", "app.actions"),
    ],
)
async def test_letters_digits_and_twins_choose(key: str, character: str, runs: str) -> None:
    app = LeaderDesk()
    async with app.run_test(size=(80, 24)) as pilot:
        app.menu.open()
        app.post_message(events.Key(key, character))
        await pilot.pause()
        assert app.chosen == [runs]
        assert not app.menu.is_open


@pytest.mark.parametrize("key", ["escape", "q", "enter", "ctrl+g"])
async def test_any_other_key_only_closes(key: str) -> None:
    app = LeaderDesk()
    async with app.run_test(size=(80, 24)) as pilot:
        app.menu.open()
        await pilot.press(key)
        await pilot.pause()
        assert app.kinds() == [] and not app.menu.is_open


async def test_it_gives_up_after_its_time() -> None:
    app = LeaderDesk(seconds=0.01)
    async with app.run_test(size=(80, 24)) as pilot:
        app.menu.open()
        while app.menu.is_open:
            await pilot.pause(0.01)
        assert app.kinds() == []


async def test_an_empty_character_chooses_nothing() -> None:
    app = LeaderDesk()
    async with app.run_test(size=(80, 24)) as pilot:
        app.menu.open()
        app.post_message(events.Key("f5", None))
        await pilot.pause()
        assert app.chosen == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_action_has_its_words(language: str) -> None:
    words = Words("zh" if language == "zh" else "en")
    for action in ACTIONS:
        if action.shown:
            assert words.has(f"actions.{action.name}"), action.name
        if action.footer or action.leader:
            assert words.has(f"actions.{action.name}_label"), action.name
        assert words.has(f"actions.at_{action.region}")


def test_names_leader_letters_and_twins_are_unique() -> None:
    assert len({action.name for action in ACTIONS}) == len(ACTIONS)
    seconds = "".join(action.leader for action in ACTIONS)
    assert len(set(seconds)) == len(seconds)


def test_no_key_is_cut_in_the_help() -> None:
    """Its column has eleven cells, the last of them blank."""
    assert [one.shown for one in ACTIONS if cell_len(one.shown) > 10] == []
