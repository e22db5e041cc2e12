"""Whole writes: whatever fails, what lay there before is still whole and nothing is left over."""

import errno
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from app.storage import Conflict, StorageError, private_folder, write_atomic
from app.text import Words


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def failing(number: int) -> Callable[..., int]:
    def fail(*_: object, **__: object) -> int:
        raise OSError(number, os.strerror(number))

    return fail


def test_a_new_file_is_private_and_an_old_ones_mode_is_kept(folder: Path) -> None:
    path = folder / "facts.json"
    write_atomic(path, b"one")
    assert (path.read_bytes(), mode(path)) == (b"one", 0o600)
    path.chmod(0o664)
    write_atomic(path, b"two")
    assert (path.read_bytes(), mode(path)) == (b"two", 0o664)
    write_atomic(path, b"three", 0o600)
    assert (path.read_bytes(), mode(path)) == (b"three", 0o600)
    assert [entry.name for entry in folder.iterdir()] == ["facts.json"]


def test_what_goes_on_beside_begins_when_it_is_written_and_is_over_before_the_old_one_goes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "facts.json"
    write_atomic(path, b"old")
    seen: list[object] = []
    sync = os.fsync

    def synced(descriptor: int) -> None:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            seen.append("sync")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", synced)

    def beside() -> None:
        (new,) = folder.glob(".haima-*.tmp")
        seen.append(new.read_bytes())

    write_atomic(path, b"new", beside=beside, first=lambda: seen.append(path.read_bytes()))
    assert seen == [b"new", "sync", b"old"]
    assert path.read_bytes() == b"new"


def test_a_given_mode_holds_whatever_the_umask(folder: Path) -> None:
    old = os.umask(0o077)
    try:
        write_atomic(folder / "script", b"", 0o755)
    finally:
        os.umask(old)
    assert mode(folder / "script") == 0o755


def test_a_link_stays_a_link(folder: Path) -> None:
    kept = folder / "dotfiles"
    kept.mkdir()
    (kept / "config.toml").write_text("old")
    link = folder / "config.toml"
    link.symlink_to(kept / "config.toml")
    write_atomic(link, b"new")
    assert link.is_symlink()
    assert (kept / "config.toml").read_text() == "new"


def test_what_was_read_must_still_lie_there(folder: Path) -> None:
    path = folder / "facts.json"
    write_atomic(path, b"one", expected=None)
    write_atomic(path, b"two", expected=b"one")
    with pytest.raises(Conflict, match="changed by another program"):
        write_atomic(path, b"three", expected=b"one")
    with pytest.raises(Conflict):
        write_atomic(path, b"three", expected=None)
    assert path.read_bytes() == b"two"
    path.unlink()
    with pytest.raises(Conflict):
        write_atomic(path, b"three", expected=b"two")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EROFS, "can't be written"),
        (errno.EIO, "Input/output error"),
    ],
)
def test_a_failed_write_leaves_the_old_file_whole(
    folder: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int, said: str
) -> None:
    path = folder / "facts.json"
    path.write_bytes(b"precious")
    with monkeypatch.context() as patch:
        patch.setattr(os, call, failing(number))
        with pytest.raises(StorageError) as caught:
            write_atomic(path, b"new")
    assert said in str(caught.value)
    assert str(path) in str(caught.value)
    assert str(path) in caught.value.sentence(Words("zh"))
    assert path.read_bytes() == b"precious"
    assert [entry.name for entry in folder.iterdir()] == ["facts.json"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_really_full_disk_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def on_full(path: object, flags: int, *rest: object) -> int:
        temporary = str(path).endswith(".tmp")
        return real("/dev/full", os.O_WRONLY) if temporary else real(str(path), flags)

    monkeypatch.setattr(os, "open", on_full)
    with pytest.raises(StorageError, match="the disk is full"):
        write_atomic(folder / "facts.json", b"new")
    assert list(folder.iterdir()) == []


def test_an_interrupt_in_the_middle_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(folder / "facts.json", b"new")
    assert list(folder.iterdir()) == []


def test_short_writes_are_gone_on_with(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, bytes(data[:3])))
    write_atomic(folder / "facts.json", b"a longer text")
    assert (folder / "facts.json").read_bytes() == b"a longer text"


def test_a_protected_file_is_not_written_round(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "facts.json"
    path.write_bytes(b"precious")
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StorageError, match="can't be written"):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"precious"


def test_things_in_the_way_are_told(folder: Path) -> None:
    (folder / "file").write_text("")
    (folder / "folder").mkdir()
    for path in (folder / "file" / "facts.json", folder / "folder"):
        with pytest.raises(StorageError, match="something else lies in the way"):
            write_atomic(path, b"")
    with pytest.raises(StorageError, match="something else lies in the way"):
        private_folder(folder / "file" / "below")
    with pytest.raises(StorageError, match="No such file"):
        write_atomic(folder / "nowhere" / "facts.json", b"")
    with pytest.raises(StorageError):
        write_atomic(folder / "nul\0", b"")
    assert sorted(entry.name for entry in folder.iterdir()) == ["file", "folder"]


def test_folders_that_are_made_are_private_and_those_there_stay(folder: Path) -> None:
    folder.chmod(0o755)
    old = os.umask(0)
    try:
        assert private_folder(folder / "a" / "b") == folder / "a" / "b"
    finally:
        os.umask(old)
    assert (mode(folder / "a"), mode(folder / "a" / "b")) == (0o700, 0o700)
    assert mode(folder) == 0o755
    (folder / "a").chmod(0o750)
    private_folder(folder / "a")
    assert mode(folder / "a") == 0o750
    (folder / "dangling").symlink_to(folder / "nothing")
    with pytest.raises(StorageError):
        private_folder(folder / "dangling")


def test_a_reader_never_sees_half_a_file(folder: Path) -> None:
    path = folder / "facts.json"
    contents = [bytes([65 + n]) * 200_000 for n in range(2)]
    write_atomic(path, contents[0])
    seen: set[bytes] = set()
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            seen.add(path.read_bytes())

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(20):
        write_atomic(path, contents[number % 2])
    stop.set()
    reader.join()
    assert seen <= set(contents)


def test_a_killed_writer_leaves_the_old_file(folder: Path) -> None:
    path = folder / "facts.json"
    path.write_bytes(b"precious")
    program = (
        "import os, signal, sys; from pathlib import Path; from app.storage import write_atomic\n"
        "os.fsync = lambda fd: os.kill(os.getpid(), signal.SIGKILL)\n"
        "write_atomic(Path(sys.argv[1]), b'new' * 1000)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    assert done.returncode == -9
    assert path.read_bytes() == b"precious"
    write_atomic(path, b"new")
    assert path.read_bytes() == b"new"


def test_a_folder_that_another_makes_meanwhile_is_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, really = tmp_path / "home" / "history", Path.is_dir
    asked: list[Path] = []

    def is_dir(path: Path) -> bool:
        there = really(path)
        if not asked:
            asked.append(path)
            path.mkdir(parents=True)
        return there

    monkeypatch.setattr(Path, "is_dir", is_dir)
    assert private_folder(folder) == folder and asked == [folder]
