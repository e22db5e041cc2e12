"""What the worklog costs the archive: a result's commit with touches, and loading a long chain.

Judged as ratios within one run; the figures are printed.
"""

import asyncio
import sqlite3
import statistics
import time
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from app.archive.database import Database
from app.archive.ledger import Ledger
from app.archive.nodes import NodeStart
from app.archive.rebuilding import build
from app.archive.recorder import Recorder
from app.archive.rows import Row, dump_row
from app.archive.work import MOST, load_work
from app.conversation.encoding import message_to_json
from app.conversation.history import History
from app.conversation.messages import Message, TextPart, ToolCall
from app.conversation.work import NOTHING, Done, Progress, Rule, Stamp, Touch, Work

pytestmark = pytest.mark.benchmark

ROOT = "aaaaaaaaaaaa"
STEPS = 300
FILES = 400
"""Files a project of this size has an agent work with."""


def work_of(number: int, turns: int = FILES) -> Work:
    """Five touches, of files and what is in them."""
    name = f"src/package/module_{number % min(turns, FILES)}.py"
    return Work(
        touches=(
            Touch("file", name, "edited", "3 lines", stamp=Stamp(1_764_500_000_000_000_000, 4_000)),
            Touch("symbol", f"function_{number}", "edited", file=name),
            Touch("symbol", f"Class_{number % 900}", "edited", file=name),
            Touch("command", f"pytest tests/test_{number % 300}.py", "ran", "exit 1", ok=False),
            Touch("identifier", f"E{number % 700}", "named"),
        )
    )


def step(number: int) -> list[Message]:
    """An assistant message with a call, and its result of 4,000 characters."""
    call = ToolCall(f"c{number}", "read_file", f'{{"path":"src/file{number}.py"}}')
    body = (TextPart("def function(argument): return argument  # 海马\n" * 85),)
    asked = Message(f"a{number}", "assistant", (TextPart("I look."),), (call,))
    return [asked, Message(f"t{number}", "tool", body, call_id=call.id, tool=call.name)]


async def appends(folder: Path) -> tuple[float, float]:
    """Seconds to append a result without work and with it, taken in turns: medians."""
    database = await Database.open(folder / "haima.db", folder / "raw")
    taken: tuple[list[float], list[float]] = ([], [])
    with Ledger.open(folder / "raw" / f"{ROOT}.jsonl") as ledger:
        recorder = Recorder(History(), ledger, ROOT, projection=database)
        await recorder.begin(NodeStart(chain=ROOT, project="/p"))
        await recorder.append(Message("u", "user", (TextPart("go"),)))
        for number in range(2 * STEPS):
            asked, result = step(number)
            await recorder.append(asked)
            work = work_of(number) if number % 2 else NOTHING
            started = time.perf_counter()
            await recorder.append(result, work=work)
            taken[number % 2].append(time.perf_counter() - started)
    await database.close()
    return statistics.median(taken[0]), statistics.median(taken[1])


def test_append_of_a_result_with_touches(tmp_path: Path) -> None:
    """Five touches in the same transaction."""
    found = [asyncio.run(appends(tmp_path / str(number))) for number in range(3)]
    plain, told = min(one for one, _ in found), min(one for _, one in found)
    print(
        f"\nresult: {plain * 1e3:.2f} ms, with 5 touches {told * 1e3:.2f} ms: {told / plain:.2f} x"
    )
    assert told < 1.3 * plain


def archive(folder: Path, turns: int) -> Path:
    """A chain of so many turns, each with touches and progress, now and then a rule."""
    ledgers = folder / "raw"
    ledgers.mkdir(parents=True)
    with (ledgers / f"{ROOT}.jsonl").open("wb") as file:
        seq = 0

        def line(kind: str, data: dict[str, object]) -> None:
            nonlocal seq
            seq += 1
            at = (datetime(2026, 11, 1) + timedelta(seconds=seq)).isoformat() + ".000Z"
            file.write(dump_row(Row(seq, at, kind, ROOT, "main", data)))

        line("node", {"chain": ROOT, "project": "/p"})
        for number in range(turns):
            user = Message(f"u{number}", "user", (TextPart(f"turn {number}"),))
            ruled = Work(rules=(Rule(f"r{number}", "Never use npm."),))
            work = {"work": ruled.to_data()} if number % (turns // 20) == 0 else {}
            line("message", {"message": message_to_json(user), **work})
            asked, result = step(number)
            line("message", {"message": message_to_json(asked)})
            progress = Progress(("test it",), tuple(Done(f"part {n}") for n in range(5)))
            told = Work(touches=work_of(number, turns).touches, progress=progress)
            line("message", {"message": message_to_json(result), "work": told.to_data()})
    build(folder / "haima.db", ledgers)
    return folder / "haima.db"


def test_load_of_the_work_of_a_long_chain(tmp_path: Path) -> None:
    """Chains of 6,000 turns, past what is loaded of entities, and of 20,000; one of 1,000 too."""
    taken: dict[int, float] = {}
    for turns in (1_000, 6_000, 20_000):
        path = archive(tmp_path / str(turns), turns)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            rounds = []
            for _ in range(5):
                started = time.perf_counter()
                found = load_work(connection, ROOT, ROOT)
                rounds.append(time.perf_counter() - started)
        taken[turns] = min(rounds)
        print(f"\nwork of {turns:,} turns: {taken[turns] * 1e3:.1f} ms, {len(found.entities):,} "
              f"entities, {len(found.marks)} marks")  # fmt: skip
        assert len(found.entities) <= MOST + FILES
        assert found.turns == turns
    assert taken[20_000] < 1.5 * taken[6_000]
