"""A history that no longer fits is asked about once, at the first send (FIELD 27, 60)."""

from pathlib import Path

from textual.pilot import Pilot

from app.session.launch import StartRequest
from tests.screens.stage import Stage, clock_of, make_app, opened, until
from tests.session.support import ScriptedModel, says
from tests.widgets.desk import has_row
from widgets.dialogs.choice import ChoiceDialog

LONG = "word " * 5_100
"""About 5,100 tokens: over the summary mark of the smallest window, and within it."""


async def grown(tmp_path: Path) -> None:
    """A session whose history is long."""
    app = make_app(tmp_path, ScriptedModel(says("One")), first_id=1)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        assert app.session is not None
        await app.session.run(LONG)
        await app.session.close()


async def resumed(app: Stage, pilot: Pilot[int]) -> None:
    """That session, with the smallest window."""
    await opened(pilot, app)
    await until(pilot, lambda: app.session and len(app.session.history) > 1)
    assert app.session is not None
    app.session.context.set_window(8_000)


def later(tmp_path: Path, model: ScriptedModel) -> Stage:
    """Another process on the same files."""
    return make_app(tmp_path, model, first_id=100, start=StartRequest("continue"))


async def test_it_is_asked_once_and_the_message_stays(tmp_path: Path) -> None:
    await grown(tmp_path)
    model = ScriptedModel(says("Two"))
    app = later(tmp_path, model)
    async with app.run_test(size=(120, 36)) as pilot:
        await resumed(app, pilot)
        assert model.requests == [], "nothing is sent before the user sends"
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: isinstance(app.screen, ChoiceDialog))
        assert has_row(app, "The history no longer fits")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)
        assert app.chat is not None
        assert app.chat.prompt.input.text == "go"
        assert model.requests == []
        await pilot.press("enter")
        await until(pilot, lambda: len(model.requests) == 1)


async def test_fork_earlier_leads_to_the_messages(tmp_path: Path) -> None:
    await grown(tmp_path)
    app = later(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await resumed(app, pilot)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: isinstance(app.screen, ChoiceDialog))
        clock_of(app).seconds += 5
        await pilot.press("f")
        await until(pilot, lambda: app.screen is app.chat)
        assert app.chat is not None
        await until(pilot, lambda: app.chat is not None and app.chat.transcript.has_focus)
        assert has_row(app, "Choose a message")
