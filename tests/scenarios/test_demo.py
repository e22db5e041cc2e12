"""The demo in a real session: its stories are played by the real loop, tools and commands."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.config import Settings
from app.conversation.history import History
from app.events import (
    ApprovalAnswer,
    ApprovalQuestion,
    ConflictAnswer,
    ConflictQuestion,
    Event,
    ToolFinished,
)
from app.llm.demo import SUGGESTIONS, DemoModel, copy_demo_project
from app.paths import Paths
from app.project import Project
from app.session.build import build_session
from app.session.session import Session
from app.text import LANGUAGES, Language, Words
from tests.session.support import TestClock

Answer = Callable[[ApprovalQuestion], ApprovalAnswer]


class Judge:
    """Decisions by a function; keeps the questions."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[ApprovalQuestion] = []

    async def approve(self, question: ApprovalQuestion) -> ApprovalAnswer:
        self.asked.append(question)
        return self.answer(question)

    async def resolve_conflict(self, question: ConflictQuestion) -> ConflictAnswer | None:
        return None


def once(question: ApprovalQuestion) -> ApprovalAnswer:
    return ApprovalAnswer(verdict="once")


class Demo:
    """A session with the demo's model in its copy of the sample."""

    def __init__(self, session: Session, root: Path) -> None:
        self.session = session
        self.root = root
        self.events: list[Event] = []
        session.publish.listeners.append(self._keep)

    def _keep(self, event: Event) -> None:
        self.events.append(event)

    @property
    def finished(self) -> list[tuple[str, bool]]:
        return [(e.tool, e.ok) for e in self.events if isinstance(e, ToolFinished)]

    @property
    def last_words(self) -> str:
        History.check(self.session.history.messages)
        assert not self.session.history.open_calls
        return self.session.history.messages[-1].text


@asynccontextmanager
async def demo(
    tmp_path: Path,
    answer: Answer = once,
    language: Language = "en",
    settings: Settings | None = None,
) -> AsyncIterator[tuple[Demo, Judge]]:
    paths, clock, judge = Paths(tmp_path / "haima"), TestClock(), Judge(answer)
    root = copy_demo_project(paths.demo)
    here = Path(sys.executable).parent
    session = build_session(
        settings=settings or Settings(),
        project=Project(root),
        paths=paths,
        words=Words(language),
        decisions=judge,
        model=DemoModel(language, clock=clock, pace=0),
        environ={"PATH": f"{here}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)},
        clock=clock,
    )
    await session.open()
    try:
        yield Demo(session, root), judge
    finally:
        await session.close()


def sample_passes(root: Path) -> bool:
    command = [sys.executable, "-m", "unittest"]
    return not subprocess.run(command, cwd=root, capture_output=True, check=False).returncode


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_bug_is_really_found_and_fixed(tmp_path: Path, language: Language) -> None:
    async with demo(tmp_path, language=language) as (played, judge):
        outcome = await played.session.run(Words(language)(SUGGESTIONS[0]))
        assert outcome.ok
        assert sample_passes(played.root)
        assert played.finished[4:] == [
            ("edit_file", True),
            ("execute_command", False),
            ("edit_file", True),
            ("execute_command", True),
        ]
        assert all(ok for _, ok in played.finished[:4])
        assert [question.tool for question in judge.asked] == [
            tool for tool, _ in played.finished[4:]
        ]
        assert "`python3 -m unittest`" in played.last_words


@pytest.mark.parametrize("language", LANGUAGES)
async def test_it_looks_around_without_asking(tmp_path: Path, language: Language) -> None:
    async with demo(tmp_path, language=language) as (played, judge):
        await played.session.run(Words(language)(SUGGESTIONS[1]))
        assert judge.asked == []
        assert len(played.finished) == 5
        assert all(ok for _, ok in played.finished)
        assert "| `orders/pricing.py` | 3 |" in played.last_words


async def test_a_refusal_changes_nothing_and_it_can_be_asked_again(tmp_path: Path) -> None:
    no = ApprovalAnswer(verdict="refuse", reason="not this file")
    async with demo(tmp_path, lambda question: no) as (played, judge):
        pricing = played.root / "orders" / "pricing.py"
        before = pricing.read_text(encoding="utf-8")
        await played.session.run("1")
        assert pricing.read_text(encoding="utf-8") == before
        assert "not this file" in played.last_words
        judge.answer = once
        await played.session.run("1")
        assert sample_passes(played.root)


async def test_a_changed_command_is_what_it_talks_about(tmp_path: Path) -> None:
    def changed(question: ApprovalQuestion) -> ApprovalAnswer:
        edited = "python3 -m unittest -v" if question.tool == "execute_command" else None
        return ApprovalAnswer(verdict="once", edited=edited)

    async with demo(tmp_path, changed) as (played, _):
        await played.session.run("1")
        assert "`python3 -m unittest -v`" in played.last_words


async def test_the_second_time_there_is_nothing_to_fix(tmp_path: Path) -> None:
    async with demo(tmp_path) as (played, _):
        await played.session.run("1")
        await played.session.clear()
        await played.session.run("1")
        assert played.last_words.startswith("There is nothing to fix")
