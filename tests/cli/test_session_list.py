"""The table of sessions: in both languages, at any width, by cells."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from app.archive.sessions import NodeRecord
from app.cli.session_list import SessionList
from app.cli.table import Column, table_lines
from app.text import Language, Words
from tests.cli.nodes import CHAIN, NOW, node


def listed(
    *nodes: NodeRecord,
    language: Language = "en",
    width: int = 100,
    ascii_only: bool = False,
    live: tuple[str, ...] = (),
    by_project: bool = False,
) -> list[str]:
    table = SessionList(Words(language), now=NOW, columns=width, ascii_only=ascii_only, live=live)
    return table.text(nodes, by_project=by_project).splitlines()


def test_a_chain_in_english() -> None:
    assert listed(*CHAIN, live=("c41d0000aaaa",)) == [
        "session         title                         turns  messages   used  model",
        "7f3a9c01        Upgrade to Java 21               38     1,152    1 h  deepseek-v3.2",
        "├─ 6b910000     summary · Upgrade to Java 21     38     1,152    1 h  deepseek-v3.2",
        "│  ├─ 8e100000  fork at 84 · try GraalVM         38     1,152    1 h  deepseek-v3.2",
        "│  └─ 8e110000  summary                          38     1,152    1 h  deepseek-v3.2",
        "└─ c41d0000 ●   summary · Upgrade to Java 21     38     1,152  5 min  deepseek-v3.2",
    ]


def test_a_chain_in_chinese() -> None:
    assert listed(*CHAIN[:2], language="zh") == [
        "会话         标题                       轮   消息    使用  模型",
        "7f3a9c01     Upgrade to Java 21         38  1,152  1 小时  deepseek-v3.2",
        "└─ 6b910000  摘要 · Upgrade to Java 21  38  1,152  1 小时  deepseek-v3.2",
    ]


def test_without_utf_8() -> None:
    lines = listed(*CHAIN, ascii_only=True, live=("c41d0000aaaa",), width=50)
    assert all(line.isascii() for line in lines)
    assert lines[5].startswith("`- c41d0000 *   summary - Upgrade...")


@pytest.mark.parametrize(
    ("width", "heads"),
    [
        (84, ["session", "title", "turns", "messages", "used", "model"]),
        (66, ["session", "title", "turns", "messages", "used"]),
        (54, ["session", "title", "turns", "used"]),
        (44, ["session", "title", "used"]),
        (20, ["session"]),
    ],
)
def test_what_a_narrow_terminal_leaves_out(width: int, heads: list[str]) -> None:
    assert listed(*CHAIN, width=width)[0].split() == heads


def test_no_line_is_wider_than_the_terminal() -> None:
    wide = node("1111aaaa0000", title="把订单服务升级到 Java 21，" * 9, chain="1111aaaa0000")
    for width, language in product((1, 5, 20, 33, 47, 48, 80, 200), ("en", "zh")):
        lines = listed(*CHAIN, wide, width=width, language=language)  # type: ignore[arg-type]
        assert [line for line in lines if cell_len(line) > width] == []
    assert "…" in listed(wide, width=80)[1]


def test_a_title_cannot_move_the_cursor() -> None:
    (_, line) = listed(node("7f3a9c01d2e4", title="a\x1b[2J\tb\u2028c"))
    assert "a\\x1b[2J b c" in line


def test_ids_are_shown_as_long_as_they_have_to_be() -> None:
    first, second = node("7f3a9c01d2e4"), node("7f3a9c01d2f5", chain="7f3a9c01d2f5")
    assert [line.split()[0] for line in listed(first, second)[1:]] == [
        "7f3a9c01d2e",
        "7f3a9c01d2f",
    ]


def test_deleted_ones_say_so_and_untitled_ones_have_a_dash() -> None:
    gone = node("7f3a9c01d2e4", deleted="2026-11-29T00:00:00Z")
    assert "deleted · Upgrade" in listed(gone)[1]
    assert listed(node("7f3a9c01d2e4", title=""))[1].split()[1] == "—"


def test_every_project_has_a_table_of_its_own() -> None:
    other = node("2b77aaaa0000", chain="2b77aaaa0000", project="/home/u/audit", used=1)
    lines = listed(*CHAIN[:1], other, by_project=True)
    assert (lines[0], lines[3], lines[4]) == ("/home/u/audit", "", "/home/u/order-service")


@pytest.mark.parametrize(
    ("used", "shown"),
    [
        (-5, "now"),
        (0.9, "now"),
        (1, "1 min"),
        (59, "59 min"),
        (60, "1 h"),
        (24 * 60, "1 d"),
        (30 * 24 * 60 - 1, "29 d"),
        (30 * 24 * 60, "2026-10-30"),
    ],
)
def test_how_long_ago(used: float, shown: str) -> None:
    line = listed(node("7f3a9c01d2e4", used=used))[1]
    assert f"  {shown}  deepseek" in line


@given(
    st.lists(st.tuples(*[st.text(st.characters(categories=("L", "N")), max_size=30)] * 3)),
    st.integers(1, 120),
)
def test_any_table_fits(rows: list[tuple[str, str, str]], width: int) -> None:
    columns = (Column("a"), Column("b", least=4, keep=2), Column("c", right=True, keep=1))
    lines = list(table_lines(columns, rows, width=width, ascii_only=False))
    assert len(lines) == len(rows) + 1
    assert max(map(cell_len, lines)) <= width
