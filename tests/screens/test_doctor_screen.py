"""The doctor's screen."""

from pathlib import Path

import pytest

from app.screens.doctor import DoctorScreen
from app.session.doctor import Finding, Group, Report
from tests.screens.stage import Stage, make_app, opened, until
from tests.session.support import ScriptedModel
from tests.widgets.desk import has_row, rows, text

REPORT = Report(
    groups=(
        Group(
            id="model",
            title="Model",
            findings=(
                Finding(
                    check="endpoint",
                    state="ok",
                    label="endpoint",
                    value="https://api.deepseek.com",
                    note="answers in 0.8 s",
                ),
                Finding(
                    check="window", state="unsure", label="window", value="256k from the table"
                ),
            ),
        ),
        Group(
            id="kept",
            title="What is kept",
            findings=(
                Finding(
                    check="ledger",
                    state="warn",
                    label="ledger",
                    value="1 torn line in raw/7f3a.jsonl:18204",
                    note="skipped, the rest is read",
                    cure="nothing to do; the line was cut by a crash at 15:22",
                    details=("the line begins with {\x1b",),
                ),
            ),
        ),
    ),
    haima="0.9.0",
    python="3.11.7",
    seconds=1.4,
)


async def show(app: Stage, reports: list[Report]) -> None:
    async def check() -> Report:
        return reports.pop(0)

    assert app.chat is not None
    await app.push_screen(DoctorScreen(app.look, app.chat.state, check=check))


async def test_the_report_stands_where_the_mock_has_it(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await show(app, [REPORT])
        await until(pilot, lambda: "to look at" in text(app))
        shown = rows(app)
        assert shown[0].endswith("Doctor  #7f3a")
        assert shown[2].startswith("  1 thing to look at   1 unsure   1 fine")
        assert shown[2].endswith("haima 0.9.0 · Python 3.11.7 · checked in 1.4 s")
        assert shown[4] == "  Model"
        assert shown[5].startswith("    ✓ endpoint                https://api.deepseek.com")
        assert shown[5].endswith("answers in 0.8 s") and len(shown[5]) == 118
        assert shown[6].startswith("    ? window")
        assert shown[9].startswith("  ▸ ! ledger                  1 torn line")
        assert shown[10].startswith(" " * 30 + "→ nothing to do; the line was cut")
        assert shown[-1].startswith(" ↑ ↓ Move  Enter Details  r Check again  c Copy report  l Log")
        assert shown[-1].endswith("? keys")


async def test_enter_opens_details_and_closes_them(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await show(app, [REPORT])
        await until(pilot, lambda: "to look at" in text(app))
        await pilot.press("enter")
        await until(pilot, lambda: "the line begins with {\\x1b" in text(app))
        await pilot.press("enter")
        await until(pilot, lambda: "the line begins" not in text(app))


async def test_check_again_copy_and_back(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel())
    better = REPORT.model_copy(update={"groups": REPORT.groups[:1]})
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        await show(app, [REPORT, better])
        await until(pilot, lambda: "torn line" in text(app))
        await pilot.press("r")
        await until(pilot, lambda: "torn line" not in text(app))
        await pilot.press("c")
        await until(pilot, lambda: "Report copied" in text(app))
        assert app.clipboard.startswith("1 unsure   1 fine")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)


@pytest.mark.parametrize("size", [(80, 24), (160, 48)])
async def test_the_real_report_on_other_sizes(tmp_path: Path, size: tuple[int, int]) -> None:
    app = make_app(tmp_path, demo=True, language="zh")
    async with app.run_test(size=size) as pilot:
        await opened(pilot, app)
        await pilot.press("ctrl+g", "d")
        await until(pilot, lambda: "项正常" in text(app))
        assert has_row(app, "体检")
        assert has_row(app, "记忆", "还没有记住什么")
        await pilot.press("end")
        await until(pilot, lambda: has_row(app, "尺寸、颜色", f"{size[0]}×{size[1]}"))
        assert has_row(app, "▸ ")
