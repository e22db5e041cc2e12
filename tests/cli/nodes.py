"""Sessions as the archive tells of them, for what only shows them."""

from datetime import UTC, datetime, timedelta, timezone

from app.archive.nodes import Relation
from app.archive.sessions import NodeRecord

NOW = datetime(2026, 11, 29, 20, 0, tzinfo=timezone(timedelta(hours=8)))
"""Noon in UTC, for a user in Shanghai."""


def ago(minutes: float) -> str:
    """A time before `NOW`, as it stands in the archive."""
    moment = (NOW - timedelta(minutes=minutes)).astimezone(UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def node(
    id_: str,
    parent: str | None = None,
    relation: Relation | None = None,
    *,
    chain: str = "7f3a9c01d2e4",
    title: str = "Upgrade to Java 21",
    turn: int | None = None,
    created: float = 100,
    used: float = 60,
    ledger: str = "",
    deleted: str | None = None,
    project: str = "/home/u/order-service",
) -> NodeRecord:
    """A session; times are minutes before `NOW`."""
    return NodeRecord(
        id=id_,
        parent=parent,
        chain=chain,
        relation=relation,
        ledger=ledger or chain,
        project=project,
        title=title,
        model="deepseek-v3.2",
        mode="react",
        branch="main",
        tools="",
        fork_at=None,
        fork_turn=turn,
        created=ago(created),
        used=ago(used),
        deleted=deleted,
        messages=1_152,
        turns=38,
        prompt=1_000_000,
        cached=800_000,
        completion=12_000,
        cost=None,
        peak=224_100,
    )


ROOT = node("7f3a9c01d2e4", used=90)
CHAIN = (
    ROOT,
    node("6b910000aaaa", ROOT.id, "summary", created=80, used=70),
    node("c41d0000aaaa", "6b910000aaaa", "summary", created=60, used=5, ledger="c41d0000aaaa"),
    node("8e100000aaaa", "6b910000aaaa", "fork", turn=84, title="try GraalVM", created=65),
    node("8e110000aaaa", "8e100000aaaa", "summary", title="", created=62),
)
"""Mock 05's chain, and a summary of its fork."""
