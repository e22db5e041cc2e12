"""What a summary costs beside the model's time: planning, rebuilding; and twenty in a row."""

import asyncio
import gc
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.compaction.cut import Cut
from app.compaction.known import Known
from app.compaction.new_history import build
from app.compaction.references import references_for
from app.compaction.said import said_in
from app.compaction.serialize import pieces, record
from app.conversation.history import History
from app.conversation.work import Goal
from tests.benchmarks.test_compactor import conversation
from tests.compaction.summaries import SUMMARY, Work, after
from tests.conversation.strategies import Ids
from tests.endpoint import Say
from tests.session.summing import Summariser, at_length, counted, fill, summary, talking

pytestmark = pytest.mark.benchmark

SUMMARIES = 20
TURNS = 30
"""Between two summaries, short ones."""


def best(work: Callable[[], object], times: int = 3) -> float:
    """Milliseconds, the best of some times."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        found.append((time.perf_counter() - began) * 1e3)
    return min(found)


def test_planning_and_rebuilding_grow_with_the_history_and_no_faster() -> None:
    costs: dict[int, list[float]] = {}
    for size in (1_000, 10_000):
        work = Work(History(conversation(size)), window=1_000_000, ids=Ids())
        cut = work.cut()
        assert cut is not None
        costs[size] = [best(work.cut), *rebuilding(work, cut)]
    print()
    for size, found in costs.items():
        told = zip(("plan", "rebuild", "record"), found, strict=True)
        print(f"{size:6,} messages  " + "  ".join(f"{name} {cost:7.1f} ms" for name, cost in told))
    for small, large in zip(costs[1_000], costs[10_000], strict=True):
        assert large < 20 * small + 5, "ten times the messages"
    assert sum(costs[10_000]) < 3_000


def rebuilding(work: Work, cut: Cut) -> Iterator[float]:
    """Milliseconds of the new history, and of the record that is asked about."""
    leaving, said, meter = work.history[: cut.end], said_in(work.history), work.meter

    def rebuilt() -> object:
        references = references_for(
            leaving,
            files={},
            standings={},
            words=work.words,
            tokens=meter.text_tokens,
            budget=work.shares.references,
        )
        new = build(
            work.history,
            cut,
            summary=SUMMARY,
            said=said,
            pins=(),
            references=references,
            known=Known(Goal(said[0].text, said[0].id, 1)),
            shares=work.shares,
            meter=meter,
            words=work.words,
            new_id=work.ids,
        )
        return meter.forecast(after(work.history, new), "")

    yield best(rebuilt)
    yield best(lambda: pieces(record(leaving).text, 60_000))


@pytest.mark.parametrize("traced", [False, True], ids=["time", "memory"])
def test_twenty_in_a_row_cost_the_same(tmp_path: Path, traced: bool) -> None:
    """In a session with its archive; the server answers at once. Memory is traced apart."""
    script = Summariser()
    script.good = lambda body: Say(summary(), usage=counted(body, 80))
    script.talk = lambda body: at_length(body, 600)
    found: list[float] = []

    async def measured() -> None:
        async with talking(tmp_path, script, window=32_000) as (recorded, endpoint):
            for number in range(SUMMARIES):
                await fill(recorded.session, TURNS, 200, f"round {number}")
                for kept in (script.said, script.asked, endpoint.requests, endpoint.headers):
                    kept.clear()
                recorded.events.clear()
                recorded.contexts.clear()
                gc.collect()
                began = time.perf_counter()
                assert await recorded.session.compact(), number
                seconds = time.perf_counter() - began
                now = tracemalloc.get_traced_memory()[0] / 1e6
                found.append(now if traced else 1e3 * seconds)

    if traced:
        tracemalloc.start()
    try:
        asyncio.run(measured())
    finally:
        tracemalloc.stop()
    print("\n" + " ".join(f"{one:.1f}" for one in found), "MB" if traced else "ms")
    if traced:
        assert found[-1] - found[4] < 0.15 * (SUMMARIES - 5)
    else:
        assert sum(found[-5:]) < 2 * sum(found[2:7])
