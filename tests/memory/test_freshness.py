"""How old a fact is: the edge of 30 days, zones, changes of clocks, dates that can't be."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.facts import FACT_STATES
from app.memory.freshness import freshness, instant, local_date, state_of

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("ago", "stale"),
    [
        (timedelta(0), False),
        (timedelta(days=30), False),
        (timedelta(days=30, microseconds=1), True),
        (timedelta(days=30, seconds=1), True),
        (timedelta(days=31), True),
        (timedelta(days=29, hours=23, minutes=59), False),
    ],
)
def test_strictly_over_thirty_days(ago: timedelta, stale: bool) -> None:
    found = freshness(NOW - ago, NOW)
    assert (found.stale, found.days, found.ahead) == (stale, ago.days, False)
    assert freshness((NOW - ago).isoformat(), NOW) == found


@pytest.mark.parametrize("days", [0, -5])
def test_switched_off(days: int) -> None:
    assert not freshness(NOW - timedelta(days=900), NOW, days=days).stale
    assert not freshness(None, NOW, days=days).stale


def test_other_numbers_of_days() -> None:
    assert freshness(NOW - timedelta(days=7, seconds=1), NOW, days=7).stale
    assert not freshness(NOW - timedelta(days=7, seconds=1), NOW, days=8).stale
    assert not freshness("0001-01-01T00:00:00Z", NOW, days=10**12).stale


@pytest.mark.parametrize("name", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])
@pytest.mark.parametrize("month", [3, 4, 10, 11])
def test_a_change_of_the_clocks_moves_nothing(name: str, month: int) -> None:
    # Same zone object on both sides: Python would subtract wall clocks.
    zone = ZoneInfo(name)
    verified = datetime(2026, month, 1, 12, tzinfo=UTC)
    edge = verified + timedelta(days=30)
    assert not freshness(verified.astimezone(zone), edge.astimezone(zone)).stale
    later = (edge + timedelta(seconds=1)).astimezone(zone)
    assert freshness(verified.astimezone(zone), later).stale


@pytest.mark.parametrize("zone", [UTC, ZoneInfo("Asia/Shanghai"), timezone(timedelta(hours=-12))])
def test_another_zone_moves_nothing(zone: tzinfo) -> None:
    verified = NOW - timedelta(days=30)
    assert not freshness(verified, NOW.astimezone(zone)).stale
    assert freshness(verified, (NOW + timedelta(seconds=1)).astimezone(zone)).stale


def test_the_day_is_the_users() -> None:
    at = "2026-11-29T17:30:00Z"
    assert local_date(at, UTC) == "2026-11-29"
    assert local_date(at, ZoneInfo("Asia/Shanghai")) == "2026-11-30"
    assert local_date("9999-12-31T23:59:59Z", ZoneInfo("Asia/Shanghai")) == "9999-12-31"
    assert local_date("soon", UTC) == ""


@pytest.mark.parametrize("ahead", [timedelta(seconds=1), timedelta(days=4000)])
def test_a_clock_that_went_back(ahead: timedelta) -> None:
    found = freshness(NOW + ahead, NOW)
    assert found.age == timedelta(0)
    assert (found.stale, found.ahead) == (False, True)


def test_what_cant_be_read() -> None:
    for bad in ("", "yesterday", "2026-13-01", "2026-02-30T00:00:00Z", None):
        assert freshness(bad, NOW).stale
        assert freshness(bad, NOW).days is None
        # The date it was written counts instead.
        assert freshness(bad, NOW, written=NOW - timedelta(days=2)).days == 2
    assert freshness("٢٠٢٦-١١-٣٠T١٢:٠٠:٠٠Z", NOW).days in {0, None}


def test_a_moment_without_a_zone_is_utc() -> None:
    assert instant("2026-11-30T12:00:00") == NOW
    assert instant(datetime(2026, 11, 30, 12)) == NOW


def test_the_ends_of_the_calendar() -> None:
    east = timezone(timedelta(hours=14))
    assert freshness(datetime.min.replace(tzinfo=east), NOW).stale
    assert freshness(datetime.max.replace(tzinfo=timezone(timedelta(hours=-12))), NOW).ahead


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
def test_never_negative(verified: datetime, now: datetime) -> None:
    found = freshness(verified, now)
    assert found.age is not None
    assert found.age >= timedelta(0)
    assert not (found.stale and found.ahead)


@given(st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_the_first_state_that_holds_is_shown(
    conflicting: bool, contradicted: bool, stale: bool, unverified: bool
) -> None:
    state = state_of(
        conflicting=conflicting, contradicted=contradicted, stale=stale, unverified=unverified
    )
    holds = [conflicting, contradicted, stale, unverified, True]
    assert state == FACT_STATES[holds.index(True)]
