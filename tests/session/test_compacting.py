"""Clearing in whole sessions: what is sent, what is told, and how it is taken back."""

import asyncio
import json
import random
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest

from app.compaction.pointer import history_call
from app.config import CompactionSettings, ModelSettings, Settings
from app.conversation.history import InvalidHistory
from app.conversation.window import guard_mark, thresholds
from app.conversation.wire import to_wire
from app.events import Cleared, ContextMeasured, Event, Notice, Paused, Restored
from app.memory.names import Name
from app.ports import ModelChunk, ModelRequest, Reply, RequestedCall, Usage
from app.session.report import context_report
from app.session.restore import Fork, Resume
from app.session.taking_back import NothingToBringBack
from app.text import LANGUAGES, Language, Words
from tests.session.support import (
    Recorded,
    ScriptedModel,
    call,
    make_session,
    says,
    sendable,
)

LINE = "a line of words in src/app/codec.py, and what it says of them\n"


def window(size: int, **compaction: object) -> Settings:
    return Settings(
        model=ModelSettings(window=size),
        compaction=CompactionSettings(**compaction),  # type: ignore[arg-type]
    )


def files(recorded: Recorded, count: int, lines: int = 100) -> None:
    """Files that can be read."""
    for number in range(count):
        text = f"only here: src/part{number}/unique{number}.py\n" + LINE * lines
        (recorded.root / f"f{number}.txt").write_text(text)


def reads(count: int) -> ScriptedModel:
    """A model that reads so many files, one a step, and then says so."""
    return ScriptedModel(
        *(says("", call("read_file", path=f"f{number}.txt")) for number in range(count)),
        says("Done."),
        says("Again."),
        says("And again."),
    )


async def cleared(tmp_path: Path, lines: int = 100, **compaction: object) -> Recorded:
    """A session in which the results of some of eight reads were cleared."""
    made = make_session(tmp_path, reads(8), settings=window(32_000, **compaction))
    files(made, 8, lines)
    await made.session.open()
    assert (await made.session.run("Read them.")).ok
    return made


def sent(made: Recorded) -> list[str]:
    model = made.session.model
    assert isinstance(model, ScriptedModel)
    return [json.dumps(request.messages) for request in model.requests]


