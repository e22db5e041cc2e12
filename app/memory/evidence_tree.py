"""Parsed data of a foreign file, read without trusting its shape."""

from dataclasses import dataclass
from typing import cast


@dataclass(frozen=True, slots=True)
class Tree:
    """A value of JSON or TOML; what isn't there, or is of another kind, is empty.

    Attributes:
        value: as the parser gave it.
    """

    value: object = None

    def __getitem__(self, key: str) -> "Tree":
        """What stands under a key of a table."""
        value = self.value
        if isinstance(value, dict):
            return Tree(cast("dict[str, object]", value).get(key))
        return Tree()

    @property
    def text(self) -> str:
        """A string, else ""."""
        return self.value if isinstance(self.value, str) else ""

    @property
    def items(self) -> list[tuple[str, "Tree"]]:
        """A table's entries, else none."""
        if not isinstance(self.value, dict):
            return []
        table = cast("dict[str, object]", self.value)
        return [(str(key), Tree(one)) for key, one in table.items()]

    @property
    def values(self) -> list["Tree"]:
        """A list's or a table's values, else none."""
        if isinstance(self.value, list):
            return [Tree(one) for one in cast("list[object]", self.value)]
        return [one for _, one in self.items]
