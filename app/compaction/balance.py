"""Before and after a summary, in figures that add up (mock 04). Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from app.compaction.groups import pinned_title, runs_of, title_of
from app.compaction.replacement import Proposal, Rebuilt
from app.conversation.history import History
from app.conversation.measured import Parts, shared_out
from app.conversation.messages import Message, RestoredPart, SummaryPart, WordsPart
from app.conversation.meter import Meter
from app.conversation.standing import PLAIN, Standing
from app.view.compaction import Balance, Carried, CarriedKind, Group
from app.view.gauge_bar import GaugeParts

Weigh = Callable[[Message], float]


def weighed(
    proposal: Proposal,
    rebuilt: Rebuilt,
    *,
    meter: Meter,
    tools: str,
    standings: Mapping[str, Standing],
) -> Balance:
    """What a proposal comes to with the summary that the history was rebuilt with.

    Both totals are those that the gauge shows: before as it is measured, after as it will be. What
    stays has one figure for both; what the meter's correction makes of the difference is part of
    what leaves.

    Args:
        proposal: what would be replaced.
        rebuilt: what the history becomes.
        meter: of the conversation.
        tools: on offer, as they go out.
        standings: how the messages stand.
    """
    history, cut = proposal.history, proposal.cut
    before, after = proposal.measure.parts, meter.outlook(rebuilt.history, tools)
    first = 1 if history[0].role == "system" else 0
    leaving, staying = history[first : cut.end], history[cut.end :]
    front = [meter.weight(one) for one in rebuilt.new.messages if one.role != "system"]
    slot = rebuilt.new.slot
    known = 0.0 if slot is None else meter.text_tokens(slot.text) / max(meter.scale, 0.01)
    fixed = _fixed(proposal, rebuilt, meter)
    rest = max(0, after.total - fixed)
    stays, ahead = shared_out(rest, [_weight(staying, meter.weight), sum(front) + known])
    summary = rebuilt.bearer.summary
    told = 0 if summary is None else min(ahead, meter.text_tokens(summary.text))
    carried = _carried(rebuilt, ahead - told, meter, history)
    if not carried:
        told = ahead
    numbered = _numbers(history[first:])
    return Balance(
        before=_gauge(before),
        after=_gauge(after, after.total - rest),
        leaving=_groups(leaving, _said(before) - stays, meter.weight, standings, numbered),
        staying=_groups(staying, stays, meter.weight, standings, numbered),
        carried=carried,
        kept=rebuilt.kept,
        summary=told,
        pins_left_out=_left_out(leaving, rebuilt.bearer, standings),
    )


def can_be_pinned(message: Message) -> bool:
    """Whether a pin would carry something of a message over."""
    return bool(message.text.strip()) and message.role != "system"


def _fixed(proposal: Proposal, rebuilt: Rebuilt, meter: Meter) -> int:
    """Tokens of system message and tools afterwards: the same, unless the message was renewed."""
    parts, old, new = proposal.measure.parts, proposal.history[0], rebuilt.history[0]
    renewed = old.role == "system" and new.id != old.id
    changed = meter.weight(new) - meter.weight(old) if renewed else 0.0
    return max(0, parts.system + parts.tools + round(changed * meter.scale))


def _said(parts: Parts) -> int:
    """Tokens of everything but system message and tools."""
    return parts.total - parts.system - parts.tools


def _gauge(parts: Parts, fixed: int | None = None) -> GaugeParts:
    """The parts of the bar; with another figure for what is fixed the others make up for it."""
    said = (parts.memory, parts.history, parts.results)
    if fixed is None:
        return GaugeParts(parts.system + parts.tools, *said)
    return GaugeParts(fixed, *shared_out(parts.total - fixed, said))


def _weight(messages: Iterable[Message], weigh: Weigh) -> float:
    return sum(weigh(one) for one in messages if not one.discarded)


def _numbers(messages: Iterable[Message]) -> dict[str, int]:
    """Each message that is sent, counted from 1."""
    sent = [one.id for one in messages if not one.discarded]
    return {id_: number for number, id_ in enumerate(sent, start=1)}


def _groups(
    messages: Sequence[Message],
    total: int,
    weigh: Weigh,
    standings: Mapping[str, Standing],
    numbers: Mapping[str, int],
) -> tuple[Group, ...]:
    runs = runs_of(messages)
    shares = shared_out(max(0, total), [_weight(run.messages, weigh) for run in runs])
    groups = []
    for run, tokens in zip(runs, shares, strict=True):
        able = [one.id for one in run.messages if can_be_pinned(one)]
        groups.append(
            Group(
                first=numbers[run.messages[0].id],
                last=numbers[run.messages[-1].id],
                title=run.title,
                tokens=tokens,
                messages=tuple(one.id for one in run.messages),
                kind=run.kind,
                pinned=bool(able) and all(standings.get(one, PLAIN).pinned for one in able),
            )
        )
    return tuple(groups)


def _carried(rebuilt: Rebuilt, total: int, meter: Meter, history: History) -> tuple[Carried, ...]:
    """What stands beside the summary; its frame is shared out among it."""
    bearer, slot = rebuilt.bearer, rebuilt.new.slot
    found: list[tuple[CarriedKind, int, str, str, float]] = []
    quoted = [
        one.text
        for part in bearer.parts
        if isinstance(part, WordsPart)
        for one in part.said
        if one.text
    ]

    def add(
        kind: CarriedKind, texts: Sequence[str], title: str = "", message: str = "", n: int = 0
    ) -> None:
        weight = float(sum(map(meter.text_tokens, texts)))
        if texts:
            found.append((kind, n or len(texts), title, message, weight))

    add("said", quoted)
    if bearer.summary is not None and bearer.summary.request is not None:
        add("request", [bearer.text or " "])
    calls = {call.id: call for message in history for call in message.calls}
    for part in bearer.parts:
        if isinstance(part, RestoredPart):
            message = history.get(part.ref)
            title = pinned_title(part.text) if message is None else title_of(message, calls)
            add("pin", [part.text], title, part.ref)
    if slot is not None:
        add("recovery", [slot.text])
    references = _references(bearer.summary)
    add("references", references)
    shares = shared_out(max(0, total), [weight for *_, weight in found])
    return tuple(
        Carried(kind, tokens, count, title, message)
        for (kind, count, title, message, _), tokens in zip(found, shares, strict=True)
    )


def _references(summary: SummaryPart | None) -> Sequence[str]:
    return () if summary is None else summary.references


def _left_out(
    leaving: Iterable[Message], bearer: Message, standings: Mapping[str, Standing]
) -> int:
    """Pinned messages that leave without being quoted."""
    kept = {part.ref for part in bearer.parts if isinstance(part, RestoredPart)}
    pinned = [
        one.id
        for one in leaving
        if standings.get(one.id, PLAIN).pinned and can_be_pinned(one) and one.summary is None
    ]
    return sum(one not in kept for one in pinned)