class TestBeforeEachCall:
    async def test_within_one_turn(self, tmp_path: Path) -> None:
        """FIELD 56: it is looked at before each call, not at the end of the turn."""
        made = await cleared(tmp_path)
        events = made.of("cleared")
        assert events
        last_result = len(made.types) - made.types[::-1].index("tool_finished")
        assert made.types.index("cleared") < last_result

    async def test_what_is_sent_is_the_compacted_history(self, tmp_path: Path) -> None:
        made = await cleared(tmp_path)
        last = made.session.model.requests[-1]  # type: ignore[attr-defined]
        history = made.session.history
        assert last.messages == to_wire(history[:-1], history.recovery)
        assert "[Cleared: read_file f0.txt" in json.dumps(last.messages)
        assert "src/part0/unique0.py" in json.dumps(last.messages), "its name stays"
        sendable(history)

    async def test_the_figure_falls_with_it(self, tmp_path: Path) -> None:
        made = make_session(tmp_path, reads(8), settings=window(32_000))
        files(made, 8)
        order: list[Event] = []

        def keep(event: Event) -> None:
            order.append(event)

        made.session.publish.listeners.append(keep)
        await made.session.open()
        await made.session.run("Read them.")
        place = next(i for i, event in enumerate(order) if isinstance(event, Cleared))
        event, after = order[place], order[place + 1]
        before = next(one for one in order[place::-1] if isinstance(one, ContextMeasured))
        assert isinstance(event, Cleared)
        assert isinstance(after, ContextMeasured)
        assert (before.tokens, after.tokens) == (event.tokens_before, event.tokens_after)
        assert before.clearable >= thresholds(32_000).min_gain
        assert after.clearable == 0

    async def test_it_is_in_the_ledger_and_survives_a_resume(self, tmp_path: Path) -> None:
        """FIELD 31: the request after a resume is the one from before."""
        made = await cleared(tmp_path)
        before, node = to_wire(made.session.history), made.session.node
        ids = {id_ for event in made.of("cleared") for id_ in event.messages}  # type: ignore[attr-defined]
        await made.session.close()
        again = make_session(
            tmp_path, reads(0), settings=window(32_000), new_id=iter_ids("b").__next__
        )
        await again.session.open(Resume(node))
        assert to_wire(again.session.history) == before
        assert set(again.session.context.cleared) == ids
        await again.session.run("Go on.")
        assert not again.of("cleared"), "nothing is cleared twice, nothing on resume"
        names = again.session._open.work.index
        assert Name("path", "src/part0/unique0.py") in names
        record = names.record(Name("path", "src/app/codec.py"))
        assert record is not None
        assert record.count >= 8 * 100, "as they first were, not the pointers"

    async def test_the_figure_of_a_resume_is_the_one_from_before(self, tmp_path: Path) -> None:
        made = await cleared(tmp_path)
        model = made.session.model
        assert isinstance(model, ScriptedModel)
        usage = Usage(prompt=made.contexts[-1].tokens + 40, completion=3)
        model.answers = [says("Again.", usage=usage)]
        assert (await made.session.run("And?")).ok
        left, node = made.contexts[-1], made.session.node
        assert left.source == "anchored"
        await made.session.close()
        again = make_session(tmp_path, reads(0), settings=window(32_000), new_id=ids_of("b"))
        await again.session.open(Resume(node))
        assert again.session.context.cleared
        first = again.contexts[0]
        assert (first.tokens, first.source) == (left.tokens, "anchored")
        await again.session.close()

    async def test_it_is_estimated_where_clearing_came_later(self, tmp_path: Path) -> None:
        made = make_session(tmp_path, reads(8), settings=window(1_000_000))
        files(made, 8)
        await made.session.open()
        model = made.session.model
        assert isinstance(model, ScriptedModel)
        await made.session.run("Read them.")
        usage = Usage(prompt=made.contexts[-1].tokens + 40, completion=3)
        model.answers = [says("Again.", usage=usage), [RuntimeError("broken")]]
        await made.session.run("And?")
        assert made.contexts[-1].source == "anchored"
        made.session.context.set_window(32_000)
        await made.session.run("More?")
        assert made.of("cleared")
        node = made.session.node
        await made.session.close()
        again = make_session(tmp_path, reads(0), settings=window(32_000), new_id=ids_of("b"))
        await again.session.open(Resume(node))
        assert again.contexts[0].source == "estimated"
        await again.session.close()

    async def test_off_means_off(self, tmp_path: Path) -> None:
        """FIELD 61."""
        made = await cleared(tmp_path, auto="off")
        assert not made.of("cleared")
        assert all(event.clearable == 0 for event in made.contexts)
        assert context_report(made.session.context, made.session.history).clearable is None

    async def test_a_mark_of_ones_own(self, tmp_path: Path) -> None:
        made = await cleared(tmp_path, clear_at=15_000)
        assert made.contexts[-1].clear == thresholds(32_000, clear_at=15_000).clear
        first = made.of("cleared")[0]
        assert isinstance(first, Cleared)
        assert first.tokens_before >= thresholds(32_000, clear_at=15_000).clear

    async def test_tools_that_are_kept(self, tmp_path: Path) -> None:
        made = await cleared(tmp_path, keep_tools=("read_file",))
        assert not made.of("cleared")

    async def test_warned_once(self, tmp_path: Path) -> None:
        """FIELD 44: the first level is told, with what is left."""
        made = await cleared(tmp_path, lines=150, auto="off")
        warned = [one for one in made.events if isinstance(one, Notice)]
        warned = [one for one in warned if one.code == "near_summary"]
        assert len(warned) == 1
        assert "32,000 tokens" in warned[0].text

    async def test_too_large_ends_the_turn(self, tmp_path: Path) -> None:
        made = make_session(tmp_path, ScriptedModel(says("Yes.")), settings=window(8_000))
        await made.session.open()
        outcome = await made.session.run("word " * 20_000)
        assert (outcome.ok, outcome.code) == (False, "too_large")
        (failed,) = made.of("error")
        assert "your message “word word" in failed.text  # type: ignore[attr-defined]
        assert not sent(made)
        made.session.context.set_window(128_000)
        assert made.session.go_on()
        await made.session.wait_idle()
        assert made.session.outcome.ok

    async def test_another_window_clears_before_the_next_call(self, tmp_path: Path) -> None:
        """FIELD 27."""
        made = make_session(tmp_path, reads(8), settings=window(1_000_000))
        files(made, 8)
        await made.session.open()
        await made.session.run("Read them.")
        assert not made.of("cleared")
        made.session.context.set_window(32_000)
        assert made.contexts[-1].clearable > 0
        await made.session.run("And?")
        assert made.of("cleared")
        assert made.contexts[-1].tokens < thresholds(32_000).clear


