"""When the summaries of a chain began by themselves: an hour has so many, in whatever process."""

import json
import sqlite3
from datetime import UTC, datetime

from app.conversation.summary_mark import SummaryMark


def automatic_summaries(
    connection: sqlite3.Connection, chain: str, most: int
) -> tuple[datetime, ...]:
    """When the last summaries that a model wrote unasked took their places, the oldest first.

    Those that were taken back count, they were paid for; those that failed left no node. One that
    the user asked for begins the count anew, as it does for `Breaker`.

    Args:
        connection: of the archive.
        chain: its id.
        most: how many are wanted.

    Raises:
        sqlite3.Error: the database can't be read.
    """
    rows = connection.execute(
        """SELECT created, summary FROM nodes
        WHERE chain = ? AND relation = 'summary' ORDER BY created DESC, seq DESC""",
        (chain,),
    )
    found: list[datetime] = []
    for created, summary in rows:
        mark = None if summary is None else SummaryMark.from_data(json.loads(summary))
        if len(found) == most or (mark is not None and mark.by_hand):
            break
        at = _instant(created)
        if at is not None and (mark is None or mark.how == "model"):
            found.append(at)
    rows.close()
    return tuple(reversed(found))


def _instant(text: str) -> datetime | None:
    """A row's time; None: an old or foreign row hasn't one."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
