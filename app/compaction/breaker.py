"""When a summary may be tried by itself: never a loop, never a bill (FIELD class B; DESIGN 4)."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
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

Reason = Literal[Pause, "failed", "off", "clear"]
"""A pause; or the last attempt failed and another may; or `compaction.auto` wants nothing by
itself, or nothing but clearing."""


@dataclass(frozen=True, slots=True)
class Withheld:
    """A summary that a request needs, and that isn't made by itself.

    Attributes:
        why: what pauses them, or keeps them from ever beginning by themselves.
        at: when the hour allows it; None: it isn't the hour.
    """

    why: Reason
    at: datetime | None = None


def growth(window: int) -> int:
    """Tokens that the history has to grow by until it is tried again."""
    return min(window // _GROWTH_PART, _GROWTH_MOST)


def shown_from(at: datetime) -> str:
    """The local time of day of an instant, in whole minutes: by then it has passed."""
    return f"{at.astimezone() + timedelta(seconds=59):%H:%M}"


def sentence(why: Pause, window: int, words: Words, at: datetime | None = None) -> str:
    """What the user reads when summaries pause.

    Args:
        why: what pauses them.
        window: tokens.
        words: the language.
        at: when the hour allows the next.
    """
    if why == "hour" and at is not None:
        return words("compaction.summaries_paused_hour", most=AN_HOUR, at=shown_from(at))
    return words("compaction.summaries_paused", growth=f"{growth(window):,}")


class Breaker:
    """Decides whether a summary is tried by itself; what the user asks for it never refuses.

    An attempt is one try at a summary with its pieces, its repair and its HTTP retries. After three
    failed ones in a row, or one that can't go better next time, it waits until the history grew;
    then one more is tried. A success, or the user, begins the count anew.

    Attributes:
        failures: attempts that failed, in a row.
    """

    def __init__(
        self,
        seconds: Callable[[], float],
        now: Callable[[], datetime],
        begun: Iterable[datetime] = (),
    ) -> None:
        """Nothing failed yet.

        Args:
            seconds: a clock that only goes forward.
            now: the present; times of other processes are told by it, and to people.
            begun: when the last that are known were made by themselves before, oldest first.
        """
        self.failures = 0
        self._seconds = seconds
        self._now = now
        # A time that is still to come is a clock that was set back: it counts as just now.
        ago = (max(0.0, (now() - at).total_seconds()) for at in begun)
        self._begun = deque(seconds() - one for one in ago)
        self._hopeless = False
        self._full = False
        self._least = 0
        self._told: set[tuple[Pause, float]] = set()

    def why_not(self, tokens: int, window: int, *, full: bool = False) -> Pause | None:
        """Why nothing is tried at this size; None: it may be.

        Args:
            tokens: of the next request.
            window: tokens.
            full: it nearly fills the window: what had no room before has some now (`propose`).
        """
        anew = full and self._hopeless and not self._full and self.failures < IN_A_ROW
        if self._waits and not anew and tokens < self._least + growth(window):
            return "growth" if self._hopeless else "failures"
        if len(self._recent) >= AN_HOUR:
            return "hour"
        return None

    @property
    def allowed_at(self) -> datetime | None:
        """When the hour allows another; None: it does now."""
        ends = self._hour_ends
        return None if ends is None else self._now() + timedelta(seconds=ends - self._seconds())

    def withheld(self, why: Pause) -> Withheld:
        """What is told of a pause; an hour that ended just now allows another now."""
        return Withheld(why, (self.allowed_at or self._now()) if why == "hour" else None)

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
        self._hopeless = False
        self._told.clear()

    def failed(self, tokens: int, *, hopeless: bool = False, full: bool = False) -> None:
        """An attempt failed.

        Args:
            tokens: of the request as it still is.
            hopeless: it frees too little: the same attempt would end the same.
            full: that request nearly fills the window.
        """
        self.failures += 1
        self._hopeless, self._full = hopeless, full
        self._least = tokens

    def wait(self, tokens: int, *, full: bool = False) -> None:
        """Nothing was tried, as nothing could be gained: it waits until more was said."""
        self._hopeless, self._full = True, full
        self._least = tokens

    def user_acts(self) -> None:
        """The user did something about it: everything is tried again."""
        self.succeeded()
        self._begun.clear()

    def tell(self, why: Pause) -> bool:
        """Whether a pause is to be told: each once, and the hour's anew when it ends later."""
        pause = why, (self._hour_ends or 0.0) if why == "hour" else 0.0
        told = pause in self._told
        self._told.add(pause)
        return not told

    @property
    def _waits(self) -> bool:
        return self._hopeless or self.failures >= IN_A_ROW

    @property
    def _hour_ends(self) -> float | None:
        """When the hour allows another, by the clock that only goes forward; None: it does now."""
        recent = self._recent
        return None if len(recent) < AN_HOUR else recent[-AN_HOUR] + _HOUR

    @property
    def _recent(self) -> deque[float]:
        """When the attempts of the last hour began."""
        while self._begun and self._begun[0] <= self._seconds() - _HOUR:
            self._begun.popleft()
        return self._begun
