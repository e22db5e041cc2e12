"""What left the context, drawn: rows, tabs, notes, cards, the line above the prompt, the gauge."""

from datetime import UTC, datetime

import pytest
from rich.cells import cell_len

from app.events import Paused, Restored, TurnStarted
from app.text import Words
from app.view.gauge import GaugeModel
from app.view.held import HeldItem, HeldModel, Quoted
from app.view.items import (
    CardItem,
    ClearMarkItem,
    GuardMarkItem,
    PicturesMarkItem,
    UndoneItem,
    UserItem,
)
from tests.screens import left
from widgets.card_lines import Stage, card_lines
from widgets.gauge_line import gauge_line
from widgets.gauge_lines import state
from widgets.glyphs import ASCII, UNICODE
from widgets.held_lines import columns_of, item_line, preview_lines, strip_lines
from widgets.held_list import HeldSource
from widgets.ink import Ink
from widgets.item_lines import (
    clear_mark_lines,
    guard_mark_line,
    pictures_mark_line,
    undone_lines,
    user_lines,
)
from widgets.marks import marks_block
from widgets.palette import DARK
from widgets.pen import Pen
from widgets.quoted_line import quoted_line

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
PENS = {language: Pen(Ink(DARK, UNICODE, Words(language))) for language in ("en", "zh")}
EN, ZH = PENS["en"], PENS["zh"]


def model() -> HeldModel:
    held = HeldModel()
    held.show(left.lists(NOW))
    return held


@pytest.mark.parametrize(
    ("language", "tab", "expected"),
    [
        ("en", "offloaded", "▸ search_files    javax\\. **…  48.2k  1m"),
        ("zh", "offloaded", "▸ search_files    javax\\.…   48.2k  1 分"),
        ("en", "cleared", "▸ ∅ list_dir        src/main…   2.1k  1m"),
    ],
)
def test_a_row_as_the_mock_has_it(language: str, tab: str, expected: str) -> None:
    held, pen = model(), PENS[language]
    held.choose("cleared" if tab == "cleared" else "offloaded")
    columns = columns_of(held.active, held.items, NOW, pen)
    line = item_line(held.items[0], columns, 40, pen, current=True, lit=True)
    assert line.text == expected and line.cells == 40


@pytest.mark.parametrize("width", range(40, 90, 3))
def test_rows_are_as_wide_as_the_list(width: int) -> None:
    held = model()
    wide = HeldItem(
        message="w",
        tool="读取文件读取文件读取",
        subject="路径/" * 40,
        characters=10**7,
        at="2020-01-01T00:00:00Z",
        pinned=True,
        quoted=True,
    )
    items = (*held.items, wide)
    for pen in PENS.values():
        columns = columns_of("offloaded", items, NOW, pen)
        for item in items:
            line = item_line(item, columns, width, pen, current=False, lit=False)
            assert line.cells == width


def test_the_tabs_and_the_rule_under_them() -> None:
    first, second = strip_lines(model(), 40, EN)
    assert first.text == "Offloaded 7  Cleared 12  Work  Memory"
    assert second.text == "━" * 11 + "─" * 29
    empty, _ = strip_lines(HeldModel(), 40, EN)
    assert empty.text == "Offloaded  Cleared  Work  Memory"


def test_a_preview_shows_what_fits_and_says_when_the_file_is_gone() -> None:
    item = model().items[0]
    lines = preview_lines(item, left.PREVIEW, 40, 3, EN)
    assert [line.text for line in lines] == [
        "007-search_files.txt  1–2 of 612",
        "AuditFilter.java:3: import javax.servle…",
        "AuditFilter.java:4: import javax.servle…",
    ]
    (gone,) = preview_lines(item, None, 40, 3, EN)
    assert gone.text == "007-search_files.txt  ! the file is gone"
    letters = Pen(Ink(DARK, ASCII, Words("en")), letters=True)
    assert preview_lines(item, left.PREVIEW, 40, 3, letters)[0].text.endswith("1-2 of 612")


def card(**more: object) -> CardItem:
    values = {"id": "c1", "tool": "search_files", "subject": "javax", "status": "ok",
              "started": 0.0, "seconds": 1.1, "characters": 48_213, "message": "m1"}  # fmt: skip
    return CardItem(**(values | more))  # type: ignore[arg-type]


