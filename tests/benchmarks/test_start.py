"""From the command to the first paint, in a real terminal, against a bare Textual app."""

import statistics
import sys
import time
from pathlib import Path

import pexpect
import pytest

pytestmark = pytest.mark.benchmark

BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("memory and context you can see")
Bare().run()
"""
WORKBENCH = "from app._entry import main; import sys; sys.argv[1:] = ['--lang', 'en']; main()"
ROUNDS = 7


def first_paint(program: str, home: Path) -> float:
    """Milliseconds from starting the process until its first words are on the screen."""
    home.mkdir(exist_ok=True)
    environ = {"HOME": str(home), "PATH": "/usr/bin:/bin", "TERM": "xterm-256color"}
    started = time.perf_counter()
    child = pexpect.spawn(
        sys.executable,
        ["-c", program],
        env=environ | {"COLORTERM": "truecolor", "PYTHONPATH": str(Path(__file__).parents[2])},
        cwd=str(home),
        dimensions=(36, 120),
        timeout=30,
    )
    child.expect("memory and context")
    taken = (time.perf_counter() - started) * 1000
    child.close(force=True)
    return taken


def test_start_to_first_paint(tmp_path: Path) -> None:
    """Ratio ≤ 1.5: nothing heavy is imported before the first paint."""
    bare, ours = [], []
    for _ in range(ROUNDS):
        bare.append(first_paint(BARE, tmp_path / "bare"))
        ours.append(first_paint(WORKBENCH, tmp_path / "ours"))
    low, high = statistics.median(bare), statistics.median(ours)
    print(f"\nstart to first paint: bare {low:.0f} ms, haima {high:.0f} ms, ratio {high / low:.2f}")
    assert high / low <= 1.5
