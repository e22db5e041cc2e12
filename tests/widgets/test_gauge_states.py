"""Every state of the gauge, row by row as in the pictures 00-states (54 cells)."""

# ruff: noqa: E501 (rows stand as they are drawn)

import pytest

from app.view.gauge import GaugeModel
from tests.view.gauges import gauge
from tests.widgets.gauge_rows import EN, PLAIN, PLAIN_ZH, ZH, at, both, colours, shown
from widgets.gauge_lines import bar_line, head, legend, marks_line, state
from widgets.pen import Pen
from widgets.windows_block import windows_block

W = 54
BIG = (14_200, 2_100, 168_600, 40_900)


def block(model: GaugeModel, pen: Pen, width: int = W) -> list[str]:
    """Head, bar and marks."""
    view = model.view
    return shown(
        [*head(view, width, pen), bar_line(view, width, pen), marks_line(view, width, pen)]
    )


CALM = gauge((14_200, 1_200, 13_000, 8_900), 128_000, 2_400, background=True)
WARNED = gauge((14_200, 2_100, 96_200, 31_800), 200_000, 3_100, background=True)
DUE = gauge(BIG, 256_000, 3_900, background=True)
OVER = gauge((14_200, 2_100, 196_500, 50_300), 256_000, 3_900, background=True)
MILLION = gauge((14_200, 2_100, 303_100, 116_900), 1_000_000, 3_900)
UNANCHORED = gauge((14_200, 1_200, 18_200, 7_400), 128_000, 2_400, estimated=True, background=True)
UNKNOWN = gauge((14_200, 1_200, 18_200, 7_400), 128_000, 2_400, certain=False, background=True)
EXAMPLE = gauge(growth=3_900, background=True)
PREVIEW = gauge(growth=3_900, background=True, clearable=20_000)
PREVIEW.preview(200_000)
FIFTH = gauge((14_200, 1_200, 30_000, 17_100), 131_072, background=True, clearable=7_000)

MARKS_128 = {24: "1", 25: "2", 37: "3", 40: "4"}
MARKS_200 = {27: "1", 28: "2", 37: "3", 45: "4"}
MARKS_256 = {21: "1", 28: "2", 37: "3", 47: "4"}
BAR_41 = "█" * 6 + "▌" + "█" * 7 + "▏██▎" + "█" * 22 + "░" * 14


@pytest.mark.parametrize(
    ("model", "rows"),
    [
        (CALM, [
            both("CONTEXT", "37.3k / 128k  29%", W),
            both("≈ 9 turns to clearing", "2.4k / turn", W),
            "█" * 6 + "▌" + "█" * 8 + "▊" + "█" * 24 + "░" * 14,
            at(MARKS_128 | {51: "end"}),
        ]),
        (WARNED, [
            both("CONTEXT", "144.3k / 200k  ! 72%", W),
            both("! past warn · ≈ 8 turns to summarising", "3.1k / turn", W),
            "███▉▍" + "█" * 25 + "▍" + "█" * 14 + "░" * 9,
            at(MARKS_200 | {51: "end"}),
        ]),
        (DUE, [
            both("CONTEXT", "225.8k / 256k  ! 88%", W),
            "! past mark 4 · summarising before the next call",
            "███▌" + "█" * 43 + "▋" + "░" * 6,
            at(MARKS_256 | {51: "end"}),
        ]),
        (OVER, [
            both("CONTEXT", "263.1k / 256k  ! 103%", W),
            both("! too large to send", "F7 compact", W),
            "██▉▎" + "█" * 38 + "▉" + "█" * 11,
            at(MARKS_256 | {51: "end"}),
        ]),
        (MILLION, [
            both("CONTEXT", "436.3k / 1M  44%", W),
            both("≈ 68 turns to warning", "3.9k / turn", W),
            "▊" + "█" * 16 + "▎" + "█" * 5 + "▌" + "█" * 28 + "░" * 2,
            at({5: "1", 37: "3", 52: "4"}),
        ]),
        (UNANCHORED, [
            both("CONTEXT", "≈ 41.0k / 128k  estimated", W),
            both("≈ 7 turns to clearing", "2.4k / turn", W),
            BAR_41,
            at(MARKS_128 | {51: "end"}),
        ]),
        (UNKNOWN, [
            both("CONTEXT", "41.0k / 128k?  32%", W),
            both("≈ 7 turns to clearing", "2.4k / turn", W),
            BAR_41,
            at(MARKS_128 | {51: "end"}),
        ]),
        (PREVIEW, [
            both("CONTEXT", "168.9k / 200k  ! 84%", W),
            "preview · would be summarised before the next call",
            "███▉▍" + "█" * 31 + "▏" + "█" * 8 + "▋" + "░" * 8,
            at(MARKS_200 | {51: "end"}),
        ]),
    ],
    ids=["calm", "warned", "due", "over", "million", "estimated", "unknown", "preview"],
)  # fmt: skip
def test_rows_in_english(model: GaugeModel, rows: list[str]) -> None:
    assert block(model, EN) == rows


