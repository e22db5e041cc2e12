"""The memory browser under real keys, at the sizes of mock 02."""

import time
from collections.abc import Sequence
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.color import Color
from textual.pilot import Pilot

from app.screens.memory import REFRESH_SECONDS
from app.text import Language
from app.view.facts_record import FactItem
from tests.screens.remembered import COMPACT, NORMAL, WIDE, MemoryApp
from tests.view.some_facts import JAVA, SOME, fact, many, stale
from tests.widgets.desk import has_row, rows, text
from widgets.dialogs.confirm import ConfirmDialog
from widgets.dialogs.fact_text import FactDialog
from widgets.fact_requests import (
    AddFact,
    DecideInbox,
    DeleteFacts,
    OpenProof,
    OpenSource,
    PinFacts,
    RewriteFact,
    UndoFacts,
)
from widgets.look import Look
from widgets.palette import DARK

REST = 0.25
"""Seconds until the detail of the fact under the cursor is read."""


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause()


async def type_filter(pilot: Pilot[None], query: str) -> None:
    await press(pilot, "slash", *query.replace(":", "~").replace(" ", "_").replace("~", ":"))
    await pilot.pause(0.15)


def part(app: MemoryApp, start: int, stop: int) -> list[str]:
    """Some columns of the screen, by cells."""
    strips = app.screen._compositor.render_strips()
    return [strip.crop(start, stop).text.rstrip() for strip in strips]


def middle(app: MemoryApp) -> list[str]:
    """The table's rows, without rail and detail."""
    return part(app, 20, 78)


def ground(app: MemoryApp, word: str) -> Color | None:
    """The background of a word that stands once on the screen."""
    (found,) = (
        segment.style.bgcolor
        for strip in app.screen._compositor.render_strips()
        for segment in strip
        if segment.style and segment.text.strip() == word
    )
    return found


def cursor_text(app: MemoryApp) -> str:
    item = app.memory.list.fact
    return "" if item is None else item.content


async def test_counts_beside_the_filter_lose_words_before_figures() -> None:
    app = MemoryApp()
    async with app.run_test(size=NORMAL) as pilot:
        await pilot.pause(REST)
        await type_filter(pilot, "is:stale")
        assert middle(app)[2] == "  / is:stale                          1 of 18 facts  ≠ 1"
        await press(pilot, "escape", "space", "space", "slash")
        await pilot.pause(0.15)
        assert middle(app)[2].endswith("  ● 2  18 facts  ≠ 1")


async def test_nothing_listed_says_nothing_beside_it() -> None:
    app = MemoryApp()
    async with app.run_test(size=NORMAL) as pilot:
        await pilot.pause(REST)
        assert "Bootstrap CI" in text(app)
        await type_filter(pilot, "zzz")
        assert "No memory fits" in text(app)
        assert "".join(part(app, 78, 120)[1:-1]).strip() == ""


async def test_as_the_mock_has_it() -> None:
    app = MemoryApp()
    async with app.run_test(size=NORMAL) as pilot:
        await pilot.pause(REST)
        shown = rows(app)
        assert shown[0].endswith("Memory  #7f3a")
        assert part(app, 0, 20)[2:13] == [
            "  ≠ Inbox        1",
            "",
            "  Scope",
            "  ● all         18",
            "  ○ project     15",
            "  ○ global       3",
            "",
            "  State",
            "  ✓ fresh        8",
            "  ~ stale        1",
            "  ? unverified   1",
        ]
        assert middle(app)[2:8] == [
            "  / filter  is:stale by:you   18 facts  ≠ 1 in the inbox",
            "",
            "      Fact                                Age Check Hits",
            " ────────────────────────────────────────────────────────",
            " ▸≠   Service builds on Java 17 (T…  P    41d   33d   14",
            "  ≠   CI runs tests with -T1C        P    38d   38d    6",
        ]
        assert middle(app)[15] == "  ✓ ◆ Flyway scripts are append-on…  P    60d    5d   27"
        assert part(app, 78, 120)[2:25] == [
            "  ≠ conflicting                  project",
            "",
            "  Service builds on Java 17 (Temurin)",
            "",
            "  Source    you  2026-10-19 17:45",
            "  Session   Bootstrap CI  #3c1e",
            "  Quote     「构建统一用 Temurin 17，CI",
            "              也是。」",
            "  Verified  33 days ago, by you",
            "",
            "  Waits in the inbox",
            "  ? … builds on Java 21  on request · 2m",
            "",
            "  Evidence",
            "  ✗ pom.xml:12                   says 21",
            "  ✗ build.yml:18                 says 21",
            "  ✓ .tool-versions:1             says 17",
            "    12 <maven.compiler.release>21</mave…",
            "",
            "  History",
            "  ≠  11-29  conflict: incoming Java 21",
            "  ·  11-15  used in 14 turns so far",
            "  ✓  10-27  verified by you",
        ]
        assert shown[-1] == (
            " v Verify  r Replace  e Edit  d Delete  a Add  u Undo  p Pin  / Filter  i Inbox"
            "  Enter Open session  Esc Back    ? keys"
        )


