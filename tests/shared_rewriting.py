"""Rewriting the assertions of all test modules costs more than importing them: workers share it.

Where the insides of pytest are others than here, each does all of it, as it would anyway.
"""

import contextlib
import importlib
import marshal
import os
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

Rewrite = Callable[[Path, pytest.Config], tuple[os.stat_result, CodeType]]


class SharedRewriting:
    """Test modules with their assertions rewritten, in a folder that the workers of a run share.

    Each worker begins with a part of its own; the rest it finds there.
    """

    def __init__(self, rewrite: Rewrite, config: pytest.Config, folder: Path) -> None:
        self._rewrite = rewrite
        self._config = config
        self._folder = folder

    def begin(self, tests: Path, worker: int, workers: int) -> None:
        """Rewrites every so many-th test module."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in sorted(tests.rglob("test_*.py"))[worker::workers]:
            self(path, self._config)

    def __call__(self, path: Path, config: pytest.Config) -> tuple[os.stat_result, CodeType]:
        """The module's code, as `_pytest.assertion.rewrite._rewrite_test` gives it."""
        kept = self._folder / os.fspath(path).strip(os.sep).replace(os.sep, "-")
        with contextlib.suppress(OSError, EOFError, ValueError):
            code = marshal.loads(kept.read_bytes())
            if isinstance(code, CodeType):
                return path.stat(), code
        state, code = self._rewrite(path, config)
        with contextlib.suppress(OSError):
            whole = kept.with_name(f"{kept.name}.{os.getpid()}")
            whole.write_bytes(marshal.dumps(code))
            whole.replace(kept)
        return state, code


def share_rewriting(config: pytest.Config, tests: Path) -> None:
    """From now on the workers of a run of all tests share the rewriting."""
    worker: dict[str, Any] | None = getattr(config, "workerinput", None)
    module = importlib.import_module("_pytest.assertion.rewrite")
    rewrite: Rewrite | None = getattr(module, "_rewrite_test", None)
    if worker is None or rewrite is None or config.getoption("assertmode") == "plain":
        return
    if tests not in (Path(config.invocation_params.dir, one).resolve() for one in config.args):
        return
    folder = Path(config.getoption("basetemp")).parent / "rewritten"
    shared = SharedRewriting(rewrite, config, folder)
    shared.begin(tests, int(worker["workerid"].removeprefix("gw")), worker["workercount"])
    vars(module)["_rewrite_test"] = shared
