"""The facts of mock 01b-…-memory: the event, and what the memory knows of them."""

from datetime import UTC, datetime, timedelta

from app.events import InjectedFact, LeftFact, MemoryInjected
from app.view.recalled import FactNow

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def _ago(days: int) -> datetime:
    return NOW - timedelta(days=days, hours=1)


FACTS = {
    "fact-jakarta": FactNow(
        content="统一用 jakarta.*，不用 javax.*",
        scope="project",
        state="fresh",
        written=_ago(20),
        verified=_ago(2),
        file="pom.xml",
        line=31,
    ),
    "fact-flyway": FactNow(
        content="Flyway 脚本只增不改",
        scope="project",
        state="fresh",
        pinned=True,
        written=_ago(40),
        verified=_ago(9),
    ),
    "fact-jdk": FactNow(
        content="JDK 是 Temurin 17",
        scope="global",
        state="stale",
        written=_ago(200),
        verified=_ago(96),
    ),
    "fact-redis": FactNow(
        content="Redis 只存幂等键",
        scope="project",
        state="unverified",
        author="extraction",
        written=_ago(3),
    ),
    "fact-language": FactNow(
        content="回复中文，注释英文",
        scope="global",
        state="fresh",
        pinned=True,
        written=_ago(60),
        verified=_ago(1),
    ),
}
_WHY = {"fact-jakarta": ("javax",), "fact-jdk": ("Java 21",)}

EVENT = MemoryInjected(
    message="u1",
    facts=tuple(
        InjectedFact(
            id=id,
            content=fact.content,
            scope=fact.scope,
            state=fact.state,
            why=_WHY.get(id, ()),
            pinned=fact.pinned,
            tokens=60,
        )
        for id, fact in FACTS.items()
    ),
    tokens=412,
    budget=1_280,
    left=(
        LeftFact(id="fact-shown", content="CI 只跑 JDK 17", why="shown"),
        LeftFact(id="fact-long", content="发布步骤", why="budget"),
    ),
    unmatched=121,
)
