"""When a summary may be tried by itself: never a loop, never a bill (FIELD class B; DESIGN 4)."""

from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Literal

from app.text import Words

IN_A_ROW = 3
"""Failed attempts after which automatic summaries pause."""

AN_HOUR = 12
"""Attempts in an hour that begin by themselves."""

_HOUR = 3_600.0
_GROWTH_PART, _GROWTH_MOST = 10, 20_000

Pause = Literal["failures", "growth", "hour"]
"""Too many failed; too little to gain before more is said; the hour has had its share."""


def growth(window: int) -> int:
    """Tokens that the history has to grow by until it is tried again."""
    return min(window // _GROWTH_PART, _GROWTH_MOST)


def shown_from(seconds: float) -> str:
    """The local time of day in so many seconds, in whole minutes: by then they have passed."""
    then = datetime.now().astimezone() + timedelta(seconds=seconds + 59)
    return f"{then:%H:%M}"


def sentence(why: Pause, window: int, words: Words, waits: float = 0) -> str:
    """What the user reads when summaries pause.

    Args:
        why: what pauses them.
        window: tokens.
        words: the language.
        waits: seconds until the hour allows the next.
    """
    if why == "hour":
        at = shown_from(waits)
        return words("compaction.summaries_paused_hour", most=AN_HOUR, at=at)
    return words("compaction.summaries_paused", growth=f"{growth(window):,}")


class Breaker:
    """Decides whether a summary is tried by itself; what the user asks for it never refuses.

    An attempt is one try at a summary with its pieces, its repair and its HTTP retries. After three
    failed ones in a row, or one that can't go better next time, it waits until the history grew;
    then one more is tried. A success, or the user, begins the count anew.

    Attributes:
        failures: attempts that failed, in a row.
    """

    def __init__(self, seconds: Callable[[], float]) -> None:
        """Takes a clock that only goes forward; nothing was tried yet."""
        self.failures = 0
        self._seconds = seconds
        self._begun: deque[float] = deque()
        self._hopeless = False
        self._least = 0
        self._told = False

    def why_not(self, tokens: int, window: int) -> Pause | None:
        """Why nothing is tried at this size; None: it may be.

        Args:
            tokens: of the next request.
            window: tokens.
        """
        if self._waits and tokens < self._least + growth(window):
            return "growth" if self._hopeless else "failures"
        if len(self._recent) >= AN_HOUR:
            return "hour"
        return None

    @property
    def waits(self) -> float | None:
        """Seconds until the hour allows another; None: it does now."""
        recent = self._recent
        if len(recent) < AN_HOUR:
            return None
        return recent[-AN_HOUR] + _HOUR - self._seconds()

    @property
    def paused(self) -> bool:
        """Whether too many failed, or the hour has had its share."""
        return self.failures >= IN_A_ROW or len(self._recent) >= AN_HOUR

    def seen(self, tokens: int) -> None:
        """The next request has so many tokens: growth counts from the least since a failure."""
        self._least = min(self._least, tokens)

    def begun(self) -> None:
        """An attempt begins by itself."""
        self._begun.append(self._seconds())

    def succeeded(self) -> None:
        """An attempt gave a summary."""
        self.failures = 0
        self._hopeless = self._told = False

    def failed(self, tokens: int, *, hopeless: bool = False) -> None:
        """An attempt failed.

        Args:
            tokens: of the request as it still is.
            hopeless: it frees too little: the same attempt would end the same.
        """
        self.failures += 1
        self._hopeless = hopeless
        self._least = tokens

    def wait(self, tokens: int) -> None:
        """Nothing was tried, as nothing could be gained: it waits until more was said."""
        self._hopeless = True
        self._least = tokens

    def user_acts(self) -> None:
        """The user did something about it: everything is tried again."""
        self.succeeded()
        self._begun.clear()

    def tell(self) -> bool:
        """Whether a pause is to be told: once, until something changed."""
        told, self._told = self._told, True
        return not told

    @property
    def _waits(self) -> bool:
        return self._hopeless or self.failures >= IN_A_ROW

    @property
    def _recent(self) -> deque[float]:
        """When the attempts of the last hour began."""
        while self._begun and self._begun[0] <= self._seconds() - _HOUR:
            self._begun.popleft()
        return self._begun
