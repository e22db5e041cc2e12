"""The ledger: what was acknowledged is there, whatever crashed, and one writes at a time."""

import asyncio
import errno
import json
import os
import random
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.archive import tail
from app.archive.ledger import Ledger
from app.archive.rows import BadLine, read_rows
from app.storage import Locked, StorageError
from app.text import Words

NODE = "7f3a9c01d2e4"


@pytest.fixture
def path(folder: Path) -> Path:
    return folder / "history" / "raw" / f"{NODE}.jsonl"


def fill(path: Path, count: int, size: int = 10) -> None:
    with Ledger.open(path) as ledger:
        for _ in range(count):
            ledger.append("message", {"text": "x" * size}, node=NODE)


def seqs(path: Path) -> list[int]:
    """The numbers in the file, every line being good."""
    bad: list[BadLine] = []
    found = [row.seq for row in read_rows(path, bad.append)]
    assert bad == []
    return found


def test_rows_are_numbered_and_go_on_after_reopening(path: Path) -> None:
    fill(path, 3)
    with Ledger.open(path) as ledger:
        assert ledger.repairs == ()
        assert ledger.seq == 3
        assert ledger.append("error", {"code": "x"}, node=NODE, conversation="task-3") == 4
    rows = list(read_rows(path))
    assert [row.seq for row in rows] == [1, 2, 3, 4]
    assert (rows[-1].kind, rows[-1].node, rows[-1].conversation) == ("error", NODE, "task-3")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", rows[-1].at)
    line = path.read_bytes().splitlines()[-1]
    assert list(json.loads(line)) == ["seq", "at", "kind", "node", "conversation", "data"]
    assert b" " not in line.replace(rows[-1].at.encode(), b"")


