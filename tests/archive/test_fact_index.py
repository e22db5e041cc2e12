"""The recall index: always what the facts are, whatever became of its file."""

import asyncio
import sqlite3
import stat
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.archive import fact_index
from app.archive.fact_index import Entry, FactIndex, IndexTrouble, Query
from app.archive.fact_tables import count_terms, create, find, update
from app.errors import HaimaError

pytestmark = pytest.mark.anyio

FACTS = (
    Entry("a", "java maven", ""),
    Entry("b", "java gradle", "/p"),
    Entry("c", "python uv", "/q"),
)


def split(text: str) -> list[str]:
    return text.split()


@asynccontextmanager
async def opened(
    path: Path, facts: Sequence[Entry] = FACTS, told: list[HaimaError] | None = None
) -> AsyncIterator[FactIndex]:
    index = await FactIndex.open(path, split, 1, report=None if told is None else told.append)
    try:
        await index.put(facts)
        yield index
    finally:
        await index.close()


async def ids(index: FactIndex, *terms: str, scopes: tuple[str, ...] = ("", "/p")) -> list[str]:
    found = await index.search(Query(terms, scopes, 10))
    return sorted(hit.id for hit in found.nearest)


def read(path: Path) -> bytes:
    return path.read_bytes()


def write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def path(folder: Path) -> Path:
    return folder / "recall.db"


async def test_only_the_scopes_asked_for_are_found(path: Path) -> None:
    async with opened(path) as index:
        assert await ids(index, "java") == ["a", "b"]
        assert await ids(index, "java", scopes=("",)) == ["a"]
        assert await ids(index, "python") == []
        assert await ids(index, "python", scopes=("/nowhere",)) == []
    assert mode(path) == 0o600


async def test_what_changed_is_taken_in_and_the_rest_stays(path: Path) -> None:
    cut: list[str] = []

    def watched(text: str) -> list[str]:
        cut.append(text)
        return text.split()

    index = await FactIndex.open(path, watched, 1)
    await index.put(FACTS)
    cut.clear()
    changed = (Entry("a", "kotlin", ""), Entry("b", "java gradle", "/q"), Entry("d", "go", "/p"))
    await index.put(changed)
    assert cut == ["kotlin", "java gradle", "go"]
    assert await ids(index, "java", "maven") == []
    assert await ids(index, "kotlin", "go") == ["a", "d"]
    await index.put(changed)
    assert len(cut) == 3
    await index.put(())
    assert await ids(index, "kotlin", "java", scopes=("", "/p", "/q")) == []
    await index.close()


async def test_a_second_start_cuts_nothing_again(path: Path) -> None:
    async with opened(path):
        pass

    def refuse(text: str) -> list[str]:
        raise AssertionError(text)

    index = await FactIndex.open(path, refuse, 1)
    await index.put(FACTS)
    assert await ids(index, "java") == ["a", "b"]
    await index.close()


async def test_a_search_before_the_first_facts_finds_and_changes_nothing(path: Path) -> None:
    async with opened(path):
        pass
    index = await FactIndex.open(path, split, 1)
    assert await ids(index, "java") == []
    await index.close()
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT count(*) FROM facts").fetchone() == (3,)


async def test_of_two_facts_with_one_id_the_first_counts(path: Path) -> None:
    async with opened(path, (Entry("a", "one", ""), Entry("a", "two", "/p"))) as index:
        assert await ids(index, "one", "two") == ["a"]
        assert await ids(index, "two") == []


async def test_terms_without_a_visible_fact_take_no_place(path: Path) -> None:
    others = [Entry(f"q{n}", f"rare{n}", "/q") for n in range(40)]
    async with opened(path, [*FACTS, *others]) as index:
        terms = (*(f"rare{n}" for n in range(40)), *(f"no{n}" for n in range(40)), "java")
        assert await ids(index, *terms) == ["a", "b"]


async def test_the_rarest_terms_count(path: Path) -> None:
    facts = [Entry(f"f{n}", "common", "") for n in range(5)] + [Entry("x", "rare", "")]
    async with opened(path, facts) as index:
        found = await index.search(Query(("common", "rare"), ("",), 10, most_terms=1))
        assert [hit.id for hit in found.nearest] == ["x"]
        assert found.all == 1


async def test_a_term_of_most_facts_counts_only_alone(path: Path) -> None:
    facts = [Entry(f"f{n}", "common", "") for n in range(99)] + [Entry("x", "rare", "")]
    async with opened(path, facts) as index:
        assert await ids(index, "common", "rare") == ["x"]
        assert (await index.search(Query(("common",), ("",), 10))).all == 99


