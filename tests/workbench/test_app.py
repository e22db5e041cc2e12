"""The app before, while and after what it is about is loaded."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from app.config import ConfigError
from app.errors import HaimaError
from app.llm.errors import Unreachable
from app.screens.first_run import FirstRunScreen
from app.screens.opening import OpeningScreen
from app.session.terminal import TerminalAnswers
from app.workbench.app import FAILED, Workbench
from app.workbench.conducts import Conducts
from tests.screens.stage import make_app, opened, until
from tests.session.support import ScriptedModel, says
from tests.widgets.desk import has_row, rows, text
from widgets.look import Look


def test_nothing_heavy_is_loaded_before_the_first_paint() -> None:
    program = """
import sys
import app.cli
from app.workbench import run_workbench
print("textual" in sys.modules)
import app.workbench.start
heavy = ("pydantic", "openai", "httpx2", "markdown_it", "pygments", "app.agent", "app.config")
print([name for name in heavy if name in sys.modules])
"""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["False", "[]"]


async def test_the_brand_stands_there_while_the_rest_is_loaded(tmp_path: Path) -> None:
    gate = asyncio.Event()
    app = make_app(tmp_path, gate=gate)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        assert has_row(app, "≋ haima   memory and context you can see")
        where = [y for y, row in enumerate(rows(app)) if "memory and context" in row]
        gate.set()
        await until(pilot, lambda: "No model is connected yet" in text(app))
        assert where == [y for y, row in enumerate(rows(app)) if "memory and context" in row]


async def test_what_is_typed_while_it_loads_is_not_lost(tmp_path: Path) -> None:
    gate = asyncio.Event()
    app = make_app(tmp_path, ScriptedModel(says("Early bird.")), gate=gate)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press(*"early", "enter", *"more")
        assert isinstance(app.screen, OpeningScreen)
        gate.set()
        await until(pilot, lambda: "Early bird." in text(app))
        assert has_row(app, "▌ early")
        assert app.chat is not None and app.chat.prompt.draft == "more"


async def test_a_command_that_is_typed_while_it_loads_is_not_lost(tmp_path: Path) -> None:
    gate = asyncio.Event()
    app = make_app(tmp_path, ScriptedModel(), gate=gate)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press(*"/save", "space", *"port", "space", *"8080", "enter")
        gate.set()
        await until(pilot, lambda: has_row(app, "Saved for this project"))


async def test_what_was_typed_before_the_app_began_is_not_lost(tmp_path: Path) -> None:
    typed = TerminalAnswers({}, typed="hi\r")
    app = make_app(tmp_path, ScriptedModel(says("Hello.")), terminal=typed)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: "Hello." in text(app))


async def test_what_is_typed_while_it_loads_chooses_nothing_on_the_first_run(
    tmp_path: Path,
) -> None:
    gate = asyncio.Event()
    app = make_app(tmp_path, gate=gate)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("enter", "0")
        gate.set()
        await until(pilot, lambda: isinstance(app.screen, FirstRunScreen))
        await pilot.pause(0.1)
        assert app.session is None
        await pilot.press("enter")
        await opened(pilot, app)
        assert app.chat is not None and app.chat.prompt.draft == ""


async def test_ctrl_c_leaves_while_it_loads(tmp_path: Path) -> None:
    app = make_app(tmp_path, gate=asyncio.Event())
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("ctrl+c")
        await pilot.pause()
    assert app.return_value == 0


async def test_a_wrong_setting_ends_it_with_its_sentence() -> None:
    async def conduct(app: Workbench) -> Conducts:
        raise ConfigError("config.not_a_file", path="~/.haima/config.toml")

    app = Workbench(conduct, look=Look())
    async with app.run_test() as pilot:
        await pilot.pause()
    assert app.return_value == FAILED
    assert isinstance(app.failure, HaimaError) and "config.toml" in str(app.failure)


async def test_a_session_that_cannot_be_opened_ends_it_with_its_sentence(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    (tmp_path / "home" / ".haima").mkdir(parents=True)
    (tmp_path / "home" / ".haima" / "history").write_text("in the way")
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: app.return_value is not None)
    assert app.return_value == FAILED
    assert app.failure is not None and "history" in str(app.failure)  # said by the command line


@pytest.mark.parametrize(
    ("answers", "ascii_only"),
    [
        (TerminalAnswers({"─": 2, "≈": 2, "●": 2, "海": 2}), True),
        (TerminalAnswers({"─": 1, "≈": 1, "●": 1, "海": 2}), False),
        (TerminalAnswers({}), False),
    ],
)
async def test_a_terminal_with_wide_glyphs_gets_ascii_and_an_explanation(
    tmp_path: Path, answers: TerminalAnswers, ascii_only: bool
) -> None:
    app = make_app(tmp_path, ScriptedModel(), terminal=answers)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        assert app.look.ascii is ascii_only
        assert ("ASCII drawing" in text(app)) is ascii_only


@pytest.mark.parametrize(
    ("setting", "dark", "theme"),
    [
        ("auto", None, "haima-dark"),
        ("auto", True, "haima-dark"),
        ("auto", False, "haima-light"),
        ("dark", False, "haima-dark"),
        ("light", True, "haima-light"),
    ],
)
async def test_the_theme_follows_the_setting_and_then_the_terminal(
    tmp_path: Path, setting: str, dark: bool | None, theme: str
) -> None:
    terminal = TerminalAnswers({}, dark=dark)
    app = make_app(tmp_path, ScriptedModel(), flags={"ui.theme": setting}, terminal=terminal)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        assert app.theme == theme


async def test_a_model_that_cannot_be_reached_is_said_in_the_header(tmp_path: Path) -> None:
    lost = Unreachable(host="127.0.0.1:9", detail="")
    app = make_app(tmp_path, ScriptedModel([lost], says("Back again.")))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"hi", "enter")
        await until(pilot, lambda: "scripted ✗ offline" in rows(app)[0])
        await pilot.press("enter")
        await until(pilot, lambda: "Back again." in text(app))
        assert "offline" not in rows(app)[0]
