"""Histories of 80 to 300 % of the window, and summarisers that fail: never a loop, never too much.

What always holds: the next request is valid and under the window, or the turn ends with the error
that says so; no request ever is over the window; a summary takes no more calls than it told.
"""

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.compaction.breaker import IN_A_ROW
from app.config import CompactionSettings
from app.conversation.history import History
from app.events import SummaryFailed, SummaryStarted
from tests.endpoint import Call, Say
from tests.endpoint.script import Body, Step
from tests.endpoint.server import estimate
from tests.session.summing import FAILURES, Summariser, counted, prose, summary, talking

_TRIES = 4
"""Of the model's client, where a call may go well the next time."""

_HARD = 1.05
"""How far the meter may be off: the window is a promise of the estimate."""


@dataclass(frozen=True)
class Case:
    """A conversation, and what its summariser does.

    Attributes:
        window: tokens.
        turns: of each: characters of the user's words, of the answer, of each result.
        how: the failure, "" for none.
        pinned: which results are pinned.
        cut: `compaction.on_failure`.
    """

    window: int
    turns: list[tuple[int, int, list[int]]]
    how: str
    pinned: bool
    cut: bool


@st.composite
def cases(draw: st.DrawFn) -> Case:
    window = draw(st.sampled_from([8_000, 16_000, 32_000]))
    share = draw(st.floats(0.8, 3.0))
    left = int(share * window * 4)
    turns: list[tuple[int, int, list[int]]] = []
    while left > 0 and len(turns) < 12:
        most = max(400, min(left, window))
        said = draw(st.integers(20, most))
        answer = draw(st.integers(20, most))
        results = draw(st.lists(st.integers(20, most), max_size=4))
        turns.append((said, answer, results))
        left -= said + answer + sum(results)
    return Case(
        window=window,
        turns=turns,
        how=draw(st.sampled_from(["", *FAILURES])),
        pinned=draw(st.booleans()),
        cut=draw(st.booleans()),
    )


class _Script(Summariser):
    """Plays the turns, then short answers."""

    def __init__(self, case: Case) -> None:
        super().__init__()
        self.case = case
        self.turn = -1
        self.talk = self._talk
        self.good = lambda body: Say(summary("x" * 300), usage=counted(body, 90))
        self.over: list[int] = []

    def __call__(self, body: Body) -> Step:
        size = estimate(body)
        if size > _HARD * self.case.window and self.turn >= len(self.case.turns):
            self.over.append(size)
        return super().__call__(body)

    def _talk(self, body: Body) -> Say:
        if self.turn >= len(self.case.turns):
            return Say("Noted.", usage=counted(body, 3))
        _, answer, results = self.case.turns[self.turn]
        if results and body["messages"][-1]["role"] == "user":
            calls = [
                Call("read_file", {"path": f"{self.turn}-{n}.txt", "offset": 1, "limit": 9_999})
                for n in range(len(results))
            ]
            return Say(calls=calls, usage=counted(body, 30 * len(calls)))
        text = prose(f"answer {self.turn}", answer)
        return Say(text, chunk=len(text), usage=counted(body, len(text) // 4))


async def played(case: Case, folder: Path) -> None:
    script = _Script(case)
    compaction = CompactionSettings(on_failure="cut" if case.cut else "stop")
    async with talking(
        folder, script, window=1_000_000, compaction=compaction, allowance="read"
    ) as (recorded, endpoint):
        session = recorded.session
        for number, (said, _, results) in enumerate(case.turns):
            script.turn = number
            for n, size in enumerate(results):
                (recorded.root / f"{number}-{n}.txt").write_text(prose(f"file {number}-{n}", size))
            await session.run(prose(f"topic {number}", said))
            assert session.outcome.ok
        results_here = [one.id for one in session.history if one.role == "tool"]
        if case.pinned and results_here:
            await session.pin(results_here[::2], True)
        script.turn = len(case.turns)
        session.context.set_window(case.window)
        asked = FAILURES.get(case.how)
        if asked is not None:
            script.answers = [asked] * 2_000
        for _ in range(IN_A_ROW + 2):
            await session.run("And now?")
            assert session.outcome.ok or session.outcome.code == "too_large", session.outcome
            History.check(session.history.messages)
            assert not session.history.open_calls
        assert not script.over
        started = [one for one in recorded.events if isinstance(one, SummaryStarted)]
        failed = [one for one in recorded.events if isinstance(one, SummaryFailed)]
        assert len(failed) <= IN_A_ROW + 1
        assert len(script.asked) <= _TRIES * sum(one.calls for one in started)
        assert endpoint.violations == []


@given(cases())
@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
def test_never_a_loop_never_too_much(case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(played(case, Path(folder)))