def drawn(item: CardItem, width: int = 71, root: str = "") -> list[str]:
    lines = card_lines(item, EN.ink, width, Stage.CLOSED, focused=False, root=root)
    return [line.text.rstrip() for line in lines]


def test_a_card_links_to_the_file_its_result_went_to() -> None:
    path = ".haima/tool-outputs/7f3a/007-search files.txt"
    item = card(state="offloaded", path=path, moved=48_213)
    assert drawn(item)[1] == f"   ⇲ 48,213 chars → {path}"
    lines = card_lines(item, EN.ink, 71, Stage.CLOSED, focused=False, root="file:///home/p")
    links = [style.link for _, style in lines[1].spans if style.link]
    assert links == ["file:///home/p/.haima/tool-outputs/7f3a/007-search%20files.txt"]
    narrow = drawn(item, 48)[1]
    assert narrow.endswith("…/7f3a/007-search files.txt") and cell_len(narrow) <= 48


def test_a_cleared_card_says_how_it_comes_back() -> None:
    (row,) = drawn(card(state="cleared"))
    assert row.startswith(" ∅ search_files    javax")
    assert row.endswith("cleared · b bring back")
    row, said = drawn(card(state="cleared", quoted=True))
    assert row.endswith(" cleared")
    assert said == "   ↩ goes along with your next message · b takes it back"


def test_a_pinned_and_a_cut_card() -> None:
    assert drawn(card(pinned=True))[0].startswith(" ✓ ◆ search_files  javax")
    assert drawn(card(cut="the disk is full"))[1] == (
        "   ! no file for it, so it was cut: the disk is full"
    )


def test_dividers() -> None:
    mark = ClearMarkItem(id="x", count=9, freed=38_200)
    (line,) = clear_mark_lines(mark, EN.ink, 71, focused=False)
    assert line.text.startswith("──── cleared 9 tool results · freed 38.2k  ↩ undo ───")
    assert line.cells == 71
    later = ClearMarkItem(id="x", count=9, freed=38_200, undoable=False)
    assert "undo" not in clear_mark_lines(later, EN.ink, 71, focused=False)[0].text
    first, *rest = undone_lines(
        UndoneItem(id="x", count=9, tokens=38_200, paused=True), EN.ink, 71, focused=False
    )
    assert first.text.startswith("──── ↩ undone: 9 tool results are back · +38.2k ───")
    assert rest and rest[0].text.startswith("     Automatic clearing stays paused")


@pytest.mark.parametrize(
    ("pen", "count", "said"),
    [
        (EN, 2, "──── 2 old pictures gave way to text · freed 3.1k ───"),
        (EN, 1, "──── 1 old picture gave way to text · freed 3.1k ───"),
        (ZH, 2, "──── 2 张旧图片已换成文字 · 释放 3.1k ───"),
    ],
)
def test_pictures_that_left_are_one_line(pen: Pen, count: int, said: str) -> None:
    item = PicturesMarkItem(id="x", count=count, freed=3_100)
    line = pictures_mark_line(item, pen.ink, 71)
    assert line.text.startswith(said)
    assert line.cells == 71


@pytest.mark.parametrize(
    ("pen", "count", "said", "way_back"),
    [
        (EN, 2, "──── cut 2 messages short to fit the window · freed 3.1k", "  ↩ undo ─"),
        (EN, 1, "──── cut 1 message short to fit the window · freed 3.1k", "  ↩ undo ─"),
        (ZH, 2, "──── 为放进窗口，已截短 2 条消息 · 释放 3.1k", "  ↩ 撤销 ─"),
    ],
)
def test_what_the_guard_cut_is_one_line(pen: Pen, count: int, said: str, way_back: str) -> None:
    item = GuardMarkItem(id="x", count=count, freed=3_100)
    line = guard_mark_line(item, pen.ink, 71, focused=False)
    assert line.text.startswith(said + way_back)
    assert line.cells == 71
    later = GuardMarkItem(id="x", count=count, freed=3_100, undoable=False)
    line = guard_mark_line(later, pen.ink, 71, focused=False)
    assert line.text.startswith(f"{said} ──")


