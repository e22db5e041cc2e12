"""`/context`, row by row as in the pictures 09 and 09b; and its cursor."""

# ruff: noqa: E501 (rows stand as they are drawn)

import pytest
from rich.cells import cell_len

from app.view.context_view import CompositionRow, ContextReport, LargestItem, MeterReport
from app.view.gauge import GaugeModel
from app.view.plot import TurnEvent
from tests.view.gauges import gauge
from tests.widgets.desk import Desk, rows
from tests.widgets.gauge_rows import EN, PLAIN, ZH, at, both, colours, shown
from widgets.context_lines import largest_lines, meter_line, sentence_lines
from widgets.context_view import ContextView, ItemChosen, context_lines, has_chart
from widgets.gauge import WindowChosen
from widgets.look import Look
from widgets.pen import Pen
from widgets.plot_lines import plot_lines

MODEL = gauge(growth=3_900, background=True, clearable=9_600)
REPORT = ContextReport(
    composition=(
        CompositionRow("system_prompt", 1, 5_800),
        CompositionRow("tools", 14, 6_300),
        CompositionRow("documents", 2, 2_100),
        CompositionRow("memory", 5, 2_100),
        CompositionRow("summary", 1, 3_100),
        CompositionRow("messages", 9, 7_900),
        CompositionRow("answers", 31, 38_200),
        CompositionRow("calls", 88, 66_600),
        CompositionRow("pointers", 12, 1_600),
        CompositionRow("results", 9, 35_200),
    ),
    largest=(
        LargestItem("call", 8_200, 91, "edit_file", "OrderCodec.java"),
        LargestItem("result", 7_900, 95, "read_file", "OrderService.java"),
        LargestItem("result", 7_400, 94, "search_files", "@Deprecated **/*.java"),
        LargestItem("answer", 6_800, 93, subject="VarHandle design, two variants"),
        LargestItem("tools", 6_300, count=14),
        LargestItem("call", 6_100, 92, "write_file", "ByteOrderTest.java"),
        LargestItem("result", 5_800, 96, "read_file", "OrderApi.java"),
        LargestItem("you", 4_300, 88, subject="paste: surefire report, 14,200 lines"),
        LargestItem("result", 4_100, 90, "web_fetch", "jakarta.ee/…/migration"),
        LargestItem("answer", 3_900, 82, subject="list of javax imports"),
    ),
    turns=(
        *(20_000 + turn * 2_577 for turn in range(80)),
        *(30_000 + 9_260 * t for t in range(16)),
    ),
    events=(TurnEvent(8, "offload"), TurnEvent(16, "clear"), TurnEvent(80, "summary")),
    clearable=9_600,
    meter=MeterReport(True, 3_100, 20, 0.008, 0.031, 1.04),
)


def on_bg(pen: Pen) -> Pen:
    return pen.upon("bg")


def test_composition_marks_and_windows_in_english() -> None:
    """Mock 09-context-dark-en-120x36, rows 2 to 20."""
    lines = shown(context_lines(MODEL.view, REPORT, (116, 33), on_bg(EN)))
    assert lines[0] == both("CONTEXT", "168.9k / 256k  66%", 116)
    assert lines[2] == lines[3]
    assert lines[4] == at({45: "1", 60: "2", 81: "3", 101: "4", 113: "end"})
    assert lines[6:19] == [
        "Composition                      items   tokens  share    1 clear results         100.0k                      passed",
        "■ system prompt                      1     5.8k     2%    2 background            133.8k                      passed",
        "■ tools                             14     6.3k     2%    3 warn                  179.2k                   ≈ 3 turns",
        "■ project documents                  2     2.1k   < 1%    4 summarise             223.0k                  ≈ 14 turns",
        "■ memory                             5     2.1k   < 1%",
        "■ summary and recovery               1     3.1k     1%    Windows                       clear  summarise         now",
        "■ your messages                      9     7.9k     3%      128k ━━━━━━━━1━━━━━4━━━━━   57.0k      95.0k  Σ due 132%",
        "■ answers                           31    38.2k    15%      200k ━━━━━━━━━━1━━━━━4───  100.0k     167.0k  Σ due  84%",
        "■ tool calls                        88    66.6k    26%    ● 256k ━━━━━━━1━━━━━────4──  100.0k     223.0k         66%",
        "■ pointers                          12     1.6k   < 1%      1M   ━━1╸───────────────4  100.0k     967.0k         17%",
        "■ tool results                       9    35.2k    14%",
        "░ reserve                                 33.0k    13%    9.6k of results could be cleared; a clear waits",
        "□ free                                    54.1k    21%    until it frees 12.8k or a summary is due.",
    ]  # fmt: skip


