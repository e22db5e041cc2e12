"""Before every call: measure, clear, measure, guard."""

import asyncio
import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.compaction.breaker import Reason, Withheld
from app.compaction.clear import plan_clear, unseen_results
from app.compaction.compactor import Compactor
from app.compaction.too_large import RequestTooLarge
from app.config import CompactionSettings
from app.conversation.messages import Message, TextPart
from app.conversation.window import guard_mark, thresholds
from app.conversation.wire import to_wire
from app.events import Cleared, Paused
from app.text import LANGUAGES, Words
from tests.archive.recording import agrees
from tests.compaction.desk import Desk
from tests.compaction.histories import Case, answer, cases, step, user
from tests.compaction.test_clear_random import newest_step
from tests.conversation.strict import broken, refusals

MANY = settings(max_examples=max(150, settings().max_examples))
BODY = "a line of words in src/app/codec.py\n" * 150


def work(steps: int, body: str = BODY) -> list[Message]:
    """A user's message and so many steps with one result each."""
    messages = [user()]
    for number in range(steps):
        messages += step(number, body)
    return messages


def named(number: int) -> str:
    """A body with one name that no other has."""
    return f"src/only{number}/here{number}.py\n" + "word " * 900


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, [*work(8), answer()])


class TestClearing:
    @pytest.mark.parametrize(("above", "cleared"), [(-1, False), (0, True), (1, True)])
    async def test_begins_exactly_at_the_mark(self, desk: Desk, above: int, cleared: bool) -> None:
        desk.at(desk.tokens - above, min_gain=1)
        before = desk.request
        assert (await desk.call() != before) == cleared
        assert bool(desk.of_type("cleared")) == cleared

    @pytest.mark.parametrize(("above", "cleared"), [(-1, False), (0, True), (1, True)])
    async def test_only_where_it_frees_enough(self, desk: Desk, above: int, cleared: bool) -> None:
        freed = desk.compactor.clearable
        assert freed
        desk.at(1, min_gain=freed - above)
        await desk.call()
        assert bool(desk.of_type("cleared")) == cleared

    async def test_past_the_summary_mark_anything_is_worth_it(self, desk: Desk) -> None:
        desk.at(1, min_gain=10**6, summary=desk.tokens + 1)
        await desk.call()
        assert not desk.events
        desk.at(1, min_gain=10**6, summary=desk.tokens)
        await desk.call()
        assert desk.of_type("cleared")

    async def test_tells_what_it_did(self, desk: Desk) -> None:
        desk.at(1)
        before = desk.tokens
        clearable = desk.compactor.clearable
        await desk.call()
        (event,) = desk.events
        assert isinstance(event, Cleared)
        assert event.messages == ("r0.0", "r1.0", "r2.0", "r3.0", "r4.0")
        assert event.calls == ("c0.0", "c1.0", "c2.0", "c3.0", "c4.0")
        assert (event.count, event.tokens_before, event.tokens_after) == (5, before, desk.tokens)
        freed = event.tokens_before - event.tokens_after
        assert clearable is not None
        assert freed <= clearable + event.count, "names make pointers longer; each is rounded"
        assert freed > 0.9 * clearable
        assert desk.compactor.clearable == 0
        assert desk.states == dict.fromkeys(event.messages, ("cleared", False))

    async def test_what_is_sent_is_the_history(self, desk: Desk) -> None:
        desk.at(1)
        sent = await desk.call()
        assert sent.count("[Cleared: read_file src/file") == 5
        assert sent == desk.request

    async def test_a_second_call_without_news_writes_nothing(self, desk: Desk) -> None:
        desk.at(1)
        first = await desk.call()
        rows, edits = desk.ledger.seq, desk.history.edits
        assert await desk.call() == first
        assert (desk.ledger.seq, desk.history.edits) == (rows, edits)

    async def test_names_of_what_is_cleared_stay_in_the_pointers(self, tmp_path: Path) -> None:
        messages = [user()]
        for number in range(8):
            messages += step(number, named(number))
        desk = Desk(tmp_path, [*messages, answer()])
        desk.at(1)
        sent = await desk.call()
        for number in range(8):
            assert sent.count(f"src/only{number}/here{number}.py") == 1

    async def test_unseen_results_stay(self, tmp_path: Path) -> None:
        """However many the newest step has, the model sees each once."""
        desk = Desk(tmp_path, [user(), *step(0, *[BODY] * 6)])
        desk.at(1, min_gain=1)
        await desk.call()
        assert not desk.events
        await desk.add(answer())
        await desk.call()
        (event,) = desk.of_type("cleared")
        assert isinstance(event, Cleared)
        assert event.messages == ("r0.0", "r0.1", "r0.2")

    async def test_pinned_results_are_never_cleared(self, desk: Desk) -> None:
        desk.at(1, min_gain=1)
        await desk.compactor.pin(("r0.0", "r2.0"), True)
        assert desk.compactor.clearable
        await desk.call()
        (event,) = desk.events
        assert isinstance(event, Cleared)
        assert event.messages == ("r1.0", "r3.0", "r4.0")
        await desk.compactor.pin(("r0.0",), False)
        await desk.call()
        event = desk.events[-1]
        assert isinstance(event, Cleared)
        assert event.messages == ("r0.0",)
        assert desk.states["r2.0"] == ("live", True)

    async def test_tools_of_the_settings_are_kept(self, desk: Desk) -> None:
        desk.at(1)
        desk.settings = CompactionSettings(keep_tools=("Read_File",))
        assert desk.compactor.clearable == 0
        await desk.call()
        assert not desk.events

    async def test_switched_off_nothing_leaves(self, desk: Desk) -> None:
        """FIELD 61."""
        desk.settings = CompactionSettings(auto="off")
        desk.at(1, summary=2)
        before = desk.request
        assert await desk.call() == before
        assert not desk.events
        assert desk.compactor.clearable is None

    async def test_a_smaller_window_clears_before_the_next_call(self, tmp_path: Path) -> None:
        """FIELD 27: the marks are those of the window in use."""
        desk = Desk(tmp_path, [*work(40), answer()], marks=thresholds(1_000_000))
        before = await desk.call()
        assert before == desk.request
        assert not desk.events
        desk.marks = thresholds(64_000)
        assert desk.tokens > desk.marks.clear
        await desk.call()
        assert desk.tokens < desk.marks.clear

    async def test_a_stop_does_not_cut_it_half_way(self, desk: Desk) -> None:
        desk.at(1)
        task = asyncio.create_task(desk.call())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
            await asyncio.sleep(0)
        assert len(desk.states) in (0, 5)


