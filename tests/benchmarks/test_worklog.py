"""What the worklog costs a step, and whether it grows with the session (issue 8)."""

import json
import time
from collections.abc import Callable
from random import Random

import pytest

from app.conversation.messages import ToolCall
from app.memory.name_index import NameIndex
from app.memory.name_score import Ranking
from app.memory.work_ranking import nearest
from app.memory.worklog import Worklog

pytestmark = pytest.mark.benchmark

ROOT = "/home/lin/proj"
STEP = 3.0
"""Seconds that a step takes at least, with a model that answers fast."""


def calls(count: int) -> list[tuple[ToolCall, str, bool]]:
    """Usual calls with usual results: files of 200 lines, edits, tests that fail now and then."""
    chance = Random(1)
    body = "".join(
        f"def part_{n}(value: int) -> int:\n    return value + {n}\n" for n in range(200)
    )
    made: list[tuple[ToolCall, str, bool]] = []
    for number in range(count):
        file = f"src/app/module_{chance.randrange(count)}.py"
        ok = True
        values: dict[str, object]
        match number % 5:
            case 0:
                tool, values, text = "read_file", {"path": file}, body
            case 1:
                tool = "edit_file"
                values = {"path": file, "old": body[:800], "new": body[:780] + "\n    x = 2\n"}
                text = f"Edited {file} at line 3: +1 −1 lines."
            case 2:
                ok = number % 2 == 0
                tool, values = "execute_command", {"command": f"pytest -q {file} 2>&1 | tail"}
                text = f"exit code: {0 if ok else 1}\n" + "E   assert error ERR_x1 failed\n" * 60
            case 3:
                tool, values = "write_file", {"path": file, "content": body}
                text = f"Created {file}: 400 lines."
            case _:
                tool, values = "search_files", {"pattern": f"part_{number}", "path": "src"}
                text = "src/a.py:1: x\n" * 50
        made.append((ToolCall(f"c{number}", tool, json.dumps(values)), text, ok))
    return made


def played(log: Worklog, steps: list[tuple[ToolCall, str, bool]]) -> float:
    """Seconds of processor time a step."""
    started = time.process_time()
    for call, text, ok in steps:
        log.next_step()
        log.apply(log.of_result(call, text, ok=ok), at="2026-11-30T09:00:00Z", result=True)
    return (time.process_time() - started) / len(steps)


def test_a_step() -> None:
    """Well under 1 ms, and no more at the end of 10,000 steps than at that of 100."""
    steps = calls(10_000)
    played(Worklog(ROOT), steps[:500])
    short = min(played(Worklog(ROOT), steps[:100]) for _ in range(5))
    log = Worklog(ROOT)
    played(log, steps[:-100])
    long = min(played(log, steps[-100:]) for _ in range(5))
    print(
        f"\nworklog: {short * 1000:.3f} ms a step after 100 steps, {long * 1000:.3f} ms after "
        f"10,000: {long / short:.2f} times; {len(log.entities())} entities, "
        f"{len(log.changed)} changed files; {long / STEP:.4%} of a step of {STEP:.0f} s"
    )
    assert long < STEP / 100
    assert long < 2 * short


def test_the_nearest() -> None:
    """What a point costs: all entities are scored once."""
    log = Worklog(ROOT)
    played(log, calls(10_000))
    started = time.process_time()
    found = nearest(log, Ranking(NameIndex(ROOT)), "fix module_17.py", 15)
    print(f"\nnearest 15 of {len(log.entities())}: {(time.process_time() - started) * 1000:.0f} ms")
    assert len(found) == 15


HOSTILE: dict[str, Callable[[int], str]] = {
    "letters": lambda size: "x" * size,
    "spaces": lambda size: " " * size,
    "lines": lambda size: "\n" * size,
    "quotes": lambda size: "'\"" * (size // 2),
    "brackets": lambda size: "(" * size,
    "substitutions": lambda size: "$(" * (size // 2),
    "heredocs": lambda size: "<<E " * (size // 4),
    "slashes": lambda size: "a/" * (size // 2),
    "columns": lambda size: "CREATE TABLE t (" + "a int, " * (size // 7),
    "tables": lambda size: "CREATE TABLE t (" * (size // 16),
    "words": lambda size: "public static int " * (size // 18),
    "errors": lambda size: "error ERR_ " * (size // 11),
    "ports": lambda size: "port port " * (size // 10),
    "venvs": lambda size: "a/venv/" * (size // 7),
    "diff": lambda size: "--- a\n+++ b\n@@ x\n" * (size // 17),
    "heads": lambda size: "*** Update File: a\n@@ def f\n+x\n" * (size // 32),
}


@pytest.mark.parametrize("sort", HOSTILE)
def test_no_text_is_slow(sort: str) -> None:
    """60,000 characters of anything, wherever they stand, cost less than 0.3 s."""
    text = HOSTILE[sort](60_000)
    log = Worklog(ROOT)
    slowest = 0.0
    for tool, values in (
        ("bash", {"command": text}),
        ("write_file", {"path": "a.sql", "content": text}),
        ("write_file", {"path": "a.java", "content": text}),
        ("edit_file", {"path": "a.ts", "old": text[:30_000], "new": text}),
        ("edit_file", {"path": "a.rs", "old": "", "new": text}),
        ("apply_patch", {"input": "*** Begin Patch\n" + text}),
        ("bash", {"command": "git apply <<'E'\n" + text}),
        ("x", {"path": text}),
    ):
        started = time.process_time()
        log.of_result(ToolCall("c", tool, json.dumps(values)), text, ok=False)
        slowest = max(slowest, time.process_time() - started)
    started = time.process_time()
    log.of_user("u", text)
    print(
        f"\n{sort}: {slowest * 1000:.0f} ms a call, "
        f"{(time.process_time() - started) * 1000:.0f} ms as words of the user"
    )
    assert slowest < 0.3