def test_composition_marks_and_windows_in_chinese() -> None:
    """Mock 09-context-dark-zh-120x36."""
    lines = shown(context_lines(MODEL.view, REPORT, (116, 33), on_bg(ZH)))
    assert lines[6:19] == [
        "构成                              条数   tokens   占比    1 清理结果              100.0k                        已过",
        "■ 系统提示                           1     5.8k     2%    2 后台摘要              133.8k                        已过",
        "■ 工具定义                          14     6.3k     2%    3 预警                  179.2k                     约 3 轮",
        "■ 项目文档                           2     2.1k   < 1%    4 做摘要                223.0k                    约 14 轮",
        "■ 记忆                               5     2.1k   < 1%",
        "■ 摘要与恢复提要                     1     3.1k     1%    窗口                           清理       摘要        现在",
        "■ 你的消息                           9     7.9k     3%      128k ━━━━━━━━1━━━━━4━━━━━   57.0k      95.0k Σ 待做 132%",
        "■ 回答                              31    38.2k    15%      200k ━━━━━━━━━━1━━━━━4───  100.0k     167.0k Σ 待做  84%",
        "■ 工具调用                          88    66.6k    26%    ● 256k ━━━━━━━1━━━━━────4──  100.0k     223.0k         66%",
        "■ 指针                              12     1.6k   < 1%      1M   ━━1╸───────────────4  100.0k     967.0k         17%",
        "■ 工具结果                           9    35.2k    14%",
        "░ 预留                                    33.0k    13%    可清理的结果有 9.6k；",
        "□ 空闲                                    54.1k    21%    能释放 12.8k 或该做摘要时才清理。",
    ]  # fmt: skip


def test_largest_items_in_english() -> None:
    """Mock 09-context-dark-en-120x36, rows 22 to 32."""
    assert shown(largest_lines(REPORT.largest, 54, 10, EN, at=0, lit=True)) == [
        "Largest items                            tokens   turn",
        "▸ ■ edit_file       OrderCodec.java (…     8.2k     91",
        "  ■ read_file       OrderService.java      7.9k     95",
        "  ■ search_files    @Deprecated **/*.…     7.4k     94",
        "  ■ answer          VarHandle design,…     6.8k     93",
        "  ■ tools           14 schemas             6.3k      —",
        "  ■ write_file      ByteOrderTest.jav…     6.1k     92",
        "  ■ read_file       OrderApi.java          5.8k     96",
        "  ■ you             paste: surefire r…     4.3k     88",
        "  ■ web_fetch       jakarta.ee/…/migr…     4.1k     90",
        "  ■ answer          list of javax imp…     3.9k     82",
    ]


def test_largest_items_in_chinese() -> None:
    assert shown(largest_lines(REPORT.largest, 54, 10, ZH, at=0, lit=True))[:6] == [
        "最大的条目                               tokens     轮",
        "▸ ■ edit_file       OrderCodec.java（…     8.2k     91",
        "  ■ read_file       OrderService.java      7.9k     95",
        "  ■ search_files    @Deprecated **/*.…     7.4k     94",
        "  ■ 回答            VarHandle design,…     6.8k     93",
        "  ■ 工具定义        14 个定义              6.3k      —",
    ]


def test_the_cursor_is_always_among_the_rows() -> None:
    lines = largest_lines(REPORT.largest, 54, 4, EN, at=9, lit=True)
    assert [line.text[:2] for line in lines[1:4]] == ["  ", "  ", "▸ "]
    assert lines[-1].text == "  7 more"


