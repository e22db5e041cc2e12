"""`haima run` in its parts: lines of events, and the demo; whole runs are in tests/scenarios."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cli.codes import exit_code
from app.config import Settings
from app.errors import HaimaError
from app.events import (
    ApprovalQuestion,
    ConflictQuestion,
    ConflictSide,
    Text,
    ToolFinished,
    UsageReported,
)
from app.headless import (
    NobodyDecides,
    NothingToContinue,
    OpenElsewhere,
    event_line,
    open_where_asked,
)
from app.llm.demo import SUGGESTIONS
from app.paths import Paths
from app.project import Project
from app.session.elsewhere import SessionOpenElsewhere
from app.session.launch import Launch, StartRequest
from app.session.restore import Resume, Start
from app.session.session import Session
from app.text import Language, Words
from tests.scenarios.support import Place

AT = datetime(2026, 11, 29, 12, tzinfo=UTC)


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_one_line_of_json_that_reads_back(text: str) -> None:
    line = event_line(Text(message="m", text=text, at=AT))
    assert line.splitlines() == [line], "also for readers who split at U+2028 and U+0085"
    line.encode("utf-8")
    assert _joined(json.loads(line)["text"]) == _joined(text)


def _joined(text: str) -> str:
    """Surrogates that make a pair, joined, as JSON does."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def test_a_lone_surrogate_survives() -> None:
    line = event_line(Text(message="m", text="a\ud83db", at=AT))
    assert json.loads(line)["text"] == "a\ud83db"


def test_chinese_stays_readable() -> None:
    assert "海马" in event_line(Text(message="m", text="海马", at=AT))


def test_fields_for_the_screen_are_left_out() -> None:
    event = ToolFinished(id="1", tool="t", ok=True, characters=1, seconds=0.1, body="x", at=AT)
    told = json.loads(event_line(event))
    assert {"body", "diff"}.isdisjoint(told)
    assert told["at"] == "2026-11-29T12:00:00Z"


def test_the_type_comes_first() -> None:
    assert event_line(UsageReported(prompt=1, completion=1)).startswith('{"type": "usage"')


async def test_nobody_decides() -> None:
    question = ApprovalQuestion(id="1", tool="t", risk="write", subject="a", place="/p")
    assert (await NobodyDecides().approve(question)).verdict == "refuse"
    old, new = ConflictSide(id="fact-1", content="a"), ConflictSide(id="", content="b")
    conflict = ConflictQuestion(id="2", existing=old, incoming=new)
    assert await NobodyDecides().resolve_conflict(conflict) is None


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_the_demo_needs_no_endpoint_and_leaves_the_project_alone(
    tmp_path: Path, language: Language
) -> None:
    place = Place(tmp_path)
    before = {path: path.read_bytes() for path in place.root.iterdir() if path.is_file()}
    prompt = Words(language)(SUGGESTIONS[0])
    ran = await place.haima("run", "--demo", "--lang", language, "--allow", "all", "--json", prompt)
    assert ran.code == 0, ran.err
    assert ran.of("tool_finished"), "it drives the real tools"
    assert ran.events[0]["model"] == "demo"
    assert str(place.home) in ran.events[0]["project"]
    assert {path: path.read_bytes() for path in place.root.iterdir() if path.is_file()} == before


async def test_the_demo_says_what_it_is(tmp_path: Path) -> None:
    ran = await Place(tmp_path).haima("run", "--demo", "Write me a compiler")
    assert ran.code == 0
    assert "demo" in ran.out.lower()


class Opened:
    """A session, as far as its beginning goes."""

    def __init__(self, root: Path, found: Start | None, fault: HaimaError | None = None) -> None:
        self.parts = SimpleNamespace(project=Project(root))
        self.asked: list[StartRequest] = []
        self.opened: list[Start] = []
        self._found = found
        self._fault = fault

        self.gate: asyncio.Event | None = None
        self.said: list[str] = []

    async def find(self, request: StartRequest) -> Start | None:
        """Finds what it was told to, once it may."""
        self.asked.append(request)
        if self.gate is not None:
            await self.gate.wait()
        return self._found

    async def open(self, start: Start) -> None:
        """Keeps what it was opened with."""
        if self._fault is not None:
            raise self._fault
        self.opened.append(start)

    async def open_for(self, request: StartRequest) -> None:
        """As a run opens it."""
        launch = Launch(
            settings=Settings(),
            project=self.parts.project,
            paths=Paths(self.parts.project.root),
            words=Words("en"),
            environ={},
            start=request,
        )
        await open_where_asked(cast("Session", self), launch, self.said.append)


async def test_a_session_begins_where_the_request_leads(tmp_path: Path) -> None:
    request, found = StartRequest("resume", "7f3a"), Resume("7f3a9c01d2e4")
    session = Opened(tmp_path, found)
    await session.open_for(request)
    assert (session.asked, session.opened) == ([request], [found])


async def test_that_earlier_sessions_are_read_is_said_where_it_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FIELD 37."""
    monkeypatch.setattr("app.headless.SLOW", 0)
    session = Opened(tmp_path, Resume("7f3a9c01d2e4"))
    session.gate = asyncio.Event()
    opening = asyncio.create_task(session.open_for(StartRequest("continue")))
    async with asyncio.timeout(60):
        while not session.said:  # noqa: ASYNC110 - nothing else tells
            await asyncio.sleep(0)
    assert session.said[0].startswith("Reading earlier sessions")
    assert not session.opened
    session.gate.set()
    await opening
    assert len(session.opened) == len(session.said) == 1


async def test_nothing_to_continue_is_not_found(tmp_path: Path) -> None:
    session = Opened(tmp_path, None)
    with pytest.raises(NothingToContinue) as caught:
        await session.open_for(StartRequest("continue"))
    assert exit_code(caught.value) == 4
    assert str(tmp_path) in str(caught.value)
    assert session.opened == []


async def test_a_session_open_elsewhere_names_the_way_beside_it(tmp_path: Path) -> None:
    node = "7f3a9c01d2e4"
    session = Opened(tmp_path, Resume(node), SessionOpenElsewhere(node))
    with pytest.raises(OpenElsewhere) as caught:
        await session.open_for(StartRequest("resume", "7f3a"))
    assert exit_code(caught.value) == 1
    assert f"haima run --fork {node}" in str(caught.value)
