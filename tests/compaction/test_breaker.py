"""When a summary is tried by itself."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.compaction.breaker import AN_HOUR, IN_A_ROW, Breaker, growth, sentence, shown_from
from app.text import Words

W = 128_000

MIDNIGHT = datetime(2026, 11, 30, tzinfo=UTC)


class _Clock:
    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return MIDNIGHT + timedelta(seconds=self.seconds)


@pytest.fixture
def clock() -> _Clock:
    return _Clock()


@pytest.fixture
def breaker(clock: _Clock) -> Breaker:
    return Breaker(clock, clock.now)


def fail(breaker: Breaker, times: int, tokens: int = 100_000) -> None:
    for _ in range(times):
        breaker.begun()
        breaker.failed(tokens)


@pytest.mark.parametrize(
    ("window", "tokens"), [(8_000, 800), (128_000, 12_800), (200_000, 20_000), (10**6, 20_000)]
)
def test_growth_is_a_tenth_of_the_window_and_20000_at_most(window: int, tokens: int) -> None:
    assert growth(window) == tokens


def test_two_failures_are_tried_again_the_third_pauses(breaker: Breaker) -> None:
    fail(breaker, IN_A_ROW - 1)
    assert breaker.why_not(100_000, W) is None
    assert not breaker.paused
    fail(breaker, 1)
    assert breaker.why_not(100_000, W) == "failures"
    assert breaker.paused


def test_only_failures_in_a_row_count(breaker: Breaker) -> None:
    fail(breaker, IN_A_ROW - 1)
    breaker.succeeded()
    fail(breaker, IN_A_ROW - 1)
    assert breaker.why_not(100_000, W) is None


@pytest.mark.parametrize(("grown", "why"), [(12_799, "failures"), (12_800, None)])
def test_after_so_much_growth_one_more_is_tried(
    breaker: Breaker, grown: int, why: str | None
) -> None:
    fail(breaker, IN_A_ROW)
    assert breaker.why_not(100_000 + grown, W) == why
    fail(breaker, 1, 100_000 + grown)
    assert breaker.why_not(100_000 + grown, W) == "failures"


def test_growth_counts_from_the_least_since(breaker: Breaker) -> None:
    fail(breaker, IN_A_ROW)
    breaker.seen(50_000)
    breaker.seen(60_000)
    assert breaker.why_not(62_799, W) == "failures"
    assert breaker.why_not(62_800, W) is None


def test_what_frees_too_little_isnt_tried_again_before_more_was_said(breaker: Breaker) -> None:
    breaker.begun()
    breaker.failed(100_000, hopeless=True)
    assert breaker.failures == 1
    assert breaker.why_not(112_799, W) == "growth"
    assert not breaker.paused
    assert breaker.why_not(112_800, W) is None


def test_the_user_begins_it_anew(breaker: Breaker, clock: _Clock) -> None:
    fail(breaker, AN_HOUR + 1)
    breaker.user_acts()
    assert breaker.failures == 0
    assert breaker.why_not(100_000, W) is None
    assert not breaker.paused


def test_at_most_twelve_an_hour(breaker: Breaker, clock: _Clock) -> None:
    for _ in range(AN_HOUR):
        assert breaker.why_not(100_000, W) is None
        breaker.begun()
        breaker.succeeded()
        clock.seconds += 10
    assert breaker.why_not(10**6, 10**6) == "hour"
    assert breaker.paused
    clock.seconds += 3_600 - 10 * AN_HOUR - 1
    assert breaker.why_not(100_000, W) == "hour"
    clock.seconds += 1
    assert breaker.why_not(100_000, W) is None, "the first is an hour ago"
    breaker.begun()
    assert breaker.why_not(100_000, W) == "hour"


def test_when_the_hour_allows_the_next(breaker: Breaker, clock: _Clock) -> None:
    begun = clock.now()
    for _ in range(AN_HOUR):
        assert breaker.allowed_at is None
        breaker.begun()
        clock.seconds += 60
    assert breaker.allowed_at == begun + timedelta(hours=1)
    clock.seconds += 3_600 - 60 * AN_HOUR
    assert breaker.allowed_at is None


def test_the_time_told_is_that_of_its_own_clock(breaker: Breaker, clock: _Clock) -> None:
    for _ in range(AN_HOUR):
        breaker.begun()
    said = sentence("hour", W, Words("en"), breaker.allowed_at)
    local = (MIDNIGHT + timedelta(seconds=1_000 + 3_600)).astimezone()  # 01:16:40 UTC
    assert f"{local + timedelta(minutes=1):%H:%M}" in said, "by then it has passed"
    assert shown_from(local.replace(second=0)) == f"{local:%H:%M}"


def test_those_of_other_processes_count(clock: _Clock) -> None:
    ago = [clock.now() - timedelta(minutes=number) for number in range(70, 0, -6)]
    breaker = Breaker(clock, clock.now, ago)
    assert breaker.why_not(100_000, W) is None
    assert not breaker.paused
    left = AN_HOUR - sum(one > clock.now() - timedelta(hours=1) for one in ago)
    for _ in range(left):
        breaker.begun()
    assert breaker.why_not(100_000, W) == "hour"
    clock.seconds += 6 * 60
    assert breaker.why_not(100_000, W) is None


def test_what_a_clock_that_was_set_back_tells_counts_as_just_now(clock: _Clock) -> None:
    breaker = Breaker(clock, clock.now, [clock.now() + timedelta(days=9)] * AN_HOUR)
    assert breaker.allowed_at == clock.now() + timedelta(hours=1)


def test_a_pause_is_told_once(breaker: Breaker) -> None:
    fail(breaker, IN_A_ROW)
    assert breaker.tell("failures")
    assert not breaker.tell("failures")
    fail(breaker, 1)
    assert not breaker.tell("failures")
    breaker.succeeded()
    fail(breaker, IN_A_ROW)
    assert breaker.tell("failures")
    breaker.user_acts()
    assert breaker.tell("failures")


def test_an_hour_that_ends_later_is_told_anew(breaker: Breaker, clock: _Clock) -> None:
    """Once one began, the next may begin later than was said."""
    for _ in range(AN_HOUR):
        breaker.begun()
        clock.seconds += 60
    assert breaker.tell("hour")
    assert not breaker.tell("hour")
    clock.seconds += 3_600 - 60 * AN_HOUR
    fail(breaker, 1)
    assert breaker.why_not(10**6, W) == "hour"
    assert breaker.tell("hour")
    assert not breaker.tell("hour")


def test_where_nothing_could_be_gained_nothing_failed(breaker: Breaker) -> None:
    breaker.wait(100_000)
    assert breaker.failures == 0
    assert breaker.why_not(112_799, W) == "growth"
    assert breaker.why_not(112_800, W) is None


def test_what_had_no_room_is_tried_once_more_where_it_nearly_fills_the_window(
    breaker: Breaker,
) -> None:
    """A small window has room below its guard's mark that it hasn't below the summary's."""
    breaker.wait(100_000)
    assert breaker.why_not(100_001, W) == "growth"
    assert breaker.why_not(100_001, W, full=True) is None
    breaker.wait(100_001, full=True)
    assert breaker.why_not(100_002, W, full=True) == "growth"
    breaker.seen(90_000)
    assert breaker.why_not(100_002, W, full=True) == "growth"


