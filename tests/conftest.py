"""What every test runs in: an empty home, no colour switch, UTC, no animation, no network."""

import contextlib
import gc
import itertools
import os
import re
import shutil
import sys
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path

import pytest
from _pytest.unraisableexception import gc_collect_iterations_key
from hypothesis import settings

from tests.fewer_reports import tell_less
from tests.forked_workers import fork_workers

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

gc.set_threshold(200_000, 50, 100)  # garbage is looked for less often: a seventh of all CPU time

Wait = Callable[..., Awaitable[None]]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: Sequence[object]) -> None:
    """Before the workers start."""
    fork_workers(config, len(specs))


def pytest_configure(config: pytest.Config) -> None:
    """At the end garbage is looked for once: pytest does so five times, half a second each."""
    config.stash[gc_collect_iterations_key] = 1


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before the tests are collected."""
    if hasattr(session.config, "workerinput"):
        tell_less(session.config)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Modules and tests are no garbage; the environment is as it is for all tests."""
    gc.collect()
    gc.freeze()
    clear_environment()
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


@pytest.fixture
async def closing(anyio_backend: str) -> AsyncIterator[None]:
    """Closes the clients that a test made, so that no connection outlives its event loop.

    Used by every module that takes clients from `tests.llm.support`.
    """
    from tests.llm.support import MADE

    yield
    while MADE:
        await MADE.pop().close()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """A client that a test left would be closed by a later test, after its event loop."""
    support = sys.modules.get("tests.llm.support")
    if support and support.MADE:
        support.MADE.clear()
        pytest.fail("left clients open: needs the fixture `closing`", pytrace=False)


def clear_environment() -> None:
    """Takes out whatever could change what is shown or sent."""
    for name in list(os.environ):
        if name.startswith(_OURS):
            del os.environ[name]
    os.environ.update(TZ="UTC", LANG="C.UTF-8", TEXTUAL_ANIMATIONS="none")


@pytest.fixture
def tmp_path(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """A folder as pytest makes them, which looks through all it has made to number the next.

    Left behind where the test fails.
    """
    name = re.sub(r"\W", "_", request.node.name)[:30]
    while True:
        path = tmp_path_factory.getbasetemp() / f"{name}{next(_numbers[name.lower()])}"
        with contextlib.suppress(FileExistsError):
            path.mkdir(0o700)
            break
    failed = request.session.testsfailed
    yield path
    if request.session.testsfailed == failed:
        shutil.rmtree(path, ignore_errors=True)


_numbers: defaultdict[str, Iterator[int]] = defaultdict(itertools.count)


class Homes:
    """Empty homes; one serves until a test has put something into it."""

    def __init__(self, folders: pytest.TempPathFactory) -> None:
        self._folders = folders
        self._home = ""

    def next(self) -> str:
        """An empty one."""
        with contextlib.suppress(OSError):
            if self._home and not os.listdir(self._home):  # noqa: PTH208  (it costs a fifth)
                return self._home
        self._home = str(self._folders.mktemp("home"))
        return self._home


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Homes:
    """Homes for tests without a folder."""
    return Homes(tmp_path_factory)


@pytest.fixture(autouse=True)
def clean_environment(request: pytest.FixtureRequest, homes: Homes) -> None:
    """Redirects the home: into the test's folder, if it has one."""
    if "tmp_path" in request.fixturenames:
        home: Path = request.getfixturevalue("tmp_path") / "home"
        home.mkdir()
        os.environ["HOME"] = str(home)
    else:
        os.environ["HOME"] = homes.next()
    time.tzset()
