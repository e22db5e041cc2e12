"""Tool cards: the columns of STYLE 3, what each state says, how far a card opens."""

import pytest
from rich.cells import cell_len

from app.events import DiffLine
from app.view.items import CardItem, CardStatus, FoldItem
from tests.widgets.inks import EN, PLAIN, ZH, texts
from widgets.card_lines import (
    BODY,
    Stage,
    card_lines,
    card_row,
    fold_line,
    next_stage,
    opens_by_itself,
)
from widgets.palette import DARK

WIDTH = 69


def card(status: CardStatus = "ok", **fields: object) -> CardItem:
    values: dict[str, object] = {
        "id": "c1", "tool": "read_file", "subject": "pom.xml", "status": status, "started": 0.0,
        "seconds": 0.2, "characters": 3104,
    }  # fmt: skip
    return CardItem(**values | fields)  # type: ignore[arg-type]


def row(item: CardItem, width: int = WIDTH, seconds: float = 0.0) -> str:
    line = card_row(item, EN, width, seconds, focused=False)
    return "".join(text for text, _ in line.spans)


DIFF = (
    DiffLine(number=40, sign=" ", text="  <encoding>UTF-8</encoding>"),
    DiffLine(number=41, sign="-", text="  <java.version>17</java.version>"),
    DiffLine(number=41, sign="+", text="  <java.version>21</java.version>"),
)


def test_the_columns_stand_where_the_guide_says() -> None:
    """1 space, status, 1 space, tool 16, argument, time 7, size 9, 1 space (STYLE 3)."""
    line = row(card())
    assert len(line) == WIDTH
    assert line.startswith(" ✓ read_file       pom.xml ")
    assert line.endswith("    0.2s    3,104 ")
    assert line[-17:-10] == "   0.2s"
    assert line[-10:-1] == "    3,104"


@pytest.mark.parametrize("width", [40, 69, 71, 99])
def test_a_row_is_as_wide_as_its_pane_in_both_languages(width: int) -> None:
    for ink in (EN, ZH, PLAIN):
        for status in ("running", "waiting", "ok", "failed", "refused", "stopped"):
            item = card(status, subject="中文 " * 40, reason="why")
            for line in card_lines(item, ink, width, Stage.CLOSED, focused=False):
                assert line.strip(width, DARK.style("text", "bg")).cell_length == width
                assert line.cells <= width


def test_a_running_card_has_a_spinner_and_a_timer() -> None:
    line = row(card("running"), seconds=12.44)
    assert line.startswith(" ⠼ read_file")
    assert line.endswith("   12.4s        … ")


def test_times_over_a_minute_fit_their_column() -> None:
    assert row(card(seconds=64.2)).endswith(" 1m 04s    3,104 ")
    assert row(card(seconds=59.97)).endswith(" 1m 00s    3,104 ")


@pytest.mark.parametrize(
    ("status", "first", "second", "tone"),
    [
        ("failed", " ✗ ", "   exit 1 · no such class", "danger"),
        ("waiting", " ! ", "   needs your approval", "warn"),
        ("refused", " ✗ ", "   exit 1 · no such class", "text3"),
    ],
)
def test_what_needs_saying_is_said_in_a_second_row(
    status: CardStatus, first: str, second: str, tone: str
) -> None:
    lines = card_lines(card(status, reason="exit 1 · no such class"), EN, WIDTH, Stage.CLOSED,
                       focused=False)  # fmt: skip
    assert texts(lines)[0].startswith(first)
    assert texts(lines)[1] == second
    assert lines[1].spans[1][1] == DARK.style(tone, "raised")  # type: ignore[arg-type]


def test_a_refused_card_without_a_reason_says_who_refused() -> None:
    lines = card_lines(card("refused"), ZH, WIDTH, Stage.CLOSED, focused=False)
    assert texts(lines)[1] == "   已被你拒绝"


def test_a_waiting_card_says_so_in_the_time_column() -> None:
    assert row(card("waiting")).endswith("waiting          ")
    assert row(card("stopped")).endswith("stopped          ")


def test_a_path_keeps_its_end_and_a_command_its_beginning() -> None:
    path = row(card(subject="src/main/java/com/example/very/long/order/OrderCodec.java"))
    assert "…/" in path
    assert "/OrderCodec.java " in path
    command = row(card(subject="mvn -q -DskipTests compile -pl order-core -am --batch-mode x"))
    assert " mvn -q -DskipTests compile" in command
    assert "… " in command


