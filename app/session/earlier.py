"""Earlier sessions, as the screens see them: lists, pages of the past, titles, deletion."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from app.archive.database import Connection, Database
from app.archive.lineage import past_page
from app.archive.outside import (
    TITLE,
    Written,
    delete_chain,
    held_ledgers,
    set_title,
    undelete_chain,
)
from app.archive.sessions import NodeRecord, find_node, goes_on, list_nodes
from app.archive.turns import TurnSpan, turn_spans
from app.conversation.past import Cursor, PastPage
from app.conversation.secret_words import without_secrets
from app.session.context import SessionContext
from app.session.parts import Parts
from app.view.sessions_view import SessionNode, Summarised


class OpenSession(Protocol):
    """What is needed of the session that is open (`session.Session`)."""

    @property
    def node(self) -> str:
        """The id of the open node; "" before there is one."""
        ...

    @property
    def past_node(self) -> str:
        """Whose past it shows: its parent's, while nothing was said in it."""
        ...

    @property
    def database(self) -> Database:
        """The archive.

        Raises:
            HaimaError: it can't be used.
        """
        ...

    @property
    def context(self) -> SessionContext:
        """How full its window is."""
        ...

    @property
    def parts(self) -> Parts:
        """What it is made of."""
        ...

    async def resume(self, node: str) -> None:
        """Goes on with another node."""
        ...

    async def fork(self, message: str | None, node: str | None = None) -> None:
        """Goes on from a message in a node of its own."""
        ...

    async def retitle(self, title: str) -> None:
        """Gives the open node a title."""
        ...


class Earlier:
    """The sessions of the project beside the one that is open.

    All raise `HaimaError` with a sentence for the user, and leave everything as it was.
    """

    def __init__(self, session: OpenSession) -> None:
        self._session = session

    @property
    def node(self) -> str:
        """The id of the node that is open; "" before there is one."""
        return self._session.node

    async def resume(self, node: str) -> None:
        """Leaves the present node and goes on with another.

        Args:
            node: its id, or an unambiguous beginning of it.

        Raises:
            SessionOpenElsewhere: another process has it open.
        """
        await self._session.resume((await self._found(node)).id)

    async def fork(self, message: str | None, node: str | None = None) -> None:
        """Goes on from a message in a node of its own, kept once something is sent.

        Args:
            message: its id; None: the end.
            node: whose, or an unambiguous beginning of its id; None: the present one.
        """
        await self._session.fork(message, None if node is None else (await self._found(node)).id)

    async def past(self, before: Cursor | None, limit: int) -> PastPage:
        """A page of the open node's past; None: the newest."""
        node = self._session.past_node
        return await self._session.database.run(
            lambda connection: past_page(connection, node, before, limit)
        )

    async def sessions(self) -> tuple[SessionNode, ...]:
        """The nodes of this project, those of deleted chains apart; the last used first.

        The window is that of the open node alone: no row says with which an earlier one was used.
        """
        parts, current = self._session.parts, self._session.node
        folder, ledgers = str(parts.project.root), parts.paths.ledgers
        listed = await self._session.database.run(
            lambda connection: _list(connection, folder, ledgers)
        )
        window = self._session.context.window.marks.window
        return tuple(
            replace(_shown(node, listed, current), window=window if node.id == current else 0)
            for node in listed.nodes
        )

    async def retitle(self, node: str, title: str) -> None:
        """Gives a node another title: one line, credentials and other secrets masked."""
        found = await self._found(node)
        # Before it is cut: of a secret that is cut nothing tells that it is one.
        mask = self._session.parts.settings.mask
        title = without_secrets(mask(" ".join(title.split())))[:TITLE]
        if found.id == self._session.node:
            await self._session.retitle(title)
            return
        ledgers = self._session.parts.paths.ledgers
        await self._write(lambda _: set_title(ledgers, found, title))

    async def delete_chain(self, chain: str) -> None:
        """Takes a chain out of all lists; nothing leaves the disk."""
        ledgers = self._session.parts.paths.ledgers
        await self._write(lambda connection: delete_chain(connection, ledgers, chain))

    async def undelete_chain(self, chain: str) -> None:
        """Puts it back."""
        ledgers = self._session.parts.paths.ledgers
        await self._write(lambda connection: undelete_chain(connection, ledgers, chain))

    async def _found(self, prefix: str) -> NodeRecord:
        folder = str(self._session.parts.project.root)
        return await self._session.database.run(
            lambda connection: find_node(connection, prefix, folder)
        )

    async def _write(self, write: Callable[[Connection], Written]) -> None:
        """Writes a row to a ledger that isn't open; then the database takes it in."""
        database = self._session.database
        written = await database.run(write)
        await database.commit(written.ledger, written.row, written.size)


@dataclass(frozen=True, slots=True)
class _Listed:
    """What a list is made of; `ended`: what goes on from a node in its own ledger."""

    nodes: tuple[NodeRecord, ...]
    spans: dict[str, TurnSpan]
    held: frozenset[str]
    ended: dict[str, NodeRecord]


def _list(connection: Connection, folder: str, ledgers: Path) -> _Listed:
    nodes = list_nodes(connection, folder)
    held = held_ledgers(ledgers, {node.ledger for node in nodes if node.ledger})
    ended = {node.parent: node for node in nodes if node.parent and goes_on(node)}
    return _Listed(nodes, turn_spans(nodes), frozenset(held), ended)


def _shown(node: NodeRecord, listed: _Listed, current: str) -> SessionNode:
    span, after = listed.spans[node.id], listed.ended.get(node.id)
    summary = after.summary if after is not None else None
    return SessionNode(
        id=node.id,
        chain=node.chain,
        parent=node.parent,
        relation=node.relation,
        title=node.title,
        model=node.model,
        mode=node.mode or "react",
        turns_from=span.first,
        turns_to=span.last,
        messages=node.messages,
        tokens=node.tokens,
        peak=node.peak,
        created=_moment(node.created),
        used=_moment(node.used),
        current=node.id == current,
        live=node.id != current and after is None and node.ledger in listed.held,
        summarised=None if summary is None else Summarised(summary.messages, summary.tokens),
        fork_turn=node.fork_turn,
        passed=node.passed,
    )


def _moment(text: str) -> datetime:
    """A time of a row; one that isn't a time is the beginning of all."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return datetime.fromtimestamp(0, UTC)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
