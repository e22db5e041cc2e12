"""A compaction that the user looks at first: drafted, written again, edited, accepted."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from app.compaction.draft import Drafting, SummaryDraft
from app.compaction.summarize import Progress
from app.session.summaries import Summarises

T = TypeVar("T")


class Previews(Summarises):
    """These actions, on the chain that is open (`session.Session`).

    The agent works at none of them, and none starts it. What is sent while the model writes waits,
    and is sent when it is over: the draft is stale then, and says so.
    """

    async def outline(self, earlier: SummaryDraft | None = None) -> SummaryDraft:
        """What a compaction would do now; no model is asked, nothing changes.

        Args:
            earlier: a draft whose text is kept where it still stands for the same messages.

        Raises:
            SessionBusy: the agent works.
            CantSummarise: there is nothing to do, or too little to gain.
            HaimaError: an original can't be read.
        """
        self._check_idle()
        return await self._drafting.outline(earlier)

    async def draft(
        self,
        outline: SummaryDraft,
        focus: str = "",
        *,
        progress: Progress = lambda _done, _of: None,
    ) -> SummaryDraft | None:
        """Asks for the summary; the history stays as it is, `stop` ends it.

        Returns:
            The draft with the text; None: it was stopped.

        Raises:
            SessionBusy: the agent works.
            DraftStale: the history moved.
            SummaryFailed: there is no text; what it cost is written down.
        """
        return await self._writing(
            lambda drafting: drafting.write(outline, focus, progress=progress)
        )

    async def write_again(
        self,
        draft: SummaryDraft,
        focus: str = "",
        *,
        progress: Progress = lambda _done, _of: None,
    ) -> SummaryDraft | None:
        """The same, made of the originals where an earlier summary is among what leaves."""
        return await self._writing(
            lambda drafting: drafting.write(draft, focus, afresh=True, progress=progress)
        )

    async def edit_draft(self, draft: SummaryDraft, bodies: Sequence[str]) -> SummaryDraft:
        """The draft with what the user wrote under the four headings, weighed anew.

        Raises:
            DraftStale: the history moved.
        """
        return await self._drafting.edited(draft, bodies)

    async def pin_for_draft(self, draft: SummaryDraft, ids: Sequence[str]) -> SummaryDraft:
        """Pins these messages, or lets go of them where all are pinned, and plans again.

        Returns:
            The new outline, with the draft's text where it stands for the same messages still.

        Raises:
            SessionBusy: the agent works.
            CantSummarise: with that nothing is left to gain; the pins are as they were.
            HaimaError: it can't be written down.
        """
        self._check_idle()
        drafting = self._drafting
        able = drafting.pinnable(ids)
        if not able:
            return draft
        on = not drafting.pinned(able)
        changed = tuple(one for one in able if drafting.pinned((one,)) != on)
        await self.pin(changed, on)
        try:
            return await self.outline(draft)
        except Exception:
            await self.pin(changed, not on)
            raise

    async def accept(self, draft: SummaryDraft, bodies: Sequence[str] | None = None) -> bool:
        """The summary takes its place, with what the user wrote under its headings.

        Returns:
            True; False: it was stopped before anything changed.

        Raises:
            SessionBusy: the agent works.
            DraftStale: the history moved; nothing changed.
            DraftRefused: the text can't stand for messages; nothing changed.
            CantSummarise: it frees too little; nothing changed.
            HaimaError: it can't be written down; nothing changed.
        """

        async def work(drafting: Drafting) -> bool:
            edited = draft if bodies is None else await drafting.edited(draft, bodies)
            await self._open.compactor.by_hand(lambda: drafting.accept(edited))
            return True

        return await self._writing(work) is True

    @property
    def summary_writer(self) -> str:
        """The name of the model that writes summaries."""
        return self._open.summaries.means.summarizer().model

    def is_stale(self, draft: SummaryDraft) -> bool:
        """Whether the history moved since the draft was made."""
        return self._drafting.is_stale(draft)

    @property
    def _drafting(self) -> Drafting:
        return Drafting(self._open.summaries)

    async def _writing(self, work: Callable[[Drafting], Awaitable[T]]) -> T | None:
        """As the session's own work: messages wait, `stop` ends it."""
        self.context.asked()
        return await self._turns.beside(lambda: work(self._drafting))
