"""The context's screen under real keys, at the sizes of mocks 09 and 09b."""

import asyncio
from dataclasses import replace

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from app.screens.context import ContextScreen
from app.text import Language, Words
from app.view.context_view import ContextReport, LargestItem, MeterReport
from app.view.gauge import GaugeModel
from app.view.gauge_windows import ruler
from tests.view.gauges import gauge, measured
from tests.widgets.desk import Desk, has_row, rows, text
from widgets.header import HeaderState
from widgets.look import Look
from widgets.requests import OpenResult

STATE = HeaderState(project="order-service", model="deepseek-v3.2", session="7f3a")
REPORT = ContextReport(
    largest=(
        LargestItem(
            "call", 8_200, 91, "edit_file", "OrderCodec.java", message="m91", path="O.java"
        ),
        LargestItem("result", 7_900, 95, "read_file", "OrderService.java", message="m95"),
        LargestItem("tools", 6_300, count=14),
    ),
    meter=MeterReport(True, 3_100, 20, 0.008, 0.031, 1.04),
)


class ContextApp(Desk):
    """Opens the screen over an empty one; the clock only moves when told to."""

    def __init__(
        self,
        model: GaugeModel | None = None,
        report: ContextReport = REPORT,
        language: Language = "en",
    ) -> None:
        super().__init__()
        self.model = model or gauge(growth=3_900, background=True)
        self.report = report
        self.now = 50.0
        self.made = 0
        self.context = ContextScreen(
            Look(Words(language)), STATE, self.model, report=self.make, clock=lambda: self.now
        )

    def make(self) -> ContextReport:
        self.made += 1
        return self.report

    def on_mount(self) -> None:
        self.push_screen(self.context)

    def on_context_screen_go_to(self, message: ContextScreen.GoTo) -> None:
        self.note(message)

    def on_open_result(self, message: OpenResult) -> None:
        self.note(message)

    def on_context_screen_window(self, message: ContextScreen.Window) -> None:
        self.note(message)


async def until_made(pilot: Pilot[None], app: ContextApp, number: int) -> None:
    for _ in range(200):
        if app.made >= number:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"the report was made {app.made} times")


async def test_as_the_mock_has_it() -> None:
    app = ContextApp()
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        shown = rows(app)
        assert shown[0].endswith("Context  #7f3a")
        assert shown[1] == ""
        assert shown[2].startswith("  CONTEXT ")
        assert shown[2].endswith(" 168.9k / 256k  66%") and cell_len(shown[2]) == 118
        assert shown[8].startswith("  Composition ")
        assert has_row(app, "  ▸ ■ edit_file       OrderCodec.java (…     8.2k     91")
        assert shown[-2].startswith("  Meter  anchored to the last answer, +3.1k since")
        assert shown[-2].endswith("× 1.04") and cell_len(shown[-2]) == 118
        assert shown[-1].startswith(" ↑ ↓ Item  Enter Go to it  o Open  p Pin  w Window")
        assert shown[-1].endswith("? keys")


async def test_as_the_mock_has_it_in_chinese() -> None:
    app = ContextApp(language="zh")
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        shown = rows(app)
        assert shown[0].endswith("上下文  #7f3a")
        assert shown[8].startswith("  构成 ")
        assert has_row(app, "  最大的条目", "tokens     轮")
        assert shown[-2].startswith("  计数  已锚定 到上次用量，其后 +3.1k")
        assert cell_len(shown[-2]) == 118


@pytest.mark.parametrize(
    ("language", "title", "marks", "meter"),
    [("en", "Context  #7f3a", "Marks", "Meter"), ("zh", "上下文  #7f3a", "标记", "计数")],
)
async def test_on_the_smallest_screen(
    language: Language, title: str, marks: str, meter: str
) -> None:
    app = ContextApp(language=language)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        shown = rows(app)
        assert shown[0].endswith(title)
        assert shown[2].endswith(" 168.9k / 256k  66%") and cell_len(shown[2]) == 78
        assert shown[9].startswith(f"  {marks} ")
        assert has_row(app, "  ▸ ■ edit_file")
        assert shown[-2].startswith(f"  {meter}  ")
        assert "Esc" in shown[-1]


