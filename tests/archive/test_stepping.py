"""The way back over a summary, and what it stands for back in its place."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from app.archive.database import Database
from app.archive.ledger import Ledger
from app.archive.lineage import whole_past
from app.archive.load import load_live, load_node
from app.archive.nodes import LayoutEntry, NodeStart
from app.archive.recorder import Recorder
from app.archive.rows import read_rows
from app.archive.sessions import (
    NodeNotFound,
    chain_nodes,
    children,
    find_node,
    list_nodes,
    newest_node,
)
from app.archive.stepping import LiveNode
from app.conversation.history import History, InvalidHistory, RecoverySlot
from app.conversation.messages import Message, TextPart
from app.conversation.past import PastMark, PastMessage
from app.conversation.standing import Standing, Tier
from app.conversation.summary_mark import SummaryMark
from app.ports import Usage
from app.session.restore import Origin, Resume, find_origin
from tests.archive.recording import EN, agrees, looks, result, same, step, user
from tests.archive.tables import assert_same_as_built

ROOT, CHILD, SECOND, BACK = "aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc", "eeeeeeeeeeee"
MARK = SummaryMark(
    messages=4, tokens=1_400, tokens_before=95_000, tokens_after=21_000, summary="sum", model="m"
)


class Desk:
    """A chain with its database."""

    def __init__(self, folder: Path, database: Database, ledger: Ledger) -> None:
        self.folder = folder
        self.database = database
        self.recorder = Recorder(History(), ledger, ROOT, projection=database)

    @property
    def path(self) -> Path:
        """The root's ledger."""
        return self.folder / "raw" / f"{ROOT}.jsonl"

    async def talk(self) -> None:
        """A turn whose results are cleared and pinned, and another one."""
        recorder = self.recorder
        system = Message("sys", "system", (TextPart("Be brief."),))
        await recorder.begin(
            NodeStart(ROOT, project="/p", layout=(LayoutEntry("sys"),), messages=(system,))
        )
        for message in (user("u1"), step("a1", "c1", "c2"), result("t1", "c1"), result("t2", "c2")):
            await recorder.append(message)
        await recorder.replace("t1", (TextPart("[cleared]"),), state="cleared")
        await recorder.pin(("t2",), True)
        await recorder.set_recovery(RecoverySlot("t2", "known"))
        await recorder.append(Message("a2", "assistant", (TextPart("done"),)))
        await recorder.append(user("u2"))

    async def summarise(self, node: str = CHILD, name: str = "sum") -> LiveNode:
        """A summary of all but the newest message; the node it was begun from."""
        recorder = self.recorder
        live, layout = recorder.live(), recorder.layout()
        summary = Message(name, "user", (TextPart("What was done."),))
        start = NodeStart(
            ROOT,
            recorder.node,
            "summary",
            "/p",
            layout=(layout[0], LayoutEntry(name), *layout[-1:]),
            messages=(summary,),
            recovery=RecoverySlot(name, "known", first=True),
            summary=replace(MARK, summary=name),
        )
        await recorder.begin(start, node)
        return live

    async def expand(self, known: LiveNode, node: str = BACK) -> None:
        """What the summary stands for is back, what came since stays."""
        recorder = self.recorder
        layout = recorder.layout()
        here = {entry.id for entry in layout}
        back = [entry for entry in known.layout if entry.id not in here]
        start = NodeStart(
            ROOT, recorder.node, "expand", "/p", layout=(layout[0], *back, *layout[2:])
        )
        await recorder.begin(start, node, known=known)

    async def listed(self) -> list[str]:
        """The nodes in lists."""
        nodes = await self.database.run(lambda db: list_nodes(db, "/p"))
        return sorted(node.id for node in nodes)

    async def newest(self) -> str:
        """Where `--continue` goes on."""
        found = await self.database.run(lambda db: newest_node(db, "/p"))
        assert found is not None
        return found.id

    async def past(self, node: str) -> list[str]:
        """What was said, and the marks."""
        items = await self.database.run(lambda db: list(whole_past(db, node)))
        return [
            item.message.id if isinstance(item, PastMessage) else f"{item.kind}>{item.node[:1]}"
            for item in items
            if isinstance(item, PastMessage | PastMark)
        ]