def test_the_meter() -> None:
    """Mocks 09, last row; in 76 cells the error is said shorter."""
    error = "error of the last 20 calls: median 0.8%, worst 3.1%  × 1.04"
    assert meter_line(REPORT, 116, EN).text == both(
        "Meter  anchored to the last answer, +3.1k since", error, 116
    )
    assert meter_line(REPORT, 116, ZH).text == both(
        "计数  已锚定 到上次用量，其后 +3.1k",
        "最近 20 次误差：中位 0.8%，最大 3.1%  × 1.04",
        116,
    )
    assert meter_line(REPORT, 76, EN).text == both(
        "Meter  anchored to the last answer, +3.1k since", "median 0.8%, worst 3.1%", 76
    )
    assert meter_line(ContextReport(), 116, EN).text.rstrip() == (
        "Meter  estimated until the next answer is counted"
    )
    assert ("0.8%", "text") in colours(meter_line(REPORT, 116, EN))


def test_compact() -> None:
    """Mock 09b-context-compact-dark-en-80x24, with the largest items where the tabs will be."""
    lines = shown(context_lines(MODEL.view, REPORT, (76, 21), on_bg(EN)))
    assert lines[:13] == [
        both("CONTEXT", "168.9k / 256k  66%", 76),
        both("≈ 3 turns to warning", "3.9k / turn", 76),
        "████▉" + "█" * 34 + "▊" + "█" * 10 + "▏" + "█" * 15 + "░" * 10,
        at({29: "1", 39: "2", 53: "3", 66: "4", 73: "end"}),
        "■ sys+tools        14.2k  ■ memory            2.1k  ■ history         117.4k",
        "■ results          35.2k  ░ reserve          33.0k  □ free             54.1k",
        "",
        "Marks                               Windows           clear summarise    now",
        "1 clear results  100.0k     passed    128k ━━━━1━4━━  57.0k     95.0k  Σ due",
        "2 background     133.8k     passed    200k ━━━━1━━4─ 100.0k    167.0k  Σ due",
        "3 warn           179.2k  ≈ 3 turns  ● 256k ━━━1━━─4─ 100.0k    223.0k    66%",
        "4 summarise      223.0k ≈ 14 turns    1M   1╸──────4 100.0k    967.0k    17%",
        "",
    ]
    assert lines[13].startswith("Largest items")
    assert len(lines) == 21
    assert lines[-1].startswith("Meter")
    chinese = shown(context_lines(MODEL.view, REPORT, (76, 21), on_bg(ZH)))
    assert chinese[7] == (
        "标记                                窗口               清理      摘要   现在"
    )
    assert chinese[10] == (
        "3 预警           179.2k    约 3 轮  ● 256k ━━━1━━─4─ 100.0k    223.0k    66%"
    )


def test_the_plot() -> None:
    """Mock 09: labels, marks, events and ticks stand where it has them."""
    lines = [line.text for line in plot_lines(MODEL.view, REPORT, 58, 7, on_bg(EN))]
    assert lines[0] == both("Tokens by turn", "peak 223.6k at turn 80", 58)
    assert [line[:5] for line in lines[1:8]] == [
        " 256k", "     ", "     ", " 128k", "     ", "     ", "    0",
    ]  # fmt: skip
    assert [line[56] for line in lines[1:8]] == list("4   1  ")
    assert [line[54] for line in lines[1:8]] == list("││●││││")
    assert lines[1][6] == lines[5][6] == "╌"
    assert lines[8].rstrip() == at({9: "⇲", 13: "∅", 46: "Σ"})
    assert lines[9].rstrip() == at({6: "0", 14: "16", 22: "32", 30: "48", 38: "64", 46: "80"})
    assert {cell_len(line) for line in lines[:9]} <= {55, 58}


def test_the_plot_with_a_cursor_in_it() -> None:
    """As in a replay: the line and its dot at the turn, what came after it in grey."""
    pen = on_bg(EN)
    lines = plot_lines(MODEL.view, REPORT, 58, 7, pen, at=80)
    assert lines[0].text == both("Tokens by turn", "▸ turn 80  223.6k  Σ summarise", 58)
    assert [line.text[46] for line in lines[1:8]] == list("●││││││")
    assert lines[8].text[46] == "Σ"
    strip = lines[7].strip(58, pen.blank)
    colours_at = [
        {part.style.color for part in strip.crop(*cells) if part.style}
        for cells in ((40, 46), (47, 55))
    ]
    assert colours_at == [{pen.tint("█", "area")[1].color}, {pen("█", "track")[1].color}]
    narrow = plot_lines(MODEL.view, REPORT, 34, 7, pen, at=8)[0]
    assert narrow.text.endswith(" ▸ turn 8  38.0k ⇲") and narrow.cells == 34
    few = ContextReport(turns=(90_000, 30_000, 31_000), begins=("", "", ""))
    lines = plot_lines(MODEL.view, few, 58, 7, pen, at=2)
    assert lines[9].text.rstrip() == at({6: "1", 22: "2", 38: "3"})
    assert lines[7].text[22] in "│●"
    present = plot_lines(MODEL.view, REPORT, 58, 7, pen)
    assert plot_lines(MODEL.view, REPORT, 58, 7, pen, at=96)[1:] == present[1:]


