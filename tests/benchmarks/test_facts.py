"""What a change of the facts costs among 10,000 of them (issue 7).

Judged as ratios within one run; the figures are printed.
"""

import asyncio
import json
import random
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from app.archive.fact_index import FactIndex
from app.memory.fact_outcomes import Likeness, Stored
from app.memory.fact_store import FactStore
from app.memory.facts import Draft, Fact, new_fields
from app.memory.likeness import Likenesses
from app.memory.recall import Recall
from app.memory.segment import VERSION, segment
from app.memory.slots import jieba_words
from app.storage import write_atomic
from tests.memory.fact_desk import SetClock, draft, tokens

pytestmark = pytest.mark.benchmark

FACTS = 10_000
TIMES = 40
CEILING = 3.0
"""A save against writing the same bytes as a whole."""


def nothing(content: str, others: Sequence[Fact]) -> Likeness:
    """Compares nothing."""
    return Likeness()


def filled(path: Path) -> bytes:
    now = SetClock().now()
    entries = [
        new_fields(draft(f"项目 {n} uses the tool number {n} for its builds"), f"f{n}", now, tokens)
        for n in range(FACTS)
    ]
    raw = json.dumps(entries, indent=2, ensure_ascii=False).encode()
    path.write_bytes(raw)
    return raw


async def test_a_save_among_ten_thousand_costs_little_more_than_writing_them(
    tmp_path: Path,
) -> None:
    path = tmp_path / "facts.json"
    raw = filled(path)
    kept = FactStore(path, project=None, clock=SetClock(), compare=nothing, tokens=tokens)
    begun = time.perf_counter()
    await kept.refresh()
    reading = time.perf_counter() - begun
    saves: list[float] = []
    writes: list[float] = []
    for number in range(TIMES):
        begun = time.perf_counter()
        outcome = await kept.save(draft(f"new {number}"))
        saves.append(time.perf_counter() - begun)
        assert isinstance(outcome, Stored)
        begun = time.perf_counter()
        write_atomic(tmp_path / "plain.json", raw)
        writes.append(time.perf_counter() - begun)
    save, write = statistics.median(saves), statistics.median(writes)
    print(
        f"\n{len(raw) / 1e6:.1f} MB: read {reading * 1e3:.0f} ms, save {save * 1e3:.1f} ms, "
        f"write {write * 1e3:.1f} ms, {save / write:.2f}x; first {saves[0] * 1e3:.1f} ms"
    )
    assert save <= CEILING * write


def varied(path: Path) -> bytes:
    """Facts of a few hundred words, some in most of them, most in a few: as in any language."""
    draw = random.Random(7)
    syllables = [a + b for a in "kmprstvz" for b in ("a", "e", "i", "o", "u", "ai")]
    words = ["".join(draw.choices(syllables, k=3)) for _ in range(600)]
    often = [1 / (place + 2) for place in range(600)]
    now = SetClock().now()
    entries = [
        new_fields(draft(" ".join(draw.choices(words, often, k=9))), f"f{n}", now, tokens)
        for n in range(FACTS)
    ]
    raw = json.dumps(entries, indent=2, ensure_ascii=False).encode()
    path.write_bytes(raw)
    return raw


async def test_comparing_with_ten_thousand_costs_little_more_than_writing_them(
    tmp_path: Path,
) -> None:
    """With the comparison as it is: candidates come from the index. It is part of each save."""
    path = tmp_path / "facts.json"
    raw = varied(path)
    index = FactIndex(tmp_path / "recall.db", segment, VERSION)
    likenesses = Likenesses(index)
    compares: list[float] = []

    class Timed:
        """The comparison; what of it runs ahead, beside the lock and the reading, counts too."""

        def __init__(self) -> None:
            self.asking = 0.0

        def ahead(self, draft: Draft) -> None:
            begun = time.perf_counter()
            likenesses.ahead(draft)
            self.asking = time.perf_counter() - begun

        def __call__(self, content: str, others: Sequence[Fact]) -> Likeness:
            begun = time.perf_counter()
            found = likenesses(content, others)
            compares.append(time.perf_counter() - begun + self.asking)
            return found

    kept = FactStore(path, project=None, clock=SetClock(), compare=Timed(), tokens=tokens)
    await kept.refresh()
    recall: Recall[Fact] = Recall(index)
    await recall.update(kept.facts)
    await jieba_words.loaded()
    saves: list[float] = []
    writes: list[float] = []
    for words in [fact.content.split() for fact in kept.facts[:TIMES]]:
        text = " ".join((*words[:5], "数据库用的是", *words[:3:-1]))
        begun = time.perf_counter()
        outcome = await kept.save(draft(text))
        saves.append(time.perf_counter() - begun)
        assert isinstance(outcome, Stored)
        begun = time.perf_counter()
        write_atomic(tmp_path / "plain.json", raw)
        writes.append(time.perf_counter() - begun)
    await index.close()
    save, write, compare = map(statistics.median, (saves, writes, compares))
    print(
        f"\ncompare {compare * 1e3:.1f} ms, {compare / write:.2f}x; compared save "
        f"{save * 1e3:.1f} ms, write {write * 1e3:.1f} ms, {save / write:.2f}x"
    )
    assert save <= CEILING * write


async def test_reading_and_saving_many_leaves_the_loop_free(tmp_path: Path) -> None:
    """No pause of the loop is as long as a key that feels stuck: 100 ms."""
    path = tmp_path / "facts.json"
    filled(path)
    kept = FactStore(path, project=None, clock=SetClock(), compare=nothing, tokens=tokens)
    pauses: list[float] = []

    async def beat() -> None:
        while True:
            begun = time.perf_counter()
            await asyncio.sleep(0.001)
            pauses.append(time.perf_counter() - begun)

    heart = asyncio.create_task(beat())
    await kept.refresh()
    await kept.save(draft("new"))
    await kept.verify([fact.id for fact in kept.facts])
    await kept.undo()
    heart.cancel()
    print(f"\nlongest pause {max(pauses) * 1e3:.0f} ms of {len(pauses)} beats")
    assert max(pauses) < 0.1
