"""Tier 3: older messages give way to a summary, in a node of its own (DESIGN 4).

Plan, ask, build, check, begin one child: up to the child's first row nothing changes, and what
fails before it leaves the history byte for byte. One `Breaker` decides what is tried by itself.
"""

import asyncio
import logging
from dataclasses import replace
from typing import Literal

from app.archive.stepping import LiveNode
from app.archive.unbroken import unbroken
from app.compaction.asker import Asker
from app.compaction.breaker import IN_A_ROW, Breaker, Pause, Withheld, sentence
from app.compaction.cut import BY_HAND, TURNS
from app.compaction.expand import Expansion, expansion
from app.compaction.giving_up import GivenUp, GivingUp
from app.compaction.guarding import nearly_full
from app.compaction.means import Means
from app.compaction.new_history import NoSummary
from app.compaction.possible import can_summarise
from app.compaction.replacement import CantSummarise, Made, Proposal, make, planned, propose, worth
from app.compaction.summary_events import summary_events
from app.compaction.undo import only_in, summary_between
from app.conversation.measured import Measure
from app.conversation.standing import Tier
from app.errors import HaimaError
from app.events import (
    Expanded,
    Notice,
    Paused,
    SummaryFailed,
    SummaryProgress,
    SummaryStarted,
    SummaryUndone,
)
from app.storage import StorageError

By = Literal["mark", "user", "overflow"]
"""Who wants a summary: the mark was reached, the user asks, the provider refused the request."""

_HOPELESS = frozenset({"cant_summarise", "no_room", "too_many"})
"""Failures that end the same again, as long as the history is the same."""

_PAUSE: frozenset[Tier] = frozenset({"summary"})

_log = logging.getLogger(__name__)