@pytest.mark.parametrize(("rows", "there"), [(21, True), (20, True), (19, False)])
def test_the_plot_takes_the_place_of_the_items_where_it_is_narrow(
    rows: int,
    there: bool,
) -> None:
    pen = on_bg(EN)
    assert has_chart(MODEL.view, REPORT, (76, rows), pen) is there
    assert not has_chart(MODEL.view, ContextReport(), (76, rows), pen)
    lines = shown(context_lines(MODEL.view, REPORT, (76, rows), pen, turn=80))
    assert lines[13].startswith("Tokens by turn" if there else "Largest items")
    assert ("      0          16 " in "\n".join(lines)) is there
    assert len(lines) == rows and lines[-1].startswith("Meter")


def test_why_nothing_is_cleared() -> None:
    assert sentence_lines(MODEL.view, ContextReport(), 58, EN) == []
    assert sentence_lines(gauge((0, 0, 90_000, 0)).view, REPORT, 58, EN) == []
    enough = ContextReport(clearable=12_800)
    assert sentence_lines(gauge(clearable=12_800).view, enough, 58, EN) == []


def test_foreign_text_cannot_reach_the_terminal() -> None:
    items = (LargestItem("result", 10, 1, "x\x1b[31m", "a\nb\x1b]0;t\x07"),)
    text = largest_lines(items, 80, 3, EN, at=0, lit=True)[1].text
    assert "\x1b" not in text
    assert "\n" not in text


@pytest.mark.parametrize("pen", [EN, ZH, PLAIN], ids=["en", "zh", "ascii"])
@pytest.mark.parametrize("size", [(76, 21), (76, 12), (98, 30), (116, 33), (156, 45), (116, 20)])
@pytest.mark.parametrize("report", [REPORT, ContextReport()], ids=["full", "empty"])
def test_it_always_fits(pen: Pen, size: tuple[int, int], report: ContextReport) -> None:
    for model in (MODEL, GaugeModel(), gauge((0, 0, 62_500, 0), 131_072, growth=1)):
        lines = context_lines(model.view, report, size, on_bg(pen))
        assert len(lines) == size[1]
        assert max(line.cells for line in lines) <= size[0]


class ContextDesk(Desk):
    def on_item_chosen(self, message: ItemChosen) -> None:
        self.note(message)

    def on_window_chosen(self, message: WindowChosen) -> None:
        self.note(message)


async def test_the_cursor_moves_and_enter_goes_to_the_item() -> None:
    view = ContextView(Look(), gauge(growth=3_900), REPORT)
    app = ContextDesk(view)
    async with app.run_test(size=(116, 33)) as pilot:
        view.focus()
        await pilot.press("down", "down", "up", "enter")
        chosen = [message.item for message in app.seen if isinstance(message, ItemChosen)]
        assert chosen == [REPORT.largest[1]]
        await pilot.press("end", "down")
        assert view.item == REPORT.largest[-1]
        await pilot.press("w")
        assert "168.9k / 1M" in rows(app)[0]
        await pilot.press("enter")
        assert app.kinds() == ["ItemChosen", "WindowChosen"]
        assert rows(app)[-1].startswith("Meter")


async def test_a_new_report_is_shown() -> None:
    view = ContextView(Look(), gauge(), REPORT)
    app = ContextDesk(view)
    async with app.run_test(size=(116, 33)) as pilot:
        view.focus()
        await pilot.press("end")
        view.report = ContextReport(largest=REPORT.largest[:2])
        view.draw_now()
        await pilot.pause()
        assert view.item == REPORT.largest[1]
        assert "nothing" not in rows(app)[20]
        view.report = ContextReport()
        view.draw_now()
        await pilot.pause()
        assert view.item is None
        assert any("Nothing has been sent yet." in row for row in rows(app))
