"""What pictures of screens must not depend on."""

import pytest


@pytest.fixture(autouse=True)
def one_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """True colour, whatever runs the tests."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