async def undone(tmp_path: Path) -> Recorded:
    """A session in which a clear was undone before it was answered."""
    made = make_session(tmp_path, reads(8), settings=window(1_000_000))
    files(made, 8)
    await made.session.open()
    await made.session.run("Read them.")
    made.session.context.set_window(32_000)
    model = made.session.model
    assert isinstance(model, ScriptedModel)
    model.answers = [[RuntimeError("broken")]]
    await made.session.run("And?")
    assert await made.session.undo_clear()
    return made


class TestTakingBack:
    async def test_undo_while_the_answer_is_awaited(self, tmp_path: Path) -> None:
        made = make_session(tmp_path, reads(8), settings=window(1_000_000))
        files(made, 8)
        await made.session.open()
        await made.session.run("Read them.")
        made.session.context.set_window(32_000)
        model = made.session.model
        assert isinstance(model, ScriptedModel)
        model.answers = [[RuntimeError("broken")], says("Yes."), says("More.")]
        await made.session.run("And?")
        with_pointers = sent(made)[-1]
        assert made.session.can_undo_clear
        assert await made.session.undo_clear()
        assert made.session.clearing_paused
        restored = made.of("restored")[0]
        assert isinstance(restored, Restored)
        assert made.of("paused") == [made.of("paused")[0]]
        assert made.session.go_on()
        await made.session.wait_idle()
        whole = sent(made)[-1]
        assert "[Cleared:" in with_pointers
        assert "[Cleared:" not in whole
        assert len(made.of("cleared")) == 1, "it pauses for this chain"
        assert not await made.session.undo_clear()
        await made.session.resume_clearing()
        assert isinstance(made.of("paused")[-1], Paused)
        await made.session.run("More?")
        assert len(made.of("cleared")) == 2

    async def test_the_pause_survives_a_resume(self, tmp_path: Path) -> None:
        made = await undone(tmp_path)
        node = made.session.node
        await made.session.close()
        again = make_session(tmp_path, reads(0), settings=window(32_000), new_id=ids_of("b"))
        await again.session.open(Resume(node))
        assert again.session.clearing_paused
        assert again.of("paused") == [again.of("paused")[0]], "the gauge says so"
        await again.session.run("And?")
        assert not again.of("cleared"), "it still waits"
        await again.session.resume_clearing()
        await again.session.close()
        after = make_session(tmp_path, reads(0), settings=window(32_000), new_id=ids_of("c"))
        await after.session.open(Resume(node))
        assert not after.session.clearing_paused
        assert not after.of("paused")
        await after.session.run("More?")
        assert after.of("cleared")
        await after.session.close()

    async def test_a_fork_inherits_the_pause(self, tmp_path: Path) -> None:
        made = await undone(tmp_path)
        node, first = made.session.node, made.session.history[1].id
        await made.session.close()
        model = ScriptedModel(says("Yes."))
        fork = make_session(tmp_path, model, settings=window(32_000), new_id=ids_of("b"))
        await fork.session.open(Fork(node))
        assert fork.session.clearing_paused
        await fork.session.pin((first,), True)
        await fork.session.resume_clearing()
        left = fork.session.node
        await fork.session.close()
        again = make_session(tmp_path, reads(0), settings=window(32_000), new_id=ids_of("c"))
        await again.session.open(Resume(left))
        assert not again.session.clearing_paused
        assert again.session.pinned(first)
        await again.session.resume(node)
        assert again.session.clearing_paused, "the parent's still does"
        await again.session.resume(left)
        assert not again.session.clearing_paused
        await again.session.close()

    async def test_a_pin_in_a_child_that_was_only_looked_at_is_kept(self, tmp_path: Path) -> None:
        """Nothing comes before a node's first row: the child begins with the pin."""
        made = await cleared(tmp_path)
        node, first = made.session.node, made.session.history[1].id
        await made.session.fork(None)
        await made.session.close()
        child = make_session(tmp_path, reads(0), settings=window(32_000), new_id=ids_of("b"))
        await child.session.open(Resume(node))
        before = to_wire(child.session.history)
        with pytest.raises(InvalidHistory):
            await child.session.pin(("none",), True)
        await child.session.pin((first,), True)
        left = child.session.node
        assert left != node
        await child.session.close()
        again = make_session(tmp_path, reads(0), settings=window(32_000), new_id=ids_of("c"))
        await again.session.open(Resume(left))
        assert again.session.pinned(first)
        assert to_wire(again.session.history) == before
        await again.session.close()

    async def test_undo_while_the_model_answers(self, tmp_path: Path) -> None:
        made = make_session(tmp_path, reads(8), settings=window(1_000_000))
        files(made, 8)
        await made.session.open()
        await made.session.run("Read them.")
        made.session.context.set_window(32_000)
        before = made.contexts[-1].tokens
        model = made.session.model
        assert isinstance(model, ScriptedModel)
        release = asyncio.Event()
        model.answers = [[release, *says("Yes.", usage=Usage(prompt=9_000, completion=2))]]
        made.session.send("And?")
        await model.reached.wait()
        assert made.of("cleared")
        assert await made.session.undo_clear()
        assert made.contexts[-1].tokens > before
        release.set()
        await made.session.wait_idle()
        assert made.session.outcome.ok
        assert not made.session.context.cleared
        last = made.contexts[-1]
        assert last.source == "estimated", "the count is of the request with pointers"
        assert last.tokens > 12_000
        sendable(made.session.history)
        assert not made.session.can_undo_clear

    async def test_pinned_results_stay(self, tmp_path: Path) -> None:
        made = make_session(tmp_path, reads(8), settings=window(1_000_000))
        files(made, 8)
        await made.session.open()
        await made.session.run("Read them.")
        first = next(one for one in made.session.history if one.role == "tool")
        await made.session.pin((first.id,), True)
        assert made.session.pinned(first.id)
        before = made.contexts[-1].clearable
        made.session.context.set_window(32_000)
        assert made.contexts[-1].clearable == before
        await made.session.run("And?")
        assert made.session.history.get(first.id) is first
        assert made.of("cleared")

    async def test_bring_back(self, tmp_path: Path) -> None:
        made = await cleared(tmp_path)
        made.session.context.set_window(200_000)  # nothing more is cleared
        ids = made.session.context.cleared[:2]
        before = sent(made)[-1]
        (one, two) = await made.session.bring_back(ids)
        assert one.label == "read_file f0.txt"
        waiting = [brought.id for brought in made.session.brought_back]
        assert waiting == [one.id, two.id] == list(ids)
        assert await made.session.bring_back(ids) == ()
        assert made.session.leave_back(two.id)
        assert not made.session.leave_back(two.id)
        assert [brought.id for brought in made.session.brought_back] == [one.id]
        await made.session.run("Look at it again.")
        after = sent(made)[-1]
        assert after.startswith(before[:-1]), "the prefix stays"
        message = next(one for one in reversed(made.session.history.messages) if one.role == "user")
        quoted = to_wire([message])[0]["content"]
        assert isinstance(quoted, str)
        assert quoted.startswith("Look at it again.\n\n<restored ref=")
        assert quoted.count(LINE.strip()) == 100
        assert made.session.pinned(message.id)
        assert not made.session.brought_back
        event = made.of("restored")[0]
        assert isinstance(event, Restored)
        assert (event.how, event.messages, event.message) == ("brought_back", (one.id,), message.id)
        assert event.labels == ("read_file f0.txt",)
        assert event.tokens == one.tokens
        types = [event.type for event in made.events]
        assert types.index("restored") > types.index("turn_started")
        await made.session.run("And?")
        assert len(made.of("restored")) == 1

    async def test_what_is_too_long_is_cut_with_the_call_that_goes_on(self, tmp_path: Path) -> None:
        made = make_session(tmp_path, reads(8), settings=window(16_000))
        files(made, 8, lines=110)
        await made.session.open()
        await made.session.run("Read them.")
        ids = made.session.context.cleared
        (one,) = await made.session.bring_back(ids[:1])
        assert one.cut
        assert 0.9 * thresholds(16_000).pins < one.tokens <= thresholds(16_000).pins
        text = one.part.text
        shown = text.partition("\n")[2].rpartition("[")[0]
        assert history_call(one.id, len(shown)) in text
        with pytest.raises(NothingToBringBack):
            await made.session.bring_back(ids[1:2])
        assert made.session.brought_back == (one,)

    async def test_an_unknown_one(self, tmp_path: Path) -> None:
        made = await cleared(tmp_path)
        with pytest.raises(NothingToBringBack):
            await made.session.bring_back(("nowhere",))

    async def test_an_offloaded_one_comes_out_of_its_file(self, tmp_path: Path) -> None:
        made = make_session(
            tmp_path,
            ScriptedModel(says("", call("read_file", path="big.txt")), says("Done."), says("Ok.")),
            settings=window(128_000),
        )
        (made.root / "big.txt").write_text("".join(f"line {n}\n" for n in range(8_000)))
        await made.session.open()
        await made.session.run("Read it.")
        (held,) = await made.session.held_back("offloaded")
        (one,) = await made.session.bring_back((held.id,))
        assert "line 2000\n" in one.part.text
        original = await made.session.original(held.id)
        assert original is not None
        assert original.file is not None

    async def test_lines_of_a_file(self, tmp_path: Path) -> None:
        made = await cleared(tmp_path)
        made.session.bring_lines("big.log", 3, 4, "three\nfour")
        other = made.session.bring_lines("a\x1b[31m\nb.log", 7, 7, "seven")
        one = made.session.bring_lines("big.log", 3, 4, "three\nfour, changed")
        assert made.session.brought_back == (other, one), "the same lines are quoted once"
        assert other.label == "a\\x1b[31m b.log:7"
        await made.session.run("These.")
        message = next(one for one in reversed(made.session.history.messages) if one.role == "user")
        quoted = to_wire([message])[0]["content"]
        assert isinstance(quoted, str)
        assert 'ref="big.log:3–4"' in quoted
        assert "[big.log:3–4, word for word as it was shown to the user]\nthree\nfour, ch" in quoted
        event = made.of("restored")[0]
        assert isinstance(event, Restored)
        assert (event.messages, event.labels) == ((), (other.label, "big.log:3–4"))

    @pytest.mark.parametrize("language", LANGUAGES)
    async def test_lines_that_do_not_fit_say_that_they_are_cut(
        self, tmp_path: Path, language: Language
    ) -> None:
        words = Words(language)
        made = make_session(tmp_path, reads(0), settings=window(16_000), language=language)
        await made.session.open()
        text = LINE * 400
        one = made.session.bring_lines("big.log", 1, 400, text)
        pins = thresholds(16_000).pins
        assert one.cut
        assert 0.9 * pins < one.tokens <= pins
        head, shown = one.part.text.split("\n", 1)
        shown, said = shown.rsplit("\n", 1)
        assert head == words("compaction.restored_lines", what="big.log:1–400")
        assert text.startswith(shown)
        told = {"shown": f"{len(shown) + 1:,}", "total": f"{len(text):,}"}
        assert said == words("compaction.restored_cut_lines", **told)
        with pytest.raises(NothingToBringBack):
            made.session.bring_lines("big.log", 401, 402, "more\n")
        assert made.session.brought_back == (one,)
        assert made.session.bring_lines("big.log", 1, 400, "less now").tokens < one.tokens
        assert len(made.session.brought_back) == 1

    async def test_clear_forgets_what_waits(self, tmp_path: Path) -> None:
        made = await cleared(tmp_path)
        await made.session.bring_back(made.session.context.cleared[:1])
        await made.session.clear()
        assert made.session.brought_back == ()


