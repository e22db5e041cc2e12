"""Processes that grew from a stem: with pipes for asyncio, or on a terminal for pexpect."""

import asyncio
import atexit
import contextlib
import itertools
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from pexpect.fdpexpect import fdspawn

from tests.stem.order import PACKET, Order

ROOT = Path(__file__).parents[2]

_LIMIT = 2**24
"""Characters of the longest line that is read of a process."""

_STEMS = 2
"""They hash strings differently, as any two processes do: no order of a set may be relied on."""

_ENVIRON = {"LANG": "C.UTF-8", "TZ": "UTC", "PYTHONPATH": str(ROOT), "TEXTUAL_ANIMATIONS": "none"}


class Stem:
    """A process that forks copies of itself."""

    def __init__(self, *more: str) -> None:
        """Starts it; it needn't be waited for."""
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.stem.grow", str(theirs.fileno()), *more],
                cwd=ROOT,
                env={**_ENVIRON, "PATH": os.environ["PATH"]},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        atexit.register(self.close)

    def order(self, order: Order, streams: Sequence[int]) -> int:
        """Orders a copy on these streams; a pipe with two lines: its number, how it ended."""
        packet = order.encode()
        assert len(packet) < PACKET
        report, theirs = os.pipe()
        socket.send_fds(self._orders, [packet], [*streams, theirs])
        os.close(theirs)
        return report

    def close(self) -> None:
        """Ends it, and whatever grew from it and still runs."""
        self._orders.close()
        self._process.wait()


_stems: dict[str, Iterator[Stem]] = {}


def stem(kind: str = "") -> Stem:
    """The stem for the next process: "" for runs, "screen" for the screen."""
    if kind not in _stems:
        each = [Stem(kind)] if kind else [Stem() for _ in range(_STEMS)]
        _stems[kind] = itertools.cycle(each)
    return next(_stems[kind])


class Grown:
    """A process as `asyncio.subprocess.Process` is one.

    Attributes:
        pid: its number.
        returncode: how it ended; None while it runs.
        stdin, stdout, stderr: pipes to it.
    """

    def __init__(
        self,
        pid: int,
        report: asyncio.StreamReader,
        stdin: asyncio.StreamWriter,
        stdout: asyncio.StreamReader,
        stderr: asyncio.StreamReader,
    ) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self._end = asyncio.create_task(self._until_its_end(report))

    async def _until_its_end(self, report: asyncio.StreamReader) -> int:
        self.returncode = int(await report.readline())
        return self.returncode

    async def wait(self) -> int:
        """Waits for its end."""
        return await asyncio.shield(self._end)

    async def communicate(self, given: bytes = b"") -> tuple[bytes, bytes]:
        """Gives it its input, and reads what it says to its end."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.stdin.write(given)
            await self.stdin.drain()
        self.stdin.close()
        out, err = await asyncio.gather(self.stdout.read(), self.stderr.read())
        await self.wait()
        return out, err

    def send_signal(self, number: int) -> None:
        """Sends it a signal, if it still runs."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Pulls its plug."""
        self.send_signal(signal.SIGKILL)


class _Pipe(asyncio.streams.FlowControlMixin):
    """A pipe that is written to."""

    def __init__(self) -> None:
        super().__init__()
        self._closed = asyncio.get_running_loop().create_future()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is closed on either side."""
        super().connection_lost(exc)
        if not self._closed.done():
            self._closed.set_result(None)

    def _get_close_waiter(self, stream: object) -> asyncio.Future[None]:
        return self._closed


async def _reader(descriptor: int) -> asyncio.StreamReader:
    """What comes out of a pipe."""
    reader = asyncio.StreamReader(limit=_LIMIT)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb", 0)
    )
    return reader


async def grow(
    module: str, arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str]
) -> Grown:
    """Starts `python -m module arguments` with pipes."""
    theirs, given = os.pipe()
    said, out = os.pipe()
    complained, err = os.pipe()
    order = Order(module, tuple(arguments), str(cwd), dict(env))
    report = await _reader(stem().order(order, (theirs, out, err)))
    for descriptor in (theirs, out, err):
        os.close(descriptor)
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(_Pipe, os.fdopen(given, "wb", 0))
    stdin = asyncio.StreamWriter(transport, protocol, None, loop)
    stdout, stderr = await _reader(said), await _reader(complained)
    return Grown(int(await report.readline()), report, stdin, stdout, stderr)


def run(
    module: str, arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Runs `python -m module arguments` to its end, without input, as `subprocess.run` does."""
    order = Order(module, tuple(arguments), str(cwd), dict(env))
    with (
        Path(os.devnull).open("rb") as nothing,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        streams = (nothing.fileno(), out.fileno(), err.fileno())
        with os.fdopen(stem().order(order, streams)) as report:
            _, code = report
        said = []
        for file in (out, err):
            file.seek(0)
            said.append(file.read().decode())
    return subprocess.CompletedProcess([module, *arguments], int(code), *said)


class Terminal(fdspawn):  # type: ignore[misc]
    """A process on a terminal of its own, as `pexpect.spawn` is one; nothing sleeps.

    Attributes:
        pid: its number.
        exitstatus: its exit code, after `wait`; None: a signal ended it.
    """

    child_fd: int

    def __init__(self, descriptor: int, report: int, **more: Any) -> None:
        super().__init__(descriptor, **more)
        self._report = os.fdopen(report)
        self.pid = int(self._report.readline())
        self.exitstatus: int | None = None
        self._over = False

    @classmethod
    def start(
        cls,
        arguments: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        dimensions: tuple[int, int] = (36, 120),
        timeout: float = 30,
    ) -> Self:
        """Starts `python -m app arguments`."""
        ours, theirs = os.openpty()
        termios.tcsetwinsize(theirs, dimensions)
        order = Order("app", tuple(arguments), str(cwd), dict(env), terminal=True)
        report = stem("screen").order(order, (theirs, theirs, theirs))
        os.close(theirs)
        return cls(ours, report, timeout=timeout, encoding="utf-8")

    def kill(self, number: int) -> None:
        """Sends it a signal, if it still runs."""
        told, _, _ = select.select([] if self._over else [self._report], [], [], 0)
        if not self._over and not told:  # else its number may be another's by now
            os.kill(self.pid, number)

    def wait(self) -> int | None:
        """Waits for its end; its exit code."""
        if not self._over:
            code = int(self._report.readline())
            self._report.close()
            self._over = True
            self.exitstatus = code if code >= 0 else None
        return self.exitstatus

    def hang_up(self) -> None:
        """Closes the terminal under it."""
        os.close(self.child_fd)
        self.child_fd, self.closed = -1, True

    def end(self) -> None:
        """Kills it if it still runs."""
        self.kill(signal.SIGKILL)
        self.wait()
        if not self.closed:
            self.hang_up()
