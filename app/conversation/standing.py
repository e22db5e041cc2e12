"""How a message stands in one node: what became of its body, and whether it is pinned.

Kept per message and node, never in the message: a child node has the same messages otherwise. And
which tiers wait.
"""

from dataclasses import dataclass
from typing import Literal

MessageState = Literal["live", "offloaded", "cleared", "cut"]
"""What became of a body: as it came; in a file; a pointer; shortened when nothing else helped."""

Tier = Literal["clear", "summary"]
"""What compaction does by itself, and the user can make wait."""


@dataclass(frozen=True, slots=True)
class BodyRef:
    """The ledger row that holds a message's body where that isn't the original one.

    Attributes:
        ledger: the ledger's name (the stem of its file).
        seq: the row's number.
    """

    ledger: str
    seq: int


@dataclass(frozen=True, slots=True)
class Standing:
    """How one message stands.

    Attributes:
        state: what became of its body.
        pinned: whether clearing and summaries leave it alone.
        body: the row that holds its body; None: the original.
    """

    state: MessageState = "live"
    pinned: bool = False
    body: BodyRef | None = None


PLAIN = Standing()
"""How a message stands that nothing was done to; mappings of standings leave it out."""
