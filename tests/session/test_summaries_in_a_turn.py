"""Summaries in the middle of things: stops, messages typed meanwhile, refusals."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from app.agent.react import TurnOutcome
from app.config import CompactionSettings
from app.events import Retry, SummaryFailed, SummaryStarted
from app.paths import Paths
from app.session.learned import LearnedLimits
from tests.endpoint import Say, Status
from tests.endpoint.server import estimate
from tests.session.summing import (
    FAILURES,
    Ids,
    Summariser,
    asks_for_summary,
    at_length,
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


class TestInATurn:
    async def test_a_stop_leaves_all_as_it_was(self, tmp_path: Path) -> None:
        """FIELD 76."""
        script = Summariser(lambda _: Say(summary(), hold=asyncio.Event()))
        async with talking(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            await fill(session, 7)
            before, node = request(session), session.node
            session.send(prose("topic 7", 4_000))
            await endpoint.request_count(8)
            session.send("typed meanwhile")
            session.stop()
            await session.wait_idle()
            assert session.outcome.cancelled
            assert session.node == node
            (failed,) = recorded.of("summary_rejected")
            assert isinstance(failed, SummaryFailed)
            assert failed.code == "cancelled"
            assert request(session).startswith(before[:-1])
            assert [one.text for one in session.queued] == ["typed meanwhile"]
            assert session.go_on()
            await session.wait_idle()
            assert session.outcome.ok
            assert recorded.of("summarized")
            assert endpoint.violations == []

    async def test_what_is_typed_meanwhile_is_sent(self, tmp_path: Path) -> None:
        """FIELD 76."""
        hold = asyncio.Event()
        script = Summariser(lambda body: Say(summary(), hold=hold, usage=counted(body, 80)))
        async with talking(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            await fill(session, 7)
            session.send(prose("topic 7", 4_000))
            await endpoint.request_count(8)
            session.send("typed meanwhile")
            hold.set()
            await session.wait_idle()
            assert recorded.of("summarized")
            assert not recorded.of("summary_rejected")
            assert any("typed meanwhile" in text for text in texts(script.said[-1]))
            assert endpoint.violations == []

    async def test_why_its_call_is_tried_again_is_told(self, tmp_path: Path) -> None:
        """A provider may let it wait for a minute (PROVIDERS 4, fault 1)."""
        busy = Status(429, {"error": {"message": "slow down"}}, {"retry-after": "30"})
        async with filled(tmp_path, Summariser(busy)) as (recorded, endpoint):
            assert await recorded.session.compact(), why(recorded)
            told = recorded.of("summary_started", "retry", "summary_progress", "summarized")
            kinds = [one.type for one in told]
            assert kinds == ["summary_started", "retry", "summary_progress", "summarized"]
            (retry,) = (one for one in told if isinstance(one, Retry))
            assert (retry.attempt, retry.wait, retry.message) == (2, 30.0, "")
            assert retry.reason == "the server limits how often it is asked"
            assert endpoint.violations == []

    async def test_a_refused_request_is_summarised_by_force_and_sent_again(
        self, tmp_path: Path
    ) -> None:
        """FIELD 21: the server's window is smaller than the one that was set."""
        script = Summariser()
        script.talk = at_length
        async with talking(tmp_path, script, window=64_000, limit=12_000) as (recorded, endpoint):
            session = recorded.session
            for number in range(14):
                await session.run(f"Look at table_{number}.")
                assert session.outcome.ok, number
            done = recorded.of("summary_started")
            assert isinstance(done[0], SummaryStarted)
            assert done[0].by == "overflow"
            assert recorded.of("summarized")
            assert len(endpoint.refusals) == 1, "the limit is learned"

    async def test_after_a_refusal_one_compaction_and_one_retry(self, tmp_path: Path) -> None:
        """The limit is learned and kept, its pieces fit it, and the session goes on."""
        script = Summariser()
        script.talk = at_length
        async with talking(tmp_path, script, window=64_000, limit=12_000) as (recorded, endpoint):
            session = recorded.session
            while not endpoint.refusals:
                assert (await session.run("Look at the next table.")).ok
            (_,) = endpoint.refusals
            started = recorded.of("summary_started")
            assert [one.by for one in started if isinstance(one, SummaryStarted)] == ["overflow"]
            assert len(recorded.of("summarized")) == 1
            assert len(recorded.of("retry")) == 1
            # The request that was refused, its summary, and it once more.
            asks = [asks_for_summary(body) for body in endpoint.requests]
            first = asks.index(True)
            assert asks[first - 1 :] == [False, *[True] * len(script.asked), False]
            assert all(estimate(body) < 12_000 for body in endpoint.requests[first:])
            assert session.context.window.window.effective == 12_000
            kept = LearnedLimits(Paths(recorded.home).limits_file)
            found = kept.find(endpoint.base_url, "scripted")
            assert found is not None
            assert found.limit == 12_000
            assert (await session.run("And now?")).ok
            assert await session.undo_summary() is False
            assert len(endpoint.refusals) == 1
            assert endpoint.violations == []

    async def test_after_a_refusal_a_summary_that_fails_is_no_loop(self, tmp_path: Path) -> None:
        """The turn ends with the choices; the cut without a summary is one that helps."""
        script = Summariser(*[FAILURES["no headings"]] * 99)
        script.talk = at_length
        async with talking(tmp_path, script, window=64_000, limit=12_000) as (recorded, endpoint):
            session = recorded.session
            outcome = TurnOutcome(ok=True, steps=0)
            while outcome.ok:
                outcome = await session.run("Look at the next table.")
            assert len(endpoint.refusals) == 1
            assert len(recorded.of("retry")) == 1, "the guard cut"
            assert len(recorded.of("summary_rejected")) == 3
            assert session.summaries_paused
            assert outcome.choices == ("cut", "model", "shorten", "fork")
            asked = len(script.asked)
            assert await session.cut_without_summary()
            assert session.go_on()
            await session.wait_idle()
            assert session.outcome.ok
            assert len(script.asked) == asked
            assert len(endpoint.refusals) == 1
            assert endpoint.violations == []

    async def test_nothing_is_summarised_before_the_user_sends(self, tmp_path: Path) -> None:
        """FIELD 60."""
        script = Summariser()
        async with talking(tmp_path, script, window=64_000) as (recorded, _):
            await fill(recorded.session, 12)
            node = recorded.session.node
        async with talking(tmp_path, script, new_id=Ids()) as (recorded, _):
            session = recorded.session
            await session.resume(node)
            assert session.context.crowded
            assert not recorded.of("summary_started")
            assert await session.compact(), why(recorded)
            assert not session.context.crowded
            assert not session.busy

    @pytest.mark.parametrize("auto", ["off", "clear"])
    async def test_where_none_is_made_by_itself_it_is_asked_only_if_it_does_not_fit(
        self, tmp_path: Path, auto: Literal["off", "clear"]
    ) -> None:
        """FIELD 61: on a resume as well; what fits is sent."""
        script, compaction = Summariser(), CompactionSettings(auto=auto)
        async with talking(tmp_path, script, compaction=compaction) as (recorded, _):
            session = recorded.session
            await fill(session, 8)
            marks = session.context.window.marks
            assert marks.summary <= recorded.contexts[-1].tokens < marks.window
            node = session.node
        async with talking(tmp_path, script, compaction=compaction, new_id=Ids()) as (recorded, _):
            await recorded.session.resume(node)
            assert not recorded.session.context.crowded
            recorded.session.context.set_window(9_000)
            assert recorded.session.context.crowded

    @pytest.mark.parametrize(("at_most", "due"), [(1_000_000, False), (1_000_001, True)])
    async def test_what_may_not_fit_is_summarised_below_the_mark_too(
        self, tmp_path: Path, at_most: int, due: bool
    ) -> None:
        """Un-anchored, 920K of 1M are over its end with the margin; the mark lies at 967K."""
        async with talking(tmp_path, Summariser(), window=1_000_000) as (recorded, _):
            context, tier = recorded.session.context, recorded.session._open.compactor.tier
            assert tier is not None
            now = context.meter.measure(context.prospect, context.tools)
            large = replace(now, tokens=920_000, at_most=at_most)
            assert large.tokens < context.window.marks.summary
            assert tier.due(large, full=True) is due

    async def test_a_renewed_system_message_after_a_summary(self, tmp_path: Path) -> None:
        """DESIGN 3: it is rebuilt only then."""
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            await fill(session, 6)
            before = request(session)
            (recorded.root / "AGENTS.md").write_text("Never use npm.")
            await session.run("Go on.")
            assert "Never use npm" not in request(session)
            assert await session.undo_summary() is False
            before = request(session)
            assert await session.compact()
            assert request(session).count("Never use npm") == 1
            await session.undo_summary()
            assert request(session) == before
            assert await session.compact()
            await session.run("Go on.")
            assert session.outcome.ok
            assert endpoint.violations == []
