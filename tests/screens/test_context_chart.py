"""Tokens by turn in the context's screen: Tab, a cursor over the turns, Enter (STYLE 14)."""

from pathlib import Path

from textual.pilot import Pilot

from app.screens.context import ContextScreen
from app.view.context_view import ContextReport, LargestItem
from app.view.plot import TurnEvent
from tests.screens.stage import Stage, make_app, opened, until
from tests.screens.test_context_screen import ContextApp
from tests.session.support import ScriptedModel, call, says
from tests.view.gauges import measured
from tests.widgets.desk import has_row, rows, text

CHART_KEYS = " ← → Turn  Enter Go to it  w Window  F7 Compact  Tab Items  Esc Back"
ITEM_KEYS = " ↑ ↓ Item  Enter Go to it  "


def stage(tmp_path: Path, *answers: str) -> Stage:
    """Reads a large file first where `answers` says "read"."""
    script = []
    for answer in answers:
        if answer == "read":
            script.append(says("", call("read_file", path="big.txt")))
        script.append(says(f"Done: {answer}"))
    app = make_app(tmp_path, ScriptedModel(*script))
    (tmp_path / "order-service" / "big.txt").write_text("a line\n" * 8_000)
    return app


async def ask(app: Stage, pilot: Pilot[int], said: str) -> None:
    """One turn."""
    await pilot.press(*f"ask {said}", "enter")
    await until(pilot, lambda: f"Done: {said}" in text(app))
    await until(pilot, lambda: app.session is not None and not app.session.busy)


async def test_tab_leads_to_the_chart_and_enter_to_its_turn(tmp_path: Path) -> None:
    app = stage(tmp_path, "read", "second", "third")
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot, app)
        for said in ("read", "second", "third"):
            await ask(app, pilot, said)
        await pilot.press(*"/context", "enter")
        await until(pilot, lambda: isinstance(app.screen, ContextScreen))
        await until(pilot, lambda: "Tab Chart  Esc Back" in rows(app)[-1])
        assert rows(app)[-1].startswith(ITEM_KEYS)
        assert has_row(app, "Tokens by turn", "peak")
        await pilot.press("tab")
        await pilot.pause()
        assert rows(app)[-1].startswith(CHART_KEYS)
        assert has_row(app, "Tokens by turn", "▸ turn 3  ") and not has_row(app, "peak")
        await pilot.press("home")
        assert has_row(app, "Tokens by turn", "▸ turn 1  ", "  ⇲ offload")
        await pilot.press("right")
        assert has_row(app, "▸ turn 2  ") and not has_row(app, "⇲ offload")
        await pilot.press("end", "right")
        assert has_row(app, "▸ turn 3  ")
        await pilot.press("tab")
        await pilot.pause()
        assert rows(app)[-1].startswith(ITEM_KEYS) and has_row(app, "peak")
        await pilot.press("shift+tab", "left", "enter")
        await until(pilot, lambda: app.screen is app.chat)
        assert app.chat is not None and app.session is not None
        asked = [one.id for one in app.session.history if one.role == "user"]
        transcript = app.chat.transcript
        assert transcript.has_focus and transcript.cursor is not None
        assert app.chat.store[transcript.cursor].id == asked[1]


async def test_on_a_small_screen_the_chart_takes_the_place_of_the_items(tmp_path: Path) -> None:
    app = stage(tmp_path, "first", "second", "read")
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        for said in ("first", "second"):
            await ask(app, pilot, said)
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(app.screen, ContextScreen))
        await until(pilot, lambda: has_row(app, "Largest items"))
        await pilot.press("end")
        await pilot.pause()
        assert "p Pin  w Window  Tab Chart  Esc Back" in rows(app)[-1]
        assert not has_row(app, "Tokens by turn")
        await pilot.press("tab", "left")
        await pilot.pause()
        assert rows(app)[-1].startswith(CHART_KEYS)
        assert has_row(app, "Tokens by turn", "▸ turn 1  ") and not has_row(app, "Largest")
        await pilot.press("ctrl+g", "l")
        await until(pilot, lambda: has_row(app, "各轮 tokens", "▸ 第 1 轮  "))
        keys = " ← → 轮  Enter 转到  w 窗口  F7 压缩  Tab 条目  Esc 返回"
        await until(pilot, lambda: rows(app)[-1].startswith(keys))
        await pilot.press("tab")
        await until(pilot, lambda: has_row(app, "最大的条目"))
        assert "Tab 图表  Esc 返回" in rows(app)[-1]
        await pilot.press("ctrl+g", "l")
        await until(pilot, lambda: has_row(app, "Largest items"))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)
        # With tabs below there is no list of items, and Tab leaves the focus where it is.
        await ask(app, pilot, "read")
        await pilot.press("f5")
        await until(pilot, lambda: has_row(app, "▸ Goal"))
        before = rows(app)[-1]
        assert "Tab Chart" not in before
        await pilot.press("tab", "shift+tab", "tab")
        await pilot.pause()
        assert rows(app)[-1] == before and has_row(app, "▸ Goal")


async def test_a_turn_that_was_summarised_and_a_chart_without_room() -> None:
    report = ContextReport(
        largest=(LargestItem("you", 4_000, 2, subject="x", message="m2", path="a.txt"),),
        turns=(90_000, 30_000),
        begins=("", "m2"),
        events=(TurnEvent(1, "summary"), TurnEvent(1, "offload")),
    )
    app = ContextApp(report=report)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("tab", "left", "enter", "o", "p", "down")
        assert has_row(app, "▸ turn 1  90.0k  Σ summarise  ⇲ offload")
        assert rows(app)[-1].startswith(" ← → Turn  w Window  F7 Compact  Tab Items  Esc Back")
        assert app.seen == []
        await pilot.press("right")
        app.report = ContextReport(report.composition, report.largest, (90_000, 30_000, 31_000))
        app.now += 1
        app.model.apply(measured(tokens=171_000))
        await pilot.pause()
        assert has_row(app, "▸ turn 3  31.0k")
        await pilot.resize_terminal(120, 26)
        await pilot.pause()
        assert rows(app)[-1].startswith(ITEM_KEYS) and "Tab" not in rows(app)[-1]
        await pilot.press("tab", "enter")
        assert app.kinds() == ["GoTo"]