@pytest.fixture
async def desk(folder: Path) -> AsyncIterator[Desk]:
    database = await Database.open(folder / "haima.db", folder / "raw")
    with Ledger.open(folder / "raw" / f"{ROOT}.jsonl") as ledger:
        made = Desk(folder, database, ledger)
        await made.talk()
        yield made
    await database.close()
    assert_same_as_built(folder / "haima.db", folder / "raw")


async def test_a_summary_is_undone_byte_for_byte(desk: Desk) -> None:
    """FIELD 36: the request is exactly the earlier one; nothing of the summary shows."""
    recorder = desk.recorder
    was, history = looks(recorder), recorder.history
    live = await desk.summarise()
    assert recorder.way_back == ROOT
    await recorder.pin(("u2",), True)
    await recorder.usage(Usage(prompt=9), message=None, model="m")
    await recorder.error("model", "no answer")
    assert await recorder.step_back(live) is history
    assert looks(recorder) == was
    assert recorder.way_back is None
    agrees(recorder, desk.path)
    await recorder.append(Message("a3", "assistant", (TextPart("on we go"),)))
    agrees(recorder, desk.path)
    assert await desk.listed() == [ROOT]
    assert await desk.newest() == ROOT
    assert await desk.past(ROOT) == ["u1", "a1", "t1", "t2", "a2", "u2", "a3"]
    loaded = await desk.database.run(lambda db: load_node(db, ROOT, EN))
    assert (loaded.children, loaded.skipped) == ((), 0)
    assert await desk.database.run(lambda db: children(db, ROOT)) == ()


async def test_what_was_undone_is_found_by_its_whole_id_only(desk: Desk) -> None:
    await desk.recorder.step_back(await desk.summarise())
    run = desk.database.run
    found = await run(lambda db: find_node(db, CHILD))
    assert found.undone is not None
    assert found.summary == MARK
    with pytest.raises(NodeNotFound):
        await run(lambda db: find_node(db, CHILD[:6]))
    assert len(await run(lambda db: list_nodes(db, "/p", undone=True))) == 2
    assert len(await run(lambda db: chain_nodes(db, ROOT))) == 2


async def test_a_fork_of_what_was_undone_later_keeps_it_in_the_tree(desk: Desk) -> None:
    live = await desk.summarise()
    history = History(desk.recorder.history.messages)
    with Ledger.open(desk.folder / "raw" / "ffffffffffff.jsonl") as ledger:
        fork = Recorder(history, ledger, "ffffffffffff", projection=desk.database)
        await fork.begin(NodeStart(ROOT, CHILD, "fork", "/p", layout=fork.layout()))
        await desk.recorder.step_back(live)
    assert await desk.listed() == sorted([ROOT, CHILD, "ffffffffffff"])


@pytest.mark.parametrize("how", ["append", "splice"])
async def test_what_was_said_since_closes_the_way_back(desk: Desk, how: str) -> None:
    recorder = desk.recorder
    live = await desk.summarise()
    if how == "append":
        await recorder.append(Message("a3", "assistant", (TextPart("hm"),)))
    else:
        await recorder.splice(2, 3, (user("u3"),))
    was, size = looks(recorder), desk.path.stat().st_size
    assert recorder.way_back is None
    with pytest.raises(InvalidHistory, match="changed since"):
        await recorder.step_back(live)
    assert (looks(recorder), desk.path.stat().st_size) == (was, size)
    loaded = await desk.database.run(lambda db: load_node(db, CHILD, EN))
    assert loaded.way_back is None


@pytest.mark.parametrize("resumed", [False, True])
async def test_what_was_cut_since_goes_with_it(desk: Desk, resumed: bool) -> None:
    """The guard may cut in the same call; the parent has all of it whole."""
    recorder = desk.recorder
    was = looks(recorder)
    live = await desk.summarise()
    await recorder.replace("u2", (TextPart("[cut]"),), state="cut")
    await recorder.set_recovery(None)
    agrees(recorder, desk.path)
    assert recorder.way_back == ROOT
    loaded = await desk.database.run(lambda db: load_node(db, CHILD, EN))
    assert loaded.way_back == ROOT
    if resumed:
        live = await desk.database.run(lambda db: load_live(db, ROOT, EN))
    await recorder.step_back(live)
    assert looks(recorder) == was
    agrees(recorder, desk.path)


