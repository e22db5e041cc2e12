"""The Sessions screen under real keys, at the sizes of mock 05."""

from collections.abc import Sequence
from typing import Any

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from app.screens.sessions import SessionsScreen
from app.text import Language, Words
from app.view.sessions_view import SessionNode
from tests.view.some_sessions import JAVA, NOW, OTHERS, SOME, many
from tests.widgets.desk import Desk, has_row, rows, text
from widgets.dialogs.confirm import ConfirmDialog
from widgets.dialogs.desk import ModalDesk
from widgets.dialogs.title import TitleDialog
from widgets.glyphs import ASCII, UNICODE
from widgets.header import HeaderState
from widgets.look import Look
from widgets.requests import Request

STATE = HeaderState(project="order-service", model="deepseek-v3.2", session="7f3a")
NORMAL, COMPACT, WIDE = (120, 36), (80, 24), (160, 48)


class SessionsApp(Desk):
    """Opens the screen over an empty one; what it asks for is kept."""

    def __init__(
        self, nodes: Sequence[SessionNode] = SOME, language: Language = "en", *, ascii: bool = False
    ) -> None:
        super().__init__()
        self.now = 50.0
        self.asked: list[Request] = []
        desk = ModalDesk(self, lambda _: None)
        self.sessions = SessionsScreen(
            Look(Words(language), ASCII if ascii else UNICODE),
            STATE,
            nodes,
            now=lambda: NOW,
            ask=desk.ask,
            clock=lambda: self.now,
        )

    def on_mount(self) -> None:
        self.push_screen(self.sessions)

    async def on_event(self, event: Any) -> None:
        await super().on_event(event)

    def on_sessions_screen_resume(self, message: SessionsScreen.Resume) -> None:
        self.asked.append(message)

    def on_sessions_screen_fork(self, message: SessionsScreen.Fork) -> None:
        self.asked.append(message)

    def on_sessions_screen_retitle(self, message: SessionsScreen.Retitle) -> None:
        self.asked.append(message)

    def on_sessions_screen_delete_chain(self, message: SessionsScreen.DeleteChain) -> None:
        self.asked.append(message)

    def on_sessions_screen_undelete_chain(self, message: SessionsScreen.UndeleteChain) -> None:
        self.asked.append(message)

    @property
    def done(self) -> list[tuple[str, ...]]:
        return [
            (type(one).__name__, *(getattr(one, name, "") for name in ("node", "chain", "title")))
            for one in self.asked
        ]


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause()


def cursor_row(app: SessionsApp) -> str:
    (row,) = (row for row in rows(app) if row.startswith("▸"))
    return row


async def test_as_the_mock_has_it() -> None:
    app = SessionsApp()
    async with app.run_test(size=NORMAL) as pilot:
        await pilot.pause()
        shown = [row[:66].rstrip() for row in rows(app)]
        assert rows(app)[0].endswith("Sessions  #7f3a")
        assert shown[2:9] == [
            "  Today",
            "  Upgrade to Java 21                       chain of 4",
            "   A  #7f3a turns 1–38  Σ 61 → 1.4k                       11:38",
            "   └─ B  #6b91 turns 39–80  Σ 42 → 1.2k                   13:02",
            "▸     ├─ C  #c41d turns 81–96  ● current                  17:40",
            "      └─ D  #8e10 fork at 84  try GraalVM                 16:05",
            "",
        ]
        assert shown[16] == "  Audit log filter                         chain of 2     11-19"
        await press(pilot, "up")
        pane = [row[66:].rstrip() for row in rows(app)]
        assert pane[2].startswith("  B Upgrade to Java 21 ") and pane[2].endswith("#6b91")
        assert pane[4:9] == [
            "  When      today 11:40 – 13:02",
            "  Model     deepseek-v3.2 · ReAct",
            "  Turns     42, 118 messages",
            "  Ended     Σ summarised into C",
            "  Peak      ━━━━━━━━━━╸─ ! 224.1k / 256k",
        ]
        # The conversation that is open is never deleted; another is.
        assert rows(app)[-1].split("  ")[:5] == [
            " Enter Resume", "f Fork", "← → Fold", "t Title", "Esc Back"
        ]  # fmt: skip
        await press(pilot, "down", "down", "down")
        assert rows(app)[-1].split("  ")[:6] == [
            " Enter Resume", "f Fork", "← → Fold", "t Title", "d Delete", "Esc Back"
        ]  # fmt: skip