class TestReport:
    async def test_pointers_count_as_pointers(self, tmp_path: Path) -> None:
        made = await cleared(tmp_path)
        report = context_report(made.session.context, made.session.history)
        rows = {row.kind: row for row in report.composition}
        assert rows["pointers"].items == len(made.session.context.cleared)
        assert rows["results"].items == 8 - rows["pointers"].items
        assert sum(row.tokens for row in report.composition) == made.contexts[-1].tokens
        assert [event.kind for event in report.events] == ["clear"] * len(made.of("cleared"))
        assert {event.turn for event in report.events} == {1}
        assert report.clearable == made.contexts[-1].clearable


def ids_of(prefix: str) -> Callable[[], str]:
    """Ids that no other session of the test has."""
    return iter_ids(prefix).__next__


def iter_ids(prefix: str) -> "Ids":
    return Ids(prefix)


class Ids:
    """Ids that no other session of the test has."""

    def __init__(self, prefix: str) -> None:
        self.prefix, self.count = prefix, 0

    def __next__(self) -> str:
        self.count += 1
        return f"{self.prefix}{self.count:011x}"


class Worker:
    """A model that works for an hour: reads, searches and runs, in parallel now and then."""

    name = "scripted"
    base_url = ""

    def __init__(self, steps: int) -> None:
        self.source = random.Random(5)
        self.steps, self.step = steps, 0
        self.seen: list[tuple[int, int]] = []
        self.requests: list[ModelRequest] = []
        self.recorded: Recorded | None = None

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        made = self.recorded
        assert made is not None
        context, history = made.session.context, made.session.history
        assert request.messages == to_wire(history, history.recovery), "what is sent is the history"
        measure = context.meter.measure(history, context.tools)
        self.seen.append((measure.tokens, context.clearable or 0))
        self.step += 1
        if self.step % 25 == 0:
            yield Reply("That part is done.")
            return
        count = self.source.choice([1, 1, 1, 2, 3])
        yield Reply("Looking.", tuple(self._call() for _ in range(count)))

    def _call(self) -> RequestedCall:
        number = self.source.randrange(40)
        return self.source.choice(
            [
                call("read_file", path=f"f{number}.txt"),
                call("read_file", path=f"f{number}.txt", offset=5, limit=60),
                call("search_files", pattern=f"unique{number}"),
            ]
        )


