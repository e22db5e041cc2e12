"""Haima's own sessions: what was said on the way to a node, over all summaries and forks."""

import asyncio
import hashlib
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from app.archive.database import Connection, Database
from app.archive.lineage import system_message, whole_past
from app.archive.sessions import NodeRecord, list_nodes
from app.conversation.messages import Message
from app.conversation.offloaded import Offloaded
from app.conversation.past import Past, PastMessage
from app.replay.building import Asked, Builder
from app.replay.importers import packed
from app.replay.recording import Recording, RecordingError
from app.storage import StorageError
from app.text import Words

_MOVED = ".haima/"
"""Where contents are moved to; a ledger from elsewhere may name any file."""

Contents = Callable[[Offloaded], str | None]
"""Gives the content that a result's note stands for; None where its file is gone."""


def session_recording(connection: Connection, node: NodeRecord, words: Words) -> Recording:
    """What was said on the way to a node.

    Contents that went to files are read from them, as long as they are there.

    Args:
        connection: of the archive; this runs in its thread.
        node: which.
        words: the language of notes in the place of missing results.

    Raises:
        RecordingError: nothing in it can be played.
    """
    builder = Builder("haima", node.id, words)
    builder.title, builder.model, builder.root = node.title, node.model, node.project
    system = system_message(connection, node.id)
    _say(whole_past(connection, node.id), system, _files_of(Path(node.project)), builder)
    return builder.finish()


async def ledger_recording(path: Path, words: Words) -> Recording:
    """What was said in a ledger's newest session, from a copy of the file alone.

    Raises:
        RecordingError: nothing in it can be played.
        HaimaError: it can't be read.
    """
    with TemporaryDirectory(prefix="haima-replay-") as folder:
        ledgers = Path(folder, "raw")
        await asyncio.to_thread(_copied, path, ledgers)
        database = await Database.open(Path(folder, "haima.db"), ledgers)
        try:
            await database.catch_up()

            def read(connection: Connection) -> Recording:
                nodes = list_nodes(connection, None, deleted=True)
                nodes = nodes or list_nodes(connection, None, deleted=True, agents=True)
                if not nodes:
                    raise RecordingError("replay.nothing", source=path.name, n=0)
                return session_recording(connection, nodes[0], words)

            return await database.run(read)
        finally:
            await database.close()


def _copied(path: Path, folder: Path) -> None:
    """A ledger alone in a folder of its own, unpacked, named as the archive looks for it.

    Raises:
        RecordingError: it can't be unpacked.
        StorageError: it can't be read.
    """
    try:
        folder.mkdir()
        name = Path(packed.unpacked_name(path)).stem
        with packed.opened(path) as file, (folder / f"{name}.jsonl").open("wb") as copy:
            shutil.copyfileobj(file, copy)
    except OSError as error:
        raise StorageError.from_os(path, error) from error


def _say(past: Iterable[Past], system: Message | None, contents: Contents, into: Builder) -> None:
    if system is not None:
        into.system(system.text)
    for item in past:
        if not isinstance(item, PastMessage) or item.message.discarded:
            continue
        message = item.message
        match message.role:
            case "user" if message.text.strip():
                into.user(message.text, item.at, spoken=True)
            case "assistant":
                calls = [Asked(call.id, call.name, call.arguments) for call in message.calls]
                into.assistant(message.text, calls, item.at, key=message.id)
            case "tool":
                file = item.file
                whole = None if file is None else contents(file)
                ok = item.outcome is None or item.outcome.ok
                into.result(message.call_id or "", whole or message.text, item.at, ok=ok)
            case _:
                into.skip("empty")


def _files_of(root: Path) -> Contents:
    """Reads the files below a project's folder that still are as they were written."""

    def read(file: Offloaded) -> str | None:
        if not file.path.startswith(_MOVED) or ".." in file.path.split("/"):
            return None
        try:
            raw = (root / file.path).read_bytes()
        except (OSError, ValueError):
            return None
        same = hashlib.sha256(raw).hexdigest() == file.sha256
        return raw.decode("utf-8", "replace") if same else None

    return read
