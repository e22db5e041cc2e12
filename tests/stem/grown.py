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

_PATIENCE = 5.0
"""Seconds that a shared stem is given to end."""

_ENVIRON = {"LANG": "C.UTF-8", "TZ": "UTC", "PYTHONPATH": str(ROOT), "TEXTUAL_ANIMATIONS": "none"}


class Stem:
    """A process that forks copies of itself, at the other end of a socket."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders

    def order(self, order: Order, streams: Sequence[int]) -> int:
        """Orders a copy on these streams; a pipe with two lines: its number, how it ended."""
        packet = order.encode()
        assert len(packet) < PACKET
        report, theirs = os.pipe()
        socket.send_fds(self._orders, [packet], [*streams, theirs])
        os.close(theirs)
        return report


def _ends() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _command(theirs: socket.socket, kind: str) -> list[str]:
    return [sys.executable, "-m", "tests.stem.grow", str(theirs.fileno()), *filter(None, [kind])]


def _start(kind: str) -> Stem:
    """A stem of this process, which ends with it, as does whatever grew from it."""
    ours, theirs = _ends()
    with theirs:
        process = subprocess.Popen(
            _command(theirs, kind),
            cwd=ROOT,
            env={**_ENVIRON, "PATH": os.environ["PATH"]},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return Stem(ours)


_COUNTS = {"": _STEMS, "screen": 1}

_stems: dict[str, Iterator[Stem]] = {}


def stem(kind: str = "") -> Stem:
    """The stem for the next process: "" for runs, "screen" for the screen."""
    if kind not in _stems:
        _stems[kind] = itertools.cycle([_start(kind) for _ in range(_COUNTS[kind])])
    return next(_stems[kind])


@contextlib.contextmanager
def shared() -> Iterator[None]:
    """Whatever is forked inside shares its stems.

    Each begins to import when the first process is ordered of it, and ends when nobody is left who
    could order more. They are children of this process, which itself keeps none.
    """
    kinds = [kind for kind, count in _COUNTS.items() for _ in range(count)]
    pairs = [_ends() for _ in kinds]
    atexit.register(_reap, [_waiting(kind, i, pairs) for i, kind in enumerate(kinds)])
    for _, theirs in pairs:
        theirs.close()
    for kind in _COUNTS:
        each = [Stem(ours) for (ours, _), of in zip(pairs, kinds, strict=True) if of == kind]
        _stems[kind] = itertools.cycle(each)
    yield
    _stems.clear()
    for ours, _ in pairs:
        ours.close()


def _waiting(kind: str, which: int, pairs: Sequence[tuple[socket.socket, socket.socket]]) -> int:
    """Forks a process that becomes a stem when something is ordered; a handle of it."""
    pid = os.fork()
    if pid:
        return os.pidfd_open(pid)
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        orders = pairs[which][1]
        for pair in pairs:
            for end in pair:
                if end is not orders:
                    end.close()
        if orders.recv(1, socket.MSG_PEEK):
            orders.set_inheritable(True)
            nothing = os.open(os.devnull, os.O_RDWR)
            os.dup2(nothing, 0)
            os.dup2(nothing, 1)
            os.chdir(ROOT)
            environ = {**_ENVIRON, "PATH": os.environ["PATH"]}
            os.execve(sys.executable, _command(orders, kind), environ)
    finally:
        os._exit(0)


def _reap(handles: Sequence[int]) -> None:
    """Waits for the ends of these; ends what isn't through in time."""
    for handle in handles:
        if not select.select([handle], [], [], _PATIENCE)[0]:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        os.waitid(os.P_PIDFD, handle, os.WEXITED)
        os.close(handle)


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
    module: str, arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str], whole: bool = True
) -> Grown:
    """Starts `python -m module arguments` with pipes."""
    theirs, given = os.pipe()
    said, out = os.pipe()
    complained, err = os.pipe()
    order = Order(module, tuple(arguments), str(cwd), dict(env), whole=whole)
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
        timeout: float = 90,
    ) -> Self:
        """Starts `python -m app arguments`."""
        ours, theirs = os.openpty()
        termios.tcsetwinsize(theirs, dimensions)
        order = Order("app", tuple(arguments), str(cwd), dict(env), terminal=True, whole=True)
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
