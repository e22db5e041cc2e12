"""What left the context in the mocks (01, 01b, 01f): lists, events, a conversation with cards."""

from datetime import UTC, datetime, timedelta

from app.events import (
    Cleared,
    ContextMeasured,
    ContextParts,
    Event,
    MessageFinished,
    Offloaded,
    Text,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from app.view.held import HeldItem, HeldTab

FOLDER = ".haima/tool-outputs/7f3a"

_OFFLOADED = (
    ("search_files", "javax\\. **/*.java", 48_213, 1, 612),
    ("execute_command", "mvn dependency:tree", 36_940, 4, 420),
    ("read_file", "OrderController.java", 33_871, 9, 804),
    ("web_fetch", "spring.io/blog/3.3-notes", 61_440, 14, 1_204),
    ("execute_command", "mvn -q test", 19_410, 21, 240),
    ("execute_command", "git log -p schema.sql", 17_020, 26, 310),
    ("search_files", "sun.misc.Unsafe", 32_707, 31, 377),
)
_CLEARED = (
    ("list_dir", "src/main/java", 2_100, 1),
    ("execute_command", "git status", 1_000, 2),
    ("read_file", "application.yml", 6_310, 6),
    ("search_files", "@Transactional", 9_500, 8),
    ("execute_command", "mvn -v", 512, 12),
    ("read_file", "Dockerfile", 1_800, 15),
    ("list_dir", "target/", 3_000, 18),
    ("search_files", "LocalDateTime.now", 7_300, 22),
    ("read_file", "schema.sql", 17_000, 26),
    ("read_file", "OrderCodec.java", 12_200, 29),
    ("execute_command", "mvn help:system", 6_900, 33),
    ("list_dir", ".", 812, 35),
)
PREVIEW = (
    "AuditFilter.java:3: import javax.servlet.Filter;",
    "AuditFilter.java:4: import javax.servlet.FilterChain;",
    "OrderCodec.java:12: import javax.annotation.Nullable;",
    "TraceFilter.java:9: import javax.servlet.*;",
    "OrderApi.java:21: import javax.validation.Valid;",
)


def lists(now: datetime) -> dict[HeldTab, tuple[HeldItem, ...]]:
    """Both lists of the mocks."""

    def at(minutes: int) -> str:
        return (now.astimezone(UTC) - timedelta(minutes=minutes, seconds=1)).isoformat()

    offloaded = tuple(
        HeldItem(
            message=f"m{7 - place}",
            tool=tool,
            subject=subject,
            characters=size,
            at=at(minutes),
            path=f"{FOLDER}/{7 - place:03}-{tool}.txt",
            lines=count,
        )
        for place, (tool, subject, size, minutes, count) in enumerate(_OFFLOADED)
    )
    cleared = tuple(
        HeldItem(message=f"c{place}", tool=tool, subject=subject, characters=size, at=at(minutes))
        for place, (tool, subject, size, minutes) in enumerate(_CLEARED)
    )
    return {"offloaded": offloaded, "cleared": cleared}


def measured(
    history: int = 117_400, results: int = 35_200, window: int = 256_000, clearable: int = 0
) -> ContextMeasured:
    """The gauge of the mocks."""
    return ContextMeasured(
        tokens=16_300 + history + results,
        source="anchored",
        window=window,
        certain=True,
        clear=100_000,
        precompute=133_800,
        warn=179_200,
        summary=223_000,
        reserve=20_000,
        clearable=clearable,
        parts=ContextParts(
            system=10_000, tools=4_200, memory=2_100, history=history, results=results
        ),
    )


def call(
    id: str, tool: str, subject: str, size: int, seconds: float, *, ok: bool = True, why: str = ""
) -> list[Event]:
    """A call that is over."""
    return [
        ToolStarted(id=id, tool=tool, arguments={}, subject=subject),
        ToolFinished(
            id=id,
            tool=tool,
            ok=ok,
            characters=size,
            seconds=seconds,
            reason=why,
            message=f"m-{id}",
            body="first\nsecond\n",
        ),
    ]


def offloaded(id: str = "c3", number: int = 7) -> Offloaded:
    """Its result went to a file."""
    return Offloaded(
        message=f"m-{id}",
        call=id,
        tool="search_files",
        path=f"{FOLDER}/{number:03}-search_files.txt",
        characters=48_213,
        lines=612,
        tokens_before=12_000,
        tokens_after=1_100,
    )


def cleared(*ids: str, before: int = 128_000, after: int = 89_800) -> Cleared:
    """Results gave way to pointers."""
    return Cleared(
        messages=tuple(f"m-{id}" for id in ids),
        calls=ids,
        count=len(ids),
        tokens_before=before,
        tokens_after=after,
    )


def work() -> list[Event]:
    """The turn of mock 01: one result cleared, one in a file, one failed."""
    return [
        TurnStarted(message="u1", text="Take stock of javax, then move the toolchain."),
        Text(message="a1", text="I'll list what is left, then move the toolchain in one commit."),
        MessageFinished(message="a1"),
        *call("c1", "list_dir", "src/main/java", 2_100, 0.1),
        *call("c2", "read_file", "pom.xml", 3_104, 0.2),
        *call("c3", "search_files", "javax\\.  **/*.java", 48_213, 1.1),
        offloaded("c3"),
        *call(
            "c4",
            "execute_command",
            "mvn -q -DskipTests compile",
            2_377,
            41.8,
            ok=False,
            why="exit 1 · OrderCodec.java:88 sun.misc.Unsafe is not visible",
        ),
    ]


def many(count: int = 9) -> list[Event]:
    """The turn of mock 01f: so many results, and two more that stay."""
    tools = (
        ("read_file", "schema.sql"),
        ("search_files", "LocalDateTime.now"),
        ("read_file", "OrderApi.java"),
    )
    events: list[Event] = [TurnStarted(message="u1", text="Go on with the integration tests.")]
    for number in range(count):
        tool, subject = tools[number % len(tools)]
        events += call(f"c{number}", tool, subject, 7_300, 0.2)
    events += call("k1", "read_file", "OrderApiIT.java", 6_118, 0.2)
    events += call("k2", "execute_command", "mvn verify -pl order-it", 7_904, 92.0)
    return events


def ids(count: int = 9) -> tuple[str, ...]:
    """The calls of `many` that are cleared."""
    return tuple(f"c{number}" for number in range(count))
