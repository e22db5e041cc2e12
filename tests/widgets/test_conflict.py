"""The conflict under real keys (STYLE 7, 8, 14; mock 03)."""

from typing import Any

import pytest
from textual import events

from app.events import ConflictAnswer, ConflictQuestion, EvidenceLine
from app.text import Words
from tests.widgets.conflicts import CHINESE, EXISTING, INCOMING, QUESTION, ConflictDesk
from tests.widgets.desk import has_row, rows, text
from widgets.dialogs.buttons import ButtonRow
from widgets.glyphs import ASCII
from widgets.look import Look

ZH = Look(Words("zh"))


def answer(verdict: Any) -> ConflictAnswer:
    return ConflictAnswer(verdict=verdict)


def asking(**changes: Any) -> ConflictQuestion:
    return QUESTION.model_copy(update=changes)


REPLACE, BOTH, KEEP = answer("replace"), answer("keep_both"), answer("keep_existing")


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (("enter",), KEEP),
        (("escape",), KEEP),
        (("r",), REPLACE),
        (("k",), BOTH),
        (("1",), REPLACE),
        (("2",), BOTH),
        (("3",), KEEP),
        (("tab", "enter"), REPLACE),
        (("right", "right", "enter"), BOTH),
        (("left", "enter"), BOTH),
        (("shift+tab", "shift+tab", "enter"), REPLACE),
        (("pagedown",), None),
        (("]",), None),
    ],
)
async def test_answers(keys: tuple[str, ...], expected: ConflictAnswer | None) -> None:
    app = ConflictDesk()
    async with app.run_test(size=(120, 36)) as pilot:
        await app.ready(pilot)
        await pilot.press(*keys)
        await app.settle(pilot)
        assert app.answers == [expected]


@pytest.mark.parametrize("twin", ["】", "」", "］"])
async def test_what_an_input_method_makes_of_the_bracket_goes_on_too(twin: str) -> None:
    app = ConflictDesk()
    async with app.run_test(size=(120, 36)) as pilot:
        await app.ready(pilot)
        await app.commit(pilot, twin)
        await app.settle(pilot)
        assert app.answers == [None] and app.draft == ""


@pytest.mark.parametrize(
    ("keys", "expected"),
    [(("1",), REPLACE), (("2",), BOTH), (("right", "enter"), REPLACE), (("enter",), KEEP)],
)
async def test_under_an_input_method_no_letter_is_needed(
    keys: tuple[str, ...], expected: ConflictAnswer
) -> None:
    app = ConflictDesk(CHINESE, ZH)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.ready(pilot)
        await app.commit(pilot, *"替换")
        assert app.answers == [] and app.draft == "替换"
        app.now += 5
        await pilot.press(*keys)
        await app.settle(pilot)
        assert app.answers == [expected]


async def test_before_the_pause_only_esc_acts_and_text_goes_to_the_draft() -> None:
    app = ConflictDesk()
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        app.now += 0.9
        await pilot.press("enter", "tab", "pagedown", "1", "r", "k", "]")
        await app.commit(pilot, "】")
        assert app.answers == []
        assert app.draft == "rk]】"
        await pilot.press("escape")
        await app.settle(pilot)
        assert app.answers == [KEEP]


async def test_who_types_on_puts_the_moment_off() -> None:
    app = ConflictDesk(typed_at=49.9)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        app.now += 0.95
        await pilot.press("2")
        app.now += 0.95
        await pilot.press("enter")
        await pilot.pause(0.12)
        assert (app.answers, app.draft) == ([], "2")
        app.now += 0.1
        await pilot.press("enter")
        await app.settle(pilot)
        assert app.answers == [KEEP]


async def test_a_word_that_comes_at_once_and_a_paste_press_nothing() -> None:
    app = ConflictDesk()
    async with app.run_test(size=(120, 36)) as pilot:
        await app.ready(pilot)
        await app.commit(pilot, *"rk")
        app.now += 5
        await app.commit(pilot, *"好】")
        app.now += 5
        app.post_message(events.Paste("r"))
        await pilot.pause(0.12)
        assert app.answers == [] and app.draft == "rk好】r"


async def test_a_click_presses() -> None:
    app = ConflictDesk()
    async with app.run_test(size=(120, 36)) as pilot:
        await app.ready(pilot)
        await pilot.click(ButtonRow, offset=(20, 0))
        await app.settle(pilot)
        assert app.answers == [BOTH]


