"""Taking a clear back: the request as it was, byte for byte; then clearing pauses."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.compaction.undo import Undo
from app.conversation.history import History, RecoverySlot
from app.conversation.messages import Message, TextPart
from app.conversation.offloaded import Offloaded
from app.conversation.standing import Standing
from app.conversation.window import thresholds
from app.events import Paused, Restored
from tests.archive.recording import agrees, rows
from tests.compaction.desk import Desk
from tests.compaction.histories import answer, step, user
from tests.compaction.test_compactor import BODY, work

FILE = Offloaded(".haima/tool-outputs/c/001-x.txt", 9, 9, 1, "0" * 64)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path, [*work(8), answer()])
    desk.at(1)
    return desk


async def test_the_request_is_as_it_was(desk: Desk) -> None:
    before, tokens = desk.request, desk.tokens
    await desk.call()
    freed = tokens - desk.tokens
    assert await desk.compactor.undo()
    assert desk.request == before
    restored, paused = desk.events[1:]
    assert isinstance(restored, Restored)
    assert restored.how == "undo"
    assert restored.messages == ("r0.0", "r1.0", "r2.0", "r3.0", "r4.0")
    assert restored.calls == ("c0.0", "c1.0", "c2.0", "c3.0", "c4.0")
    assert restored.tokens == freed
    assert paused == Paused(tier="clear", on=True)
    assert desk.states == {}


async def test_states_come_back(tmp_path: Path) -> None:
    states = {"r0.0": Standing("offloaded"), "r1.0": Standing("cut")}
    desk = Desk(tmp_path, [*work(8), answer()], standings=states, files={"r0.0": FILE})
    desk.at(1)
    await desk.call()
    assert {state for state, _ in desk.states.values()} == {"cleared"}
    await desk.compactor.undo()
    assert desk.states == {"r0.0": ("offloaded", False), "r1.0": ("cut", False)}
    assert desk.recorder.files == {"r0.0": FILE}


async def test_it_is_in_the_ledger(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.at(1)
    await desk.add(*work(8), answer())
    await desk.call()
    await desk.compactor.undo()
    agrees(desk.recorder, desk.path)
    assert desk.recorder.paused == {"clear"}
    await desk.compactor.go_on()
    await desk.compactor.go_on()
    agrees(desk.recorder, desk.path)
    told = [row for row in rows(desk.path) if row.kind == "paused"]
    assert [row.data for row in told] == [{"tier": "clear", "on": on} for on in (True, False)]
    last = max(row.seq for row in rows(desk.path) if row.kind == "replace")
    assert told[0].seq < last, "a process that dies half way doesn't clear it again"


async def test_the_recovery_block_is_as_it_was(desk: Desk) -> None:
    await desk.call()
    after = desk.request
    await desk.recorder.set_recovery(RecoverySlot("r7.0", "goal: fix it"))
    assert desk.request != after
    await desk.compactor.undo()
    assert desk.history.recovery is None


async def test_only_once(desk: Desk) -> None:
    assert not await desk.compactor.undo()
    await desk.call()
    assert await desk.compactor.undo()
    assert not await desk.compactor.undo()


@pytest.mark.parametrize("more", [answer("ok", "y"), user("more", "more")])
async def test_not_after_something_was_said(desk: Desk, more: Message) -> None:
    sent = await desk.call()
    await desk.add(more)
    assert not desk.compactor.can_undo
    assert not await desk.compactor.undo()
    assert desk.request.startswith(sent[:-1])


async def test_text_that_no_longer_counts_is_nothing_that_was_said(desk: Desk) -> None:
    before = desk.request
    await desk.call()
    half = Message("half", "assistant", (TextPart("Half a sen"),), discarded=True)
    await desk.add(half)
    assert await desk.compactor.undo()
    assert desk.request == before


async def test_clearing_pauses_until_the_user_acts(desk: Desk) -> None:
    before = desk.request
    await desk.call()
    await desk.compactor.undo()
    assert await desk.call() == before
    await desk.add(user("more", "more"), *step(70, BODY), answer("ok", "y"))
    await desk.call()
    assert len(desk.of_type("cleared")) == 1
    await desk.compactor.go_on()
    assert desk.events[-1] == Paused(tier="clear", on=False)
    await desk.call()
    assert len(desk.of_type("cleared")) == 2


async def test_or_until_nothing_else_fits(desk: Desk) -> None:
    await desk.call()
    await desk.compactor.undo()
    desk.marks = replace(thresholds(desk.tokens), clear=1)
    await desk.call()
    assert desk.events[-2] == Paused(tier="clear", on=False)
    assert desk.of_type("cleared")[-1] is desk.events[-1]
    assert not desk.compactor.paused


async def test_a_cut_is_taken_back_with_the_clear(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [*work(6), *step(99, BODY * 8)], marks=thresholds(12_000))
    before = desk.request
    await desk.call()
    assert {state for state, _ in desk.states.values()} == {"cleared", "cut"}
    await desk.compactor.undo()
    assert desk.request == before


async def test_an_argument_is_taken_back_too(tmp_path: Path) -> None:
    desk = Desk(tmp_path, marks=thresholds(9_000))
    long = step(0, "ok", tool="write_file", arguments=lambda _: {"content": "word " * 20_000})
    await desk.add(user(), *long)
    before = desk.request
    await desk.call()
    assert desk.request != before
    agrees(desk.recorder, desk.path)
    await desk.compactor.undo()
    assert desk.request == before
    agrees(desk.recorder, desk.path)


def test_changes_stand_in_the_order_of_the_history() -> None:
    history = History([user(), *step(0, "a", "b")])
    undo = Undo(history)
    assert not undo.valid(history)
    for place in (3, 2):
        undo.note(history[place], "live")
        undo.note(replace(history[place], parts=(TextPart("later"),)), "cut")
    assert [one.message for one in undo.changes] == [history[2], history[3]]
    assert [one.state for one in undo.changes] == ["live", "live"]
    assert undo.valid(history)
    assert not undo.valid(History(history.messages))