async def test_only_the_node_it_began_from_can_be_stepped_back_to(desk: Desk) -> None:
    recorder = desk.recorder
    first = await desk.summarise()
    second = await desk.summarise(SECOND, "sum2")
    with pytest.raises(InvalidHistory):
        await recorder.step_back(first)
    with pytest.raises(InvalidHistory):
        await recorder.step_back(recorder.live())
    await recorder.step_back(second)
    assert (recorder.node, recorder.way_back) == (CHILD, ROOT)
    await recorder.step_back(first)
    assert recorder.node == ROOT
    assert await desk.listed() == [ROOT]
    agrees(recorder, desk.path)


async def test_a_clear_or_a_fork_is_no_step(desk: Desk) -> None:
    recorder = desk.recorder
    live = recorder.live()
    start = NodeStart(ROOT, ROOT, "fork", "/p", layout=recorder.layout())
    await recorder.begin(start, "ffffffffffff")
    with pytest.raises(InvalidHistory):
        await recorder.step_back(live)
    await desk.summarise()
    assert recorder.way_back == "ffffffffffff"
    await recorder.clear("dddddddddddd")
    assert recorder.way_back is None


async def test_what_was_undone_can_not_come_back_by_an_append(desk: Desk) -> None:
    await desk.recorder.step_back(await desk.summarise())
    with pytest.raises(InvalidHistory, match="already"):
        await desk.recorder.append(user("sum"))


async def test_undo_after_a_resume(desk: Desk) -> None:
    """The child is loaded in a new process; the parent comes out of the database."""
    was = looks(desk.recorder)
    await desk.summarise()
    run = desk.database.run
    loaded = await run(lambda db: load_node(db, CHILD, EN))
    assert loaded.way_back == ROOT
    assert loaded.node.summary == MARK
    again = Recorder(
        loaded.history,
        desk.recorder._ledger,
        CHILD,
        standings=loaded.standings,
        files=loaded.files,
        projection=desk.database,
        way_back=loaded.way_back,
    )
    await again.step_back(await run(lambda db: load_live(db, ROOT, EN)))
    assert looks(again) == was
    agrees(again, desk.path)


async def test_a_parent_that_can_not_be_read_whole_does_not_come_back(desk: Desk) -> None:
    await desk.summarise()

    def tried(db: sqlite3.Connection) -> None:
        (content,) = db.execute("SELECT content FROM messages WHERE id = 'u1'").fetchone()
        db.execute("UPDATE messages SET content = '{' WHERE id = 'u1'")
        try:
            with pytest.raises(InvalidHistory, match="can't be read"):
                load_live(db, ROOT, EN)
        finally:
            db.execute("UPDATE messages SET content = ? WHERE id = 'u1'", (content,))

    await desk.database.run(tried)


async def test_expand_here_puts_the_originals_back_as_they_stood(desk: Desk) -> None:
    recorder = desk.recorder
    before = recorder.live()
    await desk.summarise()
    await recorder.append(Message("a3", "assistant", (TextPart("since"),)))
    known = await desk.database.run(lambda db: load_live(db, ROOT, EN))
    assert same(known.history, before.history)
    assert (known.layout, dict(known.files)) == (before.layout, dict(before.files))
    await desk.expand(known)
    assert [one.id for one in recorder.history] == [
        *("sys", "u1", "a1", "t1", "t2", "a2", "u2", "a3"),
    ]
    assert recorder.history[3].text == "[cleared]"
    assert recorder.standings["t2"] == Standing(pinned=True)
    agrees(recorder, desk.path)
    assert await desk.newest() == BACK
    past = ["u1", "a1", "t1", "t2", "a2", "u2"]
    assert await desk.past(BACK) == [*past, "summary>b", "a3", "expand>e"]
    await recorder.append(Message("a4", "assistant", (TextPart("not brought back"),)))
    items = await desk.database.run(lambda db: list(whole_past(db, BACK)))
    marks = [item for item in items if isinstance(item, PastMark)]
    assert [(mark.count, mark.summary) for mark in marks] == [(4, MARK), (5, None)]
    loaded = await desk.database.run(lambda db: load_node(db, CHILD, EN))
    assert loaded.children == (BACK,)


