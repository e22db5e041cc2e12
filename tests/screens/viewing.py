"""A log as in mock 15, and the way to it in the file viewer of the real app."""

from pathlib import Path

from textual.pilot import Pilot

from app.screens.viewer import ViewerScreen
from tests.screens.stage import Stage, opened, until
from widgets.requests import OpenFile

NAME = ".haima/tool-outputs/7f3a/012-execute_command.txt"
BLOCK = (
    "[INFO] --- surefire:3.2.5:test (default-test) @ order-core ---\n"
    "[INFO] Running com.acme.order.OrderCodecTest\n"
    "[DEBUG] decode buf=0x7f1c0a2e len=512 order=LITTLE_ENDIAN\n"
    "[DEBUG] decode buf=0x7f1c0a2e len=512 order=BIG_ENDIAN\n"
    "\x1b[31m[ERROR]\x1b[0m roundTrip: expected 0x01 got 0x10\n"
    "[ERROR]   at com.acme.order.OrderCodec.decode(OrderCodec.java:88)\n"
    "[ERROR]   at com.acme.order.OrderCodecTest.roundTrip(OrderCodecTest.java:41)\n"
    "[INFO] 订单 20261129-0007 编码后长度 512，解码后校验失败\n"
    f"[DEBUG] heap {'a3f09c' * 40}\n"
    "[INFO] Tests run: 42, Failures: 1, Errors: 0, Skipped: 0\n"
    "[WARN] Unsafe.getLong is terminally deprecated\n"
    "[INFO] Running com.acme.order.AuditFilterTest\n"
    "[DEBUG] filter chain = [trace, audit, auth]\n"
    "[INFO] Tests run: 17, Failures: 0, Errors: 0, Skipped: 0\n"
    "[INFO] Running com.acme.order.TraceFilterTest\n"
    "[DEBUG] traceparent 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n"
)
LINES = 16 * 1_000


def viewer(app: Stage) -> ViewerScreen:
    assert isinstance(app.screen, ViewerScreen)
    return app.screen


async def at_rest(pilot: Pilot[int], app: Stage) -> None:
    """Until the file is counted and nothing is still to be done."""
    await until(pilot, lambda: isinstance(app.screen, ViewerScreen))
    screen = viewer(app)
    for _ in range(2):
        await until(pilot, lambda: screen.view.is_ready and screen.view.window.index.complete)


async def opened_file(pilot: Pilot[int], app: Stage, path: Path, line: int | None = None) -> None:
    await opened(pilot, app)
    assert app.chat is not None
    app.chat.post_message(OpenFile(path, line))
    await at_rest(pilot, app)


async def press(pilot: Pilot[int], app: Stage, *keys: str) -> None:
    await pilot.press(*keys)
    await at_rest(pilot, app)


async def search(pilot: Pilot[int], app: Stage, query: str) -> None:
    await pilot.press("slash", *query)
    await until(pilot, lambda: viewer(app).view.finder.finding.query == query)
    await press(pilot, app, "enter")
