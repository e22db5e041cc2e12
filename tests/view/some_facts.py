"""The facts of mock 02, and as many as one likes."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from app.events.memory import FactState
from app.view.facts_record import FactItem, Proof, Source, Waiting
from tests.view.some_sessions import NOW


def ago(days: float) -> datetime:
    """So many days before `NOW`."""
    return NOW - timedelta(days=days)


def fact(
    number: int,
    content: str,
    state: FactState = "fresh",
    *,
    written: float = 50,
    verified: float | None = 5,
    uses: int = 3,
    used: float | None = None,
    everywhere: bool = False,
    source: Source = "you",
    pinned: bool = False,
) -> FactItem:
    """A fact; the higher its number, the longer ago it was used."""
    return FactItem(
        id=f"fact-{number:08x}",
        content=content,
        state=state,
        scope="global" if everywhere else "project",
        source=source,
        written=ago(written),
        verified=None if verified is None else ago(verified),
        pinned=pinned,
        uses=uses,
        used=ago(number / 100 if used is None else used) if uses else None,
    )


JAVA = replace(
    fact(1, "Service builds on Java 17 (Temurin)", "conflicting", written=41, verified=33, uses=14),
    node="3c1e00000000",
    message="3c1e00000009",
    quote="构建统一用 Temurin 17，CI 也是。",
    waits=(Waiting("wait-1", "Service builds on Java 21", "model", NOW - timedelta(minutes=2)),),
    proofs=(
        Proof(False, "pom.xml", 12, "<maven.compiler.release>21</maven.compiler.release>", "21"),
        Proof(False, "build.yml", 18, "java-version: 21", "21"),
        Proof(True, ".tool-versions", 1, "java temurin-17", "17"),
    ),
)

SOME: tuple[FactItem, ...] = (
    JAVA,
    fact(2, "CI runs tests with -T1C", "conflicting", written=38, verified=38, uses=6),
    fact(3, "订单超时默认 30 分钟，见 OrderProperties.timeout", "conflicting", written=88,
         verified=61, uses=9),
    fact(4, "Gateway timeout is 3 s", "conflicting", written=30, verified=9),
    fact(5, "Kafka topic order.events has 12 partitions", "conflicting", written=21,
         verified=None, uses=2, source="extraction"),
    fact(6, "Boot 3.1 is the platform baseline", "contradicted", written=120, verified=97, uses=11),
    fact(7, "Staging DB is MySQL 8.0.28", "contradicted", written=74, verified=74, uses=4),
    fact(8, "Dockerfile starts from eclipse-temurin:17", "contradicted", written=52, verified=20,
         uses=5),
    fact(9, "Use jakarta.*, never javax.*", written=12, verified=2, uses=31),
    fact(10, "Flyway scripts are append-only", written=60, verified=5, uses=27, pinned=True),
    fact(11, "JDK on this laptop is Temurin 17", "stale", written=96, verified=96, uses=22,
         everywhere=True),
    fact(12, "Redis is only used for idempotency keys", "unverified", written=3, verified=None,
         uses=2, source="model"),
    fact(13, "Reply in Chinese, code comments in English", written=140, verified=9, uses=212,
         everywhere=True, pinned=True),
    fact(14, "order-core has no Spring dependency", verified=4, uses=18, source="model"),
    fact(15, "Squash-merge; subject ≤ 72 chars", written=118, verified=11, uses=64,
         everywhere=True, source="import"),
    fact(16, "Integration tests need Docker running", written=47, verified=6, uses=12),
    fact(17, "金额一律用 long 分，禁止 double", written=81, verified=8, uses=40),
    fact(18, "Prefer AssertJ over Hamcrest", written=66, verified=10, uses=15),
)  # fmt: skip


def stale(count: int) -> tuple[FactItem, ...]:
    """So many stale facts, and one fresh one that was used before all of them."""
    facts: Iterable[FactItem] = (
        fact(n, f"Stale fact number {n}", "stale", written=60, verified=45) for n in range(1, count)
    )
    return (fact(0, "A fresh fact"), *facts, fact(count, "The last stale fact", "stale"))


def many(count: int) -> list[FactItem]:
    """So many of all states, texts in both languages."""
    states: tuple[FactState, ...] = ("fresh", "fresh", "fresh", "stale", "unverified")
    return [
        fact(n, f"第 {n} 条：module {n % 97} listens on port {8000 + n}", states[n % 5], uses=n % 7)
        for n in range(count)
    ]
