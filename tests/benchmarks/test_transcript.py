"""What a long conversation costs, against a short one in the same run (issue 2, Benchmarks)."""

import asyncio
import gc
import random
import statistics
import time
from itertools import count

import pytest
from textual import events

from app.events import Text
from tests.benchmarks.conversations import SIZE, Bench, conversation
from widgets.textual_patches import apply_patches

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(600)]

SHORT, LONG = 10, 10_000
ROUNDS = 7
APPENDS = 300
TOKENS_A_SECOND = 200
TYPING_SECONDS = 8.0
PIECES = ("word ", "token ", "`code` ", "中文字，")


@pytest.fixture(autouse=True, scope="module")
def patched() -> None:
    """As the workbench runs."""
    apply_patches()


async def first_paint(messages: int) -> float:
    """CPU milliseconds from making the app until its conversation is painted."""
    store = conversation(messages)
    gc.collect()
    started = time.process_time()
    app = Bench(store)
    async with app.run_test(size=SIZE):
        return (await app.view.first_paint - started) * 1000


async def test_first_paint() -> None:
    """With 10,000 messages at most 1.5 times that with 10."""
    await first_paint(SHORT)
    short, long = [], []
    for _ in range(ROUNDS):
        short.append(await first_paint(SHORT))
        long.append(await first_paint(LONG))
    low, high = statistics.median(short), statistics.median(long)
    print(f"\nfirst paint, CPU: {SHORT} messages {low:.1f} ms, {LONG:,} {high:.1f} ms, "
          f"ratio {high / low:.2f}")  # fmt: skip
    assert high / low <= 1.5


async def append_costs(apps: dict[int, Bench]) -> dict[int, list[float]]:
    """CPU milliseconds of each append, shown and painted; the apps take turns."""
    costs: dict[int, list[float]] = {messages: [] for messages in apps}
    for number in range(APPENDS):
        piece = PIECES[number % len(PIECES)] + ("\n\n" if number % 40 == 39 else "")
        for messages, app in apps.items():
            started = time.process_time()
            app.store.apply(Text(message="live", text=piece))
            app.view._flush()
            app.view.render_lines(app.view.outer_size.region)
            costs[messages].append((time.process_time() - started) * 1000)
    return costs


async def test_append() -> None:
    """At 10,000 messages at most 1.3 times that at 10."""
    apps = {messages: Bench(conversation(messages)) for messages in (SHORT, LONG)}
    async with apps[SHORT].run_test(size=SIZE), apps[LONG].run_test(size=SIZE):
        await append_costs(apps)
        costs = await append_costs(apps)
    low, high = (statistics.median(costs[messages]) for messages in (SHORT, LONG))
    print(f"\nappend and paint, CPU: at {SHORT} messages {low:.2f} ms, at {LONG:,} {high:.2f} ms, "
          f"ratio {high / low:.2f}")  # fmt: skip
    assert high / low <= 1.3


async def stream(app: Bench) -> None:
    """An answer at a steady pace, until cancelled."""
    started, sent = time.perf_counter(), count()
    done = 0
    while True:
        due = int((time.perf_counter() - started) * TOKENS_A_SECOND)
        while done < due:
            done = next(sent) + 1
            piece = PIECES[done % len(PIECES)] if done % 90 else "\n\n"
            app.store.apply(Text(message="live", text=piece))
        await asyncio.sleep(1 / TOKENS_A_SECOND)


async def key_to_paint(app: Bench) -> list[float]:
    """Wall milliseconds from a key until the prompt is painted with it, sorted."""
    source, delays = random.Random(3), []
    typed = app.field.text = ""
    until = time.perf_counter() + TYPING_SECONDS
    while time.perf_counter() < until:
        await asyncio.sleep(source.uniform(0.02, 0.06))
        if len(typed) > 60:
            typed = app.field.text = ""
            await asyncio.sleep(0.1)
        typed += "x"
        painted = app.field.expect(typed)
        started = time.perf_counter()
        app.post_message(events.Key("x", "x"))
        delays.append((await asyncio.wait_for(painted, 5) - started) * 1000)
    return sorted(delays)


def middle_and_tail(delays: list[float]) -> tuple[float, float]:
    return delays[len(delays) // 2], delays[int(len(delays) * 0.95)]


async def test_key_to_paint() -> None:
    """While 200 tokens a second stream into 10,000 messages: p95 at most 4 times the idle one."""
    app = Bench(conversation(LONG))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        idle = middle_and_tail(await key_to_paint(app))
        streaming = asyncio.create_task(stream(app))
        busy = middle_and_tail(await key_to_paint(app))
        streaming.cancel()
    print(f"\nkey to paint, wall: idle p50 {idle[0]:.1f} p95 {idle[1]:.1f} ms, streaming p50 "
          f"{busy[0]:.1f} p95 {busy[1]:.1f} ms, ratio of p95 {busy[1] / idle[1]:.2f}")  # fmt: skip
    assert busy[1] / idle[1] <= 4
