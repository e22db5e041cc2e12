"""`haima` in the test's empty home, as a process of its own or in this one."""

import json
import os
import subprocess
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from app.cli import main
from tests.stem.grown import run

ROOT = Path(__file__).parents[2]


def haima(
    *arguments: str, python: Sequence[str] = (), **environ: str
) -> subprocess.CompletedProcess[str]:
    """Runs `haima` in the test's empty home, outside any project.

    The interpreter starts anew only where it is given options, or a language of its own.
    """
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TZ")}
    home, env = Path(kept["HOME"]), {**kept, "PYTHONPATH": str(ROOT), **environ}
    if not python and not any(name.startswith(("LANG", "LC_", "PYTHON")) for name in environ):
        return run("app", arguments, cwd=home, env=env)
    return subprocess.run(
        [sys.executable, *python, "-m", "app", *arguments],
        cwd=home,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def shell(line: str) -> subprocess.CompletedProcess[str]:
    """Runs a line in bash, in the same place; `$haima` in it is the command."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TZ")}
    return subprocess.run(
        ["bash", "-c", line.replace("$haima", f"{sys.executable} -m app")],
        cwd=os.environ["HOME"],
        env={**kept, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def imported(*arguments: str, **environ: str) -> set[str]:
    """The packages a command imports."""
    ran = haima(*arguments, python=("-X", "importtime"), **environ)
    lines = [line for line in ran.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


def records(text: str) -> list[dict[str, Any]]:
    """What `--json` printed."""
    return [json.loads(line) for line in text.splitlines()]


def cells(line: str) -> int:
    """How wide a line is in a terminal."""
    return sum(1 + (unicodedata.east_asian_width(character) in "WF") for character in line)


class Ran:
    """What a command did in this process."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err

    @property
    def records(self) -> list[dict[str, Any]]:
        """What it printed with `--json`."""
        return records(self.out)

    @property
    def ids(self) -> list[str]:
        """The ids of those."""
        return [record["id"] for record in self.records]


class Haima:
    """`haima`, or one of its commands, without a process of its own."""

    def __init__(self, capfd: pytest.CaptureFixture[str], *command: str) -> None:
        self._capfd = capfd
        self._command = command

    def __call__(self, *arguments: str) -> Ran:
        """Runs it to its end."""
        code = main([*self._command, *arguments])
        said = self._capfd.readouterr()
        return Ran(code, said.out, said.err)
