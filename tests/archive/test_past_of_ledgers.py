"""Past, lists, deletion and pruning over ledgers as sessions write them, through the database."""

import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.archive.database import Database
from app.archive.ledger import Ledger
from app.archive.lineage import past_page, system_message, whole_past
from app.archive.nodes import LayoutEntry, NodeStart, Relation
from app.archive.outside import delete_chain, set_title, undelete_chain
from app.archive.prune import plan_prune, prune
from app.archive.reading import reading
from app.archive.recorder import Recorder
from app.archive.sessions import NodeNotFound, find_node, get_node, list_nodes, newest_node
from app.archive.trouble import DatabaseTrouble
from app.conversation.history import History
from app.conversation.messages import TextPart
from app.conversation.past import Past, PastFailure, PastMark, PastMessage
from app.conversation.standing import Standing
from tests.archive.chains import answer, result, system, user

PROJECT = "/p"


def shortly(item: Past) -> str:
    match item:
        case PastMessage(message=message):
            return message.id
        case PastMark(kind=kind, node=node):
            return f"{kind}>{node}"
        case PastFailure(text=text):
            return text


class Clock:
    """A minute passes from row to row."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now


class Desk:
    """Writes sessions as `session` does."""

    def __init__(self, folder: Path, database: Database) -> None:
        self.folder = folder
        self.database = database
        self.clock = Clock()

    def ledger(self, name: str) -> Ledger:
        return Ledger.open(self.folder / f"{name}.jsonl", now=self.clock)

    async def root(self, ledger: Ledger, node: str) -> Recorder:
        recorder = Recorder(History(), ledger, node, projection=self.database)
        first = system(f"s-{node}")
        layout = (LayoutEntry(first.id),)
        await recorder.begin(
            NodeStart(node, project=PROJECT, model="m", layout=layout, messages=(first,))
        )
        return recorder

    async def child(
        self, recorder: Recorder, node: str, relation: Relation, keep: int, **more: object
    ) -> None:
        """Goes on in a child: of a summary with another beginning, of a fork with the same."""
        made = (system(f"s-{node}"), user(f"sum-{node}")) if relation == "summary" else ()
        kept = recorder.layout()[-keep:] if relation == "summary" else recorder.layout()[:keep]
        start = NodeStart(
            (await self.database.run(lambda c: find_node(c, recorder.node))).chain,
            recorder.node,
            relation,
            PROJECT,
            model="m",
            layout=(*(LayoutEntry(message.id) for message in made), *kept),
            messages=made,
            **more,  # type: ignore[arg-type]
        )
        await recorder.begin(start, node)

    async def past(self, node: str) -> list[str]:
        def ask(connection: sqlite3.Connection) -> list[str]:
            whole = [shortly(item) for item in whole_past(connection, node)]
            found: list[str] = []
            page = past_page(connection, node, None, 2)
            said = [one for one in whole if not one.startswith(("summary>", "fork>", "failed"))]
            while True:
                found = [shortly(item) for item in page.items] + found
                counted = [one for one in found if one in said]
                assert page.earlier_count == len(said) - len(counted)
                if page.earlier is None:
                    break
                page = past_page(connection, node, page.earlier, 2)
            assert found == whole
            return whole

        return await self.database.run(ask)


@pytest.fixture
async def desk(folder: Path) -> AsyncIterator[Desk]:
    database = await Database.open(folder / "haima.db", folder / "raw")
    yield Desk(folder / "raw", database)
    await database.close()


async def talk(desk: Desk) -> None:
    """`aa` with steps, its summary `bb`, and `ff`, a fork of `bb`, in a ledger of its own."""
    with desk.ledger("aa") as ledger:
        recorder = await desk.root(ledger, "aa")
        await recorder.append(user("u1", "Fix it\nplease"))
        await recorder.append(answer("a1", "", "c1", "c2"))
        await recorder.append(result("r2", "c2"))
        await recorder.append(result("r1", "c1"))
        await recorder.replace("r1", (TextPart("[cleared]"),), state="cleared")
        await recorder.error("model", "failed once")
        await recorder.append(answer("a2"))
        await desk.child(recorder, "bb", "summary", keep=1)
        await recorder.append(user("u2"))
        await recorder.append(answer("a3"))
        with desk.ledger("ff") as other:
            fork = Recorder(recorder.history, other, "bb", projection=desk.database)
            await desk.child(fork, "ff", "fork", keep=4, fork_at="u2", fork_turn=2)
            await fork.append(answer("f1"))
        await recorder.append(user("u3"))


ROOT = ["u1", "a1", "r1", "r2", "failed once", "a2"]


async def test_the_past_of_each_node_is_whole_and_stays_so_after_a_rebuild(desk: Desk) -> None:
    await talk(desk)
    wanted = {
        "aa": ROOT,
        "bb": [*ROOT, "summary>bb", "u2", "a3", "u3"],
        "ff": [*ROOT, "summary>bb", "u2", "fork>ff", "f1"],
    }
    for _ in range(2):
        assert {node: await desk.past(node) for node in wanted} == wanted
        await desk.database.rebuild()


async def test_originals_come_with_their_standing(desk: Desk) -> None:
    await talk(desk)
    items = await desk.database.run(lambda c: list(whole_past(c, "bb")))
    said = {item.message.id: item for item in items if isinstance(item, PastMessage)}
    assert said["r1"].message.text == "done"
    assert said["r1"].standing.state == "cleared"
    assert said["r1"].standing.body is not None
    assert said["r2"].standing == Standing()
    assert [key for key, item in said.items() if item.present] == ["a2", "u2", "a3", "u3"]
    mark = next(item for item in items if isinstance(item, PastMark))
    assert mark.count == 4
    asked = await desk.database.run(lambda c: system_message(c, "ff"))
    assert asked is not None
    assert asked.id == "s-bb"


async def test_the_list_and_the_newest(desk: Desk) -> None:
    await talk(desk)
    nodes = await desk.database.run(lambda c: list_nodes(c, PROJECT))
    assert [(node.id, node.messages, node.turns) for node in nodes] == [
        *(("bb", 3, 2), ("ff", 1, 0), ("aa", 5, 1))
    ]
    assert nodes[-1].title == "Fix it"
    newest = await desk.database.run(lambda c: newest_node(c, PROJECT))
    assert newest is not None
    assert newest.id == "bb"


async def test_deleting_titling_and_bringing_back(desk: Desk) -> None:
    await talk(desk)
    run, commit = desk.database.run, desk.database.commit
    node = await run(lambda c: find_node(c, "f"))
    for written in (
        set_title(desk.folder, node, "The fork"),
        await run(lambda c: delete_chain(c, desk.folder, "aa")),
    ):
        await commit(written.ledger, written.row, written.size)
    assert await run(lambda c: list_nodes(c, PROJECT)) == ()
    assert len(await run(lambda c: list_nodes(c, PROJECT, deleted=True))) == 3
    with pytest.raises(NodeNotFound):
        await run(lambda c: find_node(c, "f"))
    await desk.database.rebuild()
    assert await run(lambda c: newest_node(c, PROJECT)) is None
    written = await run(lambda c: undelete_chain(c, desk.folder, "aa"))
    await commit(written.ledger, written.row, written.size)
    assert (await run(lambda c: find_node(c, "f"))).title == "The fork"


async def test_pruning_leaves_nothing_to_catch_up(desk: Desk) -> None:
    await talk(desk)
    with desk.ledger("zz") as ledger:
        await (await desk.root(ledger, "zz")).append(user("z1"))
    now = desk.clock() + timedelta(days=40)

    def work(connection: sqlite3.Connection) -> list[str]:
        connection.execute("UPDATE nodes SET used = ? WHERE id = 'zz'", [now.isoformat()])
        plan = plan_prune(connection, desk.folder, timedelta(days=30), now)
        return [old.chain for old in prune(connection, desk.folder, plan)]

    assert await desk.database.run(work) == ["aa"]
    assert [path.name for path in desk.folder.iterdir()] == ["zz.jsonl"]
    done = await desk.database.catch_up()
    assert done.taken.rows == 0
    assert await desk.database.run(lambda c: get_node(c, "ff")) is None
    assert await desk.past("zz") == ["z1"]


async def test_one_can_read_beside_the_writer(desk: Desk) -> None:
    with desk.ledger("aa") as ledger:
        recorder = await desk.root(ledger, "aa")
        await recorder.append(user("u1"))
        with reading(desk.database.path) as connection:
            first, *_ = whole_past(connection, "aa")
            await recorder.append(answer("a1"))
            assert [shortly(item) for item in whole_past(connection, "aa")] == ["u1"]
        assert shortly(first) == "u1"
        with (
            pytest.raises(DatabaseTrouble),
            reading(desk.database.path) as connection,
        ):
            connection.execute("DELETE FROM messages")
    assert await desk.past("aa") == ["u1", "a1"]


def test_what_is_no_database_is_trouble(folder: Path) -> None:
    with pytest.raises(DatabaseTrouble), reading(folder / "none #1?.db"):
        pass
    assert list(folder.iterdir()) == []
