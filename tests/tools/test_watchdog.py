"""What Haima had running when it was killed is ended; what ended before is left alone."""

import asyncio
import errno
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from app.tools import process
from app.tools.watchdog import Watchdog
from tests.session.support import alive, until

STUBBORN = "trap '' TERM; sleep 1000 & echo up; wait; wait"


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Groups that are running, and end with the test."""
    made = [
        subprocess.Popen(["sh", "-c", STUBBORN], stdout=subprocess.PIPE, start_new_session=True)
        for _ in range(4)
    ]
    for one in made:
        assert one.stdout is not None
        assert one.stdout.readline() == b"up\n"
    yield made
    for one in made:
        with suppress(ProcessLookupError):
            os.killpg(one.pid, signal.SIGKILL)
        one.communicate()


async def test_groups_that_are_watched_end_with_the_watch(
    started: list[subprocess.Popen[bytes]],
) -> None:
    first, released, last, strange = started
    watchdog = Watchdog()
    watchdog.start()
    for one in (first, released, last):
        watchdog.watch(one.pid)
    watchdog.release(released.pid)
    watchdog.release(first.pid * 10)  # one that isn't there
    watchdog.close()
    await until(lambda: first.poll() is not None and last.poll() is not None)
    assert (first.returncode, last.returncode) == (-signal.SIGKILL, -signal.SIGKILL)
    assert released.poll() is None
    assert strange.poll() is None


async def killed() -> tuple[Watchdog, subprocess.Popen[bytes]]:
    """A watchdog whose shell somebody killed."""
    watchdog = Watchdog()
    watchdog.start()
    shell = watchdog._shell
    assert shell is not None
    shell.kill()
    await until(lambda: not alive(shell.pid))
    return watchdog, shell


async def test_a_watch_that_was_killed_disturbs_nobody(
    started: list[subprocess.Popen[bytes]],
) -> None:
    watchdog, _ = await killed()
    watchdog.watch(started[0].pid)
    watchdog.start()
    watchdog.watch(started[1].pid)
    watchdog.close()
    await until(lambda: started[1].poll() is not None)
    assert started[0].poll() is None


async def test_the_next_program_has_another_watch_after_one_was_killed(
    started: list[subprocess.Popen[bytes]],
) -> None:
    watchdog, shell = await killed()
    watchdog.start()
    assert shell.returncode == -signal.SIGKILL, "no zombie is left"
    watchdog.watch(started[0].pid)
    watchdog.close()
    await until(lambda: started[0].poll() is not None)


async def test_a_watch_that_misses_an_end_ends_nobody(
    started: list[subprocess.Popen[bytes]],
) -> None:
    """The number of a group that has ended may be another's by the time it goes on."""
    watchdog = Watchdog()
    watchdog.start()
    shell = watchdog._shell
    assert shell is not None
    watchdog.watch(started[0].pid)
    os.kill(shell.pid, signal.SIGSTOP)
    for _ in range(100_000):  # more than a pipe holds
        watchdog.release(started[1].pid)
    watchdog.release(started[0].pid)
    with suppress(ProcessLookupError):
        os.kill(shell.pid, signal.SIGCONT)
    watchdog.close()
    assert not alive(shell.pid)
    assert started[0].poll() is None


def test_without_descriptors_nothing_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> tuple[int, int]:
        raise OSError(errno.EMFILE, "none left")

    watchdog = Watchdog()
    monkeypatch.setattr("app.tools.watchdog.os.pipe", full)
    watchdog.start()
    monkeypatch.undo()
    watchdog.watch(os.getpid())
    watchdog.close()


class Told:
    """What a watch was told."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, int]] = []

    def start(self) -> None:
        pass

    def watch(self, group: int) -> None:
        self.lines.append(("+", group))

    def release(self, group: int) -> None:
        self.lines.append(("-", group))


async def test_a_program_that_nobody_can_wait_for_is_ended_and_not_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    told = Told()
    monkeypatch.setattr(process, "WATCHDOG", told)
    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(RuntimeError):
        await process.run_process(
            ["sleep", "1000"], folder=tmp_path, environ=os.environ, consume=bool, limit=1
        )
    (_, group), *_ = told.lines
    assert told.lines == [("+", group), ("-", group)]
    with pytest.raises(ProcessLookupError):
        os.kill(group, 0)


def test_where_there_is_no_shell_nothing_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.tools.watchdog._SHELL", "/nowhere/sh")
    watchdog = Watchdog()
    watchdog.start()
    watchdog.watch(os.getpid())
    watchdog.close()


async def test_a_fork_does_not_hold_it_open(tmp_path: Path) -> None:
    """The pipe ends with Haima, though a fork of it lives on."""
    program = f"""
import os, signal, subprocess
from app.tools import process
from app.tools.watchdog import WATCHDOG
command = subprocess.Popen(["sleep", "1000"], start_new_session=True)
WATCHDOG.start()
WATCHDOG.watch(command.pid)
fork = os.fork()
if not fork:
    signal.pause()
open({str(tmp_path / "pids")!r}, "w").write(f"{{command.pid}} {{fork}}")
os.kill(os.getpid(), signal.SIGKILL)
"""
    haima = await asyncio.create_subprocess_exec(sys.executable, "-c", program)
    assert await haima.wait() == -signal.SIGKILL
    command, fork = map(int, (tmp_path / "pids").read_text().split())
    try:
        await until(lambda: not alive(command))
        assert alive(fork)
    finally:
        os.kill(fork, signal.SIGKILL)
