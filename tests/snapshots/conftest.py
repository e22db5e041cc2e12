"""What pictures of screens must not depend on."""

import pytest

from tests.drawing import leave_frames_out


@pytest.fixture(autouse=True)
def one_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """True colour, whatever runs the tests."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")


@pytest.fixture(autouse=True)
def one_system_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real one names the folder, whose length, and so the gauge, differs from run to run."""
    system = ("You are an agent. " * 150,)
    monkeypatch.setattr("app.session.system_message.system_parts", lambda *_: system)


@pytest.fixture(autouse=True)
def few_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last one is looked at."""
    leave_frames_out(monkeypatch)
