"""Whether two archive databases hold the same, table by table, in order, without row ids."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.archive.schema import TABLES

_EXAMPLES: Final = 5
"""Rows of a table that are named."""

_Keyed = tuple[tuple[object, ...], tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Difference:
    """What of one table isn't the same.

    Attributes:
        table: its name.
        first_only: rows the first database has alone.
        second_only: rows the second has alone.
        changed: rows of both whose columns differ.
        examples: the first of them by their keys.
    """

    table: str
    first_only: int
    second_only: int
    changed: int
    examples: tuple[str, ...]


def compare(first: Path, second: Path) -> tuple[Difference, ...]:
    """The tables in which two databases differ; none where they hold the same.

    Args:
        first: a database of this version; only read.
        second: another.

    Raises:
        sqlite3.Error: one can't be read.
    """
    with closing(_connect(first)) as one, closing(_connect(second)) as other:
        found = (_compare(one, other, table) for table in TABLES)
        return tuple(difference for difference in found if difference is not None)


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def _compare(
    first: sqlite3.Connection, second: sqlite3.Connection, table: str
) -> Difference | None:
    counts, examples = [0, 0, 0], list[str]()
    left, right = _rows(first, table), _rows(second, table)
    one, other = next(left, None), next(right, None)
    while one is not None or other is not None:
        if other is None or (one is not None and one[0] < other[0]):
            kind, row, one = 0, one, next(left, None)
        elif one is None or other[0] < one[0]:
            kind, row, other = 1, other, next(right, None)
        else:
            kind, row = (2, one) if one[1] != other[1] else (-1, one)
            one, other = next(left, None), next(right, None)
        if kind >= 0 and row is not None:
            counts[kind] += 1
            if len(examples) < _EXAMPLES:
                examples.append(" ".join(map(str, row[0])))
    if not any(counts):
        return None
    return Difference(table, counts[0], counts[1], counts[2], tuple(examples))


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[_Keyed]:
    """Rows by their primary key, columns by name: two files may have made them in any order."""
    columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
    keys = [str(column[1]) for column in sorted(columns, key=lambda one: one[5]) if column[5]]
    names = sorted(str(column[1]) for column in columns)
    wanted = ", ".join([*keys, *names])
    rows = connection.execute(f"SELECT {wanted} FROM {table} ORDER BY {', '.join(keys)}")  # noqa: S608
    for row in rows:
        yield row[: len(keys)], row[len(keys) :]
