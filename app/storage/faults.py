"""Places at which a test may let the program die; without a test's hook they do nothing."""

from collections.abc import Callable
from typing import Literal

FaultPoint = Literal[
    "row_before",
    "row_torn",
    "row_after",
    "database_transaction",
    "commit_after",
    "sync_before",
    "sync_after",
    "fact_before",
    "fact_journaled",
    "fact_written",
]
"""Where: before a ledger row, when half of it is written, after it; inside the database's
transaction, before its commit; after the commit, before the history has it; before and after the
ledger's fsync (in the thread that does it); before a change of the facts, when the journal has it,
when the file has it."""

Hook = Callable[[FaultPoint], None]
"""A test's own: it may raise, or end the process."""

_hooks: list[Hook] = []


def fault_point(name: FaultPoint) -> None:
    """Does nothing, but for a test's hook."""
    for hook in _hooks:
        hook(name)


def armed() -> bool:
    """Whether a hook is installed: only then is a row written in two halves."""
    return bool(_hooks)


def install(hook: Hook) -> Callable[[], None]:
    """From now on `hook` is called at every fault point; for tests.

    Returns:
        What takes it away again.
    """
    _hooks.append(hook)
    return lambda: _hooks.remove(hook)