async def test_usual_size_is_the_mock_row_by_row() -> None:
    app = ConflictDesk()
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        shown = [row[8:].strip("│ ") for row in rows(app)]
        gap = " " * 13
        assert rows(app)[6][8:].startswith("╭─ Memory conflict ─")
        assert rows(app)[28][8:].startswith("╰──") and len(rows(app)[28]) == 112
        assert shown[8].startswith("Two facts disagree on the Java version")
        assert shown[8].endswith("● ○ ○ ○ ○  1 of 5")
        assert shown[11].split() == ["EXISTING", "✗", "contradicted", "INCOMING", "?", "unverified"]
        assert shown[13] == (
            f"Service builds on Java 17 (Temurin){gap}  Service builds on Java 21 (Temurin)"
        )
        assert has_row(app, "Written    2026-10-19 by you", "Written    now, model on request")
        assert has_row(app, "Verified   2026-10-27 · 33 days ago", "Verified   –")
        assert has_row(app, "Used       14 turns", "Used       –")
        assert has_row(app, "Bootstrap CI #3c1e", "Session    Upgrade to Java 21 #7f3a")
        assert has_row(app, "「构建统一用 Temurin 17」", "「再把工具链升到 Java 21」")
        assert has_row(app, "✗ pom.xml:12  says 21", "✓ pom.xml:12  says 21", "✓ better founded")
        assert shown[24] == "1 r Replace ✓    2 k Keep both    3 Esc Keep existing"
        assert shown[26] == (
            "Tab ← → choose   Enter do it   PgDn ] next conflict   keys wait for a pause in typing"
        )


async def test_the_smallest_size_keeps_what_tells_most() -> None:
    app = ConflictDesk()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        shown = [row[4:].strip("│ ") for row in rows(app)]
        assert rows(app)[4][4:].startswith("╭─ Memory conflict ─")
        assert rows(app)[18][4:].startswith("╰──") and len(rows(app)[18]) == 76
        assert shown[8].split("   ")[0] == "Service builds on Java 17"
        assert shown[10].startswith("Written  41d ago by you ")
        assert shown[10].endswith("Written  now, on request")
        assert shown[11].startswith("Checked  33d ago ") and shown[11].endswith("Checked  –")
        assert has_row(app, "「构建统一用 Temurin 17」", "「再把工具链升到 Java 21」")
        assert has_row(app, "✗ pom.xml:12  says 21", "✓ pom.xml:12  says 21   better")
        assert "Used" not in text(app) and "Session" not in text(app)
        assert shown[15] == "1 r Replace ✓    2 k Keep both    3 Esc Keep existing"
        assert shown[17] == "Tab ← → choose   Enter do it   PgDn ] next conflict"


async def test_chinese() -> None:
    app = ConflictDesk(CHINESE, ZH)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        assert has_row(app, "╭─ 记忆冲突 ─")
        assert has_row(app, "两条记忆不一致：Java 版本", "● ○ ○ ○ ○  第 1 / 5 条")
        assert has_row(app, "已有", "✗ 与文件不符", "新值", "? 未核实")
        assert has_row(app, "写入       2026-10-19 由你", "写入       刚刚，模型应要求")
        assert has_row(app, "核实       2026-10-27 · 33 天前")
        assert has_row(app, "命中       14 轮") and has_row(app, "会话       搭建 CI #3c1e")
        assert has_row(app, "✗ pom.xml:12  写的是 21", "✓ 证据更足")
        assert has_row(app, " 1 r 替换 ✓    2 k 都保留    3 Esc 保留原有 ")
        assert has_row(app, "PgDn ] 下一条冲突   停止输入一秒后按键才生效")
    app = ConflictDesk(CHINESE, ZH)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert has_row(app, "写入     41 天前，由你", "刚刚，模型应要求")
        assert has_row(app, "✓ pom.xml:12  写的是 21   更足")


def marked(app: ConflictDesk) -> list[tuple[str, str]]:
    """What is bold and underlined, with the colour of its ground."""
    return [
        (segment.text, str(segment.style.bgcolor and segment.style.bgcolor.name))
        for strip in app.screen._compositor.render_strips()
        for segment in strip
        if segment.style and segment.style.bold and segment.style.underline
    ]


@pytest.mark.parametrize(
    ("better", "tints"),
    [
        ("incoming", ["#371f20", "#1c2b1c"]),
        ("existing", ["#1c2b1c", "#371f20"]),
        ("", ["#302816", "#302816"]),
    ],
)
async def test_what_differs_is_bold_underlined_and_tinted(better: str, tints: list[str]) -> None:
    app = ConflictDesk(asking(better=better))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert marked(app) == [("17", tints[0]), ("21", tints[1])]


async def test_without_colours_the_mark_stays() -> None:
    app = ConflictDesk(theme="haima-dark-16")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert [word for word, _ in marked(app)] == ["17", "21"]
        assert has_row(app, "✗ contradicted │  INCOMING")


async def test_the_tick_stands_on_the_side_of_the_evidence() -> None:
    app = ConflictDesk(asking(better="existing"))
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        assert has_row(app, "1 r Replace    2 k Keep both    3 Esc Keep existing ✓")
    app = ConflictDesk(asking(better=""))
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        assert "better" not in text(app)
        assert has_row(app, "1 r Replace    2 k Keep both    3 Esc Keep existing")
        assert "existing ✓" not in text(app)


