"""The history after a cut: what stands at the front, an acknowledgement, the tail (DESIGN 4)."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Protocol

from app.compaction.cut import Cut
from app.compaction.front import spoken, summary_text
from app.compaction.known import NOTHING_TOLD, BlockShares, Known, Told
from app.compaction.record import Record
from app.compaction.room import Room
from app.compaction.said import said_id, said_in
from app.compaction.sent_texts import sent_texts
from app.conversation.estimate import PER_MESSAGE
from app.conversation.history import History, RecoverySlot
from app.conversation.messages import (
    IdFactory,
    Message,
    Part,
    Reasoning,
    RestoredPart,
    Said,
    SummaryPart,
    TextPart,
    is_injected,
)
from app.conversation.meter import Meter
from app.conversation.shares import Shares
from app.conversation.work import Rule
from app.memory.name_lists import Standing
from app.text import Words


class SummaryText(Protocol):
    """A summary that was made and checked (`summarize.SummaryText`)."""

    @property
    def text(self) -> str:
        """The summary."""

    @property
    def generation(self) -> int:
        """How many summaries were made of one another."""


@dataclass(frozen=True, slots=True)
class NoSummary:
    """A cut without a summary: one line and the references stand in its place."""


@dataclass(frozen=True, slots=True)
class NewHistory:
    """What a cut makes of a history.

    Attributes:
        messages: the new ones: the user message with the summary and, unless the cut is inside a
            turn, the acknowledgement.
        history_ids: the whole layout in order, kept and new.
        slot: the recovery block, at the new user message.
        told: what stands in it.
    """

    messages: tuple[Message, ...]
    history_ids: tuple[str, ...]
    slot: RecoverySlot | None
    told: Told = NOTHING_TOLD


def build(
    history: History,
    cut: Cut,
    *,
    summary: SummaryText | NoSummary,
    said: Sequence[Said],
    pins: Sequence[RestoredPart],
    references: Sequence[str],
    known: Known,
    shares: Shares,
    meter: Meter,
    words: Words,
    new_id: IdFactory,
    reasoning: Reasoning | None = None,
) -> NewHistory:
    """The new history; the old one stays as it is.

    What stands at the front has `shares.block` tokens (pins, and the request that is said again,
    come on top), filled in this order: rules, goal, summary, changed files, names, the user's
    words. What leaves finds room in `references`, of which a part is kept free.

    Args:
        history: as it is.
        cut: of it (`plan_cut`).
        summary: what stands for what leaves; within `shares.summary_text`, else its end is lost.
        said: what the user said in the whole history (`said_in`), texts filled in from the
            originals.
        pins: originals of pinned messages that leave, within `Thresholds.pins`.
        references: lines on what leaves (`references_for`).
        known: what is known of the work.
        shares: the room.
        meter: estimates texts.
        words: the language of what the model reads.
        new_id: gives ids.
        reasoning: goes with the acknowledgement, for models that demand it.
    """
    leaving, kept = history[: cut.end], history[cut.end :]
    answer: tuple[Message, ...] = ()
    if not cut.in_turn:
        acknowledged = (TextPart(words("front.acknowledged")),)
        answer = (Message(new_id(), "assistant", acknowledged, reasoning=reasoning),)
    staying = {one.id for one in said_in(kept)} | {cut.request}
    pins = [pin for pin in pins if pin.ref not in staying]
    pinned = {pin.ref for pin in pins}

    room = Room(shares.block, meter)
    around = math.ceil(PER_MESSAGE * meter.scale)
    room.take(min(room.left, around + sum(map(meter.message_tokens, answer))))
    record = Record(room, block_shares(shares), known, words)
    record.add_rules()
    text = summary_text(_text(leaving, cut, summary, words), shares, room)
    record.add_goal(staying | pinned, room.left)
    record.add_changed()
    record.add_progress()
    record.add_nearest()
    reserved = record.reserve_names()
    rest = spoken(
        [one for one in said if one.id not in staying],
        references,
        elsewhere=pinned | record.quoted | _said_as_rules(said, record.told.rules),
        request=_sent_with(leaving, cut),
        shares=shares,
        room=room,
        words=words,
    )
    parts: list[Part] = [
        *pins,
        SummaryPart(text, rest.references, _generation(leaving, summary), cut.request),
    ]
    if rest.part is not None:
        parts.append(rest.part)
    message = Message(new_id(), "user", (*parts, *_request(leaving, cut)))
    if reserved:
        system = [one for one in leaving[:1] if one.role == "system"]
        sent = sent_texts((*system, message, *answer, *kept))
        record.add_names(Standing(sent), reserved)
    first = [one.id for one in leaving[:1] if one.role == "system"]
    return NewHistory(
        messages=(message, *answer),
        history_ids=(*first, message.id, *(one.id for one in (*answer, *kept))),
        slot=RecoverySlot(message.id, record.text, first=True) if record.text else None,
        told=record.told,
    )


def _said_as_rules(said: Sequence[Said], rules: Iterable[Rule]) -> frozenset[str]:
    """Ids of messages that say nothing but a rule which is told."""
    told = {_bare(rule.text) for rule in rules}
    return frozenset(one.id for one in said if _bare(one.text) in told)


def _bare(text: str) -> str:
    return " ".join(text.split()).rstrip(" .。!！")


def block_shares(shares: Shares) -> BlockShares:
    """What the sections of the recovery block may have of it."""
    return BlockShares(
        rules=shares.rules,
        goal=shares.goal,
        files=shares.files,
        progress=shares.progress,
        entities=shares.entities,
    )


def _text(
    leaving: Sequence[Message], cut: Cut, summary: SummaryText | NoSummary, words: Words
) -> str:
    """The summary, or the line that there is none; what an earlier one says isn't lost by that."""
    if not isinstance(summary, NoSummary):
        return summary.text
    line = words("front.cut", n=len(cut.replaced))
    earlier = _earlier(leaving)
    return line if earlier is None else f"{line}\n\n{earlier.text}"


def _generation(leaving: Sequence[Message], summary: SummaryText | NoSummary) -> int:
    if not isinstance(summary, NoSummary):
        return summary.generation
    earlier = _earlier(leaving)
    return 1 if earlier is None else earlier.generation


def _earlier(leaving: Sequence[Message]) -> SummaryPart | None:
    """The summary that this one replaces."""
    return next((one.summary for one in reversed(leaving) if one.summary is not None), None)


def _request(leaving: Sequence[Message], cut: Cut) -> tuple[Part, ...]:
    """The request of the turn that the cut falls into, as the user made it."""
    if cut.request is None:
        return ()
    found = next(one for one in reversed(leaving) if _said(one) == cut.request)
    return found.parts[len(found.front) :]


def _sent_with(leaving: Sequence[Message], cut: Cut) -> frozenset[str]:
    """Ids of what the user said just before that request, without an answer between."""
    before = [one for one in leaving if not one.discarded]
    while before and _said(before[-1]) != cut.request:
        before.pop()
    with_it = takewhile(lambda one: _said(one) is not None, reversed(before[:-1]))
    return frozenset(said_id(one) for one in with_it) if cut.request is not None else frozenset()


def _said(message: Message) -> str | None:
    """The id under which the user said a message; None: it isn't the user's."""
    if message.role != "user" or is_injected(message):
        return None
    return said_id(message)
