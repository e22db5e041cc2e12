"""The Memory tab, drawn: rows as the mock has them, in any width; the line under the message."""

from dataclasses import replace
from datetime import timedelta

import pytest
from rich.cells import cell_len

from app.events.memory import LeftOut
from app.text import Words
from app.view.items import UserItem
from app.view.recalled import FactNow, Recalled, RecalledFact, of_block, of_event, refreshed
from tests.screens.recalled import EVENT, FACTS, NOW
from widgets.glyphs import ASCII, UNICODE
from widgets.ink import Ink
from widgets.item_lines import user_lines
from widgets.palette import DARK
from widgets.pen import Pen
from widgets.recalled_lines import empty_words, fact_lines, head_line, rest_lines

PENS = {language: Pen(Ink(DARK, UNICODE, Words(language))) for language in ("en", "zh")}
EN, ZH = PENS["en"], PENS["zh"]
RECALLED = refreshed(of_event(EVENT), FACTS)


def drawn(fact: RecalledFact, pen: Pen, width: int = 40, *, current: bool = False) -> list[str]:
    lines = fact_lines(fact, NOW, width, pen, current=current, lit=True)
    return [line.text.rstrip() for line in lines]


def said(fact: RecalledFact, pen: Pen = EN) -> str:
    return drawn(fact, pen, 80)[1].strip()


def test_the_list_of_the_mock() -> None:
    rows = [row for fact in RECALLED.facts[:5] for row in drawn(fact, ZH)]
    assert rows == [
        "✓ 统一用 jakarta.*，不用 javax.*    项目",
        "  命中你消息里的「javax」",
        "✓ ◆ Flyway 脚本只增不改             项目",
        "  常驻",
        "~ JDK 是 Temurin 17            过时 全局",
        "  命中「Java 21」· 96 天前核实",
        "? Redis 只存幂等键           未核实 项目",
        "  3 天前从你的话里提取",
        "✓ ◆ 回复中文，注释英文              全局",
        "  常驻",
    ]
    assert head_line(RECALLED, 40, ZH).text == f"本轮注入{' ' * 11}5  412 / 1,280 tokens"
    assert rest_lines(replace(RECALLED, unmatched=123), ZH) == ["其余 123 条本轮未命中"]


def test_the_same_in_english() -> None:
    jakarta, flyway, jdk, redis, _, shown, budget = RECALLED.facts
    assert said(jakarta) == "matches “javax” in your message"
    assert said(flyway) == "always there"
    assert said(jdk) == "matches “Java 21” · verified 96d ago"
    assert said(redis) == "taken from your words 3d ago"
    assert said(replace(shown, gone=False)) == "an earlier message has it"
    assert said(replace(budget, gone=False)) == "no room for it"
    assert drawn(jdk, EN)[0] == "~ JDK 是 Temurin 17         stale global"
    assert head_line(RECALLED, 40, EN).text == f"injected{' ' * 11}5  412 / 1,280 tokens"
    earlier = head_line(RECALLED.dated(latest=False), 40, EN).text
    assert earlier.startswith("injected earlier   5")


@pytest.mark.parametrize("width", range(4, 90, 3))
@pytest.mark.parametrize("pen", PENS.values(), ids=PENS)
def test_no_line_is_wider_than_the_list(width: int, pen: Pen) -> None:
    long = replace(RECALLED.facts[2], content="路径/" * 40, why=("一" * 30, "x"), pinned=True)
    for fact in (*RECALLED.facts, long):
        for current in (False, True):
            for line in fact_lines(fact, NOW, width, pen, current=current, lit=True):
                assert cell_len(line.text) <= width
    assert head_line(RECALLED, 40, pen).cells == 40


def test_the_cursor_is_a_sign_too_and_every_state_has_a_glyph_and_a_word() -> None:
    assert drawn(RECALLED.facts[0], EN, current=True)[1].startswith("▸ matches")
    glyphs = {}
    for state in ("conflicting", "contradicted", "stale", "unverified", "fresh"):
        now = FactNow(content="x", scope="project", state=state, file="pom.xml", line=12)
        fact = RecalledFact(id="f", content="x", scope="project", state=state, now=now)
        glyphs[drawn(fact, EN)[0][0]] = state
        if state != "fresh":
            assert state in drawn(fact, EN)[0]
    assert list(glyphs) == ["≠", "✗", "~", "?", "✓"]
    ascii = Pen(Ink(DARK, ASCII, Words("en")), letters=True)
    everything = "".join("".join(drawn(replace(one, content="x"), ascii)) for one in RECALLED.facts)
    assert everything.replace("“", "").replace("”", "").isascii()


