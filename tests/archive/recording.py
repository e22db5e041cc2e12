"""Messages for tests of the write path, and what its ledger comes to."""

from collections.abc import Iterable
from pathlib import Path

from app.archive.rebuild import Rebuilt, rebuild
from app.archive.recorder import Recorder
from app.archive.rows import Row, read_rows
from app.archive.stands import Stands
from app.archive.stepping import LiveNode
from app.conversation.history import History
from app.conversation.messages import Message, TextPart, ToolCall
from app.text import Words

NODE = "7f3a9c01d2e4"
EN = Words("en")


def user(message_id: str, text: str = "hello") -> Message:
    return Message(message_id, "user", (TextPart(text),))


def step(message_id: str, *calls: str) -> Message:
    return Message(
        message_id, "assistant", calls=tuple(ToolCall(c, "read_file", "{}") for c in calls)
    )


def result(message_id: str, call: str, text: str = "done") -> Message:
    return Message(message_id, "tool", (TextPart(text),), call_id=call, tool="read_file")


def rows(path: Path) -> list[Row]:
    return list(read_rows(path))


def rebuilt(path: Path, node: str = NODE) -> Rebuilt:
    return rebuild(read_rows(path), node, EN)


def same(history: History, other: History) -> bool:
    return history.messages == other.messages and history.recovery == other.recovery


def left_at(rows: Iterable[Row], node: str) -> LiveNode:
    """A node as its rows have it, where the recorder's own isn't to be had any more."""
    found = rebuild(rows, node, EN)
    return LiveNode(node, found.history, Stands(found.standings, found.files))


def looks(recorder: Recorder) -> tuple[object, ...]:
    """All that a way back must bring back."""
    return (
        recorder.node,
        recorder.history.messages,
        recorder.history.recovery,
        recorder.layout(),
        dict(recorder.files),
        recorder.paused,
    )


def agrees(recorder: Recorder, *paths: Path) -> Rebuilt:
    """What the ledgers come to; it must be what the recorder has, nothing lost or passed over."""
    found = rebuild(
        (row for path in paths for row in read_rows(path)),
        recorder.node,
        EN,
        recorder.conversation,
    )
    assert same(found.history, recorder.history)
    assert found.standings == recorder.standings
    assert found.files == recorder.files
    assert found.paused == recorder.paused
    assert (found.skipped, found.lost) == ((), ())
    return found


def content(path: Path) -> bytes:
    """The bytes of a ledger."""
    return path.read_bytes()


def spoil(path: Path, line: int) -> None:
    """Makes one line of a ledger unreadable."""
    lines = path.read_bytes().splitlines(keepends=True)
    lines[line] = b"\xff garbage\n"
    path.write_bytes(b"".join(lines))