def test_a_command_of_several_lines_shows_its_first() -> None:
    assert " cat <<EOF … " in row(card(subject="cat <<EOF\nx\nEOF"))


def test_an_edit_says_how_many_lines_came_and_went() -> None:
    assert row(card(added=31, removed=24)).endswith("  +31 -24 ")
    assert row(card(added=64)).endswith("      +64 ")


@pytest.mark.parametrize("characters", [999_999, 2_000_000, 16_000_000, 64_000_000])
def test_a_size_of_any_length_stands_apart_from_the_time(characters: int) -> None:
    line = row(card(characters=characters, seconds=123.4))
    assert line.split()[-2:] == ["03s", f"{characters:,}"]
    assert len(line) == WIDTH


def test_a_focused_card_raises_its_labels() -> None:
    line = card_row(card(), EN, WIDTH, 0.0, focused=True)
    assert {style.bgcolor for _, style in line.spans} == {DARK.style("text", "accent_bg").bgcolor}
    time = next(style for text, style in line.spans if "0.2s" in text)
    assert time.color == DARK.style("text2").color


def test_a_small_edit_is_open_by_itself_and_cut_to_the_pane() -> None:
    item = card(diff=DIFF, added=1, removed=1)
    assert opens_by_itself(item)
    lines = card_lines(item, EN, 34, Stage.SOME, focused=False)
    assert texts(lines)[1:] == [
        "     40     <encoding>UTF-8</enco…",
        "     41 -   <java.version>17</jav…",
        "     41 +   <java.version>21</jav…",
    ]
    assert [line.fill.bgcolor for line in lines[1:] if line.fill] == [
        DARK.style("text", surface).bgcolor for surface in ("raised", "danger_bg", "ok_bg")
    ]


def test_opened_wholly_a_long_line_of_an_edit_is_broken() -> None:
    lines = card_lines(card(diff=DIFF), EN, 34, Stage.ALL, focused=False)
    assert "".join(text[10:] for text in texts(lines)[1:3]).strip() == "<encoding>UTF-8</encoding>"


def test_a_card_opens_to_twelve_rows_then_to_all_then_closes() -> None:
    item = card(body="\n".join(f"line {number}" for number in range(100)))
    closed = card_lines(item, EN, WIDTH, Stage.CLOSED, focused=False)
    some = texts(card_lines(item, EN, WIDTH, Stage.SOME, focused=False))
    every = texts(card_lines(item, EN, WIDTH, Stage.ALL, focused=False))
    assert len(closed) == 1
    assert len(some) == 1 + BODY + 1
    assert some[-1] == "   … 88 more lines  Enter shows all"
    assert len(every) == 101
    assert [next_stage(item, stage) for stage in Stage] == [Stage.SOME, Stage.ALL, Stage.CLOSED]


def test_a_short_result_has_nothing_more_to_show() -> None:
    item = card(body="one\ntwo")
    assert next_stage(item, Stage.SOME) is Stage.CLOSED
    assert texts(card_lines(item, EN, WIDTH, Stage.SOME, focused=False))[1:] == ["   one", "   two"]
    assert next_stage(card(), Stage.CLOSED) is Stage.CLOSED
    ends = card(body="one\ntwo\n")
    assert texts(card_lines(ends, EN, WIDTH, Stage.SOME, focused=False))[1:] == ["   one", "   two"]


def test_one_endless_line_takes_twelve_rows_at_first() -> None:
    item = card(body="x" * 10_000)
    lines = card_lines(item, EN, WIDTH, Stage.SOME, focused=False)
    assert len(lines) <= 2 + BODY
    assert next_stage(item, Stage.SOME) is Stage.ALL
    assert len(card_lines(item, EN, WIDTH, Stage.ALL, focused=False)) > 100


def test_a_burst_says_what_was_called_how_often() -> None:
    fold = FoldItem(id="f", count=9, tools=(("read_file", 6), ("search_files", 3)), seconds=4.1)
    line = fold_line(fold, EN, WIDTH, focused=False)
    assert texts([line]) == [" ✓ 9 calls  read_file ×6, search_files ×3  4.1s"]
    assert texts([fold_line(fold, PLAIN, 30, focused=False)]) == [" + 9 calls  read_file..  4.1s"]
    assert cell_len(texts([fold_line(fold, ZH, 40, focused=False)])[0]) <= 40