@pytest.mark.parametrize("size", [NORMAL, COMPACT, WIDE])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("ascii", [False, True])
async def test_fits(size: tuple[int, int], language: Language, ascii: bool) -> None:
    """No row is wider than the screen; in ASCII our own signs are."""
    app = MemoryApp([*SOME, *many(200)], language, ascii=ascii)
    async with app.run_test(size=size) as pilot:
        await pilot.pause(REST)
        if size == COMPACT:
            await press(pilot, "enter")
        assert max(cell_len(row) for row in rows(app)) <= size[0]
        if ascii and language == "en":
            signs = {one for row in rows(app) for one in row if not one.isascii()}
            assert not signs & set("≋≠✓✗▸●○◆─…·—~「」" if size != COMPACT else "≋≠✓✗▸●○◆…") - {"~"}


async def test_ten_stale_facts_with_ten_keystrokes() -> None:
    app = MemoryApp(stale(10))
    async with app.run_test(size=NORMAL) as pilot:
        await type_filter(pilot, "is:stale")
        await press(pilot, "enter")
        assert len(app.memory.model.rows) == 10
        await press(pilot, *"vvvvvvvvvv")
        assert sorted(set(app.verified)) == sorted(item.id for item in stale(10)[1:])
        assert len(app.verified) == 10
        assert "No memory fits the filter." in text(app)


async def test_ten_keystrokes_without_a_filter_go_down_the_list() -> None:
    app = MemoryApp(stale(10))
    async with app.run_test(size=NORMAL) as pilot:
        await press(pilot, "down", *"vvvvvvvvvv")
        assert app.verified == [item.id for item in app.memory.model.items[1:]]
        assert {item.state for item in app.memory.model.items} == {"fresh"}


async def test_the_rail_filters() -> None:
    app = MemoryApp()
    async with app.run_test(size=NORMAL) as pilot:
        await press(pilot, "shift+tab")
        assert app.memory.rail.has_focus
        assert "Enter Choose" in rows(app)[-1] and "Open session" not in rows(app)[-1]
        assert ground(app, "all") == DARK.style("text", "accent_bg").bgcolor
        await press(pilot, "down", "down", "enter")
        assert has_row(app, "/ in:global", "3 of 18 facts")
        await press(pilot, "down", "down", "space")
        assert has_row(app, "/ in:global is:stale", "1 of 18 facts")
        assert cursor_text(app) == "JDK on this laptop is Temurin 17"
        await press(pilot, "space", "up", "enter")
        assert has_row(app, "/ in:global is:fresh", "2 of 18 facts")
        await press(pilot, "tab")
        assert app.memory.list.has_focus
        assert cursor_text(app) and not app.memory.list.fact.node  # type: ignore[union-attr]
        assert "Enter" not in rows(app)[-1]
        await press(pilot, "slash", "escape", "home")
        assert "Enter Open session" in rows(app)[-1]
        assert ground(app, "all") != DARK.style("text", "accent_bg").bgcolor
        await press(pilot, "tab")
        assert app.memory.pane.has_focus
        await press(pilot, "tab")
        assert app.memory.rail.has_focus


async def test_filter_field() -> None:
    app = MemoryApp()
    async with app.run_test(size=NORMAL) as pilot:
        await type_filter(pilot, "java")
        assert has_row(app, "/ java", "2 of 18 facts")
        assert "v Verify" not in rows(app)[-1] and "Esc Drop the filter" in rows(app)[-1]
        await press(pilot, "down", "enter")
        assert app.memory.list.has_focus and app.memory.model.query == "java"
        assert cursor_text(app) == "Use jakarta.*, never javax.*"
        await press(pilot, "/", "escape")
        assert app.memory.model.query == "" and app.memory.list.has_focus
        assert cursor_text(app) == "Use jakarta.*, never javax.*"


