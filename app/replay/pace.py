"""How time passes in a replay: as recorded, else so much a step; for limits by the hour."""

from datetime import UTC, datetime, timedelta

SECONDS_A_STEP = 20.0
"""What a step takes where the recording doesn't tell (ours: an answer of a few hundred tokens, and
a tool that runs)."""


class Pace:
    """The time of one replay.

    Attributes:
        seconds: since it began; never goes back.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._begun: datetime | None = None

    @property
    def now(self) -> datetime:
        """The present in it; where the recording doesn't tell, it began at the epoch."""
        begun = self._begun or datetime(1970, 1, 1, tzinfo=UTC)
        return begun + timedelta(seconds=self.seconds)

    def said(self, at: str) -> None:
        """A message was said, at a time in ISO 8601; what can't be read counts as not recorded."""
        try:
            time = datetime.fromisoformat(at)
        except ValueError:
            return
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        if self._begun is None:
            self._begun = time
        self.seconds = max(self.seconds, (time - self._begun).total_seconds())

    def stepped(self) -> None:
        """A step is over."""
        if self._begun is None:
            self.seconds += SECONDS_A_STEP
