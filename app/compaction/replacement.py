"""What a summary would replace, and what the history becomes with it; changes nothing itself."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.archive.nodes import LayoutEntry, NodeStart
from app.compaction.asking import Plan
from app.compaction.cut import TURNS, Cut, plan_cut
from app.compaction.guarding import nearly_full
from app.compaction.kept import kept_by
from app.compaction.known import Known, Told
from app.compaction.means import Means
from app.compaction.new_history import NewHistory, NoSummary, build
from app.compaction.pinned import pinned_parts, pinned_tokens
from app.compaction.references import references_for
from app.compaction.said import goal_of, said_in
from app.compaction.summarize import Summarizer, SummaryText
from app.conversation.history import History
from app.conversation.measured import Measure
from app.conversation.messages import Message, Said
from app.conversation.shares import Shares, shares
from app.conversation.standing import PLAIN
from app.conversation.summary_mark import SummaryMark
from app.conversation.window import guard_mark
from app.conversation.work import Goal
from app.errors import HaimaError
from app.events import KeptBySummary

LEAST_GAIN = 10
"""A summary frees 1 of so many of the request, or it isn't worth what it costs (DESIGN 4)."""

_AT_ONCE = 100
"""Of the user's messages that are asked for together."""

_ENOUGH = 3
"""So many times the room for the user's words is looked at: long ones may not fit where older ones
do."""


class CantSummarise(HaimaError):  # noqa: N818
    """There is nothing to summarise, or too little to gain; nothing changed."""

    code = "cant_summarise"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What would be replaced.

    Attributes:
        history: as it is.
        measure: of it.
        shares: the room of the new one.
        cut: where the tail begins.
    """

    history: History
    measure: Measure
    shares: Shares
    cut: Cut

    @property
    def leaving(self) -> tuple[Message, ...]:
        """The messages that would leave, in order."""
        ids = set(self.cut.replaced)
        return tuple(one for one in self.history[: self.cut.end] if one.id in ids)


@dataclass(frozen=True, slots=True)
class Made:
    """What a proposal comes to.

    Attributes:
        start: the first row of the child.
        mark: its figures.
        kept: what the code kept beside the summary's text.
        told: in the recovery block.
    """

    start: NodeStart
    mark: SummaryMark
    kept: KeptBySummary
    told: Told


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What the history becomes.

    Attributes:
        new: its new messages and its layout.
        bearer: the one that brings the summary.
        history: all of it, for measuring.
        kept: what the code kept beside the summary's text.
    """

    new: NewHistory
    bearer: Message
    history: History
    kept: KeptBySummary


def propose(means: Means, *, turns: int = TURNS, full: bool = False) -> Proposal:
    """What would be replaced now.

    Args:
        means: of the conversation.
        turns: user turns that stay, if there is room.
        full: nothing else fits the window, whatever the measure says. What role, tools and
            documents leave below the summary mark may be too little, and what they leave below the
            guard's enough: a small window goes on with that rather than end the turn.

    Raises:
        CantSummarise: nothing may leave, the room is too small, or too little would be freed.
    """
    history, marks = means.recorder.history, means.marks()
    measure = means.meter.measure(history, means.tools())
    fixed = measure.parts.system + measure.parts.tools
    room = shares(marks, fixed, means.rules)
    if room.too_small and (full or nearly_full(measure, marks.window, means.rules)):
        marks = replace(marks, summary=guard_mark(marks.window, means.rules))
        room = shares(marks, fixed, means.rules)
    if room.too_small:
        raise CantSummarise(
            "compaction.window_too_small",
            window=f"{marks.window:,}",
            fixed=f"{fixed:,}",
            room=f"{room.room:,}",
        )
    standings, meter = means.recorder.standings, means.meter
    pins = pinned_tokens(history, standings, meter.message_tokens, marks.pins)
    cut = None if history.open_calls else plan_cut(history, meter, room, turns=turns, pins=pins)
    if cut is None or not cut.replaced:
        raise CantSummarise("compaction.nothing_to_summarise")
    if cut.before * LEAST_GAIN < measure.tokens:
        raise _too_little(cut.before, measure.tokens)
    return Proposal(history, measure, room, cut)


