"""The terminal that screens are tested in: true colour; a log to look at."""

from pathlib import Path

import pytest

from tests.drawing import leave_frames_out
from tests.screens.viewing import BLOCK, NAME


@pytest.fixture(autouse=True)
def true_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rich asks the environment what the terminal can show."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")


@pytest.fixture(autouse=True)
def few_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks at most of them."""
    leave_frames_out(monkeypatch)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A log of 16,000 lines in the project."""
    path = tmp_path / "order-service" / NAME
    path.parent.mkdir(parents=True)
    path.write_text(BLOCK * 1_000)
    return path