class TestTooLarge:
    async def test_says_which_messages_are_the_largest(self, tmp_path: Path) -> None:
        long = Message("big", "user", (TextPart("词" * 90_000),))
        desk = Desk(tmp_path, [long], marks=thresholds(32_000))
        before = desk.request
        with pytest.raises(RequestTooLarge) as raised:
            await desk.call()
        assert desk.request == before
        for language in LANGUAGES:
            said = raised.value.sentence(Words(language))
            assert "词词词" in said
            assert "32,000" in said
            assert f"{desk.tokens:,}" in said

    def test_says_what_was_compared(self, tmp_path: Path) -> None:
        """An estimate below the window may be too much with its margin: both are told."""
        desk = Desk(tmp_path, [user("word " * 4_000)])
        measure = desk.meter.measure(desk.history, "")
        window = (measure.tokens + measure.at_most) // 2
        error = RequestTooLarge(measure, window, (), desk.history)
        assert measure.tokens < window < measure.at_most
        for language in LANGUAGES:
            said = error.sentence(Words(language))
            assert all(f"{n:,}" in said for n in (measure.tokens, window, measure.at_most))

    def test_says_that_the_hour_had_its_summaries(self, tmp_path: Path) -> None:
        desk = Desk(tmp_path, [user("word " * 9_400)])
        measure, items = desk.meter.measure(desk.history, ""), ()
        soon = datetime(2026, 11, 30, 9, 20, 30, tzinfo=UTC)
        error = RequestTooLarge(measure, 8_000, items, desk.history, Withheld("hour", soon))
        time = f"{soon.astimezone() + timedelta(minutes=1):%H:%M}"
        assert error.choices[0] == "compact"
        for language in LANGUAGES:
            said = error.sentence(Words(language))
            assert "12" in said
            assert "/compact" in said
            assert "--continue" in said
            assert time in said

    @pytest.mark.parametrize("why", ["failures", "off", "clear"])
    def test_says_why_no_summary_is_made(self, tmp_path: Path, why: Reason) -> None:
        desk = Desk(tmp_path, [user("word " * 9_400)])
        measure = desk.meter.measure(desk.history, "")
        items = desk.meter.largest(desk.history, 3)
        error = RequestTooLarge(measure, 8_000, items, desk.history, Withheld(why))
        assert error.choices[0] == ("cut" if why == "failures" else "compact")
        for language in LANGUAGES:
            said = error.sentence(Words(language))
            assert "/compact" in said
            assert "8,000" in said
            assert "word word" in said

    async def test_the_margin_counts_while_nothing_is_measured(self, tmp_path: Path) -> None:
        desk = Desk(tmp_path, [user("word " * 9_400)])
        tokens = desk.tokens
        desk.marks = thresholds(tokens * 11 // 10 + 1)
        await desk.call()
        desk.marks = thresholds(tokens * 11 // 10 - 1)
        with pytest.raises(RequestTooLarge):
            await desk.call()

    async def test_switched_off_it_is_told_and_nothing_is_cut(self, tmp_path: Path) -> None:
        desk = Desk(
            tmp_path,
            [user(), *step(0, "word " * 40_000)],
            marks=thresholds(16_000),
            settings=CompactionSettings(auto="off"),
        )
        before = desk.request
        with pytest.raises(RequestTooLarge):
            await desk.call()
        assert desk.request == before


@MANY
@given(cases(), st.booleans())
def test_whatever_the_history(case: Case, undone: bool) -> None:
    asyncio.run(holds(case, undone=undone))


async def holds(case: Case, *, undone: bool) -> None:
    with tempfile.TemporaryDirectory() as folder, Desk.of(Path(folder), case) as desk:
        before = desk.history.messages
        request, states, tokens = desk.request, desk.states, desk.tokens
        sizes = {message.id: desk.meter.message_tokens(message) for message in before}
        newest = newest_step(desk.history) if unseen_results(desk.history) else set()
        clearable = desk.compactor.clearable
        plan = case.plan(force=True, names=None)
        assert clearable is not None
        assert abs(clearable - plan.freed) <= len(plan.clearings)
        fits = True
        try:
            await desk.call()
        except RequestTooLarge:
            fits = False
        after = desk.history.messages

        # A valid history, in which nothing but bodies changed, and nothing grew.
        assert broken(after, desk.history.recovery) == []
        if not desk.history.open_calls and refusals(to_wire(before)) == []:
            assert refusals(to_wire(after, desk.history.recovery)) == []
        cut = [key for key, (state, _) in desk.states.items() if state == "cut"]
        guarded = [key for key in cut if states.get(key, ("", False))[0] != "cut"]
        for old, new in zip(before, after, strict=True):
            assert replace(new, parts=old.parts, calls=old.calls) == old
            assert [(one.id, one.name) for one in new.calls] == [
                (one.id, one.name) for one in old.calls
            ]
            if old.role in ("user", "system") or states.get(old.id, ("", False))[1]:
                assert new is old
            if old.id in newest and new is not old:
                assert desk.states[old.id][0] == "cut"
            assert desk.meter.message_tokens(new) <= sizes[old.id]
        assert desk.tokens <= tokens
        changed = desk.request != request
        assert changed == bool(desk.of_type("cleared") or guarded or cut_again(before, after))

        # The marks.
        measure = desk.meter.measure(desk.history, "")
        if fits:
            assert measure.at_most <= desk.marks.window
        left = desk.compactor.clearable or 0
        if measure.tokens >= desk.marks.summary and fits:
            assert left == 0
        if tokens < desk.marks.clear:
            assert not desk.of_type("cleared")

        # Without news there is nothing to do.
        rows = desk.ledger.seq
        try:
            await desk.call()
        except RequestTooLarge:
            assert not fits
        assert desk.ledger.seq == rows

        # What was done can be taken back, byte for byte.
        assert desk.compactor.can_undo == changed
        if not undone:
            return
        assert await desk.compactor.undo() == changed
        assert (desk.request, desk.states) == (request, states)
        assert not await desk.compactor.undo()
        assert desk.compactor.paused == changed
        full = desk.tokens >= guard_mark(desk.marks.window) or not fits
        margin = desk.meter.measure(desk.history, "").at_most > desk.marks.window
        if changed and not full and not margin:
            assert await desk.call() == request


def cut_again(before: tuple[Message, ...], after: tuple[Message, ...]) -> bool:
    """Whether a message that had been cut before was cut further."""
    return any(
        old != new and old.role in ("tool", "assistant")
        for old, new in zip(before, after, strict=True)
    )


@given(st.lists(st.tuples(st.integers(1, 3), st.sampled_from([0, 900, 9_000])), max_size=8))
def test_resumed_in_between_it_goes_on_the_same(sizes: list[tuple[int, int]]) -> None:
    """Another compactor on what the ledger says has nothing to add."""

    async def both() -> None:
        with tempfile.TemporaryDirectory() as one, Desk(Path(one)) as desk:
            desk.marks = thresholds(8_000)
            await desk.add(user())
            for number, (parallel, size) in enumerate(sizes):
                await desk.add(*step(number, *["word " * (size // 5)] * parallel))
                fits = True
                try:
                    await desk.call()
                except RequestTooLarge:
                    fits = False
                agrees(desk.recorder, desk.path)
                other = Compactor(
                    recorder=desk.recorder,
                    meter=desk.meter,
                    marks=lambda: desk.marks,
                    tools=lambda: "",
                    publish=desk.publish,
                    words=Words("en"),
                    index=desk.index,
                    settings=lambda: desk.settings,
                )
                rows = desk.ledger.seq
                try:
                    await other.before_call(desk.history)
                except RequestTooLarge:
                    assert not fits
                assert desk.ledger.seq == rows
                assert other.clearable == desk.compactor.clearable

    asyncio.run(both())


@given(cases(), st.data())
def test_the_figure_of_the_gauge_is_kept_up(case: Case, data: st.DataObject) -> None:
    """What grew with the history equals what is counted afresh."""

    async def grows() -> None:
        with tempfile.TemporaryDirectory() as folder, Desk(Path(folder)) as desk:
            desk.at(10**9, summary=10**9)
            for message in case.history:
                await desk.add(message)
                if data.draw(st.integers(0, 3)) == 0:
                    figure = desk.compactor.clearable
                    plan = plan_clear(
                        desk.history,
                        {},
                        desk.meter,
                        desk.marks,
                        unseen=unseen_results(desk.history),
                        words=Words("en"),
                        force=True,
                    )
                    assert figure is not None
                    assert abs(figure - plan.freed) <= len(plan.clearings)

    asyncio.run(grows())


def test_events_are_told_in_order(tmp_path: Path) -> None:
    async def told() -> list[str]:
        desk = Desk(tmp_path, [*work(8), answer()])
        desk.at(1)
        await desk.call()
        await desk.compactor.undo()
        await desk.compactor.go_on()
        await desk.call()
        assert isinstance(desk.events[2], Paused)
        return [event.type for event in desk.events]

    assert asyncio.run(told()) == ["cleared", "restored", "paused", "paused", "cleared"]
