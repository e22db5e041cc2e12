"""A summary that is looked at before it takes the place of anything (DESIGN 4; mock 04).

Plan, ask, look, perhaps edit, accept: up to `accept` nothing changes, and what the calls cost is
written down whatever becomes of the text. A draft belongs to the history it was made of: once that
has moved, it is stale and can't be accepted. What the user writes in it is the summary's text,
never their own words: it stands in the `<summary>` block like what a model wrote.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.compaction.balance import can_be_pinned, weighed
from app.compaction.cut import BY_HAND
from app.compaction.expand import after_acknowledgement, originals
from app.compaction.replacement import LEAST_GAIN, Proposal, make, planned, propose, rebuild
from app.compaction.sections import Sections, sections_of
from app.compaction.summarize import Progress, SummaryText
from app.compaction.summary_check import SummaryFault, check_summary
from app.compaction.summary_tier import SummaryTier
from app.conversation.history import History, RecoverySlot
from app.conversation.messages import Message
from app.conversation.standing import PLAIN
from app.errors import HaimaError
from app.text import Key
from app.view.compaction import Balance

_USUAL = (3, 16)
"""Tokens of a summary for each character it may have, before there is one: in English a model that
is asked for three quarters of that writes about so much."""

_EARLIER = 100
"""Summaries of summaries that are followed back to the originals, at most."""

_REFUSED: dict[SummaryFault, Key] = {
    "empty": "compaction_preview.refused_bare",
    "bare": "compaction_preview.refused_bare",
    "headings": "compaction_preview.refused_headings",
    "too_long": "compaction_preview.refused_too_long",
}


class DraftStale(HaimaError):  # noqa: N818
    """The history moved since the draft was made of it; nothing changed."""

    code = "stale"


class DraftRefused(HaimaError):  # noqa: N818
    """An edited summary can't stand for messages; nothing changed.

    Attributes:
        fault: what is wrong with it.
    """

    code = "refused"

    def __init__(self, fault: SummaryFault, key: Key, /, **values: object) -> None:
        super().__init__(key, **values)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Stamp:
    """A history as it was at a moment.

    Attributes:
        node: the session's id.
        length: messages, discarded ones included.
        edits: as `History.edits`.
        recovery: the block.
    """

    node: str
    length: int
    edits: int
    recovery: RecoverySlot | None


@dataclass(frozen=True, slots=True)
class Written:
    """The text of a draft.

    Attributes:
        text: as the model wrote it.
        sections: the same in four, with what the user changed.
        focus: what the user asked it to dwell on.
        seconds: it took.
        source: it was made of the history as it is, or of the originals an earlier summary had
            replaced.
    """

    text: SummaryText
    sections: Sections
    focus: str
    seconds: float
    source: Literal["history", "originals"] = "history"

    @property
    def edited(self) -> bool:
        """Whether the user changed it."""
        return self.sections != sections_of(self.text.text)

    @property
    def summary(self) -> SummaryText:
        """What would stand in the history: untouched as it came, else put together again."""
        return replace(self.text, text=self.sections.text) if self.edited else self.text

    def with_bodies(self, bodies: Sequence[str]) -> "Written":
        """With other texts under the headings."""
        return replace(self, sections=self.sections.edited(tuple(bodies)))


@dataclass(frozen=True, slots=True)
class SummaryDraft:
    """What a compaction would do.

    Attributes:
        stamp: the history it belongs to.
        proposal: what would be replaced.
        balance: before and after; without a text, with one of the usual length.
        written: the text; None: not yet.
    """

    stamp: Stamp
    proposal: Proposal
    balance: Balance
    written: Written | None = None

    @property
    def frees_enough(self) -> bool:
        """Whether it would be accepted for what it frees."""
        return self.balance.freed * LEAST_GAIN >= self.balance.before.total


class Drafting:
    """Makes drafts of one conversation's summary; the caller sees to it that nothing else works.

    Args:
        tier: carries out what is accepted.
    """

    def __init__(self, tier: SummaryTier) -> None:
        self._means = tier.means
        self._tier = tier

    @property
    def stamp(self) -> Stamp:
        """The history as it is now."""
        recorder = self._means.recorder
        history = recorder.history
        return Stamp(recorder.node, len(history), history.edits, history.recovery)

    def is_stale(self, draft: SummaryDraft) -> bool:
        """Whether the history moved since."""
        return draft.stamp != self.stamp

    async def outline(self, earlier: SummaryDraft | None = None) -> SummaryDraft:
        """What would be replaced now; no model is asked.

        Args:
            earlier: a draft; its text is kept where it still stands for just these messages.

        Raises:
            CantSummarise: nothing may leave, or too little would be freed.
            HaimaError: an original can't be read.
        """
        proposal = propose(self._means, turns=BY_HAND)
        written = None if earlier is None else earlier.written
        if earlier is not None and not _same(earlier, proposal, self.stamp):
            written = None
        return await self._weighed(self.stamp, proposal, written)

    async def write(
        self,
        draft: SummaryDraft,
        focus: str = "",
        *,
        afresh: bool = False,
        progress: Progress = lambda _done, _of: None,
    ) -> SummaryDraft:
        """The draft with a text of the model.

        Args:
            draft: of the history as it is.
            focus: what the user asks it to dwell on.
            afresh: what an earlier summary stands for is read again, not that summary.
            progress: hears of each call.

        Raises:
            DraftStale: the history moved.
            SummaryFailed: there is no text.
            asyncio.CancelledError: it was stopped.
        """
        self._check(draft)
        means, proposal, began = self._means, draft.proposal, self._means.seconds()
        old = proposal.leaving
        if afresh:
            old = await self._originals(old)
        read_again = old != proposal.leaving
        summarizer = means.summarizer()
        whole = not read_again and self._tier.asker.may_offer_tools(summarizer)
        plan = await planned(means, proposal, summarizer, old, focus=focus, whole=whole)
        progress(0, plan.calls)
        text = await self._tier.asker.ask(summarizer, plan, progress)
        written = Written(
            text,
            sections_of(text.text),
            focus,
            means.seconds() - began,
            "originals" if read_again else "history",
        )
        self._check(draft)
        return await self._weighed(draft.stamp, proposal, written)

    async def edited(self, draft: SummaryDraft, bodies: Sequence[str]) -> SummaryDraft:
        """The draft with what the user wrote under the headings; only weighed, not judged.

        Raises:
            DraftStale: the history moved.
        """
        self._check(draft)
        written = draft.written
        if written is None or tuple(bodies) == written.sections.bodies:
            return draft
        return await self._weighed(draft.stamp, draft.proposal, written.with_bodies(bodies))

    async def accept(self, draft: SummaryDraft) -> None:
        """The summary takes its place, in a node of its own, as an automatic one does.

        Raises:
            DraftStale: the history moved; nothing changed.
            DraftRefused: the text can't stand for messages; nothing changed.
            CantSummarise: it frees too little; nothing changed.
            StorageError: it can't be written down; nothing changed.
        """
        self._check(draft)
        written, proposal = draft.written, draft.proposal
        if written is None:
            raise DraftRefused("empty", _REFUSED["empty"])
        if written.edited:
            self._judge(written.summary.text, proposal)
        made = await make(
            self._means,
            proposal,
            written.summary,
            seconds=written.seconds,
            focus=written.focus,
            by_hand=True,
        )
        self._check(draft)
        await self._tier.accept(proposal, made)

    def pinnable(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Those of some messages that a pin would carry over."""
        history = self._means.recorder.history
        found = (history.get(one) for one in ids)
        return tuple(one.id for one in found if one is not None and can_be_pinned(one))

    def pinned(self, ids: Sequence[str]) -> bool:
        """Whether all of these messages are pinned."""
        standings = self._means.recorder.standings
        return bool(ids) and all(standings.get(one, PLAIN).pinned for one in ids)

    def _check(self, draft: SummaryDraft) -> None:
        if self.is_stale(draft):
            raise DraftStale("compaction_preview.stale")

    def _judge(self, text: str, proposal: Proposal) -> None:
        limit = proposal.shares.summary_text
        fault = check_summary(text, limit=limit.characters)
        tokens = self._means.meter.text_tokens(text)
        if fault is None and tokens > limit.tokens:
            raise DraftRefused(
                "too_long",
                "compaction_preview.refused_tokens",
                tokens=f"{tokens:,}",
                most=f"{limit.tokens:,}",
            )
        if fault is not None:
            size = {"characters": f"{len(text):,}", "most": f"{limit.characters:,}"}
            raise DraftRefused(fault, _REFUSED[fault], **size)

    async def _weighed(
        self, stamp: Stamp, proposal: Proposal, written: Written | None
    ) -> SummaryDraft:
        """With the figures of its text, else of one of the usual length."""
        means = self._means
        if written is not None:
            text = written.summary
        else:
            (share, of), limit = _USUAL, proposal.shares.summary_text
            usual = "word " * min(limit.tokens, limit.characters * share // of)
            text = SummaryText(usual, 1, "", 0, ())
        balance = weighed(
            proposal,
            await rebuild(means, proposal, text),
            meter=means.meter,
            tools=means.tools(),
            standings=means.recorder.standings,
        )
        return SummaryDraft(stamp, proposal, balance, written)

    async def _originals(self, leaving: tuple[Message, ...]) -> tuple[Message, ...]:
        """What leaves, each earlier summary in it replaced by what it stands for.

        A summary whose node can't be had stays.
        """
        now: History = self._means.recorder.history
        messages = leaving
        for _ in range(_EARLIER):
            place = next((at for at, one in enumerate(messages) if one.summary), None)
            bearer = None if place is None else messages[place]
            before = None if bearer is None else await self._means.before(bearer.id)
            if before is None or bearer is None or place is None:
                break
            restored = tuple(one for one in originals(before.history, now) if not one.discarded)
            alone = bearer.summary is not None and bearer.summary.request is not None
            end = place + 1 if alone else after_acknowledgement(messages, place + 1)
            messages = (*messages[:place], *restored, *messages[end:])
            now = before.history
        return messages


def _same(earlier: SummaryDraft, proposal: Proposal, stamp: Stamp) -> bool:
    """Whether an earlier draft's text stands for just what a proposal would replace."""
    return earlier.stamp == stamp and earlier.proposal.cut.replaced == proposal.cut.replaced
