"""What is typed and sent between the start and the open session: none of it is lost."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.screen import Screen

from app.errors import HaimaError
from app.project import GitState, Project
from app.screens.first_run import FirstRunScreen
from app.screens.opening import OpeningScreen
from app.session.launch import StartRequest
from app.session.session import Session
from app.workbench.app import FAILED
from tests.screens.stage import Stage, make_app, opened, until
from tests.session.support import ScriptedModel, says
from tests.widgets.desk import has_row, text
from widgets.prompt_input import PromptInput


@contextmanager
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[asyncio.Event]:
    """Sessions take long to open: until this is set."""
    gate = asyncio.Event()
    look = Session.look_at_git

    async def wait(session: Session) -> GitState | None:
        await gate.wait()
        return await look(session)

    monkeypatch.setattr(Session, "look_at_git", wait)
    yield gate


def type_now(app: Stage, *keys: str) -> None:
    """Keys as the terminal sends them: nobody waits until the app is ready for them."""
    for key in keys:
        app.post_message(events.Key(key, key if len(key) == 1 else None))


async def gone(app: Stage, screen: type[Screen[None]]) -> None:
    """Until another screen takes its place, and nothing there has the focus."""
    while isinstance(app.screen, screen):  # noqa: ASYNC110 - this very step is wanted
        await asyncio.sleep(0)
    assert app.focused is None


def said(app: Stage) -> list[str]:
    """The user's messages that the history has."""
    assert app.session is not None
    return [message.text for message in app.session.history if message.role == "user"]


def prompt(app: Stage) -> str:
    assert app.chat is not None
    return app.chat.prompt.draft


def draft_file(tmp_path: Path) -> Path:
    slug = Project(tmp_path / "order-service").slug
    return tmp_path / "home" / ".haima" / "projects" / slug / "draft.md"


@pytest.mark.parametrize("steps", [0, 3, 9, 18, 27, 36])
async def test_keys_come_through_while_the_screen_is_put_together(
    tmp_path: Path, steps: int
) -> None:
    gate = asyncio.Event()
    app = make_app(tmp_path, ScriptedModel(says("Hello.")), gate=gate)
    async with app.run_test(size=(160, 48)) as pilot:
        await pilot.press("a")
        gate.set()
        await gone(app, OpeningScreen)
        for _ in range(steps):
            await asyncio.sleep(0)
        type_now(app, "b", "c", "enter", "d")
        await until(pilot, lambda: "Hello." in text(app))
        assert (said(app), prompt(app)) == (["abc"], "d")


async def test_keys_wait_for_a_focus_that_comes_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = asyncio.Event()
    app = make_app(tmp_path, ScriptedModel(says("Hello.")), gate=gate)
    focus = PromptInput.focus

    def late(self: PromptInput, scroll_visible: bool = True) -> PromptInput:
        self.set_timer(0.1, lambda: focus(self, scroll_visible))
        return self

    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("a")
        monkeypatch.setattr(PromptInput, "focus", late)
        gate.set()
        await gone(app, OpeningScreen)
        type_now(app, "b", "enter")
        await until(pilot, lambda: "Hello." in text(app))
        assert said(app) == ["ab"]


async def test_keys_come_through_while_the_first_run_gives_way(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: "No model is connected yet" in text(app))
        app.post_message(events.Key("enter", None))
        await gone(app, FirstRunScreen)
        type_now(app, "a", "b")
        await opened(pilot, app)
        await until(pilot, lambda: prompt(app) == "ab")


async def test_a_paste_comes_through_while_the_app_is_loaded(tmp_path: Path) -> None:
    gate = asyncio.Event()
    app = make_app(tmp_path, ScriptedModel(), gate=gate)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("a")
        app.post_message(events.Paste("pasted"))
        await pilot.press("z")
        gate.set()
        await opened(pilot, app)
        await until(pilot, lambda: prompt(app) == "apastedz")


async def _sent_early(pilot: Pilot[int], app: Stage, *lines: str) -> None:
    """Sends these while the session isn't open."""
    await until(pilot, lambda: app.chat is not None and app.focused is app.chat.prompt.input)
    for line in lines:
        await pilot.press(*line, "enter")
    assert app.session is not None and not app.session.node


