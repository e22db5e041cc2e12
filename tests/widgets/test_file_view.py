"""The file viewer's lines under keys: moving, searching, taking out, files that change."""

from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from app.view.file_pages import Page, page_at
from app.view.file_source import FileSource, TextSource
from app.view.file_window import FileLine, FileWindow
from tests.widgets.desk import Desk, rows, text
from tests.widgets.inks import EN, PLAIN, ZH, colour_of
from widgets.file_lines import Marks, cut, page_lines, tone_of
from widgets.file_view import FileView
from widgets.look import Look
from widgets.pen import Pen

ON = {"en": Pen(EN, "bg"), "zh": Pen(ZH, "bg"), "ascii": Pen(PLAIN, "bg")}
NUMBERS = "".join(f"line {number}\n" for number in range(1, 1_001))


def source_of(text: str) -> TextSource:
    return TextSource("t", text)


def page_of(text: str, rows: int = 20) -> Page:
    window = FileWindow(source_of(text))
    window.index.advance()
    return page_at(window, 0, 0, rows)


async def ready(pilot: Pilot[None], view: FileView) -> None:
    """Until nothing is still to be done."""
    for _ in range(500):
        await pilot.pause(0.005)
        if view.is_ready and view.page.lines is not None and view.window.index.complete:
            await pilot.pause()
            if view.is_ready:
                return
    raise AssertionError("it never came to rest")


async def press(pilot: Pilot[None], view: FileView, *keys: str) -> None:
    await pilot.press(*keys)
    await ready(pilot, view)


# Lines


@pytest.mark.parametrize("width", [40, 76, 116])
@pytest.mark.parametrize("letter", ["x", "中", "\U0001f600", "e\u0301"])
@pytest.mark.parametrize("pen", ["en", "zh", "ascii"])
def test_a_long_line_is_cut_and_the_rest_counted(pen: str, letter: str, width: int) -> None:
    text = letter * 300
    (line,) = page_lines(page_of(text), Marks(), width, ON[pen])
    ellipsis = ON[pen].glyphs.ellipsis
    shown = line.text[10:].partition(ellipsis)[0]
    rest = len(text) - len(shown)
    assert line.cells == width
    said = f"+{rest} 字符" if pen == "zh" else f"+{rest} chars"
    assert line.text.endswith(f"  {said}")
    assert cell_len(shown) >= width - 10 - len("…  +999 chars") - 3


def test_a_line_that_just_fits_is_not_cut() -> None:
    (line,) = page_lines(page_of("x" * 66), Marks(), 76, ON["en"])
    assert line.text == "▸      1  " + "x" * 66
    assert "…" in page_lines(page_of("x" * 67), Marks(), 76, ON["en"])[0].text


def test_one_character_too_many_and_an_end_that_is_not_known() -> None:
    assert cut(FileLine(0, 9, "x", more=1), 20, ON["en"]) == (1, "+1 char")
    end, note = cut(FileLine(0, None, "x" * 99, more=57_344, at_least=True), 60, ON["en"])
    assert note == f"+{57_344 + 99 - end:,} chars or more"
    _, note = cut(FileLine(0, None, "x" * 99, more=57_344, at_least=True), 60, ON["zh"])
    assert note.startswith("至少 +57,")


def test_hits_are_bold_and_underlined_also_where_they_are_cut_off() -> None:
    import re

    marks = Marks(pattern=re.compile("end"))
    (line,) = page_lines(page_of("end " + "x" * 100 + " end"), marks, 60, ON["en"])
    hits = [part for part, style in line.spans if style.bold and style.underline]
    assert hits == ["end", "…"]


def test_levels_of_a_log() -> None:
    assert tone_of("[ERROR] x") == tone_of(r"\x1b[31mERROR\x1b[0m x") == "danger"
    assert tone_of("12:00:01 DEBUG x") == "text2"
    assert tone_of("no_ERROR_here") == tone_of("ERRORS") == tone_of("[WARN] x") == "text"
    lines = page_lines(page_of("[INFO] ok\n[ERROR] bad"), Marks(lit=False), 60, ON["en"])
    assert colour_of(lines, "bad") == "danger"


def test_an_empty_file_says_so() -> None:
    assert "There is nothing" in page_lines(page_of(""), Marks(), 60, ON["en"])[1].text


def test_numbers_not_known_yet_are_not_made_up() -> None:
    page = Page(page_of("a\nb").lines, 0, None)
    assert page_lines(page, Marks(), 30, ON["en"])[1].text == "       ≈  b"


# Keys


