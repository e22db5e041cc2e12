"""`haima memory`: what is remembered is listed, searched, changed, decided, written out and in."""

import asyncio
import sys
from argparse import Namespace
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.boundary import visible
from app.cli.codes import CONFLICT, OK
from app.cli.memory_desk import MemoryDesk
from app.cli.memory_inbox import inbox
from app.cli.memory_list import by_need, pending_record, record
from app.cli.memory_options import text_of
from app.cli.place import Place, prepare
from app.errors import HaimaError
from app.memory.fact_import import import_facts
from app.memory.fact_outcomes import Conflict, Deleted, NotFound, Outcome, Verified
from app.memory.memories import FactNotFound, find_among
from app.session.fact_said import disproved
from app.storage import StorageError

if TYPE_CHECKING:
    from app.cli.console import Console
    from app.memory.facts import Fact, FactScope, FactState

_SHOWN = 50
"""Hits that a search shows."""


class NoSuchFile(HaimaError):  # noqa: N818
    """There is no file to take memories from."""

    code = "not_found"

    def __init__(self, path: Path) -> None:
        super().__init__("memory_list.no_file", path=visible(str(path)))


def memory(console: "Console", place: Place, options: Namespace) -> int:
    """Runs one of the commands; its exit code.

    Raises:
        FactNotFound, FactAmbiguous: there is no such memory, or more than one.
        HaimaError: it can't be done.
    """
    launch = prepare(console, place)
    return asyncio.run(_run(MemoryDesk(console, launch, options)))


async def _run(desk: MemoryDesk) -> int:
    """Does what was asked for; what is wrong with the file is told on stderr."""
    actions: Mapping[str, Callable[[MemoryDesk], Awaitable[int]]] = {
        "list": _list,
        "search": _search,
        "add": _add,
        "verify": _verify,
        "replace": _replace,
        "delete": _delete,
        "restore": _restore,
        "clear": _clear,
        "export": _export,
        "import": _import,
        "inbox": inbox,
    }
    try:
        await desk.memories.refresh()
        return await actions[desk.options.action](desk)
    finally:
        for report in desk.memories.take_reports():
            desk.console.say(report.sentence(desk.words))
        await desk.memories.close()


async def _list(desk: MemoryDesk) -> int:
    every, words = desk.options.all, desk.words
    known = await desk.memories.known(desk.memories.visible(every=every))
    if desk.options.json:
        desk.console.print_records(map(record, known))
        return OK
    waiting = await desk.waiting(every=every)
    hint = words("memory_list.inbox_hint", n=len(waiting)) if waiting else ""
    if known:
        desk.console.print(desk.table.text(by_need(known), hint))
    else:
        project = desk.launch.project.root
        none = words("memory_list.none" if every else "memory_list.none_here", project=project)
        desk.console.print("\n".join(filter(None, (none, hint))) + "\n")
    return OK


async def _search(desk: MemoryDesk) -> int:
    words = desk.words
    found = await desk.memories.search(text_of(desk.options), _SHOWN)
    known = await desk.memories.known(found.facts)
    if desk.options.json:
        desk.console.print_records(map(record, known))
    elif known:
        more = words("memory_list.more", n=found.more) if found.more else ""
        others = words("memory_list.others", n=found.unmatched) if found.unmatched else ""
        desk.console.print(desk.table.text(known, more, others))
    else:
        desk.console.print(words("memory_list.nothing_found") + "\n")
    return OK


async def _add(desk: MemoryDesk) -> int:
    draft = desk.draft(text_of(desk.options), "global" if desk.options.global_ else "project")
    store = desk.memories.store
    outcome = await (store.keep_both(draft) if desk.options.force else store.save(draft))
    if isinstance(outcome, Conflict):
        return await desk.to_inbox(draft, outcome)
    return await desk.changed(await desk.memories.with_near(outcome))


async def _verify(desk: MemoryDesk) -> int:
    ids = [desk.memories.find(name).id for name in desk.options.ids]
    outcome = await desk.memories.store.verify(ids)
    code = await desk.changed(outcome)
    if isinstance(outcome, Verified):
        known = await desk.memories.known(outcome.facts)
        if (said := disproved(known, desk.words)) is not None:
            desk.console.say(said.sentence)
    return code


