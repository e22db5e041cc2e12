"""A stop at every moment of a turn whose rows take their time: nothing doubled, nothing lost."""

import asyncio
from pathlib import Path

import pytest

from app.archive.ledger import Ledger
from app.archive.rebuild import rebuild
from app.archive.rows import Row, read_rows
from app.conversation.outcome import ToolOutcome
from app.events import ToolFinished, ToolStarted
from app.paths import Paths
from app.ports import Usage
from app.storage import StorageError
from app.text import Words
from app.tools.base import ToolOutput
from app.tools.list_dir import ListDir
from app.tools.write_file import WriteFile
from tests.session.following import follows
from tests.session.support import Recorded, ScriptedModel, call, make_session, says, sendable


class Slow:
    """A projection that takes some rounds of the loop, and stops the session in one of them."""

    def __init__(self, moment: int) -> None:
        self.left = moment
        self.made: Recorded | None = None

    async def commit(self, ledger: str, row: Row, size: int) -> None:
        """Takes a while."""
        for _ in range(3):
            await asyncio.sleep(0)
            self.left -= 1
            if self.left == 0 and self.made is not None:
                self.made.session.stop()


def agrees(made: Recorded) -> list[Row]:
    """The rows; the history must be what they come to."""
    rows = list(read_rows(Paths(made.home).ledger(made.session.chain)))
    found = rebuild(rows, made.session.node, Words("en"))
    assert found.history.messages == made.session.history.messages
    assert (found.waiting, found.skipped, found.lost) == ((), (), ())
    return rows


async def test_at_each_moment_of_a_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    async def listed(self: ListDir, _: object) -> ToolOutput:
        ran.append("list_dir")
        return ToolOutput("a.txt", added=0)

    async def written(self: WriteFile, _: object) -> ToolOutput:
        ran.append("write_file")
        return ToolOutput("written", added=1)

    monkeypatch.setattr(ListDir, "run", listed)
    monkeypatch.setattr(WriteFile, "run", written)
    whole = 0
    for moment in range(1, 200):
        ran.clear()
        slow = Slow(moment)
        follows(monkeypatch, slow)
        step = says(
            "I look.",
            call("list_dir", path="."),
            call("list_dir", path=".."),
            call("write_file", path="b.txt", content="x"),
            call("write_file", path="c.txt", content="x"),
            usage=Usage(prompt=10),
        )
        model = ScriptedModel(step, says("Done", usage=Usage(prompt=20)))
        place = tmp_path / str(moment)
        place.mkdir()
        made = slow.made = make_session(place, model)
        await made.session.open()
        outcome = await made.session.run("Hi")
        slow.made = None
        if slow.left > 0:
            assert outcome.ok
            break
        rows = agrees(made)
        sendable(made.session.history)
        kinds = [row.kind for row in rows]
        answers = [m for m in made.session.history if m.role == "assistant"]
        assert kinds.count("usage") == len(answers), "what was paid for is kept"
        results = [message.text for message in made.session.history if message.role == "tool"]
        assert len(results) == (4 if answers else 0)
        assert results.count("a.txt") + results.count("written") == len(ran), "no result is lost"
        begun = [event.id for event in made.events if isinstance(event, ToolStarted)]
        finished = [event.id for event in made.events if isinstance(event, ToolFinished)]
        assert sorted(begun) == sorted(finished)
        told = [ToolOutcome.from_data(row.data.get("outcome")) for row in rows if _is_result(row)]
        assert None not in told
        assert outcome.cancelled
        whole += len(ran) == 4
        model.answers = [says("Fine")]
        assert (await made.session.run("Go on")).ok
        agrees(made)
    assert slow.left > 0, "the end was reached"
    assert moment > 20
    assert whole > 3


def _is_result(row: Row) -> bool:
    message = row.data.get("message")
    return row.kind == "message" and isinstance(message, dict) and message["role"] == "tool"


async def test_after_a_stop_no_other_tool_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stop comes while the first result is written down."""

    class Stopping:
        async def commit(self, ledger: str, row: Row, size: int) -> None:
            if _is_result(row):
                made.session.stop()
                await asyncio.sleep(0)

    follows(monkeypatch, Stopping())
    model = ScriptedModel(
        says(
            "",
            call("write_file", path="a.txt", content="x"),
            call("write_file", path="b.txt", content="x"),
        )
    )
    made = make_session(tmp_path, model)
    await made.session.open()
    assert (await made.session.run("Hi")).cancelled
    assert (made.root / "a.txt").exists()
    assert not (made.root / "b.txt").exists()
    assert len(made.of("tool_started")) == 1
    first, second = [m.text for m in made.session.history if m.role == "tool"]
    assert "Not run" not in first
    assert second.startswith("Not run")
    agrees(made)


async def test_outcomes_stand_beside_their_results(tmp_path: Path) -> None:
    model = ScriptedModel(
        says(
            "",
            call("write_file", path="a.txt", content="one\ntwo\n"),
            call("read_file", path="none.txt"),
        ),
        says("Done"),
    )
    made = make_session(tmp_path, model)
    await made.session.open()
    assert (await made.session.run("Hi")).ok
    rows = agrees(made)
    told = [ToolOutcome.from_data(row.data["outcome"]) for row in rows if _is_result(row)]
    events = [event for event in made.events if isinstance(event, ToolFinished)]
    assert told == [
        ToolOutcome(
            ok=event.ok,
            seconds=event.seconds,
            characters=event.characters,
            reason=event.reason,
            refused=event.refused,
            added=event.added,
            removed=event.removed,
        )
        for event in events
    ]
    assert [outcome.ok for outcome in told if outcome] == [True, False]
    assert events[0].added == 2


async def test_a_stop_while_a_batch_breaks_off_waits_for_what_is_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first result can't be written down; the second still is when the stop comes."""

    class Stopping:
        async def commit(self, ledger: str, row: Row, size: int) -> None:
            if _is_result(row) and not stopped:
                stopped.append(row)
                for _ in range(9):
                    await asyncio.sleep(0)
                    made.session.stop()

    stopped: list[Row] = []
    good, failed = Ledger.write, list[str]()

    def write(self: Ledger, kind: str, data: dict[str, object], **rest: str) -> Row:
        if kind == "message" and "outcome" in data and not failed:
            failed.append(kind)
            raise StorageError("storage.full", path=Path("x"))
        return good(self, kind, data, **rest)

    async def listed(self: ListDir, _: object) -> ToolOutput:
        return ToolOutput("a.txt")

    monkeypatch.setattr(ListDir, "run", listed)
    monkeypatch.setattr(Ledger, "write", write)
    follows(monkeypatch, Stopping())
    places = (".", "..", "/")
    model = ScriptedModel(says("", *(call("list_dir", path=place) for place in places)))
    made = make_session(tmp_path, model)
    await made.session.open()
    await made.session.run("Hi")
    agrees(made)
    sendable(made.session.history)
    finished = [event.message for event in made.events if isinstance(event, ToolFinished)]
    results = [message.id for message in made.session.history if message.role == "tool"]
    assert len(results) == 3
    assert sorted(finished) == sorted(results)
