"""`haima memory inbox`: texts that contradict memories, and the user's decision about each."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from app.boundary import one_line
from app.cli.codes import OK
from app.cli.memory_list import pending_record
from app.cli.memory_options import decisions
from app.cli.table import fit
from app.errors import HaimaError
from app.memory.chosen import write_chosen
from app.memory.fact_outcomes import Conflict, Kept, Outcome
from app.text.ages import age

if TYPE_CHECKING:
    from app.cli.memory_desk import MemoryDesk
    from app.memory.facts import Fact
    from app.memory.inbox import Pending

_NUMBER = re.compile("[0-9]{1,3}")
"""A place in the list and nothing else: where the list has become shorter, it isn't an id."""
_PREFIX = "ask-"


class PendingNotFound(HaimaError):  # noqa: N818
    """No conflict with that number or id waits."""

    code = "not_found"


class PendingAmbiguous(HaimaError):  # noqa: N818
    """The ids of several begin like this."""

    code = "ambiguous"


async def inbox(desk: "MemoryDesk") -> int:
    """Lists what waits, or decides one; the exit code.

    Raises:
        PendingNotFound, PendingAmbiguous: nothing like that waits, or more than one does.
        StorageError: the inbox can't be read or written.
    """
    waiting = await desk.waiting()
    chosen = decisions(desk.options)
    if chosen:
        decision, name = chosen[0]
        return await _decide(desk, _find(waiting, name), decision)
    if desk.options.json:
        desk.console.print_records(map(pending_record, waiting))
    elif waiting:
        lines = (*_lines(desk, waiting), desk.words("memory_list.inbox_how"))
        desk.console.print("\n".join(lines) + "\n")
    else:
        desk.console.print(desk.words("memory_list.inbox_empty") + "\n")
    return OK


def _find(waiting: "Sequence[Pending]", name: str) -> "Pending":
    """By its number in the list, or by the beginning of its id."""
    if _NUMBER.fullmatch(name):
        if 1 <= int(name) <= len(waiting):
            return waiting[int(name) - 1]
        raise PendingNotFound("memory_list.inbox_unknown", id=name)
    found = [one for one in waiting if one.id == name]
    found = found or [one for one in waiting if one.id.startswith((name, _PREFIX + name))]
    if not found:
        raise PendingNotFound("memory_list.inbox_unknown", id=name)
    if len(found) > 1:
        ids = ", ".join(one.id for one in found)
        raise PendingAmbiguous("memory_list.inbox_several", id=name, ids=ids)
    return found[0]


async def _decide(desk: "MemoryDesk", pending: "Pending", decision: str) -> int:
    """Does it first, then takes it out of the inbox: a crash in between loses nothing."""
    there = _existing(desk, pending)
    ids = [fact.id for fact in there]
    outcome: Outcome
    if decision == "keep_existing":
        outcome = Kept(pending.draft.content, there[0])
    else:
        outcome = await write_chosen(
            desk.memories.store,
            pending.draft,
            replaced=ids if decision == "replace" else (),
            kept=ids if decision == "keep_both" else (),
        )
    if isinstance(outcome, Conflict):  # with facts that came since: it goes on waiting, with them
        return await desk.to_inbox(pending.draft, outcome, *there)
    code = await desk.changed(outcome)
    if code == OK:
        await desk.memories.inbox.take(pending.id)
    return code


def _existing(desk: "MemoryDesk", pending: "Pending") -> "list[Fact]":
    """What it contradicts, the oldest first; the inbox lists nothing that contradicts nothing."""
    found = (desk.memories.store.get(name) for name in pending.existing)
    return [fact for fact in found if fact]


def _lines(desk: "MemoryDesk", waiting: "Sequence[Pending]") -> Iterator[str]:
    """A heading each, the new text, and what it contradicts below."""
    words, width, ascii_only = desk.words, desk.console.columns, desk.console.ascii_only
    new, old = words("memory_list.inbox_new"), words("memory_list.inbox_existing")
    column = max(cell_len(new), cell_len(old))

    def line(mark: str, *texts: str) -> str:
        room = " " * (column - cell_len(mark))
        parts = (f"   {mark}{room}", *map(one_line, texts))
        return fit("  ".join(parts), width, ascii_only=ascii_only)

    for number, pending in enumerate(waiting, 1):
        scope = words(
            "memory_list.project" if pending.draft.scope == "project" else "memory_list.global"
        )
        when = age(pending.at.isoformat(), desk.now, words)
        yield fit("  ".join((f"{number}", pending.id, scope, when)), width, ascii_only=ascii_only)
        yield line(new, pending.draft.content)
        for fact in _existing(desk, pending):
            yield line(old, fact.id, fact.content)
        yield ""