async def _replace(desk: MemoryDesk) -> int:
    old = desk.memories.find(desk.options.id)
    draft = desk.draft(text_of(desk.options), old.scope)
    store = desk.memories.store
    outcome = await store.replace(draft, old.id)
    if isinstance(outcome, Conflict) and desk.options.force:
        keep = [clash.fact.id for clash in outcome.existing]
        outcome = await store.replace(draft, old.id, keep=keep)
    if isinstance(outcome, Conflict):
        return await desk.to_inbox(draft, outcome, old)
    return await desk.changed(outcome)


async def _delete(desk: MemoryDesk) -> int:
    if desk.options.everywhere:
        return await _delete_everywhere(desk)
    facts = [desk.memories.find(name) for name in desk.options.ids]
    states = await _states(desk, facts)
    return await desk.changed(await desk.memories.store.delete([f.id for f in facts]), states)


async def _delete_everywhere(desk: MemoryDesk) -> int:
    """Also what is deleted already: then its history goes."""
    seen = (*desk.memories.visible(), *await desk.gone())
    facts = [find_among(seen, name) for name in desk.options.ids]
    states = await _states(desk, facts)
    outcome = await desk.memories.delete_everywhere([fact.id for fact in facts])
    if isinstance(outcome, NotFound):
        outcome = Deleted(tuple(facts), "")
    elif isinstance(outcome, Deleted):
        outcome = Deleted(tuple(facts), "", (), outcome.remains)
    code = await desk.changed(outcome, states)
    if code == OK:
        desk.console.say(desk.words("memory_list.conversations"))
    return code


async def _restore(desk: MemoryDesk) -> int:
    """Facts by their ids, or all of a change by that of the change."""
    store = desk.memories.store
    code = OK
    for name in desk.options.ids:
        outcome: Outcome = NotFound((name,))
        if desk.is_change(name):
            outcome = await store.undo(name)
        if isinstance(outcome, NotFound):
            outcome = await store.restore(await _gone_or_there(desk, name))
        code = await desk.changed(outcome) or code
    return code


async def _gone_or_there(desk: MemoryDesk, name: str) -> str:
    """The id of the fact to bring back; of one that is there still, so that this is said."""
    try:
        return find_among(await desk.gone(), name).id
    except FactNotFound:
        return desk.memories.find(name).id


async def _clear(desk: MemoryDesk) -> int:
    scope = desk.options.scope
    facts = [fact for fact in desk.memories.visible() if scope in {None, fact.scope}]
    states = await _states(desk, facts)
    outcome = await desk.memories.store.clear(scope)
    if isinstance(outcome, NotFound):
        if not desk.options.json:
            project = desk.launch.project.root
            desk.console.print(desk.words("memory_list.none_here", project=project) + "\n")
        return OK
    return await desk.changed(outcome, states)


async def _export(desk: MemoryDesk) -> int:
    store = desk.memories.store
    ids = None if desk.options.all else {fact.id for fact in desk.memories.visible()}
    desk.console.write(await asyncio.to_thread(store.exported, ids))
    return OK


async def _import(desk: MemoryDesk) -> int:
    raw = await asyncio.to_thread(_content, desk)
    scope: FactScope | None = "global" if desk.options.global_ else None
    done = await import_facts(desk.memories, raw, scope)
    counts = desk.words(
        "memory_list.imported",
        stored=len(done.stored),
        duplicates=len(done.known),
        conflicts=len(done.waiting),
        skipped=done.skipped + done.elsewhere,
    )
    if desk.options.json:
        desk.console.say(counts)
        await desk.memories.refresh()
        desk.console.print_records(map(record, await desk.memories.known(done.stored)))
        desk.console.print_records(map(pending_record, done.waiting))
    else:
        desk.console.print(f"{counts}\n")
    if done.failure is not None:
        return await desk.changed(done.failure)
    return CONFLICT if done.waiting else OK


def _content(desk: MemoryDesk) -> bytes:
    """The file's bytes, or those of standard input.

    Raises:
        NoSuchFile: there is none.
        StorageError: it can't be read.
    """
    name = desk.options.file
    path = Path(name).expanduser()
    try:
        return sys.stdin.buffer.read() if name == "-" else path.read_bytes()
    except FileNotFoundError as error:
        raise NoSuchFile(path) from error
    except OSError as error:
        raise StorageError.from_os(path, error) from error


async def _states(desk: MemoryDesk, facts: "Sequence[Fact]") -> "dict[str, FactState]":
    return {one.fact.id: one.state for one in await desk.memories.known(facts)}
