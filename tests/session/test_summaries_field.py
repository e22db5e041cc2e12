"""What users of other systems complain of, literally (FIELD, classes B, C and K)."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app.compaction.summarize import SummaryFailed as SummaryRefused
from app.config import CompactionSettings, ModelSettings, Settings
from app.events import Failed, Summarised, SummaryFailed, SummaryStarted
from app.llm.client import OpenAIModel
from app.text import Words
from tests.endpoint import Call, Say, Status
from tests.endpoint.script import Body
from tests.endpoint.server import estimate
from tests.session.summing import (
    FAILURES,
    Summariser,
    asks_for_summary,
    counted,
    fill,
    filled,
    prose,
    request,
    summary,
    talking,
    texts,
    why,
)
from tests.session.support import Recorded, TestClock


async def test_2_the_command_before_a_summary_isnt_run_again(tmp_path: Path) -> None:
    """Its result and its call stand in the next request; what it did was done once."""
    script = Summariser()
    command = "printf x >> counter; seq -f 'row %g of the table' 1 360"
    calls = iter([Call("execute_command", {"command": command})])

    def talk(body: Body) -> Say:
        asks = "Count" in str(body["messages"][-1]["content"])
        call = next(calls, None) if asks else None
        if call is None:
            return Say("Noted.", usage=counted(body, 3))
        return Say(calls=[call], usage=counted(body, 9))

    script.talk = talk
    async with talking(tmp_path, script) as (recorded, endpoint):
        session = recorded.session
        await fill(session, 6, 4_400)
        assert not recorded.of("summarized")
        await session.run("Count them")
        assert session.outcome.ok
        asks = [asks_for_summary(body) for body in endpoint.requests]
        assert asks[-2:] == [True, False], "between the result and the next call"
        assert (recorded.root / "counter").read_text() == "x"
        last = script.said[-1]["messages"]
        assert last[-1]["role"] == "tool"
        assert "row 360 of the table" in str(last[-1]["content"])
        (made,) = last[-2]["tool_calls"]
        assert made["id"] == last[-1]["tool_call_id"]
        assert "printf x" in made["function"]["arguments"]
        assert endpoint.violations == []


def at_size(characters: int) -> Callable[[Body], Say]:
    """Long answers, quickly made."""

    def talk(body: Body) -> Say:
        turn = len(body["messages"])
        told = f"of answer {turn}: what was found there, and why it matters to the next step\n"
        lines = characters // (len(told) + 6)
        text = "".join(f"{number:5d} {told}" for number in range(lines))
        return Say(text, chunk=len(text), usage=counted(body, characters // 4))

    return talk


async def crowd(recorded: Recorded, script: Summariser, tokens: int) -> None:
    """Turns until the history has so many tokens."""
    script.talk = at_size(300_000)
    for _ in range(tokens // 75_000):
        assert (await recorded.session.run("Tell me more.")).ok
    script.talk = lambda body: Say("Noted.", usage=counted(body, 3))


@pytest.mark.parametrize(
    ("tokens", "window", "most"),
    [(300_000, 128_000, 30), pytest.param(900_000, 200_000, 100, marks=pytest.mark.soak)],
)
async def test_20_27_a_model_with_a_much_smaller_window(
    tmp_path: Path, tokens: int, window: int, most: int
) -> None:
    """It is asked about before anything goes out; then few calls, each within the window."""
    script = Summariser()
    async with talking(tmp_path, script, window=1_000_000) as (recorded, endpoint):
        session = recorded.session
        await crowd(recorded, script, tokens)
        assert not recorded.of("summary_started")
        before, sent = request(session), len(endpoint.requests)
        lighter = OpenAIModel("scripted", endpoint.base_url, clock=TestClock(), words=Words("en"))
        session.use_model(lighter, Settings(model=ModelSettings(window=window)))
        try:
            assert session.context.crowded, "the user is asked"
            assert await session.cut_without_summary(), "the way without a model"
            assert len(endpoint.requests) == sent
            assert await session.undo_summary()
            assert request(session) == before
            assert (await session.run("And now?")).ok
            (started,) = recorded.of("summary_started")
            assert isinstance(started, SummaryStarted)
            assert len(script.asked) <= started.calls <= most
            assert all(estimate(body) < window for body in endpoint.requests[sent:])
            assert len(recorded.of("summarized")) == 2
            assert endpoint.violations == []
        finally:
            await lighter.close()


async def test_13_fixed_parts_that_nearly_fill_the_window(tmp_path: Path) -> None:
    """Nothing is tried in vain: one clear sentence, and no more until much more was said."""
    script = Summariser()
    async with talking(tmp_path, script) as (recorded, endpoint):
        session = recorded.session
        fixed = session.context.meter.measure(session.context.prospect, session.context.tools)
        session.context.set_window(100 * fixed.tokens // 85)
        for _ in range(3):
            assert (await session.run("Hi.")).ok
        assert not script.asked
        (failed,) = recorded.of("summary_rejected")
        assert isinstance(failed, SummaryFailed)
        assert failed.code == "cant_summarise"
        assert "too little for a summary" in failed.reason, failed.reason
        assert endpoint.violations == []


async def test_14_a_summary_as_long_as_what_it_stands_for(tmp_path: Path) -> None:
    """One message of the user is 70 % of the window; the summary says all of it again."""
    script = Summariser()
    script.good = lambda body: Say(summary(prose("again", 7_600)), usage=counted(body, 2_000))
    async with talking(tmp_path, script) as (recorded, endpoint):
        session = recorded.session
        await fill(session, 1, 44_000)
        before = request(session)
        for _ in range(3):
            assert (await session.run("Go on.")).ok
        assert request(session).startswith(before[:-1])
        assert len(recorded.of("summary_rejected")) <= 1
        assert len(script.asked) <= 2
        assert endpoint.violations == []


async def test_16_where_everything_is_pinned_it_stops_after_one_attempt(tmp_path: Path) -> None:
    script = Summariser()
    async with talking(tmp_path, script) as (recorded, endpoint):
        session = recorded.session
        session.context.set_window(64_000)
        await fill(session, 8, 4_000)
        await session.pin([one.id for one in session.history if one.role == "user"], True)
        session.context.set_window(14_000)
        for _ in range(4):
            assert (await session.run("Go on.")).ok
        tried = recorded.of("summarized", "summary_rejected")
        assert len(tried) <= 1
        assert endpoint.violations == []


async def test_23_an_error_never_leaves_it_summarising(tmp_path: Path) -> None:
    """After a failed summary and a stop the session is idle, and does what it is asked."""
    script = Summariser(*[FAILURES["500"]] * 4)
    async with talking(tmp_path, script) as (recorded, endpoint):
        session = recorded.session
        await fill(session, 7)
        assert not await session.compact()
        assert not session.busy
        script.answers.clear()
        assert await session.compact()
        assert (await session.run("And now?")).ok
        assert any("And now?" in text for text in texts(script.said[-1]))
        assert endpoint.violations == []


async def test_13_what_a_small_window_leaves_at_its_end_is_enough_to_go_on(tmp_path: Path) -> None:
    """Documents fill half of 8K: below the summary mark there is no room, below the guard's is."""
    script = Summariser()
    async with talking(tmp_path, script, window=8_000, limit=8_000) as (recorded, endpoint):
        session = recorded.session
        (recorded.root / "AGENTS.md").write_text("Name things well.\n" * 200)
        await session.clear()
        await fill(session, 24, 1_000)
        assert session.outcome.ok
        assert len(recorded.of("turn_finished")) == 24
        assert not recorded.of("error")
        assert len(script.asked) == len(recorded.of("summarized")) <= 3
        assert recorded.of("summarized")
        assert endpoint.refusals == []
        assert endpoint.violations == []