def test_what_a_message_brought_back() -> None:
    item = UserItem(
        id="u", text="on", brought=("list_dir src/main/java",), brought_tokens=612, pinned=True
    )
    first, second = user_lines(item, EN.ink, 71)
    assert first.text == "▌ on  ◆"
    assert second.text == "  ↩ brought back list_dir src/main/java  +0.6k"


def test_lines_that_come_back_keep_their_numbers_where_the_path_is_long() -> None:
    label = ".haima/tool-outputs/843688b65ad9/001-execute_command.txt:296–323"
    kept = "001-execute_command.txt:296–323"
    quoted = quoted_line((Quoted("m1", label, 900),), 72, EN).text
    assert quoted == f"↩ …/{kept}  +0.9k   Backspace takes it back"
    assert f"/{kept}  +0.9k" in quoted_line((Quoted("m1", label, 900),), 60, EN).text
    short = "↩ pom.xml  +0.6k   Backspace takes it back"
    assert quoted_line((Quoted("m1", "pom.xml", 600),), len(short), EN).text == short
    item = UserItem(id="u", text="on", brought=(label,), brought_tokens=900)
    _, second = user_lines(item, EN.ink, 71)
    assert second.text.endswith(f"/{kept}  +0.9k") and second.cells <= 71


def test_what_is_quoted_in_part_says_so_in_each_language() -> None:
    quoted = (Quoted("m1", "read_file a.txt", 900, cut=True), Quoted("m2", "list_dir src", 100))
    assert (
        "↩ read_file a.txt (the beginning), list_dir src  +1.0k"
        in quoted_line(quoted, 120, EN).text
    )
    assert "↩ read_file a.txt（开头部分）、list_dir src  +1.0k" in quoted_line(quoted, 120, ZH).text


@pytest.mark.parametrize("width", [30, 50, 76, 120])
def test_what_will_be_quoted_fits_above_the_prompt(width: int) -> None:
    quoted = (Quoted("m1", "list_dir src/main/java", 612), Quoted("m2", "read_file pom.xml", 900))
    line = quoted_line(quoted, width, EN)
    assert line.cells <= width
    assert line.text.startswith("↩ list_dir") and "+1.5k" in line.text
    assert (width < 76) or line.text.endswith("Backspace takes it back")


def test_the_gauge_says_what_was_cleared_for_one_turn_and_that_clearing_is_paused() -> None:
    gauge = GaugeModel()
    gauge.apply(left.measured(58_600, 14_900, clearable=8_000))
    gauge.apply(left.cleared("c1", "c2"))
    assert state(gauge.view, 40, EN).text.startswith("∅ cleared 2 results · freed 38.2k")
    assert "∅ cleared 2 results" in gauge_line(gauge.view, 90, EN).text
    assert [row.due for row in gauge.view.windows] == ["clear", "", "", ""]
    gauge.apply(TurnStarted(message="u", text="on"))
    assert "cleared" not in state(gauge.view, 40, EN).text
    gauge.apply(left.cleared("c1"))
    gauge.apply(Restored(how="undo", messages=("m",), calls=("c1",), tokens=1))
    gauge.apply(Paused(tier="clear", on=True))
    gauge.apply(left.measured(96_800, 14_900))
    assert state(gauge.view, 40, EN).text.startswith("↩ clearing paused by you")
    first, *_ = marks_block(gauge.view, 40, EN)
    assert first.text.endswith("paused by you")
    assert "128.0k ↩ paused by you" in gauge_line(gauge.view, 76, EN).text
    gauge.apply(Paused(tier="clear", on=False))
    assert "paused" not in state(gauge.view, 40, EN).text


def test_a_list_whose_tab_was_left_has_no_rows() -> None:
    """Between the choice of the tab of the work and the next drawing the list may be asked."""
    held = model()
    held.choose("offloaded")
    source = HeldSource(held, EN, columns_of("offloaded", held.items, NOW, EN))
    source.room = 1
    assert (len(source), source.text(0)) != (0, "")
    held.choose("work")
    assert (len(source), source.item(0), source.text(0)) == (0, None, "")
    source.key(0)
