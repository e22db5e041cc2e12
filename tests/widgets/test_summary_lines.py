"""The dividers of summaries, row by row as the mocks have them (01c, 01d, 01e)."""

# ruff: noqa: E501 (rows stand as they are drawn)

from dataclasses import replace

import pytest

from app.events import KeptBySummary
from app.view.items import (
    ExpandedItem,
    QueuedItem,
    SummarisingItem,
    SummaryFailedItem,
    SummaryMarkItem,
    UndoneItem,
    UndoneKind,
)
from tests.screens.summed import KEPT
from tests.widgets.inks import EN, PLAIN, ZH, colour_of, texts, widest
from widgets.item_lines import summary_failed_lines, undone_lines, user_lines
from widgets.summary_lines import expanded_lines, summarising_line, summary_mark_lines

W = 71
DONE = SummaryMarkItem(
    id="s", node="c41d", parent="6b91", summary="s1", count=42, tokens=1_204, freed=112_800,
    kept=KEPT, undoable=True, stands=True,
)  # fmt: skip
RUNNING = SummarisingItem(id="s", count=42, started=100.0)


def rule(label: str) -> str:
    return f"──── {label} ─"


def first(lines: list[str]) -> str:
    return lines[0].rstrip("─") + "─"


def test_running_says_how_long_and_what_esc_does() -> None:
    english = summarising_line(RUNNING, EN, W, 108.2)
    assert english.text.rstrip("─") + "─" == rule(
        "⠹ summarising 42 messages  8.2s  Esc keep the history"
    )
    assert english.cells == W
    assert colour_of([english], "8.2s") == "accent" and colour_of([english], "keep") == "text3"
    chinese = summarising_line(RUNNING, ZH, W, 108.2).text
    assert chinese.rstrip("─") + "─" == rule("⠹ 正在为 42 条消息做摘要  8.2s  Esc 保留历史")
    plain = summarising_line(replace(RUNNING, count=1), PLAIN, W, 100.0).text
    assert "---- * summarising 1 message  0.0s  Esc keep the history -" in plain


def test_in_pieces_it_says_how_far_it_is_and_fits_the_smallest_screen() -> None:
    item = replace(RUNNING, count=1_042, done=12, pieces=97)
    english = summarising_line(item, EN, 76, 164.0).text
    assert "summarising 1,042 messages · 12 of 97  1m 04s  Esc keep the history ─" in english
    assert "· 12/97 段  1m 04s  Esc 保留历史 ─" in summarising_line(item, ZH, 76, 164.0).text


@pytest.mark.parametrize(
    ("item", "english", "chinese"),
    [
        (DONE, "summarised 42 messages → 1,204 tokens  ↩ undo", "已摘要 42 条消息 → 1,204 tokens  ↩ 撤销"),
        (replace(DONE, undoable=False), "summarised 42 messages → 1,204 tokens  expand · branch", "已摘要 42 条消息 → 1,204 tokens  就地展开 · 另开分支"),
        (replace(DONE, undoable=False, stands=False), "summarised 42 messages → 1,204 tokens  branch", "已摘要 42 条消息 → 1,204 tokens  另开分支"),
        (replace(DONE, undoable=False, stands=False, expanded=True), "summarised 42 messages → 1,204 tokens  expanded · branch", "已摘要 42 条消息 → 1,204 tokens  已展开 · 另开分支"),
        (replace(DONE, count=1), "summarised 1 message → 1,204 tokens  ↩ undo", "已摘要 1 条消息 → 1,204 tokens  ↩ 撤销"),
        (replace(DONE, cut=True), "42 messages left out, no summary · freed 112.8k  ↩ undo", "已移出 42 条消息，未做摘要 · 释放 112.8k  ↩ 撤销"),
        (replace(DONE, tokens=0, undoable=False), "summarised 42 messages  expand · branch", "已摘要 42 条消息  就地展开 · 另开分支"),
        (replace(DONE, count=0, tokens=0, undoable=False), "summarised what is above  expand · branch", "已摘要以上内容  就地展开 · 另开分支"),
    ],
    ids=["fresh", "later", "replaced", "expanded", "one", "cut", "no tokens", "nothing known"],
)  # fmt: skip
def test_done(item: SummaryMarkItem, english: str, chinese: str) -> None:
    for ink, said in ((EN, english), (ZH, chinese)):
        lines = summary_mark_lines(item, ink, W, focused=False)
        assert first(texts(lines)) == rule(said)
        assert lines[0].cells == W


def test_under_it_stands_what_was_kept() -> None:
    assert texts(summary_mark_lines(DONE, EN, W, focused=False))[1:] == [
        "     recovery: goal, 2 rules, 9 changed files, 15 entities  1.9k",
        "     word for word: your 5 messages and 2 pins  4.6k",
    ]
    assert texts(summary_mark_lines(DONE, ZH, W, focused=False))[1:] == [
        "     恢复提要：目标、2 条规则、9 个改过的文件、15 个实体  1.9k",
        "     逐字保留：你的 5 条消息和 2 处固定  4.6k",
    ]


