"""The table of sessions: in both languages, at any width, by cells."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from app.archive.sessions import NodeRecord
from app.cli.session_list import SessionList
from app.cli.session_show import session_text, turns
from app.cli.table import Column, table_lines
from app.conversation.past import PastMark
from app.conversation.summary_mark import SummaryMark
from app.text import Language, Words
from tests.cli.nodes import CHAIN, NOW, ago, node


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


MARK = SummaryMark(messages=61, tokens=1_400, tokens_before=95_000, tokens_after=21_000, model="m")


def summarised() -> tuple[NodeRecord, ...]:
    """Mock 05's chain with what is known of its first summary, and an expansion."""
    root, child, *_ = CHAIN
    back = node("e0000000aaaa", child.id, "expand", created=50, used=4)
    return root, replace(child, summary=MARK), back


def test_a_summary_stands_with_the_session_it_ended() -> None:
    """`Σ 61 → 1.4k` of mock 05; only the session that goes on is in use."""
    lines = listed(*summarised(), live=(CHAIN[0].id,), width=120)
    assert [line[:13].rstrip() for line in lines[1:]] == [
        *("7f3a9c01", "├─ 6b910000", "└─ e0000000 ●"),
    ]
    assert "Upgrade to Java 21 · Σ 61 → 1.4k " in lines[1]
    assert "Σ" not in "".join(lines[2:])
    assert "expanded · Upgrade to Java 21" in lines[3]
    plain = listed(*summarised(), ascii_only=True, width=120)
    assert "Upgrade to Java 21 - S 61 -> 1.4k " in plain[1]
    assert "展开 · Upgrade" in listed(*summarised(), language="zh", width=120)[3]


def shown(
    one: NodeRecord,
    chain: tuple[NodeRecord, ...],
    *marks: PastMark,
    language: Language = "en",
    ascii_only: bool = False,
) -> str:
    table = SessionList(Words(language), now=NOW, columns=140, ascii_only=ascii_only)
    return session_text(table, one, chain, turns(marks))


def test_what_is_shown_of_a_summary() -> None:
    root, child, back = chain = summarised()
    figures = "61 messages → 1.4k tokens; the request 95.0k → 21.0k"
    assert "ended       Σ 61 → 1.4k · summarised into 6b910000" in shown(root, chain)
    text = shown(child, chain)
    assert f"summary     {figures} · m\n" in text
    assert "ended       expanded into e0000000" in text
    assert "ended" not in shown(back, chain)
    more = replace(child, summary=replace(MARK, generation=3, focus="the\x1b API"), undone=ago(5))
    text = shown(more, (root, more))
    assert f"{figures} · m · summary 3 of a row · focus: the\\x1b API" in text
    assert "undone      " in text
    assert "ended" not in shown(root, (root, more))
    cut = replace(child, summary=replace(MARK, how="cut", model=""))
    assert "61 messages left out, no summary; the request 95.0k → 21.0k" in shown(cut, (root, cut))
    plain = shown(child, chain, ascii_only=True)
    assert f"{figures.replace('→', '->')} - m\n" in plain
    assert "S 61 -> 1.4k - summarised into" in shown(root, chain, ascii_only=True)


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "en",
            [
                "—— 6b910000: goes on after a summary, 61 messages → 1.4k tokens",
                "—— 6b910000: goes on without 61 messages, no summary",
                "—— 6b910000: what was summarised is back",
            ],
        ),
        (
            "zh",
            [
                "—— 6b910000：摘要后继续，61 条消息 → 1.4k tokens",
                "—— 6b910000：移出 61 条消息后继续，未做摘要",
                "—— 6b910000：摘要处的原消息已放回",
            ],
        ),
    ],
)
def test_marks_between_turns(language: Language, expected: list[str]) -> None:
    root, child, _ = chain = summarised()
    marks = [
        PastMark("summary", child.id, root.id, ago(9), 61, None, MARK),
        PastMark("summary", child.id, root.id, ago(9), 61, None, replace(MARK, how="cut")),
        PastMark("expand", child.id, root.id, ago(9), 5),
    ]
    lines = shown(root, chain, *marks, language=language).splitlines()[-3:]
    assert [line.strip() for line in lines] == expected


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
