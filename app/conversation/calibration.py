"""How far a provider's counts are from our estimates, and which of its counts to believe.

The numbers are those of PROVIDERS 2.4: 0.7 of the old ratio and 0.3 of the new one, between 0.5 and
2, only where at least 200 tokens tell; below 0.7 of what was expected the server dropped messages.
"""

import statistics
from collections import deque
from dataclasses import dataclass, field
from typing import Literal

ENOUGH = 200
"""Tokens that must have been added before their ratio counts; smaller differences prove nothing."""

_OLD, _NEW = 0.7, 0.3
_LEAST, _MOST = 0.5, 2.0

TOO_LOW = 0.7
"""Below this share of what was expected, the server didn't read all of it (PROVIDERS 1.3)."""

TOO_HIGH = 1.6
"""Above this multiple it isn't the size of one prompt: whole prompts are estimated within 12 %
(PROVIDERS 2.4), a doubled or summed-up usage is twice as much or more."""

_WHOLE = 1_000
"""Estimated tokens from which a prompt's ratio is steady."""

_BELIEVED = 3
"""Odd counts in a row that grow as the requests do are right, and our estimate is wrong."""

_REMEMBERED = 20
"""Calls the meter's error is taken over (STYLE 14)."""

ABSURD = 100_000_000
"""Tokens no request has: a hundred times the largest window (PROVIDERS 1.1)."""

Verdict = Literal["anchored", "missing", "ignored", "truncated", "late"]
"""What became of a usage: the meter is anchored on it; there was none; it was no count of this
request; it is so low that the server dropped messages; it belongs to nothing that was sent, or to
another model."""


def bounded(ratio: float) -> float:
    """A ratio within what can be."""
    return min(_MOST, max(_LEAST, ratio))


@dataclass(slots=True)
class Ratios:
    """Real against estimated tokens, for one endpoint and model.

    Attributes:
        added: the running ratio of what is added between two calls; None before the first call.
        whole: the ratio of the last whole prompt; None before the first call.
        best: the highest ratio of a whole prompt so far, small ones apart: where the server drops
            more and more, each count is near the last one, but far from this.
    """

    added: float | None = None
    whole: float | None = None
    best: float | None = None
    _odd: list[tuple[int, float]] = field(default_factory=list)

    def learn_added(self, real: float, estimated: float) -> None:
        """Takes in what was added between two calls."""
        if estimated < ENOUGH:
            return
        ratio = bounded(real / estimated)
        self.added = ratio if self.added is None else _OLD * self.added + _NEW * ratio

    def learn_whole(self, real: int, estimated: float) -> None:
        """Takes in a whole prompt."""
        if estimated > 0:
            self.whole = real / estimated
            if self.added is None:
                self.added = bounded(self.whole)
            if estimated >= _WHOLE:
                self.best = max(self.whole, self.best or 0.0)

    def judge(
        self, real: int, expected: float, estimated: float, added: tuple[float, float]
    ) -> Verdict:
        """Whether a count is the size of the request that was sent.

        Args:
            real: what the provider says.
            expected: what the meter said.
            estimated: the bare estimate of the request.
            added: what was added since the last count, real and estimated; zeros if unknown.
        """
        if not 0 < real < ABSURD:
            return "ignored"
        low = real < TOO_LOW * expected and expected - real > ENOUGH
        if self.best is not None and added[1] >= ENOUGH and added[0] < _LEAST * added[1]:
            low = low or real < TOO_LOW * self.best * estimated
        high = real > TOO_HIGH * expected and real - expected > ENOUGH
        if not low and not high:
            self._odd.clear()
            return "anchored"
        if self._odd and not _grew_alike(self._odd[-1], (real, estimated), strict=low):
            self._odd.clear()
        self._odd.append((real, estimated))
        if len(self._odd) >= _BELIEVED:
            self._odd.clear()
            self.added = self.best = None
            return "anchored"
        if not low:
            return "ignored"
        if self.best is not None:
            self.whole, self.added = self.best, bounded(self.best)
        return "truncated"


def _grew_alike(before: tuple[int, float], now: tuple[int, float], *, strict: bool) -> bool:
    """Whether two counts differ as their requests do.

    Args:
        before: a count and the estimate of its request.
        now: the next ones.
        strict: a small difference proves nothing (a server at its limit hardly grows).
    """
    real, estimated = now[0] - before[0], now[1] - before[1]
    if abs(estimated) < ENOUGH:
        return not strict and abs(real) < _MOST * ENOUGH
    return _LEAST <= real / estimated <= _MOST


@dataclass(frozen=True, slots=True)
class MeterError:
    """How far the meter was off, as shares of the real size: 0.01 is one per cent.

    Attributes:
        calls: over how many calls, at most 20.
        median, worst: without sign.
        last: with sign; positive: the meter said too much.
    """

    calls: int
    median: float
    worst: float
    last: float


class ErrorLog:
    """The errors of the last calls."""

    def __init__(self) -> None:
        self._errors: deque[float] = deque(maxlen=_REMEMBERED)

    def add(self, expected: float, real: int) -> None:
        """Keeps one error."""
        self._errors.append(expected / real - 1)

    @property
    def error(self) -> MeterError | None:
        """All of them together, None before the first call."""
        if not self._errors:
            return None
        sizes = [abs(error) for error in self._errors]
        return MeterError(len(sizes), statistics.median(sizes), max(sizes), self._errors[-1])