async def test_moving() -> None:
    view = FileView(Look(), source_of(NUMBERS))
    app = Desk(view)
    async with app.run_test(size=(40, 10)) as pilot:
        view.focus()
        await ready(pilot, view)
        assert rows(app)[0] == "▸      1  line 1"
        assert rows(app)[9] == "      10  line 10"
        await press(pilot, view, "down", "down")
        assert rows(app)[2] == "▸      3  line 3"
        await press(pilot, view, "pagedown")
        assert rows(app)[0] == "      10  line 10"
        assert rows(app)[2] == "▸     12  line 12"
        await press(pilot, view, "end")
        assert rows(app)[9] == "▸  1,000  line 1000"
        await press(pilot, view, "down", "pagedown", "up")
        assert rows(app)[8] == "▸    999  line 999"
        await press(pilot, view, "pageup")
        assert rows(app)[8] == "▸    990  line 990"
        await press(pilot, view, "home", "up", "pageup")
        assert rows(app)[0] == "▸      1  line 1"
        view.go_to_number(500)
        await ready(pilot, view)
        assert rows(app)[4] == "▸    500  line 500"
        view.go_to_share(50)
        await ready(pilot, view)
        assert "▸    50" in text(app)


async def test_keys_pressed_at_once_are_done_in_order() -> None:
    view = FileView(Look(), source_of(NUMBERS))
    app = Desk(view)
    async with app.run_test(size=(40, 10)) as pilot:
        view.focus()
        for _ in range(25):
            view.action_step(1)
        view.action_page(1)
        view.action_step(-1)
        await ready(pilot, view)
        assert view.page.cursor_number == 34


async def test_it_begins_at_the_line_that_was_asked_for() -> None:
    view = FileView(Look(), source_of(NUMBERS), line=700)
    app = Desk(view)
    async with app.run_test(size=(40, 10)) as pilot:
        await ready(pilot, view)
        assert view.page.cursor_number == 700


async def test_another_size_keeps_the_cursor_in_view() -> None:
    view = FileView(Look(), source_of(NUMBERS), line=700)
    app = Desk(view)
    async with app.run_test(size=(40, 24)) as pilot:
        await ready(pilot, view)
        await press(pilot, view, "tab", *["down"] * 15)
        await pilot.resize_terminal(60, 8)
        await ready(pilot, view)
        assert view.page.cursor_number == 715
        assert "▸    715" in text(app)


async def test_searching_and_going_from_hit_to_hit() -> None:
    view = FileView(Look(), source_of(NUMBERS + "Ende"))
    app = Desk(view)
    async with app.run_test(size=(40, 10)) as pilot:
        view.focus()
        await ready(pilot, view)
        view.find("e 99")
        await ready(pilot, view)
        finding = view.finder.finding
        assert (finding.hits, finding.at, finding.complete) == (11, 1, True)
        assert view.page.cursor_number == 99
        for number in (990, 991):
            view.next_hit(1)
            await ready(pilot, view)
            assert view.page.cursor_number == number
        view.next_hit(-1)
        view.next_hit(-1)
        await ready(pilot, view)
        assert view.finder.finding.at in (1, 2)
        await press(pilot, view, "home")
        view.next_hit(-1)
        await ready(pilot, view)
        assert (view.page.cursor_number, view.finder.finding.wrapped) == (999, "end")
        view.next_hit(1)
        await ready(pilot, view)
        assert (view.page.cursor_number, view.finder.finding.wrapped) == (99, "top")
        view.find("nowhere")
        await ready(pilot, view)
        assert (view.finder.finding.hits, view.page.cursor_number) == (0, 99)
        view.next_hit(1)
        await ready(pilot, view)
        view.find("")
        await ready(pilot, view)
        assert view.finder.finding.query == ""


async def test_several_hits_on_one_line() -> None:
    view = FileView(Look(), source_of("a b a\nx\na"))
    app = Desk(view)
    async with app.run_test(size=(40, 10)) as pilot:
        await ready(pilot, view)
        view.find("a")
        seen = []
        for _ in range(4):
            await ready(pilot, view)
            seen.append((view.finder.finding.at, view.page.cursor_number))
            view.next_hit(1)
        assert seen == [(1, 1), (2, 1), (3, 3), (1, 1)]


