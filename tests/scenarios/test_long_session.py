"""A long session in a small window, over HTTP: cleared again and again, and nothing of it is lost.

The provider counts every request itself, and otherwise than Haima estimates. It refuses what a real
one refuses, a request over its window too, and a prefix that broke without a reason.
"""

import asyncio
import json
import re
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from app.config import CompactionSettings, ModelSettings, Settings
from app.conversation.window import guard_mark
from app.events import Cleared, Event, Offloaded, RecoveryTold, Restored, Text
from app.llm.client import OpenAIModel
from app.session.clock import SystemClock
from app.text import Words
from tests.endpoint import Call, Endpoint, Say, Tokens
from tests.endpoint.script import Body
from tests.scenarios.test_gauge import call_tokens, counted, prompt_tokens, text_of
from tests.session.support import Recorded, make_session

WINDOW = 16_384
STEPS = 60
TURNS = 4
UNDO_AT = 3
"""The clear that is taken back."""

QUOTES = (19, 34, 52)
"""Steps that quote a cleared result."""

_POINTER = 170
"""Tokens of a pointer at most, its names included."""


def write_files(root: Path) -> dict[str, str]:
    """A file for each step, and those that are too long for a context."""
    code, files = text_of("py_code"), {}
    for step in range(STEPS):
        length = 20_000 if step % 20 == 5 else 900 if step % 4 == 0 else 2_600
        start = 700 * step
        files[f"m{step:02}.py"] = "\n".join((code * 3)[start : start + length].splitlines())
    for name, text in files.items():
        (root / name).write_text(text)
    return files