@pytest.mark.parametrize("size", [COMPACT, NORMAL, WIDE])
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_rows_fill_the_list_at_every_size(size: tuple[int, int], language: Language) -> None:
    app = SessionsApp(language=language)
    width = {80: 80, 120: 66, 160: 84}[size[0]]
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        shown = rows(app)
        assert {cell_len(row) for row in shown if row} <= set(range(1, size[0] + 1))
        (current,) = (row for row in shown if "C  #c41d" in row)
        clipped = current[: current.index("17:40") + 5]
        assert cell_len(clipped) == width - 3
        assert ("When" in text(app) or "时间" in text(app)) == (size != COMPACT)


async def test_ascii_draws_the_tree_too() -> None:
    app = SessionsApp(ascii=True)
    async with app.run_test(size=NORMAL) as pilot:
        await pilot.pause()
        assert has_row(app, "   `- B  #6b91", "S 42 -> 1.2k")
        assert has_row(app, ">     |- C  #c41d", "@ current")


async def test_enter_goes_on_and_f_forks() -> None:
    app = SessionsApp()
    async with app.run_test(size=NORMAL) as pilot:
        await pilot.pause()
        await press(pilot, "up", "enter", "f", "up", "up", "enter")
        node, newest = JAVA[1].id, JAVA[2].id
        assert app.done == [
            ("Resume", node, "", ""),
            ("Fork", node, "", ""),
            ("Resume", newest, "", ""),
        ]


async def test_folding() -> None:
    app = SessionsApp()
    async with app.run_test(size=NORMAL) as pilot:
        await pilot.pause()
        await press(pilot, "left")
        assert "Upgrade to Java 21  ●" in cursor_row(app) and not has_row(app, "#6b91 turns")
        await press(pilot, "left")
        await press(pilot, "down", "down", "down", "right")
        assert "Audit log filter" in cursor_row(app)
        assert has_row(app, "└─ B  #2c01", "○ open elsewhere")
        await press(pilot, "down", "down", "left")
        assert "Audit log filter" in cursor_row(app)
        assert not has_row(app, "B  #2c01")


async def test_a_title_is_given_in_a_dialog() -> None:
    app = SessionsApp()
    async with app.run_test(size=NORMAL) as pilot:
        await pilot.pause()
        await press(pilot, "t")
        assert isinstance(app.screen, TitleDialog)
        assert app.screen.field.text == "Upgrade to Java 21"  # the root's: C came of a summary
        await press(pilot, "backspace", "5", "enter")
        await press(pilot, "down", "t", "enter")
        await press(pilot, "t", "escape")
        await press(pilot, "t", *["backspace"] * 20, "enter")
        assert isinstance(app.screen, TitleDialog)
        await press(pilot, "escape")
        assert app.done == [("Retitle", JAVA[0].id, "", "Upgrade to Java 25")]


