"""What follows the ledger row by row: the database, or nothing."""

from typing import Protocol

from app.archive.rows import Row


class Projection(Protocol):
    """Takes in each row once it is in the ledger, before the history has what it tells."""

    async def commit(self, ledger: str, row: Row, size: int) -> None:
        """Takes in a row; trouble is told elsewhere and made good later, it never raises.

        Args:
            ledger: the ledger's name.
            row: as it was written.
            size: bytes of the ledger with this row.
        """
