"""The sessions of mock 05."""

from datetime import UTC, datetime, timedelta, timezone

from app.view.sessions_view import Relation, SessionNode, Summarised

ZONE = timezone(timedelta(hours=8))
NOW = datetime(2026, 11, 29, 17, 45, tzinfo=ZONE)
MODEL = "deepseek-v3.2"


def at(text: str) -> datetime:
    """`11-29 11:40` of that year, by the user's clock."""
    return datetime.strptime(f"2026-{text}", "%Y-%m-%d %H:%M").replace(tzinfo=ZONE).astimezone(UTC)


def node(
    id: str,
    created: str,
    used: str,
    *,
    chain: str | None = None,
    parent: str | None = None,
    relation: Relation | None = None,
    title: str = "",
    turns: tuple[int, int] = (1, 19),
    summary: tuple[int, int] | None = None,
    fork_turn: int | None = None,
    current: bool = False,
    live: bool = False,
    peak: int = 61_000,
) -> SessionNode:
    """A session; `id` is filled up to the length of real ones."""
    return SessionNode(
        id=id.ljust(12, "0"),
        chain=(chain or id).ljust(12, "0"),
        parent=parent.ljust(12, "0") if parent else None,
        relation=relation,
        title=title,
        model=MODEL,
        turns_from=turns[0],
        turns_to=turns[1],
        messages=118,
        tokens=1_240_000,
        peak=peak,
        window=256_000,
        created=at(created),
        used=at(used),
        current=current,
        live=live,
        summarised=Summarised(*summary) if summary else None,
        fork_turn=fork_turn,
    )


JAVA = (
    node("7f3a", "11-29 09:12", "11-29 11:38", title="Upgrade to Java 21", turns=(1, 38),
         summary=(61, 1_400)),
    node("6b91", "11-29 11:40", "11-29 13:02", chain="7f3a", parent="7f3a", relation="summary",
         turns=(39, 80), summary=(42, 1_204), peak=224_100),
    node("c41d", "11-29 13:02", "11-29 17:40", chain="7f3a", parent="6b91", relation="summary",
         turns=(81, 96), current=True, peak=168_900),
    node("8e10", "11-29 15:00", "11-29 16:05", chain="7f3a", parent="6b91", relation="fork",
         title="try GraalVM", turns=(85, 90), fork_turn=84),
)  # fmt: skip
AUDIT = (
    node("2b77", "11-18 09:00", "11-18 11:00", title="Audit log filter", turns=(1, 52),
         summary=(70, 1_600)),
    node("2c01", "11-18 11:00", "11-19 10:00", chain="2b77", parent="2b77", relation="summary",
         turns=(53, 61), live=True),
)  # fmt: skip
OTHERS = (
    node("3c1e", "11-28 10:19", "11-28 12:00", title="搭建 CI"),
    node("4d00", "11-24 08:00", "11-24 09:00", title="Order timeout refactor", turns=(1, 1)),
    node("5e00", "10-19 08:00", "10-19 09:00", title="Flyway baseline"),
    node("6f00", "09-01 08:00", "09-02 09:00", title="", turns=(1, 0), peak=0),
)
SOME = (*JAVA, *AUDIT, *OTHERS)


def many(count: int) -> list[SessionNode]:
    """So many sessions in chains of four, each a day older than the one before."""
    nodes: list[SessionNode] = []
    for number in range(count // 4):
        root = f"{number:08x}a000"
        used = NOW - timedelta(days=number)
        for place, name in enumerate("abcd"):
            nodes.append(
                SessionNode(
                    id=f"{number:08x}{name}000",
                    chain=root,
                    parent=nodes[-1].id if place else None,
                    relation="summary" if place else None,
                    title="" if place else f"Task {number}",
                    turns_from=10 * place + 1,
                    turns_to=10 * place + 10,
                    created=used,
                    used=used,
                )
            )
    return nodes