async def planned(
    means: Means,
    proposal: Proposal,
    summarizer: Summarizer,
    old: Sequence[Message] | None = None,
    *,
    focus: str = "",
    whole: bool = True,
) -> Plan:
    """How the summary of a proposal will be asked for; asks nobody.

    Args:
        means: of the conversation.
        proposal: of the history as it still is.
        summarizer: will ask.
        old: what is read in place of the messages that leave.
        focus: what the user asked it to dwell on.
        whole: the session's own request may go out again (`Summarizer.plan`).

    Raises:
        SummaryFailed: it can't be made.
    """
    return await asyncio.to_thread(
        summarizer.plan,
        proposal.leaving if old is None else old,
        history=proposal.history,
        cut=proposal.cut,
        schemas=means.schemas(),
        shares=proposal.shares,
        focus=focus,
        whole=whole,
    )


async def worth(means: Means, proposal: Proposal) -> None:
    """Sees that even the shortest summary would free enough: what else stays may be too much.

    No model is asked for what is known to be in vain.

    Raises:
        CantSummarise: it would free too little.
        HaimaError: an original can't be read.
    """
    least = SummaryText(text="…", generation=1, model="", calls=0, usages=())
    # Names and facts take what is free; they don't decide.
    _check_gain(means, proposal, await rebuild(means, proposal, least, names=False))


async def make(
    means: Means,
    proposal: Proposal,
    summary: SummaryText | NoSummary,
    *,
    seconds: float = 0.0,
    focus: str = "",
    by_hand: bool = False,
) -> Made:
    """The child that a proposal begins, checked: it frees enough.

    Args:
        means: of the conversation.
        proposal: of the history as it still is.
        summary: what stands for what leaves.
        seconds: it took to get it.
        focus: what the user asked it to dwell on.
        by_hand: the user asked for it.

    Raises:
        CantSummarise: it frees too little.
        HaimaError: an original can't be read.
    """
    rebuilt = await rebuild(means, proposal, summary)
    before, after = proposal.measure.tokens, _check_gain(means, proposal, rebuilt)
    new, bearer = rebuilt.new, rebuilt.bearer
    part = bearer.summary
    assert part is not None  # noqa: S101 - it is the summary's message
    mark = SummaryMark(
        messages=len(proposal.cut.replaced),
        tokens=means.meter.text_tokens(part.text),
        tokens_before=before,
        tokens_after=after,
        generation=part.generation,
        how="cut" if isinstance(summary, NoSummary) else "model",
        in_turn=proposal.cut.in_turn,
        summary=bearer.id,
        model="" if isinstance(summary, NoSummary) else summary.model,
        focus=focus,
        seconds=round(seconds, 3),
        by_hand=by_hand,
        kept=rebuilt.kept,
    )
    start = replace(
        means.start(),
        parent=means.recorder.node,
        relation="summary",
        layout=_layout(means, new),
        messages=new.messages,
        recovery=new.slot,
        summary=mark,
    )
    return Made(start, mark, rebuilt.kept, new.told)


async def rebuild(
    means: Means, proposal: Proposal, summary: SummaryText | NoSummary, *, names: bool = True
) -> Rebuilt:
    """The history that a proposal comes to with this summary; nothing is checked or written down.

    Args:
        means: of the conversation.
        proposal: of the history as it still is.
        summary: what stands for what leaves.
        names: what only takes room that is free is told too: names that were merely seen, facts.

    Raises:
        HaimaError: an original can't be read.
    """
    said = await _said(means, proposal)
    known = await means.known()
    if known.goal is None and (goal := goal_of(said)) is not None:
        # A conversation of before there was a worklog.
        known = replace(known, goal=Goal(goal.text, goal.id, 1))
    root = known.ranking.index.root if known.ranking else ""
    if not names:
        known = replace(known, ranking=None)
    new = await _built(means, proposal, summary, said, known, root)
    if names:
        new = await _remembered(means, proposal, new)
    bearer = next(one for one in new.messages if one.summary is not None)
    kept = kept_by(bearer, new.told, means.meter)
    return Rebuilt(new, bearer, _history(proposal.history, new), kept)


