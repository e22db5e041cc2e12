"""Earlier sessions in the real app, with real keys; the archive is faked."""

import threading
from collections.abc import Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from app.archive.order import CaughtUp
from app.archive.store import Store
from app.errors import HaimaError
from app.screens.sessions import SessionsScreen
from app.session.launch import StartRequest
from app.workbench.resuming import PAGE
from tests.screens.stage import Stage, clock_of, make_app, opened, until
from tests.session.support import ScriptedModel, call, says
from tests.view.pasts import plain, talk
from tests.view.some_sessions import JAVA, OTHERS
from tests.widgets.desk import has_row, rows, text
from tests.workbench.archive import FakeArchive
from widgets.dialogs.approval import ApprovalDialog
from widgets.dialogs.choice import ChoiceDialog
from widgets.dialogs.confirm import ConfirmDialog
from widgets.dialogs.menu import MenuDialog


@pytest.fixture
def archive(monkeypatch: pytest.MonkeyPatch) -> FakeArchive:
    archive = FakeArchive()
    archive.put_in(monkeypatch)
    return archive


@asynccontextmanager
async def running(
    tmp_path: Path, *answers: Any, size: tuple[int, int] = (120, 36), **how: Any
) -> Any:
    app = make_app(tmp_path, ScriptedModel(*answers), **how)
    async with app.run_test(size=size) as pilot:
        await opened(pilot, app)
        yield app, pilot


async def to_sessions(app: Stage, pilot: Pilot[int], *keys: str) -> SessionsScreen:
    await pilot.press(*(keys or ("f3",)))
    await until(pilot, lambda: isinstance(app.screen, SessionsScreen))
    await pilot.pause()
    assert isinstance(app.screen, SessionsScreen)
    return app.screen


WAYS = (("f3",), ("ctrl+g", "s"), ("ctrl+g", "2"), (*"/history", "enter"), (*"/resume", "enter"))


async def test_ways_to_the_sessions_and_back(tmp_path: Path, archive: FakeArchive) -> None:
    async with running(tmp_path) as (app, pilot):
        for keys in WAYS:
            await to_sessions(app, pilot, *keys)
            assert has_row(app, "Upgrade to Java 21", "chain of 4"), keys
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is app.chat)
            assert app.chat.prompt.draft == "", keys
        await to_sessions(app, pilot)
        await pilot.press("f3")
        await until(pilot, lambda: app.screen is app.chat)


async def test_a_session_is_resumed_from_the_list(tmp_path: Path, archive: FakeArchive) -> None:
    async with running(tmp_path) as (app, pilot):
        await to_sessions(app, pilot)
        await pilot.press("up", "enter")
        await until(pilot, lambda: app.screen is app.chat and "answer 300" in text(app))
        assert archive.done == [("resume", JAVA[1].id), ("past", None, PAGE)]
        assert has_row(app, "Resumed")
        assert app.focused is app.chat.prompt.input
        assert rows(app)[-1].startswith(" F1 Help  F2 Memory  F3 Sessions")


async def test_resume_takes_the_beginning_of_an_id(tmp_path: Path, archive: FakeArchive) -> None:
    async with running(tmp_path) as (app, pilot):
        await pilot.press(*"/resume", "space", *"#6b91", "enter")
        await until(pilot, lambda: "answer 300" in text(app))
        assert archive.done[0] == ("resume", "6b91")


async def test_resuming_the_open_session_only_goes_back(
    tmp_path: Path, archive: FakeArchive
) -> None:
    async with running(tmp_path) as (app, pilot):
        await pilot.press(*"/resume", "space", *app.session.node, "enter")
        await pilot.pause()
        assert app.chat.prompt.draft == "" and archive.done == []
        await to_sessions(app, pilot)
        assert archive.done == []


