"""Locks: one holder, across processes; a killed holder blocks nobody."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.storage import Lock, Locked, StorageError
from app.storage.lock import is_held

HOLD = (
    "import sys; from pathlib import Path; from app.storage import Lock\n"
    "lock = Lock(Path(sys.argv[1])); lock.acquire(); print('held', flush=True); sys.stdin.read()"
)


def holder(path: Path) -> subprocess.Popen[str]:
    """Another process that holds the lock until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_lock_has_one_holder(folder: Path) -> None:
    path = folder / "locks" / "facts.lock"
    first, second = Lock(path), Lock(path)
    with first:
        assert first.held
        assert is_held(path)
        with pytest.raises(Locked, match="another haima is using this"):
            second.acquire()
        with pytest.raises(Locked):
            first.acquire()
        assert not second.held
    assert not first.held
    with second:
        assert second.held


def test_a_lock_leaves_no_file(folder: Path) -> None:
    with Lock(folder / "facts.lock"):
        assert (folder / "facts.lock").exists()
        assert (folder / "facts.lock").stat().st_mode & 0o777 == 0o600
    assert list(folder.iterdir()) == []


def test_another_process_is_refused_and_let_in_afterwards(folder: Path) -> None:
    path = folder / "facts.lock"
    process = holder(path)
    with pytest.raises(Locked):
        Lock(path).acquire()
    process.communicate("")
    with Lock(path):
        pass


def test_waiting_ends_with_the_holder(folder: Path) -> None:
    path = folder / "facts.lock"
    process = holder(path)
    assert process.stdin is not None
    process.stdin.close()
    with Lock(path, timeout=20):
        assert process.wait(timeout=20) == 0


def test_a_killed_holder_blocks_nobody(folder: Path) -> None:
    path = folder / "facts.lock"
    process = holder(path)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert path.exists()
    assert not is_held(path)
    with Lock(path):
        pass
    assert not path.exists()


def test_a_lock_that_cannot_be_made_is_told(folder: Path) -> None:
    (folder / "file").write_text("")
    with pytest.raises(StorageError, match="something else lies in the way"):
        Lock(folder / "file" / "facts.lock").acquire()
    (folder / "folder.lock").mkdir()
    with pytest.raises(StorageError):
        Lock(folder / "folder.lock").acquire()


def test_many_processes_count_to_the_right_sum(folder: Path) -> None:
    """Locked read-change-write by real processes loses nothing, though each removes the file."""
    path = folder / "count"
    path.write_text("0")
    program = (
        "import sys; from pathlib import Path; from app.storage import Lock, write_atomic\n"
        "path = Path(sys.argv[1])\n"
        "for _ in range(15):\n"
        "    with Lock(path.with_suffix('.lock'), timeout=60):\n"
        "        write_atomic(path, str(int(path.read_text()) + 1).encode())\n"
    )
    command = [sys.executable, "-c", program, str(path)]
    processes = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert path.read_text() == "45"
