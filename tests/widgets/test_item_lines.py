"""Messages, notes and dividers."""

from dataclasses import replace

from rich.cells import cell_len

from app.view.items import (
    ClearedItem,
    ErrorItem,
    NoticeItem,
    QueuedItem,
    ReasoningItem,
    RetryItem,
    StoppedItem,
    UserItem,
    WaitingItem,
)
from tests.widgets.inks import EN, PLAIN, ZH, colour_of, texts
from widgets.card_lines import BODY, Stage
from widgets.item_lines import (
    cleared_line,
    next_reasoning_stage,
    notice_lines,
    reasoning_lines,
    retry_lines,
    stopped_lines,
    user_lines,
    waiting_line,
)

WIDTH = 71


def test_the_users_words_stand_beside_a_bar() -> None:
    lines = user_lines(UserItem(id="u", text="first\n\nsecond 行"), EN, WIDTH)
    assert texts(lines) == ["▌ first", "▌", "▌ second 行"]
    assert colour_of(lines, "▌") == "accent"
    assert texts(user_lines(UserItem(id="u", text="x"), PLAIN, WIDTH)) == ["| x"]


def test_pictures_of_a_message_are_named_below_it() -> None:
    item = UserItem(id="u", text="Look", images=("shot.png 1.2 MB", "b.png 3.0 KB"))
    lines = user_lines(item, EN, WIDTH)
    assert texts(lines) == ["▌ Look", "▌ [image shot.png 1.2 MB]", "▌ [image b.png 3.0 KB]"]
    assert texts(user_lines(item, ZH, WIDTH))[1] == "▌ [图片 shot.png 1.2 MB]"


def test_a_rule_follows_its_colon_without_a_gap_in_chinese() -> None:
    item = UserItem(id="u", text="改吧", rules=("不要改数据库结构",))
    assert texts(user_lines(item, ZH, WIDTH))[-1] == "  · 记下规则：不要改数据库结构  Enter 可改"
    assert texts(user_lines(item, EN, WIDTH))[-1].startswith("  · rule noted: 不要改")


def test_a_queued_message_says_so_at_the_right_and_the_last_one_how_to_take_it_back() -> None:
    first = user_lines(QueuedItem(id="q", text="Then this.", last=False), EN, WIDTH)
    assert texts(first) == ["▌ Then this." + " " * (WIDTH - 18) + "queued"]
    assert colour_of(first, "▌") == "line2"
    last = user_lines(QueuedItem(id="q", text="x", last=True), ZH, WIDTH)
    assert texts(last)[1] == "  本轮结束后发送   ↑ 取回最后一条"
    assert cell_len(texts(last)[0]) == WIDTH


def test_a_long_queued_message_does_not_run_into_its_label() -> None:
    lines = texts(user_lines(QueuedItem(id="q", text="word " * 40), EN, 40))
    assert all(cell_len(line) <= 40 for line in lines)
    assert lines[0].endswith("  queued")


def test_notices_say_how_bad_it_is() -> None:
    for severity, glyph, tone in (
        ("ok", "✓", "ok"),
        ("info", "i", "info"),
        ("warn", "!", "warn"),
        ("danger", "✗", "danger"),
    ):
        item = NoticeItem(id="n", text="Something happened.", severity=severity)  # type: ignore[arg-type]
        lines = notice_lines(item, EN, WIDTH)
        assert texts(lines) == [f"{glyph} Something happened."]
        assert colour_of(lines, glyph) == tone


def test_an_error_hangs_under_its_glyph() -> None:
    lines = notice_lines(ErrorItem(id="e", text="It failed; set the key."), EN, 14)
    assert texts(lines) == ["✗ It failed;", "  set the key."]
    assert colour_of(lines, "failed") == "text"


def test_an_error_says_that_enter_goes_on() -> None:
    lines = notice_lines(ErrorItem(id="e", text="No connection", resumable=True), EN, WIDTH)
    assert texts(lines) == ["✗ No connection", "  Enter to go on"]


def test_a_retry_says_why_and_when() -> None:
    item = RetryItem(id="r", reason="The connection broke", attempt=2, wait=0.5)
    assert texts(retry_lines(item, EN, WIDTH)) == ["! The connection broke · try 2 in 0.5s"]
    assert texts(retry_lines(item, PLAIN, WIDTH)) == ["! The connection broke - try 2 in 0.5s"]
    assert texts(retry_lines(replace(item, wait=None), EN, WIDTH)) == [
        "! The connection broke · try 2"
    ]


def test_a_key_is_shown_only_while_it_works() -> None:
    assert texts(stopped_lines(StoppedItem(id="s"), EN, WIDTH)) == [
        "  stopped by you · Enter to go on"
    ]
    assert texts(stopped_lines(StoppedItem(id="s", resumable=False), ZH, WIDTH)) == ["  已由你停止"]


def test_a_divider_is_as_wide_as_the_pane() -> None:
    for ink in (EN, ZH, PLAIN):
        (line,) = texts([cleared_line(ClearedItem(id="c"), ink, WIDTH)])
        assert line.startswith(ink.glyphs.rule * 4 + " ")
        assert cell_len(line) == WIDTH


def test_reasoning_is_one_line_until_it_is_opened() -> None:
    item = ReasoningItem(
        id="r", message="m", text="First I look.\nThen I act.", started=0, seconds=4
    )
    closed = reasoning_lines(item, EN, WIDTH, Stage.CLOSED, 0)
    assert texts(closed) == ["thought for 4.0s  First I look."]
    assert texts(reasoning_lines(item, EN, WIDTH, Stage.SOME, 0)) == [
        "thought for 4.0s",
        "  First I look.",
        "  Then I act.",
    ]
    assert next_reasoning_stage(item, Stage.SOME) is Stage.CLOSED


def test_long_reasoning_opens_in_two_steps() -> None:
    text = "\n".join(f"step {number}" for number in range(40))
    item = ReasoningItem(id="r", message="m", text=text, started=0, seconds=64)
    some = texts(reasoning_lines(item, EN, WIDTH, Stage.SOME, 0))
    assert len(some) == BODY + 2
    assert some[-1] == "  … 28 more lines  Enter shows all"
    assert next_reasoning_stage(item, Stage.SOME) is Stage.ALL
    assert len(reasoning_lines(item, EN, WIDTH, Stage.ALL, 0)) == 41


def test_of_reasoning_that_streams_the_last_rows_are_shown() -> None:
    text = "\n".join(f"step {number}" for number in range(2_000))
    item = ReasoningItem(id="r", message="m", text=text, started=0)
    rows = texts(reasoning_lines(item, EN, WIDTH, Stage.SOME, 1.0))
    assert len(rows) == 1 + BODY
    assert rows[-1] == "  step 1999"


def test_what_runs_has_a_spinner_and_a_timer() -> None:
    item = ReasoningItem(id="r", message="m", text="hm", started=10.0)
    assert texts(reasoning_lines(item, EN, WIDTH, Stage.CLOSED, 14.06)) == ["⠋ thinking  4.1s"]
    waiting = waiting_line(WaitingItem(id="w", started=10.0), ZH, 12.0)
    assert texts([waiting])[0].endswith("等待模型回应  2.0s")
