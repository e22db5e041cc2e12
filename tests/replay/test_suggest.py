"""`--suggest`: a setting is proposed where it helps and nothing gets worse."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from app.config import CompactionSettings
from app.conversation.window import thresholds
from app.replay.policy import Conditions, Tuning
from app.replay.replayed import Replayed
from app.replay.run import Player
from app.replay.suggest import DIMENSIONS, Figures, Suggestion, gained, settable, suggest
from tests.replay.recordings import WORDS, recording
from tests.replay.test_measures import TOLD

MARKS = thresholds(8_000)
BEFORE = Figures(0.10, 0.20, 1_000.0)


def test_what_makes_anything_worse_is_no_gain() -> None:
    assert gained(BEFORE, Figures(0.05, 0.20, 1_000.0)) == 5.0
    assert gained(BEFORE, Figures(0.05, 0.21, 500.0)) == 0.0
    assert gained(BEFORE, Figures(0.11, 0.00, 500.0)) == 0.0
    assert gained(BEFORE, Figures(0.00, 0.00, 1_021.0)) == 0.0
    assert gained(BEFORE, Figures(0.10, 0.20, 900.0)) == 2.0
    assert gained(BEFORE, BEFORE) == 0.0
    assert gained(Figures(None, None, 10.0), Figures(None, None, 5.0)) == 10.0


class Plays:
    """Plays a small recording, and remembers with which numbers.

    What the same numbers came to is kept: it is the same each time (`test_run`).
    """

    _player = Player(recording(TOLD), window=8_000, words=WORDS)
    _came_to: ClassVar[dict[Tuning, Replayed]] = {}

    def __init__(self) -> None:
        self.tried: list[Tuning] = []

    async def __call__(self, tuning: Tuning) -> Sequence[Replayed]:
        self.tried.append(tuning)
        if tuning not in self._came_to:
            self._came_to[tuning] = await self._player.play("haima", tuning=tuning)
        return [self._came_to[tuning]]


def run(play: Plays, *dimensions: str) -> Suggestion:
    return asyncio.run(suggest(play, MARKS, dimensions or DIMENSIONS))


def test_each_number_is_tried_by_itself_first() -> None:
    play = Plays()
    found = run(play)
    assert play.tried[0] == Tuning()
    singles = play.tried[1 : 1 + 4 + 2 + 2 + 2]
    named = [[name for name in DIMENSIONS if getattr(one, name) is not None] for one in singles]
    assert [len(one) for one in named] == [1] * len(singles)
    assert {one for names in named for one in names} == set(DIMENSIONS)
    assert found.tried == len(play.tried) - 1
    if found.settings:
        assert gained(found.before, found.after) > 0
    else:
        assert found.after == found.before


def test_the_best_of_those_that_help_is_proposed() -> None:
    class Told(Plays):
        async def __call__(self, tuning: Tuning) -> Sequence[Replayed]:
            done = (await super().__call__(Tuning()))[0]
            cost = done.totals.cost * (0.5 if tuning.clear_at == 2_000 else 0.9)
            cost *= 0.8 if tuning.min_gain else 1.0
            cost = done.totals.cost if tuning == Tuning() else cost
            return [replace(done, totals=replace(done.totals, cost=cost))]

    found = run(Told(), "clear_at", "min_gain")
    assert dict(found.settings) == {"clear_at": 2_000, "min_gain": MARKS.min_gain // 2}
    assert found.after.cost < 0.5 * found.before.cost


def test_nothing_is_proposed_where_nothing_helps() -> None:
    class Same(Plays):
        async def __call__(self, tuning: Tuning) -> Sequence[Replayed]:
            return await super().__call__(Tuning())

    found = run(Same(), "clear_at")
    assert (found.settings, found.before) == ((), found.after)


def test_only_numbers_with_a_setting_are_tried_on_the_command_line() -> None:
    assert "clear_at" in settable()
    assert set(settable()) <= set(DIMENSIONS)


def test_what_is_tried_can_be_set_and_is_not_what_holds() -> None:
    for top_n, tried in ((None, {7, 30}), (80, {40, 100}), (100, {50}), (1, {2})):
        play, marks = Plays(), thresholds(8_000, min_gain=1)
        asyncio.run(suggest(play, marks, settable(), top_n=top_n))
        assert {one.top_n for one in play.tried if one.top_n and not one.clear_at} >= tried
        for one in play.tried:
            values = {name: getattr(one, name) for name in settable()}
            CompactionSettings.model_validate(values)
            assert top_n is None or one.top_n != top_n


def test_other_numbers_reach_the_tiers() -> None:
    def marks(tuning: Tuning) -> Conditions:
        return Player(recording(TOLD), window=8_000, words=WORDS).conditions(tuning)

    tuned = marks(Tuning(clear_at=1_234, min_gain=77, entities=500, top_n=3))
    assert (tuned.marks.clear, tuned.marks.min_gain, tuned.marks.entities) == (1_234, 77, 500)
    assert tuned.nearest == 3
    assert marks(Tuning()).marks == MARKS
