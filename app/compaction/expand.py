"""Expand here: the originals of a summary stand in its place again (DESIGN 4, "Taking back")."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.archive.nodes import LayoutEntry, NodeStart
from app.archive.stepping import LiveNode
from app.compaction.means import Means
from app.conversation.history import History, RecoverySlot
from app.conversation.messages import Message
from app.conversation.meter import UNANCHORED_MARGIN
from app.conversation.standing import PLAIN
from app.conversation.window import guard_mark
from app.errors import HaimaError


class CantExpand(HaimaError):  # noqa: N818
    """A summary can't be expanded here; nothing changed."""

    code = "cant_expand"


@dataclass(frozen=True, slots=True)
class Expansion:
    """What an expansion comes to.

    Attributes:
        start: the first row of its node.
        before: the node that gives the originals.
        summary: id of the summary's message.
        back: how many messages are back.
    """

    start: NodeStart
    before: LiveNode
    summary: str
    back: int


async def expansion(means: Means, summary: str | None) -> Expansion:
    """What the history becomes if a summary gives way to what it stands for; changes nothing.

    Args:
        means: of the conversation.
        summary: id of the message that holds it; None: the newest.

    Raises:
        CantExpand: there is no such summary, its originals can't be had, or they don't fit.
    """
    recorder = means.recorder
    history = recorder.history
    bearer = _bearer(history, summary)
    if bearer is None or history.open_calls:
        raise CantExpand("compaction.no_summary")
    before = await means.before(bearer.id)
    restored = () if before is None else originals(before.history, history)
    if before is None or not restored:
        raise CantExpand("compaction.no_node_before")
    place = history.index(bearer.id)
    part = bearer.summary
    alone = part is not None and part.request is not None
    end = place + 1 if alone else after_acknowledgement(history, place + 1)
    kept = (*history[:place], *history[end:])
    messages = (*history[:place], *restored, *history[end:])
    slot = _slot(history, before.history, messages)
    whole = History(messages, slot)
    tokens, window = means.meter.forecast(whole, means.tools()), means.marks().window
    if tokens >= guard_mark(window, means.rules) or tokens * UNANCHORED_MARGIN > window:
        raise CantExpand(
            "compaction.expand_no_room",
            messages=len(restored),
            tokens=f"{tokens:,}",
            window=f"{window:,}",
        )
    here = {message.id for message in kept}
    layout = tuple(
        LayoutEntry(
            one.id,
            recorder.standings.get(one.id, PLAIN) if one.id in here else before.standing(one.id),
        )
        for one in messages
    )
    start = replace(
        means.start(), parent=recorder.node, relation="expand", layout=layout, recovery=slot
    )
    return Expansion(start, before, bearer.id, sum(not one.discarded for one in restored))


def _bearer(history: History, summary: str | None) -> Message | None:
    """The message that holds the summary."""
    found = [one for one in history if one.summary and (summary is None or one.id == summary)]
    return found[-1] if found else None


def originals(before: History, now: History) -> tuple[Message, ...]:
    """What left with the summary: up to the first message that still stands there."""
    restored = []
    for message in before:
        if message.role == "system":
            continue
        if now.get(message.id) is not None:
            break
        restored.append(message)
    return tuple(restored)


def after_acknowledgement(history: History | Sequence[Message], place: int) -> int:
    """Where the tail begins behind a summary that nobody said anything with."""
    there = place < len(history) and history[place].role == "assistant"
    return place + 1 if there and not history[place].calls else place


def _slot(now: History, before: History, messages: tuple[Message, ...]) -> RecoverySlot | None:
    """The recovery block: the present one where its message stays, else the one there was."""
    ids = {message.id for message in messages}
    for slot in (now.recovery, before.recovery):
        if slot is not None and slot.message_id in ids:
            return slot
    return None
