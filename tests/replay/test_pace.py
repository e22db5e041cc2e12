"""How time passes in a replay."""

from app.replay.pace import SECONDS_A_STEP, Pace


def test_a_step_takes_its_time_where_nothing_is_recorded() -> None:
    pace = Pace()
    for at in ("", "yesterday"):
        pace.said(at)
        pace.stepped()
    assert pace.seconds == 2 * SECONDS_A_STEP


def test_recorded_times_count_and_never_go_back() -> None:
    pace = Pace()
    for at in ("2026-05-01T10:00:00Z", "2026-05-01T12:00:30+02:00", "2026-05-01T10:00:10"):
        pace.said(at)
        pace.stepped()
    assert pace.seconds == 30
    pace.said("2026-05-01T11:00:00Z")
    assert pace.seconds == 3_600
