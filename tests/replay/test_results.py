"""What a replay keeps of results is what the agent keeps of them: the two are written apart."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from app.agent.results import Result, Results
from app.archive.message_search import Hit
from app.archive.originals import Original
from app.archive.recorder import Recorder
from app.compaction.offload import Offloader
from app.conversation.content import Content
from app.conversation.history import History
from app.conversation.messages import Message, TextPart, ToolCall
from app.conversation.meter import Meter
from app.conversation.outcome import ToolOutcome
from app.conversation.window import thresholds
from app.conversation.work import NOTHING
from app.llm.families import coefficients_for
from app.memory.name_index import NameIndex
from app.replay.happened import Happened
from app.replay.recording import Recorded
from app.replay.results import ReplayedResults, shortened, stays
from app.replay.rows_in_memory import RowsInMemory
from app.tools.base import ToolOutput
from tests.replay.recordings import WORDS, call

Step = tuple[tuple[ToolCall, str], ...]


def called(number: int, tool: str, text: str, **arguments: object) -> tuple[ToolCall, str]:
    plain = call(tool, **arguments)
    return ToolCall(f"c{number}", plain.name, plain.arguments), text


def page(name: str, characters: int) -> str:
    line = "at com.example.{name}.Handler{number}.run(src/{name}/handler_{number}.py)\n"
    lines = (line.format(name=name, number=number) for number in range(characters // 50))
    return "".join(lines)[:characters]


STEPS: tuple[Step, ...] = (
    (called(1, "execute_command", page("alpha", 40_000), command="make all"),),
    (called(2, "read_file", page("beta", 30_000), path="b.txt"),),
    (called(3, "read_file", page("gamma", 20_000), path="g.txt", offset=1, limit=400),),
    tuple(
        called(
            10 + number, "read_file", page(f"part{number}", 9_000 + 700 * number), path=f"{number}"
        )
        for number in range(8)
    ),
    (
        called(20, "execute_command", page("delta", 14_000), command="make some"),
        called(21, "read_file", page("eps", 30_000), path="e.txt", limit=700),
        called(22, "read_file", page("zeta", 30_000), path="z.txt", limit=700),
        called(23, "grep", "nothing", pattern="x"),
    ),
)


class Kept:
    """One history, and what keeps results in it."""

    def __init__(self, folder: Path, window: int) -> None:
        self.meter = Meter(coefficients_for(""))
        self.recorder = Recorder(History(), RowsInMemory(), "replay")
        self.index = NameIndex("/p")
        folder.mkdir()
        self.offloader = Offloader(folder, "replay", WORDS)
        self.marks = thresholds(window)
        self.told: list[Happened] = []

    async def begin(self, step: int, calls: Step) -> None:
        asked = tuple(one for one, _ in calls)
        await self.recorder.append(Message(f"a{step}", "assistant", calls=asked))

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.recorder.history]


async def replayed(kept: Kept) -> list[str]:
    results = ReplayedResults(
        recorder=kept.recorder,
        offloader=kept.offloader,
        meter=kept.meter,
        marks=lambda: kept.marks,
        index=kept.index,
        told=kept.told.append,
    )
    for number, calls in enumerate(STEPS):
        await kept.begin(number, calls)
        results.begin_step()
        for one, text in calls:
            message = Message(
                f"r{one.id}", "tool", (TextPart(text),), call_id=one.id, tool=one.name
            )
            await results.keep(one, Recorded(message), NOTHING)
        await results.fit()
    return kept.texts


class NoOriginals:
    """Nothing of another process is looked for."""

    budget = 0

    async def search(self, query: str) -> Sequence[Hit]:
        raise AssertionError(query)

    def tokens(self, text: str) -> int:
        raise AssertionError(text)

    async def find(self, ref: str) -> Original | None:
        raise AssertionError(ref)


async def of_the_agent(kept: Kept) -> list[str]:
    results = Results(
        recorder=kept.recorder,
        offloader=kept.offloader,
        meter=kept.meter,
        marks=lambda: kept.marks,
        tools=lambda: "",
        index=kept.index,
        originals=NoOriginals(),
        publish=lambda _: None,
    )
    for number, calls in enumerate(STEPS):
        await kept.begin(number, calls)
        results.begin_step()
        for one, text in calls:
            outcome = ToolOutcome(True, 0.0, len(text))
            await results.keep(Result(one, f"r{one.id}", given(one, text), outcome))
        await results.fit()
    return kept.texts


def given(one: ToolCall, text: str) -> ToolOutput:
    """What a tool of ours gives for such a call."""
    if not stays(one):
        return ToolOutput(text, content=Content.of(text.encode()))
    return ToolOutput(text, shorter=lambda most: ToolOutput(shortened(text, most)))


def differing(first: Sequence[str], second: Sequence[str]) -> list[int]:
    return [at for at, (one, two) in enumerate(zip(first, second, strict=True)) if one != two]


@pytest.mark.parametrize("window", [16_000, 64_000])
def test_results_come_out_as_with_the_agent(window: int, tmp_path: Path) -> None:
    ours, agents = Kept(tmp_path / "replay", window), Kept(tmp_path / "agent", window)
    texts = asyncio.run(replayed(ours))
    assert differing(texts, asyncio.run(of_the_agent(agents))) == []
    whole = [text for step in STEPS for text in ("", *(text for _, text in step))]
    changed = differing(texts, whole)
    assert 1 in changed, "over its own limit"
    assert len(changed) > 4, "and over the one of all together"
    assert len(ours.told) >= 4
    standing = ours.recorder.standings
    assert standing == agents.recorder.standings