@pytest.mark.parametrize(
    ("kept", "english", "chinese"),
    [
        (KeptBySummary(), [], []),
        (KeptBySummary(goal=True, recovery_tokens=40), ["recovery: goal  < 0.1k"], ["恢复提要：目标  < 0.1k"]),
        (KeptBySummary(files=1, rules=1, entities=1, recovery_tokens=500), ["recovery: 1 rule, 1 changed file, 1 entity  0.5k"], ["恢复提要：1 条规则、1 个改过的文件、1 个实体  0.5k"]),
        (KeptBySummary(said=1, said_tokens=1_000), ["word for word: your message  1.0k"], ["逐字保留：你的 1 条消息  1.0k"]),
        (KeptBySummary(pins=1, said_tokens=1_000), ["word for word: 1 pin  1.0k"], ["逐字保留：1 处固定  1.0k"]),
    ],
)  # fmt: skip
def test_only_what_there_is(kept: KeptBySummary, english: list[str], chinese: list[str]) -> None:
    item = replace(DONE, kept=kept)
    for ink, said in ((EN, english), (ZH, chinese)):
        rows = texts(summary_mark_lines(item, ink, W, focused=False))[1:]
        assert [row.strip() for row in rows] == said


@pytest.mark.parametrize(
    ("what", "count", "tokens", "english", "chinese"),
    [
        ("messages", 42, 112_800, "↩ undone: 42 messages are back · +112.8k", "↩ 已撤销：42 条消息回到历史 · +112.8k"),
        ("messages", 1, 500, "↩ undone: 1 message is back · +500", "↩ 已撤销：1 条消息回到历史 · +500"),
        ("expansion", 42, 112_800, "↩ undone: the summary stands for 42 messages again · -112.8k", "↩ 已撤销：摘要重新代替 42 条消息 · -112.8k"),
        ("expansion", 0, 0, "↩ undone: the summary stands again", "↩ 已撤销：摘要重新生效"),
        ("cuts", 2, 9_000, "↩ undone: 2 messages are whole again · +9.0k", "↩ 已撤销：2 条消息已恢复完整 · +9.0k"),
        ("cuts", 1, 0, "↩ undone: 1 message is whole again", "↩ 已撤销：1 条消息已恢复完整"),
        ("results", 9, 38_200, "↩ undone: 9 tool results are back · +38.2k", "↩ 已撤销：9 个工具结果已还原 · +38.2k"),
    ],
)  # fmt: skip
def test_undone(what: UndoneKind, count: int, tokens: int, english: str, chinese: str) -> None:
    item = UndoneItem(id="u", count=count, tokens=tokens, what=what)
    for ink, said in ((EN, english), (ZH, chinese)):
        lines = undone_lines(item, ink, W, focused=False)
        assert len(lines) == 1 and first(texts(lines)) == rule(said)


def test_that_summaries_pause_is_said_under_it() -> None:
    item = UndoneItem(id="u", count=42, tokens=112_800, paused=True, what="messages")
    said = texts(undone_lines(item, EN, W, focused=False))[1:]
    assert " ".join(" ".join(said).split()) == (
        "Automatic summaries stay paused in this conversation until you compact (F7), "
        "press Enter here, or the request would not fit."
    )
    assert all(row.startswith("     ") for row in said)
    assert widest(undone_lines(item, ZH, 40, focused=False)) <= 40


def test_expanded() -> None:
    item = ExpandedItem(id="e", count=42, tokens=112_800, undoable=True, paused=True)
    lines = texts(expanded_lines(item, EN, W, focused=False))
    assert first(lines) == rule("expanded: 42 messages are back · +112.8k  ↩ undo")
    assert "Enter" not in "".join(lines), "Enter takes it back"
    later = replace(item, undoable=False)
    assert "press Enter here" in " ".join(texts(expanded_lines(later, EN, W, focused=False)))
    bare = replace(item, tokens=0, undoable=False, paused=False)
    assert first(texts(expanded_lines(bare, ZH, W, focused=False))) == rule(
        "已就地展开：42 条消息回到历史"
    )
    some = replace(bare, count=0)
    assert first(texts(expanded_lines(some, EN, W, focused=False))) == rule(
        "expanded: what was summarised is back"
    )


def test_a_failure_is_calm() -> None:
    item = SummaryFailedItem(id="f", reason="There is no summary, nothing was changed. Timeout")
    lines = summary_failed_lines(item, EN, W)
    assert texts(lines) == ["Σ There is no summary, nothing was changed. Timeout"]
    assert colour_of(lines, "There is no") == "text2" and colour_of(lines, "Σ") == "text3"
    stopped = summary_failed_lines(replace(item, stopped=True), PLAIN, W)
    assert texts(stopped)[0].startswith("S ") and colour_of(stopped, "There is no") == "text3"


def test_what_is_queued_says_until_when() -> None:
    item = QueuedItem(id="q", text="And the release note.", until="summary")
    hint = texts(user_lines(item, EN, W))[-1]
    assert hint == "  sent together when the summary is done   ↑ takes the last one back"
    assert texts(user_lines(item, ZH, W))[-1] == "  摘要完成后一并发送   ↑ 取回最后一条"
    held = replace(item, until="asked")
    assert texts(user_lines(held, EN, W))[-1] == "  Enter sends it   ↑ takes the last one back"
