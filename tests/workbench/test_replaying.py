"""The replay on the real app, with real keys: F8, steps, marks, policies, the way to a step."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from app.screens.replay import ReplayScreen
from app.screens.viewer import ViewerScreen
from app.view.replay_view import ReplayView
from app.workbench import replay_run
from tests.screens.stage import Stage, make_app, opened, until
from tests.session.support import ScriptedModel, call, says
from tests.view.some_replays import SOME
from tests.widgets.desk import has_row, rows, text


def screen_of(app: Stage) -> ReplayScreen:
    assert isinstance(app.screen, ReplayScreen)
    return app.screen


def view_of(app: Stage) -> ReplayView:
    return screen_of(app).view


def played(app: Stage) -> bool:
    """Both plots are there."""
    view = view_of(app)
    return view.a.track is not None and view.b.track is not None


async def worked(pilot: Pilot[int], app: Stage) -> None:
    """Four steps of the session's own."""
    await opened(pilot, app)
    await pilot.press(*"read", "enter")
    await until(pilot, lambda: "All read" in text(app) and app.session and not app.session.busy)


async def soon(true: Callable[[], object]) -> None:
    """As `until`, which waits until nothing is computed, so until all is played."""
    for _ in range(2_000):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came true")


def working() -> ScriptedModel:
    return ScriptedModel(
        says("I look.", call("read_file", path="README.md")),
        says("", call("read_file", path="gone.md")),
        says("", call("list_dir", path=".")),
        says("All read."),
    )


async def test_f8_plays_ones_own_session_and_keys_go_through_it(tmp_path: Path) -> None:
    app = make_app(tmp_path, working())
    (tmp_path / "order-service" / "README.md").write_text("all of it\n" * 40)
    async with app.run_test(size=(120, 36)) as pilot:
        await worked(pilot, app)
        await pilot.press("f8")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and view_of(app).steps)
        await until(pilot, lambda: played(app))
        assert has_row(app, "Replay") and not has_row(app, "example")
        assert has_row(app, "STEP 4", "/ 4") and has_row(app, "B summarise-80")
        await pilot.press("home")
        await until(pilot, lambda: has_row(app, "STEP 1", "/ 4"))
        assert has_row(app, "✓ read_file README.md")
        await pilot.press("right")
        await until(pilot, lambda: has_row(app, "✗ read_file gone.md"))
        await pilot.press("left", "left")
        assert view_of(app).at == 1
        await pilot.press("shift+right")
        assert view_of(app).at == 4
        await pilot.press("p")
        await until(pilot, lambda: has_row(app, "B no-worklog"))
        await until(pilot, lambda: played(app))
        await pilot.press("+", "+", "+")
        assert has_row(app, "32/s") and not view_of(app).playing
        await pilot.press("space")
        assert view_of(app).playing and view_of(app).speed == 32
        await until(pilot, lambda: not view_of(app).playing)
        assert view_of(app).at == 4
        await pilot.press("f8")
        await until(pilot, lambda: app.screen is app.chat)


async def test_enter_goes_to_the_step_in_the_conversation(tmp_path: Path) -> None:
    app = make_app(tmp_path, working())
    async with app.run_test(size=(120, 36)) as pilot:
        await worked(pilot, app)
        await pilot.press("ctrl+g", "r")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and view_of(app).steps)
        await pilot.press("home", "right", "right", "enter")
        await until(pilot, lambda: app.screen is app.chat)
        await pilot.pause()
        assert app.chat is not None and app.chat.transcript.has_focus
        assert has_row(app, "▸", "list_dir")


async def test_without_steps_of_ones_own_the_example_is_shown_until_one_leaves(
    tmp_path: Path,
) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await pilot.press("f8")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and view_of(app).steps)
        assert view_of(app).example and has_row(app, "A haima", "example")
        assert "Tab Numbers" in rows(app)[-1]
        await pilot.press("tab")
        await until(pilot, lambda: has_row(app, "STEP 96", "example"))
        assert "Tab Plots" in rows(app)[-1] and not has_row(app, "A haima")
        await pilot.press("home", "enter")
        await until(pilot, lambda: isinstance(app.screen, ViewerScreen))
        await until(pilot, lambda: has_row(app, "step 1") and has_row(app, "▸"))
        replay = next(one for one in app.screen_stack if isinstance(one, ReplayScreen))
        await pilot.press("f8")
        await until(pilot, lambda: app.screen is replay)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ViewerScreen))
        await pilot.press("f1", "f8")
        await until(pilot, lambda: app.screen is replay)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ViewerScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is replay)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)
        await until(pilot, lambda: not [w for w in app.workers if w.group == "replay"])


async def test_f9_lists_what_can_be_done_and_nothing_before_there_is_a_recording(
    tmp_path: Path,
) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        assert app.chat is not None
        screen = ReplayScreen(app.look, app.chat.state)
        await app.push_screen(screen)
        await pilot.press("left", "space", "right_square_bracket", "enter", "end")
        assert screen.view.at == 0 and not screen.view.playing
        assert [one.name for one in screen.available("replay")] == ["leave_replay"]
        screen.fail("The example can't be read.")
        await until(pilot, lambda: has_row(app, "There is nothing to replay"))
        assert has_row(app, "The example can't be read.")
        assert "Esc Back" in rows(app)[-1] and "Space" not in rows(app)[-1]


async def test_what_goes_wrong_is_said_and_nothing_turns_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_done: object) -> object:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(replay_run, "track", broken)
    app = make_app(tmp_path, working())
    async with app.run_test(size=(120, 36)) as pilot:
        await worked(pilot, app)
        await pilot.press("f8")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and view_of(app).b.failed)
        assert view_of(app).a.failed and has_row(app, "A haima", "could not be played")
        await pilot.press("escape")
        monkeypatch.setattr(replay_run, "items", broken)
        await pilot.press("f8")
        await until(pilot, lambda: has_row(app, "There is nothing to replay"))
    assert "a fault of ours" in caplog.text


async def test_marks_are_gone_to_with_either_kind_of_bracket(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        assert app.chat is not None
        screen = ReplayScreen(app.look, app.chat.state)
        await app.push_screen(screen)
        screen.begin(SOME.steps, SOME.window, example=False)
        screen.show_pane("a", SOME.a)
        screen.show_pane("b", SOME.b)
        await pilot.press("home", "right_square_bracket")
        assert screen.view.at == 2
        await pilot.press("right_black_lenticular_bracket", "pagedown")
        assert screen.view.at == 12
        await pilot.press("left_black_lenticular_bracket", "pageup")
        assert screen.view.at == 2
        await pilot.click(screen.plots, offset=(79, 5))
        assert screen.view.at == 96


async def test_whoever_leaves_ends_the_playing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        app.action_replay()
        await soon(lambda: isinstance(app.screen, ReplayScreen) and view_of(app).a.done)
        screen = screen_of(app)
        assert list((tmp_path / "tmp").glob("haima-replay-*"))
        await screen.leave()
        await soon(lambda: not list((tmp_path / "tmp").glob("haima-replay-*")))
        assert screen.view.a.track is None
        assert screen.view.a.done < len(screen.view.steps)