class SummaryTier:
    """Summarises one conversation, takes summaries back, expands them.

    Attributes:
        breaker: what may be tried by itself.
        asker: asks the models.
    """

    def __init__(self, means: Means) -> None:
        """Changes nothing yet."""
        self.breaker = Breaker(means.seconds, means.now, means.begun)
        self.asker = Asker(means.recorder)
        self._means = means
        self._left: LiveNode | None = None
        self._asking = GivingUp()
        self._told_pause = self.undone

    @property
    def means(self) -> Means:
        """What it works with."""
        return self._means

    @property
    def undone(self) -> bool:
        """Whether one was taken back: none is made until the user acts, or nothing else fits."""
        return "summary" in self._means.recorder.paused

    @property
    def paused(self) -> bool:
        """Whether no summary is made by itself now."""
        return self.undone or self.breaker.paused

    @property
    def withheld(self) -> Withheld | None:
        """Why the summary that this request needs isn't made by itself; None: it may be."""
        if (auto := self._means.settings().auto) != "all":
            return Withheld(auto) if can_summarise(self._means) else None
        why = self._why_not(self._measure())
        if why is None:
            return Withheld("failed") if self.breaker.failures else None
        return self.breaker.withheld(why)

    @property
    def can_undo(self) -> bool:
        """Whether a summary, or its expansion, is the last that happened to the history."""
        return self._means.recorder.way_back is not None

    def due(self, measure: Measure, *, full: bool) -> bool:
        """Whether a summary is to be made before the next call.

        Args:
            measure: of the next request.
            full: it nearly fills the window, or doesn't fit.
        """
        marks = self._means.marks()
        self.breaker.seen(measure.tokens)
        self._left = self._left if self.can_undo else None
        # In a large window the margin reaches over its end before the mark is reached.
        reached = measure.tokens >= marks.summary or measure.at_most > marks.window
        if self._means.settings().auto != "all" or not reached:
            return False
        return self._may(measure, full=full)

    async def summarise(self, by: By, focus: str = "") -> bool:
        """Replaces older messages by a summary.

        Args:
            by: who wants it; what the user asks for is tried whatever the breaker says.
            focus: what the user asked it to dwell on.

        Returns:
            Whether it was done; if not, the history is as it was, and `summary_failed` says why.

        Raises:
            CantSummarise: the user asks, and there is nothing to do, or too little to gain.
            StorageError: it can't be written down; the history is as it was.
            asyncio.CancelledError: it was stopped; the history is as it was.
        """
        if by == "user":
            await self.go_on()
        elif by == "overflow":
            auto = self._means.settings().auto
            if auto != "all" or self._why_not(self._measure()) is not None:
                return False  # how the turn ends says why
        try:
            proposal = propose(self._means, turns=BY_HAND if by == "user" else TURNS)
        except CantSummarise as error:
            if by == "user":
                raise
            self._refused(error)
            return False
        if by != "user":
            self.breaker.begun()
        return await self._attempt(proposal, by, focus)

    async def accept(self, proposal: Proposal, made: Made) -> None:
        """Carries out what the user looked at and accepted (`draft.Drafting`).

        Raises:
            StorageError: it can't be written down; the history is as it was.
        """
        await self.go_on()
        await unbroken(self._begin(proposal, made))

    async def cut(self, *, by_hand: bool) -> bool:
        """Cuts older messages off without a summary: no model is asked, references stay.

        Args:
            by_hand: the user asked for it; the cut is then as after `/compact`.

        Raises:
            CantSummarise: nothing may leave, or too little would be freed.
            StorageError: it can't be written down; the history is as it was.
        """
        proposal = propose(self._means, turns=BY_HAND if by_hand else TURNS, full=True)
        made = await make(self._means, proposal, NoSummary(), by_hand=by_hand)
        await unbroken(self._begin(proposal, made))
        return True

    async def cut_by_itself(self) -> bool:
        """The same, where nobody is asked and the settings want that rather than an error.

        Raises:
            StorageError: it can't be written down; the history is as it was.
        """
        settings = self._means.settings()
        if self._means.attended or settings.auto == "off" or settings.on_failure != "cut":
            return False
        try:
            return await self.cut(by_hand=False)
        except CantSummarise:
            return False

    async def undo(self) -> bool:
        """Takes the last summary or expansion back, byte for byte; summaries then pause.

        Returns:
            Whether there was something to take back.

        Raises:
            HaimaError: the node before it can't be read or gone on with; nothing changed.
        """
        back, left = self._means.recorder.way_back, self._left
        if back is None:
            return False
        live = left if left is not None and left.node == back else await self._means.live(back)
        if live is None:
            raise CantSummarise("compaction.no_node_before")
        await unbroken(self._step_back(live))
        return True

    async def expand(self, summary: str | None = None) -> None:
        """Puts the originals of a summary in its place again; what came since is kept.

        Args:
            summary: id of the message that holds it; None: the newest.

        Raises:
            CantExpand: there is no such summary, its originals can't be had, or they don't fit.
            StorageError: it can't be written down; the history is as it was.
        """
        await unbroken(self._expand(await expansion(self._means, summary)))

    async def go_on(self) -> None:
        """The user acts: summaries don't pause any longer.

        Raises:
            StorageError: it can't be written down; they still do.
        """
        if self.undone:
            await self._means.recorder.pause("summary", on=False)
        self.user_acts()

    def user_acts(self) -> None:
        """Another window or model: what failed before may go well now."""
        self.breaker.user_acts()
        self._tell_pause()

    def _may(self, measure: Measure, *, full: bool) -> bool:
        """Whether one may be made by itself; tells once where it may not."""
        if self.undone and not full:
            return False
        why = self._why_not(measure)
        if why is not None:
            self._tell_why(why)
            return False
        self._tell_pause()
        return True

    def _why_not(self, measure: Measure) -> Pause | None:
        tokens, window = measure.tokens, self._means.marks().window
        return self.breaker.why_not(tokens, window, full=self._full(measure))

    def _full(self, measure: Measure) -> bool:
        return nearly_full(measure, self._means.marks().window, self._means.rules)

    async def _attempt(self, proposal: Proposal, by: By, focus: str) -> bool:
        """One attempt; `summary_started` is always followed by how it ended."""
        means = self._means
        try:
            asking = self._asked(proposal, by, focus)
            made = await (self._asking.do(asking) if by == "mark" else asking)
            await unbroken(self._begin(proposal, made))
        except asyncio.CancelledError:
            self._stopped()
            raise
        except GivenUp:
            self._stopped()
            await means.recorder.pause("summary", on=True)
            self._tell_pause()
        except StorageError as error:
            self._failed(error.code, error.sentence(means.words))
            raise
        except HaimaError as error:
            self._failed(error.code, error.sentence(means.words), hopeless=error.code in _HOPELESS)
        except Exception as error:
            _log.exception("the summary broke")
            problem = f"{type(error).__name__}: {error}"
            self._failed("fault", means.words("compaction.summary_fault", problem=problem))
        else:
            return True
        return False

    def keep_history(self) -> bool:
        """Gives up the summary that the next call waits for, then pauses; False: none was made."""
        return self._asking.give_up()

    def _stopped(self) -> None:
        why = self._means.words("compaction.summary_cancelled")
        self._means.publish(SummaryFailed(code="cancelled", reason=why, attempt=0))

    async def _asked(self, proposal: Proposal, by: By, focus: str) -> Made:
        """Asks for the summary, and puts the new history together."""
        means, began = self._means, self._means.seconds()
        await worth(means, proposal)
        summarizer = means.summarizer()
        whole = by != "overflow" and self.asker.may_offer_tools(summarizer)
        plan = await planned(means, proposal, summarizer, focus=focus, whole=whole)
        means.publish(
            SummaryStarted(
                messages=len(proposal.cut.replaced),
                tokens=proposal.measure.tokens,
                by=by,
                focus=focus,
                calls=plan.calls_at_most,
            )
        )
        text = await self.asker.ask(summarizer, plan, self._progress, means.publish)
        took, by_hand = means.seconds() - began, by == "user"
        return await make(means, proposal, text, seconds=took, focus=focus, by_hand=by_hand)

    def _progress(self, done: int, pieces: int) -> None:
        self._means.publish(SummaryProgress(done=done, pieces=pieces))

    async def _begin(self, proposal: Proposal, made: Made) -> None:
        """The child begins; from here on it can be undone until something follows."""
        recorder, words = self._means.recorder, self._means.words
        left, node = recorder.live(), self._means.new_id()
        # Where one was made after all, nothing pauses any longer; its parent stays as it was.
        start = replace(made.start, paused=recorder.paused - _PAUSE)
        await recorder.begin(start, node)
        self._left = left
        self.breaker.succeeded()
        for event in summary_events(proposal, made, node=node, parent=left.node, words=words):
            self._means.publish(event)
        self._tell_pause()

    async def _step_back(self, live: LiveNode) -> None:
        recorder, tokens = self._means.recorder, self._measure().tokens
        undone, child = recorder.node, recorder.history
        await recorder.step_back(live, pauses="summary")
        self._left = None
        self._means.publish(
            SummaryUndone(
                node=live.node,
                undone=undone,
                summary=summary_between(live.history, child),
                messages=len(only_in(live.history, child)),
                tokens=max(0, self._measure().tokens - tokens),
            )
        )
        self._tell_pause()

    async def _expand(self, out: Expansion) -> None:
        recorder, tokens = self._means.recorder, self._measure().tokens
        left, node = recorder.live(), self._means.new_id()
        start = replace(out.start, paused=recorder.paused | _PAUSE)
        await recorder.begin(start, node, known=out.before)
        self._left = left
        self._means.publish(
            Expanded(
                node=node,
                parent=left.node,
                summary=out.summary,
                messages=out.back,
                tokens=max(0, self._measure().tokens - tokens),
            )
        )
        self._tell_pause()

    def _refused(self, error: CantSummarise) -> None:
        """Nothing was tried by itself, and won't be until more was said."""
        measure = self._measure()
        self.breaker.wait(measure.tokens, full=self._full(measure))
        if error.key != "compaction.nothing_to_summarise":
            reason, failures = error.sentence(self._means.words), self.breaker.failures
            self._means.publish(SummaryFailed(code=error.code, reason=reason, attempt=failures))

    def _failed(self, code: str, reason: str, *, hopeless: bool = False) -> None:
        """An attempt failed; the third in a row pauses, which is said at once."""
        measure = self._measure()
        self.breaker.failed(measure.tokens, hopeless=hopeless, full=self._full(measure))
        self._means.publish(SummaryFailed(code=code, reason=reason, attempt=self.breaker.failures))
        if self.breaker.failures >= IN_A_ROW:
            self._tell_why("failures")

    def _tell_why(self, why: Pause) -> None:
        """Says once why no summary is made by itself."""
        if why == "growth" or not self.breaker.tell(why):
            return
        window, at = self._means.marks().window, self.breaker.withheld(why).at
        text = sentence(why, window, self._means.words, at)
        self._means.publish(Notice(code="summaries_paused", text=text, severity="warn"))
        self._tell_pause()

    def _tell_pause(self) -> None:
        if self.paused != self._told_pause:
            self._told_pause = self.paused
            self._means.publish(Paused(tier="summary", on=self.paused))

    def _measure(self) -> Measure:
        return self._means.meter.measure(self._means.recorder.history, self._means.tools())
