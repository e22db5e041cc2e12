"""What the gauge knows of summaries: one runs, one is done, they pause (STYLE 14, state line)."""

from collections.abc import Callable
from dataclasses import dataclass

from app.events import (
    Cleared,
    Event,
    Expanded,
    HistoryCleared,
    Paused,
    Summarised,
    SummaryFailed,
    SummaryStarted,
    SummaryUndone,
    TurnStarted,
)


@dataclass(frozen=True, slots=True)
class Summarising:
    """A summary is being made.

    Attributes:
        count: messages it will stand for.
        seconds: since it began.
        asked: the user asked for it; else the next call waits for it.
    """

    count: int
    seconds: float
    asked: bool


@dataclass(frozen=True, slots=True)
class Replaced:
    """Older messages gave way to a summary, or to references alone.

    Attributes:
        count: messages.
        freed: tokens.
        cut: there is no summary.
    """

    count: int
    freed: int
    cut: bool


class SummaryState:
    """Follows the events.

    Args:
        clock: seconds that only go forward.

    Attributes:
        replaced: what was summarised in this turn.
        by_user: summaries pause because the user stopped one or took one back; else too many
            failed.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.replaced: Replaced | None = None
        self.by_user = False
        self._failed = False
        self._clock = clock
        self._running: tuple[SummaryStarted, float] | None = None

    @property
    def runs(self) -> bool:
        """Whether one is being made."""
        return self._running is not None

    @property
    def running(self) -> Summarising | None:
        """The one that is being made, as it is now."""
        if self._running is None:
            return None
        event, began = self._running
        return Summarising(event.messages, max(0.0, self._clock() - began), event.by == "user")

    def apply(self, event: Event) -> None:
        """Takes in an event; those without meaning here are ignored."""
        match event:
            case SummaryStarted():
                self._running = event, self._clock()
            case SummaryFailed(code=code):
                self._running, self._failed = None, code != "cancelled"
            case Summarised():
                count, freed = len(event.messages), event.tokens_before - event.tokens_after
                self._running = None
                self.replaced = Replaced(count, max(0, freed), event.how == "cut")
            case SummaryUndone() | Expanded():
                self.replaced, self._failed, self.by_user = None, False, True
            case Paused(tier="summary", on=on):
                self.by_user = on and not self._failed
            case Cleared() | TurnStarted():
                self.replaced = None
            case HistoryCleared():
                self._running = self.replaced = None
                self.by_user = False
            case _:
                pass
