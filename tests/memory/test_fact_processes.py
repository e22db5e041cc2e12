"""Real processes that write one file at once: nothing lost, torn or doubled."""

import asyncio
import json
import os
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.memory.fact_keeper import journal_of
from app.memory.fact_outcomes import Duplicate
from tests.memory.fact_desk import draft, store
from tests.stem.grown import Grown, grow

WRITER = "tests.memory.fact_writer"


@dataclass
class Told:
    """What the writers said is certain; `maybe`: was about to go when its writer died."""

    there: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    maybe: set[str] = field(default_factory=set)


async def start(path: Path, *arguments: object) -> Grown:
    kind, *rest = map(str, arguments)
    return await grow(WRITER, [kind, str(path), *rest], cwd=path.parent, env=dict(os.environ))


async def follow(process: Grown, told: Told) -> bytes:
    async for line in process.stdout:
        word, _, text = line.decode().rstrip("\n").partition(" ")
        getattr(told, word).add(text)
    return await process.stderr.read()


def parsed(path: Path) -> list[dict[str, str]] | None:
    try:
        found: list[dict[str, str]] = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    return found


async def read_all_the_time(path: Path, over: asyncio.Event) -> int:
    """Parses the file until it is over, as a foreign program and as ours; how often it changed."""
    kept, changes = store(path), 0
    while not over.is_set():
        parsed(path)
        changes += await kept.refresh()
        assert kept.take_reports() == ()
        await asyncio.sleep(0)
    return changes


async def settle(path: Path, processes: list[Grown], told: Told) -> list[bytes]:
    over = asyncio.Event()
    reader = asyncio.create_task(read_all_the_time(path, over))
    errors = await asyncio.gather(*(follow(process, told) for process in processes))
    over.set()
    assert await reader > 1
    return errors


def judge(path: Path, told: Told) -> None:
    entries = parsed(path)
    assert entries is not None
    count = Counter(entry["content"] for entry in entries)
    assert max(count.values()) == 1
    assert len({entry["id"] for entry in entries}) == len(entries)
    assert told.there - told.gone - told.maybe <= set(count)
    assert not told.gone & set(count)


async def many(path: Path, writers: int, changes: int) -> None:
    told = Told()
    processes = [
        await start(path, "ours", f"writer {name}", changes) for name in "abcdefgh"[: writers - 1]
    ]
    processes.append(await start(path, "foreign", "posix", changes))
    errors = await settle(path, processes, told)
    assert [await process.wait() for process in processes] == [0] * writers, errors
    told.maybe.clear()
    judge(path, told)
    assert len(parsed(path) or ()) == len(told.there - told.gone)
    rows = await store(path).uses()
    assert rows == {}


async def killed(path: Path, writers: int, changes: int, seed: int) -> None:
    """Each is killed at some time; then another one goes on."""
    told, chance = Told(), random.Random(seed)
    processes = [
        await start(path, "ours", f"writer {name}", changes) for name in "abcdefgh"[:writers]
    ]

    async def kill(process: Grown) -> None:
        while not told.there:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        await asyncio.sleep(chance.uniform(0, 0.01 * changes))
        process.kill()

    killers = [asyncio.create_task(kill(process)) for process in processes]
    await settle(path, processes, told)
    await asyncio.gather(*killers)
    judge(path, told)
    kept = store(path, lock_timeout=5)
    await kept.save(draft("afterwards"))
    told.there.add("afterwards")
    judge(path, told)


async def test_many_writers_of_both_kinds_lose_nothing(tmp_path: Path) -> None:
    await many(tmp_path / "facts.json", 3, 8)


async def test_killed_writers_lose_nothing(tmp_path: Path) -> None:
    await killed(tmp_path / "facts.json", 2, 20, seed=7)


@pytest.mark.parametrize("point", ["fact_before", "fact_journaled", "fact_written"])
async def test_a_writer_that_dies_at_any_point_leaves_a_whole_file_and_a_true_history(
    tmp_path: Path, point: str
) -> None:
    path, told = tmp_path / "facts.json", Told()
    process = await start(path, "ours", "w", 4, point, 4)
    await follow(process, told)
    assert await process.wait() == -9
    # The fourth change replaces the second fact.
    contents = {entry["content"] for entry in parsed(path) or ()}
    new = {"w says b again"} if point == "fact_written" else set()
    assert contents >= {"w says a"} | new
    kept = store(path, lock_timeout=5)
    await kept.refresh()
    for fact in kept.facts:
        assert (await kept.history(fact.id))[-1].after == fact.content
    await kept.save(draft("afterwards"))
    for fact in kept.facts:
        assert (await kept.history(fact.id))[-1].after == fact.content
    lines = journal_of(path).read_text().splitlines()
    assert all(json.loads(line) for line in lines)


@pytest.mark.parametrize("point", ["fact_before", "fact_journaled", "fact_written"])
async def test_a_batch_is_there_whole_or_not_at_all(tmp_path: Path, point: str) -> None:
    path, told = tmp_path / "facts.json", Told()
    process = await start(path, "batches", "w", 3, point, 2)
    await follow(process, told)
    assert await process.wait() == -9
    assert len(told.there) == 5
    kept = store(path, lock_timeout=5)
    await kept.refresh()
    contents = [fact.content for fact in kept.facts]
    assert contents[:5] == [f"w says {one}" for one in "abcde"]
    assert len(contents) == (10 if point == "fact_written" else 5)
    await kept.save(draft("afterwards"))  # what the dead one left open is decided by now
    for fact in kept.facts:
        (only,) = await kept.history(fact.id)
        assert (only.operation, only.after) == ("save", fact.content)
    assert await kept.gone() == ()
    again = await kept.save_all([draft(content) for content in contents])
    assert all(isinstance(one, Duplicate) for one in again)


@pytest.mark.soak
async def test_eight_writers_and_two_hundred_changes(tmp_path: Path) -> None:
    await many(tmp_path / "facts.json", 8, 200)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
async def test_eight_writers_killed_at_random(tmp_path: Path, seed: int) -> None:
    await killed(tmp_path / "facts.json", 8, 100, seed)
