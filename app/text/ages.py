"""How long ago something was, as people say it in a narrow column."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from app.text.keys import Key
from app.text.words import Words


@dataclass(frozen=True, slots=True)
class _Manner:
    """How ages are said: the words, and the days from which on the date says more."""

    minutes: Key
    hours: Key
    days: Key
    most: int
    date: str


_LONG = _Manner("age.minutes", "age.hours", "age.days", 30, "%Y-%m-%d")
_SHORT = _Manner("age.short_minutes", "age.short_hours", "age.short_days", 90, "%y-%m-%d")
"""In a narrow column (STYLE 11)."""

_MOST_DAYS, _YEAR = 999, 365


def age(at: str, now: datetime, words: Words) -> str:
    """`now`, `5 min`, `3 h`, `12 d`, then the local date; "" where the time can't be read.

    Args:
        at: when, ISO 8601.
        now: the present, with the user's zone; a time after it counts as now.
        words: the language.
    """
    return _said(at, now, words, _LONG)


def short_age(at: str, now: datetime, words: Words) -> str:
    """The same for a column of three cells: `now`, `1m`, `4h`, `12d`, then `26-08-29` (STYLE 11).

    Args:
        at: when, ISO 8601.
        now: the present, with the user's zone; a time after it counts as now.
        words: the language.
    """
    return _said(at, now, words, _SHORT)


def long_age(at: datetime | None, now: datetime, words: Words) -> str:
    """The same in days for as long as three figures do: `4h`, `41d`, `212d`, then `3y`; "": never.

    Args:
        at: when, with a zone; None: never.
        now: the present; a time after it counts as now.
        words: the language.
    """
    if at is None:
        return ""
    passed = max(timedelta(), now - at)
    if passed.days > _MOST_DAYS:
        return words("age.short_years", n=passed.days // _YEAR)
    if passed.days:
        return words("age.short_days", n=passed.days)
    return short_age(at.isoformat(), now, words)


def local_time(at: str, now: datetime) -> str:
    """`2026-11-29 13:02` in the zone of `now`; as it is where it can't be read."""
    moment = _moment(at)
    return at if moment is None else f"{moment.astimezone(now.tzinfo):%Y-%m-%d %H:%M}"


def _said(at: str, now: datetime, words: Words, manner: _Manner) -> str:
    moment = _moment(at)
    if moment is None:
        return ""
    passed = max(timedelta(), now - moment)
    if passed < timedelta(minutes=1):
        return words("age.now")
    if passed < timedelta(hours=1):
        return words(manner.minutes, n=passed // timedelta(minutes=1))
    if passed < timedelta(days=1):
        return words(manner.hours, n=passed // timedelta(hours=1))
    if passed.days < manner.most:
        return words(manner.days, n=passed.days)
    return f"{moment.astimezone(now.tzinfo):{manner.date}}"


def _moment(at: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
