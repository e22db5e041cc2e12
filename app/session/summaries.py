"""What a session's user does about summaries: make one, take it back, expand it, branch off."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable

from app.compaction.expand import CantExpand
from app.compaction.possible import open_ways
from app.compaction.summary_tier import SummaryTier
from app.compaction.too_large import Choice
from app.session.compacting import TakesBack
from app.session.queue import SessionBusy
from app.session.turns import Turns


class Summarises(TakesBack):
    """These actions, on the chain that is open (`session.Session`)."""

    _turns: Turns

    @abstractmethod
    async def fork(self, message: str | None, node: str | None = None) -> None:
        """Goes on from a message in a node of its own."""

    async def compact(self, focus: str = "") -> bool:
        """Summarises now; the agent isn't started by it (FIELD 77).

        What is sent meanwhile waits, and is sent when it is over; `stop` ends it.

        Args:
            focus: what the summary should dwell on.

        Returns:
            Whether it was done; if not, `summary_failed` says why, and the history is as it was.

        Raises:
            SessionBusy: the agent works.
            CantSummarise: there is nothing to do, or too little to gain; nothing changed.
            HaimaError: it can't be written down; nothing changed.
        """
        return await self._beside(lambda tier: tier.summarise("user", focus))

    def keep_history(self) -> bool:
        """Stops the summary that the next call waits for; summaries pause, and the turn goes on.

        Returns:
            Whether one was being made.
        """
        return self._open.summaries.keep_history()

    async def cut_without_summary(self) -> bool:
        """Cuts older messages off: no model is asked, references stand for them; undoable.

        Raises:
            SessionBusy: the agent works.
            CantSummarise: nothing may leave, or too little would be freed; nothing changed.
            HaimaError: it can't be written down; nothing changed.
        """
        return await self._beside(lambda tier: tier.cut(by_hand=True))

    async def ways_out(self) -> tuple[Choice, ...]:
        """What can be done about a turn that ended for want of room, the best first; as of now."""
        return await open_ways(self._open.summaries.means, self._turns.outcome.choices)

    @property
    def can_undo_summary(self) -> bool:
        """Whether a summary, or the expansion of one, is the last thing that happened."""
        return self._open.compactor.can_undo_summary

    async def undo_summary(self) -> bool:
        """Takes it back, byte for byte, with what was cleared just before; summaries then pause.

        Also while the model is asked already: its answer then follows what is back.

        Returns:
            Whether there was something to take back.

        Raises:
            HaimaError: the node before it can't be read, or it can't be written down.
        """
        return self.can_undo_summary and await self._open.compactor.undo()

    async def expand(self, summary: str | None = None) -> bool:
        """Puts the originals of a summary in its place again; what came since is kept.

        What is sent meanwhile waits, and is sent when it is over; `stop` ends it.

        Args:
            summary: id of the message that holds it; None: the newest.

        Returns:
            True; False: it was stopped before anything changed.

        Raises:
            SessionBusy: the agent works.
            CantExpand: there is no such summary, or its originals can't be had, or don't fit.
            HaimaError: it can't be written down; nothing changed.
        """

        async def work() -> bool:
            chain = self._open
            await chain.compactor.by_hand(lambda: chain.summaries.expand(summary))
            return True

        return await self._turns.beside(work) is True

    async def branch(self, summary: str | None = None) -> None:
        """Opens the node before a summary as a fork; the newer turns stay in the one it began.

        Args:
            summary: id of the message that holds it; None: the newest of the live history.

        Raises:
            SessionBusy: the agent works.
            CantExpand: there is no such summary.
            HaimaError: the node can't be read, or the fork not be written; nothing changed.
        """
        self._check_idle()
        chain = self._open
        found = [one.id for one in chain.history if one.summary] if summary is None else [summary]
        node = await chain.past.node_before(found[-1]) if found else None
        if node is None:
            raise CantExpand("compaction.no_summary")
        await self.fork(None, node)

    @property
    def summaries_paused(self) -> bool:
        """Whether none is made by itself: one was taken back, or too many failed."""
        return self._open.summaries.paused

    async def resume_summaries(self) -> None:
        """Summaries are made by themselves again.

        Raises:
            StorageError: it can't be written down; they aren't.
        """
        chain = self._open
        if chain.summaries.undone:
            await chain.begin()  # a fork inherits the pause, and may have no row yet
        await chain.summaries.go_on()

    async def _beside(self, work: Callable[[SummaryTier], Awaitable[bool]]) -> bool:
        async def on_the_open_chain() -> bool:
            chain = self._open
            return await chain.compactor.by_hand(lambda: work(chain.summaries))

        self.context.asked()
        return await self._turns.beside(on_the_open_chain) is True

    def _check_idle(self) -> None:
        if self._turns.busy:
            raise SessionBusy("session.busy")