async def test_earlier_pages_come_with_enter(tmp_path: Path, archive: FakeArchive) -> None:
    async with running(tmp_path, size=(80, 24)) as (app, pilot):
        await pilot.press(*"/resume", "space", *"6b91", "enter")
        await until(pilot, lambda: "answer 300" in text(app))
        await pilot.press("tab", "home")
        await until(pilot, lambda: "500 earlier messages  Enter shows more" in text(app))
        await pilot.press("enter")
        await until(pilot, lambda: app.chat.store.earlier.count == 400)
        await until(pilot, lambda: "answer 250" in text(app))
        assert archive.done[-1] == ("past", 500, PAGE)
        await pilot.press("home")
        await until(pilot, lambda: "400 earlier messages" in text(app))


async def test_a_deleted_store_is_made_again_and_changes_nothing_else(
    tmp_path: Path, archive: FakeArchive
) -> None:
    async with running(tmp_path, says("first"), says("second")) as (app, pilot):
        await pilot.press(*"one", "enter")
        await until(pilot, lambda: app.session is not None and not app.session.busy)
        await until(pilot, lambda: "first" in text(app))
        before = [message.id for message in app.session.history]
        app.chat.store.start_again([])
        archive.past = []
        await app.lead.resuming.show_past()
        await pilot.pause()
        assert not app.chat.transcript.display and app.chat.empty.display
        archive.past = talk(3)
        await app.lead.resuming.show_past()
        await until(pilot, lambda: "answer 3" in text(app))
        assert [message.id for message in app.session.history] == before
        await pilot.press(*"two", "enter")
        await until(pilot, lambda: "second" in text(app))
        model = app.session.model
        assert isinstance(model, ScriptedModel)
        sent = [str(message.get("content")) for message in model.requests[-1].messages]
        assert sent[1:] == ["one", "first", "two"]


async def test_a_fork_from_a_message(tmp_path: Path, archive: FakeArchive) -> None:
    async with running(tmp_path, says("answer")) as (app, pilot):
        await pilot.press(*"question", "enter")
        await until(pilot, lambda: app.session is not None and not app.session.busy)
        await pilot.press("tab", "home")
        await until(pilot, lambda: app.chat.transcript.fork_point)
        message = app.chat.transcript.fork_point
        await pilot.press("f9")
        await until(pilot, lambda: isinstance(app.screen, MenuDialog))
        assert has_row(app, "fork from here", "/fork")
        await pilot.press(*"fork", "enter")
        await until(pilot, lambda: len(archive.done) == 2)
        assert archive.done == [("fork", message, None), ("past", None, PAGE)]
        await until(pilot, lambda: has_row(app, "Forked"))


async def test_slash_fork_goes_on_from_the_end(tmp_path: Path, archive: FakeArchive) -> None:
    async with running(tmp_path) as (_, pilot):
        await pilot.press(*"/fork", "enter")
        await until(pilot, lambda: len(archive.done) == 2)
        assert archive.done[0] == ("fork", None, None)


async def test_fork_from_the_list(tmp_path: Path, archive: FakeArchive) -> None:
    async with running(tmp_path) as (app, pilot):
        await to_sessions(app, pilot)
        await pilot.press("up", "f")
        await until(pilot, lambda: app.screen is app.chat)
        await until(pilot, lambda: has_row(app, "from #6b91, which stays as it is"))
        assert archive.done[0] == ("fork", None, JAVA[1].id)


@pytest.fixture(params=["fork", "new", "stay"])
def answer(request: pytest.FixtureRequest) -> Iterator[str]:
    yield request.param


