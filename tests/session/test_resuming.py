"""Sessions that go on: resumed, forked, begun anew, and what the next request then is."""

import asyncio
import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from pydantic import SecretStr

from app.archive.places import NoMessage
from app.archive.recorder import Recorder
from app.archive.sessions import NodeNotFound
from app.config import ModelSettings, Settings, ToolSettings
from app.conversation.messages import IdFactory
from app.events import Notice, SessionForked, SessionStarted, TurnStarted
from app.ports import Usage
from app.session.elsewhere import SessionOpenElsewhere
from app.session.launch import StartRequest
from app.session.queue import SessionBusy
from app.session.restore import Fork, OtherProject, Resume
from app.view.sessions_view import SessionsModel
from tests.session.support import Recorded, ScriptedModel, call, make_session, says

KEY = "sk-very-secret-0123456789"


def ids(letter: str) -> IdFactory:
    """Ids that are unlike those of another process."""
    numbers = count(1)
    return lambda: f"{letter}{next(numbers):011}"


Opens = Callable[..., Recorded]


@pytest.fixture
def opens(tmp_path: Path) -> Opens:
    """Makes sessions that follow each other on the same files, as processes do."""
    letters = iter("abcdefghij")

    def make(model: ScriptedModel, **more: object) -> Recorded:
        return make_session(tmp_path, model, new_id=ids(next(letters)), **more)  # type: ignore[arg-type]

    return make


def _started(made: Recorded) -> SessionStarted:
    return next(one for one in made.events if isinstance(one, SessionStarted))


def _files(made: Recorded) -> dict[str, bytes]:
    """The ledgers."""
    return {path.name: path.read_bytes() for path in made.home.rglob("*.jsonl")}


async def _left_unfinished(made: Recorded) -> str:
    """A session whose turn failed; its node."""
    await made.session.open()
    await made.session.run("first")
    node = made.session.node
    await made.session.close()
    return node


async def talk(made: Recorded, *prompts: str) -> str:
    """A session from its beginning to its end; its node."""
    await made.session.open()
    for prompt in prompts:
        assert (await made.session.run(prompt)).ok
    node = made.session.node
    await made.session.close()
    return node


async def test_the_next_request_is_what_it_would_have_been(tmp_path: Path) -> None:
    """FIELD 31: byte for byte."""
    answers = [says("One", call("list_dir", path=".")), says("Two"), says("Three")]
    whole = ScriptedModel(*answers)
    await talk(make_session(tmp_path, whole, new_id=ids("a")), "first", "second")
    shutil.rmtree(tmp_path / "haima")
    first, second = ScriptedModel(*answers[:2]), ScriptedModel(answers[2])
    node = await talk(make_session(tmp_path, first, new_id=ids("a")), "first")
    made = make_session(tmp_path, second, new_id=ids("b"))
    await made.session.open(Resume(node))
    await made.session.run("second")
    await made.session.close()
    assert [*first.requests, *second.requests] == whole.requests


async def test_a_resumed_session_is_the_same_one(opens: Opens) -> None:
    node = await talk(opens(ScriptedModel(says("One"))), "What is it?")
    made = opens(ScriptedModel(says("Two")))
    await made.session.open(Resume(node))
    assert (made.session.node, made.session.chain, made.session.title) == (
        node,
        node,
        "What is it?",
    )
    started = _started(made)
    assert (started.resumed, started.title) == (True, "What is it?")
    await made.session.run("And now?")
    assert [m.text for m in made.session.history if m.role == "user"] == [
        "What is it?",
        "And now?",
    ]
    await made.session.close()
    assert len(list(made.home.rglob("*.jsonl"))) == 1


async def test_nothing_is_sent_or_written_before_the_user_sends(opens: Opens) -> None:
    """FIELD 60."""
    node = await talk(opens(ScriptedModel(says("One"))), "What is it?")
    model = ScriptedModel()
    made = opens(model)
    before = _files(made)
    await made.session.open(Resume(node))
    await made.session.close()
    assert model.requests == []
    assert _files(made) == before


async def test_the_gauge_goes_on_where_it_was(opens: Opens) -> None:
    usage = Usage(prompt=2_000, completion=10)
    made = opens(ScriptedModel(says("One", usage=usage)))
    node = await talk(made, "What is it?")
    left = made.contexts[-1]
    resumed = opens(ScriptedModel())
    await resumed.session.open(Resume(node))
    await resumed.session.close()
    assert resumed.contexts[0].source == "anchored"
    assert resumed.contexts[0].tokens == left.tokens


async def test_a_fork_begins_with_what_it_shares(opens: Opens) -> None:
    made = opens(ScriptedModel(says("One"), says("Two")))
    node = await talk(made, "first", "second")
    fork_at = next(m.message for m in made.events if isinstance(m, TurnStarted))
    model = ScriptedModel(says("Other"))
    forked = opens(model)
    await forked.session.open(Fork(node, fork_at))
    told = next(one for one in forked.events if isinstance(one, SessionForked))
    assert (told.parent, told.message, told.turn) == (node, fork_at, 1)
    assert forked.session.chain == node
    assert forked.session.node != node
    await forked.session.run("instead")
    assert [m.text for m in forked.session.history if m.role == "user"] == ["first", "instead"]
    await forked.session.close()
    again = opens(ScriptedModel())
    await again.session.open(Resume(node))
    assert [m.text for m in again.session.history if m.role == "user"] == ["first", "second"]
    await again.session.close()


