"""Summarisers that fail: nothing changes, and it never becomes a loop."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import pytest

from app.compaction.breaker import AN_HOUR, IN_A_ROW, Withheld
from app.config import CompactionSettings
from app.events import Failed, Notice, Paused, SummaryFailed
from app.session.restore import Resume
from tests.endpoint.server import estimate
from tests.session.summing import (
    FAILURES,
    Ids,
    Summariser,
    at_length,
    fill,
    filled,
    prose,
    request,
    rows,
    talking,
    why,
)
from tests.session.support import TestClock


class TestFailing:
    @pytest.mark.parametrize("how", FAILURES)
    async def test_leaves_all_as_it_was(self, tmp_path: Path, how: str) -> None:
        step = FAILURES[how]
        script = Summariser(*[step] * 40)
        async with filled(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            before, ledger = request(session), rows(recorded.ledger)
            node = session.node
            assert not await session.compact()
            assert request(session) == before
            assert rows(recorded.ledger) == ledger
            assert session.node == node
            (failed,) = recorded.of("summary_rejected")
            assert isinstance(failed, SummaryFailed)
            assert failed.reason
            assert failed.attempt == 1
            started = recorded.of("summary_started")
            assert len(started) == 1
            assert len(script.asked) <= 8, "two, each with the client's own retries"
            await session.run("And now?")
            assert session.outcome.ok
            assert endpoint.violations == []

    @pytest.mark.parametrize("how", ["headings", "500"])
    async def test_three_in_a_row_pause_and_are_told_once(self, tmp_path: Path, how: str) -> None:
        step = FAILURES["no headings" if how == "headings" else how]
        script = Summariser(*[step] * 100)
        async with talking(tmp_path, script) as (recorded, _):
            session = recorded.session
            await fill(session, 8)
            for _ in range(6):
                await session.run("Go on.")
                assert session.outcome.ok
            assert len(recorded.of("summary_rejected")) == 3
            notices = [one for one in recorded.of("notice") if isinstance(one, Notice)]
            assert sum(one.code == "summaries_paused" for one in notices) == 1
            assert [one.on for one in recorded.of("paused") if isinstance(one, Paused)] == [True]
            assert session.summaries_paused
            asked = len(script.asked)
            script.answers.clear()
            await session.run("Go on.")
            assert len(script.asked) == asked
            await session.resume_summaries()
            assert not session.summaries_paused
            await session.run("Go on.")
            assert recorded.of("summarized")

    async def test_an_hour_that_had_its_summaries_is_the_reason_told(self, tmp_path: Path) -> None:
        """A long turn that nobody watches ended with nothing left to clear, which was no help."""
        async with talking(tmp_path, Summariser()) as (recorded, _):
            session = recorded.session
            assert session._chain is not None
            for _ in range(AN_HOUR):
                session._chain.summaries.breaker.begun()
            for _ in range(12):
                await fill(session, 1, 8_000)
                if not session.outcome.ok:
                    break
            assert session.outcome.code == "too_large"
            assert session.outcome.choices[0] == "compact"
            (failed,) = recorded.of("error")
            assert isinstance(failed, Failed)
            assert "12 summaries began by themselves within the last hour" in failed.text
            assert "nothing left" not in failed.text
            assert not recorded.of("summarized")

    @pytest.mark.parametrize("auto", ["off", "clear"])
    @pytest.mark.parametrize("limit", [None, 9_000])
    async def test_what_is_switched_off_is_the_reason_told(
        self, tmp_path: Path, auto: Literal["off", "clear"], limit: int | None
    ) -> None:
        """FIELD 61: zero compactions, and not that nothing was left, as `/compact` helps."""
        compaction = CompactionSettings(auto=auto)
        window = 16_600 if limit is None else 64_000
        script = Summariser()
        async with talking(tmp_path, script, window=window, compaction=compaction, limit=limit) as (
            recorded,
            _,
        ):
            session = recorded.session
            for _ in range(12):
                await fill(session, 1, 6_000)
                if not session.outcome.ok:
                    break
            assert session.outcome.code == ("too_large" if limit is None else "context_overflow")
            assert session.outcome.choices == ("compact", "cut", "model", "shorten", "fork")
            (failed,) = recorded.of("error")
            assert isinstance(failed, Failed)
            assert f"compaction.auto is {auto}" in failed.text
            assert "/compact" in failed.text
            assert "nothing is left to compact" not in failed.text
            assert not recorded.of("summarized", "summary_started")
            assert not script.asked
            assert await session.compact(), why(recorded)

    async def test_a_summary_that_could_free_nothing_is_not_offered(self, tmp_path: Path) -> None:
        compaction = CompactionSettings(auto="clear")
        async with talking(tmp_path, Summariser(), compaction=compaction) as (recorded, _):
            await recorded.session.run(prose("all", 90_000))
            assert recorded.session.outcome.code == "too_large"
            assert recorded.session.outcome.choices == ("cut", "model", "shorten", "fork")
            # before the very first message there is nothing a fork could keep
            assert await recorded.session.ways_out() == ("model", "shorten")

    async def test_an_earlier_message_can_be_forked_from(self, tmp_path: Path) -> None:
        compaction = CompactionSettings(auto="clear")
        async with talking(tmp_path, Summariser(), compaction=compaction) as (recorded, _):
            await recorded.session.run("hello")
            await recorded.session.run(prose("all", 90_000))
            assert recorded.session.outcome.code == "too_large"
            assert (await recorded.session.ways_out())[-1] == "fork"

    async def test_failures_are_the_reason_told_where_it_is_not_sent(self, tmp_path: Path) -> None:
        script = Summariser(*[FAILURES["no headings"]] * 100)
        async with talking(tmp_path, script) as (recorded, _):
            session = recorded.session
            for _ in range(20):
                await fill(session, 1)
                if not session.outcome.ok:
                    break
            assert session.outcome.code == "too_large"
            assert session.outcome.choices[0] == "cut"
            (failed,) = recorded.of("error")
            assert isinstance(failed, Failed)
            assert "several in a row failed" in failed.text

    async def test_a_refusal_in_an_hour_that_had_its_summaries_says_so(
        self, tmp_path: Path
    ) -> None:
        """Not that nothing is left to compact: `/compact` would help."""
        script = Summariser()
        async with talking(tmp_path, script, window=64_000, limit=9_000) as (recorded, _):
            session = recorded.session
            assert session._chain is not None
            for _ in range(AN_HOUR):
                session._chain.summaries.breaker.begun()
            for _ in range(12):
                await fill(session, 1, 6_000)
                if not session.outcome.ok:
                    break
            assert session.outcome.code == "context_overflow"
            assert session.outcome.choices[0] == "compact"
            (failed,) = recorded.of("error")
            assert isinstance(failed, Failed)
            assert "12 summaries began by themselves within the last hour" in failed.text
            at = f"{datetime(2026, 11, 29, 13, 0, 59, tzinfo=UTC).astimezone():%H:%M}"
            assert f"may begin at {at}" in failed.text, "by the session's clock"
            assert "nothing is left" not in failed.text
            assert not recorded.of("paused"), "the error says it, and nothing else does beside it"
            assert not script.asked
            assert await session.compact(), why(recorded)

    async def test_an_hour_that_ends_while_it_is_looked_at_has_a_time(self, tmp_path: Path) -> None:
        clock = Hurrying()
        async with talking(tmp_path, Summariser(), clock=clock) as (recorded, _):
            assert recorded.session._chain is not None
            tier = recorded.session._chain.summaries
            for _ in range(AN_HOUR):
                tier.breaker.begun()
            clock.seconds, clock.hurries = 3_599, 1
            assert tier.withheld == Withheld("hour", clock.now())
            assert tier.withheld is None

    async def test_a_refusal_while_summaries_pause_says_so(self, tmp_path: Path) -> None:
        script = Summariser()
        async with talking(tmp_path, script, window=64_000, limit=9_000) as (recorded, _):
            session = recorded.session
            await fill(session, 3, 6_000)
            assert session._chain is not None
            for _ in range(IN_A_ROW):
                session._chain.summaries.breaker.failed(100_000)
            await fill(session, 1, 20_000)
            assert session.outcome.code == "context_overflow"
            (failed,) = recorded.of("error")
            assert isinstance(failed, Failed)
            assert "several in a row failed" in failed.text
            assert "nothing is left" not in failed.text
            assert session.outcome.choices[0] == "compact", "as the sentence says"
            assert not script.asked

    @pytest.mark.parametrize("by_hand", [False, True])
    async def test_the_hour_counts_those_of_an_earlier_process(
        self, tmp_path: Path, by_hand: bool
    ) -> None:
        """Else a loop of `haima run --continue` would have no limit at all."""
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, _):
            await fill(recorded.session, 8)
            made = len(recorded.of("summarized"))
            assert made
            if by_hand:
                script.talk = at_length
                await fill(recorded.session, 2, 400)
                assert await recorded.session.compact(), why(recorded)
            node = recorded.session.node
        async with talking(tmp_path, script, start=Resume(node), new_id=Ids()) as (recorded, _):
            assert recorded.session._chain is not None
            breaker = recorded.session._chain.summaries.breaker
            for _ in range(AN_HOUR - made):
                assert breaker.why_not(10_000, 16_600) is None
                breaker.begun()
            assert (breaker.why_not(10_000, 16_600) == "hour") != by_hand

    async def test_growth_ends_a_pause(self, tmp_path: Path) -> None:
        script = Summariser(*[FAILURES["no headings"]] * 9)
        async with talking(tmp_path, script) as (recorded, _):
            await fill(recorded.session, 8)
            for _ in range(3):
                await recorded.session.run("Go on.")
            assert len(recorded.of("summary_rejected")) == 3
            script.answers.clear()
            await fill(recorded.session, 2, 3_600, "more")
            assert recorded.of("summarized")
            paused = [one.on for one in recorded.of("paused") if isinstance(one, Paused)]
            assert paused == [True, False]

    async def test_too_little_to_gain_is_tried_once(self, tmp_path: Path) -> None:
        """FIELD 13, 14: one message of the user is nearly all there is."""
        script = Summariser()
        async with talking(tmp_path, script) as (recorded, _):
            session = recorded.session
            await fill(session, 1, 36_000)
            for _ in range(5):
                await session.run("Go on.")
            assert session.outcome.ok
            assert len(script.asked) <= 1
            assert len(recorded.of("summary_rejected")) <= 1

    async def test_no_model_is_asked_where_what_stays_is_too_much_anyway(
        self, tmp_path: Path
    ) -> None:
        """FIELD 14: all that would leave are the user's words, which are kept."""
        script = Summariser()
        async with talking(tmp_path, script, window=64_000) as (recorded, _):
            session = recorded.session
            await fill(session, 6)
            script.talk = lambda body: at_length(body, 36_000)
            await session.run("Tell me all")
            before = request(session)
            assert not await session.compact()
            assert not script.asked
            (failed,) = recorded.of("summary_rejected")
            assert isinstance(failed, SummaryFailed)
            assert failed.code == "cant_summarise"
            assert request(session) == before

    async def test_a_summary_that_is_refused_as_too_long_is_asked_in_pieces(
        self, tmp_path: Path
    ) -> None:
        """FIELD 21: the compaction itself is too long for the server; its limit is believed."""
        script = Summariser(FAILURES["overflow"])
        async with talking(tmp_path, script, window=64_000) as (recorded, endpoint):
            session = recorded.session
            script.talk = at_length
            await fill(session, 20, 400)
            assert await session.compact(), why(recorded)
            first, *pieces = script.asked
            assert "tools" in first
            assert len(pieces) > 1
            assert all("tools" not in body and estimate(body) < 9_000 for body in pieces)
            assert not recorded.of("summary_rejected")
            assert (await session.run("And now?")).ok
            assert endpoint.violations == []

    @pytest.mark.parametrize("status", [400, 401, 429, 500])
    async def test_each_status_has_its_own_sentence_and_the_cut_helps(
        self, tmp_path: Path, status: int
    ) -> None:
        """FIELD 25."""
        script = Summariser(*[FAILURES[str(status)]] * 9)
        async with filled(tmp_path, script) as (recorded, endpoint):
            session = recorded.session
            assert not await session.compact()
            (failed,) = recorded.of("summary_rejected")
            assert isinstance(failed, SummaryFailed)
            told = {
                400: "refuses the request",
                401: "key",
                429: "limits how often",
                500: "failed on its side",
            }
            assert told[status] in failed.reason.lower(), failed.reason
            others = [text for key, text in told.items() if key != status]
            assert not any(text in failed.reason.lower() for text in others), failed.reason
            before = request(session)
            assert await session.cut_without_summary()
            assert len(request(session)) < len(before)
            assert (await session.run("And now?")).ok
            assert endpoint.violations == []

    async def test_a_window_too_small_for_its_tools_is_said_once(self, tmp_path: Path) -> None:
        """FIELD 13."""
        script = Summariser()
        async with talking(tmp_path, script, window=8_000) as (recorded, _):
            session = recorded.session
            (recorded.root / "AGENTS.md").write_text("Never use npm.\n" * 700)
            await session.clear()
            for _ in range(4):
                await session.run(prose("topic", 900))
            assert not script.asked
            (failed,) = recorded.of("summary_rejected")
            assert isinstance(failed, SummaryFailed)
            assert "window" in failed.reason.lower(), failed.reason


class Hurrying(TestClock):
    """Each look at it is so many seconds later."""

    hurries = 0

    def monotonic(self) -> float:
        self.seconds += self.hurries
        return self.seconds - self.hurries
