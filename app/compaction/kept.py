"""What a summary's message keeps beside the summary, counted for the screen."""

from collections.abc import Sequence

from app.compaction.new_history import Recovery
from app.conversation.history import RecoverySlot
from app.conversation.messages import Message, RestoredPart, WordsPart
from app.conversation.meter import Meter
from app.events import KeptBySummary

_BEGINNING = 40
"""Characters of a goal by which it is found in the recovery block, where it may be cut."""


def kept_by(
    bearer: Message, slot: RecoverySlot | None, recovery: Recovery, meter: Meter
) -> KeptBySummary:
    """The figures.

    Args:
        bearer: the summary's message.
        slot: the recovery block at it.
        recovery: what the block was made of.
        meter: estimates texts.
    """
    told = "" if slot is None else slot.text
    lines = set(told.splitlines())
    pins = [part.text for part in bearer.parts if isinstance(part, RestoredPart)]
    words = [part for part in bearer.parts if isinstance(part, WordsPart)]
    said = [one.text for part in words for one in part.said if one.text]
    part, goal = bearer.summary, recovery.goal

    def found(known: Sequence[str]) -> int:
        return sum(one in lines for one in known)

    return KeptBySummary(
        goal=goal is not None and bool(goal.text) and goal.text[:_BEGINNING] in told,
        rules=found(recovery.rules),
        files=found(recovery.changed),
        entities=found(recovery.entities),
        recovery_tokens=meter.text_tokens(told),
        said=len(said),
        pins=len(pins),
        said_tokens=sum(map(meter.text_tokens, (*pins, *said))),
        references=0 if part is None else len(part.references),
    )