@pytest.mark.parametrize(
    ("place", "count", "waiting", "dots", "key"),
    [
        (1, 1, 0, "", "decide later"),
        (2, 3, 0, "○ ● ○  2 of 3", "next conflict"),
        (3, 3, 0, "○ ○ ●  3 of 3", "decide later"),
        (1, 1, 2, "● ○ ○  1 of 3", "next conflict"),
        (20, 40, 0, "○ ○ ○ ● ○ ○ ○  20 of 40", "next conflict"),
        (40, 40, 0, "○ ○ ○ ○ ○ ○ ●  40 of 40", "decide later"),
    ],
)
async def test_the_place_in_the_row(
    place: int, count: int, waiting: int, dots: str, key: str
) -> None:
    app = ConflictDesk(asking(place=place, count=count))
    async with app.run_test(size=(120, 36)) as pilot:
        app.dialog.waiting = waiting
        await pilot.pause()
        head = next(row for row in rows(app) if "disagree" in row).strip("│ ")
        assert head.endswith(dots or "the Java version")
        assert has_row(app, f"PgDn ] {key}")


LONG = "The pipeline builds the images, then it pushes them to the registry. " * 10


async def test_long_texts_scroll_to_what_differs_and_the_buttons_stay() -> None:
    question = asking(
        existing=EXISTING.model_copy(update={"content": f"{LONG}It runs on Java 17."}),
        incoming=INCOMING.model_copy(update={"content": f"{LONG}It runs on Java 21."}),
    )
    app = ConflictDesk(question)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.ready(pilot)
        await pilot.pause()
        assert [word for word, _ in marked(app)] == ["17", "21"]
        assert has_row(app, "3 Esc Keep existing") and has_row(app, "↑ ↓ scroll")
        await pilot.press(*["up"] * 16)
        await pilot.pause()
        assert has_row(app, "EXISTING", "INCOMING") and not marked(app)
        await pilot.press(*["down"] * 24)
        await pilot.pause()
        assert has_row(app, "✗ pom.xml:12", "✓ pom.xml:12") and app.answers == []


async def test_what_is_not_known_says_so() -> None:
    unknown = {"written": None, "verified": None, "used": 0}
    bare = EXISTING.model_copy(update={**unknown, "session": "", "node": "", "quote": ""})
    lines = (
        EvidenceLine(kind="supports", place="a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/build.gradle:3"),
        EvidenceLine(kind="contradicts", place="README.md", gone=True),
        EvidenceLine(kind="supports", place="x", says="1\x1b[2J"),
        EvidenceLine(kind="supports", place="y", says="2"),
    )
    new = INCOMING.model_copy(update={"evidence": lines})
    question = asking(existing=bare.model_copy(update={"evidence": ()}), incoming=new)
    app = ConflictDesk(question)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        assert has_row(app, "Written    some time by you") and has_row(app, "Verified   never")
        assert has_row(app, "Used       never") and has_row(app, "Session    –")
        assert has_row(app, "· no file says anything on it", "…/build.gradle:3  is there  ✓ better")
        assert has_row(app, "✗ README.md  is gone") and has_row(app, "… 2 more places")


async def test_no_row_is_spent_on_quotes_where_there_are_none() -> None:
    bare = {"quote": ""}
    question = asking(
        existing=EXISTING.model_copy(update=bare), incoming=INCOMING.model_copy(update=bare)
    )
    app = ConflictDesk(question)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        checked = next(at for at, row in enumerate(rows(app)) if "Checked" in row)
        assert "✗ pom.xml:12" in rows(app)[checked + 1]


async def test_foreign_text_does_nothing_to_the_terminal_and_marks_stay_in_place() -> None:
    old = EXISTING.model_copy(
        update={"content": "\x1b[31mJava\x1b[0m 17\tonly", "quote": "a\x1b]0;"}
    )
    app = ConflictDesk(asking(existing=old, subject="x\x1b[2J\ny"))
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        assert "\x1b" not in text(app) and "\\x1b[31mJava" in text(app)
        assert any(word.endswith(" 17") for word, _ in marked(app))


async def test_a_long_quote_is_cut_inside_its_marks() -> None:
    old = EXISTING.model_copy(update={"quote": "构建统一用这个版本" * 20})
    app = ConflictDesk(asking(existing=old))
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        assert has_row(app, "Quote      「构建") and has_row(app, "…」")
    app = ConflictDesk(asking(existing=old))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert has_row(app, "「构建统一用这个版本构建统…」")


async def test_ascii() -> None:
    plain = {"quote": "all on Temurin 17"}
    question = asking(
        existing=EXISTING.model_copy(update=plain), incoming=INCOMING.model_copy(update=plain)
    )
    app = ConflictDesk(question, Look(glyphs=ASCII))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert text(app).isascii()
        assert has_row(app, '"all on Temurin 17"') and has_row(app, "x contradicted")


async def test_another_language_and_another_size_are_drawn_at_once() -> None:
    app = ConflictDesk()
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        app.dialog.look = ZH
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        await pilot.pause()
        assert has_row(app, " 1 r 替换 ✓ ") and has_row(app, "41 天前，由你")


async def test_too_small_to_read_is_too_small_to_answer() -> None:
    app = ConflictDesk()
    async with app.run_test(size=(70, 20)) as pilot:
        await app.ready(pilot)
        await pilot.press("r", "enter", "escape")
        await pilot.pause(0.12)
        assert app.answers == [] and app.draft == ""
