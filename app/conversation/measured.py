"""What the token meter says: the size of a request, its parts, what it is made of."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from app.conversation.estimate import KINDS, Kind
from app.conversation.messages import Message

Source = Literal["anchored", "estimated"]


@dataclass(frozen=True, slots=True)
class Parts:
    """The five parts of the gauge, in tokens; together they are the whole.

    Attributes:
        system: prompt, project documents, notebook.
        tools: the schemas on offer.
        memory: recalled facts and corrections.
        history: the user's messages, answers, calls, summary, recovery, what was brought back.
        results: results of tools and the pointers in their place.
    """

    system: int = 0
    tools: int = 0
    memory: int = 0
    history: int = 0
    results: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.system + self.tools + self.memory + self.history + self.results

    @classmethod
    def of(cls, shares: Iterable[int]) -> "Parts":
        """The parts out of the tokens of each kind, in the order of `KINDS`."""
        parts = dict.fromkeys(_PART.values(), 0)
        for kind, share in zip(KINDS, shares, strict=True):
            parts[_PART[kind]] += share
        return cls(**parts)


_PART: Mapping[Kind, Literal["system", "tools", "memory", "history", "results"]] = {
    "prompt": "system",
    "documents": "system",
    "tools": "tools",
    "memory": "memory",
    "summary": "history",
    "user": "history",
    "answers": "history",
    "calls": "history",
    "pointers": "results",
    "results": "results",
}


@dataclass(frozen=True, slots=True)
class Measure:
    """The size of the next request.

    Attributes:
        tokens: the number that is shown and compared.
        source: `anchored`: a real count, plus what was added since; else `estimated`.
        parts: adds up to `tokens`.
        since: tokens since the last real count: added, less what edits took; 0 without one.
        ratio: real against estimated tokens, as applied to what is new.
        at_most: for the question whether it fits the window: with a margin while un-anchored.
    """

    tokens: int
    source: Source
    parts: Parts
    since: int
    ratio: float
    at_most: int


@dataclass(frozen=True, slots=True)
class Share:
    """One line of the composition: how many of a kind, and their tokens."""

    kind: Kind
    items: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Item:
    """One message among the largest."""

    message: Message
    tokens: int


def shared_out(total: int, estimates: Sequence[float]) -> list[int]:
    """Whole numbers in the proportion of estimates that add up to `total` (largest remainders)."""
    whole = sum(estimates)
    if whole <= 0:
        return [0] * len(estimates)
    exact = [total * one / whole for one in estimates]
    parts = [int(one) for one in exact]
    by_remainder = sorted(range(len(parts)), key=lambda index: parts[index] - exact[index])
    for index in by_remainder[: total - sum(parts)]:
        parts[index] += 1
    return parts
