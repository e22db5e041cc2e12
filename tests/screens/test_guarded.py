"""The line that says what the guard cut, on the real screen: Enter takes it back."""

import asyncio
from pathlib import Path

from tests.screens.stage import make_app, opened, until
from tests.session.support import ScriptedModel, says
from tests.widgets.desk import has_row

CUT = "cut 1 message short to fit the window · freed"


async def test_enter_on_the_line_takes_the_cut_back_while_the_answer_is_awaited(
    tmp_path: Path,
) -> None:
    app = make_app(
        tmp_path, ScriptedModel(says("word " * 16_000)), flags={"compaction.auto": "clear"}
    )
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        chat, session = app.chat, app.session
        assert chat is not None and session is not None
        chat.run_line("tell me all")
        await until(pilot, lambda: session.outcome.steps and not session.busy)
        whole = session.history[-1]
        session.context.set_window(16_000)
        release, model = asyncio.Event(), session.model
        assert isinstance(model, ScriptedModel)
        model.answers = [[release, *says("Yes.")]]
        chat.run_line("and?")
        await until(pilot, lambda: has_row(app, CUT, "↩ undo"))
        assert session.history[session.history.index(whole.id)] != whole
        await pilot.press("tab", "end", "up", "enter")  # below it stands the warning mark
        await until(pilot, lambda: has_row(app, "↩ undone: 1 message is whole again · +"))
        assert not has_row(app, CUT)
        assert session.history[session.history.index(whole.id)] == whole
        release.set()
        await until(pilot, lambda: not session.busy)
