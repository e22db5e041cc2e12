"""The one write path: what is in the history is in the ledger, and the other way round."""

import errno
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.archive.ledger import Ledger
from app.archive.nodes import LayoutEntry, NodeStart
from app.archive.rebuild import rebuild
from app.archive.recorder import Recorder
from app.archive.rows import decode_bytes, read_rows
from app.conversation.history import History, InvalidHistory, RecoverySlot
from app.conversation.messages import (
    CorrectionPart,
    ImagePart,
    MemoryPart,
    Message,
    Reasoning,
    RestoredPart,
    TextPart,
    ToolCall,
)
from app.conversation.outcome import ToolOutcome
from app.conversation.standing import BodyRef, Standing
from app.ports import Usage
from app.storage import StorageError
from tests.archive.recording import (
    EN,
    NODE,
    agrees,
    content,
    rebuilt,
    result,
    rows,
    same,
    step,
    user,
)
from tests.conversation.strategies import Ids

KEY = "sk-0123456789abcdef"


async def test_each_operation_is_a_row(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        await recorder.opened(project="/p", model="m", version="0.1.0", branch="main")
        await recorder.append(user("u1"))
        await recorder.append(step("a1", "c1"))
        outcome = ToolOutcome(ok=False, seconds=1.5, characters=7, reason="exit 1", added=2)
        await recorder.append(result("t1", "c1"), raw=b"\xff\x00raw", outcome=outcome)
        spent = Usage(prompt=10, cached=4, completion=2, cost=0.5)
        await recorder.usage(spent, message="a1", model="m")
        assert await recorder.replace("t1", (TextPart("short"),)) == result("t1", "c1")
        assert await recorder.set_recovery(RecoverySlot("t1", "what is known")) is None
        removed = await recorder.splice(1, 3, (Message("a2", "assistant", (TextPart("summary"),)),))
        assert [message.id for message in removed] == ["a1", "t1"]
        await recorder.error("model", "no answer")
        await recorder.title("Greetings")
        assert [message.id for message in recorder.history] == ["u1", "a2"]
    found = rows(path)
    assert [row.kind for row in found] == [
        "session",
        "message",
        "message",
        "message",
        "usage",
        "replace",
        "recovery",
        "splice",
        "error",
        "title",
    ]
    assert found[0].data == {"project": "/p", "model": "m", "version": "0.1.0", "branch": "main"}
    assert ToolOutcome.from_data(found[3].data["outcome"]) == outcome
    assert decode_bytes(found[3].data["raw"]) == b"\xff\x00raw"
    assert (found[4].data["cost"], found[4].data["message"], found[4].data["model"]) == (
        0.5,
        "a1",
        "m",
    )
    assert found[5].data["state"] == "live"
    assert found[7].data["removed"] == ["a1", "t1"]
    assert found[7].data["before"] is None
    assert found[8].data == {"code": "model", "text": "no answer"}
    assert found[9].data == {"title": "Greetings"}
    assert {row.node for row in found} == {NODE}
    assert same(rebuilt(path).history, recorder.history)


async def test_a_refused_operation_writes_nothing_and_changes_nothing(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        await recorder.append(user("u1"))
        await recorder.append(step("a1", "c1", "c2"))
        before = (content(path), recorder.history.messages)
        refused: list[Callable[[], Awaitable[object]]] = [
            lambda: recorder.append(user("u1")),
            lambda: recorder.append(user("u2")),
            lambda: recorder.append(result("t9", "c9")),
            lambda: recorder.append(result("u1", "c2")),
            lambda: recorder.append(Message("t2", "tool", (), call_id="c2")),
            lambda: recorder.replace("u1", ()),
            lambda: recorder.replace("none", (TextPart("x"),)),
            lambda: recorder.splice(0, 9, ()),
            lambda: recorder.splice(2, 2, (user("u3"),)),
            lambda: recorder.splice(0, 1, (user("u1", "the same again"),)),
            lambda: recorder.set_recovery(RecoverySlot("none", "x")),
            lambda: recorder.pin(["u1", "none"], pinned=True),
        ]
        for operation in refused:
            with pytest.raises(InvalidHistory):
                await operation()
        assert (content(path), recorder.history.messages) == before


async def test_what_cannot_be_written_does_not_happen(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        await recorder.append(user("u1"))
        await recorder.append(Message("a1", "assistant", (TextPart("hi"),)))
        history, before = recorder.history, recorder.history.messages
        operations: list[Callable[[], Awaitable[object]]] = [
            lambda: recorder.append(user("u2")),
            lambda: recorder.replace("u1", (TextPart("x"),)),
            lambda: recorder.splice(0, 2, ()),
            lambda: recorder.set_recovery(RecoverySlot("u1", "x")),
            lambda: recorder.pin(["u1"], pinned=True),
            lambda: recorder.begin(NodeStart(chain=NODE, layout=recorder.layout()), "second"),
            lambda: recorder.clear("second"),
        ]
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", full)
            for operation in operations:
                with pytest.raises(StorageError, match="the disk is full"):
                    await operation()
        assert recorder.history is history
        assert (history.messages, history.recovery, recorder.node) == (before, None, NODE)
        assert recorder.standings == {}
        await recorder.append(user("u2"))
    assert same(rebuilt(path).history, history)


async def test_results_come_in_any_order_and_stand_in_that_of_the_calls(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        await recorder.append(user("u1"))
        await recorder.append(step("a1", "c1", "c2", "c3"))
        await recorder.append(result("t3", "c3"))
        await recorder.append(result("t2", "c2"))
        assert [message.id for message in recorder.history] == ["u1", "a1"]
        assert [call.id for call in recorder.unanswered] == ["c1"]
        for wrong in (result("t4", "c3"), result("t3", "c1"), user("u2")):
            with pytest.raises(InvalidHistory):
                await recorder.append(wrong)
        await recorder.append(result("t1", "c1"))
        assert [m.id for m in recorder.history] == ["u1", "a1", "t1", "t2", "t3"]
        await recorder.append(user("u2"))
    written = [row.data["message"] for row in rows(path)]
    assert [m["id"] for m in written if isinstance(m, dict)] == ["u1", "a1", "t3", "t2", "t1", "u2"]
    assert same(rebuilt(path).history, recorder.history)


async def test_an_interrupted_step_keeps_what_was_finished(path: Path) -> None:
    ids = Ids()
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        await recorder.append(user("u1"))
        await recorder.append(step("a1", "c1", "c2", "c3"))
        await recorder.append(result("t2", "c2", "finished"))
        closing = await recorder.close_step("interrupted", ids)
        assert [message.call_id for message in closing] == ["c1", "c3"]
        texts = [message.text for message in recorder.history][2:]
        assert texts == ["interrupted", "finished", "interrupted"]
        assert await recorder.close_step("interrupted", ids) == ()
        await recorder.append(user("u2"))
    assert same(rebuilt(path).history, recorder.history)


async def test_a_step_cut_by_a_crash_goes_on_with_what_was_finished(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        await recorder.append(user("u1"))
        await recorder.append(step("a1", "c1", "c2"))
        await recorder.append(result("t2", "c2", "finished"))
    found = rebuilt(path)
    assert [message.id for message in found.waiting] == ["t2"]
    with Ledger.open(path) as ledger:
        again = Recorder(found.history, ledger, NODE, waiting=found.waiting)
        assert [call.id for call in again.unanswered] == ["c1"]
        await again.close_step("interrupted", Ids())
        assert [message.text for message in again.history][2:] == ["interrupted", "finished"]
    assert same(rebuilt(path).history, again.history)


async def test_clear_begins_an_empty_history_and_keeps_the_old(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        await recorder.append(user("u1"))
        old = recorder.history
        new = await recorder.clear("b00000000002")
        assert new is recorder.history
        assert len(new) == 0
        await recorder.append(user("u1", "again"))
        assert same(rebuilt(path).history, old)
        assert same(rebuilt(path, "b00000000002").history, new)
    assert [(row.node, row.kind) for row in rows(path)][1:] == [
        (NODE, "clear"),
        ("b00000000002", "message"),
    ]
    assert rows(path)[1].data == {"node": "b00000000002"}


async def test_agents_of_a_chain_share_a_ledger(path: Path) -> None:
    with Ledger.open(path) as ledger:
        main = Recorder(History(), ledger, NODE)
        task = Recorder(History(), ledger, NODE, "task-3")
        await main.append(user("u1"))
        await task.append(user("u1", "a task"))
        await main.append(Message("a1", "assistant", (TextPart("hi"),)))
    assert same(rebuilt(path).history, main.history)
    assert same(rebuild(read_rows(path), NODE, EN, "task-3").history, task.history)


async def test_credentials_get_neither_into_the_history_nor_into_the_file(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE, credentials=(KEY,))
        kept = await recorder.append(
            Message(
                "u1",
                "user",
                (
                    TextPart(f"key {KEY}"),
                    ImagePart(f"https://host/?k={KEY}"),
                    MemoryPart(KEY),
                    CorrectionPart(KEY),
                    RestoredPart("r", KEY),
                ),
            )
        )
        assert kept.text == "key ‹key›"
        assert recorder.history[0] == kept
        call = ToolCall("c1", "execute_command", f'{{"command":"curl -H {KEY}"}}')
        await recorder.append(
            Message("a1", "assistant", calls=(call,), reasoning=Reasoning(KEY, details=KEY))
        )
        await recorder.append(result("t1", "c1", KEY), raw=b"\xff" + KEY.encode())
        await recorder.replace("t1", (TextPart(KEY),))
        await recorder.set_recovery(RecoverySlot("t1", f"uses {KEY}"))
        await recorder.splice(1, 3, (Message("a2", "assistant", (TextPart(KEY),)),))
        await recorder.error("model", f"wrong key {KEY}")
        recorder.use_credentials(("another-secret",))
        await recorder.append(user("u2", "another-secret"))
        assert not any(KEY in repr(message) for message in recorder.history)
    assert KEY.encode() not in content(path)
    assert b"another-secret" not in content(path)
    assert decode_bytes(rows(path)[2].data["raw"]) == b"\xff" + "‹key›".encode()
    assert same(rebuilt(path).history, recorder.history)


async def test_halves_of_a_surrogate_pair_are_kept_as_they_come_back(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        await recorder.append(user("u1", "\ud83d" + "\ude00 and \ud83d alone"))
        assert recorder.history[0].text == "\U0001f600 and \ud83d alone"
    assert same(rebuilt(path).history, recorder.history)


async def test_sync_is_the_ledgers(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        await recorder.append(user("u1"))
        await recorder.sync()


# States, pins, nodes


async def begun(ledger: Ledger) -> Recorder:
    """A node with a step."""
    recorder = Recorder(History(), ledger, NODE)
    system = Message("s", "system", (TextPart("you are"),))
    start = NodeStart(chain=NODE, model="m", layout=(LayoutEntry("s"),), messages=(system,))
    history = await recorder.begin(start)
    assert recorder.history is history
    assert history.messages == (system,)
    for message in (user("u1"), step("a1", "c1"), result("t1", "c1"), user("u2")):
        await recorder.append(message)
    return recorder


async def test_a_message_stands_as_it_was_told(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = await begun(ledger)
        standings = recorder.standings
        assert standings == {}
        await recorder.pin(["u1", "t1"], pinned=True)
        await recorder.replace("t1", (TextPart("pointer"),), state="cleared")
        assert standings == {
            "u1": Standing(pinned=True),
            "t1": Standing("cleared", pinned=True, body=BodyRef("a", ledger.seq)),
        }
        await recorder.replace("t1", (TextPart("another"),))
        assert standings["t1"].state == "cleared"
        assert standings["t1"].body == BodyRef("a", ledger.seq)
        await recorder.pin(["u1"], pinned=False)
        assert standings.keys() == {"t1"}
        await recorder.replace("t1", (TextPart("done"),), state="live")
        assert recorder.layout() == (
            LayoutEntry("s"),
            LayoutEntry("u1"),
            LayoutEntry("a1"),
            LayoutEntry("t1", Standing("live", pinned=True, body=BodyRef("a", ledger.seq))),
            LayoutEntry("u2"),
        )
        agrees(recorder, path)
        await recorder.splice(2, 4, ())
        assert recorder.standings == {}
        agrees(recorder, path)


async def test_a_child_keeps_what_its_layout_says(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = await begun(ledger)
        await recorder.replace("t1", (TextPart("pointer"),), state="cleared")
        await recorder.pin(["t1"], pinned=True)
        old = recorder.history
        system, _, *tail = recorder.layout()
        start = NodeStart(
            chain=NODE,
            parent=NODE,
            relation="summary",
            layout=(system, LayoutEntry("m1", Standing(pinned=True)), *tail),
            messages=(user("m1", "summary"),),
            recovery=RecoverySlot("m1", "known", first=True),
        )
        history = await recorder.begin(start, "c0000000000d")
        assert recorder.history is history
        assert history is not old
        assert (recorder.node, len(old)) == ("c0000000000d", 5)
        assert [message.text for message in history][1] == "summary"
        assert [message.text for message in history][3] == "pointer"
        assert recorder.standings["t1"].pinned
        await recorder.append(user("u3"))
        with pytest.raises(InvalidHistory):
            await recorder.append(user("u1", "left with the parent"))
        agrees(recorder, path)
        assert [message.id for message in rebuilt(path).history] == ["s", "u1", "a1", "t1", "u2"]
    row = next(row for row in rows(path) if row.node == "c0000000000d")
    assert (row.kind, NodeStart.from_data(row.data)) == ("node", start)


async def test_a_fork_in_a_ledger_of_its_own_names_bodies_of_the_parents(
    path: Path, folder: Path
) -> None:
    other = folder / "f.jsonl"
    with Ledger.open(path) as ledger, Ledger.open(other) as its_own:
        parent = await begun(ledger)
        await parent.replace("t1", (TextPart("pointer"),), state="cleared")
        fork = Recorder(History(parent.history[:4]), its_own, "f", standings=dict(parent.standings))
        assert not other.exists()
        start = NodeStart(chain=NODE, parent=NODE, relation="fork", layout=fork.layout())
        await fork.begin(start)
        await fork.replace("u1", (TextPart("other words"),))
        await fork.append(user("u9"))
        assert fork.standings["t1"].body == BodyRef("a", ledger.seq)
        assert fork.standings["u1"].body == BodyRef("f", 2)
        agrees(fork, path, other)
        agrees(parent, path, other)


async def test_a_node_that_cannot_begin_changes_nothing(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = await begun(ledger)
        await recorder.replace("t1", (TextPart("pointer"),), state="cleared")
        layout, history, size = recorder.layout(), recorder.history, ledger.size
        summary = user("m1", "summary")
        plain = tuple(LayoutEntry(entry.id) for entry in layout)
        refused = [
            NodeStart(chain=NODE, layout=(*layout, LayoutEntry("gone"))),
            NodeStart(chain=NODE, layout=layout, messages=(summary,)),
            NodeStart(chain=NODE, layout=plain),  # t1 hasn't its original body
            NodeStart(chain=NODE, layout=(*layout, layout[-1])),
            NodeStart(chain=NODE, layout=layout, messages=(user("u1", "other"),)),
            NodeStart(chain=NODE, layout=(layout[0], *layout[3:])),  # a result without its call
            NodeStart(chain=NODE, layout=layout, recovery=RecoverySlot("gone", "x")),
        ]
        for start in refused:
            with pytest.raises(InvalidHistory):
                await recorder.begin(start, "second")
        assert (recorder.history, recorder.node, ledger.size) == (history, NODE, size)
        await recorder.append(step("a2", "c2", "c3"))
        await recorder.append(result("t3", "c3"))
        with pytest.raises(InvalidHistory):
            await recorder.begin(NodeStart(chain=NODE, layout=recorder.layout()), "second")
        agrees(recorder, path)
