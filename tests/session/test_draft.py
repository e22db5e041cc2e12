"""The draft: written whole, private, given back to one window, and to one only."""

import gc
import stat
from pathlib import Path

import pytest

from app.session.draft import MOST, Draft
from app.storage import StorageError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "projects" / "order-service" / "draft.md"


def test_it_comes_back_as_it_was(path: Path) -> None:
    text = "先盘点 javax.*\n  then 🦭\n\ttabs \n"
    first = Draft(path)
    assert first.load() == ""
    first.save(text)
    first.close()
    assert Draft(path).load() == text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_looking_makes_nothing(path: Path) -> None:
    draft = Draft(path)
    assert draft.load() == ""
    draft.save("  \n")
    draft.remove()
    draft.close()
    assert not path.parent.parent.exists()


def test_sent_it_is_gone(path: Path) -> None:
    draft = Draft(path)
    draft.save("one")
    draft.remove()
    assert not path.exists()
    draft.save("two")
    draft.save("")
    assert not path.exists()
    draft.close()
    assert Draft(path).load() == ""
    assert [one.name for one in path.parent.iterdir()] == []


def test_two_windows_keep_apart(path: Path) -> None:
    left, right = Draft(path), Draft(path)
    assert left.load() == right.load() == ""
    left.save("left")
    right.save("right")
    left.save("left again")
    assert left.mine == path and right.mine == path.with_name("draft-2.md")
    assert path.read_text() == "left again" and right.mine.read_text() == "right"
    left.remove()
    right.save("right again")
    left.close()
    third = Draft(path)
    assert third.load() == ""  # the right window still has its own
    right.close()
    assert third.load() == "right again"


def test_a_draft_comes_back_in_one_window_only(path: Path) -> None:
    left = Draft(path)
    left.save("left")
    left.close()
    first, second = Draft(path), Draft(path)
    assert first.load() == "left"
    assert second.load() == ""
    second.save("second")
    assert path.read_text() == "left"


def test_two_drafts_that_were_left_come_back_one_after_the_other(path: Path) -> None:
    windows = [Draft(path) for _ in range(2)]
    for number, window in enumerate(windows):
        window.save(f"window {number}")
    for window in windows:
        window.close()
    first, second = Draft(path), Draft(path)
    assert {first.load(), second.load()} == {"window 0", "window 1"}


def test_a_killed_window_leaves_its_draft(path: Path) -> None:
    """Its lock file stays, and holds nobody off."""
    gc.freeze()  # what is older needs no look: half a second
    Draft(path).save("left")
    path.with_name("draft.md.lock").touch()
    gc.collect()
    assert Draft(path).load() == "left"


def test_there_is_an_end_to_drafts(path: Path) -> None:
    windows = [Draft(path) for _ in range(MOST + 1)]
    for window in windows:
        window.save("text")
    assert windows[-1].mine is None
    assert len({window.mine for window in windows[:-1]}) == MOST


def test_a_folder_in_its_place_is_told_and_nothing_else_happens(path: Path) -> None:
    path.parent.parent.parent.mkdir(exist_ok=True)
    path.parent.parent.write_text("a file")
    draft = Draft(path)
    assert draft.load() == ""
    with pytest.raises(StorageError):
        draft.save("text")


def test_what_is_no_text_comes_back_as_far_as_it_can_be_shown(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"caf\xe9 \xff")
    assert Draft(path).load() == "caf\ufffd \ufffd"
