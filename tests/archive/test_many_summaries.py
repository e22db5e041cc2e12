"""Many summaries of one conversation: ids stay unique, parents have no gap, and the disk grows by
what is new."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from app.archive.database import Database
from app.archive.ledger import Ledger
from app.archive.lineage import whole_past
from app.archive.load import load_node
from app.archive.nodes import LayoutEntry, NodeStart
from app.archive.rebuild import rebuild
from app.archive.recorder import Recorder
from app.archive.rows import read_rows
from app.conversation.history import History
from app.conversation.messages import Message, TextPart
from app.conversation.past import PastMark, PastMessage
from tests.archive.recording import EN

CHAIN = "aaaaaaaaaaaa"
ROUNDS = 50
HISTORY = 1_000_000
BODY = 4_000
"""Characters of a message."""


@pytest.fixture
async def database(folder: Path) -> AsyncIterator[Database]:
    database = await Database.open(folder / "haima.db", folder / "raw")
    yield database
    await database.close()


def said(id_: str, role: str, size: int) -> Message:
    text = f"{id_} " + "word " * (size // 5)
    return Message(id_, "user" if role == "user" else "assistant", (TextPart(text),))


async def begun(ledger: Ledger, database: Database) -> Recorder:
    """The root of a chain, with its system message."""
    recorder = Recorder(History(), ledger, CHAIN, projection=database)
    system = Message("system", "system", (TextPart("Be brief."),))
    await recorder.begin(
        NodeStart(CHAIN, project="/p", layout=(LayoutEntry("system"),), messages=(system,))
    )
    return recorder


async def talk(recorder: Recorder, name: str, turns: int, size: int = 50) -> list[str]:
    """Turns; the ids of their messages."""
    ids = []
    for number in range(turns):
        for role in ("user", "assistant"):
            message = said(f"{name}-{number}-{role[0]}", role, size)
            await recorder.append(message)
            ids.append(message.id)
    return ids


async def summarise(recorder: Recorder, name: str, kept: int) -> None:
    """A child: the system message, a summary, the last messages."""
    layout = recorder.layout()
    summary = said(f"{name}-summary", "user", 2_000)
    heard = said(f"{name}-heard", "assistant", 10)
    start = NodeStart(
        CHAIN,
        recorder.node,
        "summary",
        "/p",
        layout=(layout[0], LayoutEntry(summary.id), LayoutEntry(heard.id), *layout[-kept:]),
        messages=(summary, heard),
    )
    await recorder.begin(start, name)


async def take_back(recorder: Recorder, name: str) -> None:
    """A summary that is undone, one that is expanded, and the expansion undone."""
    live = recorder.live()
    await summarise(recorder, f"{name}u", 10)
    await recorder.step_back(live)
    await summarise(recorder, f"{name}s", 10)
    child, here = recorder.live(), {entry.id for entry in recorder.layout()}
    back = [entry for entry in live.layout if entry.id not in here]
    layout = recorder.layout()
    start = NodeStart(CHAIN, recorder.node, "expand", "/p", layout=(layout[0], *back, *layout[3:]))
    await recorder.begin(start, f"{name}e", known=live)
    await recorder.step_back(child)
    await recorder.begin(start, f"{name}f", known=live)


async def size(folder: Path, database: Database) -> tuple[int, int]:
    """Bytes of the ledgers and of the database."""
    await database.run(lambda db: db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone())
    ledgers = sum(path.stat().st_size for path in (folder / "raw").glob("*.jsonl"))
    return ledgers, (folder / "haima.db").stat().st_size


@pytest.mark.parametrize("live", ["a-tail", "all"])
async def test_fifty_summaries_grow_the_disk_by_the_news(
    folder: Path, database: Database, live: str
) -> None:
    """FIELD 34: a history of a megabyte, fifty times; what is kept is named, never copied.

    In the worst case, where each summary stands for one turn only and a megabyte is kept each time,
    a record is a few dozen bytes for each of the kept messages.
    """
    count = HISTORY // BODY
    with Ledger.open(folder / "raw" / f"{CHAIN}.jsonl") as ledger:
        recorder = await begun(ledger, database)
        await talk(recorder, "first", count // 2, BODY)
        before = await size(folder, database)
        assert before[0] > HISTORY
        kept = 20 if live == "a-tail" else count - 2
        for number in range(ROUNDS):
            await summarise(recorder, f"{number:012}", kept)
            await talk(recorder, f"t{number}", 1)
        after = await size(folder, database)
    # A summary's 2,000 characters, a short turn and what each row has around it; in the database
    # whole pages, and three indices over what is kept.
    for was, now, news, each in zip(before, after, (4_000, 7_000), (20, 160), strict=True):
        record = news + each * kept
        print(f"{live}: {was:,} bytes, then {(now - was) / ROUNDS:,.0f} a summary")
        assert now - was <= ROUNDS * record
        assert record < HISTORY / 20
    loaded = await database.run(lambda db: load_node(db, recorder.node, EN))
    assert loaded.history.messages == recorder.history.messages


async def test_taking_back_grows_the_disk_by_ids_alone(folder: Path, database: Database) -> None:
    """FIELD 34: undo is a row of its own; an expansion names what is back, it copies nothing."""
    count = HISTORY // BODY
    rounds = 10
    with Ledger.open(folder / "raw" / f"{CHAIN}.jsonl") as ledger:
        recorder = await begun(ledger, database)
        await talk(recorder, "first", count // 2, BODY)
        before, was = await size(folder, database), recorder.history.messages
        for number in range(rounds):
            await take_back(recorder, f"{number:011}")
        after = await size(folder, database)
        assert recorder.history.messages == was
    # Two summaries of 2,000 characters a round, and two lists of all ids.
    assert after[0] - before[0] <= rounds * (8_000 + 2 * 20 * count)
    assert after[1] - before[1] <= rounds * (14_000 + 2 * 200 * count)
    loaded = await database.run(lambda db: load_node(db, recorder.node, EN))
    assert loaded.history.messages == was


async def test_a_second_summary_leaves_no_orphan(folder: Path, database: Database) -> None:
    """FIELD 32: a summary, ten turns, a summary: each id once, each parent there, all in order."""
    with Ledger.open(folder / "raw" / f"{CHAIN}.jsonl") as ledger:
        recorder = await begun(ledger, database)
        ids = await talk(recorder, "one", 10)
        await summarise(recorder, "bbbbbbbbbbbb", 4)
        ids += await talk(recorder, "two", 10)
        await summarise(recorder, "cccccccccccc", 6)
        ids += await talk(recorder, "three", 1)
    with closing(sqlite3.connect(folder / "haima.db")) as db:
        messages = [id_ for (id_,) in db.execute("SELECT id FROM messages")]
        parents = dict(db.execute("SELECT id, parent FROM nodes").fetchall())
    assert len(set(messages)) == len(messages) == len(ids) + 5
    assert parents == {
        CHAIN: None,
        "bbbbbbbbbbbb": CHAIN,
        "cccccccccccc": "bbbbbbbbbbbb",
    }
    past = await database.run(lambda db: list(whole_past(db, "cccccccccccc")))
    assert [one.message.id for one in past if isinstance(one, PastMessage)] == ids
    marks = [one for one in past if isinstance(one, PastMark)]
    assert [(one.parent, one.node) for one in marks] == [
        (CHAIN, "bbbbbbbbbbbb"),
        ("bbbbbbbbbbbb", "cccccccccccc"),
    ]
    rows = list(read_rows(folder / "raw" / f"{CHAIN}.jsonl"))
    for node in parents:
        loaded = await database.run(lambda db, node=node: load_node(db, node, EN))  # type: ignore[misc]
        found = rebuild(rows, node, EN)
        assert loaded.history.messages == found.history.messages
        assert (loaded.skipped, found.skipped) == (0, ())
        live = [message.id for message in loaded.history]
        assert len(set(live)) == len(live)
