"""Notices when a turn runs against a wall: the same call with the same result, again and again."""

import json
from dataclasses import dataclass, field

from app.errors import HaimaError

REMARK_AT = 3
"""From this many on, the result carries a remark (issue 2, "Loop")."""

STOP_AT = 5
"""At this many the turn ends with an error (issue 2, "Loop")."""


class RepeatedCall(HaimaError):  # noqa: N818
    """The model sent the same call until the turn was ended."""

    code = "repeats"


@dataclass(frozen=True, slots=True)
class _Seen:
    """What makes two calls the same: tool, arguments in any order, bare result."""

    tool: str
    arguments: str
    result: str


@dataclass(slots=True)
class Repeats:
    """Counts, within one turn, how often a call gave the same result in a row.

    In a row means in steps that follow each other; calls beside it in these steps don't matter, so
    a repeated pair of calls is noticed like a single one. A step without the call starts it anew.
    """

    _before: dict[_Seen, int] = field(default_factory=dict)
    _now: dict[_Seen, int] = field(default_factory=dict)

    def next_step(self) -> None:
        """Begins a step: what the last one didn't repeat is forgotten."""
        self._before, self._now = self._now, {}

    def count(self, tool: str, arguments: str, result: str) -> int:
        """How often this call gave this result in a row, this time included."""
        seen = _Seen(tool, _normalised(arguments), result)
        times = self._now.get(seen, self._before.get(seen, 0)) + 1
        self._now[seen] = times
        return times


def _normalised(arguments: str) -> str:
    """The arguments without what JSON leaves open: spaces and the order of keys."""
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except ValueError:
        return arguments
