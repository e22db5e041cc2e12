"""What a call costs where nothing is due: flat to 10,000 messages; and what a clear costs."""

import asyncio
import time
from pathlib import Path

import pytest

from app.conversation.messages import Message
from app.conversation.window import thresholds
from tests.compaction.desk import Desk
from tests.compaction.histories import answer, step, user

pytestmark = pytest.mark.benchmark

TIMES = 400
BODY = "src/app/codec.py: a line of words and more of them\n" * 20


def conversation(messages: int) -> list[Message]:
    """Turns of six messages, two of them results."""
    made: list[Message] = []
    turn = 0
    while len(made) < messages:
        made.append(user(f"Go on with part {turn}.", f"u{turn}"))
        made += step(2 * turn, f"{BODY} {turn}")
        made += step(2 * turn + 1, f"{BODY} {turn}")
        made.append(answer(f"Part {turn} is done.", f"z{turn}"))
        turn += 1
    return made


def a_call(folder: Path, messages: int, *, over: bool) -> float:
    """Microseconds of a call with nothing due; `over`: past the mark, but not worth a clear."""
    folder.mkdir()

    async def measured() -> float:
        with Desk(folder, conversation(messages), marks=thresholds(100_000_000)) as desk:
            desk.at(1 if over else 10**9, min_gain=10**9, summary=10**9)
            await desk.call()
            best = float("inf")
            for number in range(5):
                began = time.perf_counter()
                for _ in range(TIMES):
                    await desk.compactor.before_call(desk.history)
                best = min(best, time.perf_counter() - began)
                await desk.add(user("more", f"more{number}"), answer("ok", f"ok{number}"))
                await desk.compactor.before_call(desk.history)
            assert not desk.events
            return best / TIMES * 1e6

    return asyncio.run(measured())


@pytest.mark.parametrize("over", [False, True])
def test_a_call_with_nothing_due_costs_the_same_however_long_it_is(
    tmp_path: Path, over: bool
) -> None:
    costs = {size: a_call(tmp_path / f"{size}", size, over=over) for size in (100, 1_000, 10_000)}
    print()
    for size, cost in costs.items():
        print(f"{'over the mark' if over else 'below it':14} {size:6,} messages {cost:8.1f} µs")
    assert costs[10_000] < 3 * costs[100] + 20


def test_a_clear(tmp_path: Path) -> None:
    """Of all results of a long history at once; most of it are the ledger's rows."""

    async def measured() -> tuple[int, float]:
        with Desk(tmp_path, conversation(900), marks=thresholds(1_000_000)) as desk:
            desk.at(1)
            desk.index.follow(desk.history)
            tokens = desk.tokens
            began = time.perf_counter()
            await desk.compactor.before_call(desk.history)
            assert desk.of_type("cleared")
            return tokens, time.perf_counter() - began

    tokens, seconds = asyncio.run(measured())
    print(f"\nclear of 300 results, {tokens:,} tokens: {seconds:.3f} s")
    assert seconds < 3
