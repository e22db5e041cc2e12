"""Writes an agent's rows into its ledger: one operation at a time, none cut half way.

A row is written down, then taken in by the projection. A stop that comes meanwhile strikes when the
operation is over (`unbroken`). What leaves the history alone is written here.
"""

import asyncio
import logging
from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import asdict
from typing import TypeVar

from app.archive.cleaning import Cleaner
from app.archive.projection import Projection
from app.archive.row_sink import RowSink
from app.archive.rows import Kind, Row
from app.archive.unbroken import unbroken
from app.archive.usage import Purpose
from app.conversation.work import Work
from app.ports import Usage
from app.storage.faults import fault_point

T = TypeVar("T")

_log = logging.getLogger(__name__)


class RowWriter:
    """Writes rows of one agent; `Recorder` adds those that change its history.

    Attributes:
        node: which session the rows belong to.
        conversation: which agent.
        written: when the newest row was written down, ISO 8601 UTC; "" for none yet.
    """

    def __init__(
        self,
        ledger: RowSink,
        node: str,
        conversation: str,
        credentials: Iterable[str],
        projection: Projection | None,
    ) -> None:
        """Writes nothing yet.

        Args:
            ledger: open; shared by the agents of a chain.
            node: which session.
            conversation: which agent.
            credentials: `Settings.credentials`; they are masked.
            projection: takes in each row.
        """
        self.node = node
        self.conversation = conversation
        self.written = ""
        self._ledger = ledger
        self._projection = projection
        self._cleaner = Cleaner(credentials)
        self._lock = asyncio.Lock()

    def use_credentials(self, credentials: Iterable[str]) -> None:
        """From now on these are masked."""
        self._cleaner = Cleaner(credentials)

    async def opened(
        self, *, project: str, model: str, version: str, branch: str, tools: str = ""
    ) -> None:
        """A session goes on with another model, on another branch, or with other tools.

        Raises:
            StorageError: it can't be written.
        """
        data = {"project": project, "model": model, "version": version, "branch": branch}
        await self._tell("session", data | ({"tools": tools} if tools else {}))

    async def usage(
        self, usage: Usage, *, message: str | None, model: str, purpose: Purpose = "answer"
    ) -> None:
        """Keeps what a call to a model cost.

        Args:
            usage: the figures.
            message: the id of its answer, where that is in the history.
            model: which one answered.
            purpose: what it was called for.

        Raises:
            StorageError: it can't be written.
        """
        told = {} if purpose == "answer" else {"purpose": purpose}
        await self._tell("usage", {**asdict(usage), "message": message, "model": model, **told})

    async def error(self, code: str, text: str) -> None:
        """Keeps what failed for good.

        Raises:
            StorageError: it can't be written.
        """
        await self._tell("error", {"code": code, "text": self._cleaner.text(text)})

    async def work(self, work: Work, *, taken_from: str = "") -> Work:
        """Keeps what the user changed in the worklog by hand, or what is taken over from elsewhere.

        Args:
            work: what it adds.
            taken_from: the chain whose unfinished work goes on here, or is settled by the user:
                it isn't offered again (`work.unfinished`).

        Returns:
            The same as it is kept.

        Raises:
            StorageError: it can't be written.
        """
        work = self.as_kept(work)
        told = {"taken_from": taken_from} if taken_from else {}
        await self._tell("work", {"work": work.to_data(), **told})
        return work

    def as_kept(self, work: Work) -> Work:
        """The work as rows of it have it, credentials masked."""
        return self._cleaner.work(work)

    async def title(self, title: str) -> None:
        """Gives the node a title; raises what `error` raises."""
        await self._tell("title", {"title": self._cleaner.text(title)})

    async def sync(self) -> None:
        """Returns when all of it is on the disk (`Ledger.sync`).

        Raises:
            StorageError: the disk failed.
        """
        await self._ledger.sync()

    async def _tell(self, kind: Kind, data: Mapping[str, object]) -> None:
        """A row that leaves the history alone."""
        await self._in_turn(self._commit(kind, data))

    async def _in_turn(self, work: Coroutine[object, object, T]) -> T:
        """Does one operation, the others before it done, to its end."""

        async def alone() -> T:
            try:
                async with self._lock:
                    return await work
            finally:
                work.close()

        return await unbroken(alone())

    async def _commit(self, kind: Kind, data: Mapping[str, object], node: str | None = None) -> Row:
        """Writes the row down; once it is there, nothing but the end of the process stops us."""
        row = self._ledger.write(kind, data, node=node or self.node, conversation=self.conversation)
        self.written = row.at
        try:
            if self._projection is not None:
                await self._projection.commit(self._ledger.name, row, self._ledger.size)
        except asyncio.CancelledError:  # the loop ends; the next open takes the row in
            pass
        except Exception:
            _log.exception("the row %s of %s wasn't taken in", row.seq, row.ledger)
        fault_point("commit_after")
        return row
