"""Help, leader, F9 and palette: all made from the actions that work."""

from functools import partial
from pathlib import Path

import pytest
from textual import events

from app.screens.doctor import DoctorScreen
from app.screens.help import HelpScreen
from tests.screens.stage import make_app, opened, until
from tests.session.support import ScriptedModel
from tests.widgets.desk import has_row, rows, text
from widgets.dialogs.menu import MenuDialog


@pytest.mark.parametrize("keys", [("f1",), ("ctrl+g", "question_mark"), (*"/help", "enter")])
async def test_ways_into_help(tmp_path: Path, keys: tuple[str, ...]) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*keys)
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        shown = rows(app)
        assert shown[2].startswith("  / type to find a key or a command")
        assert shown[2].endswith("actions of this version")
        assert shown[4].startswith("  Here: prompt                 Everywhere")
        assert has_row(app, "  Ctrl+J     new line", "F2         memory")
        assert shown[0].endswith("Keys and help  #7f3a")
        await pilot.press("pagedown")
        await until(pilot, lambda: has_row(app, "A Chinese input method takes letters first"))
        assert has_row(app, "/model", "choose the model")
        await pilot.press("f1")
        await until(pilot, lambda: app.screen is app.chat)


async def test_a_question_mark_in_the_prompt_is_text_and_elsewhere_the_help(
    tmp_path: Path,
) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press("?")
        assert app.chat is not None and app.chat.prompt.draft == "?"
        app.push_screen(
            DoctorScreen(app.look, app.chat.state, check=partial(app.lead.overlays.examine, None))
        )
        await until(pilot, lambda: "fine" in text(app))
        await pilot.press("question_mark")
        await until(pilot, lambda: "Here: doctor" in text(app))


async def test_compact_help_scrolls_and_counts_the_rest(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await pilot.press("f1")
        await until(pilot, lambda: "more rows" in text(app))
        assert rows(app)[4].startswith("  Here: prompt                           Everywhere")
        for _ in range(6):
            await pilot.press("pagedown")
        await pilot.pause()
        assert "more row" not in text(app)
        assert "A Chinese input method" in text(app)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 48)])
async def test_no_line_of_the_help_is_cut(
    tmp_path: Path, size: tuple[int, int], language: str
) -> None:
    app = make_app(tmp_path, ScriptedModel(), language=language)
    async with app.run_test(size=size) as pilot:
        await opened(pilot, app)
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        for _ in range(8):
            assert "…" not in text(app).replace("1 … 4", "")
            await pilot.press("pagedown")
            await pilot.pause()


async def test_typing_finds_and_enter_runs(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press("f1", *"search hist")
        await until(pilot, lambda: has_row(app, "▸ search history", "Ctrl+R"))
        assert rows(app)[-1].startswith(" ↑ ↓ Choose  Enter Run it")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is app.chat)


async def test_a_command_is_run_from_the_help(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press("f1", *"colours", "enter")
        await until(pilot, lambda: app.theme == "haima-light")


async def test_esc_empties_the_field_before_it_leaves(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press("f1", *"zzzz")
        await until(pilot, lambda: "Nothing fits." in text(app))
        await pilot.press("escape")
        await until(pilot, lambda: "Here: prompt" in text(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)


async def test_f9_lists_what_works_here(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press("f9")
        await until(pilot, lambda: isinstance(app.screen, MenuDialog))
        assert has_row(app, "▸ search history", "Ctrl+R")
        await pilot.press("down", "enter")
        await until(pilot, lambda: "keys and commands" in text(app))
        assert app.chat is not None and app.chat.prompt.draft == "/"


async def test_the_palette_lists_everything_and_opens_the_doctor(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press("ctrl+g", "p")
        await until(pilot, lambda: isinstance(app.screen, MenuDialog))
        assert has_row(app, "doctor", "^G d")
        await pilot.press(*"doct", "enter")
        await until(pilot, lambda: isinstance(app.screen, DoctorScreen))


async def test_no_menu_opens_over_a_menu(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press("f9")
        await until(pilot, lambda: isinstance(app.screen, MenuDialog))
        await pilot.press("f9", "f1", "ctrl+g")
        await pilot.pause()
        assert isinstance(app.screen, MenuDialog) and len(app.screen_stack) == 3
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app.screen is app.chat)


async def test_keys_sent_at_once_after_ctrl_g_find_their_way(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        for key in ("a", "ctrl+g", "l", "b", "c"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: "Enter 发送" in text(app))
        assert app.chat is not None
        await until(pilot, lambda: app.chat is not None and app.chat.prompt.draft == "abc")
        assert app.chat.prompt.input.has_focus
