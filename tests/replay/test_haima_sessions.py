"""Haima's own sessions: what was said over summaries, and contents that went to files."""

import asyncio
import hashlib
from pathlib import Path

import pytest

from app.archive.database import Connection, Database
from app.archive.ledger import Ledger
from app.archive.nodes import LayoutEntry, NodeStart
from app.archive.recorder import Recorder
from app.archive.sessions import find_node
from app.conversation.history import History
from app.conversation.messages import Message, SummaryPart, TextPart, ToolCall, result_of
from app.conversation.offloaded import Offloaded
from app.conversation.outcome import ToolOutcome
from app.replay.importers import is_ledger
from app.replay.importers.haima import ledger_recording, session_recording
from app.replay.recording import Recording
from tests.replay.recordings import WORDS

CHAIN, CHILD = "aaaa00000001", "bbbb00000001"
WHOLE = "".join(f"line {number} of the log\n" for number in range(900))
SYSTEM = Message("s1", "system", (TextPart("You work here."),))


async def write(folder: Path, project: Path, file: str) -> Path:
    """A session with an offloaded and a failed result, then a summary, then some more."""
    path = folder / f"{CHAIN}.jsonl"
    with Ledger.open(path) as ledger:
        recorder = Recorder(History(), ledger, CHAIN)
        start = NodeStart(CHAIN, project=str(project), model="m-1", messages=(SYSTEM,))
        await recorder.begin(
            NodeStart(
                CHAIN,
                project=start.project,
                model=start.model,
                layout=(LayoutEntry("s1"),),
                messages=start.messages,
            )
        )
        await recorder.append(Message("u1", "user", (TextPart("Read the log. Never delete it."),)))
        first, second = ToolCall("c1", "execute_command", "{}"), ToolCall("c2", "read_file", "{}")
        await recorder.append(Message("a1", "assistant", calls=(first, second)))
        raw = WHOLE.encode()
        moved = Offloaded(file, len(raw), len(WHOLE), 900, hashlib.sha256(raw).hexdigest())
        note = result_of(first, "t1", "[a note]")
        good, bad = ToolOutcome(True, 0.1, len(WHOLE)), ToolOutcome(False, 0.1, 3)
        await recorder.append(note, outcome=good, file=moved)
        await recorder.append(result_of(second, "t2", "no."), outcome=bad)
        await recorder.append(Message("a2", "assistant", (TextPart("Read."),)))
        summary = Message("x1", "user", (SummaryPart("It was read."),))
        said = Message("x2", "assistant", (TextPart("I go on."),))
        await recorder.begin(
            NodeStart(
                CHAIN,
                parent=CHAIN,
                relation="summary",
                project=str(project),
                layout=tuple(map(LayoutEntry, ("s1", "x1", "x2"))),
                messages=(summary, said),
            ),
            CHILD,
        )
        await recorder.append(Message("u2", "user", (TextPart("And now?"),)))
        await recorder.append(Message("a3", "assistant", (TextPart("Nothing."),)))
    return path


def recorded(folder: Path, project: Path, file: str) -> tuple[Recording, Recording]:
    """The same session by its id and by its ledger."""

    def by_prefix(connection: Connection) -> Recording:
        return session_recording(connection, find_node(connection, "bbbb"), WORDS)

    async def read() -> tuple[Recording, Recording]:
        path = await write(folder, project, file)
        copy = folder.with_name(f"{path.name}.kept")
        copy.write_bytes(path.read_bytes())
        assert is_ledger(copy)
        database = await Database.open(folder.parent / "haima.db", folder)
        try:
            await database.catch_up()
            by_id = await database.run(by_prefix)
        finally:
            await database.close()
        return by_id, await ledger_recording(copy, WORDS)

    folder.mkdir(parents=True)
    return asyncio.run(read())


def test_it_holds_what_was_said_over_the_summary(tmp_path: Path) -> None:
    project, file = tmp_path / "p", f".haima/tool-outputs/{CHAIN}/001-execute_command.txt"
    (project / file).parent.mkdir(parents=True)
    (project / file).write_text(WHOLE, encoding="utf-8")
    by_id, by_ledger = recorded(tmp_path / "raw", project, file)
    assert (by_id.source, by_id.format, by_id.root) == (CHILD, "haima", str(project))
    assert [message.role for message in by_id.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
        "user",
        "assistant",
    ]
    assert by_id.messages[3].text == WHOLE, "the file's content stands in the place of the note"
    assert [entry.ok for entry in by_id.entries[3:5]] == [True, False]
    assert by_id.entries[1].spoken
    assert [one.text for one in by_id.messages[5:]] == ["Read.", "And now?", "Nothing."]
    assert by_ledger.messages == by_id.messages
    assert all(entry.at for entry in by_id.entries[1:])


def test_only_haimas_own_files_are_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(WHOLE, encoding="utf-8")
    project = tmp_path / "p"
    (project / ".haima").mkdir(parents=True)
    for number, file in enumerate(("../secret.txt", ".haima/../../secret.txt", str(secret))):
        by_id, _ = recorded(tmp_path / f"h{number}" / "raw", project, file)
        assert by_id.messages[3].text == "[a note]"


@pytest.mark.parametrize("content", ["another", WHOLE.replace("log", "LOG")])
def test_a_file_that_is_gone_or_changed_leaves_the_note(content: str, tmp_path: Path) -> None:
    project, file = tmp_path / "p", ".haima/tool-outputs/x/001-a.txt"
    by_id, _ = recorded(tmp_path / "a" / "raw", project, file)
    assert by_id.messages[3].text == "[a note]"
    (project / file).parent.mkdir(parents=True)
    (project / file).write_text(content, encoding="utf-8")
    by_id, _ = recorded(tmp_path / "b" / "raw", project, file)
    assert by_id.messages[3].text == "[a note]"