@pytest.mark.parametrize(
    ("model", "rows"),
    [
        (CALM, [
            both("上下文", "37.3k / 128k  29%", W),
            both("约 9 轮后清理", "每轮 2.4k", W),
            "█" * 6 + "▌" + "█" * 8 + "▊" + "█" * 24 + "░" * 14,
            at(MARKS_128 | {52: "满"}),
        ]),
        (WARNED, [
            both("上下文", "144.3k / 200k  ! 72%", W),
            both("! 已过预警 · 约 8 轮后做摘要", "每轮 3.1k", W),
            "███▉▍" + "█" * 25 + "▍" + "█" * 14 + "░" * 9,
            at(MARKS_200 | {52: "满"}),
        ]),
        (DUE, [
            both("上下文", "225.8k / 256k  ! 88%", W),
            "! 已过标记 4 · 下次调用前先做摘要",
            "███▌" + "█" * 43 + "▋" + "░" * 6,
            at(MARKS_256 | {52: "满"}),
        ]),
        (OVER, [
            both("上下文", "263.1k / 256k  ! 103%", W),
            both("! 太大，无法发送", "F7 压缩", W),
            "██▉▎" + "█" * 38 + "▉" + "█" * 11,
            at(MARKS_256 | {52: "满"}),
        ]),
        (MILLION, [
            both("上下文", "436.3k / 1M  44%", W),
            both("约 68 轮后预警", "每轮 3.9k", W),
            "▊" + "█" * 16 + "▎" + "█" * 5 + "▌" + "█" * 28 + "░" * 2,
            at({5: "1", 37: "3", 52: "4"}),
        ]),
        (UNANCHORED, [
            both("上下文", "≈ 41.0k / 128k  估算", W),
            both("约 7 轮后清理", "每轮 2.4k", W),
            BAR_41,
            at(MARKS_128 | {52: "满"}),
        ]),
        (UNKNOWN, [
            both("上下文", "41.0k / 128k?  32%", W),
            both("约 7 轮后清理", "每轮 2.4k", W),
            BAR_41,
            at(MARKS_128 | {52: "满"}),
        ]),
        (PREVIEW, [
            both("上下文", "168.9k / 200k  ! 84%", W),
            "预览 · 下次调用前会做摘要",
            "███▉▍" + "█" * 31 + "▏" + "█" * 8 + "▋" + "░" * 8,
            at(MARKS_200 | {52: "满"}),
        ]),
    ],
    ids=["calm", "warned", "due", "over", "million", "estimated", "unknown", "preview"],
)  # fmt: skip
def test_rows_in_chinese(model: GaugeModel, rows: list[str]) -> None:
    assert block(model, ZH) == rows


def test_windows_while_another_is_looked_at() -> None:
    assert shown(windows_block(PREVIEW.view, W, EN)) == [
        at({0: "Windows", 26: "clear", 33: "summarise", 51: "now"}),
        "  128k ━━━━━━━1━━━4━━━━   57.0k      95.0k  Σ due 132%",
        "  200k ━━━━━━━━1━━━━4──  100.0k     167.0k  Σ due  84%",
        "● 256k ━━━━━━1━━━╸──4──  100.0k     223.0k  ∅ due  66%",
        "  1M   ━1╸────────────4  100.0k     967.0k  ∅ due  17%",
    ]
    assert shown(windows_block(PREVIEW.view, W, ZH)) == [
        at({0: "窗口", 27: "清理", 38: "摘要", 50: "现在"}),
        "  128k ━━━━━━━1━━━4━━━━   57.0k      95.0k Σ 待做 132%",
        "  200k ━━━━━━━━1━━━━4──  100.0k     167.0k Σ 待做  84%",
        "● 256k ━━━━━━1━━━╸──4──  100.0k     223.0k ∅ 待做  66%",
        "  1M   ━1╸────────────4  100.0k     967.0k ∅ 待做  17%",
    ]