async def test_enter_goes_to_the_item_under_the_cursor() -> None:
    app = ContextApp()
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("down", "enter", "up", "enter")
        gone = [one.message_id for one in app.seen if isinstance(one, ContextScreen.GoTo)]
        assert gone == ["m95", "m91"]


async def test_o_opens_the_file_of_an_item_that_has_one() -> None:
    app = ContextApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("o")
        (opens,) = app.seen
        assert isinstance(opens, OpenResult) and opens.path == "O.java"
        assert "o Open  p Pin" in rows(app)[-1]
        await pilot.press("down", "o")
        await pilot.pause()
        assert app.seen == [opens]
        assert "Pin" in rows(app)[-1] and "Open" not in rows(app)[-1]


async def test_what_is_no_message_says_so() -> None:
    app = ContextApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("end", "enter")
        await pilot.pause()
        assert app.seen == []
        assert "Not in the conversation" in text(app)
        assert "it goes along with every request" in text(app)


async def test_w_looks_at_a_window_and_enter_takes_it() -> None:
    app = ContextApp()
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("w")
        assert has_row(app, "CONTEXT", "168.9k / 1M")
        await pilot.press("enter")
        await pilot.pause()
        sizes = [one.size for one in app.seen if isinstance(one, ContextScreen.Window)]
        assert sizes == [1_000_000]
        assert app.kinds() == ["Window"]


@pytest.mark.parametrize("focused", [True, False])
async def test_esc_ends_the_preview_then_leaves(*, focused: bool) -> None:
    app = ContextApp()
    async with app.run_test(size=(120, 36)) as pilot:
        assert "w Window" in rows(app)[-1]
        await pilot.press("w")
        await pilot.pause()
        assert rows(app)[-1].startswith(" w Next window  Enter Switch  Esc End preview  ")
        if not focused:
            app.context.set_focus(None)
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is app.context
        assert has_row(app, "CONTEXT", "168.9k / 256k")
        assert "w Window" in rows(app)[-1]
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is not app.context
        assert app.model.listeners == []


async def test_the_report_follows_the_gauge_four_times_a_second() -> None:
    app = ContextApp()
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        assert app.made == 1
        app.report = replace(REPORT, largest=REPORT.largest[1:])
        for tokens in range(170_000, 170_010):
            app.model.apply(measured(tokens=tokens))
        assert app.made == 1
        await until_made(pilot, app, 2)
        app.now += 1
        app.model.apply(measured(tokens=171_000))
        assert app.made == 3
        await pilot.pause()
        assert has_row(app, "CONTEXT", "171.0k / 256k")
        assert has_row(app, "  ▸ ■ read_file")
        assert not has_row(app, "edit_file")


async def test_before_anything_was_sent_there_is_nothing_to_go_to() -> None:
    app = ContextApp(GaugeModel(), ContextReport())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("down", "enter")
        assert has_row(app, "Nothing has been sent yet.")
        assert rows(app)[-1].startswith(" w Window  F7 Compact  Esc Back")
        assert app.seen == []
        app.now += 1
        app.report = REPORT
        app.model.apply(measured())
        await pilot.pause()
        assert rows(app)[-1].startswith(" ↑ ↓ Item  Enter Go to it  o Open  p Pin  w Window")


async def test_another_language_while_it_is_open() -> None:
    app = ContextApp()
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        app.context.look = Look(Words("zh"))
        await pilot.pause()
        assert rows(app)[0].endswith("上下文  #7f3a")
        assert has_row(app, "最大的条目")


@pytest.mark.parametrize("size", [(79, 24), (72, 20), (60, 60), (30, 60), (20, 30), (2, 2), (1, 1)])
async def test_a_terminal_that_shrinks_under_it_ends_nothing(size: tuple[int, int]) -> None:
    """The widget is laid out before the notice covers it, in whatever room there is."""
    app = ContextApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.resize_terminal(*size)
        await pilot.pause()
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert has_row(app, "256k", "100.0k")


@pytest.mark.parametrize("cells", [-3, 0, 1, 2, 3])
def test_a_ruler_in_hardly_any_room(cells: int) -> None:
    view = gauge(growth=3_900, background=True).view
    for row in view.windows:
        assert len(ruler(row, cells)) == max(0, cells)
