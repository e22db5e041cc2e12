"""How full the window is, in a session: what is told when (FIELD 57, 62, 71)."""

import asyncio
import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.config import Settings
from app.conversation.window import WindowError, thresholds
from app.events import ContextMeasured, Event, Notice
from app.ports import Usage
from app.text import Words
from tests.endpoint import Endpoint
from tests.session.support import (
    Piece,
    Recorded,
    ScriptedModel,
    call,
    make_session,
    says,
    until,
)


def at(endpoint: Endpoint, *answers: list[Piece], name: str = "scripted") -> ScriptedModel:
    model = ScriptedModel(*answers)
    model.name, model.base_url = name, endpoint.base_url
    return model


def notices(recorded: Recorded, code: str) -> list[str]:
    return [
        event.text for event in recorded.events if isinstance(event, Notice) if event.code == code
    ]


def watched(recorded: Recorded) -> list[Event]:
    """All events from now on, the figures in their place."""
    events: list[Event] = []

    def keep(event: Event) -> None:
        events.append(event)

    recorded.session.publish.listeners.append(keep)
    return events


def total(event: ContextMeasured) -> int:
    parts = event.parts
    return parts.system + parts.tools + parts.memory + parts.history + parts.results


async def opened(tmp_path: Path, *answers: list[Piece]) -> Recorded:
    recorded = make_session(tmp_path, ScriptedModel(*answers))
    await recorded.session.open()
    return recorded


async def test_at_the_start_the_system_message_and_the_tools_are_counted(tmp_path: Path) -> None:
    recorded = await opened(tmp_path)
    (event,) = recorded.contexts
    assert event.source == "estimated"
    assert event.parts.system > 100
    assert event.parts.tools > 500
    assert event.tokens == total(event) == event.parts.system + event.parts.tools
    assert (event.window, event.certain) == (128_000, True)
    assert not recorded.session.history


async def test_told_after_each_message_result_and_answer(tmp_path: Path) -> None:
    recorded = make_session(
        tmp_path, ScriptedModel(says("Looking.", call("read_file", path="a.txt")), says("Done."))
    )
    (recorded.root / "a.txt").write_text("some words of a file\n" * 40)
    events = watched(recorded)
    await recorded.session.open()
    assert (await recorded.session.run("Read it.")).ok
    steps = ("turn_started", "tool_started", "tool_finished", "turn_finished", "context")
    assert [event.type for event in events if event.type in steps] == [
        "context",
        "turn_started",
        "context",
        "context",
        "tool_started",
        "tool_finished",
        "context",
        "context",
        "turn_finished",
    ]
    opening, message, asked, result, done = recorded.contexts
    assert message.parts.history > opening.parts.history == 0
    assert asked.parts.history > message.parts.history
    assert result.parts.results > asked.parts.results == 0
    assert result.tokens - asked.tokens > 150
    assert done.parts.history > result.parts.history
    assert all(event.tokens == total(event) for event in recorded.contexts)


async def test_a_usage_anchors_it(tmp_path: Path) -> None:
    usage = Usage(prompt=2_000, completion=7)
    recorded = await opened(tmp_path, says("Hello to you.", usage=usage))
    await recorded.session.run("Hello!")
    last = recorded.contexts[-1]
    assert (last.tokens, last.source) == (2_007, "anchored")
    assert recorded.session.context.turns == [2_007]


async def test_equal_figures_are_not_told_twice(tmp_path: Path) -> None:
    recorded = await opened(tmp_path, says("Hello."))
    await recorded.session.run("Hello!")
    told = list(recorded.contexts)
    recorded.session.context.tell()
    recorded.session.context.turn_ended()
    recorded.session.context.set_window(None)
    assert recorded.contexts == told
    assert all(one != other for one, other in itertools.pairwise(told))


async def test_another_model_drops_the_anchor(tmp_path: Path) -> None:
    recorded = await opened(tmp_path, says("Hello.", usage=Usage(prompt=2_000, completion=2)))
    await recorded.session.run("Hello!")
    other = ScriptedModel()
    other.name = "qwen3.6-plus"
    recorded.session.use_model(other)
    last = recorded.contexts[-1]
    assert last.source == "estimated"
    assert last.window == recorded.session.context.window.window.effective
    assert recorded.session.context.meter.endpoint == ("", "qwen3.6-plus")


async def test_clear_falls_at_once(tmp_path: Path) -> None:
    """FIELD 62: the figure falls with the history, not with the next answer."""
    recorded = await opened(tmp_path, says("Words. " * 500, usage=Usage(2_000, completion=1_000)))
    await recorded.session.run("Tell me a lot.")
    full = recorded.contexts[-1]
    events = watched(recorded)
    await recorded.session.clear()
    assert [event.type for event in events] == ["history_cleared", "session_started", "context"]
    last = recorded.contexts[-1]
    assert (last.parts.history, last.source) == (0, "estimated")
    assert last.tokens == total(last) < full.tokens - 700
    assert recorded.session.context.turns == []


async def test_after_clear_the_figure_is_told_even_if_it_is_the_same(tmp_path: Path) -> None:
    recorded = await opened(tmp_path)
    await recorded.session.clear()
    first, second = recorded.contexts
    assert first.tokens == second.tokens
    assert first.chain != second.chain