async def test_what_is_sent_before_the_session_is_open_is_seen_and_sent_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(tmp_path, ScriptedModel(says("One."), says("Two.")))
    with held(monkeypatch) as gate:
        async with app.run_test(size=(120, 36)) as pilot:
            await _sent_early(pilot, app, "first", "second")
            await until(pilot, lambda: has_row(app, "second", "queued"))
            assert has_row(app, "first", "queued") and prompt(app) == ""
            assert has_row(app, "sent as soon as the session is open")
            gate.set()
            await until(pilot, lambda: "Two." in text(app))
            assert said(app) == ["first", "second"]
            assert "queued" not in text(app)


async def test_it_can_be_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = make_app(tmp_path, ScriptedModel(says("One.")))
    with held(monkeypatch) as gate:
        async with app.run_test(size=(120, 36)) as pilot:
            await _sent_early(pilot, app, "first", "second")
            await pilot.press("up")
            await until(pilot, lambda: prompt(app) == "second")
            assert "first" in text(app)
            gate.set()
            await until(pilot, lambda: "One." in text(app))
            assert (said(app), prompt(app)) == (["first"], "second")


async def test_a_command_alone_leaves_the_empty_conversation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(tmp_path, ScriptedModel())
    with held(monkeypatch) as gate:
        async with app.run_test(size=(120, 36)) as pilot:
            await _sent_early(pilot, app, "/save port 8080")
            gate.set()
            await until(pilot, lambda: has_row(app, "Saved for this project"))
            await until(pilot, lambda: "Nothing has been said" in text(app))
            assert app.chat is not None and app.chat.prompt.queued == 0


async def test_what_is_sent_early_in_a_session_that_goes_on_comes_below_its_past(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make_app(tmp_path, ScriptedModel(says("Before.")))
    async with first.run_test(size=(120, 36)) as pilot:
        await opened(pilot, first)
        await pilot.press(*"past", "enter")
        await until(pilot, lambda: "Before." in text(first))
        await until(pilot, lambda: first.session is not None and not first.session.busy)
    await first.lead.put_away()
    start = StartRequest("continue")
    app = make_app(tmp_path, ScriptedModel(says("After.")), start=start, first_id=0x100)
    with held(monkeypatch) as gate:
        async with app.run_test(size=(120, 36)) as pilot:
            await _sent_early(pilot, app, "now")
            gate.set()
            await until(pilot, lambda: "After." in text(app) and "Before." in text(app))
            shown = [row for row in text(app).splitlines() if "▌" in row]
            assert ["past" in row for row in shown] == [True, False]
            assert said(app) == ["past", "now"]
    await app.lead.put_away()


async def test_it_stays_in_the_draft_when_the_app_ends_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(tmp_path, ScriptedModel())
    with held(monkeypatch):
        async with app.run_test(size=(120, 36)) as pilot:
            await _sent_early(pilot, app, "a long thought")
            await pilot.press(*"and")
            app.leave(130)
            assert draft_file(tmp_path).read_text() == "a long thought\n\nand"


async def test_it_stays_in_the_draft_when_the_session_cannot_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(tmp_path, ScriptedModel())
    with held(monkeypatch) as gate:
        async with app.run_test(size=(120, 36)) as pilot:
            await _sent_early(pilot, app, "a long thought")

            async def fails(session: Session) -> None:
                raise HaimaError("storage.full", path=tmp_path)

            monkeypatch.setattr(Session, "_opened", lambda session, start: fails(session))
            gate.set()
            await until(pilot, lambda: app.return_value is not None)
    assert app.return_value == FAILED
    assert draft_file(tmp_path).read_text() == "a long thought"


async def test_what_is_on_its_way_into_the_history_stays_in_the_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(tmp_path, ScriptedModel(says("Hello.")))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        with held(monkeypatch) as gate:
            await pilot.press(*"/clear", "enter")
            await pilot.press(*"on its way", "enter")
            await pilot.pause()
            app.lead.keep_draft()
            assert draft_file(tmp_path).read_text() == "on its way"
            gate.set()
            await until(pilot, lambda: "Hello." in text(app))
            await until(pilot, lambda: not draft_file(tmp_path).exists())
    await app.lead.put_away()
