"""Tries other numbers on recordings, and tells the settings that would have helped.

One number after the other, then the best of each together: a dozen replays, not a search. A setting
is only proposed where nothing gets worse by it. Only numbers that can be set are tried.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from app.config import CompactionSettings
from app.conversation.window import Thresholds, nearest_count
from app.replay.measures import measures_of
from app.replay.policy import Tuning
from app.replay.replayed import Replayed, Step

Dimension = str
"""A field of `Tuning`; the setting of `[compaction]` has the same name."""

DIMENSIONS: tuple[Dimension, ...] = tuple(field.name for field in fields(Tuning))

_CLEAR = (40, 50, 70, 80, 90)
"""Hundredths of the summary mark at which clearing is tried."""

_OTHERS = (50, 200)
"""Hundredths of the number as it is, for the others."""

_MOST_NEAREST = 100
"""What `compaction.top_n` may be at most."""

_COSTLIER = 1.02
"""What helps may cost so much more, not above."""

_LEAST = 0.5
"""Points that a proposal must gain: half a percent of the steps, or as much by the others."""

_FAR, _COST = 0.5, 0.2
"""Points of a percent of far steps, and of cost, against one of B."""

Play = Callable[[Tuning], Awaitable[Sequence[Replayed]]]
"""Plays all recordings with other numbers."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a setting is judged by.

    Attributes:
        b, f: of all recordings together, 0 to 1; None: no step is of that sort.
        cost: of all, in tokens.
    """

    b: float | None
    f: float | None
    cost: float


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What came of it.

    Attributes:
        before: with the numbers as they are.
        after: with those proposed; the same where nothing was better.
        settings: the proposed settings of `[compaction]`; none where nothing was better.
        tried: how many were tried.
    """

    before: Figures
    after: Figures
    settings: tuple[tuple[Dimension, int], ...]
    tried: int


def settable() -> tuple[Dimension, ...]:
    """The numbers that the settings have."""
    return tuple(name for name in DIMENSIONS if name in CompactionSettings.model_fields)


async def suggest(
    play: Play,
    marks: Thresholds,
    dimensions: Iterable[Dimension],
    on_try: Callable[[int, int], None] = lambda _done, _of: None,
    *,
    top_n: int | None = None,
) -> Suggestion:
    """Tries other numbers.

    Args:
        play: plays all recordings.
        marks: of the window, with the numbers as they are.
        dimensions: which to try.
        on_try: hears how many tries are done, of how many at most.
        top_n: as it is set; None: as usual.
    """
    grid = {name: _values(name, marks, top_n) for name in dimensions}
    most = 2 + sum(map(len, grid.values()))
    before = figures_of(await play(Tuning()))
    on_try(1, most)
    best: dict[Dimension, tuple[float, int, Figures]] = {}
    tried = 0
    for name, values in grid.items():
        for value in values:
            found = figures_of(await play(_tuned({name: value})))
            tried += 1
            on_try(1 + tried, most)
            gain = gained(before, found)
            if gain >= _LEAST and gain > best.get(name, (0.0,))[0]:
                best[name] = (gain, value, found)
    if not best:
        return Suggestion(before, before, (), tried)
    first = max(best, key=lambda name: best[name][0])
    settings, after, gain = {first: best[first][1]}, best[first][2], best[first][0]
    if len(best) > 1:
        together = {name: value for name, (_, value, _) in best.items()}
        found = figures_of(await play(_tuned(together)))
        tried += 1
        if gained(before, found) > gain:
            settings, after = together, found
    return Suggestion(before, after, tuple(settings.items()), tried)


def figures_of(replays: Sequence[Replayed]) -> Figures:
    """The figures of several replays together; all of one window."""
    steps: list[Step] = [step for one in replays for step in one.steps]
    measures = measures_of(steps, replays[0].window if replays else 0)
    return Figures(measures.b, measures.f, sum(one.totals.cost for one in replays))


def gained(before: Figures, after: Figures) -> float:
    """Points by which a setting is better; 0 where anything is worse."""
    near, far = _points(before.b, after.b), _points(before.f, after.f)
    if near < 0 or far < 0 or after.cost > before.cost * _COSTLIER:
        return 0.0
    saved = 100 * (before.cost - after.cost) / before.cost if before.cost else 0.0
    return near + _FAR * far + _COST * max(0.0, saved)


def _points(before: float | None, after: float | None) -> float:
    return 100 * ((before or 0.0) - (after or 0.0))


def _tuned(values: Mapping[Dimension, int]) -> Tuning:
    return replace(Tuning(), **values)


def _values(name: Dimension, marks: Thresholds, top_n: int | None) -> tuple[int, ...]:
    """The values that are tried, without the one that holds: such as can be set."""
    if name == "clear_at":
        now, tried = marks.clear, [marks.summary * part // 100 for part in _CLEAR]
    else:
        now = nearest_count(marks.window, top_n) if name == "top_n" else getattr(marks, name)
        tried = [now * part // 100 for part in _OTHERS]
    if name == "top_n":
        tried = [min(one, _MOST_NEAREST) for one in tried]
    return tuple(one for one in tried if one and one != now)