async def test_a_silent_truncation_is_told_once(tmp_path: Path) -> None:
    short = Usage(prompt=300, completion=2)
    recorded = await opened(tmp_path, says("One.", usage=short), says("Two.", usage=short))
    await recorded.session.run("Hello!")
    (text,) = notices(recorded, "silent_truncation")
    assert "counted 300 tokens" in text
    await recorded.session.run("And again.")
    assert len(notices(recorded, "silent_truncation")) == 1
    assert recorded.contexts[-1].source == "estimated"
    assert recorded.contexts[-1].tokens > 1_000


async def test_the_users_window_changes_the_marks(tmp_path: Path) -> None:
    recorded = await opened(tmp_path)
    recorded.session.context.set_window(200_000)
    first, second = recorded.contexts
    marks = thresholds(200_000)
    assert second.tokens == first.tokens
    assert (second.window, second.certain) == (200_000, True)
    assert (second.clear, second.warn, second.summary, second.reserve) == (
        marks.clear,
        marks.warn,
        marks.summary,
        marks.reserve,
    )
    with pytest.raises(WindowError):
        recorded.session.context.set_window(0)
    assert len(recorded.contexts) == 2
    recorded.session.context.set_window(None)
    assert recorded.contexts[-1].window == first.window


async def test_the_endpoints_window_arrives_as_another_event(tmp_path: Path) -> None:
    models: list[Any] = [{"id": "scripted", "context_length": 65_536}]
    async with Endpoint(models=models) as endpoint:
        recorded = make_session(tmp_path, at(endpoint))
        await recorded.session.open()
        assert [event.window for event in recorded.contexts] == [32_768]
        await until(lambda: len(recorded.contexts) > 1)
        await recorded.session.close()
    first, second = recorded.contexts
    assert (first.certain, second.certain) == (False, True)
    assert (second.window, second.tokens) == (65_536, first.tokens)
    assert second.summary == thresholds(65_536).summary
    assert notices(recorded, "window") == []


async def test_an_unknown_window_is_told_once(tmp_path: Path) -> None:
    async with Endpoint(models=["scripted"]) as endpoint:
        recorded = make_session(tmp_path, at(endpoint, says("Hello.")))
        await recorded.session.open()
        await until(lambda: notices(recorded, "window"))
        await recorded.session.clear()
        await recorded.session.run("Hello!")
        await until(lambda: endpoint.model_requests > 1)
        await recorded.session.close()
    (text,) = notices(recorded, "window")
    assert "32,768 tokens are assumed" in text
    assert len(recorded.contexts) == 4, "opened, cleared, the message, the answer"


async def test_the_new_model_is_asked_too(tmp_path: Path) -> None:
    models: list[Any] = [
        {"id": "scripted", "context_length": 65_536},
        {"id": "other", "context_length": 262_144},
    ]
    async with Endpoint(models=models) as endpoint:
        recorded = make_session(tmp_path, at(endpoint))
        await recorded.session.open()
        recorded.session.use_model(at(endpoint, name="other"))
        await until(lambda: recorded.contexts[-1].certain)
        await recorded.session.close()
    assert recorded.contexts[-1].window == 262_144
    assert 65_536 not in [event.window for event in recorded.contexts]


async def test_close_ends_the_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, ended = asyncio.Event(), asyncio.Event()

    async def never(*_: object) -> None:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    monkeypatch.setattr("app.session.window.live_window", never)
    async with Endpoint() as endpoint:
        recorded = make_session(tmp_path, at(endpoint), settings=Settings())
        await recorded.session.open()
        await asked.wait()
        async with asyncio.timeout(60):
            await recorded.session.close()
    assert ended.is_set()
    assert len(recorded.contexts) == 1


async def test_a_turn_that_goes_on_is_one_turn(tmp_path: Path) -> None:
    failed = RuntimeError("broken")
    recorded = await opened(tmp_path, [failed], says("One."), [failed], says("Two."))
    turns = recorded.session.context.turns
    await recorded.session.run("Hello!")
    assert len(turns) == 1
    assert recorded.session.go_on()
    await recorded.session.wait_idle()
    assert turns == [recorded.contexts[-1].tokens]
    await recorded.session.run("And?")
    assert len(turns) == 2
    await recorded.session.run("Well?")
    assert len(turns) == 2, "the second message joins the first, which nobody answered"
    assert turns[-1] == recorded.contexts[-1].tokens > turns[0]


async def test_notices_follow_the_language_of_the_session(tmp_path: Path) -> None:
    usage = [Usage(prompt=5_000), Usage(prompt=300)]
    model = ScriptedModel(says("One", usage=usage[0]), says("Two", usage=usage[1]))
    made = make_session(tmp_path, model)
    await made.session.open()
    await made.session.run("Hi")
    made.session.parts = replace(made.session.parts, words=Words("zh"))
    await made.session.run("Again")
    said = [event.text for event in made.events if isinstance(event, Notice)]
    assert any("服务端只计了 300 tokens" in text for text in said), said
