"""The file viewer in the real app under real keys; the rows of mock 15."""

import os
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.screens.stage import clock_of, make_app, until
from tests.screens.viewing import BLOCK, NAME, opened_file, press, search, viewer
from tests.session.support import ScriptedModel
from tests.widgets.desk import has_row, rows, text
from widgets.file_finder import Finding
from widgets.file_said import Standing

# As the mock has it


async def test_as_the_mock_has_it(tmp_path: Path, file: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened_file(pilot, app, file, 12_005)
        await search(pilot, app, "OrderCodec")
        await press(pilot, app, "colon", *"12005", "enter")
        shown = rows(app)
        assert shown[0].endswith("File  #7f3a")
        assert shown[1] == ""
        assert shown[2].startswith(f"  {NAME} ")
        assert shown[2].endswith(f" {len(BLOCK) * 1_000:,} characters")
        assert shown[3].startswith("  read where you look, never whole ")
        assert shown[3].endswith("line 12,005 of 16,000  75%")
        assert cell_len(shown[2]) == cell_len(shown[3]) == 118
        assert shown[4] == shown[33] == "  " + "─" * 116
        assert (
            shown[5] == "    12,001  [INFO] --- surefire:3.2.5:test (default-test) @ order-core ---"
        )
        assert shown[9].startswith(r"  ▸ 12,005  \x1b[31m[ERROR]\x1b[0m roundTrip: expected")
        assert "编码后长度 512，解码后校验失败" in shown[12]
        assert shown[13].endswith("…  +160 chars") and cell_len(shown[13]) == 118
        assert shown[32].startswith("    12,028  [INFO] Running")
        assert shown[34].startswith("  / OrderCodec   ") and shown[34].endswith(" of 5,000 hits")
        assert shown[35].startswith(
            " ↑ ↓ PgUp PgDn Scroll  / Search  n N Hits  : Line  b Bring back  c Copy"
            "  o In $EDITOR  Esc Back"
        )
        assert shown[35].endswith("? keys")


@pytest.mark.parametrize(
    ("language", "size", "title", "where", "hits"),
    [
        ("en", (80, 24), "File  #7f3a", "line 12,005 of 16,000  75%", "of 5,000 hits"),
        ("zh", (80, 24), "文件  #7f3a", "第 12,005 行 / 16,000  75%", "处，共 5,000 处"),
        ("zh", (120, 36), "文件  #7f3a", "第 12,005 行 / 16,000  75%", "处，共 5,000 处"),
    ],
)
async def test_other_sizes_and_chinese(
    tmp_path: Path,
    file: Path,
    language: str,
    size: tuple[int, int],
    title: str,
    where: str,
    hits: str,
) -> None:
    app = make_app(tmp_path, ScriptedModel(), language=language)
    async with app.run_test(size=size) as pilot:
        await opened_file(pilot, app, file)
        await search(pilot, app, "OrderCodec")
        await press(pilot, app, "fullwidth_colon", *"12005", "enter")
        shown = rows(app)
        right = size[0] - 2
        assert shown[0].endswith(title)
        assert shown[3].endswith(where) and cell_len(shown[3]) == right
        assert shown[-3] == "  " + "─" * (size[0] - 4)
        assert "OrderCodec" in shown[-2] and hits in shown[-2]
        assert "Esc" in shown[-1] and shown[-1].split()[-2] == "?"
        assert {cell_len(row) for row in shown if "+" in row and "…" in row} == {right}


async def test_ascii(tmp_path: Path, file: Path) -> None:
    app = make_app(tmp_path, ScriptedModel(), flags={"ui.glyphs": "ascii"})
    async with app.run_test(size=(80, 24)) as pilot:
        await opened_file(pilot, app, file)
        assert all(row.isascii() for row in rows(app) if "20261129" not in row)
        assert has_row(app, ">      1  [INFO]") and has_row(app, "..  +")


# What is said


async def test_while_it_is_counted_and_searched(tmp_path: Path, file: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened_file(pilot, app, file)
        screen = viewer(app)
        clock_of(app).seconds += 5
        screen.head.show(Standing(NAME, 104_857_600, 62, 812_404, lines=1_310_000, percent=62))
        running = Finding("OrderCodec", 3, 1_204, 71_000_000, 104_857_600, running=True)
        screen.found.show(running)
        clock_of(app).seconds += 0.45
        screen._spin()
        await pilot.pause()
        shown = rows(app)
        assert shown[2].endswith("≈ 104,857,600 characters")
        assert shown[3].startswith("  ⠼ counting lines 62%   read where you look, never whole")
        assert shown[3].endswith("line 812,404 of ≈ 1,310,000  62%")
        assert shown[34].startswith("  / OrderCodec   3 of 1,204 hits so far ")
        assert shown[34].endswith("⠼ searched 71 of 105 MB  Esc stops")
        screen.found.show(Finding("OrderCodec", 0, 1, 71_000_000, 104_857_600))
        await pilot.pause()
        assert has_row(app, "/ OrderCodec   1 hit so far", "stopped at 71 of 105 MB  n goes on")
        app.action_language()
        screen.head.show(Standing(NAME, 104_857_600, 62, 812_404, lines=1_310_000, percent=62))
        screen.found.show(running)
        clock_of(app).seconds += 0.45
        screen._spin()
        await pilot.pause()
        shown = rows(app)
        assert shown[2].endswith("约 104,857,600 字符")
        assert shown[3].startswith("  ⠏ 正在数行 62%   只读看到的部分，不整体载入")
        assert shown[3].endswith("第 812,404 行 / 约 1,310,000  62%")
        assert shown[34].startswith("  / OrderCodec   第 3 处，目前 1,204 处 ")
        assert shown[34].endswith("⠼ 已搜 71 / 105 MB  Esc 停止")


def alter(file: Path, change: str) -> None:
    match change:
        case "deleted":
            file.unlink()
        case "replaced":
            other = file.with_name("other")
            other.write_text("other\n")
            other.replace(file)
        case "changed":
            os.utime(file, ns=(1, 1))
        case _:
            file.write_text("short" if change == "shrank" else BLOCK * 1_000 + "four")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("shrank", "! the file got shorter; read anew"),
        ("changed", "! the file was changed; read anew"),
        ("replaced", "! another file took its place; read anew"),
        ("deleted", "! the file was deleted; this is what it held"),
        ("grew", "grew by 4 bytes while open"),
    ],
)
async def test_a_file_that_changes_says_so_in_one_line(
    tmp_path: Path, file: Path, change: str, said: str
) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(80, 24)) as pilot:
        await opened_file(pilot, app, file)
        await press(pilot, app, "end")
        alter(file, change)
        viewer(app).view._look()
        await until(pilot, lambda: said in text(app))
        await press(pilot, app, "home", "pagedown", "end")
        assert said in text(app)