async def test_an_expansion_is_undone_too_and_what_it_brought_back_is_gone(desk: Desk) -> None:
    recorder = desk.recorder
    known = await desk.summarise()
    child, was = recorder.live(), looks(recorder)
    await desk.expand(known)
    await recorder.step_back(child)
    assert looks(recorder) == was
    assert recorder.way_back == ROOT
    assert await desk.past(CHILD) == ["u1", "a1", "t1", "t2", "a2", "u2", "summary>b"]
    with pytest.raises(InvalidHistory):
        await recorder.append(user("u1"))
    with pytest.raises(InvalidHistory):
        await recorder.splice(1, 1, (user("u1"),))
    agrees(recorder, desk.path)


@pytest.mark.parametrize("wrong", ["unknown", "plain", "without"])
async def test_an_expansion_takes_only_what_is_there_and_as_it_stood(
    desk: Desk, wrong: str
) -> None:
    recorder = desk.recorder
    known = await desk.summarise()
    layout = recorder.layout()
    back = [entry for entry in known.layout if entry.id not in {"sys", "u2"}]
    if wrong == "plain":
        back = [LayoutEntry(entry.id) for entry in back]  # t1 has another body than its original
    elif wrong == "unknown":
        back.append(LayoutEntry("nobody"))
    start = NodeStart(ROOT, CHILD, "expand", layout=(layout[0], *back, *layout[2:]))
    size = desk.path.stat().st_size
    with pytest.raises(InvalidHistory):
        await recorder.begin(start, BACK, known=None if wrong == "without" else known)
    assert desk.path.stat().st_size == size
    assert recorder.node == CHILD


@pytest.mark.parametrize("pauses", [None, "summary"])
async def test_a_clean_undo_row_says_what_it_undid(desk: Desk, pauses: Tier | None) -> None:
    """One row has the pause too: no crash comes between the two."""
    await desk.recorder.step_back(await desk.summarise(), pauses=pauses)
    *_, row = read_rows(desk.path)
    told = {"paused": pauses} if pauses else {}
    assert (row.kind, row.node, row.data) == ("undo", CHILD, {"parent": ROOT, **told})
    assert desk.recorder.paused == ({pauses} if pauses else set())
    agrees(desk.recorder, desk.path)
    loaded = await desk.database.run(lambda db: load_node(db, ROOT, EN))
    assert loaded.paused == desk.recorder.paused


async def test_an_undo_of_another_parent_is_passed_over(desk: Desk) -> None:
    await desk.summarise()
    ledger = desk.recorder._ledger
    row = ledger.write("undo", {"parent": "nobody"}, node=CHILD)
    await desk.database.commit(ROOT, row, ledger.size)
    with closing(sqlite3.connect(desk.folder / "haima.db")) as db:
        assert db.execute("SELECT undone, skipped FROM nodes WHERE id = ?", [CHILD]).fetchone() == (
            None,
            1,
        )


async def test_a_session_resumes_with_its_way_back_and_an_undone_one_as_a_fork(desk: Desk) -> None:
    live = await desk.summarise()

    async def origin(node: str) -> Origin:
        return await find_origin(Resume(node), desk.database, EN, lambda: "ffffffffffff")

    found = await origin(CHILD)
    assert (found.node, found.way_back, found.summary) == (CHILD, ROOT, MARK)
    await desk.recorder.step_back(live)
    found = await origin(ROOT)
    assert (found.node, found.begun, found.way_back, found.summary) == (ROOT, True, None, None)
    found = await origin(CHILD)
    assert (found.node, found.parent, found.relation) == ("ffffffffffff", CHILD, "fork")