@dataclass
class Provider:
    """Plays an agent that reads and runs things; looks at each request before it answers.

    Attributes:
        files: what lies in the project.
        events: of the session, so far.
        over: requests at or over the mark although clearing would have paid.
        counted: tokens of each request, as the provider counts them.
        quoted: paths of the results that were quoted, and what came back.
        breaks: the calls whose results differ from the request before, by request.
    """

    files: dict[str, str]
    recorded: Recorded | None = None
    step: int = 0
    over: list[str] = field(default_factory=list)
    counted: list[int] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    breaks: list[set[str]] = field(default_factory=list)
    quoted: list[tuple[str, str]] = field(default_factory=list)
    before: Body | None = None

    def __call__(self, body: Body) -> Say:
        self._look(body)
        text, calls = self._next(body)
        spoken = counted(text) + sum(
            call_tokens({"name": call.name, "arguments": json.dumps(call.arguments)})
            for call in calls
        )
        usage = Tokens(self.counted[-1], round(spoken))
        return Say(text, calls, usage=usage, chunk=40)

    def _look(self, body: Body) -> None:
        assert self.recorded is not None
        session, told = self.recorded.session, self.recorded.contexts[-1]
        marks = session.context.window.marks
        assert (told.clear, told.window) == (marks.clear, WINDOW)
        self.counted.append(prompt_tokens(body))
        left = clearable(body)
        worth = left >= marks.min_gain or (told.tokens >= marks.summary and left > 0)
        if told.tokens >= marks.clear and worth and not session.clearing_paused:
            self.over.append(f"{told.tokens}: {left} could go")
        self.breaks.append(differing(self.before, body))
        self.before = body
        last = body["messages"][-1]
        if last["role"] == "tool" and self.asked:
            self.quoted.append((self.asked.pop(), without_recovery(last)["content"]))

    def _next(self, body: Body) -> tuple[str, list[Call]]:
        step, self.step = self.step, self.step + 1
        if step % (STEPS // TURNS) == STEPS // TURNS - 1:
            return "That is enough for now.", []
        name = f"m{step:02}.py"
        if step in QUOTES:
            path, ref = quotable(body)
            self.asked.append(path)
            return "I look that up.", [Call("read_history", {"ref": ref})]
        if step % 5 == 2:
            command = {"command": f"cat {name}"}
            return "I run it.", [Call("execute_command", command)]
        if step % 10 == 8:
            both = (name, f"m{step + 2:02}.py" if step + 2 < STEPS else "m00.py")
            return "Two at once.", [Call("read_file", {"path": path}) for path in both]
        return "Next.", [Call("read_file", {"path": name})]


def quotable(body: Body) -> tuple[str, str]:
    """The path and the reference of the newest pointer to a file that was read whole."""
    pattern = r'\[Cleared: read_file (m\d+\.py), [\d,]+ characters\..*read_history\(ref="(\w+)"\)'
    found = re.findall(pattern, "\n".join(str(m["content"]) for m in body["messages"]))
    whole = [(path, ref) for path, ref in found if int(path[1:3]) % 4 == 0]
    assert whole
    return whole[-1]


def clearable(body: Body) -> int:
    """Tokens that clearing would free, by what the request says; pointers taken off."""
    messages = body["messages"]
    last = max(at for at, one in enumerate(messages) if one["role"] != "tool")
    results = [at for at, one in enumerate(messages) if one["role"] == "tool"]
    freed = 0.0
    for at in results[:-3]:
        text = messages[at]["content"]
        kept = 'tool="read_history"' in text[:40] or "\n[Cleared: " in text[:120]
        if at < last and not kept and len(text) >= 600:
            freed += counted(text) - _POINTER
    return round(freed)


def differing(before: Body | None, body: Body) -> set[str]:
    """The calls whose results stand otherwise in a request than in the one before.

    Everything else is the same: how many there are, their order, their ids, and all other words,
    apart from the one recovery block, which goes with a clear from where it stood.
    """
    if before is None:
        return set()
    old, new = before["messages"], body["messages"]
    assert len(old) <= len(new)
    assert before["tools"] == body["tools"]
    changed = set()
    assert sum(str(one["content"]).count("\n<recovery>\n") for one in new) <= 1
    for one, other in zip(map(without_recovery, old), map(without_recovery, new), strict=False):
        if one != other:
            assert one["role"] == other["role"] == "tool"
            assert one["tool_call_id"] == other["tool_call_id"]
            assert "[Cleared: " in one["content"] + other["content"]
            changed.add(one["tool_call_id"])
    return changed


def without_recovery(message: dict[str, Any]) -> dict[str, Any]:
    """A message without what Haima itself tells at it."""
    if not isinstance(message["content"], str):
        return message
    bare = re.sub(r"\n\n<recovery>\n.*</recovery>", "", message["content"], flags=re.DOTALL)
    return message | {"content": bare}


@dataclass(frozen=True)
class Long:
    """The session, once it is over.

    Attributes:
        undone: what taking a clear back said.
    """

    recorded: Recorded
    endpoint: Endpoint
    provider: Provider
    undone: list[bool]
    held: int
    restored: str

    def of(self, kind: type[Event]) -> list[Any]:
        """The events of a type."""
        return [event for event in self.recorded.events if isinstance(event, kind)]


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Long:
    """Plays it."""

    async def run() -> Long:
        tmp_path = tmp_path_factory.mktemp("long")
        root = tmp_path / "project"
        root.mkdir()
        provider = Provider(write_files(root))
        undoing: list[asyncio.Task[bool]] = []
        async with Endpoint(
            provider, prefix_check=True, window=WINDOW, count=prompt_tokens
        ) as endpoint:
            model = OpenAIModel(
                "scripted", endpoint.base_url, clock=SystemClock(), words=Words("en")
            )
            settings = Settings(
                model=ModelSettings(window=WINDOW),
                # With summaries too it is played in test_summaries.
                compaction=CompactionSettings(auto="clear"),
            )
            recorded = provider.recorded = make_session(tmp_path, model, settings=settings)
            session = recorded.session

            def listen(event: Event) -> None:
                if isinstance(event, Cleared | Restored):
                    endpoint.announce_break()
                times = sum(isinstance(one, Cleared) for one in recorded.events)
                if isinstance(event, Text) and times == UNDO_AT and not undoing:
                    undoing.append(asyncio.create_task(session.undo_clear()))

            session.publish.listeners.append(listen)
            await session.open()
            for turn in range(TURNS):
                await session.resume_clearing()
                outcome = await session.run(f"Part {turn + 1}: go through the modules.")
                assert outcome.ok, outcome
            held = await session.held_back("cleared")
            brought = await session.bring_back([held[-1].id])
            provider.step = STEPS - 1
            assert (await session.run("And now?")).ok
            await session.close()
            return Long(
                recorded,
                endpoint,
                provider,
                [task.result() for task in undoing],
                len(held),
                brought[0].part.text,
            )

    return asyncio.run(run())


def test_a_provider_refuses_none_of_its_requests(long: Long) -> None:
    assert long.endpoint.violations == []
    assert long.endpoint.refusals == []
    assert len(long.endpoint.requests) == STEPS + 1
    assert max(long.provider.counted) < guard_mark(WINDOW)


def test_no_request_is_over_the_marks_for_lack_of_clearing(long: Long) -> None:
    assert long.provider.over == []
    cleared = long.of(Cleared)
    assert len(cleared) > 5
    for event, block in zip(cleared, long.of(RecoveryTold), strict=True):
        freed = event.tokens_before - event.tokens_after + block.tokens
        assert event.tokens_before >= 6_000
        assert freed >= 800 or event.tokens_before >= 10_000


def test_exactly_what_was_cleared_stands_otherwise(long: Long) -> None:
    told = [event for event in long.recorded.events if isinstance(event, Cleared | Restored)]
    told = [event for event in told if isinstance(event, Cleared) or event.how == "undo"]
    assert [changed for changed in long.provider.breaks if changed] == [
        set(event.calls) for event in told
    ]
    once = [call for event in long.of(Cleared) for call in event.calls]
    undone = {call for event in long.of(Restored) for call in event.calls if event.how == "undo"}
    assert undone
    twice = {call for call in once if once.count(call) > 1}
    assert twice <= undone, "no result is touched twice unless it was taken back"


def test_a_pointer_gives_the_original_back(long: Long) -> None:
    assert len(long.provider.quoted) == len(QUOTES)
    for path, result in long.provider.quoted:
        assert "[Quoted from this conversation" in result
        shown = "\n".join(line.split("\t")[-1] for line in result.splitlines())
        for line in filter(str.strip, long.provider.files[path].splitlines()):
            assert line.strip() in shown


def test_big_results_went_to_files(long: Long) -> None:
    # Others may go as they are too much together.
    offloaded = [event for event in long.of(Offloaded) if event.characters > WINDOW // 2]
    assert [event.tool for event in offloaded] == ["read_file"] * 3
    for number, event in zip((5, 25, 45), offloaded, strict=True):
        assert (long.recorded.root / event.path).read_text() == long.provider.files[
            f"m{number:02}.py"
        ]


def test_an_undo_gives_the_request_before_back_byte_for_byte(long: Long) -> None:
    assert long.undone == [True]
    requests, breaks = long.endpoint.requests, long.provider.breaks
    (restored,) = (event for event in long.of(Restored) if event.how == "undo")
    calls = set(restored.calls)
    at = next(number for number, changed in enumerate(breaks) if changed == calls)
    assert breaks[at + 1] == calls, "cleared in one request, back in the next"
    before, after = requests[at - 1]["messages"], requests[at + 1]["messages"]
    for one, other in zip_longest(before, after[: len(before)]):
        assert json.dumps(one) == json.dumps(other)


def test_what_is_brought_back_is_quoted_and_the_prefix_stays(long: Long) -> None:
    last = long.endpoint.requests[-1]["messages"][-1]
    assert last["role"] == "user"
    assert long.restored.splitlines()[-1] in last["content"]
    assert "<restored ref=" in last["content"]
    assert long.held > 20
