"""What the header calls a fork: as its parent, until something is said in it; never nothing."""

from pathlib import Path

from textual.pilot import Pilot

from app.session.launch import StartRequest
from tests.screens.stage import Stage, make_app, opened, until
from tests.session.support import ScriptedModel, says
from tests.widgets.desk import text


def title(app: Stage) -> str:
    assert app.chat is not None
    return app.chat.state.title


async def say(pilot: Pilot[int], app: Stage, words: str, answer: str) -> None:
    await pilot.press(*words, "enter")
    await until(pilot, lambda: answer in text(app))
    await until(pilot, lambda: app.session is not None and not app.session.busy)


async def test_a_fork_has_its_parents_title_until_it_says_something(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel(says("One.")))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await say(pilot, app, "parent", "One.")
        assert app.session is not None
        parent = app.session.node
        await pilot.press(*"/fork", "enter")
        await until(pilot, lambda: app.session is not None and app.session.node != parent)
        await until(pilot, lambda: title(app) == "parent")
    await app.lead.put_away()
    again = make_app(
        tmp_path, ScriptedModel(says("Two.")), start=StartRequest("continue"), first_id=0x100
    )
    async with again.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: "One." in text(again))
        assert again.session is not None and again.session.node != parent
        assert title(again) == "parent"
        await say(pilot, again, "fork", "Two.")
        assert title(again) == "fork"
        await pilot.press(*"/clear", "enter")
        await until(pilot, lambda: "Two." not in text(again))
        assert title(again) == ""
    await again.lead.put_away()