async def test_all_that_are_level_with_the_last_are_given(path: Path) -> None:
    facts = [Entry(f"f{n}", "same words", "") for n in range(7)]
    async with opened(path, facts) as index:
        found = await index.search(Query(("same",), ("",), 3))
        assert len(found.nearest) == 7
        assert len({hit.score for hit in found.nearest}) == 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"no database at all" * 100,
        lambda data: data[: len(data) // 2],
        lambda data: data[:100] + b"\xff" * (len(data) - 100),
        lambda data: b"",
    ],
)
async def test_a_damaged_file_is_made_anew(path: Path, damage: object) -> None:
    async with opened(path):
        pass
    assert callable(damage)
    write(path, damage(read(path)))
    async with opened(path) as index:
        assert index.trouble is None
        assert await ids(index, "java") == ["a", "b"]
    async with opened(path) as index:
        assert index.trouble is None


@pytest.mark.parametrize("table", ["words", "facts", "counts", "scopes", "state"])
async def test_a_file_damaged_while_it_is_open_is_made_anew(path: Path, table: str) -> None:
    async with opened(path) as index:
        with closing(sqlite3.connect(path)) as other:
            other.execute(f"DROP TABLE {table}")
        assert await ids(index, "java") == ["a", "b"]
        assert index.trouble is None
    async with opened(path) as index:
        assert await ids(index, "gradle") == ["b"]


async def test_another_segmentation_makes_it_anew(path: Path) -> None:
    async with opened(path):
        pass
    index = await FactIndex.open(path, lambda text: [text[:1]], 2)
    await index.put(FACTS)
    assert await ids(index, "j") == ["a", "b"]
    assert index.trouble is None
    await index.close()


async def test_a_newer_file_stays_as_it_is(path: Path) -> None:
    newer = await FactIndex.open(path, split, 5)
    await newer.put(FACTS)
    await newer.close()
    before = read(path)
    told: list[HaimaError] = []
    async with opened(path, FACTS[:1], told) as index:
        assert await ids(index, "java") == ["a"]
    assert [error.key for error in told] == ["recall.newer"]
    assert read(path) == before


async def test_without_a_place_for_the_file_it_lies_in_memory(folder: Path) -> None:
    (folder / "file").write_text("in the way")
    told: list[HaimaError] = []
    async with opened(folder / "file" / "recall.db", FACTS, told) as index:
        assert await ids(index, "java") == ["a", "b"]
        await index.put(FACTS[:1])
        assert await ids(index, "java") == ["a"]
    assert [error.key for error in told] == ["recall.in_memory"]
    assert isinstance(told[0], IndexTrouble)
    assert "recall.db" in str(told[0])


async def test_a_file_that_stays_locked_is_left_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path):
        pass
    monkeypatch.setattr(fact_index, "_PATIENCE", 0.05)
    told: list[HaimaError] = []
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        async with opened(path, FACTS, told) as index:
            assert await ids(index, "java") == ["a", "b"]
    assert [error.key for error in told] == ["recall.in_memory"]
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT count(*) FROM facts").fetchone() == (3,)


async def test_two_with_different_facts_each_find_their_own(path: Path) -> None:
    async with opened(path, FACTS[:1]) as one, opened(path, FACTS) as other:
        for _ in range(2):
            assert await ids(one, "java", "gradle") == ["a"]
            assert await ids(other, "java", "gradle") == ["a", "b"]


async def test_a_cancelled_search_leaves_the_index_usable(path: Path) -> None:
    async with opened(path) as index:
        task = asyncio.create_task(index.search(Query(("java",), ("",), 10)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await ids(index, "java") == ["a", "b"]


async def test_nothing_of_what_was_purged_stays_in_the_file(path: Path) -> None:
    facts = [Entry(f"f{n}", f"quiet{n} harbour", "") for n in range(300)]
    async with opened(path, [*facts, Entry("x", "verysecretword", "")]) as index:
        await index.put(facts)
        await index.purge()
        assert (await index.search(Query(("harbour",), ("",), 400))).all == 300
    assert b"harbour" in read(path)
    assert b"verysecretword" not in read(path)
    assert names(path.parent) == ["recall.db"]


WORDS = st.lists(st.sampled_from("abcdef"), max_size=4).map(" ".join)
STANDS = st.lists(
    st.dictionaries(
        st.sampled_from("123456"), st.tuples(WORDS, st.sampled_from(["", "/p", "/q"])), max_size=6
    ),
    min_size=1,
    max_size=5,
)


@given(STANDS)
async def test_any_changes_end_in_the_same_as_all_at_once(
    stands: list[dict[str, tuple[str, str]]],
) -> None:
    with (
        closing(sqlite3.connect(":memory:")) as changed,
        closing(sqlite3.connect(":memory:")) as new,
    ):
        create(changed, 1)
        for stand in stands:
            entries = {name: Entry(name, *rest) for name, rest in stand.items()}
            update(changed, entries, split)
        create(new, 1)
        update(new, entries, split)
        for scopes in (("",), ("/p",), ("", "/q")):
            terms = (*"abcdef", "")
            assert count_terms(changed, terms, scopes) == count_terms(new, terms, scopes)
            query = Query(tuple("abc"), scopes, 3)
            ours, fresh = find(changed, query), find(new, query)
            assert {(hit.id, hit.score) for hit in ours.nearest} == {
                (hit.id, hit.score) for hit in fresh.nearest
            }
