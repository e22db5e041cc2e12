"""Which facts a query finds: those that a project may see, and no query breaks it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import pytest

from app.archive.fact_index import FactIndex
from app.memory.recall import Recall, project_scope
from app.memory.segment import VERSION, segment

pytestmark = pytest.mark.anyio

DAY = datetime(2026, 11, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Noted:
    """A fact, as far as recall looks at it."""

    id: str
    content: str
    scope: Literal["global", "project"] = "global"
    project: str = ""
    timestamp: datetime | None = DAY
    verified: datetime | None = None


@pytest.fixture
async def recall(tmp_path: Path) -> AsyncIterator[Recall[Noted]]:
    index = await FactIndex.open(tmp_path / "recall.db", segment, VERSION)
    yield Recall(index)
    assert index.trouble is None
    await index.close()


async def ids(
    recall: Recall[Noted], query: str, project: Path | None = None, k: int = 10
) -> list[str]:
    return [fact.id for fact in (await recall.search(query, project, k)).facts]


FACTS = (
    Noted("java", "用户偏好 Java 17，构建用 Maven"),
    Noted("js", "The frontend is written in JavaScript"),
    Noted("test", "Integration tests need Docker running"),
    Noted("key", "幂等键保留 24h，由 Redis TTL 过期"),
    Noted("cpp", "绑定层用 C++ 写"),
    Noted("c", "驱动用 C 写"),
)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("帮我看看偏好设置", "java"),
        ("幂等键多久过期", "key"),
        ("ｊａｖａ 的版本", "java"),
        ("running the integration test", "test"),
        ("C++ 在哪里用", "cpp"),
        ("键", "key"),
        ("REDIS", "key"),
    ],
)
async def test_what_is_asked_for_is_found_first(
    recall: Recall[Noted], query: str, first: str
) -> None:
    await recall.update(FACTS)
    assert (await ids(recall, query))[0] == first


async def test_part_of_an_english_word_is_no_hit(recall: Recall[Noted]) -> None:
    await recall.update(FACTS)
    assert await ids(recall, "java") == ["java"]


@pytest.mark.parametrize(
    "query",
    ["", "   \n\t", "?", "!!! ... ---", "。，？", "\0", "the of and", "\ud800", '"', "*", "()"],
)
async def test_a_query_without_words_finds_nothing(recall: Recall[Noted], query: str) -> None:
    await recall.update(FACTS)
    found = await recall.search(query, None)
    assert (found.facts, found.more, found.unmatched) == ((), 0, len(FACTS))


@pytest.mark.parametrize(
    "query",
    [
        'redis"',
        '"redis',
        '\'redis\' """',
        "redis*",
        "* redis",
        "redis OR",
        "OR redis OR OR",
        "NOT redis",
        "redis AND (NOT)",
        "NEAR(redis, 2)",
        "terms:redis",
        "-redis ^redis +redis",
        "redis\0redis",
        "{redis} : (redis",
        "redis; DROP TABLE words; --",
        "redis \ud83d \x1b[31m",
        "redis " + "x" * 100_000,
        "redis " + "数据库" * 50_000,
        " ".join(f"word{n}" for n in range(5_000)) + " redis",
        "%redis_ \\ redis\\",
    ],
)
async def test_no_query_breaks_the_search(recall: Recall[Noted], query: str) -> None:
    await recall.update(FACTS)
    assert "key" in await ids(recall, query)


async def test_the_words_of_the_query_language_are_words(recall: Recall[Noted]) -> None:
    await recall.update([Noted("near", "the shop NEAR the station"), Noted("x", "padding _")])
    assert await ids(recall, "NEAR") == ["near"]
    assert await ids(recall, "_") == []


async def test_other_projects_never_leak(recall: Recall[Noted], tmp_path: Path) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    await recall.update(
        [
            Noted("global", "secret port one"),
            Noted("mine", "secret port two", "project", str(mine)),
            Noted("other", "secret port three", "project", str(other)),
            Noted("below", "secret port four", "project", str(mine / "sub")),
            Noted("nowhere", "secret port five", "project", ""),
            Noted("relative", "secret port six", "project", "."),
        ]
    )
    query = "secret port one two three four five six"
    assert sorted(await ids(recall, query, mine)) == ["global", "mine"]
    assert sorted(await ids(recall, query, other)) == ["global", "other"]
    assert await ids(recall, query) == ["global"]
    assert await ids(recall, query, Path()) == ["global"]
    assert [fact.id for fact in recall.visible(mine)] == ["global", "mine"]
    found = await recall.search("three", mine)
    assert (found.facts, found.more, found.unmatched) == ((), 0, 2)


async def test_a_fact_moved_to_another_project_is_gone_at_once(
    recall: Recall[Noted], tmp_path: Path
) -> None:
    fact = Noted("f", "port 8080", "project", str(tmp_path / "a"))
    await recall.update([fact])
    assert await ids(recall, "port", tmp_path / "a") == ["f"]
    await recall.update([replace(fact, project=str(tmp_path / "b"))])
    assert await ids(recall, "port", tmp_path / "a") == []
    assert await ids(recall, "port", tmp_path / "b") == ["f"]


async def test_a_project_is_its_folder_however_it_is_spelt(
    recall: Recall[Noted], tmp_path: Path
) -> None:
    real = tmp_path / "real"
    real.mkdir()
    link = tmp_path / "link"
    link.symlink_to(real)
    await recall.update(
        [
            Noted("link", "port 1", "project", str(link)),
            Noted("slash", "port 2", "project", f"{real}/"),
            Noted("dots", "port 3", "project", f"{real}/../real"),
        ]
    )
    for spelt in (real, link, tmp_path / "x" / ".." / "real"):
        assert sorted(await ids(recall, "port", spelt)) == ["dots", "link", "slash"]
    assert project_scope(str(link)) == project_scope(str(real))


async def test_equally_near_ones_stand_in_one_order(recall: Recall[Noted]) -> None:
    facts = [
        Noted("first", "same words"),
        Noted("second", "same words"),
        Noted("newer", "same words", timestamp=DAY + timedelta(days=1)),
        Noted("confirmed", "same words", verified=DAY + timedelta(days=2)),
        Noted("undated", "same words", timestamp=None),
    ]
    await recall.update(facts)
    order = ["confirmed", "newer", "first", "second", "undated"]
    assert await ids(recall, "words") == order
    await recall.update([])
    await recall.update([facts[0], *reversed(facts[2:]), facts[1]])
    assert await ids(recall, "words") == order
    for k in range(1, 6):
        assert await ids(recall, "words", k=k) == order[:k]


async def test_what_was_not_given_is_counted(recall: Recall[Noted]) -> None:
    many = [Noted(f"f{n}", f"redis number {n}") for n in range(30)]
    await recall.update([*many, *FACTS])
    found = await recall.search("redis", None, 10)
    assert (len(found.facts), found.more, found.unmatched) == (10, 21, 5)
    assert len((await recall.search("redis", None, 0)).facts) == 0


async def test_changed_deleted_and_doubled_facts(recall: Recall[Noted]) -> None:
    await recall.update(FACTS)
    await recall.update([replace(FACTS[0], content="用户偏好 Kotlin"), *FACTS[2:], FACTS[2]])
    assert await ids(recall, "Maven JavaScript") == []
    assert await ids(recall, "kotlin") == ["java"]
    assert [fact.id for fact in recall.visible(None)].count("test") == 1
