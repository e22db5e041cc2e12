"""A folder of its own: the home of the test lies in `tmp_path` too."""

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder."""
    folder = tmp_path / "kept"
    folder.mkdir()
    return folder


@pytest.fixture
def path(folder: Path) -> Path:
    """A ledger that isn't there yet."""
    return folder / "a.jsonl"