async def test_going_on_from_a_node_with_children_makes_another_child(opens: Opens) -> None:
    node = await talk(opens(ScriptedModel(says("One"))), "first")
    forked = opens(ScriptedModel(says("Two")))
    await forked.session.open(Fork(node))
    await forked.session.run("in the fork")
    await forked.session.close()
    made = opens(ScriptedModel(says("Three")))
    before = _files(made)
    await made.session.open(Resume(node))
    assert _files(made) == before, "looking makes nothing"
    page = await made.session.earlier.past(None, 100)
    assert len(page.items) == 2
    await made.session.run("beside it")
    assert made.session.node not in {node, forked.session.node}
    nodes = await made.session.earlier.sessions()
    assert {one.parent for one in nodes} == {None, node}
    assert len(nodes) == 3
    # What its peak is measured by: the window of the open one is known, no row keeps the others'.
    window = made.session.context.window.marks.window
    assert window > 0
    assert {one.window for one in nodes if one.current} == {window}
    assert {one.window for one in nodes if not one.current} == {0}
    await made.session.close()


async def test_continue_goes_on_with_the_fork_though_the_clock_went_back(opens: Opens) -> None:
    made = opens(ScriptedModel(says("One"), says("Two")))
    node = await talk(made, "first", "second")
    first = next(one.message for one in made.events if isinstance(one, TurnStarted))
    early = opens(ScriptedModel(says("Three")), year=2025)
    await early.session.open(Fork(node, first))
    await early.session.run("instead")
    forked = early.session.node
    listed = SessionsModel(await early.session.earlier.sessions(), early.session.parts.clock.now())
    assert [chain.newest.id for chain in listed.chains] == [forked]
    await early.session.close()
    again = opens(ScriptedModel(says("Four")), year=2025)
    assert await again.session.find(StartRequest("continue")) == Resume(forked)
    await again.session.close()
    for file in made.home.glob("haima.db*"):
        file.unlink()  # it is made again from the ledgers
    last = opens(ScriptedModel())
    assert await last.session.find(StartRequest("continue")) == Resume(forked)
    await last.session.close()


async def test_a_session_that_is_open_elsewhere_can_only_be_forked(opens: Opens) -> None:
    """FIELD 33."""
    first = opens(ScriptedModel(says("One"), says("Two")))
    await first.session.open()
    await first.session.run("first")
    second = opens(ScriptedModel(says("Other")))
    with pytest.raises(SessionOpenElsewhere):
        await second.session.open(Resume(first.session.node))
    await second.session.open(Fork(first.session.node))
    await second.session.run("in the fork")
    await first.session.run("second")
    assert [m.text for m in first.session.history if m.role == "user"] == ["first", "second"]
    assert [m.text for m in second.session.history if m.role == "user"] == ["first", "in the fork"]
    await second.session.close()
    await first.session.close()


async def test_an_open_session_is_left_for_another(opens: Opens) -> None:
    node = await talk(opens(ScriptedModel(says("One"))), "first")
    made = opens(ScriptedModel(says("Two"), says("Three")))
    await made.session.open()
    await made.session.run("elsewhere")
    left = made.session.node
    await made.session.earlier.resume(node[:6])
    assert made.session.node == node
    await made.session.run("back again")
    assert [m.text for m in made.session.history if m.role == "user"] == ["first", "back again"]
    await made.session.earlier.resume(left)
    assert [m.text for m in made.session.history if m.role == "user"] == ["elsewhere"]
    await made.session.close()


async def test_what_cannot_be_resumed_leaves_everything_as_it_was(opens: Opens) -> None:
    made = opens(ScriptedModel(says("One")))
    await made.session.open()
    await made.session.run("first")
    node = made.session.node
    with pytest.raises(NodeNotFound):
        await made.session.earlier.resume("ffff")
    with pytest.raises(NoMessage):
        await made.session.fork("ffff")
    assert made.session.node == node
    await made.session.close()


async def test_not_while_the_agent_works(opens: Opens) -> None:
    node = await talk(opens(ScriptedModel(says("One"))), "first")
    gate = asyncio.Event()
    made = opens(ScriptedModel([gate, *says("Two")]))
    await made.session.open()
    made.session.send("second")
    with pytest.raises(SessionBusy):
        await made.session.resume(node)
    gate.set()
    await made.session.wait_idle()
    await made.session.close()


