"""The log: private, without credentials, never in the way."""

import logging
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.paths import Paths
from app.session.logs import start_log


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    """The package's logger as it was."""
    logger = logging.getLogger("app")
    handlers, level, propagate = logger.handlers[:], logger.level, logger.propagate
    yield
    logger.handlers[:], logger.level, logger.propagate = handlers, level, propagate


def masked(text: str) -> str:
    return text.replace("secret", "‹key›")


def test_the_file_comes_with_the_first_entry_and_is_private(tmp_path: Path) -> None:
    paths = Paths(tmp_path / "haima")
    start_log(paths.log_file, masked)
    logging.getLogger("app.x").info("not worth it")
    assert not paths.home.exists()
    logging.getLogger("app.x").warning("the secret %s", "secret")
    text = paths.log_file.read_text()
    assert "the ‹key› ‹key›" in text
    assert stat.S_IMODE(paths.log_file.stat().st_mode) == 0o600


def test_starting_again_writes_each_entry_once(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    start_log(paths.log_file, masked)
    start_log(paths.log_file, masked)
    logging.getLogger("app.x").error("once")
    assert paths.log_file.read_text().count("once") == 1


def test_a_large_log_is_put_aside(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    paths.log_file.write_bytes(b"x" * 1_000_001)
    start_log(paths.log_file, masked)
    logging.getLogger("app.x").error("new")
    assert paths.log_file.read_text().count("\n") == 1
    assert (tmp_path / "haima.log.1").stat().st_size == 1_000_001


def test_a_log_that_cannot_be_written_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "haima").write_text("a file")
    start_log(Paths(tmp_path / "haima").log_file, masked)
    logging.getLogger("app.x").error("lost")