def test_a_window_that_is_none_of_the_four() -> None:
    assert shown(windows_block(FIFTH.view, W, EN))[1:] == [
        "  128k ━━━━━━━1───4────   57.0k      95.0k  ∅ due  49%",
        "  200k ━━━━━───1────4──  100.0k     167.0k         31%",
        "  256k ━━━━──1──────4──  100.0k     223.0k         24%",
        "  1M   ━1─────────────4  100.0k     967.0k          6%",
        "● 131k ━━━━━━━1───4────   58.8k      98.1k  ∅ due  48%",
    ]
    assert shown(windows_block(FIFTH.view, W, ZH))[5] == (
        "● 131k ━━━━━━━1───4────   58.8k      98.1k ∅ 待做  48%"
    )


def test_ascii() -> None:
    assert block(EXAMPLE, PLAIN) == [
        both("CONTEXT", "168.9k / 256k  66%", W),
        both("~ 3 turns to warning", "3.9k / turn", W),
        "SSSM" + "H" * 25 + "T" * 7 + "." * 11 + ":" * 7,
        at(MARKS_256 | {51: "end"}),
    ]
    assert block(EXAMPLE, PLAIN_ZH)[1] == both("约 3 轮后预警", "每轮 3.9k", W)
    assert shown(windows_block(EXAMPLE.view, W, PLAIN))[3] == (
        "@ 256k ======1===---4--  100.0k     223.0k         66%"
    )
    everything = "".join(
        text
        for model in (EXAMPLE, WARNED, DUE, OVER, UNANCHORED, PREVIEW)
        for text in [*block(model, PLAIN), *shown(legend(model.view, W, PLAIN))]
    )
    assert everything.isascii()


def test_colours_say_the_state() -> None:
    assert colours(head(CALM.view, W, EN)[0])[-1] == ("29%", "accent")
    assert colours(head(WARNED.view, W, EN)[0])[-1] == ("! 72%", "warn")
    assert colours(head(DUE.view, W, EN)[0])[-1] == ("! 88%", "danger")
    assert colours(head(UNANCHORED.view, W, EN)[0])[-1] == ("estimated", "info")
    assert colours(marks_line(DUE.view, W, EN)) == [
        ("1", "text3"), ("2", "text3"), ("3", "warn"), ("4", "danger"), ("end", "text3"),
    ]  # fmt: skip
    assert colours(marks_line(EXAMPLE.view, W, EN))[2:4] == [("3", "accent"), ("4", "text2")]


@pytest.mark.parametrize(
    ("model", "english", "chinese"),
    [
        (WARNED, "! past warn · ≈ 8 turns to summarising", both("! 已过预警 · 约 8 轮后做摘要", "+3.1k", 40)),
        (DUE, "! summarising before the next call", "! 下次调用前先做摘要"),
        (OVER, both("! too large to send", "F7 compact", 40), both("! 太大，无法发送", "F7 压缩", 40)),
        (gauge((1_000, 0, 0, 0)), "clearing at 100.0k", "到 100.0k 时清理"),
        (gauge((0, 0, 99_000, 0), growth=1_000), both("≈ 1 turn to clearing", "1.0k / turn", 40), both("约 1 轮后清理", "每轮 1.0k", 40)),
        (gauge((0, 0, 1_000, 0), growth=10), both("≈ 99+ turns to clearing", "10 / turn", 40), both("约 99+ 轮后清理", "每轮 10", 40)),
        (gauge(BIG, summarises=False), both("! past the summarise mark", "F7 compact", 40), both("! 已过摘要标记", "F7 压缩", 40)),
    ],
)  # fmt: skip
def test_what_is_said_in_a_narrow_panel(model: GaugeModel, english: str, chinese: str) -> None:
    """At 40 cells words are shorter, and nothing is said twice."""
    assert shown([state(model.view, 40, EN), state(model.view, 40, ZH)]) == [english, chinese]


def test_a_preview_says_what_would_come() -> None:
    assert state(PREVIEW.view, 40, EN).text.rstrip() == "preview · would be summarised first"
    assert state(PREVIEW.view, 40, ZH).text.rstrip() == "预览 · 会先做摘要"
    calm = gauge(growth=3_900)
    calm.preview(1_000_000)
    assert state(calm.view, W, EN).text.rstrip() == "preview · ≈ 99+ turns to warning"
    past = gauge(summarises=False)
    past.preview(200_000)
    assert state(past.view, 40, EN).text.rstrip() == "preview · would be past mark 4"
    over = gauge(summarises=False)
    over.preview(128_000)
    assert state(over.view, W, EN).text.rstrip() == "preview · would be too large to send"
