"""The question before something that may be a mistake, under real keys (STYLE 7, 8)."""

import asyncio

import pytest
from textual import events
from textual.pilot import Pilot

from app.text import Language, Words
from tests.widgets.desk import Desk, has_row, rows
from widgets.dialogs.base import Dialog
from widgets.dialogs.confirm import ConfirmDialog
from widgets.glyphs import ASCII
from widgets.look import Look


def says(words: Words) -> tuple[str, ...]:
    return f"{words.language}: {'long ' * 20}end", "two\x1b[31m"


class ConfirmDesk(Desk):
    """Asks once; the clock only moves when told to."""

    def __init__(self, look: Look | None = None, typed_at: float | None = None) -> None:
        super().__init__()
        self.now = 50.0
        self.dialog = ConfirmDialog(
            look or Look(),
            title="approval.title_command",
            says=says,
            do="approval.once",
            keep="approval.refuse",
            clock=lambda: self.now,
            typed_at=typed_at,
        )
        self.answers: list[bool | None] = []
        self.draft = ""

    def on_mount(self) -> None:
        self.push_screen(self.dialog, self.answers.append)

    def on_dialog_typed(self, message: Dialog.Typed) -> None:
        self.draft += message.text


async def answered(pilot: Pilot[None], app: ConfirmDesk) -> None:
    for _ in range(100):
        await asyncio.sleep(0.01)
        if app.answers:
            return


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (("enter",), False),
        (("escape",), False),
        (("n",), False),
        (("2",), False),
        (("y",), True),
        (("1",), True),
        (("tab", "enter"), True),
        (("left", "enter"), True),
        (("right", "shift+tab", "enter"), False),
    ],
)
async def test_answers(keys: tuple[str, ...], expected: bool) -> None:
    app = ConfirmDesk()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.now += 5
        await pilot.press(*keys)
        await answered(pilot, app)
        assert app.answers == [expected]


async def test_before_the_pause_only_esc_acts_and_text_goes_to_the_draft() -> None:
    app = ConfirmDesk()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("tab", "enter", "1", "y", "e", "s")
        await pilot.pause(0.12)
        assert app.answers == []
        assert app.draft == "yes"
        assert app.dialog.buttons.at == 1
        await pilot.press("escape")
        await answered(pilot, app)
        assert app.answers == [False]


async def test_a_word_or_a_paste_never_answers() -> None:
    app = ConfirmDesk()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.now += 5
        await pilot.press("y", "e", "s")
        app.dialog.post_message(events.Paste("y"))
        await pilot.press("是")
        await pilot.pause(0.12)
        assert app.answers == []
        assert app.draft == "yesy是"


@pytest.mark.parametrize(
    ("language", "title", "buttons"),
    [
        ("en", "Approve command", (" 1 y Run once ", " 2 n Refuse ")),
        ("zh", "批准命令", (" 1 y 执行一次 ", " 2 n 拒绝 ")),
    ],
)
async def test_what_it_says(language: Language, title: str, buttons: tuple[str, ...]) -> None:
    app = ConfirmDesk(Look(Words(language)))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.pause()
        assert has_row(app, title)
        assert has_row(app, f"{language}: long long")
        assert has_row(app, "long end")
        assert has_row(app, "two\\x1b[31m")
        assert has_row(app, *buttons)
        assert has_row(app, "Tab ← →", "Esc")


async def test_letters_only() -> None:
    app = ConfirmDesk(Look(glyphs=ASCII))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.pause()
        assert all(row.isascii() for row in rows(app))
