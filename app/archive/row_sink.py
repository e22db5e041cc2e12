"""Where an agent's rows go: a ledger on the disk, or what stands in for it in a replay."""

from collections.abc import Mapping
from typing import Protocol

from app.archive.rows import Row


class RowSink(Protocol):
    """Takes rows in their order, as `ledger.Ledger` does."""

    @property
    def name(self) -> str:
        """What rows elsewhere call it."""
        ...

    @property
    def size(self) -> int:
        """Bytes up to the end of the last row."""
        ...

    def write(
        self, kind: str, data: Mapping[str, object], *, node: str, conversation: str = "main"
    ) -> Row:
        """Adds a row and gives it back.

        Raises:
            StorageError: it can't be written; nothing changed.
        """
        ...

    async def sync(self) -> None:
        """Returns when all rows are safe.

        Raises:
            StorageError: the disk failed.
        """
        ...
