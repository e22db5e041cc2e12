"""How a tool call ended, as it is kept beside its result."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """How a tool call ended.

    Attributes:
        ok: whether it did what was asked.
        seconds: how long it ran.
        characters: length of its whole output.
        reason: why it failed, for the user; "" where it didn't.
        refused: it wasn't allowed to run.
        stopped: the user ended the turn before it was over.
        added: lines added to a file.
        removed: lines removed from a file.
    """

    ok: bool
    seconds: float
    characters: int
    reason: str = ""
    refused: bool = False
    stopped: bool = False
    added: int = 0
    removed: int = 0

    def to_data(self) -> dict[str, object]:
        """As JSON types; what has its default is left out."""
        data: dict[str, object] = {
            "ok": self.ok,
            "seconds": self.seconds,
            "characters": self.characters,
        }
        if self.reason:
            data["reason"] = self.reason
        if self.refused:
            data["refused"] = True
        if self.stopped:
            data["stopped"] = True
        if self.added:
            data["added"] = self.added
        if self.removed:
            data["removed"] = self.removed
        return data

    @classmethod
    def from_data(cls, data: object) -> Self | None:
        """What `to_data` gave; None where it isn't one, a field of the wrong type has its default.

        Args:
            data: of a `message` row's `outcome`.
        """
        if not isinstance(data, Mapping):
            return None
        reason = data.get("reason")
        return cls(
            ok=data.get("ok") is True,
            seconds=_seconds(data.get("seconds")),
            characters=_count(data.get("characters")),
            reason=reason if isinstance(reason, str) else "",
            refused=data.get("refused") is True,
            stopped=data.get("stopped") is True,
            added=_count(data.get("added")),
            removed=_count(data.get("removed")),
        )


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
