"""What going on with a long session costs: opened, and its last page on the screen (issue 4).

Judged as ratios within one run; the figures are printed.
"""

import asyncio
import time
import tracemalloc
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.session.restore import Resume
from tests.benchmarks.test_archive import CHILD, LIVE, archive
from tests.session.support import ScriptedModel, make_session

pytestmark = pytest.mark.benchmark

PAGE = 100
"""Entries of the past that are shown at first (`workbench.resuming`)."""


@dataclass
class Resumed:
    """What it cost.

    Attributes:
        seconds: the best of some rounds.
        peak: bytes of Python's memory at most, in a round of its own.
        shown: entries of the page.
        live: messages of the history.
    """

    seconds: float
    peak: int
    shown: int
    live: int


async def resume(folder: Path) -> tuple[float, int, int]:
    """Opens it as a new process would; seconds, entries shown, messages that are live."""
    started = time.perf_counter()
    session = make_session(folder, ScriptedModel()).session
    await session.open(Resume(CHILD))
    page = await session.earlier.past(None, PAGE)
    taken = time.perf_counter() - started
    live = len(session.history)
    await session.close()
    return taken, len(page.items), live


def measured(folder: Path, turns: int) -> Resumed:
    """An archive of so many turns, and what resuming its last node costs."""
    home = folder / str(turns) / "haima"
    archive(home, turns)
    (home / "history").mkdir()
    (home / "raw").rename(home / "history" / "raw")
    rounds = [asyncio.run(resume(home.parent)) for _ in range(7)]
    tracemalloc.start()
    try:
        asyncio.run(resume(home.parent))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    best = min(rounds)
    return Resumed(best[0], peak, best[1], best[2])


def test_resuming_a_long_session(tmp_path: Path) -> None:
    """FIELD 37: 20,000 turns against 1,000 with the same live history: at most three times."""
    found = {turns: measured(tmp_path, turns) for turns in (1_000, 20_000)}
    print()
    for turns, one in found.items():
        print(
            f"resume, {turns:,} turns: {one.seconds * 1e3:.1f} ms, {one.peak / 1e6:.2f} MB at most"
        )
    short, long = found.values()
    assert (short.live, short.shown) == (long.live, long.shown)
    assert long.live == LIVE
    assert long.shown >= PAGE
    assert long.seconds <= 3 * short.seconds
    assert long.peak <= 1.2 * short.peak + 1_000_000
