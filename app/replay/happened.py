"""What the tiers, or another policy, did before one request."""

from dataclasses import dataclass
from typing import Literal

HappenedKind = Literal[
    "offloaded",
    "cleared",
    "summarized",
    "cut",
    "dropped",
    "guarded",
    "summary_rejected",
    "too_large",
]
"""A result went to a file; results became pointers; older messages became a summary, left without
one, or were left out by a policy that makes none; a message was cut as nothing else helped; no
summary was made; nothing brought the request under the window."""


@dataclass(frozen=True, slots=True)
class Happened:
    """One thing that was done.

    Attributes:
        kind: what.
        count: messages it was done to.
        tokens_before, tokens_after: of the message (`offloaded`), else of the request.
        tool: whose result it was (`offloaded`).
        characters: of the content (`offloaded`).
        kept: of these, how many are still sent.
        code: why (`summary_rejected`).
    """

    kind: HappenedKind
    count: int
    tokens_before: int = 0
    tokens_after: int = 0
    tool: str = ""
    characters: int = 0
    kept: int = 0
    code: str = ""
