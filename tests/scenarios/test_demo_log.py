"""The demo's log in a real session: a result really goes to a file, others are really cleared."""

import asyncio
from pathlib import Path
from typing import TypeVar

import pytest

from app.config import CompactionSettings, ModelSettings, Settings
from app.conversation.messages import RestoredPart
from app.events import (
    Cleared,
    ContextMeasured,
    Event,
    Offloaded,
    Restored,
    Text,
    ToolFinished,
)
from app.llm.demo import SUGGESTIONS, WINDOW
from app.llm.demo_log import LOG, night_log
from app.text import LANGUAGES, Key, Language, Words
from tests.scenarios.test_demo import Demo, demo

_, LOOK, NIGHT, SHOW = SUGGESTIONS


Kind = TypeVar("Kind", bound=Event)


def of(played: Demo, kind: type[Kind]) -> list[Kind]:
    return [event for event in played.events if isinstance(event, kind)]


async def play(played: Demo, key: Key, language: Language = "en") -> None:
    outcome = await played.session.run(Words(language)(key))
    assert outcome.ok
    assert not played.last_words.startswith(Words(language)("demo.other").strip()[:20])


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_log_goes_to_a_file_of_the_copy(tmp_path: Path, language: Language) -> None:
    async with demo(tmp_path, language=language) as (played, judge):
        await play(played, NIGHT, language)
        assert judge.asked == []
        (offloaded,) = of(played, Offloaded)
        assert (offloaded.tool, offloaded.characters) == ("read_file", len(night_log()))
        assert offloaded.tokens_after * 10 < offloaded.tokens_before
        file = played.root / offloaded.path
        assert file.read_bytes() == (played.root / LOG).read_bytes() == night_log().encode()
        assert (played.root / ".haima" / "tool-outputs" / ".gitignore").read_text() == "*\n"
        words = Words(language)
        said = words("demo.log_left_file_cleared", file=offloaded.path)
        assert said in played.last_words, "its note was cleared in the end"
        shown = [m.text for m in played.session.history if m.role == "assistant"]
        assert words("demo.log_plan", path=LOG) in shown[0]
        assert not any("{" in text for text in shown), "every blank is filled"
        first = next(m for m in played.session.history if m.id == offloaded.message)
        assert first.tool == "read_file"
        (moved,) = await played.session.held_back("offloaded")
        assert moved in await played.session.held_back("cleared"), "it stands in both lists"
        assert (moved.id, moved.file and moved.file.path) == (offloaded.message, offloaded.path)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_results_are_cleared_when_the_meter_reaches_the_mark(
    tmp_path: Path, language: Language
) -> None:
    async with demo(tmp_path, language=language) as (played, _):
        await play(played, NIGHT, language)
        marks = played.session.context.window.marks
        assert marks.window == WINDOW == 32_000
        (cleared,) = of(played, Cleared)
        assert cleared.tokens_before >= marks.clear
        assert cleared.tokens_before - cleared.tokens_after >= marks.min_gain
        finished = of(played, ToolFinished)
        assert [e.tool for e in finished] == [
            *("read_file", "search_files", "read_file", "read_file"),
            *(event.tool for event in finished[4:7]),
            "read_history",
        ]
        assert cleared.calls == tuple(event.id for event in finished[:4])
        place = played.events.index
        assert place(finished[6]) < place(cleared) < place(finished[7])
        figures = [e.tokens for e in played.events if isinstance(e, ContextMeasured)]
        assert max(figures) < marks.warn, "far from the window's end"
        words = Words(language)
        assert words("demo.log_left_cleared", n=4) in played.last_words
        assert all(event.ok for event in finished)
        held = await played.session.held_back("cleared")
        assert [one.id for one in reversed(held)] == list(cleared.messages)


