"""What calls were made in a project, out of the database."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One answer of a model, as its provider counted it.

    Attributes:
        model: its name; "" where the ledger doesn't say.
        prompt: tokens of the request, those from the cache included.
        cached: of these, tokens from the cache.
        completion: tokens of the answer, reasoning included.
        reasoning: of these, tokens of reasoning.
        cost: US dollars, where the provider told them.
    """

    model: str
    prompt: int
    cached: int = 0
    completion: int = 0
    reasoning: int = 0
    cost: float | None = None


def calls_of(connection: sqlite3.Connection, project: str) -> Iterator[ModelCall]:
    """All calls of a project in the order in which they were made, ledger by ledger.

    Deleted conversations count: their tokens were paid for.

    Raises:
        sqlite3.Error: the database can't be read.
    """
    rows = connection.execute(
        """
        SELECT u.model, u.prompt, u.cached, u.completion, u.reasoning, u.cost
        FROM usage u JOIN nodes n ON n.id = u.node
        WHERE n.project = ?
        ORDER BY n.created, u.ledger, u.seq
        """,
        (project,),
    )
    for row in rows:
        yield ModelCall(*row)


def calls_of_chain(connection: sqlite3.Connection, chain: str) -> Iterator[ModelCall]:
    """All calls of a chain, those of its forks and agents too, ledger by ledger.

    Raises:
        sqlite3.Error: the database can't be read.
    """
    rows = connection.execute(
        """
        SELECT u.model, u.prompt, u.cached, u.completion, u.reasoning, u.cost
        FROM usage u JOIN nodes n ON n.id = u.node
        WHERE n.chain = ?
        ORDER BY n.created, u.ledger, u.seq
        """,
        (chain,),
    )
    for row in rows:
        yield ModelCall(*row)
