"""What the calls of all of a project's conversations came to: `haima usage`."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from app.archive.usage import calls_of
from app.session.usage import UsageSums, sum_calls

if TYPE_CHECKING:
    from app.archive.database import Database


async def project_usage(database: "Database", project: Path) -> UsageSums:
    """The sums, model by model; deleted conversations count.

    Args:
        database: with all ledgers taken in.
        project: the project's folder.

    Raises:
        HaimaError: the database can't be read.
    """
    folder = str(project)
    return await database.run(lambda connection: sum_calls(calls_of(connection, project=folder)))


def usage_records(sums: UsageSums) -> Iterator[dict[str, object]]:
    """A record a model, for `--json`; `cost` is null where no price is known."""
    for one in sums.models:
        cost = None if one.unpriced == one.calls else round(one.cost, 6)
        yield {"type": "usage", **asdict(one), "cost": cost}