async def test_21_a_refusal_is_cut_where_the_summary_fails_and_nobody_is_asked(
    tmp_path: Path,
) -> None:
    """`on_failure = "cut"`: also where the server counts more than we do."""
    script = Summariser(*[FAILURES["no headings"]] * 9)
    cut = CompactionSettings(on_failure="cut")
    async with talking(tmp_path, script, compaction=cut, allowance="all") as (recorded, endpoint):
        session = recorded.session
        await fill(session, 6)
        said = script.talk
        told = "This model's maximum context length is 16000 tokens. You requested 17000 tokens."
        refusals = iter([Status(400, {"error": {"message": told}})])
        script.talk = lambda body: next(refusals, None) or said(body)
        assert (await session.run("And now?")).ok
        (done,) = recorded.of("summarized")
        assert isinstance(done, Summarised)
        assert done.how == "cut"
        assert done.tokens_before < 16_000
        assert "And now?" in "\n".join(texts(script.said[-1]))
        assert endpoint.violations == []


async def test_25_that_the_summary_failed_is_the_reason_told(tmp_path: Path) -> None:
    """Not that nothing is left to compact: another try may go well."""
    script = Summariser(FAILURES["500"], FAILURES["500"], FAILURES["500"], FAILURES["500"])
    async with talking(tmp_path, script) as (recorded, endpoint):
        session = recorded.session
        await fill(session, 6)
        said = script.talk
        script.talk = lambda _body: FAILURES["overflow"]
        outcome = await session.run("And now?")
        assert (outcome.code, outcome.choices[0]) == ("context_overflow", "compact")
        (failed,) = recorded.of("error")
        assert isinstance(failed, Failed)
        assert "the summary failed" in failed.text
        assert "nothing is left" not in failed.text
        script.talk = said
        script.answers.clear()
        assert await session.compact(), why(recorded)
        assert endpoint.violations == []


@pytest.mark.parametrize("previewed", [False, True])
async def test_29_a_model_that_calls_tools_is_next_asked_without_any(
    tmp_path: Path, previewed: bool
) -> None:
    """Twice it called one where it should summarise; a summary doesn't need them."""
    script = Summariser()

    def whatever_is_on_offer(body: Body) -> Say:
        call = Call("read_file", {"path": "a.py"})
        return Say(calls=[call]) if body.get("tools") else Say(summary())

    script.good = whatever_is_on_offer
    async with filled(tmp_path, script) as (recorded, endpoint):
        session = recorded.session
        if previewed:
            with pytest.raises(SummaryRefused):
                await session.draft(await session.outline())
            assert await session.compact(), why(recorded)
        else:
            assert not await session.compact()
            draft = await session.draft(await session.outline())
            assert draft is not None and draft.written is not None
        assert ["tools" in body for body in script.asked] == [True, True, False]
        assert endpoint.violations == []
