"""Runs a program in a process group of its own, takes its output, and ends all of the group.

Both streams go into one pipe, so their order is kept. The pipe is read as it fills; when the
program is over, what it left running is ended too, so nothing it started outlives the call and
nothing that holds the pipe open can make the call hang. Nor does it outlive Haima (`watchdog`).
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.tools.watchdog import WATCHDOG

GRACE = 0.5
"""Seconds between SIGTERM and SIGKILL."""

DRAIN = 0.3
"""Seconds to wait for the end of the pipe once the program itself is over."""

_LAST_MOMENTS = 0.05
"""Seconds in which what has closed the pipe may end by itself."""

_POLL = 0.01
_PIECE = 256 * 1024

Consume = Callable[[bytes], bool]
"""Takes a piece of output; False: it is enough, the program is stopped."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended.

    Attributes:
        code: exit code; negative: the signal that killed it; None: it was stopped by us.
        timed_out: it was stopped at the time limit.
        leftovers: processes it had started were still running, and were ended.
    """

    code: int | None
    timed_out: bool = False
    leftovers: bool = False


async def run_process(
    command: Sequence[str],
    *,
    folder: Path,
    environ: Mapping[str, str],
    consume: Consume,
    limit: float,
) -> Ended:
    """Runs a program with an empty standard input.

    Cancelling ends the whole group before it goes on.

    Args:
        command: program and arguments.
        folder: where it runs.
        environ: its environment.
        consume: gets the output as it comes, both streams.
        limit: seconds it may run.

    Raises:
        OSError: it can't be started.
        RuntimeError: no thread can be started that waits for it; it was ended.
    """
    loop = asyncio.get_running_loop()
    WATCHDOG.start()
    read_end, write_end = os.pipe()
    try:
        process = subprocess.Popen(  # noqa: ASYNC220  (a fork takes milliseconds)
            command,
            stdin=subprocess.DEVNULL,
            stdout=write_end,
            stderr=write_end,
            cwd=folder,
            env=dict(environ),
            start_new_session=True,
        )
    except BaseException:
        os.close(read_end)
        raise
    finally:
        os.close(write_end)
    WATCHDOG.watch(process.pid)
    try:
        exited = _exit_of(process, loop)
        output = _Output(loop, read_end, consume)
    except BaseException:  # no thread is left: it must neither go on nor stay watched
        _signal(process.pid, signal.SIGKILL)
        process.wait()
        WATCHDOG.release(process.pid)
        os.close(read_end)
        raise
    leftovers = False
    try:
        ends: set[asyncio.Future[Any]] = {exited, output.enough}
        await asyncio.wait(ends, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        over = exited.done()
        if over:
            await asyncio.wait({output.end}, timeout=DRAIN)
    finally:
        try:
            leftovers = await _end_group(process.pid, exited)
        finally:
            WATCHDOG.release(process.pid)
            output.close()
    if over:
        return Ended(exited.result(), leftovers=leftovers)
    return Ended(None, timed_out=not output.enough.done())


class _Output:
    """Reads one end of a pipe on the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, descriptor: int, consume: Consume) -> None:
        self.end: asyncio.Future[None] = loop.create_future()
        self.enough: asyncio.Future[None] = loop.create_future()
        self._loop = loop
        self._descriptor = descriptor
        self._consume = consume
        os.set_blocking(descriptor, False)
        loop.add_reader(descriptor, self._read)

    def close(self) -> None:
        """Takes what is still in the pipe, then closes it."""
        while not self.end.done() and not self.enough.done() and self._read():
            pass
        self._loop.remove_reader(self._descriptor)
        os.close(self._descriptor)

    def _read(self) -> bool:
        """Reads a piece; False when there is none now."""
        try:
            piece = os.read(self._descriptor, _PIECE)
        except BlockingIOError:
            return False
        if not piece:
            self._loop.remove_reader(self._descriptor)
            self.end.set_result(None)
        elif not self._consume(piece):
            self._loop.remove_reader(self._descriptor)
            self.enough.set_result(None)
        return bool(piece)


def _exit_of(
    process: "subprocess.Popen[bytes]", loop: asyncio.AbstractEventLoop
) -> asyncio.Future[int]:
    """The exit code to come. A thread waits: asyncio's own watchers wait for the pipe as well."""
    future: asyncio.Future[int] = loop.create_future()

    def settle(code: int) -> None:
        if not future.done():
            future.set_result(code)

    def wait() -> None:
        code = process.wait()
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, code)

    threading.Thread(target=wait, name=f"wait-{process.pid}", daemon=True).start()
    return future


async def _end_group(group: int, exited: asyncio.Future[int]) -> bool:
    """Ends what is left of a group, kindly and then not; whether anything was."""
    ended = False
    try:
        if exited.done():
            await _gone(group, exited, _LAST_MOMENTS)
            ended = not _lives(group)
        if not ended:
            _signal(group, signal.SIGTERM)
            await _gone(group, exited, GRACE)
    finally:
        # Also when the wait itself is cancelled: nothing may outlive the call. A group that has
        # ended is left alone: its number may be another's by now.
        if not ended:
            _signal(group, signal.SIGKILL)
    if not ended:
        await _gone(group, exited, GRACE)
    return not ended


async def _gone(group: int, exited: asyncio.Future[int], limit: float) -> None:
    """Waits until the group has ended, at most `limit` seconds."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(limit):
            while not exited.done() or _lives(group):  # noqa: ASYNC110  (nothing tells us)
                await asyncio.sleep(_POLL)


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _lives(group: int) -> bool:
    """Whether a process of the group is running; one that waits to be buried doesn't count."""
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    if not Path("/proc/self/stat").exists():
        return True
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            state, _, its_group = status.read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state not in "ZX":
                return True
    return False