async def test_what_was_cleared_can_be_brought_back(tmp_path: Path) -> None:
    """Quoted in the next message, which the demo still knows for what it asks."""
    async with demo(tmp_path) as (played, _):
        await play(played, NIGHT)
        (cleared,) = of(played, Cleared)
        search = cleared.messages[1]
        await played.session.bring_back([search])
        await play(played, LOOK)
        assert "| `orders/pricing.py` | 3 |" in played.last_words
        (restored,) = of(played, Restored)
        assert (restored.how, restored.messages) == ("brought_back", (search,))
        user = next(m for m in played.session.history if m.id == restored.message)
        (quoted,) = (part for part in user.parts if isinstance(part, RestoredPart))
        assert (quoted.ref, quoted.text.count("OutOfStock")) == (search, 23)
        assert played.session.pinned(user.id)


async def test_clearing_can_be_taken_back_while_the_answer_streams(tmp_path: Path) -> None:
    undone: list[asyncio.Task[bool]] = []

    async with demo(tmp_path) as (played, _):

        def listen(event: Event) -> None:
            if isinstance(event, Text) and of(played, Cleared) and not undone:
                undone.append(asyncio.create_task(played.session.undo_clear()))

        played.session.publish.listeners.append(listen)
        await play(played, NIGHT)
        assert await undone[0]
        (restored,) = of(played, Restored)
        (cleared,) = of(played, Cleared)
        assert (restored.how, restored.messages) == ("undo", cleared.messages)
        assert played.session.clearing_paused
        assert played.session.words("demo.log_left_none") in played.last_words
        assert await played.session.held_back("cleared") == ()
        await play(played, SHOW)


async def test_stopped_and_gone_on_it_comes_to_the_same_end(tmp_path: Path) -> None:
    async with demo(tmp_path) as (played, _):
        seen = 0

        def stop(event: Event) -> None:
            nonlocal seen
            if isinstance(event, ToolFinished):
                seen += 1
                if seen in (2, 4, 7):
                    played.session.stop()

        played.session.publish.listeners.append(stop)
        await played.session.run("3")
        again = 0
        while again < 9 and played.session.go_on():
            await played.session.wait_idle()
            again += 1
        assert again == 3
        assert "booked=0" in played.last_words
        assert of(played, Cleared)


async def test_a_larger_window_or_no_clearing_is_not_talked_away(tmp_path: Path) -> None:
    for number, settings in enumerate(
        (
            Settings(model=ModelSettings(window=128_000)),
            Settings(compaction=CompactionSettings(auto="off")),
            Settings(compaction=CompactionSettings(keep_tools=("read_file", "search_files"))),
        )
    ):
        async with demo(tmp_path / str(number), settings=settings) as (played, _):
            await play(played, NIGHT)
            assert of(played, Offloaded)
            assert of(played, Cleared) == []
            assert played.session.words("demo.log_left_none") in played.last_words
            assert "read_history" not in {event.tool for event in of(played, ToolFinished)}


async def test_a_folder_that_cannot_be_written_is_not_called_a_file(tmp_path: Path) -> None:
    async with demo(tmp_path) as (played, _):
        (played.root / ".haima").write_text("in the way")
        await play(played, NIGHT)
        assert of(played, Offloaded) == []
        assert "offload_failed" in {event.type for event in played.events}
        assert "tool-outputs" not in played.last_words
        assert "booked=0" in played.last_words


@pytest.mark.parametrize("language", LANGUAGES)
async def test_all_stories_one_after_the_other_in_any_order(
    tmp_path: Path, language: Language
) -> None:
    """What one story read may be cleared in the middle of another; none loses its way."""
    words = Words(language)
    lost = words("demo.lost", tool="\0", line="").split("`\0")[0]
    async with demo(tmp_path, language=language) as (played, _):
        for number in (2, 0, 1, 3, 2, 1, 0, 1, 2):
            await play(played, SUGGESTIONS[number], language)
            assert lost not in played.last_words
        assert len(of(played, Cleared)) > 3
        figures = [e.tokens for e in played.events if isinstance(e, ContextMeasured)]
        assert max(figures) < WINDOW
        quoted = {e.message for e in of(played, ToolFinished) if e.tool == "read_history"}
        assert quoted
        assert not quoted & {key for event in of(played, Cleared) for key in event.messages}
