"""A call that is cut off: what it changed before is known afterwards, nothing else is claimed."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from app.paths import Paths
from app.session.restore import Resume
from tests.endpoint import Call
from tests.session.summing import Ids, Summariser, fill, talking
from tests.session.support import until
from tests.session.test_work import Doing, calling, written

COMMAND = "printf x > made.py && sed -i s/A/B/ kept.py && touch begun && sleep 60 && rm kept.py"
CALLS = calling(
    Call("execute_command", {"command": COMMAND}),
    Call("write_file", {"path": "never.py", "content": "x"}),
)


LONG_AGO = 2000
"""A year; the files of a test are younger."""


@pytest.mark.parametrize("died", [False, True])
async def test_what_it_changed_is_told_after_a_summary(tmp_path: Path, died: bool) -> None:
    """Stopped by the user, or with its process. Neither the command nor the other call failed."""
    async with talking(tmp_path, Doing(CALLS), allowance="all", year=LONG_AGO) as (
        recorded,
        _,
    ):
        session = recorded.session
        (recorded.root / "kept.py").write_text("A = 1\n")
        session.send("Go.")
        await until((recorded.root / "begun").exists)
        session.stop()
        await session.wait_idle()
        node, chain = session.node, session.chain
    if died:
        _cut_after_the_call(Paths(recorded.home), chain)
    start = Resume(node)
    async with talking(tmp_path, Summariser(), new_id=Ids(), start=start) as (recorded, _):
        session = recorded.session
        await session.run("Go on.")
        log = session._open.work.log
        assert written(session) == ["begun", "kept.py", "made.py"]
        assert [one.name for one in log.every_entity() if not one.ok] == []
        step = log.step
        await fill(session, 10)
        assert recorded.of("summarized")
        told = session.history.recovery
        assert told is not None and "kept.py (edited" in told.text
        node = session.node
    start = Resume(node)
    async with talking(tmp_path, Summariser(), start=start, new_id=Ids(1)) as (recorded, _):
        assert recorded.session._open.work.log.step == step == 1


@pytest.mark.parametrize("died", [False, True])
async def test_what_it_had_not_come_to_is_not_told_as_done(tmp_path: Path, died: bool) -> None:
    """Had it failed, all before its end would have been done; nobody knows where it was cut."""
    command = "touch begun; sleep 60; sed -i s/A/B/ kept.py; echo done"
    call = calling(Call("execute_command", {"command": command}))
    async with talking(tmp_path, Doing(call), allowance="all", year=LONG_AGO) as (recorded, _):
        session = recorded.session
        kept = recorded.root / "kept.py"
        kept.write_text("A = 1\n")
        os.utime(kept, (0, 0))
        session.send("Go.")
        await until((recorded.root / "begun").exists)
        session.stop()
        await session.wait_idle()
        assert kept.read_text() == "A = 1\n"
        node, chain = session.node, session.chain
    if died:
        _cut_after_the_call(Paths(recorded.home), chain)
    start = Resume(node)
    async with talking(tmp_path, Summariser(), new_id=Ids(), start=start) as (recorded, _):
        await recorded.session.run("Go on.")
        assert written(recorded.session) == ["begun"]


def _cut_after_the_call(paths: Paths, chain: str) -> None:
    """The ledger as a process leaves it that is killed while the call runs."""
    ledger = paths.ledger(chain)
    lines = ledger.read_text().splitlines(keepends=True)
    rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
    last = next(at for at, one in enumerate(rows) if one["data"].get("message", {}).get("calls"))
    ledger.write_text("".join(lines[: last + 1]))
    paths.database.unlink()
