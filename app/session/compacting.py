"""What a session's user does with what leaves the context: undo, pin, bring back, look at it."""

from abc import ABC, abstractmethod
from collections.abc import Iterable

from app.archive.database import Database
from app.archive.originals import HeldAs, HeldBack, Original, held_back
from app.session.chain import Chain
from app.session.context import SessionContext
from app.session.taking_back import Brought


class TakesBack(ABC):
    """These actions, on the chain that is open (`session.Session`).

    Attributes:
        context: how full the window is.
    """

    context: SessionContext

    @property
    @abstractmethod
    def _open(self) -> Chain:
        """The chain that is open."""

    @property
    @abstractmethod
    def database(self) -> Database:
        """The archive.

        Raises:
            HaimaError: it can't be used.
        """

    @property
    def can_undo_clear(self) -> bool:
        """Whether nothing was said since something was cleared, cut or summarised."""
        return self._open.compactor.can_undo

    async def undo_clear(self) -> bool:
        """Takes back what was done before the last call, byte for byte; that tier then pauses.

        Returns:
            Whether there was something to take back.

        Raises:
            HaimaError: it can't be written down, or not be read; part of it may be back.
        """
        return await self._open.compactor.undo()

    @property
    def clearing_paused(self) -> bool:
        """Whether results are cleared only where nothing else fits, as the user undid it."""
        return self._open.compactor.paused

    async def resume_clearing(self) -> None:
        """Results are cleared by themselves again.

        Raises:
            StorageError: it can't be written down; they aren't.
        """
        chain = self._open
        if chain.compactor.paused:
            await chain.begin()  # a fork inherits the pause, and may have no row yet
            await chain.compactor.go_on()

    async def pin(self, ids: Iterable[str], pinned: bool) -> None:
        """Pins messages, which then are never cleared, or takes their pins away.

        Raises:
            InvalidHistory: one isn't in the live history; nothing changed.
            StorageError: it can't be written down; nothing changed.
        """
        chain, wanted = self._open, tuple(ids)
        for message_id in wanted:
            chain.history.index(message_id)
        await chain.begin()  # a fork may have no row yet, and nothing comes before its first
        await chain.compactor.pin(wanted, pinned)
        self.context.tell()

    def pinned(self, message_id: str) -> bool:
        """Whether a message is pinned."""
        return self._open.is_pinned(message_id)

    @property
    def brought_back(self) -> tuple[Brought, ...]:
        """What the user's next message will quote."""
        return self._open.taking_back.waiting

    async def bring_back(self, ids: Iterable[str]) -> tuple[Brought, ...]:
        """Quotes the originals of results in the user's next message, which is pinned.

        Args:
            ids: of the results' messages.

        Returns:
            Those that were added to what the message will quote.

        Raises:
            NothingToBringBack: there is no original, or no room; those before it are added.
            HaimaError: the archive can't be read.
        """
        return await self._open.taking_back.bring_back(ids)

    def bring_lines(self, title: str, first: int, last: int, text: str) -> Brought:
        """Quotes lines that were looked at in the user's next message, which is pinned.

        In place of the same lines, where they wait already: they may have changed since.

        Args:
            title: what they are from: a path, a call.
            first: number of the first line, from 1.
            last: number of the last line.
            text: the lines.

        Raises:
            NothingToBringBack: no room is left.
        """
        return self._open.taking_back.bring_lines(title, first, last, text)

    def leave_back(self, message_id: str) -> bool:
        """The user's next message doesn't quote this result after all; whether it would have."""
        return self._open.taking_back.drop(message_id)

    async def held_back(self, held: HeldAs) -> tuple[HeldBack, ...]:
        """The results of the live history whose content isn't sent, the newest first.

        Args:
            held: in files, or cleared; one that was cleared after it went to a file is both.

        Raises:
            HaimaError: the archive can't be read.
        """
        node = self._open.node
        return await self.database.run(lambda connection: held_back(connection, node, held))

    async def original(self, message_id: str) -> Original | None:
        """A message of this chain as it first came; None where there is none.

        Raises:
            HaimaError: the archive can't be read.
        """
        return await self._open.originals.find(message_id)
