"""The gauge on the real app, with real keys: F5, `w`, `/context`, `/window`, `/usage`."""

from pathlib import Path

from app.ports import Usage
from app.screens.context import ContextScreen
from tests.screens.stage import Stage, clock_of, make_app, opened, until
from tests.session.support import ScriptedModel, call, says
from tests.widgets.desk import has_row, rows, text
from widgets.dialogs.confirm import ConfirmDialog


def busy(app: Stage) -> bool:
    return app.session is not None and app.session.busy


async def test_the_panel_tells_how_full_the_window_is_from_the_start(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel(says("Hello", usage=Usage(2_000, 0, 10))))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: has_row(app, "CONTEXT", "estimated"))
        assert any(has_row(app, "● 128k", f"{percent}%") for percent in (1, 2, 3))
        await pilot.press(*"hi", "enter")
        await until(pilot, lambda: has_row(app, "CONTEXT", "2.0k"))
        assert not has_row(app, "CONTEXT", "estimated")


async def test_the_line_above_the_prompt_of_a_small_screen(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: has_row(app, "128k", "F5"))
        assert not has_row(app, "CONTEXT")
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(app.screen, ContextScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)


async def test_f5_goes_to_the_panel_and_the_context_leads_to_a_message(
    tmp_path: Path,
) -> None:
    readme = "all of it\n" * 400
    model = ScriptedModel(says("", call("read_file", path="README.md")), says("Done"))
    app = make_app(tmp_path, model)
    (tmp_path / "order-service" / "README.md").write_text(readme)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"read it", "enter")
        await until(pilot, lambda: "Done" in text(app) and not busy(app))
        await pilot.press("f5")
        await pilot.pause()
        assert app.chat is not None and app.chat.side.is_used
        assert "w Window" in rows(app)[-1]
        await pilot.press("escape", *"/context", "enter")
        await until(pilot, lambda: isinstance(app.screen, ContextScreen))
        await until(pilot, lambda: has_row(app, "▸", "read_file", "README.md"))
        assert has_row(app, "tool results", "1")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is app.chat)
        await pilot.pause()
        assert app.chat.transcript.has_focus
        assert has_row(app, "▸", "read_file", "README.md")


async def test_w_looks_at_another_window_and_enter_switches(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot, app)
        assert app.session is not None
        before = app.session.context.window.window.effective
        await pilot.press("f5", "w")
        await until(pilot, lambda: "preview" in text(app))
        assert app.session.context.window.window.effective == before
        await pilot.press("escape")
        await until(pilot, lambda: "preview" not in text(app))
        assert app.chat is not None and app.chat.side.panel.has_focus
        await pilot.press("w", "enter")
        window = app.session.context.window
        await until(pilot, lambda: window.window.effective != before)
        assert window.window.source == "flag"
        await until(pilot, lambda: "Context window" in text(app))


async def test_a_window_above_the_known_maximum_asks_and_the_safe_answer_keeps(
    tmp_path: Path,
) -> None:
    model = ScriptedModel()
    app = make_app(tmp_path, model, flags={"model.name": "moonshot-v1-8k"})
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        assert app.session is not None
        window = app.session.context.window
        window.use(_Named("glm-4.5"), app.session.settings)
        kept = window.window.effective
        await pilot.press(*"/window 1m", "enter")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)
        assert window.window.effective == kept
        await pilot.press(*"/window 1m", "enter")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        clock_of(app).seconds += 5
        await pilot.press("y")
        await until(pilot, lambda: window.window.effective == 1_000_000)


async def test_a_learned_window_is_named_and_window_auto_forgets_it(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        assert app.session is not None
        window = app.session.context.window
        before = window.window.effective
        window.learn(65_536)
        await pilot.press(*"/window", "enter")
        await until(pilot, lambda: "learned from a refusal" in " ".join(text(app).split()))
        assert window.window.source == "learned"
        await pilot.press(*"/window auto", "enter")
        await until(pilot, lambda: window.window.effective == before)


async def test_a_wrong_window_is_said_and_nothing_changes(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        assert app.session is not None
        before = app.session.context.window.window
        await pilot.press(*"/window huge", "enter")
        await until(pilot, lambda: "Not done" in text(app) or "huge" in text(app))
        assert app.session.context.window.window == before


async def test_usage_is_a_line_in_the_conversation(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel(says("Hello", usage=Usage(2_000, 500, 10))))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"hi", "enter")
        await until(pilot, lambda: "Hello" in text(app) and not busy(app))
        await pilot.press(*"/usage", "enter")
        await until(pilot, lambda: has_row(app, "scripted", "1 call"))
        assert "price unknown" in text(app)


class _Named(ScriptedModel):
    """A model whose name is in the table."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.base_url = "https://open.bigmodel.cn/api/paas/v4"
