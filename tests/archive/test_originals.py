"""Originals, and what was held back: the same from the database and from the ledger."""

from pathlib import Path

from app.archive.database import Database
from app.archive.ledger import Ledger
from app.archive.nodes import NodeStart
from app.archive.originals import HeldBack, Original, find_original, held_back, original_in
from app.archive.recorder import Recorder
from app.archive.rows import read_rows
from app.conversation.history import History
from app.conversation.messages import Message, TextPart, ToolCall
from app.conversation.offloaded import Offloaded
from app.conversation.outcome import ToolOutcome
from tests.archive.recording import NODE, result, user

FILE = Offloaded(f".haima/tool-outputs/{NODE}/001-read_file.txt", 40_000, 39_000, 7, "00ff")
STEP = Message(
    "a1",
    "assistant",
    calls=tuple(ToolCall(f"c{n}", "read_file", f'{{"path":"{n}"}}') for n in (1, 2, 3)),
)


async def talk(path: Path, database: Database) -> Recorder:
    """Three results: one in a file at once, one later, one cleared."""
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, NODE, projection=database)
        await recorder.begin(NodeStart(chain=NODE, project="/p"))
        await recorder.append(user("u1"))
        await recorder.append(STEP)
        await recorder.append(result("t1", "c1", "the note"), file=FILE)
        outcome = ToolOutcome(ok=True, seconds=0.1, characters=4)
        await recorder.append(result("t2", "c2", "long"), raw=b"long", outcome=outcome)
        await recorder.append(result("t3", "c3", "three"))
        await recorder.replace("t2", (TextPart("note"),), state="offloaded", file=FILE)
        await recorder.replace("t3", (TextPart("pointer"),), state="cleared")
        return recorder


async def test_the_database_and_the_ledger_say_the_same(tmp_path: Path) -> None:
    path = tmp_path / f"{NODE}.jsonl"
    database = await Database.open(tmp_path / "haima.db", tmp_path)
    await talk(path, database)
    at = {row.data["message"]["id"]: row.at for row in read_rows(path) if row.kind == "message"}  # type: ignore[index]
    expected = {
        "t1": Original(result("t1", "c1", "the note"), None, FILE, at["t1"]),
        "t2": Original(result("t2", "c2", "long"), b"long", FILE, at["t2"]),
        "t3": Original(result("t3", "c3", "three"), None, None, at["t3"]),
        "u1": Original(user("u1"), None, None, at["u1"]),
        "c2": Original(result("t2", "c2", "long"), b"long", FILE, at["t2"]),
        "none": None,
    }
    for ref, original in expected.items():
        found = await database.run(lambda one, ref=ref: find_original(one, NODE, ref))  # type: ignore[misc]
        assert found == original, ref
        assert original_in(read_rows(path), ref) == original, ref
    assert await database.run(lambda one: find_original(one, "another", "t1")) is None
    await database.close()


async def test_what_was_held_back_newest_first(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "haima.db", tmp_path)
    await talk(tmp_path / f"{NODE}.jsonl", database)
    moved = await database.run(lambda one: held_back(one, NODE, "offloaded"))
    assert [one.id for one in moved] == ["t2", "t1"]
    assert moved[0] == HeldBack("t2", "c2", "read_file", '{"path":"2"}', 39_000, moved[0].at, FILE)
    (cleared,) = await database.run(lambda one: held_back(one, NODE, "cleared"))
    assert cleared == HeldBack("t3", "c3", "read_file", '{"path":"3"}', 5, cleared.at, None)
    await database.close()


async def test_what_went_to_a_file_stays_in_that_list_when_its_note_is_cleared_or_cut(
    tmp_path: Path,
) -> None:
    database = await Database.open(tmp_path / "haima.db", tmp_path)
    with Ledger.open(tmp_path / f"{NODE}.jsonl") as ledger:
        recorder = Recorder(History(), ledger, NODE, projection=database)
        await recorder.begin(NodeStart(chain=NODE, project="/p"))
        await recorder.append(user("u1"))
        await recorder.append(STEP)
        for number in (1, 2, 3):  # the first at once, the second later, the third not at all
            file = FILE if number == 1 else None
            await recorder.append(result(f"t{number}", f"c{number}", "long"), file=file)
        await recorder.replace("t2", (TextPart("note"),), state="offloaded", file=FILE)

        async def listed() -> tuple[list[str], list[str]]:
            moved = await database.run(lambda one: held_back(one, NODE, "offloaded"))
            cleared = await database.run(lambda one: held_back(one, NODE, "cleared"))
            assert all(one.file == FILE for one in moved)
            assert all(one.file == (FILE if one.id != "t3" else None) for one in cleared)
            return [one.id for one in moved], [one.id for one in cleared]

        assert await listed() == (["t2", "t1"], [])
        for key in ("t1", "t2", "t3"):
            await recorder.replace(key, (TextPart("pointer"),), state="cleared")
        assert await listed() == (["t2", "t1"], ["t3", "t2", "t1"])
        await recorder.replace("t3", (TextPart("long"),), state="live")
        await recorder.replace("t2", (TextPart("note"),), state="offloaded")
        await recorder.replace("t1", (TextPart("cut"),), state="cut")
        assert await listed() == (["t2", "t1"], [])
    await database.close()
