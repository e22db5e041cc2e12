"""Conflicts that nobody could answer: they wait here until the user decides.

One small file for all projects, `inbox.json`, that several processes change: lock, read again,
change, write as a whole. What it holds is compared with the facts each time it is listed, so what
settled itself is no longer shown.
"""

import json
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar

from app.memory.canonical import canonical, is_same_form
from app.memory.fact_disk import Stamp, read, set_aside
from app.memory.fact_keeper import lock_of
from app.memory.facts import (
    AUTHORS,
    Draft,
    Fact,
    FactScope,
    Provenance,
    instant,
    project_key,
    read_instant,
)
from app.ports import Clock
from app.storage import write_atomic
from app.storage.off_loop import to_the_end
from app.storage.shared_lock import SharedLock

LOCK_TIMEOUT = 10.0
"""Seconds a change waits for the lock."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pending:
    """A conflict that waits for the user.

    Attributes:
        id: its own.
        draft: what was to be saved.
        existing: ids of the facts it contradicts; those that took their places, where some were
            replaced meanwhile.
        at: when it came in, UTC.
    """

    id: str
    draft: Draft
    existing: tuple[str, ...]
    at: datetime


class Facts(Protocol):
    """What is asked of the store (`fact_store.FactStore`)."""

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All facts as last read."""

    async def successors(self, ids: Collection[str]) -> Mapping[str, str]:
        """The facts that took the places of these."""


_Row: TypeAlias = Pending | object
"""What stands in the file: a conflict, or something of a newer Haima, which is kept."""


class Inbox:
    """The conflicts that wait, of every project.

    Attributes:
        path: the file.
        version: grows with every change of its content, whoever made it.
    """

    def __init__(
        self, path: Path, facts: Facts, clock: Clock, *, lock_timeout: float = LOCK_TIMEOUT
    ) -> None:
        self.path = path
        self.version = 0
        self._facts = facts
        self._clock = clock
        self._lock_timeout = lock_timeout
        self._rows: tuple[_Row, ...] = ()
        self._raw: bytes | None = None
        self._stamp = Stamp((0, 0, 0, 0), 0)
        self._broken = False

    async def refresh(self) -> bool:
        """Reads the file if it may have changed; whether it did.

        Raises:
            StorageError: it can't be read.
        """
        version = self.version
        await to_the_end(self._refresh)
        return self.version != version

    async def add(self, draft: Draft, existing: Sequence[str]) -> Pending:
        """Puts a conflict in; one with that text for that scope that waits already stays one.

        Args:
            draft: what was to be saved.
            existing: ids of the facts it contradicts.

        Returns:
            It, as it waits now.

        Raises:
            StorageError: it can't be written.
        """
        return (await self.add_all([(draft, existing)]))[0]

    async def add_all(
        self, conflicts: Sequence[tuple[Draft, Sequence[str]]]
    ) -> tuple[Pending, ...]:
        """As `add` for several, with one write: all or none."""
        now = self._clock.now()
        new = [
            Pending(f"ask-{secrets.token_hex(4)}", _placed(draft), tuple(dict.fromkeys(ids)), now)
            for draft, ids in conflicts
        ]

        def add(rows: tuple[_Row, ...]) -> tuple[tuple[_Row, ...], tuple[Pending, ...]]:
            left = list(rows)
            waiting: list[Pending] = []
            for one in new:
                for place, row in enumerate(left):
                    if isinstance(row, Pending) and _is_same(row.draft, one.draft):
                        both = tuple(dict.fromkeys((*row.existing, *one.existing)))
                        left[place] = merged = replace(row, existing=both)
                        waiting.append(merged)
                        break
                else:
                    left.append(one)
                    waiting.append(one)
            return tuple(left), tuple(waiting)

        return await to_the_end(lambda: self._change(add))

    async def waiting(self, project: str | None) -> tuple[Pending, ...]:
        """What waits, the oldest first.

        Left out is what settled itself: its text is stored meanwhile, or every fact it contradicts
        is gone with none in its place.

        Args:
            project: a project's key: its own and the global ones; None: every project's.

        Raises:
            StorageError: the file can't be read.
        """
        await self.refresh()
        rows = self._rows
        mine = [row for row in rows if isinstance(row, Pending) and _is_of(row.draft, project)]
        if not mine:
            return ()
        facts = self._facts.facts
        there = {fact.id for fact in facts}
        missing = {one for row in mine for one in row.existing if one not in there}
        heirs = await self._facts.successors(missing) if missing else {}
        return await to_the_end(lambda: unsettled(mine, facts, heirs))

    async def take(self, pending_id: str) -> Pending | None:
        """Takes one out; None: it isn't there any more.

        Raises:
            StorageError: it can't be written.
        """

        def take(rows: tuple[_Row, ...]) -> tuple[tuple[_Row, ...], Pending | None]:
            for place, row in enumerate(rows):
                if isinstance(row, Pending) and row.id == pending_id:
                    return (*rows[:place], *rows[place + 1 :]), row
            return rows, None

        return await to_the_end(lambda: self._change(take))

    async def purge(self, ids: Collection[str], contents: Iterable[str]) -> None:
        """Takes out whatever is about these facts only, or says what they said.

        Raises:
            StorageError: it can't be written.
        """
        gone, said = frozenset(ids), tuple(contents)

        def purge(rows: tuple[_Row, ...]) -> tuple[tuple[_Row, ...], None]:
            left = [
                row
                for row in rows
                if not isinstance(row, Pending)
                or not (gone.issuperset(row.existing) or _is_among(row.draft.content, said))
            ]
            return tuple(left), None

        await to_the_end(lambda: self._change(purge))

    def take_broken(self) -> bool:
        """Whether the file was found broken since the last time this was asked."""
        broken, self._broken = self._broken, False
        return broken

    def _refresh(self) -> None:
        if self._stamp.holds(self.path):
            return
        raw, self._stamp = read(self.path)
        if raw != self._raw or not self.version:
            self._raw, self._rows = raw, self._parsed(raw)
            self.version += 1

    def _parsed(self, raw: bytes | None) -> tuple[_Row, ...]:
        """The rows; broken content is copied aside before anything is written."""
        rows = parse_inbox(raw)
        if rows is None and raw is not None:
            set_aside(self.path, raw, int(self._clock.now().timestamp() * 1_000))
            self._broken = True
        return rows or ()

    def _change(self, change: Callable[[tuple[_Row, ...]], tuple[tuple[_Row, ...], T]]) -> T:
        with SharedLock(lock_of(self.path), self._lock_timeout):
            raw, _ = read(self.path)
            if raw != self._raw or not self.version:
                self._raw, self._rows = raw, self._parsed(raw)
                self.version += 1
            rows, result = change(self._rows)
            if rows != self._rows:
                listed = [_fields(row) if isinstance(row, Pending) else row for row in rows]
                data = json.dumps(listed, ensure_ascii=False, indent=2).encode(
                    "utf-8", "surrogatepass"
                )
                write_atomic(self.path, data + b"\n", expected=raw)
                self._raw, self._rows = data + b"\n", rows
                self._stamp = Stamp(None, 0)
                self.version += 1
            return result


