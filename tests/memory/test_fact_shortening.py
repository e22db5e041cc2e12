"""The journal, shortened: uses become counts, and nothing else is lost."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from app.memory.fact_history import Use, uses
from app.memory.fact_journal import FactJournal, JournalRow, row_line
from app.memory.fact_keeper import journal_of
from app.memory.fact_outcomes import Deleted, NotFound, Replaced, Restored
from app.memory.fact_shortening import LONGEST, is_too_long, shortened
from tests.memory.fact_desk import draft, store
from tests.memory.test_fact_processes import start

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def use(number: int, *ids: str) -> str:
    at = NOON + timedelta(seconds=number)
    return row_line(JournalRow(f"u{number}", "use", at, "you", "w", ids=ids))


def loaded(path: Path, data: bytes) -> FactJournal:
    path.write_bytes(data)
    journal = FactJournal(path)
    journal.load()
    return journal


def full(path: Path, size: int = LONGEST) -> int:
    """Fills the journal with uses of ten facts up to a size; how often each was used."""
    line = f"{use(0, *(f'fact-{n}' for n in range(10)))}\n".encode()
    times = (size - path.stat().st_size if path.exists() else size) // len(line)
    with path.open("ab") as file:
        file.write(line * times)
    return times


def test_only_uses_are_merged_and_all_else_keeps_its_bytes(tmp_path: Path) -> None:
    changes = [
        '{"change": "c1", "operation": "save", "at": "2026-11-30T12:00:00Z",  "added": '
        '[{"id": "f1", "raw": "{}"}], "future": [1]}',
        '{"done": "c1"}',
        '{"operation": "of a newer Haima", "change": ["c"]}',
        '{"change": "c3", "operation": "choice", "at": "2026-11-30T12:00:00Z", "ids": ["f1"]}',
        '{"change": "c4", "operation": "delete", "at": "2026-11-30T12:00:00Z", "removed": []}',
    ]
    void = '{"change": "c2", "operation": "save", "at": "2026-11-30T12:00:00Z"}'
    lines = [
        use(1, "f1", "f2"),
        *changes[:2],
        use(2, "f1"),
        void,
        use(3, "f1", "f3"),
        '{"void": "c2"}',
        '{"change": "torn',
        *changes[2:],
        use(4, "f4"),
    ]
    raw = "".join(f"{line}\n" for line in lines).encode()
    short = shortened(raw)
    kept = short.decode().splitlines()
    assert [line for line in kept if '"use"' not in line] == changes
    assert len(kept) == len(changes) + 4
    before, after = loaded(tmp_path / "a", raw), loaded(tmp_path / "b", short)
    assert uses(after.rows) == uses(before.rows)
    assert uses(after.rows)["f1"] == Use(3, NOON + timedelta(seconds=3))
    assert [row.change for row in after.open_rows()] == ["c4"], "what was open stays open"
    assert shortened(short) == short
    again = loaded(tmp_path / "c", short + f"{use(9, 'f1')}\n".encode())
    assert uses(again.rows)["f1"] == Use(4, NOON + timedelta(seconds=9))


def test_history_that_is_needed_makes_no_journal_too_long(tmp_path: Path) -> None:
    full(tmp_path / "uses")
    assert not is_too_long(loaded(tmp_path / "uses", (tmp_path / "uses").read_bytes()))
    full(tmp_path / "uses", LONGEST + 10_000)
    data = (tmp_path / "uses").read_bytes()
    assert is_too_long(loaded(tmp_path / "uses", data))
    saved = json.loads(use(0, "f")) | {"operation": "save", "added": [{"id": "f", "raw": "x" * 90}]}
    line = json.dumps(saved).encode() + b"\n"
    assert not is_too_long(loaded(tmp_path / "saves", line * (LONGEST // len(line) + 9)))


async def test_what_was_done_before_can_be_undone_after(tmp_path: Path) -> None:
    path = tmp_path / "facts.json"
    kept, other = store(path), store(path)
    for content in ("one", "two", "three", "four"):
        await kept.save(draft(content))
    one, two, three, four = (fact.id for fact in kept.facts)
    as_it_was = path.read_bytes()
    await kept.used([one, four])
    replaced = await kept.replace(draft("first"), one)
    deleted = await kept.delete([two])
    cleared = await kept.clear()
    assert isinstance(replaced, Replaced)
    assert isinstance(deleted, Deleted)
    assert isinstance(cleared, Deleted)
    told = await kept.history(replaced.fact.id)
    times = full(journal_of(path))
    assert (await other.uses())["fact-3"].count == times, "it has read the long one"
    await kept.used([three, *(f"fact-{n}" for n in range(500))])
    assert journal_of(path).stat().st_size < 200_000
    for each in (kept, other, store(path)):
        found = await each.uses()
        assert (found["fact-3"].count, found[three].count) == (times + 1, 1)
        assert await each.history(replaced.fact.id) == told
        assert {fact.content for fact in await each.gone()} == {
            "one",
            "two",
            "three",
            "four",
            "first",
        }
    for change in (cleared.change, deleted.change, replaced.change):
        assert isinstance(await store(path).undo(change), Restored)
    assert path.read_bytes() == as_it_was
    assert isinstance(await other.undo(cleared.change), NotFound), "once only"
    await other.delete_everywhere([one])
    assert (await store(path).uses())["fact-3"].count == times + 1, "purged rows keep their counts"
    assert (await store(path).uses()).get(one) is None


def test_a_journal_that_was_shortened_is_read_anew_whatever_the_number_of_its_file(
    tmp_path: Path,
) -> None:
    """A new file may get the number of one that is gone, and be longer again by then."""
    path = tmp_path / "journal"
    long = "".join(f"{use(n, 'f1')}\n" for n in range(20)).encode()
    journal = loaded(path, long)
    number = path.stat().st_ino
    path.write_bytes(shortened(long) + long + long)
    assert path.stat().st_ino == number
    journal.load()
    assert uses(journal.rows)["f1"].count == 60
    assert journal.size == path.stat().st_size
    with path.open("ab") as file:
        file.write(f"{use(99, 'f1')}\n".encode())
    journal.load()
    assert uses(journal.rows)["f1"].count == 61


async def test_processes_that_append_while_one_shortens_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "facts.json"
    rounds, before = 12, 25_000
    times = full(journal_of(path), LONGEST - before)
    writers = [await start(path, "uses", name, rounds) for name in "ab"]
    shortest = LONGEST
    while any(one.returncode is None for one in writers):
        await asyncio.sleep(0.001)
        shortest = min(shortest, journal_of(path).stat().st_size)
    errors = [await one.stderr.read() for one in writers]
    assert [await one.wait() for one in writers] == [0, 0], errors
    assert shortest < LONGEST // 2, "it was shortened meanwhile"
    kept = store(path)
    await kept.refresh()
    found = await kept.uses()
    assert all(found[f"used-{n}"].count == 2 * rounds for n in range(200))
    assert found["fact-3"].count == times
    assert len(kept.facts) == 2 * rounds
    for fact in kept.facts:
        assert [one.operation for one in await kept.history(fact.id)] == ["save", "verify"]
