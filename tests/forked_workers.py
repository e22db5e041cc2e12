"""The workers of a run are forks of one process that has imported the program and its tests.

xdist starts each as a new interpreter, which imports all of it again, rewrites the assertions of
each test module, and frees it all at its end: 6 s of CPU a worker. Here the controller imports,
once, and forks. A worker is then what it would be: its streams are pipes, and execnet and pytest
begin in it anew. Where the insides of execnet are others than here, where there is no fork or
another thread runs, workers start as xdist starts them, as do those that replace a crashed one.
"""

import atexit
import contextlib
import gc
import importlib
import logging
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from tests.stem import grown
from tests.stem.warm import warm


class Forked:
    """A worker, as execnet uses a `subprocess.Popen`.

    Attributes:
        pid: its number.
        stdin, stdout: pipes to it, and from it.
    """

    def __init__(self, pid: int, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self._over = False

    def wait(self) -> int | None:
        """Waits for its end."""
        if self._over:
            return None
        _, status = os.waitpid(self.pid, 0)
        self._over = True
        return os.waitstatus_to_exitcode(status)

    def kill(self) -> None:
        """Ends it, if it still runs."""
        if not self._over:
            os.kill(self.pid, signal.SIGKILL)


def fork_workers(config: pytest.Config, count: int) -> None:
    """Imports the tests that this run asks for and forks its workers, as far as this can be done.

    Called in the controller before it starts the first of them.
    """
    gateways = importlib.import_module("execnet.gateway_io")
    if sys.platform != "linux" or not hasattr(gateways, "Popen2IOMaster"):
        return
    _import(_asked_for(config), config)
    _read_ahead()
    if threading.active_count() > 1:
        return
    gc.collect()
    gc.freeze()  # the more of it stays as it is, the less is copied
    forked: list[Forked] = []
    with grown.shared():
        while len(forked) < count:
            forked.append(_fork(forked))
    start, process = vars(gateways)["create_io"], vars(gateways)["Popen2IOMaster"]
    vars(gateways)["create_io"] = _instead(start, process, forked)


def _instead(
    start: Callable[..., Any], process: type[Any], forked: list[Forked]
) -> Callable[..., Any]:
    """What execnet calls to start a process; this takes one of these while there are any."""

    def create_io(spec: Any, execmodel: Any) -> Any:
        if not forked or not spec.popen or spec.python or spec.via:
            return start(spec, execmodel)
        io: Any = object.__new__(process)
        io.popen = forked.pop(0)
        super(process, io).__init__(io.popen.stdin, io.popen.stdout, execmodel)
        return io

    return create_io


def _asked_for(config: pytest.Config) -> Iterator[Path]:
    """The test modules among the files and folders that the run is about."""
    for argument in config.args:
        path = Path(config.invocation_params.dir, argument.partition("::")[0])
        yield from sorted(path.rglob("test_*.py")) if path.is_dir() else [path]


def _import(paths: Iterable[Path], config: pytest.Config) -> None:
    """Imports test modules, with the warnings that collecting them would give."""
    catch = importlib.import_module("_pytest.warnings").catch_warnings_for_item
    with catch(config=config, ihook=config.hook, when="collect", item=None):
        for path in paths:
            # The worker that collects it tells what is wrong with it, or why it is skipped.
            with contextlib.suppress(Exception, pytest.skip.Exception):
                name = ".".join(path.resolve().relative_to(config.rootpath).with_suffix("").parts)
                importlib.import_module(name)


def _read_ahead() -> None:
    """Reads what each worker would read again, and sooner or later does."""
    if "tests.memory.test_similarity" in sys.modules:
        warm()
        importlib.import_module("app.memory.slots").jieba_words.load()
    with contextlib.suppress(ImportError, AttributeError):
        # The constants in all modules of the program, which hypothesis tries.
        providers = importlib.import_module("hypothesis.internal.conjecture.providers")
        providers._get_local_constants()


def _fork(before: Iterable[Forked]) -> Forked:
    """Forks a worker; comes back in the controller only."""
    theirs, given = os.pipe()
    said, out = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        os.close(theirs)
        os.close(out)
        return Forked(pid, os.fdopen(given, "wb"), os.fdopen(said, "rb"))
    code = 1
    try:
        for other in before:
            other.stdin.close()
            other.stdout.close()
        os.close(given)
        os.close(said)
        _serve(theirs, out)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            atexit._run_exitfuncs()
            sys.stderr.flush()
        os._exit(code)


def _serve(requests: int, replies: int) -> None:
    """In a worker: serves execnet on these descriptors, until the controller has had enough."""
    atexit._clear()
    os.dup2(requests, 0)
    os.dup2(replies, 1)
    os.close(requests)
    os.close(replies)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", buffering=1, closefd=False)  # noqa: SIM115
    root = logging.getLogger()
    root.handlers.clear()  # the controller's
    root.setLevel(logging.WARNING)
    exec(eval(sys.stdin.readline()))  # execnet's own beginning of a worker
