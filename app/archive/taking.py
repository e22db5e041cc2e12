"""What it takes to take a row in: the row, its node, and how values are stored."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from app.archive.rows import Row
from app.archive.schema import storable


class PassedOver(Exception):  # noqa: N818 (says what becomes of the row)
    """The row can't be read, or what it builds on is lost."""


@dataclass(frozen=True, slots=True)
class NodeOf:
    """The node of a row, as far as other rows need it; all of it as it is stored."""

    id: str
    chain: str
    ledger: str
    conversation: str


@dataclass(frozen=True, slots=True)
class Taking:
    """One row on its way into the tables.

    Attributes:
        connection: in a transaction.
        ledger: the name of the row's ledger, as it is stored.
        row: the row.
        node: its node.
    """

    connection: sqlite3.Connection
    ledger: str
    row: Row
    node: NodeOf


def stored_json(value: Mapping[str, object]) -> str:
    """JSON as it is stored: ASCII, nothing spare."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def own_text(data: Mapping[str, object], name: str) -> str | None:
    """A text of a row's data as it can be stored; None where there is none."""
    value = data.get(name)
    return storable(value) if isinstance(value, str) else None
