"""A clear that turned out not to be worth it is planned again only where that may be different."""

from pathlib import Path

import pytest

from app.compaction.clear import plan_clear
from tests.compaction.desk import Desk
from tests.compaction.histories import answer, step, user
from tests.compaction.test_compactor import BODY, named


async def test_a_clear_that_names_make_too_small_is_not_planned_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages = [user()]
    for number in range(8):
        messages += step(number, named(number))
    desk = Desk(tmp_path, [*messages, answer()])
    freed = desk.compactor.clearable
    assert freed
    desk.at(1, min_gain=freed)
    plans: list[object] = []
    real = plan_clear

    def counted(*arguments: object, **more: object) -> object:
        plans.append(real(*arguments, **more))  # type: ignore[arg-type]
        return plans[-1]

    monkeypatch.setattr("app.compaction.compactor.plan_clear", counted)
    before = await desk.call()
    assert await desk.call() == before
    assert len(plans) == 1
    assert not plans[0]
    await desk.add(user("more", "more"), *step(90, BODY), answer("ok", "y"))
    await desk.call()
    assert len(plans) == 2
    assert desk.of_type("cleared")


@pytest.mark.parametrize("which", ["min_gain", "summary"])
async def test_what_was_not_worth_it_is_planned_again_by_other_marks(
    tmp_path: Path, which: str
) -> None:
    """Another window, or a summary that is due: what is asked of a clear is less now."""
    messages = [user()]
    for number in range(8):
        messages += step(number, named(number))
    desk = Desk(tmp_path, [*messages, answer()])
    freed = desk.compactor.clearable
    assert freed
    desk.at(1, min_gain=freed)
    await desk.call()
    assert not desk.events
    desk.at(1, **{which: {"min_gain": 1, "summary": desk.tokens}[which]})
    await desk.call()
    assert desk.of_type("cleared")
