"""What the archive costs: a step's commit, and going on with a long conversation (issue 4).

Judged as ratios within one run; the figures are printed.
"""

import asyncio
import json
import sqlite3
import statistics
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.archive.database import Database
from app.archive.ledger import Ledger
from app.archive.load import LoadedNode, load_node
from app.archive.nodes import NodeStart
from app.archive.rebuilding import build
from app.archive.recorder import Recorder
from app.archive.rows import Row, dump_row
from app.conversation.encoding import message_to_json
from app.conversation.history import History
from app.conversation.messages import Message, TextPart, ToolCall
from app.ports import Usage
from app.text import Words

pytestmark = pytest.mark.benchmark

ROOT = "aaaaaaaaaaaa"
CHILD = "bbbbbbbbbbbb"
STEPS = 200
LIVE = 60
"""Messages of the live history."""


def step(number: int, width: int = 3) -> list[Message]:
    """An assistant message with calls, and their results: 4,000 characters each."""
    calls = tuple(
        ToolCall(f"c{number}-{call}", "read_file", f'{{"path":"src/file{number}.py"}}')
        for call in range(width)
    )
    body = (TextPart("def function(argument): return argument  # 海马\n" * 85),)
    results = [
        Message(f"t{call.id}", "tool", body, call_id=call.id, tool=call.name) for call in calls
    ]
    return [Message(f"a{number}", "assistant", (TextPart("I look."),), calls), *results]


async def commits(folder: Path) -> list[float]:
    """Seconds that the database takes for each step, the ledger apart."""
    database = await Database.open(folder / "haima.db", folder / "raw")
    taken: list[float] = []

    class Timed:
        """Passes rows on and takes the time."""

        spent = 0.0

        async def commit(self, ledger: str, row: Row, size: int) -> None:
            started = time.perf_counter()
            await database.commit(ledger, row, size)
            Timed.spent += time.perf_counter() - started

    with Ledger.open(folder / "raw" / f"{ROOT}.jsonl") as ledger:
        recorder = Recorder(History(), ledger, ROOT, projection=Timed())
        await recorder.begin(NodeStart(chain=ROOT, project="/p"))
        await recorder.append(Message("u", "user", (TextPart("go"),)))
        for number in range(STEPS):
            Timed.spent = 0.0
            for message in step(number):
                await recorder.append(message)
            usage = Usage(prompt=1_000, cached=900, completion=50)
            await recorder.usage(usage, message=f"a{number}", model="m")
            taken.append(Timed.spent)
    await database.close()
    return taken


async def plain_inserts(folder: Path) -> list[float]:
    """Seconds for the same bytes in one plain table: in a thread too, a transaction a row."""
    loop, thread = asyncio.get_running_loop(), ThreadPoolExecutor(1)
    taken: list[float] = []
    connection = await loop.run_in_executor(thread, plain, folder / "plain.db")

    def insert(content: str) -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO rows (content) VALUES (?)", (content,))
        connection.execute("COMMIT")

    for number in range(STEPS):
        contents = [json.dumps(message_to_json(message)) for message in step(number)] + ["usage"]
        started = time.perf_counter()
        for content in contents:
            await loop.run_in_executor(thread, insert, content)
        taken.append(time.perf_counter() - started)
    await loop.run_in_executor(thread, connection.close)
    thread.shutdown()
    return taken


def plain(path: Path) -> sqlite3.Connection:
    """A database with one table."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, content TEXT)")
    return connection


def test_commit_of_a_step(tmp_path: Path) -> None:
    """An assistant message, three results and usage, against plain inserts of the same bytes."""
    ours = statistics.median(asyncio.run(commits(tmp_path)))
    simple = statistics.median(asyncio.run(plain_inserts(tmp_path)))
    print(f"\nstep: {ours * 1e3:.2f} ms, plain inserts {simple * 1e3:.2f} ms: "
          f"{ours / simple:.1f} x")  # fmt: skip
    assert ours < 0.02
    # About nine statements on as many pages, against one on one page.
    assert ours < 20 * simple


@dataclass
class Loaded:
    """What going on with a conversation cost."""

    seconds: float
    peak: int
    messages: int


def archive(folder: Path, turns: int) -> Path:
    """A root with so many turns, and a summary's child whose live history is always as long."""
    ledgers = folder / "raw"
    ledgers.mkdir(parents=True)
    seq = 0

    def line(kind: str, data: dict[str, object], node: str) -> bytes:
        nonlocal seq
        seq += 1
        return dump_row(Row(seq, "2026-11-29T10:00:00.000Z", kind, node, "main", data))

    with (ledgers / f"{ROOT}.jsonl").open("wb") as file:
        file.write(line("session", {"project": "/p", "model": "m", "version": "1"}, ROOT))
        for number in range(turns):
            user = Message(f"u{number}", "user", (TextPart(f"turn {number}"),))
            for message in [user, *step(number, 1)]:
                file.write(line("message", {"message": message_to_json(message)}, ROOT))
            file.write(line("usage", {"prompt": 1_000, "model": "m"}, ROOT))
        kept = [m.id for n in range(turns - LIVE // 3, turns) for m in turn(n)]
        begun: dict[str, object] = {"chain": ROOT, "parent": ROOT, "relation": "summary"}
        begun["layout"] = kept
        file.write(line("node", begun, CHILD))
    build(folder / "haima.db", ledgers)
    return folder / "haima.db"


def turn(number: int) -> list[Message]:
    return [Message(f"u{number}", "user", (TextPart("x"),)), *step(number, 1)]


def measured(work: Callable[[], LoadedNode]) -> Loaded:
    """The best of some rounds, and the most memory."""
    taken = []
    for _ in range(7):
        started = time.perf_counter()
        found = work()
        taken.append(time.perf_counter() - started)
    tracemalloc.start()
    try:
        work()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return Loaded(min(taken), peak, len(found.history))


def test_load_of_a_long_conversation(tmp_path: Path) -> None:
    """The same live history in an archive of 1,000 and of 20,000 turns."""
    found: dict[int, Loaded] = {}
    for turns in (1_000, 20_000):
        path = archive(tmp_path / str(turns), turns)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            found[turns] = measured(lambda: load_node(connection, CHILD, Words("en")))
    print()
    for turns, one in found.items():
        print(f"load, {turns:,} turns: {one.seconds * 1e3:.2f} ms, {one.peak / 1e6:.2f} MB at most")
    short, long = found.values()
    assert short.messages == long.messages == LIVE
    assert long.seconds <= 3 * short.seconds
    assert long.peak <= 1.2 * short.peak


def test_catching_up(tmp_path: Path) -> None:
    """A whole archive from its ledger: a rate, and memory that doesn't grow with it."""
    peaks = []
    for turns in (500, 5_000):
        path = archive(tmp_path / str(turns), turns)
        size = (path.parent / "raw" / f"{ROOT}.jsonl").stat().st_size
        started = time.perf_counter()
        build(path.with_name("again.db"), path.parent / "raw")
        taken = time.perf_counter() - started
        tracemalloc.start()
        try:
            build(path.with_name("measured.db"), path.parent / "raw")
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        print(f"\ncatching up, {turns:,} turns: {size / 1e6:.0f} MB in {taken:.2f} s, "
              f"{peaks[-1] / 1e6:.2f} MB at most")  # fmt: skip
    assert peaks[1] <= peaks[0] + 1_000_000
