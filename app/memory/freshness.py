"""How old a fact's last verification is, and which of its states is shown.

Rules (DESIGN 4, "Facts"; FACTS 1.12): a fact is stale **strictly** over 30 days after its last
verification; only the user verifies. Ages are differences of instants: a day is 24 hours, so
neither a change of the clocks (DST) nor another zone turns a fact stale or fresh; the zone matters
only for the date that is shown. A clock that went back, or a date from a machine whose clock runs
ahead, gives age 0 and never a negative one; `ahead` tells that it was so.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from app.memory.facts import FactState

STALE_DAYS = 30
"""Days without verification; the default of the setting, 0 or less switches staleness off."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """How fresh a fact is.

    Attributes:
        age: since it was last verified, never negative; None where no date can be read.
        stale: it wasn't verified for more than the days allowed. A fact without a readable date is
            stale: nobody knows how old it is.
        ahead: the date lies in the future, so a clock is or was wrong.
    """

    age: timedelta | None
    stale: bool
    ahead: bool = False

    @property
    def days(self) -> int | None:
        """Whole days since the last verification."""
        return None if self.age is None else self.age.days


def freshness(
    last_verified: datetime | str | None,
    now: datetime,
    *,
    written: datetime | str | None = None,
    days: int = STALE_DAYS,
) -> Freshness:
    """How fresh a fact is.

    Args:
        last_verified: when, ISO 8601 or a moment; without a zone it is UTC.
        now: the present, aware, in any zone.
        written: counts where `last_verified` is absent or can't be read (FACTS 1.9).
        days: how many are allowed; 0 or less: nothing is ever stale.
    """
    moment = instant(last_verified) or instant(written)
    if moment is None:
        return Freshness(age=None, stale=days > 0)
    # Both in UTC: two moments of one zone would be subtracted by their wall clocks.
    passed = _utc(now) - moment
    age = max(timedelta(), passed)
    # In seconds, for a setting may hold more days than a timedelta can.
    stale = days > 0 and age.total_seconds() > days * 86_400
    return Freshness(age=age, stale=stale, ahead=passed < timedelta())


def instant(at: datetime | str | None) -> datetime | None:
    """A moment in UTC; None where there is none or it can't be read."""
    if isinstance(at, str):
        try:
            at = datetime.fromisoformat(at.strip())
        except ValueError:
            return None
    return None if at is None else _utc(at)


def local_date(at: datetime | str | None, zone: tzinfo) -> str:
    """The day in the user's zone, `2026-11-29`, in ASCII digits; "" where it can't be read."""
    moment = instant(at)
    if moment is None:
        return ""
    try:
        return moment.astimezone(zone).date().isoformat()
    except OverflowError:
        return moment.date().isoformat()


def state_of(
    *, conflicting: bool = False, contradicted: bool = False, stale: bool = False, unverified: bool
) -> FactState:
    """The one state that is shown: conflicting > contradicted > stale > unverified > fresh.

    Args:
        conflicting: another fact says otherwise and the user hasn't decided yet.
        contradicted: a file of the project says otherwise (`evidence`).
        stale: see `freshness`.
        unverified: nobody but the system vouches for it.
    """
    if conflicting:
        return "conflicting"
    if contradicted:
        return "contradicted"
    if stale:
        return "stale"
    return "unverified" if unverified else "fresh"


def _utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:  # within a day of year 1 or 9999: the zone matters no more
        return moment.replace(tzinfo=UTC)
