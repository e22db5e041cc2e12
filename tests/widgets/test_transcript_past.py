"""Earlier pages of the past under real keys: they come in above, and what is read stays."""

import pytest
from textual.app import App, ComposeResult
from textual.message import Message
from textual.widgets import Input

from app.conversation.past import PastMark
from app.events import TurnStarted
from app.text import Language, Words
from app.view.items import CardItem, EarlierItem, MarkItem
from app.view.transcript import TranscriptStore
from tests.view.pasts import AT, answer, call, page, result, talk, user
from tests.widgets.inks import EN, ZH
from tests.widgets.list_app import screen, settled
from widgets.card_lines import Stage, card_lines
from widgets.glyphs import UNICODE
from widgets.item_lines import earlier_line, mark_line
from widgets.look import Look
from widgets.palette import DARK, PALETTES
from widgets.requests import EarlierWanted, Request
from widgets.transcript_view import TranscriptView

INKS = {"en": EN, "zh": ZH}


class Desk(App[None]):
    """A conversation with a past, above a field."""

    AUTO_FOCUS = None
    CSS = "Screen { background: $bg; } Input { height: 3; }"

    def __init__(self, turns: int, language: Language = "en") -> None:
        super().__init__()
        for palette in PALETTES:
            self.register_theme(palette.theme())
        self.theme = DARK.name
        self.past = talk(turns)
        self.store = TranscriptStore(clock=lambda: 0.0)
        self.store.show_past(page(self.past))
        self.view = TranscriptView(self.store, Look(Words(language), UNICODE))
        self.told: list[Message] = []

    def compose(self) -> ComposeResult:
        yield self.view
        yield Input()

    def on_request(self, message: Request) -> None:
        self.told.append(message)

    def on_earlier_wanted(self, message: EarlierWanted) -> None:
        self.told.append(message)

    def more(self) -> None:
        self.store.prepend(page(self.past, self.store.earlier))


@pytest.mark.parametrize("size", [(80, 24), (120, 60)])
async def test_the_page_above_comes_in_without_moving_what_is_read(size: tuple[int, int]) -> None:
    app = Desk(60)
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app.view)
        app.view.focus()
        await pilot.press("home")
        await settled(pilot, app.view)
        before = screen(app.view)
        assert "100 earlier messages  Enter shows more" in before[1]
        await pilot.press("enter")
        await settled(pilot, app.view)
        assert [type(message) for message in app.told] == [EarlierWanted]
        app.more()
        await settled(pilot, app.view)
        after = screen(app.view)
        if size[1] == 24:
            assert after[2:] == before[2:]
        assert "question 51" in "\n".join(after)
        assert not any("earlier messages" in line for line in after)
        assert app.view.cursor is not None
        await pilot.press("home")
        await settled(pilot, app.view)
        assert "80 earlier messages" in screen(app.view)[1]
        for _ in range(4):
            app.more()
        await settled(pilot, app.view)
        await pilot.press("home")
        await settled(pilot, app.view)
        assert "question 1" in screen(app.view)[1]
        assert app.store.earlier is None


async def test_up_goes_on_into_the_page_that_came() -> None:
    app = Desk(60)
    async with app.run_test(size=(80, 24)) as pilot:
        app.view.focus()
        await pilot.press("home", "enter")
        app.more()
        await settled(pilot, app.view)
        marked = [line for line in screen(app.view) if line.startswith("▸")]
        assert marked == ["▸ answer 50"]
        await pilot.press("up", "up")  # the first one shows the blank row above it
        await settled(pilot, app.view)
        assert [line for line in screen(app.view) if line.startswith("▸")] == ["▸ ▌ question 50"]


async def test_what_comes_below_meanwhile_is_counted_not_followed() -> None:
    app = Desk(60)
    async with app.run_test(size=(80, 24)) as pilot:
        app.view.focus()
        await pilot.press("home", "enter")
        app.more()
        assert app.view.new_below == 0
        app.store.apply(TurnStarted(message="new", text="new"))
        await settled(pilot, app.view)
        assert app.view.new_below == 1


async def test_a_fork_goes_on_from_the_message_under_the_cursor() -> None:
    app = Desk(0)
    app.store.show_past(
        page([user("u1", "one"), answer("a1", "two", call("c1")), result("c1"), user("u2", "x")])
    )
    async with app.run_test(size=(80, 24)) as pilot:
        assert app.view.fork_point == ""
        app.view.focus()
        points = []
        await pilot.press("home")
        for _ in range(4):
            await settled(pilot, app.view)
            points.append(app.view.fork_point)
            await pilot.press("down")
        assert points == ["u1", "a1", "", "u2"]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ["1 earlier message  Enter shows more", "1,204 earlier messages  Enter shows more"]),
        ("zh", ["还有 1 条更早的消息  Enter 显示更多", "还有 1,204 条更早的消息  Enter 显示更多"]),
    ],
)
def test_the_line_for_earlier_messages(language: Language, expected: list[str]) -> None:
    said = [
        earlier_line(EarlierItem(id="e", count=n), INKS[language], 80, focused=False).text
        for n in (1, 1_204)
    ]
    assert said == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "en",
            [
                "──── forked from #6b91 at turn 84 ──",
                "──── forked from #6b91 ──",
            ],
        ),
        (
            "zh",
            [
                "──── 自 #6b91 第 84 轮分叉 ──",
                "──── 自 #6b91 分叉 ──",
            ],
        ),
    ],
)
def test_marks(language: Language, expected: list[str]) -> None:
    marks = [
        PastMark("fork", "8e10aa", "6b91aa", AT, turn=84),
        PastMark("fork", "8e10aa", "6b91aa", AT),
    ]
    store = TranscriptStore()
    store.show_past(page(marks))
    lines = [mark_line(item, INKS[language], 60) for item in store if isinstance(item, MarkItem)]
    assert [line.text.rstrip("─") + "──" for line in lines] == expected
    assert {line.cells for line in lines} == {60}


def test_cards_of_the_past() -> None:
    def rows(**values: object) -> list[str]:
        card = CardItem(id="c", tool="list_dir", subject="src/main/java", started=0, **values)  # type: ignore[arg-type]
        return [
            line.text.rstrip() for line in card_lines(card, EN, 70, Stage.CLOSED, focused=False)
        ]

    assert rows(status="interrupted") == [
        " ✗ list_dir        src/main/java                          interrupted"
    ]
    assert rows(status="ok", state="cleared") == [
        " ∅ list_dir        src/main/java                              cleared"
    ]
    assert rows(status="unknown", characters=3_104) == [
        "   list_dir        src/main/java                                3,104"
    ]
    first, second = rows(status="ok", state="offloaded", characters=48_213, seconds=1.1)
    assert first.endswith("1.1s   48,213") and second == "   ⇲ 48,213 chars in a file"
