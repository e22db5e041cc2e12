"""What a large file costs in the viewer, against a small one in the same run."""

import asyncio
import gc
import statistics
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.strip import Strip

from app.view.file_pages import Page
from app.view.file_search import FileSearch
from app.view.file_source import FileSource
from app.view.file_window import FileWindow
from widgets.file_view import FileView
from widgets.look import Look
from widgets.palette import PALETTES
from widgets.textual_patches import apply_patches

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(600)]

SIZE = (120, 36)
SMALL, LARGE = 1 << 20, 100 << 20
ROUNDS = 9
MEMORY = 16 << 20
"""Bytes that reading, counting and searching 100 MB may take at the most."""


@pytest.fixture(autouse=True, scope="module")
def patched() -> None:
    """As the workbench runs."""
    apply_patches()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Path]]:
    """A log of each size, a fiftieth of it Chinese."""
    folder = tmp_path_factory.mktemp("files")
    lines = [
        f"[INFO] {number} 订单编码后长度 512\n"
        if number % 50 == 0
        else f"[DEBUG] decode buf=0x7f1c0a2e len=512 order=LITTLE_ENDIAN {number}\n"
        for number in range(16_000)
    ]
    block = "".join(lines).encode()[:SMALL]
    paths = {}
    for size in (SMALL, LARGE):
        paths[size] = folder / f"{size}.log"
        with paths[size].open("wb") as file:
            for _ in range(size // len(block)):
                file.write(block)
    yield paths
    for path in paths.values():
        path.unlink()


class Watched(FileView):
    """Says when lines were first painted."""

    def __init__(self, path: Path) -> None:
        super().__init__(Look(), FileSource(path))
        self.painted: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self.drawn: asyncio.Queue[Page] = asyncio.Queue()

    def render_lines(self, crop: Region) -> list[Strip]:
        strips = super().render_lines(crop)
        if self.page.lines and not self.painted.done():
            self.painted.set_result(time.perf_counter())
        return strips

    def draw_now(self) -> None:
        super().draw_now()
        self.drawn.put_nowait(self.page)

    async def turn(self) -> float:
        """Milliseconds of a PgDn until it is drawn."""
        while not (self.is_still and self.drawn.empty()):
            await asyncio.sleep(0.001)
            while not self.drawn.empty():
                self.drawn.get_nowait()
        before, started = self.page.top, time.perf_counter()
        self.action_page(1)
        while (await self.drawn.get()).top == before:
            pass
        return (time.perf_counter() - started) * 1000

    @property
    def is_still(self) -> bool:
        return not self._moving


class Bench(App[None]):
    """Shows one file."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        for palette in PALETTES:
            self.register_theme(palette.theme())
        self.theme = "haima-dark"
        self.view = Watched(path)

    def compose(self) -> ComposeResult:
        yield self.view


async def first_paint(path: Path) -> float:
    """Milliseconds from opening the file until its first lines are painted."""
    gc.collect()
    started = time.perf_counter()
    app = Bench(path)
    async with app.run_test(size=SIZE):
        return (await asyncio.wait_for(app.view.painted, 30) - started) * 1000


async def test_first_paint(files: dict[int, Path]) -> None:
    """Of 100 MB at most 1.5 times that of 1 MB."""
    await first_paint(files[SMALL])
    small, large = [], []
    for _ in range(ROUNDS):
        small.append(await first_paint(files[SMALL]))
        large.append(await first_paint(files[LARGE]))
    low, high = statistics.median(small), statistics.median(large)
    print(f"\nfirst paint: 1 MB {low:.1f} ms, 100 MB {high:.1f} ms, ratio {high / low:.2f}")
    assert high / low <= 1.5


async def page_costs(*apps: Bench) -> list[float]:
    """Milliseconds of a PgDn in the middle of each file, lower quartile; the apps take turns."""
    for app in apps:
        app.view.go_to_share(50)
    costs: list[list[float]] = [[] for _ in apps]
    for _ in range(60):
        for app, taken in zip(apps, costs, strict=True):
            taken.append(await app.view.turn())
    return [statistics.quantiles(taken, n=4)[0] for taken in costs]


async def test_paging(files: dict[int, Path]) -> None:
    """In 100 MB at most 1.5 times that in 1 MB, once both are counted."""
    small, large = Bench(files[SMALL]), Bench(files[LARGE])
    async with small.run_test(size=SIZE), large.run_test(size=SIZE) as pilot:
        (counting,) = await page_costs(large)
        while not (small.view.is_ready and large.view.is_ready):
            await pilot.pause(0.01)
        low, high = await page_costs(small, large)
    print(f"\na page: 1 MB {low:.2f} ms, 100 MB {high:.2f} ms, ratio {high / low:.2f}; "
          f"while it counts {counting:.2f} ms")  # fmt: skip
    assert high / low <= 1.5


def test_memory(files: dict[int, Path]) -> None:
    """Counting, searching and reading all over 100 MB takes a few megabytes."""
    source = FileSource(files[LARGE])
    tracemalloc.start()
    window = FileWindow(source)
    search = FileSearch(source, "order")
    started = time.perf_counter()
    while window.index.advance():
        pass
    counted = time.perf_counter()
    while search.advance():
        pass
    searched = time.perf_counter()
    for share in range(0, 101, 5):
        window.lines(window.at_share(share), 40)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    source.close()
    print(f"\n100 MB: counted in {(counted - started) * 1000:.0f} ms, searched in "
          f"{(searched - counted) * 1000:.0f} ms ({search.hits:,} hits), "
          f"peak {peak / (1 << 20):.2f} MB")  # fmt: skip
    assert peak < MEMORY
