"""The work of the mocks 01b and 10."""

from datetime import UTC, datetime, timedelta

from app.conversation.work import Action, Done, EntityKind, Goal, Progress, Rule
from app.view.work_shown import EntityShown, NameShown, ToldAs, WorkShown

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def ago(minutes: int) -> str:
    return (NOW - timedelta(minutes=minutes)).isoformat()


def file(
    name: str, minutes: int, changed: Action = "edited", *, outside: bool = False,
    told: ToldAs = "full",
) -> EntityShown:  # fmt: skip
    return EntityShown(
        kind="file",
        name=name,
        note=changed,
        short=changed,
        at=ago(minutes),
        changed=changed,
        outside=outside,
        told=told,
    )


def other(
    kind: EntityKind, name: str, note: str, minutes: int, short: str = "", *, ok: bool = True
) -> EntityShown:
    return EntityShown(kind=kind, name=name, note=note, short=short or note, at=ago(minutes), ok=ok)


MAIN = "src/main/java/com/acme/order"
RULES = (
    Rule("r1", "Keep the Flyway migrations untouched.", message="u81", turn=81),
    Rule("r2", "合并一律 squash，不要改 schema", message="u95", turn=95),
)
CHANGED = (
    file("pom.xml", 12),
    file(f"{MAIN}/OrderCodec.java", 18, outside=True),
    file(f"{MAIN}/AuditFilter.java", 21),
    file(f"{MAIN}/TraceFilter.java", 24),
    file(".github/workflows/build.yml", 26),
    file("src/test/java/com/acme/order/ByteOrderTest.java", 27, "created"),
    file(f"{MAIN}/UnsafeHolder.java", 29, "deleted"),
    file(f"{MAIN}/OrderApi.java", 33, told="name"),
    file(f"{MAIN}/OrderApiIT.java", 35, told="name"),
)
NEAREST = (
    other("command", "mvn -q -DskipTests compile", "failed, exit 1", 2, "exit 1", ok=False),
    other("symbol", "OrderCodec#decode", "named by you", 3, "named"),
    other("command", "mvn dependency:tree", "succeeded", 4, "exit 0"),
    other("symbol", "AuditFilter#doFilter", f"edited, {MAIN}/AuditFilter.java", 9, "edited"),
    other("command", "mvn -v", "succeeded", 12, "exit 0"),
    other("symbol", "VarHandle", "searched", 14),
    other("command", "git status", "succeeded", 15, "exit 0"),
    other("table", "order_item", "named", 26),
)
NAMES = tuple(
    NameShown("symbol", name)
    for name in ("TraceFilter#doFilter", "OrderApi", "OrderApiIT", "ByteOrderTest", "Clock")
)
PROGRESS = Progress(
    todo=(
        "replace sun.misc.Unsafe in OrderCodec",
        "run the integration tests",
        "Dockerfile base image",
    ),
    done=(
        Done("inventory javax.* imports", "search_files javax"),
        Done("set maven.compiler.release to 21", "mvn -v"),
        Done("CI image to temurin-21"),
        Done("AuditFilter to jakarta.servlet", "mvn -q compile"),
        Done("TraceFilter to jakarta.servlet", "mvn -q compile"),
    ),
)
WORK = WorkShown(
    goal=Goal(
        "Move order-service to Java 21 and keep the tests green. "
        "Done when mvn verify passes on the CI image.",
        "u1",
        1,
    ),
    rules=RULES,
    new_rules=frozenset({"r2"}),
    changed=CHANGED,
    nearest=NEAREST,
    names=NAMES,
    more=31,
    progress=PROGRESS,
    written=ago(2),
)
