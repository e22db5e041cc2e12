"""The terminal that screens are tested in: true colour."""

import pytest

from tests.drawing import leave_frames_out


@pytest.fixture(autouse=True)
def true_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rich asks the environment what the terminal can show."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")


@pytest.fixture(autouse=True)
def few_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks at most of them."""
    leave_frames_out(monkeypatch)