def test_three_failures_pause_also_where_it_nearly_fills_the_window(breaker: Breaker) -> None:
    fail(breaker, IN_A_ROW - 1)
    breaker.failed(100_000, hopeless=True)
    assert breaker.why_not(100_001, W, full=True) is not None


ENDS = ("summarised", "failed", "hopeless", "nothing tried")


@given(
    requests=st.lists(
        st.tuples(st.integers(0, 3_000), st.integers(80_000, 128_000), st.sampled_from(ENDS)),
        max_size=60,
    )
)
def test_it_never_loops_whatever_comes(requests: list[tuple[int, int, str]]) -> None:
    """At most twelve an hour; where none gives a summary, each after three has grown for it."""
    clock = _Clock()
    breaker = Breaker(clock, clock.now)
    begun: list[float] = []
    tried, grown, before = 0, 0, 128_000
    for seconds, tokens, end in requests:
        clock.seconds += seconds
        grown += max(0, tokens - before)
        before = tokens
        breaker.seen(tokens)
        full = tokens >= 121_600
        if breaker.why_not(tokens, W, full=full) is not None:
            continue
        tried += 1
        if end == "nothing tried":
            breaker.wait(tokens, full=full)
            continue
        breaker.begun()
        begun.append(clock.seconds)
        assert sum(at > clock.seconds - 3_600 for at in begun) <= AN_HOUR
        if end == "summarised":
            breaker.succeeded()
            tried = grown = 0
        else:
            breaker.failed(tokens, hopeless=end == "hopeless", full=full)
        # Twice at most for the same growth: below the guard's mark, and once it is reached.
        assert tried <= IN_A_ROW + 2 * (1 + grown // growth(W))
