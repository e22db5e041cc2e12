"""A lock that programs with either kind of lock respect, and that leaves its name."""

import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from filelock import FileLock

from app.storage import Locked, StorageError
from app.storage.shared_lock import SharedLock, _flock_is_posix

POSIX = (
    "import fcntl, sys\n"
    "with open(sys.argv[1], 'a') as file:\n"
    "    fcntl.lockf(file, fcntl.LOCK_EX)\n"
    "    print('held', flush=True)\n"
    "    sys.stdin.read()\n"
)
TRY = (
    "import fcntl, sys\n"
    "with open(sys.argv[1], 'a') as file:\n"
    "    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
)


def test_a_program_with_posix_locks_keeps_us_out_and_lets_us_in(folder: Path) -> None:
    path = folder / "facts.json.lock"
    process = subprocess.Popen(
        [sys.executable, "-c", POSIX, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == "held\n"
    with pytest.raises(Locked):
        SharedLock(path, 0.05).acquire()
    process.stdin.close()
    with SharedLock(path, 20):
        assert process.wait() == 0
        done = subprocess.run(
            [sys.executable, "-c", TRY, str(path)], capture_output=True, check=False
        )
        assert done.returncode == 1
        assert b"BlockingIOError" in done.stderr
    assert subprocess.run([sys.executable, "-c", TRY, str(path)], check=False).returncode == 0


def test_a_program_with_filelock_keeps_us_out(folder: Path) -> None:
    path = folder / "facts.json.lock"
    with FileLock(path), pytest.raises(Locked):
        SharedLock(path, 0.05).acquire()
    with SharedLock(path, 1):
        descriptor = os.open(path, os.O_RDWR)
        with pytest.raises(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_the_name_stays_and_stays_the_same_file(folder: Path) -> None:
    path = folder / "locks" / "facts.json.lock"
    with SharedLock(path, 1):
        first = path.stat()
    with SharedLock(path, 1):
        assert path.stat().st_ino == first.st_ino
    assert path.exists()
    assert first.st_mode & 0o777 == 0o600


def test_threads_take_turns(folder: Path) -> None:
    path, count = folder / "facts.json.lock", folder / "count"
    count.write_text("0")

    def add() -> None:
        for _ in range(20):
            with SharedLock(path, 20):
                count.write_text(str(int(count.read_text()) + 1))

    threads = [threading.Thread(target=add) for _ in range(3)]
    for thread in threads:
        thread.start()
    with SharedLock(path, 20), pytest.raises(Locked):
        SharedLock(path, 0.01).acquire()
    for thread in threads:
        thread.join()
    assert count.read_text() == "60"


def test_a_lock_that_cannot_be_made_is_told_and_blocks_nobody(folder: Path) -> None:
    (folder / "lock").mkdir()
    for _ in range(2):
        with pytest.raises(StorageError):
            SharedLock(folder / "lock", 0.05).acquire()
    (folder / "lock").rmdir()
    with SharedLock(folder / "lock", 0.05):
        pass


def test_on_nfs_one_lock_is_both(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = folder / "mounts"
    mounts.write_text(f"a / ext4 rw 0 0\nb {folder} nfs4 rw 0 0\nc {folder}/here ext4 rw 0 0\n")
    monkeypatch.setattr("app.storage.shared_lock._MOUNTS", mounts)
    assert _flock_is_posix(folder / "lock")
    assert not _flock_is_posix(folder / "here" / "lock")
    assert not _flock_is_posix(Path("/elsewhere/lock"))
    with SharedLock(folder / "lock", 1):
        descriptor = os.open(folder / "lock", os.O_RDWR)
        with pytest.raises(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
