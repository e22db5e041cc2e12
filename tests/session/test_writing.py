"""How messages get into the ledger: the worker admits them, the first one begins the node."""

import asyncio
from pathlib import Path

import pytest

from app.archive.ledger import Ledger
from app.archive.nodes import NodeStart, schema_mark
from app.archive.rows import Row
from app.conversation.messages import random_id
from app.ports import ToolSchema
from app.storage import StorageError
from tests.session.following import follows
from tests.session.support import Recorded, ScriptedModel, make_session, says


class Held:
    """A projection that takes a row in when the test lets it."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.reached = asyncio.Event()

    async def commit(self, ledger: str, row: Row, size: int) -> None:
        """Waits."""
        self.reached.set()
        await self.gate.wait()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    held = Held()
    follows(monkeypatch, held)
    return held


def told(made: Recorded, *kinds: str) -> list[tuple[str, str]]:
    """The events of these types, with text or id."""
    return [
        (event.type, str(getattr(event, "text", getattr(event, "id", ""))))
        for event in made.of(*kinds)
    ]


def texts(made: Recorded) -> list[str]:
    return [kept.text for kept in made.session.history if kept.role == "user"]


async def test_the_first_row_is_the_node(tmp_path: Path) -> None:
    made = make_session(tmp_path, ScriptedModel(says("Hello"), says("Again")))
    await made.session.open()
    await made.session.run("Hi")
    await made.session.run("Hi again")
    first, *others = made.ledger
    assert [row["kind"] for row in others] == ["message"] * 4
    assert first["kind"] == "node"
    assert first["node"] == made.session.node
    data = first["data"]
    assert isinstance(data, dict)
    start = NodeStart.from_data(data)
    (system,) = start.messages
    assert system == made.session.history[0]
    assert [entry.id for entry in start.layout] == [system.id]
    schemas = made.session._open.agent.toolbox.schemas
    assert (start.chain, start.parent, start.relation, start.mode, start.tools) == (
        made.session.chain,
        None,
        None,
        "react",
        schema_mark(schemas),
    )
    assert (start.project, start.model, start.branch) == (str(made.root), "scripted", "")


async def test_the_root_after_clear_names_what_was_left(tmp_path: Path) -> None:
    made = make_session(tmp_path, ScriptedModel(says("One"), says("Two")), new_id=random_id)
    await made.session.open()
    await made.session.clear()
    await made.session.run("Hi")
    left = made.session.node
    assert made.ledger[0]["data"]["parent"] is None  # type: ignore[index]
    await made.session.clear()
    await made.session.run("Hi")
    data = made.ledger[0]["data"]
    assert isinstance(data, dict)
    assert (data["parent"], data["relation"], data["chain"]) == (left, "clear", made.session.chain)


async def test_another_model_or_branch_is_a_row_after_the_message(tmp_path: Path) -> None:
    made = make_session(tmp_path, ScriptedModel(says("One")))
    await made.session.open()
    await made.session.run("Hi")
    (made.root / ".git").mkdir()
    head = made.root / ".git" / "HEAD"
    head.write_text("ref: refs/heads/topic\n")
    other = ScriptedModel(says("Two"), says("Three"))
    other.name = "other"
    made.session.use_model(other)
    await made.session.run("Hi")
    await made.session.run("Hi")
    kinds = [row["kind"] for row in made.ledger]
    assert kinds == ["node", *["message"] * 3, "session", *["message"] * 3]
    row = made.ledger[4]["data"]
    assert isinstance(row, dict)
    assert (row["model"], row["branch"]) == ("other", "topic")


async def test_a_message_on_its_way_is_not_seen_as_waiting(tmp_path: Path, held: Held) -> None:
    made = make_session(tmp_path, ScriptedModel(says("One"), says("Two")))
    await made.session.open()
    made.session.send("first")
    assert made.session.busy
    assert not made.session.queued
    await held.reached.wait()
    assert not made.session.queued
    assert made.session.take_back() is None
    made.session.send("second")
    made.session.send("third")
    assert [message.text for message in made.session.queued] == ["second", "third"]
    assert made.session.take_back() == "third"
    assert made.of("turn_started") == []
    held.gate.set()
    await made.session.wait_idle()
    assert texts(made) == ["first", "second"]
    ids = [message.id for message in made.session.history if message.role == "user"]
    waited = [event.model_dump()["taken_back"] for event in made.of("unqueued")]
    assert waited == [True, False]
    assert told(made, "turn_started", "queued") == [
        ("queued", "second"),
        ("queued", "third"),
        ("turn_started", "first"),
        ("turn_started", "second"),
    ]
    assert made.of("unqueued")[-1].model_dump()["id"] == ids[1]


async def test_a_message_taken_back_while_those_before_it_are_written_down_is_not_sent(
    tmp_path: Path, held: Held
) -> None:
    stopped = ScriptedModel([asyncio.Event()], says("Fine"))
    made = make_session(tmp_path, stopped)
    held.gate.set()
    await made.session.open()
    made.session.send("first")
    await stopped.reached.wait()
    made.session.send("second")
    made.session.send("third")
    made.session.stop()
    await made.session.wait_idle()
    held.gate.clear()
    held.reached.clear()
    assert made.session.go_on()
    await held.reached.wait()
    assert [message.text for message in made.session.queued] == ["third"]
    assert made.session.take_back() == "third"
    held.gate.set()
    await made.session.wait_idle()
    assert texts(made) == ["first", "second"]


async def test_a_stop_while_the_message_is_written_down_keeps_it(
    tmp_path: Path, held: Held
) -> None:
    model = ScriptedModel()
    made = make_session(tmp_path, model)
    await made.session.open()
    made.session.send("first")
    await held.reached.wait()
    assert made.session.stop()
    held.gate.set()
    await made.session.wait_idle()
    assert model.requests == []
    assert texts(made) == ["first"]
    assert made.types[-3:] == ["turn_started", "cancelled", "turn_finished"]
    model.answers.append(says("Fine"))
    assert made.session.go_on()
    await made.session.wait_idle()
    assert made.session.outcome.ok


async def test_what_is_sent_while_clear_is_at_work_goes_into_the_new_chain(
    tmp_path: Path, held: Held
) -> None:
    made = make_session(tmp_path, ScriptedModel(says("One"), says("Two")), new_id=random_id)
    held.gate.set()
    await made.session.open()
    await made.session.run("old")
    held.gate.clear()
    held.reached.clear()
    old = made.session.chain
    clearing = asyncio.create_task(made.session.clear())
    await held.reached.wait()
    made.session.send("new")
    held.gate.set()
    await clearing
    await made.session.wait_idle()
    assert made.session.chain != old
    assert texts(made) == ["new"]
    assert [row["kind"] for row in made.rows(old)][-1] == "clear"


async def test_what_cannot_be_written_down_waits_in_its_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = ScriptedModel([asyncio.Event()])
    made = make_session(tmp_path, stopped)
    await made.session.open()
    made.session.send("first")
    await stopped.reached.wait()
    made.session.send("second")
    made.session.send("third")
    made.session.stop()
    await made.session.wait_idle()
    good, left = Ledger.write, 1

    def full(self: Ledger, kind: str, data: dict[str, object], *, node: str, **rest: str) -> Row:
        nonlocal left
        left -= 1
        if left < 0:
            raise StorageError("storage.full", path=Path("x"))
        return good(self, kind, data, node=node, **rest)

    before = len(made.events)
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "write", full)
        made.session.send("fourth")
        await made.session.wait_idle()
    kinds = [event.type for event in made.events[before:]]
    assert kinds == ["unqueued", "turn_started", "error", "queued"]
    assert [message.text for message in made.session.queued] == ["third", "fourth"]
    assert not made.session.outcome.ok
    stopped.answers.append(says("Fine"))
    assert made.session.go_on()
    await made.session.wait_idle()
    assert texts(made) == ["first", "second", "third", "fourth"]


async def test_a_fault_of_the_program_loses_no_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("never thought of")

    made = make_session(tmp_path, ScriptedModel(says("Fine")))
    await made.session.open()
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "write", broken)
        made.session.send("precious")
        await made.session.wait_idle()
    assert "never thought of" in made.of("error")[0].model_dump()["text"]
    assert [message.text for message in made.session.queued] == ["precious"]
    assert made.session.go_on()
    await made.session.wait_idle()
    assert texts(made) == ["precious"]


def test_the_mark_of_the_schemas_is_what_it_ever_was() -> None:
    """Marks in ledgers of older versions are compared with it."""
    schema = ToolSchema("read_file", "Reads a file.", {"type": "object", "properties": {"a": {}}})
    assert schema_mark((schema,)) == "8c664cc8a977"
    assert schema_mark((schema, schema)) != schema_mark((schema,))
