"""`haima sessions`: what was said is listed, shown, exported, deleted and brought back."""

import asyncio
from argparse import Namespace
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from app.archive.database import Connection
from app.archive.lineage import whole_past
from app.archive.outside import held_ledgers
from app.archive.prune import parse_age
from app.archive.sessions import NodeNotFound, NodeRecord, chain_nodes, find_node, list_nodes
from app.cli.archive import opened
from app.cli.codes import OK
from app.cli.place import Place, prepare
from app.cli.session_changes import (
    changed_text,
    delete,
    prune_old,
    pruned_record,
    pruned_text,
    restore,
)
from app.cli.session_export import Export
from app.cli.session_list import SessionList
from app.cli.session_show import session_text, turn_records, turns
from app.session.exports.masking import for_export

if TYPE_CHECKING:
    from app.archive.database import Database
    from app.cli.console import Console


def sessions(console: "Console", place: Place, options: Namespace) -> int:
    """Runs one of the commands; its exit code.

    Raises:
        NodeNotFound, AmbiguousNode: there is no such session, or more than one.
        HaimaError: it can't be done.
    """
    return asyncio.run(_Sessions(console, place, options).run())


def record(node: NodeRecord) -> dict[str, object]:
    """A session as it stands in `--json` (DESIGN 5), and some more of it."""
    return {
        "id": node.id,
        "parent_id": node.parent,
        "chain": node.chain,
        "relation": node.relation,
        "title": node.title,
        "model": node.model,
        "mode": node.mode,
        "messages": node.messages,
        "tokens": node.tokens,
        "created": node.created,
        "used": node.used,
        "project": node.project,
        "branch": node.branch,
        "turns": node.turns,
        "fork_at": node.fork_at,
        "deleted": node.deleted,
        "undone": node.undone,
        "summary": None if node.summary is None else node.summary.to_data(),
    }


class _Sessions:
    """One run of `haima sessions`."""

    def __init__(self, console: "Console", place: Place, options: Namespace) -> None:
        self._console = console
        self._words = console.words
        self._place = place
        self._options = options

    async def run(self) -> int:
        """Does what was asked for."""
        actions = {
            "list": self._list,
            "show": self._show,
            "export": self._export,
            "delete": self._delete,
            "restore": self._restore,
            "prune": self._prune,
        }
        if self._options.action == "prune":
            parse_age(self._options.older_than)  # a mistake is said before anything is opened
        async with opened(self._console, self._place) as database:
            await actions[self._options.action](database)
        return OK

    async def _list(self, database: "Database") -> None:
        project = None if self._options.all else str(self._place.project.root)
        deleted = bool(self._options.deleted)
        nodes = await database.run(lambda db: list_nodes(db, project, deleted=deleted))
        if self._options.json:
            self._console.print_records(map(record, nodes))
        elif nodes:
            text = self._table(nodes).text(nodes, by_project=project is None)
            self._console.print(text)
        elif project is None:
            self._console.print(self._words("session_list.none") + "\n")
        else:
            self._console.print(self._words("session_list.none_here", project=project) + "\n")

    async def _show(self, database: "Database") -> None:
        def read(db: Connection) -> str | dict[str, object]:
            node = self._find(db, self._options.id)
            found = turns(whole_past(db, node.id))
            if self._options.json:
                return record(node) | {"prompts": turn_records(found)}
            every = self._options.all
            chain = [
                one
                for one in chain_nodes(db, node.chain)
                if one.relation != "agent" and (every or one.undone is None or one.id == node.id)
            ]
            return session_text(self._table([node]), node, chain, found)

        shown = await database.run(read)
        if isinstance(shown, str):
            self._console.print(shown)
        else:
            self._console.print_records([shown])

    async def _export(self, database: "Database") -> None:
        mask: Callable[[str], str] = str
        if not self._options.raw:
            mask = for_export(prepare(self._console, self._place).settings.mask)
        export = Export(self._console, self._options, mask)
        try:
            await database.run(lambda db: export.write(db, self._find(db, self._options.id)))
        except asyncio.CancelledError:
            export.stop()
            raise
        if export.output is not None:
            self._console.say(self._words("session_list.written", path=export.output))

    async def _delete(self, database: "Database") -> None:
        ledgers = self._place.paths.ledgers
        self._changed(await delete(database, ledgers, self._options.id, self._find), deleted=True)

    async def _restore(self, database: "Database") -> None:
        ledgers = self._place.paths.ledgers
        self._changed(await restore(database, ledgers, self._options.id), deleted=False)

    def _changed(self, nodes: Sequence[NodeRecord], *, deleted: bool) -> None:
        if self._options.json:
            self._console.print_records(map(record, nodes))
        else:
            self._console.print(changed_text(self._words, nodes, deleted=deleted))

    async def _prune(self, database: "Database") -> None:
        older_than, dry_run = parse_age(self._options.older_than), bool(self._options.dry_run)
        now, ledgers = datetime.now(UTC), self._place.paths.ledgers
        found = await prune_old(database, ledgers, older_than, now=now, dry_run=dry_run)
        if self._options.json:
            self._console.print_records(pruned_record(old, removed=not dry_run) for old in found)
        else:
            self._console.print(pruned_text(self._table(()), found, dry_run=dry_run))

    def _find(self, db: Connection, prefix: str) -> NodeRecord:
        """The session that is meant: of this project if there is one, else of any.

        Raises:
            NodeNotFound, AmbiguousNode: there is none, or more than one.
        """
        try:
            return find_node(db, prefix, str(self._place.project.root))
        except NodeNotFound:
            return find_node(db, prefix)

    def _table(self, nodes: Sequence[NodeRecord]) -> SessionList:
        return SessionList(
            self._words,
            now=datetime.now(UTC).astimezone(),
            columns=self._console.columns,
            ascii_only=self._console.ascii_only,
            live=held_ledgers(self._place.paths.ledgers, {node.ledger for node in nodes}),
        )
