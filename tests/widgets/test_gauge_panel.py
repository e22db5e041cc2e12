"""The gauge in its three places, row by row as in the pictures 01; and how it moves."""

import pytest
from rich.cells import cell_len
from textual.widget import Widget

from app.text import Words
from app.view.gauge import GaugeModel
from tests.view.gauges import EXAMPLE, gauge, measured
from tests.widgets.desk import Desk, rows
from tests.widgets.gauge_rows import EN, PLAIN, ZH, at, both, colours, shown
from widgets.gauge import ContextOpened, GaugePanel, WindowChosen, panel_lines
from widgets.gauge_line import GaugeLine, gauge_line
from widgets.glyphs import UNICODE
from widgets.look import Look
from widgets.marks import marks_block
from widgets.windows_block import windows_block

LOOK = Look()
MODEL = gauge(growth=3_900, background=True, clearable=9_600)
BAR = "██▌" + "█" * 17 + "▉█████▍" + "█" * 8 + "░" * 5
WIDE_BAR = "██▉▎" + "█" * 23 + "▏██████▎" + "█" * 10 + "░" * 7


def test_the_panel_in_english() -> None:
    """Mock 01-workbench-dark-en-120x36."""
    assert shown(panel_lines(MODEL.view, 40, EN)) == [
        "CONTEXT               168.9k / 256k  66%",
        "≈ 3 turns to warning         3.9k / turn",
        BAR,
        at({15: "1", 20: "2", 28: "3", 34: "4", 37: "end"}),
        "■ sys+tools   14.2k  ■ memory       2.1k",
        "■ history    117.4k  ■ results     35.2k",
        "░ reserve     33.0k  □ free        54.1k",
        "",
        "1 clear results     100.0k        passed",
        "2 background        133.8k        passed",
        "3 warn              179.2k     ≈ 3 turns",
        "4 summarise         223.0k    ≈ 14 turns",
        "",
        "Windows           clear summarise    now",
        "  128k ━━━━1━4━━  57.0k     95.0k  Σ due",
        "  200k ━━━━1━━4─ 100.0k    167.0k  Σ due",
        "● 256k ━━━1━━─4─ 100.0k    223.0k    66%",
        "  1M   1╸──────4 100.0k    967.0k    17%",
    ]


def test_the_panel_in_chinese() -> None:
    """Mock 01-workbench-dark-zh-120x36."""
    assert shown(panel_lines(MODEL.view, 40, ZH)) == [
        "上下文                168.9k / 256k  66%",
        "约 3 轮后预警                  每轮 3.9k",
        BAR,
        at({15: "1", 20: "2", 28: "3", 34: "4", 38: "满"}),
        "■ 系统+工具   14.2k  ■ 记忆         2.1k",
        "■ 历史       117.4k  ■ 工具结果    35.2k",
        "░ 预留        33.0k  □ 空闲        54.1k",
        "",
        "1 清理结果          100.0k          已过",
        "2 后台摘要          133.8k          已过",
        "3 预警              179.2k       约 3 轮",
        "4 做摘要            223.0k      约 14 轮",
        "",
        "窗口               清理      摘要   现在",
        "  128k ━━━━1━4━━  57.0k     95.0k Σ 待做",
        "  200k ━━━━1━━4─ 100.0k    167.0k Σ 待做",
        "● 256k ━━━1━━─4─ 100.0k    223.0k    66%",
        "  1M   1╸──────4 100.0k    967.0k    17%",
    ]


def test_the_wide_panel() -> None:
    """Mock 01-workbench-dark-en-160x48."""
    lines = shown(panel_lines(MODEL.view, 52, EN))
    assert lines[:9] == [
        both("CONTEXT", "168.9k / 256k  66%", 52),
        both("≈ 3 turns to warning", "3.9k / turn", 52),
        WIDE_BAR,
        WIDE_BAR,
        at({20: "1", 27: "2", 36: "3", 45: "4", 49: "end"}),
        "■ sys+tools         14.2k  ■ memory             2.1k",
        "■ history          117.4k  ■ results           35.2k",
        "░ reserve           33.0k  □ free              54.1k",
        "",
    ]
    assert lines[9:13] == [
        "1 clear results         100.0k                passed",
        "2 background            133.8k                passed",
        "3 warn                  179.2k             ≈ 3 turns",
        "4 summarise             223.0k            ≈ 14 turns",
    ]
    assert lines[14:] == [
        "Windows                 clear  summarise         now",
        "  128k ━━━━━━1━━━4━━━   57.0k      95.0k  Σ due 132%",
        "  200k ━━━━━━━1━━━4──  100.0k     167.0k  Σ due  84%",
        "● 256k ━━━━━1━━━───4─  100.0k     223.0k         66%",
        "  1M   ━1╸──────────4  100.0k     967.0k         17%",
    ]