async def test_deleting_asks_first_and_can_be_undone() -> None:
    app = SessionsApp()
    async with app.run_test(size=NORMAL) as pilot:
        await pilot.pause()
        await press(pilot, "u")
        await press(pilot, "down", "down", "d")
        assert isinstance(app.screen, ConfirmDialog) and has_row(
            app, "“搭建 CI” goes from the list"
        )
        app.now += 5
        await press(pilot, "enter")
        assert not app.asked  # the safe answer
        await press(pilot, "d")
        app.now += 5
        await press(pilot, "tab", "enter")
        chain = OTHERS[0].id
        assert app.done == [("DeleteChain", "", chain, "")]
        app.sessions.show([one for one in SOME if one.chain != chain])
        app.sessions.deleted(chain, "搭建 CI")
        await pilot.pause()
        assert has_row(app, "搭建 CI  u brings it back")
        assert "Order timeout refactor" in cursor_row(app)
        await press(pilot, "u")
        assert app.done[-1] == ("UndeleteChain", "", chain, "")
        assert not app.sessions.offers("undo")


async def test_the_open_conversation_is_not_deleted() -> None:
    app = SessionsApp()
    async with app.run_test(size=NORMAL) as pilot:
        await pilot.pause()
        await press(pilot, "d")
        assert has_row(app, "Not deleted") and not app.asked


async def test_compact_shows_the_pane_over_the_list() -> None:
    app = SessionsApp()
    async with app.run_test(size=COMPACT) as pilot:
        await pilot.pause()
        assert not has_row(app, "Model")
        await press(pilot, "space")
        assert has_row(app, "  C Upgrade to Java 21", "#c41d") and has_row(
            app, "Ended", "● current"
        )
        await press(pilot, "up")
        assert has_row(app, "  B Upgrade to Java 21", "#6b91")
        assert "Fold" not in rows(app)[-1]
        await press(pilot, "left", "escape")
        assert "← → Fold" in rows(app)[-1]
        assert "#6b91" in cursor_row(app)
        await press(pilot, "escape")
        assert app.screen is not app.sessions


async def test_space_does_nothing_where_the_pane_is_there() -> None:
    app = SessionsApp()
    async with app.run_test(size=NORMAL) as pilot:
        await pilot.pause()
        await press(pilot, "space", "escape")
        assert app.screen is not app.sessions


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_an_empty_list_says_when_it_fills(language: Language) -> None:
    app = SessionsApp((), language)
    async with app.run_test(size=COMPACT) as pilot:
        await pilot.pause()
        words = Words(language)
        assert has_row(app, words("sessions.empty")) and has_row(app, words("sessions.empty_more"))
        await press(pilot, "enter", "f", "t", "d", "left", "space", "down")
        assert not app.asked
        assert rows(app)[-1].strip().startswith("Esc")
        await press(pilot, "escape")
        assert app.screen is not app.sessions


async def test_cursor_and_folds_stay_when_the_sessions_change() -> None:
    app = SessionsApp()
    async with app.run_test(size=NORMAL) as pilot:
        await pilot.pause()
        await press(pilot, "down")
        app.sessions.show([*SOME, *many(4)])
        await pilot.pause()
        assert "#8e10" in cursor_row(app)
        app.sessions.show(())
        await pilot.pause()
        assert has_row(app, "No sessions in this project yet")


async def test_another_language_at_once() -> None:
    app = SessionsApp()
    async with app.run_test(size=NORMAL) as pilot:
        await pilot.pause()
        app.sessions.look = Look(Words("zh"))
        await pilot.pause()
        assert has_row(app, "今天") and has_row(app, "4 段") and has_row(app, "自 84 轮分叉")


async def test_ten_thousand_sessions() -> None:
    """Only what is in view is drawn, wherever the reader goes."""
    app = SessionsApp(many(10_000))
    async with app.run_test(size=NORMAL) as pilot:
        await pilot.pause()
        drawn: list[int] = []
        source = app.sessions.list._sessions
        render = source.render

        def counted(index: int, width: int, *, current: bool) -> Any:
            drawn.append(index)
            return render(index, width, current=current)

        source.render = counted  # type: ignore[method-assign]
        await press(pilot, "end", "right", "pageup", "home", "down")
        assert len(drawn) < 500
        await press(pilot, "end")
        assert "D  #0000" in cursor_row(app) and "2020-01-26" in cursor_row(app)
