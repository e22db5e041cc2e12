"""Haima's own sessions: what was said on the way to a node, over all summaries and forks."""

import asyncio
import hashlib
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from app.archive.database import Connection, Database
from app.archive.lineage import system_message, whole_past
from app.archive.nodes import NodeStart
from app.archive.sessions import NodeRecord, list_nodes
from app.conversation.messages import Message
from app.conversation.offloaded import Offloaded
from app.conversation.past import Past, PastMessage
from app.errors import HaimaError
from app.replay.building import Asked, Builder
from app.replay.importers import packed
from app.replay.importers.lines import json_lines
from app.replay.recording import Recording, RecordingError
from app.storage import StorageError
from app.text import Words

_MOVED = ".haima/"
"""Where contents are moved to; a ledger from elsewhere may name any file."""

_NAME = re.compile(r"[\w-]{1,100}")
_LOOKED_AT = 200
"""Rows at the beginning of a ledger among which its first node is."""

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
    """What was said in a ledger's newest session, from a copy of the file.

    The ledgers of the sessions it was forked from are looked for beside it; where one isn't there,
    `Recording.past_missing` names it.

    Raises:
        RecordingError: nothing in it can be played.
        HaimaError: it can't be read.
    """
    with TemporaryDirectory(prefix="haima-replay-") as folder:
        ledgers = Path(folder, "raw")
        name, missing = await asyncio.to_thread(_copied_with_past, path, ledgers)
        database = await Database.open(Path(folder, "haima.db"), ledgers)
        try:
            await database.catch_up()

            def read(connection: Connection) -> Recording:
                nodes = list_nodes(connection, None, deleted=True)
                nodes = nodes or list_nodes(connection, None, deleted=True, agents=True)
                own = [node for node in nodes if node.ledger == name]
                if not own:
                    raise RecordingError("replay.nothing", source=path.name, n=0)
                recording = session_recording(connection, own[0], words)
                return replace(recording, past_missing=missing)

            return await database.run(read)
        finally:
            await database.close()


def _copied_with_past(path: Path, folder: Path) -> tuple[str, str]:
    """A ledger in a folder of its own, with those of the sessions it was forked from.

    Returns:
        Its name there; and that of the first one that can't be had, "" where none is missing.

    Raises:
        RecordingError: it can't be unpacked.
        StorageError: it can't be read.
    """
    start = _start(path)
    name = first = _plain(start and start[0]) or Path(packed.unpacked_name(path)).stem
    _copied(path, folder, name)
    copied = {name}
    while start is not None and start[1].relation == "fork":
        wanted = _parent_ledgers(start[1])
        if not copied.isdisjoint(wanted):
            break
        found = next((one for name in wanted if (one := _beside(path, name)) is not None), None)
        if found is None:
            return first, next(iter(wanted), "")
        name = Path(packed.unpacked_name(found)).stem
        try:
            _copied(found, folder, name)
        except HaimaError:  # damaged: what was asked for can be played without it
            (folder / f"{name}.jsonl").unlink(missing_ok=True)
            return first, name
        copied.add(name)
        start = _start(found)
    return first, ""


def _start(path: Path) -> tuple[str, NodeStart] | None:
    """The first node of a ledger; None where its beginning can't be read.

    Raises:
        RecordingError: it can't be unpacked.
        StorageError: it can't be read.
    """
    try:
        for value in islice(json_lines(path), _LOOKED_AT):
            if value is not None and value.get("kind") == "node":
                data = value.get("data")
                return str(value.get("node")), NodeStart.from_data(
                    data if isinstance(data, dict) else {}
                )
    except OSError as error:
        raise StorageError.from_os(path, error) from error
    return None


def _parent_ledgers(start: NodeStart) -> tuple[str, ...]:
    """The ledger a fork was made of; of an older one, those it may have been made of."""
    names = (start.parent, start.chain) if start.after is None else (start.after.ledger,)
    return tuple(dict.fromkeys(name for one in names if (name := _plain(one))))


def _plain(name: str | None) -> str:
    """The name of a ledger, if it is one: a file from elsewhere may hold anything."""
    return name if name and _NAME.fullmatch(name) else ""


def _beside(path: Path, name: str) -> Path | None:
    """Another ledger in the same folder, packed or not."""
    places = (path.with_name(f"{name}{end}") for end in (".jsonl", ".jsonl.gz"))
    return next((one for one in places if one.is_file()), None)


def _copied(path: Path, folder: Path, name: str) -> None:
    """A ledger, unpacked, named as the archive looks for it.

    Raises:
        RecordingError: it can't be unpacked.
        StorageError: it can't be read.
    """
    try:
        folder.mkdir(exist_ok=True)
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
