"""Whole sessions: `haima` as a process of its own, against a strict server over real HTTP."""

import asyncio
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.endpoint import Endpoint
from tests.stem.grown import Grown, grow

ROOT = Path(__file__).parents[2]

CALC = '''"""Sums."""


def add(a: int, b: int) -> int:
    """Adds."""
    return a - b
'''
TEST = """import unittest

from calc import add


class AddTest(unittest.TestCase):
    def test_add(self) -> None:
        self.assertEqual(add(2, 3), 5)
"""


@dataclass(frozen=True, slots=True)
class Ran:
    """What a finished `haima` left behind."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Its lines on stdout, each a JSON object."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def events(self) -> list[dict[str, Any]]:
        """All but those that only tell how full the window is."""
        return [event for event in self.lines if event["type"] != "context"]

    @property
    def contexts(self) -> list[dict[str, Any]]:
        """Those that tell how full the window is."""
        return [event for event in self.lines if event["type"] == "context"]

    def of(self, *kinds: str) -> list[dict[str, Any]]:
        """The events of these types."""
        return [event for event in self.events if event["type"] in kinds]


class Place:
    """A checkout and a home of its own."""

    def __init__(self, tmp_path: Path) -> None:
        self.root = tmp_path / "checkout"
        self.home = tmp_path / "haima"
        self.root.mkdir()
        (self.root / "calc.py").write_text(CALC)
        (self.root / "test_calc.py").write_text(TEST)
        (self.root / "README.md").write_text("# Calc\n\nAdds numbers.\n")
        git = ("git", "-C", str(self.root), "-c", "user.name=a", "-c", "user.email=a@b")
        for step in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "first"]):
            subprocess.run([*git, *step], check=True)

    def environ(self, **more: str) -> dict[str, str]:
        """The environment of the process."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home.parent),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "HAIMA_HOME": str(self.home),
            "PYTHONPATH": str(ROOT),
            **more,
        }

    async def start(
        self, *arguments: str, environ: Mapping[str, str] | None = None, whole: bool = True
    ) -> Grown:
        """Starts `haima` in the checkout: with a plug, where the environment has one."""
        module = "tests.scenarios.plugged" if environ and "PLUG" in environ else "app"
        env = self.environ(**(environ or {}))
        return await grow(module, arguments, cwd=self.root, env=env, whole=whole)

    async def haima(
        self,
        *arguments: str,
        stdin: str = "",
        environ: Mapping[str, str] | None = None,
    ) -> Ran:
        """Runs `haima` to its end."""
        process = await self.start(*arguments, environ=environ, whole=False)
        async with asyncio.timeout(60):
            out, err = await process.communicate(stdin.encode())
        assert process.returncode is not None
        return Ran(process.returncode, out.decode(), err.decode())

    async def run(self, endpoint: Endpoint, *arguments: str, stdin: str = "") -> Ran:
        """`haima run` at an endpoint."""
        return await self.haima("run", *at(endpoint), *arguments, stdin=stdin)

    @property
    def ledgers(self) -> list[Path]:
        """The ledgers in its home."""
        return sorted((self.home / "history" / "raw").glob("*.jsonl"))

    def rows(self) -> list[dict[str, Any]]:
        """The rows of its only ledger."""
        (ledger,) = self.ledgers
        return [json.loads(line) for line in ledger.read_text().splitlines()]


def at(endpoint: Endpoint) -> tuple[str, ...]:
    """The options that name an endpoint."""
    return ("--base-url", endpoint.base_url, "--model", "scripted")