@pytest.mark.parametrize("key", ["ideographic_comma", "fullwidth_solidus"])
async def test_full_width_twins_of_the_slash(key: str) -> None:
    app = MemoryApp()
    async with app.run_test(size=COMPACT) as pilot:
        await press(pilot, key)
        assert app.memory.table.asking


async def test_bulk_verify_and_delete() -> None:
    app = MemoryApp()
    async with app.run_test(size=NORMAL) as pilot:
        await press(pilot, "space", "space", "down", "space")
        marked = [SOME[0].id, SOME[1].id, SOME[3].id]
        assert has_row(app, "● 3 selected")
        assert [row[:3] for row in middle(app) if row.startswith("●")] == ["● ≠"] * 3
        await press(pilot, "v")
        assert app.verified == marked
        assert "selected" not in text(app)
        await press(pilot, "home", "space", "space", "d")
        assert isinstance(app.screen, ConfirmDialog) and "2 selected memories" in text(app)
        app.now += 60
        await press(pilot, "enter")  # the safe answer
        assert app.asked == [] and len(app.memory.model.selected) == 2
        await press(pilot, "d")
        app.now += 60
        await press(pilot, "left", "enter")
        two = tuple(item.id for item in app.memory.model.rows[:2])
        assert app.asked == [DeleteFacts(two)]
        assert app.memory.model.selected == set()


async def test_esc_drops_marks_then_leaves() -> None:
    app = MemoryApp()
    async with app.run_test(size=NORMAL) as pilot:
        await press(pilot, "space", "escape")
        assert app.screen is app.memory and not app.memory.model.selected
        await press(pilot, "escape")
        assert app.screen is not app.memory


async def test_what_the_letters_ask_for() -> None:
    app = MemoryApp()
    async with app.run_test(size=NORMAL) as pilot:
        await press(pilot, "d", "p", "u", "i", "enter", "down", "p")
        assert app.asked[0] == DeleteFacts((JAVA.id,))
        assert app.asked[1] == PinFacts((JAVA.id,), True)
        assert isinstance(app.asked[2], UndoFacts)
        assert app.asked[3] == DecideInbox("wait-1")
        assert app.asked[4] == OpenSource(JAVA.node, JAVA.message)
        assert app.asked[5] == PinFacts((SOME[1].id,), True)
        await press(pilot, *["down"] * 8, "p")
        assert app.asked[6] == PinFacts((SOME[9].id,), False)


async def test_add_edit_replace() -> None:
    app = MemoryApp()
    async with app.run_test(size=COMPACT) as pilot:
        await press(pilot, "a")
        assert isinstance(app.screen, FactDialog) and "for this project" in text(app)
        await press(pilot, *"vrd", "ctrl+j", *"x", "tab", "enter")
        assert app.asked == [AddFact("vrd\nx", "global")]
        await press(pilot, "e")
        assert "Edit a memory" in text(app) and "Tab" not in text(app)
        await press(pilot, "!", "enter")
        assert app.asked[1] == RewriteFact(JAVA.id, f"{JAVA.content}!", edits=True)
        await press(pilot, "r", "backspace", "enter")
        assert app.asked[2] == RewriteFact(JAVA.id, JAVA.content[:-1], edits=False)
        await press(pilot, "r", "enter")  # nothing changed
        await press(pilot, "e", "x", "escape")
        await press(pilot, "a", "space", "enter")  # blank: it stays open
        assert isinstance(app.screen, FactDialog) and len(app.asked) == 3


async def test_delete_everywhere_asks() -> None:
    app = MemoryApp()
    async with app.run_test(size=NORMAL) as pilot:
        await press(pilot, "D")
        assert "It can't be undone" in text(app).replace("\n", " ")
        app.now += 60
        await press(pilot, "escape", "D")
        assert app.asked == []
        app.now += 60
        await press(pilot, "1")
        await pilot.pause(0.2)
        assert app.asked == [DeleteFacts((JAVA.id,), everywhere=True)]


