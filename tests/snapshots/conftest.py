"""What pictures of screens must not depend on."""

import pytest


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
