"""Rows of a replay: numbered as a ledger would, and forgotten."""

from collections.abc import Mapping

from app.archive.rows import Row

AT = "2026-01-01T00:00:00.000Z"
"""When everything in a replay happens: nothing depends on the clock."""


class RowsInMemory:
    """Stands in for a ledger: nothing of a replay is written to the disk (`archive.row_sink`).

    Attributes:
        name: what rows elsewhere call it.
    """

    name = "replay"

    def __init__(self) -> None:
        self._seq = 0

    @property
    def size(self) -> int:
        """Bytes: there are none."""
        return 0

    def write(
        self, kind: str, data: Mapping[str, object], *, node: str, conversation: str = "main"
    ) -> Row:
        """Numbers a row, and gives it back."""
        self._seq += 1
        return Row(self._seq, AT, kind, node, conversation, data, self.name)

    async def sync(self) -> None:
        """Nothing is to be made safe."""
