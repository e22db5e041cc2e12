"""The questions around going on with a session, under real keys (STYLE 7, 8)."""

import asyncio

import pytest
from textual.pilot import Pilot

from app.text import Language, Words
from tests.widgets.desk import Desk, has_row, rows, text
from widgets.dialogs.base import Dialog
from widgets.dialogs.choice import ChoiceDialog
from widgets.dialogs.resume_questions import WayOut, no_room, open_elsewhere
from widgets.look import Look


class Asking(Desk):
    """Asks once; the clock only moves when told to."""

    def __init__(self, kind: str, language: Language = "en", *, at_start: bool = False) -> None:
        super().__init__()
        self.now = 50.0
        self.answers: list[str | None] = []
        self.draft = ""
        look = Look(Words(language))
        ways: dict[str, tuple[WayOut, ...]] = {
            "room": ("compact", "model", "fork"),
            "no compaction": ("model", "fork"),
        }
        self.dialog: ChoiceDialog
        if kind == "elsewhere":
            self.dialog = open_elsewhere(
                look, "6b91c0ffee00", at_start=at_start, clock=lambda: self.now
            )
        else:
            self.dialog = no_room(
                look,
                used=168_900,
                most=20_000,
                window="32k",
                model="qwen3",
                ways=ways[kind],
                clock=lambda: self.now,
            )

    def on_mount(self) -> None:
        self.push_screen(self.dialog, self.answers.append)

    def on_dialog_typed(self, message: Dialog.Typed) -> None:
        self.draft += message.text


async def answered(pilot: Pilot[None], app: Asking) -> list[str | None]:
    for _ in range(100):
        await asyncio.sleep(0.01)
        if app.answers:
            break
    return app.answers


@pytest.mark.parametrize(
    ("kind", "keys", "expected"),
    [
        ("elsewhere", ("enter",), "fork"),
        ("elsewhere", ("f",), "fork"),
        ("elsewhere", ("2",), "new"),
        ("elsewhere", ("n",), "new"),
        ("elsewhere", ("tab", "enter"), "new"),
        ("elsewhere", ("escape",), None),
        ("room", ("enter",), "compact"),
        ("room", ("m",), "model"),
        ("room", ("3",), "fork"),
        ("room", ("escape",), None),
        ("no compaction", ("enter",), "model"),
        ("no compaction", ("c", "2"), None),
    ],
)
async def test_answers(kind: str, keys: tuple[str, ...], expected: str | None) -> None:
    app = Asking(kind)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.now += 5
        await pilot.press(*keys)
        if keys[0] == "c":  # no button has it: it is typed, and so the digit after it is
            await pilot.pause(0.1)
            assert not app.answers and app.draft == "c2"
            return
        assert await answered(pilot, app) == [expected]


async def test_what_is_being_typed_answers_nothing() -> None:
    app = Asking("elsewhere")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("f", "n", "enter")
        await pilot.pause(0.1)
        assert not app.answers and app.draft == "fn"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_all_is_said(language: Language, size: tuple[int, int]) -> None:
    words = Words(language)
    app = Asking("room", language)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert "168.9k" in text(app) and "20.0k" in text(app) and "32k" in text(app)
        for label in ("room_compact", "room_model", "room_fork"):
            assert has_row(app, words.named(f"resume_question.{label}_text")[:12])
        assert has_row(app, "1 c", "2 m", "3 f")
        assert has_row(app, f"Esc {words('resume_question.room_esc')}")


@pytest.mark.parametrize(("at_start", "esc"), [(True, "begin a new one"), (False, "stay here")])
async def test_what_esc_does_is_said(at_start: bool, esc: str) -> None:
    app = Asking("elsewhere", at_start=at_start)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert any(row.rstrip(" │").endswith(f"Esc {esc}") for row in rows(app))
