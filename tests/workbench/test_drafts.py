"""The draft in the real app: kept when typing pauses and when the app ends, gone when sent."""

import asyncio
from collections.abc import Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from app.ports import Reply, TextDelta
from app.project import Project
from tests.screens.stage import Stage, make_app, opened, until
from tests.session.support import ScriptedModel, says
from tests.widgets.desk import has_row, text


@asynccontextmanager
async def running(tmp_path: Path, *answers: Any, **how: Any) -> Any:
    app = make_app(tmp_path, ScriptedModel(*answers), **how)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: app.chat is not None and app.lead.drafts is not None)
        yield app, pilot
    await app.lead.put_away()


def draft_file(tmp_path: Path) -> Path:
    slug = Project(tmp_path / "order-service").slug
    return tmp_path / "home" / ".haima" / "projects" / slug / "draft.md"


def written(tmp_path: Path) -> str:
    path = draft_file(tmp_path)
    return path.read_text() if path.exists() else ""


def prompt(app: Stage) -> str:
    assert app.chat is not None
    return app.chat.prompt.draft


async def test_it_is_kept_when_typing_pauses_and_comes_back(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        await pilot.press(*"half", "ctrl+j", *"a thought")
        await until(pilot, lambda: written(tmp_path) == "half\na thought")
    async with running(tmp_path) as (app, pilot):
        await until(pilot, lambda: prompt(app) == "half\na thought")
        field = app.chat.prompt.input
        assert field.cursor_location == (1, 9) and app.focused is field
        assert app.chat.prompt.input.offer is None


async def test_it_is_kept_at_once_when_the_app_ends(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        await pilot.press(*"no pause")
        app.leave(130)
        assert draft_file(tmp_path).read_text() == "no pause"


async def test_looking_makes_no_file(tmp_path: Path) -> None:
    async with running(tmp_path) as (_app, pilot):
        await pilot.pause()
    assert not draft_file(tmp_path).parent.exists()


async def test_sent_it_is_gone(tmp_path: Path) -> None:
    async with running(tmp_path, says("answer")) as (app, pilot):
        await pilot.press(*"question")
        await until(pilot, draft_file(tmp_path).exists)
        await pilot.press("enter")
        await until(pilot, lambda: not draft_file(tmp_path).exists())
        assert app.session is not None
        await until(pilot, lambda: not app.session.busy)
    async with running(tmp_path, first_id=0x100) as (app, pilot):
        await pilot.pause(0.05)
        assert prompt(app) == ""


async def test_a_command_that_was_typed_leaves_nothing(tmp_path: Path) -> None:
    async with running(tmp_path) as (_app, pilot):
        await pilot.press(*"/quit", "enter")
        await pilot.pause()
    assert not draft_file(tmp_path).exists()


async def test_what_waits_in_the_queue_belongs_to_it(tmp_path: Path) -> None:
    wait = asyncio.Event()
    answer = [TextDelta("so"), wait, Reply("so far")]
    async with running(tmp_path, answer, says("more")) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: has_row(app, "so"))
        await pilot.press(*"then this", "enter", *"and")
        await until(pilot, lambda: app.session is not None and app.session.queued)
        app.lead.keep_draft()
        assert written(tmp_path) == "then this\n\nand"
        wait.set()
        await until(pilot, lambda: has_row(app, "more"))
        await until(pilot, lambda: written(tmp_path) == "and")


async def test_keys_typed_while_loading_come_first_and_send_nothing_of_it(tmp_path: Path) -> None:
    draft_file(tmp_path).parent.mkdir(parents=True)
    draft_file(tmp_path).write_text("the draft")
    gate = asyncio.Event()
    app = make_app(tmp_path, ScriptedModel(says("hello")), gate=gate)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"hi", "enter", *"yo")
        gate.set()
        await until(pilot, lambda: app.chat is not None and "the draft" in prompt(app))
        await until(pilot, lambda: has_row(app, "hello"))
        assert prompt(app) == "the draft\nyo"
        assert app.session is not None and app.session.history[1].text == "hi"
    await app.lead.put_away()


@pytest.fixture
def no_room(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def full(*_: object, **__: object) -> None:
        from app.storage import StorageError

        raise StorageError("storage.full", path=Path("draft.md"))

    monkeypatch.setattr("app.session.draft.write_atomic", full)
    yield


async def test_a_full_disk_is_told_once(tmp_path: Path, no_room: None) -> None:
    async with running(tmp_path) as (app, pilot):
        await pilot.press("a")
        await until(pilot, lambda: has_row(app, "Draft not kept"))
        await pilot.press("b")
        app.lead.keep_draft()
        await pilot.pause()
        assert text(app).count("Draft not kept") == 1 and prompt(app) == "ab"


async def test_the_demo_keeps_none(tmp_path: Path) -> None:
    app = make_app(tmp_path, demo=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"text")
        app.lead.keep_draft()
    await app.lead.put_away()
    assert not (tmp_path / "home" / ".haima" / "projects").exists()