@pytest.mark.parametrize(
    ("size", "steps"),
    [
        (16_000, 30),
        (32_000, 60),
        (128_000, 300),
        pytest.param(200_000, 300, marks=pytest.mark.soak),
    ],
)
async def test_an_hour_of_work_is_never_over_the_marks_for_lack_of_clearing(
    tmp_path: Path, size: int, steps: int
) -> None:
    model = Worker(steps)
    made = make_session(tmp_path, model, settings=window(size))
    model.recorded = made
    source = random.Random(9)
    for number in range(40):
        lines = round(source.lognormvariate(4.2, 1.0))
        (made.root / f"f{number}.txt").write_text(f"def unique{number}(): ...\n" + LINE * lines)
    await made.session.open()
    outcome = made.session.outcome
    while model.step < steps:
        outcome = await made.session.run("Go on with the next part.")
        if not outcome.ok:
            break
    marks = thresholds(size)
    for tokens, clearable in model.seen:
        assert tokens < marks.clear or clearable < marks.min_gain
        assert tokens < marks.summary or clearable == 0
        assert tokens < guard_mark(size)
    events = [event for event in made.events if isinstance(event, Cleared)]
    assert events
    for event in events:
        assert event.tokens_before >= marks.clear
        freed = event.tokens_before - event.tokens_after
        assert freed >= marks.min_gain * 0.9 or event.tokens_before >= marks.summary
    left = [id_ for event in events for id_ in event.messages]
    assert len(left) == len(set(left)), "no result is touched twice"
    assert set(left) <= set(made.session.context.cleared)
    if size >= 128_000:
        assert outcome.ok
        assert len(events) >= 2
        assert max(tokens for tokens, _ in model.seen) < marks.summary
    elif not outcome.ok:
        assert outcome.code == "too_large"
    held = await made.session.held_back("cleared")
    assert sorted(one.id for one in held) == sorted(left)
    await made.session.bring_back((held[0].id,))
    sendable(made.session.history)
