"""A replay as mock 08 has it: 96 steps in a window of 32k, through two policies."""

from app.view.plot import EventKind, TurnEvent
from app.view.replay_view import Figures, Pane, ReplayView, StepItem, Track

STEPS = 96
WINDOW = 32_000

OFFLOADS = (2, 5, 16, 20, 26, 33, 38, 44, 45, 52, 56, 59, 63, 70, 73, 76, 78)
CLEARS = (12, 19, 40, 51, 58, 70, 81, 92)
SUMMARIES = (30, 61)
B_CLEARS = (12, 16, 20, 30, 32, 41, 45, 52, 56, 70, 75, 78)


def _grown(least: int, most: int, drops: dict[int, int]) -> tuple[int, ...]:
    """Tokens that grow from step to step, and fall to what `drops` says."""
    now, found = least, []
    for step in range(1, STEPS + 1):
        now = drops.get(step, min(most, now + 430 + 90 * (step % 3)))
        found.append(now)
    return tuple(found)


def _events(**steps: tuple[int, ...]) -> tuple[TurnEvent, ...]:
    kinds: dict[str, EventKind] = {"offload": "offload", "clear": "clear", "summary": "summary"}
    return tuple(TurnEvent(step, kinds[kind]) for kind in steps for step in steps[kind])


HAIMA = Track(
    tokens=_grown(
        4_700, 20_000, {12: 10_500, 30: 6_000, 40: 11_000, 61: 5_800, 70: 9_200, 81: 14_000}
    ),
    events=_events(offload=OFFLOADS, clear=CLEARS, summary=SUMMARIES),
    left_out=tuple(34_102 if step == 70 else 0 for step in range(1, STEPS + 1)),
    missing=((),) * STEPS,
    figures=Figures(
        0.049, 0.015, 0.199, 1.0, (2, 2), 1_270_000, 431_000, 19_800, 0.816, 0, 17, 8, 2
    ),
)
OTHER = Track(
    tokens=_grown(
        4_800,
        24_900,
        {3: 10_600, 16: 12_800, 20: 13_100, 30: 13_200, 41: 15_800, 63: 9_800, 70: 12_300},
    ),
    events=_events(clear=B_CLEARS, summary=(62,)),
    left_out=(0,) * STEPS,
    missing=tuple(
        ("OrderCodec.java", "V17__orders.sql") if step == 70 else () for step in range(1, STEPS + 1)
    ),
    figures=Figures(
        0.154, 0.122, 0.75, 0.12, (0, 2), 1_550_000, 662_000, 24_900, 0.798, 0, 0, 12, 1
    ),
)
A = Pane("haima", "haima", 12_000, 20_000, HAIMA)
B = Pane("summarise-80", "summarise", None, 25_600, OTHER)
ITEMS = tuple(
    StepItem("execute_command", "mvnw dependency:tree", 0, True, 36_902, "15:22:08")
    if step == 70
    else StepItem("read_file", f"src/main/java/Order{step}.java", 0, True, 1_200, "15:20:00")
    for step in range(1, STEPS + 1)
)
SOME = ReplayView(ITEMS, WINDOW, A, B, example=True, at=70, speed=4)


def short(steps: int, at: int = 1) -> ReplayView:
    """A recording of so many steps."""
    track = Track(tokens=tuple(1_000 * (step % 9 + 1) for step in range(steps)))
    pane = Pane("none", "none", None, None, track)
    return ReplayView((StepItem(),) * steps, 9_000, pane, pane, at=at)