async def test_a_session_open_elsewhere_is_offered_as_a_fork(
    tmp_path: Path, archive: FakeArchive, answer: str
) -> None:
    node = JAVA[1].id
    archive.open_elsewhere = frozenset({node})
    async with running(tmp_path) as (app, pilot):
        chain = app.session.chain
        await to_sessions(app, pilot)
        await pilot.press("up", "enter")
        await until(pilot, lambda: isinstance(app.screen, ChoiceDialog))
        assert has_row(app, "Another window has #6b91 open")
        clock_of(app).seconds += 5
        if answer == "stay":
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, SessionsScreen))
            assert archive.done == [("resume", node)]
            return
        await pilot.press("f" if answer == "fork" else "n")
        await until(pilot, lambda: app.screen is app.chat)
        if answer == "fork":
            await until(pilot, lambda: ("fork", None, node) in archive.done)
            assert app.session.chain == chain
        else:
            await until(pilot, lambda: app.session.chain != chain)


async def test_what_fails_is_said_and_leaves_all_as_it_was(
    tmp_path: Path, archive: FakeArchive
) -> None:
    async with running(tmp_path) as (app, pilot):
        archive.fails = HaimaError("session.busy")
        await pilot.press(*"/resume", "space", *"6b91", "enter")
        await until(pilot, lambda: has_row(app, "Not run"))
        assert archive.done == [("resume", "6b91")]
        assert not app.chat.transcript.display


async def test_title_delete_and_undo(tmp_path: Path, archive: FakeArchive) -> None:
    async with running(tmp_path) as (app, pilot):
        await to_sessions(app, pilot)
        await pilot.press("t", *"!", "enter")
        await until(pilot, lambda: archive.done)
        assert archive.done == [("retitle", JAVA[0].id, "Upgrade to Java 21!")]
        await pilot.press("down", "down", "d")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        clock_of(app).seconds += 5
        await pilot.press("tab", "enter")
        await until(pilot, lambda: not has_row(app, "  搭建 CI", "1 session"))
        assert archive.done[-1] == ("delete", OTHERS[0].id)
        await until(pilot, lambda: has_row(app, "搭建 CI  u brings it back"))
        await pilot.press("u")
        await until(pilot, lambda: has_row(app, "搭建 CI", "1 session"))
        assert archive.done[-1] == ("undelete", OTHERS[0].id)


async def test_a_dialog_keeps_the_sessions_away(tmp_path: Path, archive: FakeArchive) -> None:
    async with running(tmp_path) as (app, pilot):
        await pilot.press("f9")
        await until(pilot, lambda: isinstance(app.screen, MenuDialog))
        await pilot.press("f3")
        await pilot.pause()
        assert isinstance(app.screen, MenuDialog)


async def talked(tmp_path: Path, *questions: str) -> str:
    """A session in which something was said; its id."""
    answers = [says(f"answer to {one}") for one in questions]
    async with running(tmp_path, *answers, first_id=0x6B9100000000) as (app, pilot):
        for number, one in enumerate(questions, 1):
            await pilot.press(*one, "enter")
            await until(pilot, lambda: len(app.session.model.requests) == number)  # noqa: B023
            await until(pilot, lambda: not app.session.busy)
        node = str(app.session.node)
    await app.lead.put_away()
    return node


async def test_continue_shows_where_it_was_left(tmp_path: Path) -> None:
    """The real archive: nothing is sent, the past is there, the next message goes on."""
    node = await talked(tmp_path, "one", "two")
    async with running(tmp_path, says("answer to three"), start=StartRequest("continue")) as (
        app,
        pilot,
    ):
        await until(pilot, lambda: "answer to two" in text(app))
        assert app.session.node == node and has_row(app, "one", "#") and not app.session.busy
        await pilot.press(*"three", "enter")
        await until(pilot, lambda: "answer to three" in text(app))
        model = app.session.model
        assert isinstance(model, ScriptedModel)
        (request,) = model.requests
        said = [str(message.get("content")) for message in request.messages[1:]]
        assert said == ["one", "answer to one", "two", "answer to two", "three"]
    await app.lead.put_away()