async def _built(
    means: Means,
    proposal: Proposal,
    summary: SummaryText | NoSummary,
    said: tuple[Said, ...],
    known: Known,
    root: str,
) -> NewHistory:
    """The new history."""
    recorder, meter, history = means.recorder, means.meter, proposal.history
    leaving = proposal.leaving
    pins = await pinned_parts(
        leaving,
        recorder.standings,
        {call.id: call for message in history for call in message.calls},
        find=means.find,
        words=means.words,
        tokens=meter.text_tokens,
        budget=means.marks().pins,
    )
    references = references_for(
        leaving,
        files=recorder.files,
        standings=recorder.standings,
        words=means.words,
        tokens=meter.text_tokens,
        budget=proposal.shares.references,
        root=root,
    )
    built = build(
        history,
        proposal.cut,
        summary=summary,
        said=said,
        pins=pins,
        references=references,
        known=known,
        shares=proposal.shares,
        meter=meter,
        words=means.words,
        new_id=means.new_id,
        reasoning=means.reasoning(),
    )
    return _renewed(history[0], await means.system(), built)


async def _remembered(means: Means, proposal: Proposal, new: NewHistory) -> NewHistory:
    """The same with the facts that the waiting request needs and that leave; if there is room."""
    part = await means.recalled(proposal.history, _history(proposal.history, new))
    if part is None:
        return new
    own = [replace(one, parts=(*one.parts, part)) if one.summary else one for one in new.messages]
    grown = replace(new, messages=tuple(own))
    before = proposal.measure.tokens
    after = means.meter.forecast(_history(proposal.history, grown), means.tools())
    fits = after <= proposal.shares.target and (before - after) * LEAST_GAIN >= before
    return grown if fits else new


def _renewed(old: Message, system: Message, built: NewHistory) -> NewHistory:
    """The same with the system message as it would be made now, where that says something else."""
    if old.role != "system" or old.parts == system.parts:
        return built
    ids = (system.id, *(id_ for id_ in built.history_ids if id_ != old.id))
    return replace(built, messages=(system, *built.messages), history_ids=ids)


async def _said(means: Means, proposal: Proposal) -> tuple[Said, ...]:
    """The user's messages word for word, from the originals where the history hasn't them.

    The first and the newest, as many as could have room; what the others said isn't asked for: "".
    """
    said, standings = said_in(proposal.history), means.recorder.standings
    known = {one.id: one.text for one in said if standings.get(one.id, PLAIN).body is None}
    left = _ENOUGH * proposal.shares.user_words
    newest = said[:0:-1]
    for some in (said[:1], *(newest[at : at + _AT_ONCE] for at in range(0, len(newest), _AT_ONCE))):
        if left <= 0:
            break
        if absent := [one.id for one in some if not known.get(one.id)]:
            known |= await means.texts(absent)
        left -= sum(means.meter.text_tokens(known.get(one.id, "")) for one in some)
    return tuple(Said(one.id, known.get(one.id, one.text)) for one in said)


def _layout(means: Means, new: NewHistory) -> tuple[LayoutEntry, ...]:
    """The new history as a node begins with it; what is kept stands as it stood."""
    standings, own = means.recorder.standings, {message.id for message in new.messages}
    return tuple(
        LayoutEntry(id_, PLAIN if id_ in own else standings.get(id_, PLAIN))
        for id_ in new.history_ids
    )


def _history(history: History, new: NewHistory) -> History:
    """The new history, for measuring it.

    Raises:
        InvalidHistory: it breaks a rule.
    """
    own = {message.id: message for message in new.messages}
    messages = (own.get(id_) or history.get(id_) for id_ in new.history_ids)
    return History((one for one in messages if one is not None), new.slot)


def _check_gain(means: Means, proposal: Proposal, rebuilt: Rebuilt) -> int:
    """Tokens of the new request; raises where it is hardly smaller.

    Raises:
        CantSummarise: it frees too little.
    """
    before = proposal.measure.tokens
    after = means.meter.forecast(rebuilt.history, means.tools())
    if (before - after) * LEAST_GAIN < before:
        raise _too_little(max(0, before - after), before)
    return after


def _too_little(freed: int, tokens: int) -> CantSummarise:
    return CantSummarise("compaction.too_little_gain", freed=f"{freed:,}", tokens=f"{tokens:,}")
