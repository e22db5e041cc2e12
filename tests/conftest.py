"""What every test runs in: an empty home, no colour switch, UTC, no animation, no network."""

import gc
import os
import shutil
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.shared_rewriting import share_rewriting

settings.register_profile("default", max_examples=60, deadline=None, derandomize=True)
settings.register_profile("deep", max_examples=5_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

MEMORY = Path("/dev/shm")
"""Where Linux keeps files that need no disk."""

_ROOM = 2 << 30
"""Bytes that must be free there."""

_measured = any("benchmark" in argument for argument in sys.argv)
_usable = MEMORY.is_dir() and os.access(MEMORY, os.W_OK)
if _usable and not _measured and shutil.disk_usage(MEMORY).free > _ROOM:
    # Ledgers and database wait for the disk at each session; what is tested is that they ask to.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

_OURS = ("HAIMA_", "OPENAI_", "NO_COLOR", "COLORTERM", "LC_", "LANG", "TMUX", "PYTHONPATH", "XDG_")


Wait = Callable[..., Awaitable[None]]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before the test modules are imported."""
    share_rewriting(session.config, Path(__file__).parent)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Garbage is looked for less often, and not among modules: a seventh of all CPU time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 50, 100)
    if textual := sys.modules.get("textual.app"):
        vars(textual)["wait_for_idle"] = once(vars(textual)["wait_for_idle"])


def once(wait: Wait) -> Wait:
    """Textual's wait behind each key, but not again where nothing can have happened since.

    It waits twice, and in between for animations, of which there are none: 20 ms a key.
    """
    last = -1.0

    async def wait_for_idle(min_sleep: float, max_sleep: float = 1) -> None:
        nonlocal last
        begun = time.monotonic()
        if begun - last < 0.001:
            last = -1.0
            return
        await wait(min_sleep, max_sleep)
        now = time.monotonic()
        last = now if now - begun < max_sleep else -1.0

    return wait_for_idle


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Haima runs on asyncio alone."""
    return "asyncio"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Redirects the home and takes out whatever could change what is shown or sent."""
    for name in list(os.environ):
        if name.startswith(_OURS):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    time.tzset()
    yield
    time.tzset()
