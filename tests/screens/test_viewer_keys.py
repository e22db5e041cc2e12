"""The file viewer's keys in the real app, and the ways into it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from app.screens.doctor import DoctorScreen
from app.screens.help import HelpScreen
from app.screens.viewer import ViewerScreen
from app.view.file_source import FileSource, Source, TextSource
from app.view.file_window import FileWindow
from tests.screens.stage import Stage, make_app, opened, until
from tests.screens.viewing import BLOCK, LINES, NAME, at_rest, opened_file, press, search, viewer
from tests.session.support import ScriptedModel
from tests.widgets.desk import has_row, rows, text
from widgets.dialogs.menu import MenuDialog
from widgets.requests import BringBack, EditFile, Request

# Keys


async def test_esc_stops_the_search_first_then_closes(tmp_path: Path, file: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened_file(pilot, app, file)
        await search(pilot, app, "OrderCodec")
        screen = viewer(app)
        screen.view.finder._running = True
        await pilot.press("escape")
        assert app.screen is screen and not screen.view.finder.running
        await pilot.press("slash", "x", "escape")
        await at_rest(pilot, app)
        if screen.asking:
            await pilot.press("escape")
        assert app.screen is screen and not screen.asking
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)
        assert screen.source.read(0, 9) == b""


async def test_hits_come_while_typing_and_n_goes_through_them(tmp_path: Path, file: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened_file(pilot, app, file)
        await pilot.press("fullwidth_solidus", *"audit")
        await until(pilot, lambda: viewer(app).view.finder.finding.hits == 2_000)
        await at_rest(pilot, app)
        assert has_row(app, "/ audit", "1 of 2,000 hits")
        assert rows(app)[-1].startswith(" Enter To the lines  ↑ ↓ Hits  Esc Leave")
        await press(pilot, app, "down")
        assert has_row(app, "/ audit", "2 of 2,000 hits")
        await press(pilot, app, "enter", "n", "n")
        assert has_row(app, "▸     29  [DEBUG] filter chain")
        await press(pilot, app, "N")
        assert has_row(app, "▸     28  [INFO] Running com.acme.order.AuditFilterTest")
        await press(pilot, app, "home", "N")
        assert has_row(app, "/ audit   2,000 of 2,000 hits", "on from the end")
        assert has_row(app, "line 15,997 of 16,000")


async def test_n_without_a_query_asks_for_one(tmp_path: Path, file: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened_file(pilot, app, file)
        assert "n N" not in rows(app)[-1]
        await pilot.press("n")
        assert viewer(app).asking == "find"
        await pilot.press(*"nbc:")
        assert viewer(app).field.text == "nbc:"


@pytest.mark.parametrize(
    ("typed", "line"), [("8,001", 8_001), ("50%", 8_001), ("100%", 16_000), ("99999999", 16_000),
                        ("0", 1)],
)  # fmt: skip
async def test_to_a_line_or_a_percentage(tmp_path: Path, file: Path, typed: str, line: int) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(80, 24)) as pilot:
        await opened_file(pilot, app, file)
        await press(pilot, app, "colon", *typed, "enter")
        assert has_row(app, f"line {line:,} of 16,000")


async def test_what_is_no_line_says_so(tmp_path: Path, file: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(80, 24)) as pilot:
        await opened_file(pilot, app, file)
        await pilot.press("colon", *"abc", "enter")
        await pilot.pause()
        assert has_row(app, ": abc", "neither a line number nor a percentage")
        await pilot.press("1")
        await pilot.pause()
        assert "neither" not in text(app)
        await press(pilot, app, "escape")
        assert has_row(app, "line 1 of 16,000")


async def test_copy(tmp_path: Path, file: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened_file(pilot, app, file)
        await press(pilot, app, "down", "c")
        await until(pilot, lambda: "1 line" in text(app))
        assert app.clipboard == "[INFO] Running com.acme.order.OrderCodecTest"
        await press(pilot, app, "shift+down", "shift+down", "c")
        await until(pilot, lambda: "3 lines" in text(app))
        assert app.clipboard.count("\n") == 2


async def watched(
    pilot: Pilot[int], app: Stage, source: Source, monkeypatch: pytest.MonkeyPatch
) -> list[Request]:
    """Opens a source whose lines can be brought back; gives what is asked of the app."""
    await opened(pilot, app)
    seen: list[Request] = []

    async def take(request: Request) -> None:
        seen.append(request)

    monkeypatch.setattr(app.lead, "take", take)
    assert app.chat is not None
    await app.push_screen(ViewerScreen(app.look, app.chat.state, source, clock=app.seconds))
    await at_rest(pilot, app)
    return seen


async def test_lines_are_brought_back(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(80, 24)) as pilot:
        asked = await watched(pilot, app, FileSource(file, NAME), monkeypatch)
        assert "b Bring  Esc" in rows(app)[-1]
        await press(pilot, app, "pagedown", "b")
        await until(pilot, lambda: len(asked) == 1)
        await press(pilot, app, "shift+up", "shift+up", "b")
        await until(pilot, lambda: len(asked) == 2)
        window, chosen = asked
        assert isinstance(window, BringBack) and isinstance(chosen, BringBack)
        assert (window.path, window.first, window.last) == (file, 16, 31)
        assert window.text == "\n".join((BLOCK * 2).split("\n")[15:31])
        assert (chosen.last, chosen.last - chosen.first) == (16, 2)
        assert chosen.title == NAME


async def test_the_editor_is_asked_for_the_line(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(80, 24)) as pilot:
        asked = await watched(pilot, app, FileSource(file), monkeypatch)
        await press(pilot, app, "down", "o")
        await until(pilot, lambda: asked)
        (edit,) = asked
        assert isinstance(edit, EditFile) and (edit.path, edit.line) == (file, 2)


async def test_an_editor_that_cannot_run_says_so(tmp_path: Path, file: Path) -> None:
    app = make_app(tmp_path, ScriptedModel(), environ={"EDITOR": "/nowhere/vim"})
    async with app.run_test(size=(80, 24)) as pilot:
        await opened_file(pilot, app, file)
        await pilot.press("o")
        await until(pilot, lambda: "The editor can't be opened" in text(app))


async def test_a_text_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = make_app(tmp_path, ScriptedModel())
    source = TextSource("read_file pom.xml \x1b[31m", "<project>\n\ud83d</project>")
    async with app.run_test(size=(120, 36)) as pilot:
        asked = await watched(pilot, app, source, monkeypatch)
        shown = rows(app)
        assert shown[2].startswith(r"  read_file pom.xml \x1b[31m ")
        assert shown[6] == r"         2  \ud83d</project>"
        assert "$EDITOR" not in shown[-1] and "b Bring back" in shown[-1]
        await press(pilot, app, "o", "b")
        await until(pilot, lambda: asked)
        assert [type(one).__name__ for one in asked] == ["BringBack"]


async def test_f9_and_f1_list_its_keys(tmp_path: Path, file: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened_file(pilot, app, file)
        await pilot.press("f9")
        await until(pilot, lambda: isinstance(app.screen, MenuDialog))
        assert has_row(app, "to a line or %", ":")
        assert has_row(app, "bring back lines", "b")
        await pilot.press("escape", "f1")
        await until(pilot, lambda: "Here: file viewer" in text(app))
        await pilot.press("f1")
        await at_rest(pilot, app)


async def test_another_language(tmp_path: Path, file: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(80, 24)) as pilot:
        await opened_file(pilot, app, file)
        await pilot.press("ctrl+g", "l")
        await until(pilot, lambda: "第 1 行 / 16,000" in text(app))
        assert has_row(app, "文件  #7f3a") and has_row(app, "/ 搜索此文件")


# Ways in


@pytest.mark.parametrize("kind", ["missing", "folder"])
async def test_what_cannot_be_opened(tmp_path: Path, kind: str) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        path = tmp_path if kind == "folder" else tmp_path / "home" / "gone.txt"
        app.lead.files.open(path)
        await until(pilot, lambda: "The file can't be opened" in text(app))
        said = "it is not a plain file" if kind == "folder" else "there is no such file: ~/gone.txt"
        await until(pilot, lambda: said in text(app))


async def to_doctor(pilot: Pilot[int], app: Stage) -> None:
    await pilot.press("ctrl+g", "d")
    await until(pilot, lambda: isinstance(app.screen, DoctorScreen))


async def to_help(pilot: Pilot[int], app: Stage) -> None:
    await pilot.press("f1")
    await until(pilot, lambda: isinstance(app.screen, HelpScreen))


@pytest.mark.parametrize("way", [to_doctor, to_help])
async def test_l_opens_the_log_at_its_end(
    tmp_path: Path, way: Callable[[Pilot[int], Stage], object]
) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await way(pilot, app)  # type: ignore[misc]
        screen = app.screen
        assert "l Log" in rows(app)[-1]
        await pilot.press("l")
        await until(pilot, lambda: "No log yet" in text(app))
        assert "~/.haima/haima.log" in text(app)
        log = app.lead.launch.paths.log_file
        log.parent.mkdir(exist_ok=True)
        log.write_text("".join(f"WARNING {number}\n" for number in range(100)))
        await pilot.press("l")
        await at_rest(pilot, app)
        assert has_row(app, "▸    100  WARNING 99")
        assert has_row(app, "  ~/.haima/haima.log")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)


async def test_l_is_a_letter_of_what_is_looked_for_in_the_help(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await to_help(pilot, app)
        await pilot.press(*"pal")
        await until(pilot, lambda: has_row(app, "/ pal") and has_row(app, "palette"))
        assert "l Log" not in rows(app)[-1]
        await pilot.press("escape", "slash", *"log")
        await until(pilot, lambda: has_row(app, "/ log") and has_row(app, "the log"))
        assert isinstance(app.screen, HelpScreen)


async def test_lines_and_totals_agree_with_the_window(file: Path) -> None:
    window = FileWindow(FileSource(file))
    while window.index.advance():
        pass
    assert window.total() == LINES
