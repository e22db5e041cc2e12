"""What `haima doctor --rebuild` prints."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.cells import cell_len

from app.cli.table import Column, table_lines

if TYPE_CHECKING:
    from app.archive.verify import Rebuilt
    from app.text import Words


def rebuilt_records(found: "Rebuilt") -> Iterator[dict[str, object]]:
    """A record a table that wasn't the same, the summary last, for `--json`."""
    for difference in found.differences:
        yield {"type": "difference", **asdict(difference)}
    yield {
        "type": "rebuild",
        "ledgers": found.done.ledgers,
        **asdict(found.done.taken),
        "tables": found.rows,
        "same": not found.differences,
    }


def rebuilt_text(found: "Rebuilt", words: "Words") -> str:
    """The tables with their rows, what was passed over, and whether the old database agreed."""
    different = {difference.table: difference for difference in found.differences}
    columns = (
        Column(words("rebuild.table")),
        Column(words("rebuild.rows"), right=True),
        Column(words("rebuild.verdict")),
    )
    rows = []
    for table, count in found.rows.items():
        verdict = words("rebuild.same")
        if (difference := different.get(table)) is not None:
            verdict = words(
                "rebuild.differs",
                old=difference.first_only,
                new=difference.second_only,
                changed=difference.changed,
                examples=words("doctor.comma").join(difference.examples),
            )
        rows.append((table, f"{count:,}", verdict))
    taken = found.done.taken
    lines = [words("rebuild.ledgers", n=found.done.ledgers, rows=f"{taken.rows:,}"), ""]
    widest = max(cell_len(verdict) for _, _, verdict in rows) + 80
    lines += table_lines(columns, rows, width=widest, ascii_only=False)
    lines.append("")
    if over := taken.passed_over + taken.unknown + taken.unreadable:
        lines.append(words("rebuild.passed_over", n=over))
    lines.append(words("rebuild.changed" if different else "rebuild.agreed"))
    return "\n".join(lines) + "\n"
