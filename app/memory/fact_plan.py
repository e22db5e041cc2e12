"""What shall be written: the file of facts afterwards, and what the journal says of it."""

from collections.abc import Callable
from dataclasses import dataclass

from app.memory.fact_file import FactFile
from app.memory.fact_journal import Operation
from app.memory.fact_outcomes import Outcome


@dataclass(frozen=True, slots=True)
class Plan:
    """What shall be written.

    Attributes:
        file: as it is afterwards.
        changed: ids of facts that are changed, come or go.
        operation, by: for the journal.
        outcome: what is answered when it is written, given the change's id.
        spent: recorded choices it uses up.
        undoes: the change it takes back.
    """

    file: FactFile
    changed: frozenset[str]
    operation: Operation
    by: str
    outcome: Callable[[str], Outcome]
    spent: tuple[str, ...] = ()
    undoes: str = ""
