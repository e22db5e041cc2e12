"""The Work view, by real keys on the real app."""

from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from app.conversation.work import Touch, Work
from app.screens.viewer import ViewerScreen
from app.screens.work import WorkViewScreen
from app.view.work_shown import NameShown, WorkShown
from tests.screens.stage import Stage, until
from tests.widgets.desk import has_row, rows, text
from tests.workbench.test_work_tab import RULE, running
from widgets.dialogs.fact_text import FactDialog
from widgets.work_requests import OpenWork


async def to_the_view(app: Stage, pilot: Pilot[int]) -> WorkViewScreen:
    app.lead.working.show()
    await until(pilot, lambda: isinstance(app.screen, WorkViewScreen) and "codec.py" in text(app))
    screen = app.screen
    assert isinstance(screen, WorkViewScreen)
    return screen


async def test_enter_in_the_tab_opens_it_at_the_same_row(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        await pilot.press("f5")
        await until(pilot, lambda: has_row(app, "Goal", "e edit"))
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, WorkViewScreen))
        assert isinstance(app.screen, WorkViewScreen)
        screen = app.screen
        await until(pilot, lambda: screen.left.key[:1] == ("rule",))
        assert has_row(app, "▸ · Never touch the Flyway migrations", "new turn 1")
        assert has_row(app, "Changed files  1") and has_row(app, "+ src/codec.py", "created")
        assert has_row(app, "Progress  1 / 3", "verified by")
        assert has_row(app, "● write tests") and has_row(app, "○ Dockerfile")
        assert rows(app)[-1].startswith(" ↑ ↓ Move  Tab Column  e Edit  a Add rule  d Delete")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)
        # What the tab showed is old by now.
        assert app.chat is not None and app.session is not None
        await pilot.press("right")
        app.chat.run_line("Never use npm.")
        await until(pilot, lambda: has_row(app, "rule noted: Never use npm"))
        app.lead.working.take(OpenWork(rule="Never use npm"))
        await until(pilot, lambda: has_row(app, "▸ · Never use npm", "new turn 2"))


async def test_a_adds_d_ends_and_u_takes_back(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        session = app.session
        assert session is not None
        screen = await to_the_view(app, pilot)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, FactDialog))
        await pilot.press(*"no", "space", *"npm", "enter")
        await until(pilot, lambda: has_row(app, "· no npm"))
        while screen.left.key[:1] != ("rule",):
            await pilot.press("down")
        await pilot.press("d")
        await until(pilot, lambda: has_row(app, "∅ Never touch"))
        assert [rule.text for rule in (await session.work_shown()).rules] == ["no npm"]
        await pilot.press("u")
        await until(pilot, lambda: has_row(app, "Rules  2"))
        await pilot.press("u")
        await until(pilot, lambda: has_row(app, "Rules  1"))
        assert [rule.text for rule in (await session.work_shown()).rules] == [RULE]
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, FactDialog))
        assert isinstance(app.screen, FactDialog)
        app.screen.field.text = "no " + "very " * 60 + "long names"
        await pilot.press("enter")
        await until(pilot, lambda: has_row(app, "Too long for a rule"))


async def test_u_is_named_only_where_it_takes_something_back(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        session = app.session
        assert session is not None
        screen = await to_the_view(app, pilot)
        assert "u Undo" in rows(app)[-1]
        await session.revoke_rule((await session.work_shown()).rules[0])
        await until(pilot, lambda: has_row(app, "∅ Never touch"))
        await pilot.press("home")
        assert screen.left.key == ("goal",) and "u Undo" not in rows(app)[-1]
        await pilot.press("down")
        assert screen.left.key[:1] == ("rule",) and "u Undo" in rows(app)[-1]


async def test_tab_goes_over_o_opens_the_file_and_d_forgets_it(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        session = app.session
        assert session is not None
        screen = await to_the_view(app, pilot)
        await pilot.press("tab")
        await until(pilot, lambda: screen.right.has_focus)
        assert screen.right.key == ("entity", "file", "src/codec.py")
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, ViewerScreen))
        await until(pilot, lambda: has_row(app, "def decode():"))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        await pilot.press("d")
        await until(pilot, lambda: not has_row(app, "+ src/codec.py"))
        assert (await session.work_shown()).changed == ()
        await pilot.press("u")
        await until(pilot, lambda: has_row(app, "+ src/codec.py", "created"))
        # A name that can't be shown as it is, and a file that isn't there any more.
        odd = (Touch("file", "a\x1b\n.py", "created"), Touch("file", "b.py", "deleted"))
        await session.change_work(Work(touches=odd))
        await until(pilot, lambda: has_row(app, "+ a\\x1b\\x0a.py") and has_row(app, "✗ b.py"))
        await pilot.press("home")
        assert "b.py" in screen.right.key and not screen.offers("open_told")
        await pilot.press("down")
        assert "a\\x1b\\x0a.py" in screen.right.key
        await pilot.press("d")
        await until(pilot, lambda: not has_row(app, "+ a"))


async def test_enter_lists_all_names_that_are_told_without_more(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        assert app.session is not None
        names = tuple(NameShown("symbol", f"Codec{n:02}") for n in range(60))
        seen = replace(await app.session.work_shown(), names=names)

        async def shown() -> WorkShown:
            return seen

        app.session.work_shown = shown  # type: ignore[method-assign]
        screen = await to_the_view(app, pilot)
        await until(pilot, lambda: has_row(app, "60 as names only"))
        assert not has_row(app, "Codec59") and not has_row(app, "opens all")
        await pilot.press("tab", "end")
        assert has_row(app, "60 as names only  Enter opens all")
        assert "Enter All names" in rows(app)[-1]
        await pilot.press("enter")
        await until(pilot, lambda: has_row(app, "Codec59") and not has_row(app, "opens all"))
        await pilot.press("enter")
        await until(pilot, lambda: not has_row(app, "Codec59"))
        assert screen.right.key == ("names", "symbols")


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a_small_screen_has_one_column(tmp_path: Path, language: str) -> None:
    async with running(tmp_path, size=(80, 24), language=language) as (app, pilot):
        screen = await to_the_view(app, pilot)
        assert not screen.right.display and not screen.offers("other_column")
        await pilot.press("end")
        at = screen.left.key
        assert at[:1] == ("entity",)
        await pilot.resize_terminal(120, 36)
        await until(pilot, lambda: screen.right.has_focus and screen.right.key == at)
        assert screen.left.key[:1] != ("entity",)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: screen.left.has_focus and screen.left.key == at)
