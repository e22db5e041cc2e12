"""What is known of a summary for good: the figures that lists, marks and exports show."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal, Self, cast, get_args

from app.events import KeptBySummary

SummaryHow = Literal["model", "cut"]
"""Whether a model wrote it, or older messages were only cut off, with references to them."""

NOTHING_KEPT = KeptBySummary()
"""Nothing is told of what stands beside a summary's text."""

_HOWS: tuple[SummaryHow, ...] = get_args(SummaryHow)
_MOST = (1 << 53) - 1
"""Counts above this aren't believed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryMark:
    """A summary, as the node it began tells of it.

    Attributes:
        messages: how many messages it stands for.
        tokens: of its text, as estimated.
        tokens_before: of the next request without it.
        tokens_after: of the next request with it.
        generation: 1 for the first of a conversation, 2 for one made of that, and so on.
        how: a model wrote it, or it is only a cut.
        in_turn: the cut lies inside a turn.
        summary: id of the message that holds it; "" where it isn't known.
        model: who wrote it; "" after a cut.
        focus: what the user asked it to dwell on; "" for nothing.
        seconds: it took.
        by_hand: the user asked for it; else it began by itself.
        kept: what the code kept beside its text.
    """

    messages: int
    tokens: int
    tokens_before: int
    tokens_after: int
    generation: int = 1
    how: SummaryHow = "model"
    in_turn: bool = False
    summary: str = ""
    model: str = ""
    focus: str = ""
    seconds: float = 0.0
    by_hand: bool = False
    kept: KeptBySummary = NOTHING_KEPT

    def to_data(self) -> dict[str, object]:
        """As it stands in rows and in the database."""
        return {**asdict(self), "kept": self.kept.model_dump()}

    @classmethod
    def from_data(cls, data: object) -> Self | None:
        """What `to_data` gave; None where it isn't one.

        Fields that are missing or of the wrong type have their defaults, counts 0.
        """
        if not isinstance(data, Mapping):
            return None
        told = cast("Mapping[str, object]", data)
        how = told.get("how")
        return cls(
            messages=_count(told, "messages"),
            tokens=_count(told, "tokens"),
            tokens_before=_count(told, "tokens_before"),
            tokens_after=_count(told, "tokens_after"),
            generation=max(1, _count(told, "generation")),
            how=how if how in _HOWS else "model",
            in_turn=told.get("in_turn") is True,
            summary=_text(told, "summary"),
            model=_text(told, "model"),
            focus=_text(told, "focus"),
            seconds=_seconds(told.get("seconds")),
            by_hand=told.get("by_hand") is True,
            kept=_kept(told.get("kept")),
        )


def _count(data: Mapping[str, object], name: str) -> int:
    value = data.get(name)
    whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST
    return value if whole and isinstance(value, int) else 0


def _kept(data: object) -> KeptBySummary:
    if not isinstance(data, Mapping):
        return NOTHING_KEPT
    told = cast("Mapping[str, object]", data)
    counts = {name: _count(told, name) for name in KeptBySummary.model_fields if name != "goal"}
    return KeptBySummary.model_validate({"goal": told.get("goal") is True, **counts})


def _text(data: Mapping[str, object], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > _MOST:
        return 0.0
    return float(value) if math.isfinite(value) and value >= 0 else 0.0