async def test_the_view_made_from_the_archive_looks_as_it_did(tmp_path: Path) -> None:
    """Cards of every kind, from the real archive; and the next request is none the wiser."""
    pom = tmp_path / "order-service" / "pom.xml"
    pom.parent.mkdir()
    pom.write_text("<java>17</java>\n")
    read, gone = call("read_file", path="pom.xml", limit=1), call("read_file", path="gone.xml")
    edit = call("edit_file", path="pom.xml", old="17", new="21")
    answers = (
        says("I look.", read, gone, call("search_files", pattern="java", glob="*.xml")),
        says("", edit),
        says("Done:\n\n- one\n- two\n"),
        says("again"),
    )
    async with running(tmp_path, *answers) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: isinstance(app.screen, ApprovalDialog))
        clock_of(app).seconds += 5
        await pilot.press("n")
        await until(pilot, lambda: app.screen is app.chat and not app.session.busy)
        live = [plain(item) for item in app.chat.store]
        assert len(live) == 8
        app.chat.store.start_again([])
        await app.lead.resuming.show_past()
        assert [plain(item) for item in app.chat.store] == live
        await pilot.press(*"more", "enter")
        await until(pilot, lambda: len(app.session.model.requests) == 4)
        first, *_, last = app.session.model.requests
        assert last.messages[: len(first.messages)] == first.messages
    await app.lead.put_away()


async def test_that_earlier_sessions_are_read_is_said_where_it_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FIELD 37: a database that has to be made anew of 200 MB takes half a minute."""
    await talked(tmp_path, "one")
    gate, steps = threading.Event(), Store.steps

    def held(store: Store) -> Iterator[CaughtUp]:
        gate.wait(60)
        yield from steps(store)

    monkeypatch.setattr(Store, "steps", held)
    monkeypatch.setattr("app.workbench.resuming.SLOW", 0.01)
    app = make_app(tmp_path, ScriptedModel(), start=StartRequest("continue"), first_id=1 << 44)
    try:
        async with app.run_test(size=(120, 36)) as pilot:
            await until(pilot, lambda: has_row(app, "Reading earlier sessions"))
            assert app.session is None or not app.session.node
            gate.set()
            await until(pilot, lambda: "answer to one" in text(app))
            assert not has_row(app, "Reading earlier sessions"), "it is no longer so"
    finally:
        gate.set()
    await app.lead.put_away()


async def test_continue_with_nothing_to_continue_begins_anew(tmp_path: Path) -> None:
    async with running(tmp_path, start=StartRequest("continue")) as (app, pilot):
        await until(pilot, lambda: has_row(app, "Nothing to continue"))
        assert app.session.node and app.chat.empty.display
    await app.lead.put_away()


async def test_resuming_what_is_not_there_ends_the_app_with_its_error(tmp_path: Path) -> None:
    app = make_app(tmp_path, ScriptedModel(), start=StartRequest("resume", "ffff"))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.failure is not None)
    assert app.failure is not None and app.failure.code == "not_found"
    await app.lead.put_away()


@pytest.mark.parametrize("answer", ["f", "n", "escape"])
async def test_what_is_open_elsewhere_is_asked_about_at_the_start(
    tmp_path: Path, answer: str
) -> None:
    node = await talked(tmp_path, "one")
    async with running(tmp_path, start=StartRequest("resume", node)) as (left, _):
        assert left.session.node == node
        request = StartRequest("resume", node)
        right = make_app(tmp_path, ScriptedModel(), start=request, first_id=0xC41D00000000)
        async with right.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: isinstance(right.screen, ChoiceDialog))
            assert has_row(right, "Esc begin a new one")
            assert right.chat is not None
            assert not right.chat.empty.display  # there may be a past
            clock_of(right).seconds += 5
            await pilot.press(answer)
            await opened(pilot, right)
            assert right.session is not None and right.session.node != node
            if answer == "f":
                await until(pilot, lambda: "answer to one" in text(right))
            else:
                assert right.chat is not None and right.chat.empty.display
        await right.lead.put_away()
    await left.lead.put_away()
