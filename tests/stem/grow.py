"""The stem: a process that has imported the program and forks a copy whenever one is ordered.

`python -m tests.stem.grow <socket>`. It has one thread and no open file but that socket. An order
is one packet: what to run, where, in which environment, and the descriptors to run it on. The copy
becomes an ordinary process: arguments, environment, folder, streams and signals are its own, and it
can be killed at any point. Only the imports lie behind it. It ends as the interpreter ends, with
its threads, exit handlers and streams; what is then freed is only freed in a `whole` one.
"""

import atexit
import contextlib
import fcntl
import gc
import importlib
import os
import runpy
import selectors
import signal
import socket
import sys
import termios
import threading
import time
from pathlib import Path

from app.boundary import TAGS, USER_TAGS, neutralise
from app.text import LANGUAGES, Words
from tests.stem.order import PACKET, Order
from tests.stem.rehearsal import rehearse
from tests.stem.warm import warm

DESCRIPTORS = 4
"""The three standard streams, and the pipe for the report."""

LOADED = (
    "unittest.mock",
    "app.cli",
    "app.cli.turns",
    "app.cli.commands",
    "app.cli.sessions",
    "app.cli.checks",
    "app.cli.figures",
    "app.headless",
    "app.config",
    "app.llm.transport",
    "app.session.doctor",
    "app.session.launch",
    "app.session.logs",
    "app.session.marks",
    "anyio._backends._asyncio",
    "httpcore2",
)
"""What a run and the smaller commands import."""

SCREEN = ("app.workbench.start", "app.workbench.conductor", "app.llm.demo")
"""What the screen imports beside it."""

_HIGHEST = 256
"""No open descriptor has a higher number."""


def serve(orders: socket.socket) -> Order | None:
    """Forks a copy an order; comes back with it in the copy, with None when nobody orders more."""
    with selectors.PollSelector() as ends:  # it has no descriptor of its own
        ends.register(orders, selectors.EVENT_READ)
        while True:
            for key, _ in ends.select():
                if key.fileobj is not orders:
                    ends.unregister(key.fileobj)
                    pid, pipe = key.data
                    report(pid, pipe, key.fd)
                    continue
                packet, given, _, _ = socket.recv_fds(orders, PACKET, DESCRIPTORS)
                if not packet:
                    for other in ends.get_map().values():
                        if other.data:
                            os.kill(other.data[0], signal.SIGKILL)
                    return None
                pid = os.fork()
                if not pid:
                    order = Order.decode(packet)
                    orders.detach()
                    become(order, given)
                    return order
                *streams, pipe = given
                for stream in streams:
                    os.close(stream)
                with contextlib.suppress(BrokenPipeError):
                    os.write(pipe, b"%d\n" % pid)
                ends.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, pipe))


def report(pid: int, pipe: int, handle: int) -> None:
    """Tells how a copy ended, as `subprocess` numbers it."""
    _, status = os.waitpid(pid, 0)
    with contextlib.suppress(BrokenPipeError):
        os.write(pipe, b"%d\n" % os.waitstatus_to_exitcode(status))
    os.close(pipe)
    os.close(handle)


def become(order: Order, given: list[int]) -> None:
    """Makes this copy what was ordered."""
    for target, descriptor in enumerate(given[:3]):
        os.dup2(descriptor, target)
    os.closerange(3, _HIGHEST)
    if order.terminal:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(order.environ)
    time.tzset()
    os.chdir(order.folder)
    sys.argv = ["", *order.arguments]
    sys.path[0] = order.folder
    if order.terminal:
        for name in ("stdout", "stderr"):
            getattr(sys, f"__{name}__").reconfigure(line_buffering=True)


def leave(code: object) -> None:
    """Ends as the interpreter does, but for freeing each object, which would copy all of the stem.

    What it tells when it ends (an exit code that is a sentence, a stream that takes no more) is
    left to it.
    """
    if code is not None and not isinstance(code, int):
        return
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return
    os._exit((code or 0) & 0xFF)


def main() -> None:
    """Imports, serves, and in a copy runs the module."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    orders = socket.socket(fileno=int(sys.argv[1]))
    for name in (*LOADED, *(SCREEN if "screen" in sys.argv[2:] else ())):
        importlib.import_module(name)
    if demo := sys.modules.get("app.llm.demo"):
        vars(demo)["PACE"] = 0.0  # nobody reads along with the demo
    for language in LANGUAGES:
        Words(language)  # their tables are kept
    for tags in (TAGS, USER_TAGS):
        neutralise("", names=tags)  # as are the patterns, half of the work of a short run
    warm()
    rehearse()
    sys.path.insert(0, str(Path.cwd()))
    gc.collect()
    gc.freeze()
    if (order := serve(orders)) is not None:
        try:
            runpy.run_module(order.module, run_name="__main__", alter_sys=True)
        except SystemExit as end:
            if not order.whole:
                leave(end.code)
            raise
        if not order.whole:
            leave(None)


if __name__ == "__main__":
    main()