def test_what_a_state_comes_from_is_said() -> None:
    def made(**more: object) -> RecalledFact:
        now = FactNow(content="x", scope="project", **more)  # type: ignore[arg-type]
        return RecalledFact(id="f", content="x", scope="project", state=now.state, now=now)

    assert said(made(state="contradicted", file="pom.xml", line=12)) == "pom.xml:12 says otherwise"
    assert said(made(state="conflicting")) == "another memory says otherwise"
    assert said(made(state="fresh", verified=NOW)) == "verified today"
    assert said(made(state="unverified", author="model", written=NOW)) == "saved by the model today"
    assert said(made(state="unverified", author="import")) == "imported"
    old = NOW - timedelta(days=50)
    assert said(made(state="stale", written=old)) == "written by you 50d ago"


@pytest.mark.parametrize(
    ("left", "expected"),
    [
        ("switched_off", "left out by you, x takes it in again"),
        ("count", "nearer ones took the places"),
        (None, "left out from your next message on"),
    ],
)
def test_what_was_left_out_says_why(left: LeftOut | None, expected: str) -> None:
    fact = replace(RECALLED.facts[0], left=left, out=left in (None, "switched_off"))
    assert said(fact) == expected
    back = replace(fact, left="switched_off", out=False)
    assert said(back) == "back from your next message on"
    earlier = replace(fact, left="shown", out=True)
    assert said(earlier) == "left out from your next message on"
    gone = replace(fact, gone=True)
    assert said(gone) == "no longer in the memory" and "deleted" in drawn(gone, EN)[0]


def test_an_empty_list_says_why_it_is_empty() -> None:
    assert empty_words(Recalled(off=True))[0] == "recalled.off"
    assert empty_words(Recalled())[0] == "recalled.none_yet"
    assert empty_words(Recalled(message="u", unmatched=0))[0] == "recalled.nothing"
    assert empty_words(Recalled(message="u", unmatched=3))[0] == "recalled.none"
    assert rest_lines(Recalled(message="u", more=1, unmatched=1), EN) == [
        "1 more matches, less closely",
        "1 other not matched",
    ]


def test_the_line_under_the_users_message() -> None:
    item = UserItem(id="u", text="先盘点", recalled=5, recalled_tokens=412)
    assert user_lines(item, ZH.ink, 80)[-1].text == "  ◆ 用到 5 条记忆  +412 tokens"
    assert user_lines(item, EN.ink, 80)[-1].text == "  ◆ 5 memories recalled  +412 tokens"
    one = replace(item, recalled=1, recalled_tokens=0)
    assert user_lines(one, EN.ink, 80)[-1].text == "  ◆ 1 memory recalled"
    assert len(user_lines(replace(item, recalled=0), EN.ink, 80)) == 1
    both = user_lines(replace(item, corrected=1), EN.ink, 80)[-2:]
    assert [line.text for line in both] == [
        "  ◆ 5 memories recalled  +412 tokens",
        "  ◆ 1 memory corrected",
    ]


def test_a_block_without_more_knowledge_is_listed_by_its_words() -> None:
    fact = of_block("u", ("f",), "- Java 17 · project · unverified", tokens=9, budget=500).facts[0]
    assert drawn(fact, EN) == ["  Java 17", ""]


def test_where_the_words_need_the_room_the_state_is_named_below() -> None:
    known = FactNow(content="x", scope="project", state="contradicted", file="pom.xml", line=7)
    content = "Service builds on Java 17 (Temurin)"
    fact = RecalledFact(
        id="f", content=content, scope="project", state="contradicted", now=known, why=("build",)
    )
    assert drawn(fact, EN) == [
        "✗ Service builds on Java 17 (Te… project",
        "  contradicted by pom.xml:7",
    ]
    assert drawn(fact, EN, 46)[1] == "  contradicted by pom.xml:7 · matches “build”"
    assert drawn(replace(fact, why=(), pinned=True), ZH) == [
        "✗ ◆ Service builds on Java 17 (Tem… 项目",
        "  与 pom.xml:7 不符 · 常驻",
    ]
    out = drawn(replace(fact, out=True), EN)[1]
    assert out == "  left out from your next message on"
    stale = drawn(replace(RECALLED.facts[2], content=content), EN)
    assert stale[1] == "  stale · verified 96d ago"