def parse_inbox(raw: bytes | None) -> tuple[Pending | object, ...] | None:
    """What stands in the file, in its order; None: it is broken."""
    if raw is None:
        return ()
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return tuple(_pending(one) or one for one in found) if isinstance(found, list) else None


def unsettled(
    pending: Iterable[Pending], facts: Sequence[Fact], heirs: Mapping[str, str]
) -> tuple[Pending, ...]:
    """Those that are still to be decided, the oldest first, each with its facts as they are now.

    Args:
        pending: conflicts.
        facts: all facts.
        heirs: the facts that took the places of those that are gone, by id.
    """
    there = {fact.id: fact for fact in facts}
    left: list[Pending] = []
    for one in pending:
        now = dict.fromkeys(heirs.get(name, name) for name in one.existing)
        where = _project_of(one.draft)
        # One that was moved to another project meanwhile is nobody's business here.
        existing = tuple(
            name for name in now if (fact := there.get(name)) and fact.visible_in(where)
        )
        if existing and not _is_stored(one, facts):
            left.append(replace(one, existing=existing))
    return tuple(sorted(left, key=lambda one: one.at))


def _is_stored(pending: Pending, facts: Iterable[Fact]) -> bool:
    """Whether a fact says the same since: one that was written or confirmed after it came in."""
    draft = pending.draft
    where = _project_of(draft)
    since = (
        fact
        for fact in facts
        if (fact.scope, fact.project) == (draft.scope, where)
        and (
            fact.content == draft.content
            or fact.last_verified is None
            or fact.last_verified >= pending.at
        )
    )
    return _is_among(draft.content, (fact.content for fact in since))


def _placed(draft: Draft) -> Draft:
    """The draft with the key of its project."""
    if draft.scope == "project":
        return replace(draft, project=project_key(draft.project))
    return draft


def _project_of(draft: Draft) -> str:
    """The key of the project it is for; "" all."""
    return project_key(draft.project) if draft.scope == "project" else ""


def _is_of(draft: Draft, project: str | None) -> bool:
    return project is None or draft.scope == "global" or draft.project == project


def _is_same(one: Draft, other: Draft) -> bool:
    """Whether both would save the same where the same may see it."""
    if one.scope != other.scope or (one.scope == "project" and one.project != other.project):
        return False
    return _is_among(one.content, (other.content,))


def _is_among(content: str, others: Iterable[str]) -> bool:
    form = canonical(content)
    return any(
        content == other or (bool(form) and is_same_form(form, canonical(other)))
        for other in others
    )


def _fields(pending: Pending) -> dict[str, object]:
    draft, origin = pending.draft, pending.draft.provenance
    return {
        "id": pending.id,
        "content": draft.content,
        "scope": draft.scope,
        "project": draft.project,
        "pending": draft.pending,
        "written": None if draft.written is None else instant(draft.written),
        "author": origin.who,
        "node": origin.node,
        "message": origin.message,
        "quote": origin.quote,
        "external": list(origin.external),
        "existing": list(pending.existing),
        "at": instant(pending.at),
    }


def _pending(found: object) -> Pending | None:
    """A row as a conflict; None: it is none, as far as this version knows."""
    if not isinstance(found, dict):
        return None
    text = {name: value for name, value in found.items() if isinstance(value, str)}
    author = next((one for one in AUTHORS if one == text.get("author")), None)
    at = read_instant(found.get("at"))
    scope: FactScope = "global" if text.get("scope") == "global" else "project"
    existing, external = found.get("existing"), found.get("external")
    if not (text.get("id") and author and at) or not isinstance(existing, list):
        return None
    origin = Provenance(
        author,
        node=text.get("node", ""),
        message=text.get("message", ""),
        quote=text.get("quote", ""),
        external=tuple(map(str, external)) if isinstance(external, list) else (),
    )
    try:
        draft = Draft(
            text.get("content", ""),
            scope,
            text.get("project", ""),
            origin,
            pending=found.get("pending") is True,
            written=read_instant(found.get("written")),
        )
    except ValueError:
        return None
    return Pending(text["id"], draft, tuple(map(str, existing)), at)