def test_folded() -> None:
    """Mock 01b: legend, marks and windows in one row."""
    lines = shown(panel_lines(MODEL.view, 40, EN, folded=True))
    assert lines[4:] == ["w windows  128k Σ  200k Σ  256k  1M 17%"]
    small = gauge((5_000, 0, 5_000, 0), 131_072)
    for pen in (EN, ZH, PLAIN):
        (row,) = panel_lines(small.view, 40, pen, folded=True)[4:]
        assert row.cells <= 40
        assert all(size in row.text for size in ("128k", "200k", "256k", "1M", "131k"))


def test_colours_of_marks_and_windows() -> None:
    assert colours(marks_block(MODEL.view, 40, EN)[2]) == [
        ("3", "accent"), ("warn", "text"), ("179.2k", "text2"), ("≈ 3 turns", "accent"),
    ]  # fmt: skip
    passed = gauge((0, 0, 225_000, 0)).view
    assert [colours(line)[-1] for line in marks_block(passed, 40, EN)] == [
        ("passed", "text3"), ("passed", "warn"), ("passed", "danger"),
    ]  # fmt: skip
    active = colours(windows_block(MODEL.view, 40, EN)[3])
    assert ("●", "accent") in active
    assert active[-3:] == [("100.0k", "accent"), ("223.0k", "accent"), ("66%", "accent")]


def test_in_one_line() -> None:
    """Mocks 01-workbench-dark-en-80x24 and -zh-80x24."""
    assert gauge_line(MODEL.view, 76, EN).text == (
        "66% ██▎███████████████▎████▏██████░░░░░ 168.9k/256k  ≈3 turns to warning  F5"
    )
    assert gauge_line(MODEL.view, 76, ZH).text == (
        "66% ██▋██████████████████▍██████████████░░░░░ 168.9k/256k  约 3 轮后预警  F5"
    )


def test_one_line_drops_the_key_then_the_words_then_the_totals() -> None:
    def said(width: int) -> str:
        line = gauge_line(MODEL.view, width, EN)
        assert line.cells == width
        return "".join(c for c in line.text if c not in "█▉▊▋▌▍▎▏░").strip()

    assert said(53) == "66%  168.9k/256k  ≈3 turns to warning  F5"
    assert said(52) == "66%  168.9k/256k  ≈3 turns to warning"
    assert said(48) == "66%  168.9k/256k"
    assert said(27) == "66%"


def test_one_line_in_other_states() -> None:
    due = gauge((0, 0, 225_800, 0))
    assert gauge_line(due.view, 76, EN).text.startswith("! 88% █")
    assert gauge_line(due.view, 76, EN).text.endswith("  summarising before the next call  F5")
    guess = gauge((0, 0, 41_000, 0), 128_000, estimated=True, certain=False)
    assert gauge_line(guess.view, 76, ZH).text.startswith("≈ 32% ")
    assert " 41.0k/128k?  到 57.0k 时清理  F5" in gauge_line(guess.view, 76, ZH).text


class GaugeDesk(Desk):
    """Keeps what the gauge posts."""

    CSS = "GaugePanel { width: 40; } GaugeLine { width: 76; }"

    def __init__(self, *shown: Widget, theme: str = "haima-dark") -> None:
        super().__init__(*shown, theme=theme)

    def on_window_chosen(self, message: WindowChosen) -> None:
        self.note(message)

    def on_context_opened(self, message: ContextOpened) -> None:
        self.note(message)


class PaddedDesk(GaugeDesk):
    CSS = "GaugePanel { width: 44; padding: 1 2; }"


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


async def test_it_stands_on_the_screen() -> None:
    app = GaugeDesk(GaugePanel(LOOK, MODEL), GaugeLine(LOOK, MODEL))
    async with app.run_test(size=(80, 24)):
        assert rows(app)[:18] == shown(panel_lines(MODEL.view, 40, EN))
        assert rows(app)[18] == gauge_line(MODEL.view, 76, EN).text


async def test_w_looks_round_enter_takes_and_esc_ends_it() -> None:
    model = gauge(growth=3_900, background=True)
    panel = GaugePanel(LOOK, model)
    app = GaugeDesk(panel)
    async with app.run_test(size=(80, 24)) as pilot:
        panel.focus()
        await pilot.press("w", "w", "w")
        assert "168.9k / 200k  ! 84%" in rows(app)[0]
        assert rows(app)[1].startswith("preview")
        await pilot.press("escape")
        assert "168.9k / 256k  66%" in rows(app)[0]
        await pilot.press("w", "enter")
        assert [m.size for m in app.seen if isinstance(m, WindowChosen)] == [1_000_000]
        assert model.previewed is None
        await pilot.press("enter")
        assert app.kinds() == ["WindowChosen", "ContextOpened"]


