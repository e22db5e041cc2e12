"""What tests of the command line share."""

import logging
from collections.abc import Iterator

import pytest

from tests.cli.kept import ELSEWHERE, FORK, ID, OTHER, Kept
from tests.cli.remembered import Remembered
from tests.cli.support import Haima


@pytest.fixture(autouse=True)
def restored_log() -> Iterator[None]:
    """The package's logger as it was: the command line sends it to a file."""
    logger = logging.getLogger("app")
    handlers, level, propagate = logger.handlers[:], logger.level, logger.propagate
    yield
    logger.handlers[:], logger.level, logger.propagate = handlers, level, propagate


@pytest.fixture
def kept() -> Kept:
    """Mock 05: a chain with a fork, another conversation, and one of another project."""
    home = Kept()
    home.talk(ID, "Upgrade to Java 21\nand nothing else", "go ahead", days=2)
    home.fork(FORK, ID, 1, "try GraalVM", days=1)
    home.talk(OTHER, "审计日志过滤器", days=50)
    home.talk(ELSEWHERE, "Bootstrap CI", project="/elsewhere", days=3)
    return home


@pytest.fixture
def haima_here(
    kept: Kept, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Haima:
    """Runs `haima` in the project."""
    monkeypatch.chdir(kept.project)
    monkeypatch.setenv("COLUMNS", "100")
    return Haima(capfd)


@pytest.fixture
def sessions(haima_here: Haima, capfd: pytest.CaptureFixture[str]) -> Haima:
    """Runs `haima sessions` in the project."""
    return Haima(capfd, "sessions")


@pytest.fixture
def remembered() -> Remembered:
    """Memories of this project, global ones, and those of another project."""
    return Remembered()


@pytest.fixture
def memory(
    remembered: Remembered, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Haima:
    """Runs `haima memory` in the project."""
    monkeypatch.chdir(remembered.home)
    monkeypatch.setenv("COLUMNS", "100")
    return Haima(capfd, "memory")
