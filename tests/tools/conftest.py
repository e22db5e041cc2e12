"""A project, its tools, and a short way to call one."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.config import ToolSettings
from app.project import Project
from app.text import Language, Words
from app.tools.base import ToolOutput
from app.tools.toolbox import Toolbox

KEY = "sk-test-0123456789abcdef"

Call = Callable[..., Awaitable[ToolOutput]]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "work"
    root.mkdir()
    return Project(root)


@pytest.fixture
def root(project: Project) -> Path:
    return project.root


@pytest.fixture
def language() -> Language:
    return "en"


@pytest.fixture
def toolbox(project: Project, language: Language) -> Toolbox:
    environ = {**os.environ, "OPENAI_API_KEY": KEY}
    return Toolbox(project, Words(language), environ, ToolSettings(), (KEY,))


@pytest.fixture
def call(toolbox: Toolbox) -> Call:
    async def run(name: str, **arguments: object) -> ToolOutput:
        return await toolbox.prepare(name, json.dumps(arguments)).run()

    return run


async def pids(path: Path, count: int) -> list[int]:
    """The process ids that commands write to a file, once they are all there."""
    while len(written := _words(path)) < count:  # noqa: ASYNC110  (another process writes)
        await asyncio.sleep(0.01)
    return [int(pid) for pid in written]


def _words(path: Path) -> list[str]:
    return path.read_text().split() if path.exists() else []
