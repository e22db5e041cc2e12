"""Toasts: three at most, each for its time, none over a modal."""

import asyncio
from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Container, Horizontal
from textual.pilot import Pilot
from textual.widgets import Static

from app.text import Words
from tests.widgets.desk import Desk, has_row, rows, text
from widgets.look import Look
from widgets.toasts import Toast, ToastShelf, ToastStack
from widgets.work_screen import WorkScreen


class ToastDesk(Desk):
    CSS = "#body { layers: base toasts; height: 1fr; }"

    def __init__(self, under: str = "") -> None:
        super().__init__()
        self.under = under

    def compose(self) -> ComposeResult:
        with Container(id="body"):
            yield Static(self.under, markup=False)
            yield ToastShelf(Look(Words("zh")))

    @property
    def stack(self) -> ToastStack:
        return self.query_one(ToastStack)


async def until(pilot: Pilot[None], true: Callable[[], bool]) -> None:
    for _ in range(200):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came true")


async def test_place_and_look() -> None:
    app = ToastDesk("海马\n" * 24)
    async with app.run_test(size=(120, 24)) as pilot:
        app.stack.add(Toast("已写入记忆", "服务用 Java 21 构建 · u 撤销", "ok"))
        await pilot.pause()
        shown = rows(app)
        assert has_row(app, "海马", "▌ ✓ 已写入记忆")
        assert has_row(app, "海马", "▌   服务用 Java 21 构建 · u 撤销")
        assert shown[-4].startswith("海马")


async def test_at_most_three_the_rest_wait() -> None:
    app = ToastDesk()
    async with app.run_test(size=(120, 30)) as pilot:
        for number in range(4):
            app.stack.add(Toast(f"toast {number}", severity="danger"))
        await pilot.pause()
        assert "toast 2" in text(app) and "toast 3" not in text(app)
        assert app.stack.dismiss()
        await pilot.pause()
        assert "toast 2" not in text(app) and "toast 3" in text(app)


async def test_they_go_after_their_time_but_danger_stays() -> None:
    app = ToastDesk()
    async with app.run_test(size=(120, 30)) as pilot:
        app.stack.add(Toast("broken", severity="danger"))
        app.stack.add(Toast("short", seconds=0.02))
        assert len(app.stack.shown) == 2
        await until(pilot, lambda: len(app.stack.shown) == 1)
        await pilot.pause()
        assert "broken" in text(app)


def test_times() -> None:
    assert Toast("", severity="ok").stays == Toast("", severity="info").stays == 4
    assert Toast("", severity="warn").stays == 8
    assert Toast("", severity="danger").stays is None


async def test_esc_takes_only_what_stays() -> None:
    app = ToastDesk()
    async with app.run_test(size=(120, 30)):
        app.stack.add(Toast("info"))
        assert not app.stack.dismiss()
        app.stack.add(Toast("broken", severity="danger"))
        assert app.stack.dismiss()
        assert not app.stack.dismiss()


async def test_none_appears_over_a_modal() -> None:
    app = ToastDesk()
    async with app.run_test(size=(120, 30)) as pilot:
        app.stack.held = True
        app.stack.add(Toast("later"))
        await pilot.pause()
        assert "later" not in text(app)
        app.stack.held = False
        await pilot.pause()
        assert "later" in text(app)


async def test_the_same_toast_is_not_shown_twice() -> None:
    app = ToastDesk()
    async with app.run_test(size=(120, 30)) as pilot:
        app.stack.add(Toast("again"))
        app.stack.add(Toast("again"))
        await pilot.pause()
        assert text(app).count("again") == 1


async def test_a_long_sentence_is_wrapped_and_controls_are_visible() -> None:
    app = ToastDesk()
    async with app.run_test(size=(120, 30)) as pilot:
        app.stack.add(Toast("t\x1b[2J", "word " * 60, "warn"))
        await pilot.pause()
        assert "t\\x1b[2J" in text(app)
        assert sum("word word" in row for row in rows(app)) == 3


async def test_a_sentence_too_long_for_a_toast_ends_in_an_ellipsis() -> None:
    app = ToastDesk()
    async with app.run_test(size=(120, 30)) as pilot:
        app.stack.add(Toast("没有执行", "订单编号一律用雪花算法生成，" * 9, "warn"))
        await pilot.pause()
        assert [row.rstrip().endswith("…") for row in rows(app) if "▌   " in row] == [
            False,
            False,
            True,
        ]


class OverAnEdge(WorkScreen):
    """Something under the toast begins at column 77, as the conversation's scrollbar does."""

    DEFAULT_CSS = "OverAnEdge Horizontal Static { width: 77; height: 100%; }"

    def compose_body(self) -> ComposeResult:
        with Container(classes="work-body"):
            with Horizontal():
                yield Static("x" * 2000, markup=False)
                yield Static("y" * 2000, markup=False)
            yield self.rack


async def test_a_wide_character_over_an_edge_below_is_whole() -> None:
    app = Desk()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = OverAnEdge(Look(Words("zh")))
        await app.push_screen(screen)
        screen.rack.stack.add(
            Toast("上下文窗口", "16k · 6.0k 清理 · 9.5k 预警 · 10.0k 做摘要", "ok")
        )
        await pilot.pause()
        assert has_row(app, "xx▌   16k · 6.0k 清理 · 9.5k 预警 · 10.0k 做摘要")
        assert has_row(app, "x" * 77 + "yyy")  # beside it the edge is where it was
        screen.rack.stack.shown = ()
        await pilot.pause()
        assert not has_row(app, "▌")
        assert has_row(app, "x" * 77 + "yyy")