async def test_every_row_that_changed_is_drawn_inside_a_padding_too() -> None:
    model = gauge(growth=3_900, background=True)
    panel = GaugePanel(LOOK, model)
    app = PaddedDesk(panel)
    async with app.run_test(size=(44, 22)) as pilot:
        panel.focus()
        for _ in range(5):
            await pilot.press("w")
            await pilot.pause()
            expected = shown(panel_lines(model.view, 40, EN))
            assert [row[2:] for row in rows(app)[1:19]] == expected


async def test_esc_is_not_taken_while_nothing_is_looked_at() -> None:
    panel = GaugePanel(LOOK, gauge())
    app = GaugeDesk(panel)
    async with app.run_test():
        assert panel.check_action("end_preview", ()) is False
        panel.gauge.preview_next()
        assert panel.check_action("end_preview", ()) is True


async def test_it_is_drawn_at_once_and_then_not_too_often() -> None:
    clock, model = Hand(), gauge()
    panel = GaugePanel(LOOK, model, clock=clock)
    app = GaugeDesk(panel)
    async with app.run_test(size=(80, 24)) as pilot:
        model.apply(measured((14_200, 2_100, 117_400, 30_200)))
        await pilot.pause()
        assert "163.9k" in rows(app)[0]
        model.apply(measured((14_200, 2_100, 117_400, 20_200)))
        await pilot.pause()
        assert "163.9k" in rows(app)[0], "a quarter of a second has not passed"
        clock.seconds += 0.25
        panel.draw_now()
        await pilot.pause()
        assert "153.9k" in rows(app)[0]


async def test_what_was_held_back_comes_by_itself() -> None:
    model = gauge()
    panel = GaugePanel(LOOK, model)
    app = GaugeDesk(panel)
    async with app.run_test(size=(80, 24)) as pilot:
        model.apply(measured((14_200, 2_100, 117_400, 30_200)))
        model.apply(measured((14_200, 2_100, 117_400, 20_200)))
        for _ in range(100):
            await pilot.pause(0.01)
            if "153.9k" in rows(app)[0]:
                return
        raise AssertionError(rows(app)[0])


async def test_nothing_is_drawn_where_nothing_visible_changed() -> None:
    clock, model = Hand(), gauge()
    panel = GaugePanel(LOOK, model, clock=clock)
    drawn: list[object] = []
    app = GaugeDesk(panel)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        refresh = panel.refresh

        def counted(*regions: object, **how: object) -> object:
            drawn.append(regions)
            return refresh(*regions, **how)  # type: ignore[arg-type]

        panel.refresh = counted  # type: ignore[method-assign, assignment]
        clock.seconds += 1
        model.apply(measured(tokens=168_910))
        assert drawn == []
        clock.seconds += 1
        model.apply(measured((*EXAMPLE[:3], 35_400)))
        assert len(drawn) == 1
        (regions,) = drawn
        assert isinstance(regions, tuple)
        assert 0 < len(regions) < 18, "only the rows that differ"


async def test_another_language_glyphs_and_theme() -> None:
    panel = GaugePanel(LOOK, MODEL)
    app = GaugeDesk(panel)
    async with app.run_test(size=(80, 24)) as pilot:
        panel.look = Look(Words("zh"), UNICODE)
        await pilot.pause()
        assert rows(app)[0] == shown(panel_lines(MODEL.view, 40, ZH))[0]
        app.theme = "haima-light"
        await pilot.pause()
        assert rows(app)[:18] == shown(panel_lines(MODEL.view, 40, ZH))
        panel.folded = True
        await pilot.pause()
        assert rows(app)[4].startswith("w 窗口")


async def test_another_session_is_shown() -> None:
    first, second = gauge(), gauge((1_000, 0, 0, 0))
    panel = GaugePanel(LOOK, first)
    app = GaugeDesk(panel)
    async with app.run_test(size=(80, 24)) as pilot:
        panel.show(second)
        await pilot.pause()
        assert "1.0k / 256k" in rows(app)[0]
        assert first.listeners == []
    assert second.listeners == []


async def test_without_any_colour_the_bar_is_in_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = GaugeDesk(GaugePanel(LOOK, MODEL), theme="haima-dark-16")
    async with app.run_test(size=(80, 24)):
        assert rows(app)[2].startswith("SSMHH")
    app = GaugeDesk(GaugePanel(LOOK, MODEL))
    async with app.run_test(size=(80, 24)):
        assert rows(app)[2] == BAR


@pytest.mark.parametrize("pen", [EN, ZH, PLAIN])
@pytest.mark.parametrize("width", [40, 44, 48, 52, 54])
def test_no_row_is_wider_than_the_panel(pen: object, width: int) -> None:
    models = [
        GaugeModel(),
        gauge((1, 0, 0, 0), 8_000),
        gauge((0, 0, 2_500, 0), 1_000, growth=1),
        gauge((0, 0, 999_999, 0), 1_048_576, growth=1),
        gauge((0, 0, 1_000, 0), growth=1),
    ]
    for model in models:
        for line in panel_lines(model.view, width, pen):  # type: ignore[arg-type]
            assert cell_len(line.text) <= width, line.text
