"""What a ledger comes to, whatever of it is lost."""

from pathlib import Path

import pytest

from app.archive.ledger import Ledger
from app.archive.nodes import LayoutEntry, NodeStart
from app.archive.rebuild import rebuild
from app.archive.recorder import Recorder
from app.archive.rows import read_rows
from app.conversation.encoding import message_to_json
from app.conversation.history import History, RecoverySlot
from app.conversation.messages import Message, TextPart
from app.conversation.standing import BodyRef, Standing
from tests.archive.recording import EN, NODE, rebuilt, result, spoil, step, user


async def write_session(path: Path) -> History:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        await recorder.append(Message("s", "system", (TextPart("you are"),)))
        await recorder.append(user("u1"))
        await recorder.append(step("a1", "c1", "c2"))
        await recorder.append(result("t1", "c1"))
        await recorder.append(result("t2", "c2"))
        await recorder.append(Message("a2", "assistant", (TextPart("answer"),)))
        await recorder.append(user("u2"))
        await recorder.replace("t1", (TextPart("pointer"),))
        await recorder.set_recovery(RecoverySlot("u2", "known"))
        await recorder.splice(
            1, 6, (user("u3", "summary"), Message("a3", "assistant", (TextPart("y"),)))
        )
        await recorder.append(Message("a4", "assistant", (TextPart("end"),)))
    return recorder.history


@pytest.mark.parametrize(
    ("lost", "left"),
    [
        (0, "u3 a3 u2 a4"),
        (1, "s u3 a3 u2 a4"),
        (2, "s u3 a3 u2 a4"),
        (3, "s u3 a3 u2 a4"),
        (4, "s u3 a3 u2 a4"),
        (5, "s u3 a3 u2 a4"),
        (6, "s u3 a3 a4"),
        (7, "s u3 a3 u2 a4"),
        (8, "s u3 a3 u2 a4"),
        (9, "s u1 a1 t1 t2 a2 u2 a4"),
        (10, "s u3 a3 u2"),
    ],
)
async def test_one_lost_row_costs_little(path: Path, lost: int, left: str) -> None:
    await write_session(path)
    spoil(path, lost)
    found = rebuilt(path)
    assert " ".join(message.id for message in found.history) == left
    assert not found.history.open_calls


async def test_a_lost_result_is_said_to_the_model_and_the_rest_goes_on(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        await recorder.append(user("u1"))
        await recorder.append(step("a1", "c1", "c2"))
        await recorder.append(result("t1", "c1"))
        await recorder.append(result("t2", "c2"))
        await recorder.append(user("u2"))
    spoil(path, 2)
    found = rebuilt(path)
    assert [call.id for call in found.lost] == ["c1"]
    assert [message.text for message in found.history] == [
        "hello",
        "",
        EN("ledger.result_lost"),
        "done",
        "hello",
    ]
    assert rebuilt(path).history.messages == found.history.messages


async def test_rows_of_later_versions_and_broken_data_are_passed_over(path: Path) -> None:
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        await recorder.append(user("u1"))
        ledger.append("cleared_by_magic", {}, node=NODE)
        for kind, data in (
            ("message", {}),
            ("message", {"message": {"id": "x", "role": "user", "parts": [{"kind": "smell"}]}}),
            ("splice", {"start": "a"}),
            ("splice", {"start": 0, "end": 0, "messages": None}),
            ("splice", {"first": "gone", "last": "gone", "messages": []}),
            ("recovery", {"slot": 7}),
        ):
            ledger.append(kind, data, node=NODE)
        await recorder.append(user("u2"))
    found = rebuilt(path)
    assert [message.id for message in found.history] == ["u1", "u2"]
    assert len(found.skipped) == 6


async def test_a_ledger_of_an_older_version_begins_empty(path: Path) -> None:
    with Ledger.open(path) as ledger:
        ledger.append("session", {"project": "/p", "model": "m", "version": "0"}, node=NODE)
        for message in (
            Message("s", "system", (TextPart("you are"),)),
            user("u1"),
            step("a1", "c1"),
            result("t1", "c1"),
            user("u2"),
        ):
            ledger.append("message", {"message": message_to_json(message)}, node=NODE)
        told = message_to_json(result("t1", "c1", "short"))
        ledger.append("replace", {"id": "t1", "message": told}, node=NODE)
        splice: dict[str, object] = {"start": 1, "end": 2, "first": "u1", "last": "u1"}
        ledger.append("splice", {**splice, "messages": [message_to_json(user("u3"))]}, node=NODE)
    found = rebuilt(path)
    assert [message.id for message in found.history] == ["s", "u3", "a1", "t1", "u2"]
    assert found.standings == {"t1": Standing("live", pinned=False, body=BodyRef("a", 7))}
    assert (found.skipped, found.lost) == ((), ())


async def child(path: Path) -> None:
    """A node with a replaced result, and its summary child."""
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE)
        system = Message("s", "system", (TextPart("you are"),))
        layout = (LayoutEntry("s"),)
        await recorder.begin(NodeStart(chain=NODE, layout=layout, messages=(system,)))
        for message in (user("u1"), step("a1", "c1"), result("t1", "c1"), user("u2")):
            await recorder.append(message)
        await recorder.replace("t1", (TextPart("pointer"),), state="cleared")
        kept = tuple(entry for entry in recorder.layout() if entry.id in {"s", "a1", "t1", "u2"})
        summary = user("m1", "summary")
        start = NodeStart(
            chain=NODE,
            parent=NODE,
            relation="summary",
            layout=(kept[0], LayoutEntry("m1"), *kept[1:]),
            messages=(summary,),
            recovery=RecoverySlot("m1", "known", first=True),
        )
        await recorder.begin(start, "c0000000000d")
        await recorder.append(Message("a2", "assistant", (TextPart("end"),)))


@pytest.mark.parametrize(
    ("lost", "left"),
    [
        (0, "m1 a1 t1 u2 a2"),  # the system message
        (1, "s m1 a1 t1 u2 a2"),  # not kept
        (2, "s m1 u2 a2"),  # the step: its result has no call
        (3, "s m1 a1 (c1) u2 a2"),
        (4, "s m1 a1 t1 a2"),
        (5, "s m1 a1 (c1) u2 a2"),  # the body: the original isn't what the model saw
        (6, "a2"),  # the child's first row
        (7, "s m1 a1 t1 u2"),
    ],
)
async def test_one_lost_row_costs_a_child_little(path: Path, lost: int, left: str) -> None:
    await child(path)
    spoil(path, lost)
    found = rebuilt(path, "c0000000000d")
    said = EN("ledger.result_lost")
    names = [f"({m.call_id})" if m.text == said else m.id for m in found.history]
    assert " ".join(names) == left
    assert not found.history.open_calls
    assert bool(found.skipped) == (lost in {0, 2, 3, 4, 5})
    assert found.standings.keys() == ({"t1"} & {message.id for message in found.history})


async def test_the_rows_of_a_chain_may_come_in_any_order(path: Path) -> None:
    await child(path)
    rows = list(read_rows(path))
    history = rebuild(rows, "c0000000000d", EN).history
    assert [message.text for message in history][3] == "pointer"
    assert history.recovery == RecoverySlot("m1", "known", first=True)
    again = rebuild(reversed(rows), "c0000000000d", EN).history
    assert (again.messages, again.recovery) == (history.messages, history.recovery)
