"""Long pastes and pictures in the real app: seen, taken back, kept over a restart, sent."""

import asyncio
from pathlib import Path
from typing import Any

from textual import events
from textual.pilot import Pilot

from app.conversation.images import Sight
from app.session.launch import StartRequest
from app.session.session import Session
from tests.screens.stage import Stage, make_app, opened, until
from tests.session.support import ScriptedModel, call, says
from tests.widgets.desk import text
from tests.workbench.test_drafts import prompt, running, written
from widgets.dialogs.guarded import GuardedDialog

LOG = "".join(f"ERROR {number} of the log\n" for number in range(1, 2_001))
PNG = b"\x89PNG\r\n\x1a\n" + bytes(1_200_000)


class Seeing(ScriptedModel):
    """A scripted model that sees pictures."""

    sight = Sight(user=True, results=True, known=True)


def session_of(app: Stage) -> Session:
    assert app.session is not None
    return app.session


def files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "order-service" / ".haima" / "pastes").rglob("*.txt"))


async def pasted(app: Stage, pilot: Pilot[int]) -> None:
    app.post_message(events.Paste(LOG))
    await until(pilot, lambda: ".haima/pastes/" in prompt(app))


async def sent(app: Stage, pilot: Pilot[int], model: ScriptedModel) -> str:
    await pilot.press("enter")
    await until(pilot, lambda: model.requests and not session_of(app).busy)
    return str(model.requests[-1].messages[-1]["content"])


async def test_a_paste_is_shown_as_a_mark_and_sent_with_head_and_tail(tmp_path: Path) -> None:
    model = ScriptedModel(says("I see."))
    app = make_app(tmp_path, model)
    async with app.run_test(size=(110, 30)) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: app.lead.drafts is not None)
        await pilot.press(*"why ")
        await pasted(app, pilot)
        (file,) = files(tmp_path)
        assert file.read_text() == LOG
        assert prompt(app) == (
            f"why [pasted: .haima/pastes/{session_of(app).chain}/001-paste.txt, "
            f"{len(LOG):,} characters]"
        )
        assert "Ctrl+O keeps the paste whole" in text(app)
        content = await sent(app, pilot, model)
        assert content.startswith("why [Pasted text, whole in a file:")
        assert "ERROR 1 of" in content and "ERROR 2000 of" in content
        assert "ERROR 1000 of" not in content
    await app.lead.put_away()


async def test_with_a_key_it_is_sent_whole(tmp_path: Path) -> None:
    model = ScriptedModel(says("I see."))
    app = make_app(tmp_path, model)
    async with app.run_test(size=(110, 30)) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: app.lead.drafts is not None)
        await pasted(app, pilot)
        await pilot.press("ctrl+o")
        await until(pilot, lambda: prompt(app) == LOG)
        assert "ERROR 1000 of" in await sent(app, pilot, model)
    await app.lead.put_away()


async def test_over_a_question_that_opened_it_is_a_paste_as_well(tmp_path: Path) -> None:
    """With a terminal's line ends; short ones stand in the prompt as they are."""
    model = ScriptedModel(says("I run it.", call("execute_command", command="make")))
    app = make_app(tmp_path, model)
    async with app.run_test(size=(110, 30)) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: app.lead.drafts is not None)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: isinstance(app.screen, GuardedDialog))
        app.post_message(events.Paste("see\r\nthis\r"))
        await until(pilot, lambda: prompt(app) == "see\nthis\n")
        app.post_message(events.Paste(LOG.replace("\n", "\r")))
        await until(pilot, lambda: ".haima/pastes/" in prompt(app))
        assert isinstance(app.screen, GuardedDialog), "it answers nothing"
        assert prompt(app).startswith("see\nthis\n[pasted: ")
        assert [file.read_text() for file in files(tmp_path)] == [LOG]
        app.post_message(events.Paste(LOG + "more"))
        await pilot.press(*"so")
        await until(pilot, lambda: prompt(app).count(".haima/pastes/") == 2)
        await until(pilot, lambda: prompt(app).endswith("]so"))
        await pilot.press("escape")
    await app.lead.put_away()


async def test_where_it_cannot_be_written_it_stays_whole_and_that_is_said(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    (tmp_path / "order-service" / ".haima").symlink_to(tmp_path)
    async with app.run_test(size=(110, 30)) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: app.lead.drafts is not None)
        app.post_message(events.Paste(LOG))
        await until(pilot, lambda: prompt(app) == LOG)
        await until(pilot, lambda: "The paste stays whole" in text(app))
    await app.lead.put_away()
    assert not (tmp_path / "pastes").exists()


async def test_a_draft_with_a_mark_comes_back_and_is_sent_in_the_new_chain(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        await pasted(app, pilot)
        mark, old = prompt(app), session_of(app).chain
        await until(pilot, lambda: written(tmp_path) == mark)
    model = ScriptedModel(says("I see."))
    app = make_app(tmp_path, model, first_id=0x9000_0000_0000)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: prompt(app) == mark)
        assert session_of(app).chain != old
        content = await sent(app, pilot, model)
        assert f".haima/pastes/{session_of(app).chain}/001-paste.txt" in content
    await app.lead.put_away()
    assert [file.read_text() for file in files(tmp_path)] == [LOG, LOG]


async def test_a_mark_outlives_the_editor(tmp_path: Path, monkeypatch: Any) -> None:
    seen: list[str] = []

    async def edit(_app: object, draft: str, _environ: object) -> str:
        await asyncio.sleep(0)
        seen.append(draft)
        return f"{draft} and more\n"

    monkeypatch.setattr("app.workbench.conversation.edit_text", edit)
    model = ScriptedModel(says("I see."))
    app = make_app(tmp_path, model)
    async with app.run_test(size=(110, 30)) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: app.lead.drafts is not None)
        await pasted(app, pilot)
        mark = prompt(app)
        app.lead.edit_draft()
        await until(pilot, lambda: prompt(app) == f"{mark} and more")
        assert seen == [mark]
        assert (await sent(app, pilot, model)).endswith("[End of the pasted text.] and more")
    await app.lead.put_away()


async def test_a_picture_is_told_in_the_conversation_also_after_a_resume(tmp_path: Path) -> None:
    model = Seeing(says("A cat."))
    app = make_app(tmp_path, model)
    (tmp_path / "order-service" / "shot.png").write_bytes(PNG)
    async with app.run_test(size=(110, 30)) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: app.lead.drafts is not None)
        await pilot.press(*"look @shot.png", "space")
        await sent(app, pilot, model)
        await until(pilot, lambda: "[image shot.png 1.2 MB]" in text(app))
        node = session_of(app).node
    await app.lead.put_away()
    start = StartRequest("resume", node)
    app = make_app(tmp_path, Seeing(), start=start, first_id=0x9000_0000_0000)
    async with app.run_test(size=(110, 30)) as pilot:
        await until(pilot, lambda: "[image shot.png 1.2 MB]" in text(app))
    await app.lead.put_away()