def test_file_and_folder_are_private(path: Path) -> None:
    fill(path, 1)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for folder in (path.parent, path.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    path.chmod(0o644)
    fill(path, 1)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_nothing_stays_of_a_ledger_without_rows(path: Path) -> None:
    with Ledger.open(path):
        pass
    assert list(path.parent.iterdir()) == []


def test_a_clock_that_goes_back_changes_no_order(path: Path) -> None:
    times = iter([datetime(2026, 11, 29, 2, tzinfo=UTC) - timedelta(hours=n) for n in range(3)])
    with Ledger.open(path, now=lambda: next(times)) as ledger:
        for _ in range(3):
            ledger.append("message", {}, node=NODE)
    assert [(row.seq, row.at[11:13]) for row in read_rows(path)] == [
        (1, "02"),
        (2, "01"),
        (3, "00"),
    ]


@pytest.mark.parametrize(
    "torn",
    [
        b'{"seq":4,"at":"2026',
        b"\0" * 4096,
        b'{"seq":4' + b"\0" * 100,
        '{"seq":4,"data":{"a":"海'.encode()[:-1],
        b"x" * 200_000,
        b"{}",
        b"\xff",
    ],
)
def test_a_torn_end_is_moved_aside_and_told(path: Path, torn: bytes) -> None:
    fill(path, 3)
    good = path.read_bytes()
    path.write_bytes(good + torn)
    with Ledger.open(path) as ledger:
        (repair,) = ledger.repairs
        assert ledger.append("message", {}, node=NODE) == 4
    assert seqs(path) == [1, 2, 3, 4]
    assert path.read_bytes().startswith(good)
    assert repair.fault == "torn"
    assert repair.aside is not None
    assert repair.aside.read_bytes() == torn
    assert repair.aside.name.startswith(f"{path.name}.torn-")
    assert stat.S_IMODE(repair.aside.stat().st_mode) == 0o600
    for language in ("en", "zh"):
        said = repair.sentence(Words(language))
        assert path.name in said
        assert repair.aside.name in said
    with Ledger.open(path) as ledger:
        assert ledger.repairs == ()


def test_a_whole_row_without_its_line_end_is_kept(path: Path) -> None:
    fill(path, 3)
    path.write_bytes(path.read_bytes()[:-1])
    with Ledger.open(path) as ledger:
        assert [repair.fault for repair in ledger.repairs] == ["unended"]
        assert ledger.append("message", {}, node=NODE) == 4
    assert seqs(path) == [1, 2, 3, 4]
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_file_that_is_torn_from_the_start_is_moved_aside(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{"se')
    fill(path, 1)
    assert seqs(path) == [1]


@settings(max_examples=40)
@given(cut=st.integers(min_value=0))
def test_wherever_the_file_is_cut_at_most_one_row_is_lost(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    path = tmp_path_factory.mktemp("cut") / "a.jsonl"
    fill(path, 4)
    whole = path.read_bytes()
    cut %= len(whole) + 1
    path.write_bytes(whole[:cut])
    complete = whole[:cut].count(b"\n") + (whole[cut : cut + 1] == b"\n")
    with Ledger.open(path) as ledger:
        assert ledger.append("message", {}, node=NODE) == complete + 1
    assert seqs(path) == list(range(1, complete + 2))


def test_numbers_go_on_after_the_highest_seen(path: Path) -> None:
    fill(path, 3)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[2], b"garbage\n", lines[0], b"more\xff\n"]))
    with Ledger.open(path) as ledger:
        assert ledger.append("message", {}, node=NODE) == 4
    bad: list[BadLine] = []
    assert [row.seq for row in read_rows(path, bad.append)] == [3, 1, 4]
    assert [line.line for line in bad] == [2, 4]


def test_a_long_ledger_opens_by_reading_its_end(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(path, 100, size=100_000)
    size = path.stat().st_size
    read = 0
    real = os.read

    def counting(descriptor: int, count: int) -> bytes:
        nonlocal read
        piece = real(descriptor, count)
        read += len(piece)
        return piece

    monkeypatch.setattr(os, "read", counting)
    with Ledger.open(path) as ledger:
        assert ledger.seq == 100
    assert size > 10_000_000
    assert read < size / 3


def test_a_row_of_many_megabytes_is_found_behind_garbage(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "_TAIL", 1000)
    fill(path, 2, size=5_000_000)
    with path.open("ab") as file:
        file.write(b"garbage\n" * 1000)
    with Ledger.open(path) as ledger:
        assert ledger.seq == 2


def test_a_second_writer_is_refused_here_and_in_another_process(path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from app.archive.ledger import Ledger\n"
        "from app.storage import Locked\n"
        "try: Ledger.open(Path(sys.argv[1]))\n"
        "except Locked as error: print(error)"
    )
    with Ledger.open(path) as ledger:
        ledger.append("message", {}, node=NODE)
        with pytest.raises(Locked):
            Ledger.open(path)
        done = subprocess.run(
            [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
        )
        assert "another haima is using this" in done.stdout
        ledger.append("message", {}, node=NODE)
    fill(path, 1)
    assert seqs(path) == [1, 2, 3]


def test_a_killed_writer_loses_nothing_it_acknowledged(path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from app.archive.ledger import Ledger\n"
        "ledger = Ledger.open(Path(sys.argv[1]))\n"
        "while True:\n"
        "    print(ledger.append('message', {'text': 'x' * 50_000}, node='n'), flush=True)\n"
    )
    last = 0
    for kills in range(1, 4):
        process = subprocess.Popen(
            [sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        for _ in range(random.Random(kills).randint(1, 40)):
            last = int(process.stdout.readline())
        os.kill(process.pid, signal.SIGKILL)
        rest, _ = process.communicate()
        last = max([last, *(int(line) for line in rest.splitlines(keepends=True) if b"\n" in line)])
        with Ledger.open(path) as ledger:
            assert ledger.seq in {last, last + 1}
            last = ledger.seq
        assert seqs(path) == list(range(1, last + 1))


def failing(number: int, after: int = 0) -> Callable[[int, memoryview], int]:
    """`os.write` that takes `after` bytes and then fails."""
    real, left = os.write, after

    def write(descriptor: int, data: memoryview) -> int:
        nonlocal left
        if left <= 0:
            raise OSError(number, os.strerror(number))
        taken = real(descriptor, bytes(data[:left]))
        left -= taken
        return taken

    return write


@pytest.mark.parametrize("after", [0, 1, 30])
def test_a_full_disk_leaves_the_ledger_clean(
    path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    with Ledger.open(path) as ledger:
        ledger.append("message", {}, node=NODE)
        good = path.read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", failing(errno.ENOSPC, after))
            with pytest.raises(StorageError, match="the disk is full"):
                ledger.append("message", {"text": "lost"}, node=NODE)
            assert path.read_bytes() == good
        assert ledger.append("message", {}, node=NODE) == 2
        assert ledger.repairs == ()
    assert seqs(path) == [1, 2]


def test_a_file_that_may_not_grow_is_cut_back_to_its_last_row(path: Path) -> None:
    """The real thing: the system takes a part of the row and then no more."""
    program = (
        "import resource, sys; from pathlib import Path; from app.archive.ledger import Ledger\n"
        "from app.storage import StorageError\n"
        "ledger = Ledger.open(Path(sys.argv[1]))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, resource.RLIM_INFINITY))\n"
        "try:\n"
        "    while True: ledger.append('message', {'text': 'x' * 300}, node='n')\n"
        "except StorageError as error: print(ledger.seq, error)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)\n"
        "ledger.append('message', {}, node='n')\n"
    )
    command = [sys.executable, "-c", program, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    last = int(done.stdout.split()[0])
    assert "the disk is full" in done.stdout
    assert last > 10
    assert seqs(path) == list(range(1, last + 2))


def test_a_row_that_can_be_neither_written_nor_cut_is_mended_later(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger.open(path) as ledger:
        ledger.append("message", {}, node=NODE)
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", failing(errno.EIO, 20))
            patch.setattr(os, "ftruncate", failing(errno.EIO))
            with pytest.raises(StorageError):
                ledger.append("message", {"text": "lost"}, node=NODE)
        assert not path.read_bytes().endswith(b"\n")
        assert ledger.append("message", {}, node=NODE) == 2
        assert [repair.fault for repair in ledger.repairs] == ["torn"]
    assert seqs(path) == [1, 2]


def test_short_writes_are_gone_on_with(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, bytes(data[:7])))
    fill(path, 2)
    assert seqs(path) == [1, 2]


def test_a_row_is_one_write(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    real = os.write

    def counting(descriptor: int, data: bytes) -> int:
        sizes.append(len(data))
        return real(descriptor, data)

    with Ledger.open(path) as ledger:
        monkeypatch.setattr(os, "write", counting)
        ledger.append("message", {"text": "x" * 300_000}, node=NODE)
    assert len(sizes) == 1


def test_a_ledger_that_is_removed_while_open_comes_back(path: Path) -> None:
    with Ledger.open(path) as ledger:
        ledger.append("message", {"text": "first"}, node=NODE)
        path.unlink()
        ledger.append("message", {}, node=NODE)
        path.unlink()
        path.parent.rmdir() if not list(path.parent.iterdir()) else None
        ledger.append("message", {}, node=NODE)
        assert [repair.fault for repair in ledger.repairs] == ["removed", "removed"]
    assert seqs(path) == [1, 2, 3]
    assert next(read_rows(path)).data == {"text": "first"}


def test_a_ledger_that_is_exchanged_while_open_is_kept_aside(path: Path) -> None:
    with Ledger.open(path) as ledger:
        for _ in range(3):
            ledger.append("message", {}, node=NODE)
        other = path.with_name("edited")
        other.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
        other.replace(path)
        assert ledger.append("message", {}, node=NODE) == 4
        (repair,) = ledger.repairs
    assert repair.fault == "replaced"
    assert repair.aside is not None
    assert seqs(repair.aside) == [1, 2, 3]
    assert seqs(path) == [1, 4]


def test_another_programs_writing_is_noticed(path: Path) -> None:
    with Ledger.open(path) as ledger:
        ledger.append("message", {}, node=NODE)
        with path.open("ab") as file:
            file.write(path.read_bytes().replace(b'"seq":1', b'"seq":7') + b"half")
        assert ledger.append("message", {}, node=NODE) == 8
        os.truncate(path, 0)
        assert ledger.append("message", {}, node=NODE) == 9
        assert [repair.fault for repair in ledger.repairs] == ["torn", "changed"]
    assert seqs(path) == [9]


def test_things_in_the_way_are_told_and_hold_no_lock(folder: Path) -> None:
    path = folder / "a.jsonl"
    path.mkdir()
    for _ in range(2):
        with pytest.raises(StorageError) as caught:
            Ledger.open(path)
        assert not isinstance(caught.value, Locked)
    path.rmdir()
    path.symlink_to(folder / "elsewhere")
    with pytest.raises(StorageError):
        fill(path, 1)


def test_a_closed_ledger_takes_no_rows(path: Path) -> None:
    ledger = Ledger.open(path)
    ledger.append("message", {}, node=NODE)
    ledger.close()
    ledger.close()
    with pytest.raises(ValueError, match="closed"):
        ledger.append("message", {}, node=NODE)
    assert seqs(path) == [1]


def test_data_that_is_not_json_is_a_fault_and_writes_nothing(path: Path) -> None:
    with Ledger.open(path) as ledger:
        with pytest.raises(TypeError):
            ledger.append("message", {"raw": b"bytes"}, node=NODE)
        assert ledger.append("message", {}, node=NODE) == 1


class SlowDisk:
    """Stands for `os.fsync`: counts, and waits until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls = 0
        self.error: OSError | None = None
        self.begun = asyncio.Event()
        self.go: asyncio.Event = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        monkeypatch.setattr(os, "fsync", self)

    def __call__(self, _: int) -> None:
        self.calls += 1
        self._loop.call_soon_threadsafe(self.begun.set)
        asyncio.run_coroutine_threadsafe(self.go.wait(), self._loop).result(10)
        if self.error:
            raise self.error


async def test_syncing_leaves_the_loop_free_and_is_shared(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger.open(path) as ledger:
        ledger.append("message", {}, node=NODE)
        await ledger.sync()
        ledger.append("message", {}, node=NODE)
        disk = SlowDisk(monkeypatch)
        first = asyncio.create_task(ledger.sync())
        await disk.begun.wait()
        for _ in range(5):
            ledger.append("message", {}, node=NODE)
        waiting = [asyncio.create_task(ledger.sync()) for _ in range(5)]
        await asyncio.sleep(0)
        assert not first.done()
        waiting.pop().cancel()
        disk.go.set()
        await asyncio.gather(first, *waiting)
        assert disk.calls == 2
        await ledger.sync()
        assert disk.calls == 2
        monkeypatch.undo()


async def test_a_failing_disk_is_told_to_all_who_wait(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger.open(path) as ledger:
        ledger.append("message", {}, node=NODE)
        disk = SlowDisk(monkeypatch)
        disk.error = OSError(errno.EIO, "Input/output error")
        disk.go.set()
        results = await asyncio.gather(ledger.sync(), ledger.sync(), return_exceptions=True)
        assert [type(result) for result in results] == [StorageError, StorageError]
        monkeypatch.undo()
        await ledger.sync()
    assert seqs(path) == [1]


async def test_closing_while_a_sync_runs_is_safe(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.open(path)
    ledger.append("message", {}, node=NODE)
    await ledger.sync()
    ledger.append("message", {}, node=NODE)
    disk = SlowDisk(monkeypatch)
    running = asyncio.create_task(ledger.sync())
    await disk.begun.wait()
    monkeypatch.undo()
    ledger.close()
    disk.go.set()
    await running
    assert seqs(path) == [1, 2]
