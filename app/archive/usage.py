"""What calls were made in a project, out of the database."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

Purpose = Literal["answer", "summary"]
"""What a model is called for: to go on with the conversation, or to summarise it."""

_PURPOSES: tuple[Purpose, ...] = get_args(Purpose)


def purpose_from_data(value: object) -> Purpose:
    """A purpose by its name; what isn't one, or isn't there, is an answer."""
    return value if value in _PURPOSES else "answer"


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
        purpose: what it was for.
    """

    model: str
    prompt: int
    cached: int = 0
    completion: int = 0
    reasoning: int = 0
    cost: float | None = None
    purpose: Purpose = "answer"


def calls_of(
    connection: sqlite3.Connection, *, project: str | None = None, chain: str | None = None
) -> Iterator[ModelCall]:
    """The calls of a project, of a chain, or all, as they were made, ledger by ledger.

    Deleted conversations count: their tokens were paid for. So do forks and agents.

    Raises:
        sqlite3.Error: the database can't be read.
    """
    rows = connection.execute(
        """
        SELECT u.model, u.prompt, u.cached, u.completion, u.reasoning, u.cost,
          u.purpose
        FROM usage u JOIN nodes n ON n.id = u.node
        WHERE n.project = coalesce(:project, n.project) AND n.chain = coalesce(:chain, n.chain)
        ORDER BY n.created, u.ledger, u.seq
        """,
        {"project": project, "chain": chain},
    )
    for row in rows:
        yield ModelCall(*row)