async def test_a_search_can_be_stopped_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "big.txt"
    path.write_bytes(b"some line of text\n" * 2_000_000 + b"needle\n")
    view = FileView(Look(), FileSource(path))
    app = Desk(view)
    async with app.run_test(size=(40, 10)) as pilot:
        await ready(pilot, view)
        view.find(r"\x1b needle?")
        view.finder.stop()
        await ready(pilot, view)
        finding = view.finder.finding
        assert not finding.running and not finding.complete
        view.find("needle")
        view.finder.stop()
        view.next_hit(1)
        await ready(pilot, view)
        assert view.finder.finding.complete
        assert view.page.cursor_number == 2_000_001


async def test_what_is_taken_out() -> None:
    view = FileView(Look(), source_of("one\ntwo\r\nthr\x1bee\n" + NUMBERS))
    app = Desk(view)
    async with app.run_test(size=(40, 5)) as pilot:
        view.focus()
        await ready(pilot, view)
        await press(pilot, view, "down")
        assert (await view.excerpt(visible_too=False)) is not None
        line = await view.excerpt(visible_too=False)
        assert line is not None and (line.first, line.last, line.text) == (2, 2, "two")
        seen = await view.excerpt(visible_too=True)
        assert seen is not None and (seen.first, seen.last) == (1, 5)
        await press(pilot, view, "shift+down", "shift+down")
        marked = await view.excerpt(visible_too=True)
        assert marked is not None
        assert (marked.first, marked.last, marked.text) == (2, 4, "two\nthr\x1bee\nline 1")
        await press(pilot, view, "up")
        assert view.selected is None


async def test_a_click_and_the_wheel() -> None:
    view = FileView(Look(), source_of(NUMBERS))
    app = Desk(view)
    async with app.run_test(size=(40, 10)) as pilot:
        await ready(pilot, view)
        await pilot.click(view, offset=(12, 4))
        await ready(pilot, view)
        assert view.page.cursor_number == 5
        view.on_mouse_scroll_down()
        view.on_mouse_scroll_down()
        await ready(pilot, view)
        assert (view.page.number, view.page.cursor_number) == (7, 7)
        view.on_mouse_scroll_up()
        await ready(pilot, view)
        assert (view.page.number, view.page.cursor_number) == (4, 7)


# Files that change


async def look(pilot: Pilot[None], view: FileView) -> None:
    view._look()
    await pilot.pause(0.05)
    await ready(pilot, view)


async def test_a_file_that_changes_while_open(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("one\ntwo\n")
    view = FileView(Look(), FileSource(path))
    app = Desk(view)
    async with app.run_test(size=(40, 10)) as pilot:
        await ready(pilot, view)
        view.find("o")
        await ready(pilot, view)
        with path.open("a") as file:
            file.write("four\n" * 20)
        await look(pilot, view)
        assert (view.change, view.grown) == ("grew", 100)
        assert view.window.total() == 22 and "four" in text(app)
        assert view.finder.finding.hits == 22
        view.focus()
        await press(pilot, view, "end")
        path.write_text("x\n")
        await look(pilot, view)
        assert (view.change, view.page.cursor_number) == ("shrank", 1)
        assert rows(app)[0] == "▸      1  x"
        other = tmp_path / "b.log"
        other.write_text("other\nfile")
        other.replace(path)
        await look(pilot, view)
        assert view.change == "replaced" and "file" in text(app)
        path.unlink()
        await look(pilot, view)
        assert str(view.change) == "deleted" and "other" in text(app)
        await press(pilot, view, "down", "pagedown", "home", "end")
        path.write_text("")
        await look(pilot, view)
        assert view.change == "replaced" and "There is nothing" in text(app)
        await press(pilot, view, "down", "pagedown", "end", "pageup", "shift+down")
        assert await view.excerpt(visible_too=True) is None


async def test_a_disk_that_cannot_be_read_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    source = source_of(NUMBERS)
    monkeypatch.setattr(source, "read", lambda start, length: b"")
    view = FileView(Look(), source, line=5)
    app = Desk(view)
    async with app.run_test(size=(40, 10)) as pilot:
        view.focus()
        for _ in range(100):
            await pilot.pause(0.005)
        assert view.is_ready and "can't be read" in text(app)
        await pilot.press("down", "end", "pageup")
        view.find("x")
        for _ in range(20):
            await pilot.pause(0.005)
        assert view.is_ready


async def test_an_unreadable_disk_breaks_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(NUMBERS)
    source = FileSource(path)
    view = FileView(Look(), source)
    app = Desk(view)
    async with app.run_test(size=(40, 10)) as pilot:
        view.focus()
        await ready(pilot, view)
        source.close()
        await press(pilot, view, "down", "end", "pageup", "pagedown", "home")
        view.find("x")
        await ready(pilot, view)
        assert app.is_running