async def test_an_unfinished_turn_goes_on_with_enter(opens: Opens) -> None:
    """FIELD 63: calls without a result get one that says so, then the agent goes on."""
    first = opens(ScriptedModel(says("", call("list_dir", path=".")), [RuntimeError("gone")]))
    node = await _left_unfinished(first)
    model = ScriptedModel(says("Done"))
    made = opens(model)
    await made.session.open(Resume(node))
    assert made.session.can_go_on
    assert made.session.go_on()
    await made.session.wait_idle()
    assert made.session.outcome.ok
    assert made.session.history[-1].text == "Done"
    await made.session.close()


async def test_a_fault_before_the_turn_ends_it_like_any_other(
    opens: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = opens(ScriptedModel(says("", call("list_dir", path=".")), [RuntimeError("gone")]))
    node = await _left_unfinished(first)
    made = opens(ScriptedModel())
    await made.session.open(Resume(node))

    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a fault of the program")

    monkeypatch.setattr(Recorder, "close_step", broken)
    assert made.session.go_on()
    await made.session.wait_idle()
    assert [event.type for event in made.events[-2:]] == ["error", "turn_finished"]
    assert not made.session.outcome.ok
    await made.session.close()


async def test_clear_names_the_node_it_left(opens: Opens) -> None:
    made = opens(ScriptedModel(says("One"), says("Two")))
    await made.session.open()
    await made.session.run("first")
    left = made.session.node
    await made.session.clear()
    await made.session.run("second")
    nodes = {one.id: one for one in await made.session.earlier.sessions()}
    assert nodes[made.session.node].relation == "clear"
    assert nodes[made.session.node].parent == left
    assert nodes[made.session.node].chain == made.session.node
    await made.session.close()


async def test_other_tools_are_said_once(opens: Opens) -> None:
    fewer = Settings(tools=ToolSettings(exclude=("list_dir",)))
    node = await talk(opens(ScriptedModel(says("One"))), "first")
    said = []
    for prompt in ("second", "third"):
        made = opens(ScriptedModel(says("More")), settings=fewer)
        await made.session.open(Resume(node))
        await made.session.run(prompt)
        await made.session.close()
        said.append([one.code for one in made.events if isinstance(one, Notice)])
    assert said == [["tools_changed"], []]


async def test_what_the_command_line_asks_for(opens: Opens) -> None:
    node = await talk(opens(ScriptedModel(says("One"))), "first")
    other = await talk(opens(ScriptedModel(says("Two"))), "second")
    made = opens(ScriptedModel())
    find = made.session.find
    assert await find(StartRequest("continue")) == Resume(other)
    assert await find(StartRequest("resume", node[:4])) == Resume(node)
    assert await find(StartRequest("fork", node)) == Fork(node)
    with pytest.raises(NodeNotFound):
        await find(StartRequest("resume", "ffff"))
    with pytest.raises(NoMessage):
        await find(StartRequest("fork", node, "ffff"))
    elsewhere = opens(ScriptedModel(), folder="other")
    with pytest.raises(OtherProject):
        await elsewhere.session.find(StartRequest("resume", node))
    assert await elsewhere.session.find(StartRequest("continue")) is None
    await elsewhere.session.close()
    await made.session.close()


async def test_titles_and_deletion(opens: Opens) -> None:
    node = await talk(opens(ScriptedModel(says("One"))), "first")
    settings = Settings(model=ModelSettings(api_key=SecretStr(KEY)))
    made = opens(ScriptedModel(says("Two")), settings=settings)
    await made.session.open()
    await made.session.run("second")
    await made.session.earlier.retitle(node, "Another name")
    await made.session.earlier.retitle(made.session.node, "This one")
    titles = {one.id: one.title for one in await made.session.earlier.sessions()}
    assert titles == {node: "Another name", made.session.node: "This one"}
    for one in (node, made.session.node):
        await made.session.earlier.retitle(one, f"with {KEY}\n" + "long " * 40)
    for kept in await made.session.earlier.sessions():
        assert kept.title.startswith("with ‹key› long")
        assert len(kept.title) <= 80
    cut = "long " * 14 + "ghp_abcdefghijklmnopqrstuvwxyz0123"
    await made.session.earlier.retitle(node, cut)
    assert "‹secret›" in {one.title[70:] for one in await made.session.earlier.sessions()}
    assert not any(KEY.encode() in content for content in _files(made).values())
    await made.session.earlier.delete_chain(node)
    assert [one.id for one in await made.session.earlier.sessions()] == [made.session.node]
    await made.session.earlier.undelete_chain(node)
    assert len(await made.session.earlier.sessions()) == 2
    await made.session.close()


async def test_a_fork_is_called_as_its_parent_until_something_is_said_in_it(opens: Opens) -> None:
    made = opens(ScriptedModel(says("One")))
    node = await talk(made, "the parent")
    for number, ends in enumerate(("the parent", "the parent", "its own")):
        one = opens(ScriptedModel(says("Two")))
        await one.session.open(Fork(node) if number == 0 else Resume(node))
        node = one.session.node
        assert one.session.title == ends
        await one.session._caught_up()
        assert await one.session.title_of(node) == ends
        if number == 1:
            await one.session.run("its own")
        await one.session.close()