async def test_details_lead_somewhere() -> None:
    app = MemoryApp()
    async with app.run_test(size=COMPACT) as pilot:
        await pilot.pause(REST)
        await press(pilot, "enter")
        assert has_row(app, "Quote", "构建统一用 Temurin 17，CI 也是。")
        assert has_row(app, "Session", "Bootstrap CI", "#3c1e")
        await press(pilot, "enter", "down", "enter", "down", "enter")
        assert app.asked == [
            OpenSource(JAVA.node, JAVA.message),
            DecideInbox("wait-1"),
            OpenProof("pom.xml", 12),
        ]
        await press(pilot, "v")
        assert app.verified == [JAVA.id] and cursor_text(app) == JAVA.content
        await press(pilot, "escape")
        assert has_row(app, "Fact", "Scope") and app.memory.list.has_focus


async def test_cursor_filter_and_marks_stay_when_others_write() -> None:
    app = MemoryApp()
    async with app.run_test(size=NORMAL) as pilot:
        await press(pilot, "space", *["down"] * 8)
        here = cursor_text(app)
        newer = fact(0, "Another window wrote this", "conflicting")
        app.show([newer, *(item for item in SOME if item != SOME[5])])
        await pilot.pause()
        assert cursor_text(app) == here
        assert app.memory.model.selected == {JAVA.id}
        assert has_row(app, "Another window wrote this")
        assert SOME[5].content[:20] not in "\n".join(middle(app))
        app.show([item for item in app.facts if item.content != here])
        await pilot.pause()
        assert cursor_text(app) == SOME[10].content  # the next one


async def test_it_asks_for_the_facts_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    app = MemoryApp()
    assert REFRESH_SECONDS == 2.0
    monkeypatch.setattr("app.screens.memory.REFRESH_SECONDS", 0.2)
    async with app.run_test(size=NORMAL) as pilot:
        await pilot.pause(0.25)
        assert app.wanted >= 2
        await press(pilot, "a", "escape")
        assert app.wanted >= 3  # at once, when what lay over it goes


async def test_nothing_yet() -> None:
    app = MemoryApp([], "zh")
    async with app.run_test(size=COMPACT) as pilot:
        await press(pilot, "v", "d", "p", "e", "space", "enter", "down", "i")
        assert "这里还没有记住任何内容。" in text(app)
        assert app.asked == [] and app.verified == []
        await press(pilot, "a", "j", "enter")
        assert app.asked == [AddFact("j", "project")]
        app.show(SOME)
        await pilot.pause()
        await press(pilot, "down")
        assert app.memory.list.has_focus and has_row(app, "▸", "CI runs tests")


async def test_another_language_and_foreign_text() -> None:
    evil = replace(
        fact(1, "bad \x1b[31mred\x07 \u202e text\nsecond line", "stale"), quote="「\x1b]0;x\x07"
    )
    app = MemoryApp([evil])
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause(REST)
        assert "\x1b" not in text(app) and "\u202e" not in text(app)
        assert has_row(app, "second line")
        app.memory.look = Look(words=type(app.memory.look.words)("zh"))
        await pilot.pause()
        assert has_row(app, "过时", "1") and rows(app)[0].rstrip().endswith("记忆  #7f3a")


async def answered(app: MemoryApp, pilot: Pilot[None], facts: int) -> float:
    """CPU seconds that the keys take among so many facts."""
    while len(app.memory.model.rows) < facts:
        await pilot.pause(0.02)
    begun = time.process_time()
    for key in ["down"] * 20 + ["pagedown"] * 10 + ["end", "home", "space", "v"]:
        await pilot.press(key)
    return time.process_time() - begun


async def test_ten_thousand_answer_every_key() -> None:
    """Also while they are sorted and filtered in a thread; as among a hundred."""
    few = MemoryApp(many(100))
    async with few.run_test(size=NORMAL) as pilot:
        usual = await answered(few, pilot, 100)
    facts: Sequence[FactItem] = many(10_000)
    app = MemoryApp(facts)
    async with app.run_test(size=NORMAL) as pilot:
        lots = await answered(app, pilot, 10_000)
        assert lots < 5 * usual
        await type_filter(pilot, "17999")
        while len(app.memory.model.rows) != 1:
            await pilot.pause(0.02)
        assert has_row(app, "1 of 10,000 facts")
